/* Broadcasting in which one operand is a short row that all rows of the other meet: factors or
 * offsets of channels, channels last. A call for each row would take longer than its elements. */
#ifndef TAREI_ENGINE_LOWER_ELEMENTWISE_REPEATED_H
#define TAREI_ENGINE_LOWER_ELEMENTWISE_REPEATED_H

#include "engine/lower/elementwise/elementwise.h"

enum { TAREI_REPEATED_MOST = 256 /* elements of the short row */ };

typedef struct tarei_repeated {
  int operand;   /* 0 or 1, -1: neither */
  size_t period; /* elements of its row */
} tarei_repeated;

/* Joins the rows of *b that meet the same row of one of its two operands into one, along which that
 * operand has step 0. An element of the output at i belongs to element i % period of its row. */
tarei_repeated tarei_repeated_join(tarei_broadcast *b);

/* That row so often that `n` elements from any place in its first period on can be read, at most
 * TAREI_REPEATED_FLOATS of them. */
#define TAREI_REPEATED_BLOCK 1024
#define TAREI_REPEATED_FLOATS (TAREI_REPEATED_BLOCK + TAREI_REPEATED_MOST)
void tarei_repeated_fill(const float *row, size_t period, size_t n, float *out);

#endif
