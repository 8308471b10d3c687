/* Names that mean the same thing, but for how they are written. */
#ifndef TAREI_BASE_NEAREST_H
#define TAREI_BASE_NEAREST_H

#include <stdbool.h>

/* Whether two names differ in capitals, signs between words, a plural, a number that one of them
 * lacks, or in a letter or two: "input_ids" and "Input-ID", "h0" and "h_0". Names with different
 * numbers are different: "cache_1" and "cache_2". */
bool tarei_names_alike(const char *a, const char *b);

#endif
