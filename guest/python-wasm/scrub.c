/*
 * scrub.c: writes zeros over everything in memory that nobody will read again, at build time, just
 * before wizer looks at it.
 *
 * wizer keeps what is not zero, and every sandbox pays for every byte kept: about half a millisecond
 * per megabyte.  Freed memory is full of the past (source text, syntax trees, unmarshalled bytes), so
 * this takes a third off the image.  It knows the insides of the two allocators and of little else:
 *
 *     pymalloc    (CPython, Include/internal/pycore_obmalloc.h)   free blocks and pools of its arenas
 *     dlmalloc    (wasi-libc)                                     free chunks of the heap
 *     the stack below the caller, the frozen modules, which are all loaded by now, and tables.c's tables
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#include "pycore_import.h"   /* _PyImport_FrozenBootstrap, _PyImport_FrozenStdlib */
#include "pycore_interp.h"
#include "pycore_obmalloc.h"
#include "pycore_pystate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scrub.h"
#include "tables.h"

/* obmalloc.c: the size class of a pool that must be initialised before its next use. */
#define DUMMY_SIZE_IDX 0xffff
#define BLOCK_SIZE(index) (((size_t)(index) + 1) << ALIGNMENT_SHIFT)

static size_t wiped;

static void wipe(void *from, void *to) {
    if ((uintptr_t)to > (uintptr_t)from) {
        memset(from, 0, (size_t)((char *)to - (char *)from));
        wiped += (size_t)((char *)to - (char *)from);
    }
}

static void scrub_pool(struct pool_header *pool) {
    char *start = (char *)pool + POOL_OVERHEAD;
    if (pool->ref.count == 0) {
        pool->szidx = DUMMY_SIZE_IDX;
        pool->freeblock = NULL;
        wipe(start, (char *)pool + POOL_SIZE);
        return;
    }
    size_t size = BLOCK_SIZE(pool->szidx);
    for (char *block = (char *)pool->freeblock; block != NULL; block = *(char **)block) {
        wipe(block + sizeof(char *), block + size); /* the first word links to the next free block */
    }
    wipe((char *)pool + pool->nextoffset, (char *)pool + POOL_SIZE); /* blocks that never were used */
}

static void scrub_pymalloc(void) {
    struct _obmalloc_mgmt *mgmt = &_PyInterpreterState_GET()->obmalloc->mgmt;
    for (uint i = 0; i < mgmt->maxarenas; i++) {
        struct arena_object *arena = &mgmt->arenas[i];
        if (arena->address == 0) {
            continue;
        }
        uintptr_t pool = (arena->address + POOL_SIZE_MASK) & ~(uintptr_t)POOL_SIZE_MASK;
        for (; pool < (uintptr_t)arena->pool_address; pool += POOL_SIZE) {
            scrub_pool((struct pool_header *)pool);
        }
        wipe(arena->pool_address, (char *)arena->address + ARENA_SIZE);
    }
}

/* A chunk of dlmalloc, as its malloc.c describes it. prev_foot belongs to the chunk before. */
struct chunk {
    uint32_t prev_foot;
    uint32_t head; /* size, and two flags */
    struct chunk *links[6];
};
enum { CHUNK_IN_USE = 2, CHUNK_FLAGS = 7, CHUNK_ALIGNMENT = 16 };

extern char __heap_base;

static void scrub_dlmalloc(void) {
    uintptr_t base = (uintptr_t)&__heap_base;
    struct chunk *chunk = (struct chunk *)(base + (-(base + 8) & (CHUNK_ALIGNMENT - 1)));
    uintptr_t end = (uintptr_t)__builtin_wasm_memory_size(0) << 16;
    for (;;) {
        uint32_t size = chunk->head & ~(uint32_t)CHUNK_FLAGS;
        struct chunk *next = (struct chunk *)((char *)chunk + size);
        if (size == 0 || (uintptr_t)next >= end) {
            return;
        }
        if (!(chunk->head & CHUNK_IN_USE)) {
            wipe((char *)chunk + sizeof(struct chunk), next);
        }
        chunk = next;
    }
}

static void scrub_frozen(const struct _frozen *table) {
    for (; table->name != NULL; table++) {
        /* Constant for C; for WebAssembly it is memory like any other. */
        wipe((void *)(uintptr_t)table->code, (char *)(uintptr_t)table->code + table->size);
    }
}

static void scrub_stack(void) {
    /* With --stack-first the stack is everything from address 0 up to here. */
    char *here = __builtin_frame_address(0);
    wipe((char *)1024, here - 512);
}

size_t scrub(void) {
    PyThreadState *tstate = _PyThreadState_GET();
    if (tstate->datastack_chunk != NULL) {
        wipe(tstate->datastack_top, tstate->datastack_limit);
    }
    scrub_frozen(_PyImport_FrozenBootstrap);
    scrub_frozen(_PyImport_FrozenStdlib);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(gb_tables); i++) {
        wipe(gb_tables[i].begin, gb_tables[i].end);
    }
    scrub_pymalloc();
    scrub_dlmalloc();
    scrub_stack();
    return wiped;
}
