/* The small readers that the syntaxes of profiles and of names share. */
#ifndef TAREI_SHAPES_TEXT_PROFILE_TEXT_H
#define TAREI_SHAPES_TEXT_PROFILE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Parses a decimal number without sign that takes up the whole text from `at` to `end`. */
bool tarei_parse_count(const char *at, const char *end, int64_t *value);

/* The first `separator` after `at` that is not in single quotes, or the end. NULL if a quote is not
 * closed. */
const char *tarei_find_unquoted(const char *at, char separator);

/* Removes white space from both ends of a text. */
void tarei_trim(const char **at, const char **end);

/* A copy of the text without its single quotes ('' inside means one quote); NULL if memory runs
 * out. */
char *tarei_unquote(const char *at, const char *end);

#endif
