/* Products of matrices that are not packed. Instantiated once per ISA. */
#include "kernels/generic/v16.h"

enum {
  DIRECT_ROWS = 4,       /* in registers, by sixteen columns */
  DIRECT_STEPS = 4,      /* rows of B at a time where few rows of A read them */
  DIRECT_COLUMNS = 2048, /* whose sums stay in the first cache meanwhile */
};

/* --- few rows: B is read once, row by row ---------------------------------------------------- */
TAREI_INLINE void direct_add(const tarei_direct_product *p, const float *a, const float *b,
                             float *out, size_t n, const size_t steps, const bool first) {
  for (size_t j = 0; j < n; j += TAREI_LANES) {
    const size_t left = lanes_left(j, n);
    v16 sum = first ? v_set1(0) : v_load_n(out + j, left);
#pragma GCC unroll 4
    for (size_t s = 0; s < steps; s++) {
      sum = v_fma(v_set1(a[s]), v_load_n(b + s * p->ldb + j, left), sum);
    }
    v_store_n(out + j, sum, left);
  }
}

static void TAREI_K(direct_row)(const tarei_direct_product *p, const float *a, const float *b,
                                float *out, size_t n) {
  size_t k = 0;
  if (p->k < DIRECT_STEPS) {
    direct_add(p, a, b, out, n, 0, true);
  } else {
    direct_add(p, a, b, out, n, DIRECT_STEPS, true);
    k = DIRECT_STEPS;
  }
  for (; k + DIRECT_STEPS <= p->k; k += DIRECT_STEPS) {
    direct_add(p, a + k, b + k * p->ldb, out, n, DIRECT_STEPS, false);
  }
  for (; k < p->k; k++) {
    direct_add(p, a + k, b + k * p->ldb, out, n, 1, false);
  }
}

/* --- more rows: tiles in registers ----------------------------------------------------------- */
TAREI_INLINE void direct_tile(const tarei_direct_product *p, const float *a, const float *b,
                              float *out, const size_t rows, size_t n) {
  v16 sum[DIRECT_ROWS];
#pragma GCC unroll 4
  for (size_t i = 0; i < rows; i++) {
    sum[i] = v_set1(0);
  }
  for (size_t k = 0; k < p->k; k++, b += p->ldb) {
    const v16 w = v_load_n(b, n);
#pragma GCC unroll 4
    for (size_t i = 0; i < rows; i++) {
      sum[i] = v_fma(v_set1(a[i * p->lda + k]), w, sum[i]);
    }
  }
#pragma GCC unroll 4
  for (size_t i = 0; i < rows; i++) {
    v_store_n(out + i * p->ld_out, sum[i], n);
  }
}

static void TAREI_K(direct_four)(const tarei_direct_product *p, const float *a, float *out) {
  size_t j = 0;
  for (; j + TAREI_LANES <= p->n; j += TAREI_LANES) {
    direct_tile(p, a, p->b + j, out + j, DIRECT_ROWS, TAREI_LANES);
  }
  if (j < p->n) {
    direct_tile(p, a, p->b + j, out + j, DIRECT_ROWS, p->n - j);
  }
}

void TAREI_K(tarei_k_direct_product_f32_4x16)(const tarei_direct_product *product) {
  const tarei_direct_product copy = *product, *const p = &copy;
  size_t i = 0;
  for (; i + DIRECT_ROWS <= p->m; i += DIRECT_ROWS) {
    TAREI_K(direct_four)(p, p->a + i * p->lda, p->out + i * p->ld_out);
  }
  for (; i < p->m; i++) {
    for (size_t j = 0; j < p->n; j += DIRECT_COLUMNS) {
      const size_t left = p->n - j < DIRECT_COLUMNS ? p->n - j : DIRECT_COLUMNS;
      TAREI_K(direct_row)(p, p->a + i * p->lda, p->b + j, p->out + i * p->ld_out + j, left);
    }
  }
}
