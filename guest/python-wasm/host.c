/*
 * host.c: the C side of Glovebox's Python image for the wasm tier.
 *
 * A WebAssembly reactor around CPython 3.13.  wizer calls wizer_init() once, at build time; what it
 * leaves in memory is the image.  At run time a host makes an instance of that image per sandbox and
 * talks to it through four exports (README.md is the contract):
 *
 *     gb_alloc, gb_call               a request goes in, a status comes out
 *     gb_interrupt_cells, _bit        where a host writes to raise KeyboardInterrupt
 *
 * A fifth, gb_init, makes an image at run time: one with a hash seed that nobody has seen before.
 *
 * Everything that can be written in Python is in kernel.py.
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#include "pycore_ceval.h"   /* _PY_SIGNALS_PENDING_BIT */
#include "pycore_interp.h"
#include "pycore_pystate.h" /* _PyThreadState_GET */
#include "pycore_runtime.h" /* _PyRuntime.signals */

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "scrub.h"
#include "tables.h"

#define EXPORT(name) __attribute__((export_name(name)))

/* The exit status of a request that broke the kernel itself; a program cannot return it by accident,
 * because statuses of programs are 0 to 255. */
enum { STATUS_KERNEL_BROKEN = 256 };

/*
 * How deep C code may nest before RecursionError, and the parser before MemoryError ("too complex").
 * build.sh makes CPython read these two instead of its constants.  They must be low enough that the
 * engine's own stack never overflows first: V8 gives a thread 984 KiB unless told otherwise.
 */
int gb_c_recursion_limit = GB_C_RECURSION_LIMIT;
int gb_parser_max_depth = GB_PARSER_MAX_DEPTH;

static PyObject *kernel_call; /* kernel.call(bytes) -> int */

/* While an image is made: a failure here must stop the build with words, and traps at run time. */
static void give_up(const char *what) {
    if (PyErr_Occurred()) {
        PyErr_Print();
    }
    fprintf(stderr, "host.c: %s failed\n", what);
    abort();
}

static void check(PyStatus status, const char *what) {
    if (PyStatus_Exception(status)) {
        fprintf(stderr, "%s: %s\n", status.func ? status.func : "python", status.err_msg ? status.err_msg : "?");
        give_up(what);
    }
}

static void add_path(PyConfig *config, const wchar_t *path) {
    check(PyWideStringList_Append(&config->module_search_paths, path), "module search path");
}

/* Brings the interpreter to the point where every sandbox starts. */
static void start(int seed_is_fixed) {
    PyPreConfig pre;
    PyPreConfig_InitIsolatedConfig(&pre);
    pre.utf8_mode = 1;
    check(Py_PreInitialize(&pre), "Py_PreInitialize");

    if (PyImport_AppendInittab("_glovebox", gb_init_module) != 0) {
        give_up("PyImport_AppendInittab");
    }

    PyConfig config;
    PyConfig_InitIsolatedConfig(&config);
    config.install_signal_handlers = 1; /* SIGINT raises KeyboardInterrupt */
    config.site_import = 0;             /* kernel.py does the few useful things of site.py */
    config.write_bytecode = 0;
    config.buffered_stdio = 1;
    config.use_hash_seed = seed_is_fixed; /* if not, Python asks random_get for all bits of its secret */
    config.hash_seed = seed_is_fixed ? GB_HASH_SEED : 0;
    config.module_search_paths_set = 1;
    add_path(&config, L"/lib/python313.zip");
    check(PyConfig_SetString(&config, &config.program_name, L"/usr/bin/python3"), "program_name");
    check(PyConfig_SetString(&config, &config.executable, L"/usr/bin/python3"), "executable");
    check(PyConfig_SetString(&config, &config.base_executable, L"/usr/bin/python3"), "base_executable");
    check(PyConfig_SetString(&config, &config.prefix, L"/usr"), "prefix");
    check(PyConfig_SetString(&config, &config.base_prefix, L"/usr"), "base_prefix");
    check(PyConfig_SetString(&config, &config.exec_prefix, L"/usr"), "exec_prefix");
    check(PyConfig_SetString(&config, &config.base_exec_prefix, L"/usr"), "base_exec_prefix");
    check(PyConfig_SetString(&config, &config.stdlib_dir, L"/lib/python313.zip"), "stdlib_dir");
    check(Py_InitializeFromConfig(&config), "Py_InitializeFromConfig");
    PyConfig_Clear(&config);

    PyObject *kernel = PyImport_ImportModule("_glovebox_kernel");
    if (kernel == NULL) {
        give_up("import of the kernel");
    }
    kernel_call = PyObject_GetAttrString(kernel, "call");
    PyObject *done = PyObject_CallMethod(kernel, "prepare", NULL);
    if (kernel_call == NULL || done == NULL) {
        give_up("kernel.prepare()");
    }
    Py_DECREF(done);
    Py_DECREF(kernel);
    scrub();
}

/* At build time: the result must be reproducible, so the seed is the build's (README.md, "Hash seed"). */
EXPORT("wizer_init") void wizer_init(void) {
    start(1);
}

extern void __wasm_call_ctors(void); /* the linker's; _initialize, which calls it, does not outlive wizer */

/* At run time, in an instance whose memory is that of python-start.wasm: leaves a new image in it. */
EXPORT("gb_init") void gb_init(void) {
    __wasm_call_ctors();
    start(0);
}

EXPORT("gb_alloc") void *gb_alloc(int32_t length) {
    return length < 0 ? NULL : malloc((size_t)length + 1);
}

EXPORT("gb_call") int32_t gb_call(char *request, int32_t length) {
    PyObject *bytes = PyBytes_FromStringAndSize(request, length);
    free(request);
    PyObject *result = bytes == NULL ? NULL : PyObject_CallOneArg(kernel_call, bytes);
    Py_XDECREF(bytes);
    if (result == NULL) {
        /* kernel.call() catches everything; what gets here had no memory left, or an interrupt hit
         * the kernel's last instruction. */
        PyErr_Clear();
        return STATUS_KERNEL_BROKEN;
    }
    long status = PyLong_AsLong(result);
    Py_DECREF(result);
    if (status == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return STATUS_KERNEL_BROKEN;
    }
    return (int32_t)status;
}

/* Three addresses of 32-bit cells.  A host raises KeyboardInterrupt in running code by writing 1 to the
 * second, 1 to the third, and OR-ing gb_interrupt_bit() into the first, in this order. */
EXPORT("gb_interrupt_cells") uint32_t *gb_interrupt_cells(void) {
    static uint32_t cells[3];
    _Static_assert(sizeof(uintptr_t) == 4 && sizeof(int) == 4, "the cells are 32 bits wide");
    cells[0] = (uint32_t)(uintptr_t)&_PyThreadState_GET()->eval_breaker;
    cells[1] = (uint32_t)(uintptr_t)&_PyRuntime.signals.handlers[SIGINT].tripped;
    cells[2] = (uint32_t)(uintptr_t)&_PyRuntime.signals.is_tripped;
    return cells;
}

EXPORT("gb_interrupt_bit") int32_t gb_interrupt_bit(void) {
    return _PY_SIGNALS_PENDING_BIT;
}
