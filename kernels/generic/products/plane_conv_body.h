/* Convolution of planes where they lie. Instantiated once per ISA. */
#include "kernels/generic/v16.h"

enum { /* sums in registers */
       PLANE_CONV_ROWS = V16_REGISTERS > 16 ? 8 : 6,
       PLANE_CONV_VECTORS = V16_REGISTERS > 16 ? 3 : 1,
};

/* Outputs of a piece from i on for `rows` rows of weights: so many vectors, the last with n lanes.
 */
TAREI_INLINE void plane_conv_tile(const tarei_plane_conv *c, const tarei_conv_piece *piece,
                                  size_t row, size_t i, const size_t rows, const size_t vectors,
                                  size_t n) {
  const float *const x = c->x + piece->x + i, *const w = c->w + row * c->k;
  v16 sum[PLANE_CONV_ROWS][PLANE_CONV_VECTORS];
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++) {
#pragma GCC unroll 3
    for (size_t v = 0; v < vectors; v++) {
      sum[r][v] = v_set1(0);
    }
  }
  for (size_t k = 0; k < c->k; k++) {
    const float *const from = x + c->offsets[k];
    v16 column[PLANE_CONV_VECTORS];
#pragma GCC unroll 3
    for (size_t v = 0; v < vectors; v++) {
      column[v] = v_load_n(from + v * TAREI_LANES, v + 1 < vectors ? TAREI_LANES : n);
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < rows; r++) {
      const v16 weight = v_set1(w[r * c->k + k]);
#pragma GCC unroll 3
      for (size_t v = 0; v < vectors; v++) {
        sum[r][v] = v_fma(weight, column[v], sum[r][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (size_t r = 0; r < rows; r++) {
    const v16 bias = v_set1(c->bias ? c->bias[row + r] : -0.0f); /* which changes no float */
    float *const out = c->out + (row + r) * c->ld_out + piece->out + i;
#pragma GCC unroll 3
    for (size_t v = 0; v < vectors; v++) {
      v_store_n(out + v * TAREI_LANES, v_add(sum[r][v], bias), v + 1 < vectors ? TAREI_LANES : n);
    }
  }
}

/* Lanes of the last of some vectors: what the compiler knows of them makes loads cheap. */
TAREI_INLINE void plane_conv_vectors(const tarei_plane_conv *c, const tarei_conv_piece *piece,
                                     size_t row, size_t i, const size_t rows,
                                     const size_t vectors) {
  const size_t before = (vectors - 1) * TAREI_LANES, left = piece->n - i - before;
  if (left >= TAREI_LANES) {
    plane_conv_tile(c, piece, row, i, rows, vectors, TAREI_LANES);
  } else {
    plane_conv_tile(c, piece, row, i, rows, vectors, left);
  }
}

/* Nearly equal numbers of vectors. */
TAREI_INLINE void plane_conv_piece(const tarei_plane_conv *c, const tarei_conv_piece *piece,
                                   size_t row, const size_t rows) {
  for (size_t i = 0, vectors; i < piece->n; i += vectors * TAREI_LANES) {
    const size_t left = (piece->n - i + TAREI_LANES - 1) / TAREI_LANES;
    const size_t tiles = (left + PLANE_CONV_VECTORS - 1) / PLANE_CONV_VECTORS;
    vectors = (left + tiles - 1) / tiles;
    if (PLANE_CONV_VECTORS == 1 || vectors == 1) {
      plane_conv_vectors(c, piece, row, i, rows, 1);
    } else if (vectors == 2) {
      plane_conv_vectors(c, piece, row, i, rows, PLANE_CONV_VECTORS < 2 ? 1 : 2);
    } else {
      plane_conv_vectors(c, piece, row, i, rows, PLANE_CONV_VECTORS);
    }
  }
}

#define PLANE_CONV_OF(name, rows)                                    \
  static void TAREI_K(name)(const tarei_plane_conv *c, size_t row) { \
    for (size_t i = 0; i < c->n_pieces; i++) {                       \
      plane_conv_piece(c, &c->pieces[i], row, rows);                 \
    }                                                                \
  }
PLANE_CONV_OF(plane_conv_1, 1)
PLANE_CONV_OF(plane_conv_2, 2)
PLANE_CONV_OF(plane_conv_4, 4)
PLANE_CONV_OF(plane_conv_most, PLANE_CONV_ROWS)
#undef PLANE_CONV_OF

void TAREI_K(tarei_k_plane_conv_f32_16)(const tarei_plane_conv *conv) {
  const tarei_plane_conv copy = *conv; /* which stores do not make the compiler read again */
  const tarei_plane_conv *const c = &copy;
  size_t row = 0;
  for (; row + PLANE_CONV_ROWS <= c->m; row += PLANE_CONV_ROWS) {
    TAREI_K(plane_conv_most)(c, row);
  }
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
