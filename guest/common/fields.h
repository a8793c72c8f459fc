// Lists of fields: tag u16, length u32, bytes. A list must have passed fields_check before anything else looks at it.
#ifndef GLOVEBOX_FIELDS_H
#define GLOVEBOX_FIELDS_H

#include "bytes.h"
#include "protocol.h"

struct fields {
    const uint8_t *data;
    size_t length;
};

struct field {
    uint16_t tag;
    const uint8_t *data;
    size_t length;
};

enum found { FIELD_ABSENT, FIELD_FOUND, FIELD_BROKEN };

// Whether every length fits, and there are not too many.
bool fields_check(const uint8_t *data, size_t length);
// The next field from `*offset` on, which moves behind it; start with 0.
bool fields_next(const struct fields *fields, size_t *offset, struct field *field);
bool fields_find(const struct fields *fields, uint16_t tag, struct field *field);
bool fields_has(const struct fields *fields, uint16_t tag);
// A number below 2^63; `*value` changes only if it is found.
enum found fields_number(const struct fields *fields, uint16_t tag, uint64_t *value);
// A flag; absent and broken are false.
bool fields_flag(const struct fields *fields, uint16_t tag);
// A text that is UTF-8 and holds no NUL, at most `size - 1` bytes long, as a C string.
enum found fields_text(const struct fields *fields, uint16_t tag, char *text, size_t size);
// All fields of this tag, one behind the other.
void fields_join(const struct fields *fields, uint16_t tag, struct bytes *joined);

void put_bytes(struct bytes *to, uint16_t tag, const void *data, size_t length);
void put_number(struct bytes *to, uint16_t tag, uint64_t value);
void put_string(struct bytes *to, uint16_t tag, const char *text);
// A text of a guest: what is not UTF-8 in it is replaced.
void put_foreign(struct bytes *to, uint16_t tag, const void *text, size_t length);

#endif
