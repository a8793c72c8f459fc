/*
 * mark.c: compiled three times, with GB_MARK = begin, middle and end, and linked between the object
 * files whose constant tables tables.c takes out of the image.  The linker keeps constants in the
 * order of the files, so what lies between two marks are those tables.  stdlib.py finds the marks in
 * the linked module by these bytes.
 */
#define NAME_(x) gb_mark_##x
#define NAME(x) NAME_(x)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

extern const char NAME(GB_MARK)[16];
const char NAME(GB_MARK)[16] = "\0Glovebox\0" TEXT(GB_MARK);
