#ifndef GLOVEBOX_TABLES_H
#define GLOVEBOX_TABLES_H

#include <Python.h>

/* The constants of seldom used modules, which are not in the image but in python313.zip. */
struct table {
    const char *name;
    char *begin, *end;
};
extern const struct table gb_tables[2];

/* The module _glovebox: restore(name, bytes) puts the constants of a table back. */
PyMODINIT_FUNC gb_init_module(void);

#endif
