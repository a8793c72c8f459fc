/*
 * tables.c: the constants of unicodedata and of the East Asian codecs, 1.3 MB, a fifth of the image,
 * which few programs need.  scrub.c wipes them from the image; they are kept in python313.zip, and
 * kernel.py puts them back, through this module, when one of those modules is about to be imported.
 */
#define Py_BUILD_CORE 1
#include <Python.h>

#include <string.h>

#include "tables.h"

/* Declared as plain variables of unknown size: the compiler must not see that this file writes to
 * what mark.c calls constants, or it leaves the writing out. */
extern char gb_mark_begin[], gb_mark_middle[], gb_mark_end[];

const struct table gb_tables[2] = {
    {"unicodedata", gb_mark_begin + 16, gb_mark_middle},
    {"cjkcodecs", gb_mark_middle + 16, gb_mark_end},
};

static PyObject *restore(PyObject *self, PyObject *args) {
    (void)self;
    const char *name, *data;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "sy#:restore", &name, &data, &size)) {
        return NULL;
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(gb_tables); i++) {
        const struct table *table = &gb_tables[i];
        if (strcmp(name, table->name) == 0 && size == table->end - table->begin) {
            memcpy(table->begin, data, (size_t)size);
            Py_RETURN_NONE;
        }
    }
    PyErr_Format(PyExc_ImportError, "python313.zip does not belong to this image: no table %s of %zd bytes", name, size);
    return NULL;
}

PyMODINIT_FUNC gb_init_module(void) {
    static PyMethodDef methods[] = {{"restore", restore, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
    static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_glovebox", NULL, -1, methods, NULL, NULL, NULL, NULL};
    return PyModule_Create(&module);
}
