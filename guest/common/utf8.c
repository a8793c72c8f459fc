#include "utf8.h"

// The length of the well-formed sequence at `at`, or 0.
static size_t sequence(const uint8_t *at, size_t left) {
    uint8_t first = at[0];
    if (first < 0x80) {
        return 1;
    }
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || left < length) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    // Overlong forms, surrogates, and what is beyond U+10FFFF.
    if ((first == 0xe0 && at[1] < 0xa0) || (first == 0xed && at[1] > 0x9f) || (first == 0xf0 && at[1] < 0x90)
        || (first == 0xf4 && at[1] > 0x8f)) {
        return 0;
    }
    return length;
}

bool utf8_valid(const void *text, size_t length) {
    const uint8_t *at = text;
    for (size_t done = 0; done < length;) {
        size_t step = sequence(at + done, length - done);
        if (step == 0) {
            return false;
        }
        done += step;
    }
    return true;
}

void utf8_add(struct bytes *bytes, const void *text, size_t length) {
    const uint8_t *at = text;
    size_t good = 0;
    for (size_t done = 0; done < length;) {
        size_t step = sequence(at + done, length - done);
        if (step == 0) {
            bytes_add(bytes, at + good, done - good);
            bytes_add(bytes, "\xef\xbf\xbd", 3);
            done++;
            good = done;
        } else {
            done += step;
        }
    }
    bytes_add(bytes, at + good, length - good);
}
