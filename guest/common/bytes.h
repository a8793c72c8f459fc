// A buffer that grows. An allocation that fails is remembered in `failed` and makes all later additions do nothing,
// so that who builds something asks once, at the end.
#ifndef GLOVEBOX_BYTES_H
#define GLOVEBOX_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data;
    size_t length;
    size_t capacity;
    bool failed;
};

// Makes room for `more` bytes behind the content; false if there is no memory.
bool bytes_reserve(struct bytes *bytes, size_t more);
void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_add_u8(struct bytes *bytes, uint8_t value);
void bytes_add_u16(struct bytes *bytes, uint16_t value);
void bytes_add_u32(struct bytes *bytes, uint32_t value);
void bytes_add_u64(struct bytes *bytes, uint64_t value);
// Forgets the first `length` bytes.
void bytes_drop(struct bytes *bytes, size_t length);
// Forgets the content and keeps the memory.
void bytes_clear(struct bytes *bytes);
void bytes_free(struct bytes *bytes);

void store_u32(uint8_t *at, uint32_t value);
uint16_t load_u16(const uint8_t *at);
uint32_t load_u32(const uint8_t *at);
uint64_t load_u64(const uint8_t *at);

#endif
