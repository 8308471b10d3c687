/* Products of matrices that are not packed. Instantiated once per ISA. */
#include "kernels/generic/row_cursor.h"
#include "kernels/generic/v16.h"

enum {
  DIRECT_ROWS = V16_REGISTERS > 16 ? 8 : 6, /* in registers, by so many vectors of columns */
  DIRECT_VECTORS = V16_REGISTERS > 16 ? 2 : 1,
  DIRECT_FOUR = 4,       /* rows at a time of what is left of them */
  DIRECT_STEPS = 4,      /* rows of B at a time where few rows of A read them */
  DIRECT_COLUMNS = 2048, /* whose sums stay in the first cache meanwhile */
  FEW_COLUMNS = 7,
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
/* The last of the vectors has n columns. */
TAREI_INLINE void direct_tile(const tarei_direct_product *p, const float *a, const float *b,
                              float *out, const size_t rows, const size_t vectors, size_t n) {
  v16 sum[DIRECT_ROWS][DIRECT_VECTORS];
#pragma GCC unroll 8
  for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (size_t q = 0; q < vectors; q++) {
      sum[i][q] = v_set1(0);
    }
  }
  row_cursor at = row_cursor_at(a, p->lda * sizeof *a);
  for (size_t k = 0; k < p->k; k++, b += p->ldb) {
    v16 w[DIRECT_VECTORS];
#pragma GCC unroll 2
    for (size_t q = 0; q < vectors; q++) {
      w[q] = v_load_n(b + q * TAREI_LANES, q + 1 < vectors ? TAREI_LANES : n);
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < rows; i++) {
      const v16 x = v_set1(*(const float *)row_cursor_row(&at, i));
#pragma GCC unroll 2
      for (size_t q = 0; q < vectors; q++) {
        sum[i][q] = v_fma(x, w[q], sum[i][q]);
      }
    }
    row_cursor_advance(&at, rows);
  }
#pragma GCC unroll 8
  for (size_t i = 0; i < rows; i++) {
#pragma GCC unroll 2
    for (size_t q = 0; q < vectors; q++) {
      v_store_n(out + i * p->ld_out + q * TAREI_LANES, sum[i][q],
                q + 1 < vectors ? TAREI_LANES : n);
    }
  }
}

TAREI_INLINE void direct_rows(const tarei_direct_product *p, const float *a, float *out,
                              const size_t rows) {
  enum { WIDE = DIRECT_VECTORS * TAREI_LANES };
  size_t j = 0;
  for (; j + WIDE <= p->n; j += WIDE) {
    direct_tile(p, a, p->b + j, out + j, rows, DIRECT_VECTORS, TAREI_LANES);
  }
  if (DIRECT_VECTORS > 1 && j + TAREI_LANES < p->n) {
    direct_tile(p, a, p->b + j, out + j, rows, DIRECT_VECTORS, p->n - j - TAREI_LANES);
  } else if (j < p->n) {
    direct_tile(p, a, p->b + j, out + j, rows, 1, p->n - j);
  }
}

static void TAREI_K(direct_most)(const tarei_direct_product *p, const float *a, float *out) {
  direct_rows(p, a, out, DIRECT_ROWS);
}

static void TAREI_K(direct_four)(const tarei_direct_product *p, const float *a, float *out) {
  direct_rows(p, a, out, DIRECT_FOUR);
}

/* --- few columns: rows of A are lanes -------------------------------------------------------- */
enum {
  LANED_COLUMNS = 4, /* at a time */
  LANED_GROUPS = 2,  /* of sixteen rows: several chains hide the latency */
  LANED_STEPS = 8,   /* elements of rows that are turned at a time */
  LANED_LINE = 16,   /* of a group at a time: lines of rows that lie far apart do not stay */
};

/* The next elements of at most sixteen rows by n columns. */
TAREI_INLINE void laned_add(const tarei_direct_product *p, const float *a, const float *b,
                            size_t rows, size_t steps, const size_t n, v16 *sum) {
  v16 x[LANED_STEPS];
#pragma GCC unroll 8
  for (size_t s = steps; s < LANED_STEPS; s++) {
    x[s] = v_set1(0);
  }
  v_load_columns(a, p->lda, rows, steps, x);
#pragma GCC unroll 8
  for (size_t s = 0; s < steps; s++) {
#pragma GCC unroll 4
    for (size_t j = 0; j < n; j++) {
      sum[j] = v_fma(x[s], v_set1(b[s * p->ldb + j]), sum[j]);
    }
  }
}

