// How a program or a piece of code failed, as a guest says it.
#ifndef GLOVEBOX_ERRORS_H
#define GLOVEBOX_ERRORS_H

#include "fields.h"

// Appends ERROR_NAME, ERROR_VALUE and ERROR_TRACEBACK from a guest's record, bounded and made UTF-8.
void error_put(struct bytes *record, const struct fields *from);

#endif
