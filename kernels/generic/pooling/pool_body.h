/* Windows of rows, channel by channel: the largest, and the mean. Instantiated once per ISA. */
#include "kernels/generic/pooling/pool_lanes.h"

TAREI_INLINE void pool_largest_bytes(const tarei_pool_bytes *p, size_t from, uint8_t *out) {
  size_t i = 0;
  for (; i + TAREI_BYTES <= p->n; i += TAREI_BYTES) {
    vbytes best = vb_load(p->rows[0] + from + i);
    for (size_t r = 1; r < p->n_rows; r++) {
      best = vb_max(best, vb_load(p->rows[r] + from + i));
    }
    vb_store(out + i, best);
  }
  for (; i < p->n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, p->n);
    v16i best = i_load_u8_n(p->rows[0] + from + i, left);
    for (size_t r = 1; r < p->n_rows; r++) {
      best = i_max(best, i_load_u8_n(p->rows[r] + from + i, left));
    }
    i_store_u8_n(out + i, best, left);
  }
}

void TAREI_K(tarei_k_pool_max_u8_u8_16)(const tarei_pool_bytes *pool) {
  const tarei_pool_bytes p = *pool; /* a copy: stores of bytes must not make it be read again */
  for (size_t i = 0; i < p.m; i++) {
    pool_largest_bytes(&p, i * p.step, p.out + i * p.n);
  }
}

/* n sums of lanes. */
TAREI_INLINE v16 pool_sum(const tarei_pool_floats *p, size_t from, size_t apart, size_t n) {
  v16 sum = pool_lanes(p->rows[0] + from, apart, n);
  for (size_t r = 1; r < p->n_rows; r++) {
    sum = v_add(sum, pool_lanes(p->rows[r] + from, apart, n));
  }
  return sum;
}

/* Comparing loses a NaN: its magnitude is kept, as an integer above all others. */
TAREI_INLINE v16 pool_largest(const tarei_pool_floats *p, size_t from, size_t apart, size_t n) {
  v16 best = pool_lanes(p->rows[0] + from, apart, n);
  v16i size = v_bits(v_abs(best));
  for (size_t r = 1; r < p->n_rows; r++) {
    const v16 x = pool_lanes(p->rows[r] + from, apart, n);
    best = v_max(x, best);
    size = i_max(size, v_bits(v_abs(x)));
  }
  const v16 largest = i_as_float(size);
  return v_select(v_less(v_set1(-1.0f), largest), best, largest);
}

/* RESULT of p, the first element of the lanes in each row, their distance and their number. */
#define POOL_LANES(p, RESULT)                                                            \
  if ((p)->n == 1) {                                                                     \
    for (size_t at = 0; at < (p)->m; at += TAREI_LANES) {                                \
      const size_t n = lanes_left(at, (p)->m), from = at * (p)->step, apart = (p)->step; \
      v_store_n((p)->out + at, (RESULT), n);                                             \
    }                                                                                    \
    return;                                                                              \
  }                                                                                      \
  for (size_t at = 0; at < (p)->m; at++) {                                               \
    for (size_t i = 0; i < (p)->n; i += TAREI_LANES) {                                   \
      const size_t n = lanes_left(i, (p)->n), from = at * (p)->step + i, apart = 1;      \
      v_store_n((p)->out + at * (p)->n + i, (RESULT), n);                                \
    }                                                                                    \
  }

void TAREI_K(tarei_k_pool_max_f32_16)(const tarei_pool_floats *pool) {
  POOL_LANES(pool, pool_largest(pool, from, apart, n))
}

void TAREI_K(tarei_k_pool_mean_f32_16)(const tarei_pool_floats *pool, float count) {
  POOL_LANES(pool, v_div(pool_sum(pool, from, apart, n), v_set1(count)))
}
#undef POOL_LANES
