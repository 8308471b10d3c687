/* How many columns of a terminal texts in UTF-8 take. What is not UTF-8 takes one for each byte. */
#ifndef TAREI_TOOLS_TEXT_COLUMNS_H
#define TAREI_TOOLS_TEXT_COLUMNS_H

#include <stddef.h>

int columns_of(const char *text);

/* Bytes of the longest beginning that fits into some columns. */
size_t columns_begin(const char *text, int columns);

/* Where the longest end that fits begins. */
const char *columns_end(const char *text, int columns);

#endif