TAREI_INLINE void laned_store(const tarei_direct_product *p, float *out, size_t rows,
                              const size_t n, const v16 *sum) {
  if (n == 1 && p->ld_out == 1) {
    v_store_n(out, sum[0], rows);
  } else {
    v_store_columns(out, p->ld_out, rows, n, sum);
  }
}

/* Groups of sixteen rows, or one of fewer, by n columns. */
TAREI_INLINE void laned_tile(const tarei_direct_product *p, const float *a, const float *b,
                             float *out, const size_t groups, size_t rows, const size_t n) {
  const size_t group = TAREI_LANES * p->lda;
  v16 sum[LANED_GROUPS][LANED_COLUMNS];
  for (size_t g = 0; g < groups; g++) {
#pragma GCC unroll 4
    for (size_t j = 0; j < n; j++) {
      sum[g][j] = v_set1(0);
    }
  }
  size_t k = 0;
  for (; k + LANED_LINE <= p->k; k += LANED_LINE) {
#pragma GCC unroll 2
    for (size_t g = 0; g < groups; g++) {
#pragma GCC unroll 2
      for (size_t i = k; i < k + LANED_LINE; i += LANED_STEPS) {
        laned_add(p, a + g * group + i, b + i * p->ldb, rows, LANED_STEPS, n, sum[g]);
      }
    }
  }
  for (; k < p->k; k += LANED_STEPS) {
    const size_t left = p->k - k, steps = left < LANED_STEPS ? left : LANED_STEPS;
#pragma GCC unroll 2
    for (size_t g = 0; g < groups; g++) {
      laned_add(p, a + g * group + k, b + k * p->ldb, rows, steps, n, sum[g]);
    }
  }
#pragma GCC unroll 2
  for (size_t g = 0; g < groups; g++) {
    laned_store(p, out + g * TAREI_LANES * p->ld_out, rows, n, sum[g]);
  }
}

TAREI_INLINE void laned_columns(const tarei_direct_product *p, const float *b, float *out,
                                const size_t n) {
  enum { ROWS = LANED_GROUPS * TAREI_LANES };
  const float *a = p->a;
  size_t left = p->m;
  for (; left >= ROWS; left -= ROWS, a += ROWS * p->lda, out += ROWS * p->ld_out) {
    laned_tile(p, a, b, out, LANED_GROUPS, TAREI_LANES, n);
  }
  if (left >= TAREI_LANES) {
    laned_tile(p, a, b, out, 1, TAREI_LANES, n);
    left -= TAREI_LANES;
    a += TAREI_LANES * p->lda;
    out += TAREI_LANES * p->ld_out;
  }
  if (left) {
    laned_tile(p, a, b, out, 1, left, n);
  }
}

static void TAREI_K(laned_product)(const tarei_direct_product *p) {
  for (size_t j = 0; j < p->n; j += LANED_COLUMNS) {
    const float *const b = p->b + j;
    float *const out = p->out + j;
    switch (p->n - j) {
      case 1:
        laned_columns(p, b, out, 1);
        break;
      case 2:
        laned_columns(p, b, out, 2);
        break;
      case 3:
        laned_columns(p, b, out, 3);
        break;
      default:
        laned_columns(p, b, out, LANED_COLUMNS);
        break;
    }
  }
}

void TAREI_K(tarei_k_direct_product_f32_16)(const tarei_direct_product *product) {
  const tarei_direct_product copy = *product, *const p = &copy;
  size_t i = 0;
  if (p->n <= FEW_COLUMNS) {
    TAREI_K(laned_product)(p);
    return;
  }
  for (; i + DIRECT_ROWS <= p->m; i += DIRECT_ROWS) {
    TAREI_K(direct_most)(p, p->a + i * p->lda, p->out + i * p->ld_out);
  }
  for (; i + DIRECT_FOUR <= p->m; i += DIRECT_FOUR) {
    TAREI_K(direct_four)(p, p->a + i * p->lda, p->out + i * p->ld_out);
  }
  for (; i < p->m; i++) {
    for (size_t j = 0; j < p->n; j += DIRECT_COLUMNS) {
      const size_t left = p->n - j < DIRECT_COLUMNS ? p->n - j : DIRECT_COLUMNS;
      TAREI_K(direct_row)(p, p->a + i * p->lda, p->b + j, p->out + i * p->ld_out + j, left);
    }
  }
}
