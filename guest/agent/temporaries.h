// Files that are written as a whole are written beside their place under a temporary name, which nobody shall be told.
#ifndef GLOVEBOX_TEMPORARIES_H
#define GLOVEBOX_TEMPORARIES_H

#include <stdbool.h>

enum { TEMPORARY_NAME_MAX = 32 };

// A name that nothing has. False: errno.
bool temporary_name(char name[TEMPORARY_NAME_MAX]);
bool is_temporary_name(const char *name);
// Remembers for watches, which hear of it later, whether what was put in its place replaced something.
void temporary_placed(const char *name, bool replaced);
// What was remembered; true of a name that is forgotten.
bool temporary_replaced(const char *name);

#endif
