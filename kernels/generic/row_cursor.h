/* Walks along up to fifteen rows with one pointer to each third row, which is what the registers of
 * x86 hold without spilling. */
#ifndef TAREI_KERNELS_GENERIC_ROW_CURSOR_H
#define TAREI_KERNELS_GENERIC_ROW_CURSOR_H

#include "kernels/registry.h"

typedef struct row_cursor {
  const char *third[5];
  size_t stride; /* bytes */
} row_cursor;

TAREI_INLINE row_cursor row_cursor_at(const void *first, size_t stride) {
  const char *const p = first;
  return (row_cursor){{p, p + 3 * stride, p + 6 * stride, p + 9 * stride, p + 12 * stride}, stride};
}

TAREI_LANE const void *row_cursor_row(const row_cursor *c, size_t i) {
  return c->third[i / 3] + i % 3 * c->stride;
}

/* The steps to come read so many bytes of each row. */
TAREI_INLINE void row_cursor_check(const row_cursor *c, size_t rows, size_t bytes) {
  for (size_t i = 0; i < rows; i++) {
    tarei_steps_read(row_cursor_row(c, i), bytes);
  }
}

/* `rows` is a constant; the empty statement keeps the compiler from making one pointer a row. */
TAREI_LANE void row_cursor_advance_by(row_cursor *c, size_t rows, size_t bytes) {
#pragma GCC unroll 5
  for (size_t i = 0; i < (rows + 2) / 3; i++) {
    c->third[i] += bytes;
    __asm__("" : "+r"(c->third[i]));
  }
}

TAREI_LANE void row_cursor_advance(row_cursor *c, size_t rows) {
  row_cursor_advance_by(c, rows, 4);
}

#endif
