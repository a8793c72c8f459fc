#include "bytes.h"

#include <stdlib.h>
#include <string.h>

bool bytes_reserve(struct bytes *bytes, size_t more) {
    if (bytes->failed) {
        return false;
    }
    if (more <= bytes->capacity - bytes->length) {
        return true;
    }
    if (more > SIZE_MAX / 2 - bytes->length) {
        bytes->failed = true;
        return false;
    }
    size_t capacity = bytes->capacity < 64 ? 64 : bytes->capacity;
    while (capacity - bytes->length < more) {
        capacity *= 2;
    }
    uint8_t *data = realloc(bytes->data, capacity);
    if (data == NULL) {
        bytes->failed = true;
        return false;
    }
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

void bytes_add(struct bytes *bytes, const void *data, size_t length) {
    if (length > 0 && bytes_reserve(bytes, length)) {
        memcpy(bytes->data + bytes->length, data, length);
        bytes->length += length;
    }
}

void bytes_add_u8(struct bytes *bytes, uint8_t value) {
    bytes_add(bytes, &value, 1);
}

void bytes_add_u16(struct bytes *bytes, uint16_t value) {
    uint8_t encoded[2] = {(uint8_t)(value >> 8), (uint8_t)value};
    bytes_add(bytes, encoded, sizeof encoded);
}

void bytes_add_u32(struct bytes *bytes, uint32_t value) {
    uint8_t encoded[4];
    store_u32(encoded, value);
    bytes_add(bytes, encoded, sizeof encoded);
}

void bytes_add_u64(struct bytes *bytes, uint64_t value) {
    bytes_add_u32(bytes, (uint32_t)(value >> 32));
    bytes_add_u32(bytes, (uint32_t)value);
}

void bytes_drop(struct bytes *bytes, size_t length) {
    if (length >= bytes->length) {
        bytes->length = 0;
        return;
    }
    if (length > 0) {
        memmove(bytes->data, bytes->data + length, bytes->length - length);
        bytes->length -= length;
    }
}

void bytes_clear(struct bytes *bytes) {
    bytes->length = 0;
    bytes->failed = false;
}

void bytes_free(struct bytes *bytes) {
    free(bytes->data);
    *bytes = (struct bytes){0};
}

void store_u32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

uint16_t load_u16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

uint32_t load_u32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

uint64_t load_u64(const uint8_t *at) {
    return (uint64_t)load_u32(at) << 32 | load_u32(at + 4);
}
