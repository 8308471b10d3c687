/* Numbers for nodes that draw them: each element has its own, whoever computes it
 * (docs/numerics.md). */
#ifndef TAREI_KERNELS_FAMILIES_NOISE_H
#define TAREI_KERNELS_FAMILIES_NOISE_H

#include <stddef.h>
#include <stdint.h>

typedef enum tarei_noise_kind {
  TAREI_NOISE_WORDS,   /* uint32_t: all 32 bits */
  TAREI_NOISE_UNIFORM, /* float: base + factor * u, u a multiple of 2^-24 in [0, 1) */
  TAREI_NOISE_NORMAL,  /* float: base + factor * z, z with the quantiles of a normal distribution */
  TAREI_NOISE_COUNT
} tarei_noise_kind;

typedef struct tarei_noise {
  tarei_noise_kind kind;
  uint64_t key;
  size_t columns; /* of a row of the tensor, >= 1 */
  float base, factor;
} tarei_noise;

/* A row has so many blocks of four elements, the last one perhaps of fewer. */
static inline size_t tarei_noise_blocks(size_t columns) {
  return columns / 4 + (columns % 4 != 0);
}

/* Writes the elements of blocks [first, end), counted over all rows, to their places in the tensor
 * that begins at `out`. */
typedef void tarei_noise_fn(const tarei_noise *noise, size_t first, size_t end, void *out);

#endif
