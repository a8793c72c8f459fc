// UTF-8 as the host checks it: names and texts of a guest may be anything, but a text field must be UTF-8.
#ifndef GLOVEBOX_UTF8_H
#define GLOVEBOX_UTF8_H

#include "bytes.h"

bool utf8_valid(const void *text, size_t length);
// Adds the text with U+FFFD in place of each byte that cannot stand where it stands.
void utf8_add(struct bytes *bytes, const void *text, size_t length);

#endif
