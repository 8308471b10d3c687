/* Tiles of a matrix, transposed: of any element size, and fast for four and eight bytes. */
#ifndef TAREI_KERNELS_TRANSPOSE_H
#define TAREI_KERNELS_TRANSPOSE_H

#include <stddef.h>

/* out[i * to_step + j] = x[j * from_step + i] for i < rows, j < columns; steps in elements. The two
 * do not overlap. */
typedef void tarei_transpose_fn(const void *from, size_t from_step, void *to, size_t to_step,
                                size_t rows, size_t columns);

/* For elements of 1, 2, 4 or 8 bytes. */
tarei_transpose_fn *tarei_transpose_of(size_t element);

#endif
