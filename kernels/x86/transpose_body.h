/* Blocks of a vector by as many rows as it has elements. First, each lane of sixteen bytes is
 * transposed by itself, with those of as many columns as it has elements; then lanes change places.
 * Only whole vectors are read and written. Included once for each ISA, with turn_vector, turn_load,
 * turn_store, turn_exchange and the TURN_LOW and TURN_HIGH that interleave the halves of lanes. */
#include "kernels/registry.h"
#include "kernels/transpose.h"

enum { TURN_LANE = 16, TURN_LANES = sizeof(turn_vector) / TURN_LANE };

/* In a lane, rounds of interleaving the first half of the columns with the second, as many as the
 * number of columns has bits. Steps are in bytes. */
#define TURN_BLOCK(bits)                                                                           \
  TAREI_INLINE void turn_block_##bits(const char *x, size_t from_step, char *out,                  \
                                      size_t to_step) {                                            \
    enum { SIDE = 8 * TURN_LANE / (bits) };                                                        \
    turn_vector turned[SIDE][TURN_LANES];                                                          \
    _Pragma("GCC unroll 4") for (size_t group = 0; group < TURN_LANES; group++) {                  \
      turn_vector a[SIDE], b[SIDE];                                                                \
      _Pragma("GCC unroll 16") for (size_t j = 0; j < SIDE; j++) {                                 \
        a[j] = TAREI_K(turn_load)(x + (group * SIDE + j) * from_step);                             \
      }                                                                                            \
      _Pragma("GCC unroll 4") for (size_t round = 1; round < SIDE; round *= 2) {                   \
        _Pragma("GCC unroll 8") for (size_t j = 0; j < SIDE / 2; j++) {                            \
          b[2 * j] = TURN_LOW(bits)(a[j], a[j + SIDE / 2]);                                        \
          b[2 * j + 1] = TURN_HIGH(bits)(a[j], a[j + SIDE / 2]);                                   \
        }                                                                                          \
        _Pragma("GCC unroll 16") for (size_t j = 0; j < SIDE; j++) {                               \
          a[j] = b[j];                                                                             \
        }                                                                                          \
      }                                                                                            \
      _Pragma("GCC unroll 16") for (size_t i = 0; i < SIDE; i++) {                                 \
        turned[i][group] = a[i];                                                                   \
      }                                                                                            \
    }                                                                                              \
    _Pragma("GCC unroll 16") for (size_t i = 0; i < SIDE; i++) {                                   \
      TAREI_K(turn_exchange)(turned[i]);                                                           \
      _Pragma("GCC unroll 4") for (size_t lane = 0; lane < TURN_LANES; lane++) {                   \
        TAREI_K(turn_store)(out + (lane * SIDE + i) * to_step, turned[i][lane]);                   \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  static void TAREI_K(turn_blocks_##bits)(const char *x, size_t from_step, char *out,              \
                                          size_t to_step, size_t rows, size_t columns) {           \
    enum { BYTES = (bits) / 8, WIDTH = sizeof(turn_vector) / BYTES };                              \
    for (size_t i = 0; i < rows; i += WIDTH) {                                                     \
      for (size_t j = 0; j < columns; j += WIDTH) {                                                \
        turn_block_##bits(x + i * BYTES + j * from_step, from_step, out + i * to_step + j * BYTES, \
                          to_step);                                                                \
      }                                                                                            \
    }                                                                                              \
  }
TURN_BLOCK(8)
TURN_BLOCK(16)
TURN_BLOCK(32)
TURN_BLOCK(64)
#undef TURN_BLOCK

/* Whole blocks, then what is left of columns and rows. */
void TAREI_K(tarei_k_transpose_any_16)(size_t element, const void *from, size_t from_step, void *to,
                                       size_t to_step, size_t rows, size_t columns) {
  typedef void blocks_fn(const char *, size_t, char *, size_t, size_t, size_t);
  static blocks_fn *const blocks[] = {[1] = TAREI_K(turn_blocks_8),
                                      [2] = TAREI_K(turn_blocks_16),
                                      [4] = TAREI_K(turn_blocks_32),
                                      [8] = TAREI_K(turn_blocks_64)};
  tarei_transpose_fn *const rest = tarei_transpose_of(element);
  const size_t width = sizeof(turn_vector) / element;
  const size_t whole_rows = rows - rows % width, whole_columns = columns - columns % width;
  const char *x = from;
  char *out = to;
  blocks[element](x, from_step * element, out, to_step * element, whole_rows, whole_columns);
  if (whole_columns < columns) {
    rest(x + whole_columns * from_step * element, from_step, out + whole_columns * element, to_step,
         whole_rows, columns - whole_columns);
  }
  if (whole_rows < rows) {
    rest(x + whole_rows * element, from_step, out + whole_rows * to_step * element, to_step,
         rows - whole_rows, columns);
  }
}
