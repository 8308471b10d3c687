/* Blocks of sixteen bytes by as many rows go through registers where the compiler has vectors:
 * every CPU that is supported can interleave sixteen bytes. */
#include "kernels/transpose.h"

#include "kernels/registry.h"

#include <stdint.h>
#include <string.h>

#define TRANSPOSE(name, type)                                                       \
  static void name(const void *const from, const size_t from_step, void *const to,  \
                   const size_t to_step, const size_t rows, const size_t columns) { \
    const type *const x = from;                                                     \
    type *const out = to;                                                           \
    for (size_t i = 0; i < rows; i++) {                                             \
      for (size_t j = 0; j < columns; j++) {                                        \
        out[i * to_step + j] = x[i + j * from_step];                                \
      }                                                                             \
    }                                                                               \
  }
TRANSPOSE(plain_1, uint8_t)
TRANSPOSE(plain_2, uint16_t)
TRANSPOSE(plain_4, uint32_t)
TRANSPOSE(plain_8, uint64_t)

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAVE_SHUFFLES
#endif
#endif

#ifdef HAVE_SHUFFLES

typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint16_t shorts __attribute__((vector_size(16)));
typedef uint32_t quad __attribute__((vector_size(16)));
typedef uint64_t pair __attribute__((vector_size(16)));

#define LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)

static void block_4(const uint32_t *const x, const size_t from_step, uint32_t *const out,
                    const size_t to_step) {
  quad in[4];
  for (size_t j = 0; j < 4; j++) {
    memcpy(&in[j], x + j * from_step, sizeof in[j]);
  }
  const quad a = LOW(in[0], in[2]), b = LOW(in[1], in[3]);
  const quad c = HIGH(in[0], in[2]), d = HIGH(in[1], in[3]);
  const quad turned[4] = {LOW(a, b), HIGH(a, b), LOW(c, d), HIGH(c, d)};
  for (size_t i = 0; i < 4; i++) {
    memcpy(out + i * to_step, &turned[i], sizeof turned[i]);
  }
}

static void block_8(const uint64_t *const x, const size_t from_step, uint64_t *const out,
                    const size_t to_step) {
  pair a, b;
  memcpy(&a, x, sizeof a);
  memcpy(&b, x + from_step, sizeof b);
  const pair low = __builtin_shufflevector(a, b, 0, 2);
  const pair high = __builtin_shufflevector(a, b, 1, 3);
  memcpy(out, &low, sizeof low);
  memcpy(out + to_step, &high, sizeof high);
}

/* Rounds of interleaving the first half of the rows with the second: as many as the number of rows
 * has bits, and the block is transposed. */
#define INTERLEAVED(name, type, vector, side, low, high)                         \
  static void name(const type *const x, const size_t from_step, type *const out, \
                   const size_t to_step) {                                       \
    vector a[side], b[side];                                                     \
    for (size_t j = 0; j < side; j++) {                                          \
      memcpy(&a[j], x + j * from_step, sizeof a[j]);                             \
    }                                                                            \
    for (size_t round = 1; round < side; round *= 2) {                           \
      for (size_t j = 0; j < side / 2; j++) {                                    \
        b[2 * j] = low(a[j], a[j + side / 2]);                                   \
        b[2 * j + 1] = high(a[j], a[j + side / 2]);                              \
      }                                                                          \
      memcpy(a, b, sizeof a);                                                    \
    }                                                                            \
    for (size_t i = 0; i < side; i++) {                                          \
      memcpy(out + i * to_step, &a[i], sizeof a[i]);                             \
    }                                                                            \
  }
#define LOW_2(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_1(a, b) \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_1(a, b) \
  __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
INTERLEAVED(block_2, uint16_t, shorts, 8, LOW_2, HIGH_2)
INTERLEAVED(block_1, uint8_t, bytes, 16, LOW_1, HIGH_1)

/* The same of eight bytes, for what is less than a block. */
typedef uint8_t half_bytes __attribute__((vector_size(8)));
typedef uint16_t half_shorts __attribute__((vector_size(8)));
#define LOW_HALF(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_HALF(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
INTERLEAVED(half_1, uint8_t, half_bytes, 8, LOW_HALF, HIGH_HALF)
INTERLEAVED(half_2, uint16_t, half_shorts, 4, LOW, HIGH)

/* Whole blocks, then `plain` for what is left of rows and columns. */
#define BLOCKS(name, type, side, block, plain)                                                \
  static void name(const void *const from, const size_t from_step, void *const to,            \
                   const size_t to_step, const size_t rows, const size_t columns) {           \
    const type *const x = from;                                                               \
    type *const out = to;                                                                     \
    const size_t whole_rows = rows - rows % side, whole_columns = columns - columns % side;   \
    for (size_t i = 0; i < whole_rows; i += side) {                                           \
      for (size_t j = 0; j < whole_columns; j += side) {                                      \
        block(x + i + j * from_step, from_step, out + i * to_step + j, to_step);              \
      }                                                                                       \
    }                                                                                         \
    plain(x + whole_rows, from_step, out + whole_rows * to_step, to_step, rows - whole_rows,  \
          columns);                                                                           \
    plain(x + whole_columns * from_step, from_step, out + whole_columns, to_step, whole_rows, \
          columns - whole_columns);                                                           \
  }
BLOCKS(halves_1, uint8_t, 8, half_1, plain_1)
BLOCKS(halves_2, uint16_t, 4, half_2, plain_2)
BLOCKS(blocks_1, uint8_t, 16, block_1, halves_1)
BLOCKS(blocks_2, uint16_t, 8, block_2, halves_2)
BLOCKS(blocks_4, uint32_t, 4, block_4, plain_4)
BLOCKS(blocks_8, uint64_t, 2, block_8, plain_8)

#else
#define blocks_1 plain_1
#define blocks_2 plain_2
#define blocks_4 plain_4
#define blocks_8 plain_8
#endif

tarei_transpose_fn *tarei_transpose_of(const size_t element) {
  return element == 1 ? blocks_1 : element == 2 ? blocks_2 : element == 4 ? blocks_4 : blocks_8;
}

void tarei_k_transpose_any_16__scalar(const tarei_turn *const t) {
  tarei_transpose_fn *const turn = tarei_transpose_of(t->element);
  const char *from = t->from;
  char *to = t->to;
  for (size_t i = 0; i < t->count; i++) {
    turn(from, t->from_step, to, t->to_step, t->rows, t->columns);
    from += t->from_next * t->element;
    to += t->to_next * t->element;
  }
}
