/* Convolution of planes where they lie. Instantiated once per ISA. */
#include "kernels/generic/v16.h"

/* Sums in registers. */
#if defined(__AVX512F__)
enum { PLANE_CONV_ROWS = 8, PLANE_CONV_VECTORS = 2 };
#else
enum { PLANE_CONV_ROWS = 4, PLANE_CONV_VECTORS = 1 };
#endif

/* Outputs [i, i + n) of a piece for `rows` rows of weights; n is at most sixteen times `vectors`,
 * and all of these where there are several. */
TAREI_INLINE void plane_conv_tile(const tarei_plane_conv *c, const tarei_conv_piece *piece,
                                  size_t row, size_t i, const size_t rows, const size_t vectors,
                                  size_t n) {
  const float *const x = c->x + piece->x + i, *const w = c->w + row * c->k;
  v16 sum[PLANE_CONV_ROWS][PLANE_CONV_VECTORS];
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++) {
#pragma GCC unroll 2
    for (size_t v = 0; v < vectors; v++) {
      sum[r][v] = v_set1(0);
    }
  }
  for (size_t k = 0; k < c->k; k++) {
    const float *const from = x + c->offsets[k];
    v16 column[PLANE_CONV_VECTORS];
#pragma GCC unroll 2
    for (size_t v = 0; v < vectors; v++) {
      column[v] = vectors > 1 ? v_load(from + v * TAREI_LANES) : v_load_n(from, n);
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) {
      const v16 weight = v_set1(w[r * c->k + k]);
#pragma GCC unroll 2
      for (size_t v = 0; v < vectors; v++) {
        sum[r][v] = v_fma(weight, column[v], sum[r][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++) {
    const v16 bias = v_set1(c->bias ? c->bias[row + r] : -0.0f); /* which changes no float */
    float *const out = c->out + (row + r) * c->ld_out + piece->out + i;
#pragma GCC unroll 2
    for (size_t v = 0; v < vectors; v++) {
      v_store_n(out + v * TAREI_LANES, v_add(sum[r][v], bias), vectors > 1 ? TAREI_LANES : n);
    }
  }
}

TAREI_INLINE void plane_conv_piece(const tarei_plane_conv *c, const tarei_conv_piece *piece,
                                   size_t row, const size_t rows) {
  enum { WIDE = PLANE_CONV_VECTORS * TAREI_LANES };
  size_t i = 0;
  for (; i + WIDE <= piece->n; i += WIDE) {
    plane_conv_tile(c, piece, row, i, rows, PLANE_CONV_VECTORS, TAREI_LANES);
  }
  for (; i + TAREI_LANES <= piece->n; i += TAREI_LANES) {
    plane_conv_tile(c, piece, row, i, rows, 1, TAREI_LANES);
  }
  if (i < piece->n) {
    plane_conv_tile(c, piece, row, i, rows, 1, piece->n - i);
  }
}

#define PLANE_CONV_OF(rows)                                                       \
  static void TAREI_K(plane_conv_##rows)(const tarei_plane_conv *c, size_t row) { \
    for (size_t i = 0; i < c->n_pieces; i++) {                                    \
      plane_conv_piece(c, &c->pieces[i], row, rows);                              \
    }                                                                             \
  }
PLANE_CONV_OF(1)
PLANE_CONV_OF(2)
PLANE_CONV_OF(4)
#if defined(__AVX512F__)
PLANE_CONV_OF(8)
#endif
#undef PLANE_CONV_OF

void TAREI_K(tarei_k_plane_conv_f32_16)(const tarei_plane_conv *conv) {
  const tarei_plane_conv copy = *conv; /* which stores do not make the compiler read again */
  const tarei_plane_conv *const c = &copy;
  size_t row = 0;
#if defined(__AVX512F__)
  for (; row + 8 <= c->m; row += 8) {
    TAREI_K(plane_conv_8)(c, row);
  }
#endif
  for (; row + 4 <= c->m; row += 4) {
    TAREI_K(plane_conv_4)(c, row);
  }
  for (; row + 2 <= c->m; row += 2) {
    TAREI_K(plane_conv_2)(c, row);
  }
  if (row < c->m) {
    TAREI_K(plane_conv_1)(c, row);
  }
}
