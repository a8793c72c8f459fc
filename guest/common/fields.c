#include "fields.h"

#include <string.h>

#include "utf8.h"

enum { FIELD_HEADER_BYTES = 6 };

bool fields_check(const uint8_t *data, size_t length) {
    size_t offset = 0;
    for (int count = 0; offset < length; count++) {
        if (count == FIELDS_MAX || length - offset < FIELD_HEADER_BYTES) {
            return false;
        }
        size_t size = load_u32(data + offset + 2);
        offset += FIELD_HEADER_BYTES;
        if (size > length - offset) {
            return false;
        }
        offset += size;
    }
    return true;
}

bool fields_next(const struct fields *fields, size_t *offset, struct field *field) {
    if (*offset >= fields->length) {
        return false;
    }
    const uint8_t *at = fields->data + *offset;
    *field = (struct field){load_u16(at), at + FIELD_HEADER_BYTES, load_u32(at + 2)};
    *offset += FIELD_HEADER_BYTES + field->length;
    return true;
}

bool fields_find(const struct fields *fields, uint16_t tag, struct field *field) {
    size_t offset = 0;
    while (fields_next(fields, &offset, field)) {
        if (field->tag == tag) {
            return true;
        }
    }
    return false;
}

bool fields_has(const struct fields *fields, uint16_t tag) {
    struct field field;
    return fields_find(fields, tag, &field);
}

enum found fields_number(const struct fields *fields, uint16_t tag, uint64_t *value) {
    struct field field;
    if (!fields_find(fields, tag, &field)) {
        return FIELD_ABSENT;
    }
    if (field.length != 8 || (field.data[0] & 0x80) != 0) {
        return FIELD_BROKEN;
    }
    *value = load_u64(field.data);
    return FIELD_FOUND;
}

bool fields_flag(const struct fields *fields, uint16_t tag) {
    uint64_t value = 0;
    return fields_number(fields, tag, &value) == FIELD_FOUND && value != 0;
}

enum found fields_text(const struct fields *fields, uint16_t tag, char *text, size_t size) {
    struct field field;
    if (!fields_find(fields, tag, &field)) {
        return FIELD_ABSENT;
    }
    if (field.length >= size || !utf8_valid(field.data, field.length)
        || memchr(field.data, 0, field.length) != NULL) {
        return FIELD_BROKEN;
    }
    memcpy(text, field.data, field.length);
    text[field.length] = '\0';
    return FIELD_FOUND;
}

void fields_join(const struct fields *fields, uint16_t tag, struct bytes *joined) {
    size_t offset = 0;
    struct field field;
    while (fields_next(fields, &offset, &field)) {
        if (field.tag == tag) {
            bytes_add(joined, field.data, field.length);
        }
    }
}

static void put_header(struct bytes *to, uint16_t tag, size_t length) {
    bytes_add_u16(to, tag);
    bytes_add_u32(to, (uint32_t)length);
}

void put_bytes(struct bytes *to, uint16_t tag, const void *data, size_t length) {
    put_header(to, tag, length);
    bytes_add(to, data, length);
}

void put_number(struct bytes *to, uint16_t tag, uint64_t value) {
    put_header(to, tag, 8);
    bytes_add_u64(to, value & INT64_MAX);
}

void put_string(struct bytes *to, uint16_t tag, const char *text) {
    put_bytes(to, tag, text, strlen(text));
}

void put_foreign(struct bytes *to, uint16_t tag, const void *text, size_t length) {
    size_t start = to->length;
    put_header(to, tag, 0);
    utf8_add(to, text, length);
    if (!to->failed) {
        store_u32(to->data + start + 2, (uint32_t)(to->length - start - FIELD_HEADER_BYTES));
    }
}
