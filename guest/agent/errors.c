#include "errors.h"

enum { ERROR_BYTES_MAX = 256 * 1024 };

// The end of a text, which in a traceback says most.
static void put_end(struct bytes *record, uint16_t tag, const struct fields *from) {
    struct field field;
    if (!fields_find(from, tag, &field)) {
        put_string(record, tag, "");
        return;
    }
    size_t cut = field.length > ERROR_BYTES_MAX ? field.length - ERROR_BYTES_MAX : 0;
    while (cut < field.length && cut > 0 && (field.data[cut] & 0xc0) == 0x80) {
        cut++;
    }
    put_foreign(record, tag, field.data + cut, field.length - cut);
}

void error_put(struct bytes *record, const struct fields *from) {
    put_end(record, TAG_ERROR_NAME, from);
    put_end(record, TAG_ERROR_VALUE, from);
    put_end(record, TAG_ERROR_TRACEBACK, from);
}
