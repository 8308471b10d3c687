/* Blocks of a vector by as many rows as it has elements. First, each lane of sixteen bytes is
 * transposed by itself, with those of as many columns as it has elements; then lanes change places.
 * Only whole vectors are read and written. Included once for each ISA, with turn_vector, turn_load,
 * turn_store, turn_exchange, the TURN_LOW and TURN_HIGH that interleave the halves of lanes, and
 * TURN_SHORTER, the kernel for what is less than a block. */
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

/* --- few rows whose elements lie side by side, few columns that do so in the result ----------- */
enum { TURN_FEW = 4 };

/* The compiler makes vectors of these loops where it knows how many there are. */
#define TURN_SOME(bits)                                                                          \
  TAREI_INLINE void turn_apart_##bits(const uint##bits##_t *restrict x, uint##bits##_t *out,     \
                                      size_t step, size_t n, const size_t few) {                 \
    uint##bits##_t *restrict a = out, *restrict b = out + step;                                  \
    uint##bits##_t *restrict c = few > 2 ? b + step : NULL, *restrict d =                        \
                                                                few > 3 ? c + step : NULL;       \
    for (size_t j = 0; j < n; j++) {                                                             \
      a[j] = x[j * few];                                                                         \
      b[j] = x[j * few + 1];                                                                     \
      if (few > 2) {                                                                             \
        c[j] = x[j * few + 2];                                                                   \
      }                                                                                          \
      if (few > 3) {                                                                             \
        d[j] = x[j * few + 3];                                                                   \
      }                                                                                          \
    }                                                                                            \
  }                                                                                              \
  TAREI_INLINE void turn_join_##bits(const uint##bits##_t *x, size_t step,                       \
                                     uint##bits##_t *restrict out, size_t n, const size_t few) { \
    for (size_t i = 0; i < n; i++) {                                                             \
      for (size_t j = 0; j < few; j++) {                                                         \
        out[i * few + j] = x[j * step + i];                                                      \
      }                                                                                          \
    }                                                                                            \
  }                                                                                              \
  TAREI_INLINE void turn_some_##bits(const tarei_turn *t, const size_t few, const bool apart) {  \
    const uint##bits##_t *x = t->from;                                                           \
    uint##bits##_t *out = t->to;                                                                 \
    for (size_t i = 0; i < t->count; i++, x += t->from_next, out += t->to_next) {                \
      if (apart) {                                                                               \
        turn_apart_##bits(x, out, t->to_step, t->columns, few);                                  \
      } else {                                                                                   \
        turn_join_##bits(x, t->from_step, out, t->rows, few);                                    \
      }                                                                                          \
    }                                                                                            \
  }                                                                                              \
  static void TAREI_K(turn_few_##bits)(const tarei_turn *given, size_t few, bool apart) {        \
    const tarei_turn t = *given;                                                                 \
    switch (few + (apart ? TURN_FEW : 0)) {                                                      \
      case 2:                                                                                    \
        turn_some_##bits(&t, 2, false);                                                          \
        break;                                                                                   \
      case 3:                                                                                    \
        turn_some_##bits(&t, 3, false);                                                          \
        break;                                                                                   \
      case 4:                                                                                    \
        turn_some_##bits(&t, 4, false);                                                          \
        break;                                                                                   \
      case TURN_FEW + 2:                                                                         \
        turn_some_##bits(&t, 2, true);                                                           \
        break;                                                                                   \
      case TURN_FEW + 3:                                                                         \
        turn_some_##bits(&t, 3, true);                                                           \
        break;                                                                                   \
      default:                                                                                   \
        turn_some_##bits(&t, 4, true);                                                           \
        break;                                                                                   \
    }                                                                                            \
  }
TURN_SOME(8)
TURN_SOME(16)
TURN_SOME(32)
TURN_SOME(64)
#undef TURN_SOME

TAREI_INLINE bool turn_is_few(size_t n, size_t step) {
  return n >= 2 && n <= TURN_FEW && step == n;
}

/* --- any -------------------------------------------------------------------------------------- */
/* What is left of one matrix from a row and a column on, for the kernel of shorter vectors. */
static void TAREI_K(turn_rest)(const tarei_turn *matrix, size_t row, size_t rows, size_t column,
                               size_t columns) {
  tarei_turn rest = *matrix;
  rest.from = (const char *)rest.from + (row + column * rest.from_step) * rest.element;
  rest.to = (char *)rest.to + (row * rest.to_step + column) * rest.element;
  rest.rows = rows;
  rest.columns = columns;
  if (rows && columns) {
    TURN_SHORTER(&rest);
  }
}

/* Whole blocks, then what is left of columns and rows. */
static void TAREI_K(turn_matrices)(const tarei_turn *t, size_t rows, size_t columns) {
  typedef void blocks_fn(const char *, size_t, char *, size_t, size_t, size_t);
  static blocks_fn *const blocks[] = {[1] = TAREI_K(turn_blocks_8),
                                      [2] = TAREI_K(turn_blocks_16),
                                      [4] = TAREI_K(turn_blocks_32),
                                      [8] = TAREI_K(turn_blocks_64)};
  const size_t element = t->element, from_step = t->from_step * element;
  const size_t to_step = t->to_step * element;
  const bool whole = rows == t->rows && columns == t->columns;
  tarei_turn one = *t;
  one.count = 1;
  for (size_t i = 0; i < t->count; i++) {
    one.from = (const char *)t->from + i * t->from_next * element;
    one.to = (char *)t->to + i * t->to_next * element;
    blocks[element](one.from, from_step, one.to, to_step, rows, columns);
    if (!whole) {
      TAREI_K(turn_rest)(&one, 0, rows, columns, t->columns - columns);
      TAREI_K(turn_rest)(&one, rows, t->rows - rows, 0, t->columns);
    }
  }
}

void TAREI_K(tarei_k_transpose_any_16)(const tarei_turn *t) {
  typedef void few_fn(const tarei_turn *, size_t, bool);
  static few_fn *const few[] = {[1] = TAREI_K(turn_few_8),
                                [2] = TAREI_K(turn_few_16),
                                [4] = TAREI_K(turn_few_32),
                                [8] = TAREI_K(turn_few_64)};
  const size_t width = sizeof(turn_vector) / t->element;
  if (turn_is_few(t->rows, t->from_step)) {
    few[t->element](t, t->rows, true);
  } else if (turn_is_few(t->columns, t->to_step)) {
    few[t->element](t, t->columns, false);
  } else if (t->rows < width || t->columns < width) {
    TURN_SHORTER(t);
  } else {
    TAREI_K(turn_matrices)(t, t->rows - t->rows % width, t->columns - t->columns % width);
  }
}
