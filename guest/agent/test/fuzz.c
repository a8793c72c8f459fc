// Mutates frames, fields and texts and hands them to the decoders, under sanitizers: `fuzz SECONDS [SEED]`. What is
// decoded is encoded again and must be the same; whatever else is wrong, the sanitizers find.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fields.h"
#include "frames.h"
#include "utf8.h"

enum { INPUT_MAX = 70000, SEEDS = 64, MUTATIONS = 12 };

struct input {
    uint8_t data[INPUT_MAX];
    size_t length;
};

static struct input corpus[SEEDS];
static uint64_t state;

static uint32_t random_below(uint32_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % bound);
}

static void __attribute__((noreturn)) fail(const char *what) {
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static void check_text(const uint8_t *data, size_t length) {
    struct bytes made = {0};
    utf8_add(&made, data, length);
    if (!utf8_valid(made.data, made.length)) {
        fail("what was made UTF-8 is none");
    }
    if (utf8_valid(data, length) && (made.length != length || (length > 0 && memcmp(made.data, data, length) != 0))) {
        fail("good UTF-8 was changed");
    }
    bytes_free(&made);
}

static void check_fields(const uint8_t *data, size_t length) {
    // A copy of exactly this size: one byte too far and the sanitizer knows.
    uint8_t *copy = malloc(length + (length == 0));
    struct bytes again = {0};
    struct bytes joined = {0};
    struct field field;
    size_t offset = 0;
    if (copy == NULL) {
        return;
    }
    memcpy(copy, data, length);
    if (fields_check(copy, length)) {
        struct fields fields = {copy, length};
        char text[64];
        uint64_t number = 0;
        while (fields_next(&fields, &offset, &field)) {
            put_bytes(&again, field.tag, field.data, field.length);
            check_text(field.data, field.length);
            fields_number(&fields, field.tag, &number);
            if (number > INT64_MAX) {
                fail("a number is out of range");
            }
            if (fields_text(&fields, field.tag, text, sizeof text) == FIELD_FOUND && strlen(text) >= sizeof text) {
                fail("a text is too long");
            }
        }
        fields_join(&fields, TAG_CODE, &joined);
        if (again.length != length || (length > 0 && memcmp(again.data, copy, length) != 0)) {
            fail("fields changed on their way");
        }
    }
    bytes_free(&again);
    bytes_free(&joined);
    free(copy);
}

static void check_frames(const uint8_t *data, size_t length) {
    uint8_t *copy = malloc(length + (length == 0));
    size_t done = 0;
    if (copy == NULL) {
        return;
    }
    memcpy(copy, data, length);
    for (;;) {
        struct frame frame;
        const char *why = NULL;
        enum parsed parsed = frame_parse(copy + done, length - done, &frame, &why);
        if (parsed == FRAME_BROKEN && why == NULL) {
            fail("a broken frame without a reason");
        }
        if (parsed != FRAME_COMPLETE) {
            break;
        }
        uint8_t header[HEADER_BYTES];
        frame_header(header, frame.type, frame.stream, frame.channel, frame.length);
        if (memcmp(header, copy + done, HEADER_BYTES) != 0) {
            fail("a header changed on its way");
        }
        check_fields(frame.payload, frame.length);
        done += HEADER_BYTES + frame.length;
    }
    free(copy);
}

static void make_seed(struct input *input) {
    struct bytes fields = {0};
    for (uint32_t i = random_below(6); i > 0; i--) {
        switch (random_below(3)) {
        case 0:
            put_number(&fields, (uint16_t)random_below(120), random_below(1000));
            break;
        case 1:
            put_string(&fields, (uint16_t)random_below(120), "text \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
            break;
        default:
            put_foreign(&fields, TAG_CODE, "\xff\xc0\x80 x", 5);
        }
    }
    frame_header(input->data, (enum frame_type)(1 + random_below(12)), (uint16_t)random_below(20), random_below(2000),
                 (uint32_t)fields.length);
    if (fields.length > 0) {
        memcpy(input->data + HEADER_BYTES, fields.data, fields.length);
    }
    input->length = HEADER_BYTES + fields.length;
    bytes_free(&fields);
}

static void mutate(struct input *input) {
    static const uint8_t special[] = {0, 1, 0x7f, 0x80, 0xff, 0xc0, 0xed, 0xf4};
    uint32_t at = random_below((uint32_t)input->length + 1);
    switch (random_below(6)) {
    case 0:
        if (at < input->length) {
            input->data[at] ^= (uint8_t)(1U << random_below(8));
        }
        break;
    case 1:
        if (at < input->length) {
            input->data[at] = special[random_below(sizeof special)];
        }
        break;
    case 2:
        input->length = at;
        break;
    case 3:
        if (at + 4 <= input->length) {
            store_u32(input->data + at, random_below(2) == 0 ? UINT32_MAX - random_below(16) : random_below(80000));
        }
        break;
    case 4: {
        const struct input *other = &corpus[random_below(SEEDS)];
        size_t length = other->length < INPUT_MAX - at ? other->length : INPUT_MAX - at;
        memcpy(input->data + at, other->data, length);
        input->length = at + length;
        break;
    }
    default:
        if (input->length + 1 < INPUT_MAX) {
            memmove(input->data + at + 1, input->data + at, input->length - at);
            input->data[at] = (uint8_t)random_below(256);
            input->length++;
        }
    }
}

int main(int argc, char **argv) {
    int seconds = argc > 1 ? atoi(argv[1]) : 20;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL) * 2654435761U + 1;
    printf("seed %llu\n", (unsigned long long)state);
    for (int i = 0; i < SEEDS; i++) {
        make_seed(&corpus[i]);
    }
    static struct input input;
    unsigned long long rounds = 0;
    for (time_t end = time(NULL) + seconds; time(NULL) < end; rounds++) {
        const struct input *seed = &corpus[random_below(SEEDS)];
        memcpy(input.data, seed->data, seed->length);
        input.length = seed->length;
        for (uint32_t i = random_below(MUTATIONS); i > 0; i--) {
            mutate(&input);
        }
        check_frames(input.data, input.length);
        check_fields(input.data, input.length);
        check_text(input.data, input.length);
        if (random_below(1000) == 0 && input.length < 4096) {
            struct input *slot = &corpus[random_below(SEEDS)];
            memcpy(slot->data, input.data, input.length);
            slot->length = input.length;
        }
    }
    printf("%llu inputs\n", rounds);
    return 0;
}
