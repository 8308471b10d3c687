/* Windows of rows, channel by channel: the largest, and the mean. Instantiated once per ISA. */
#include "kernels/generic/v16.h"

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

/* Comparing loses a NaN: its magnitude is kept, as an integer above all others. */
TAREI_INLINE void pool_largest(const tarei_pool_floats *p, size_t from, float *out) {
  for (size_t i = 0; i < p->n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, p->n);
    v16 best = v_load_n(p->rows[0] + from + i, left);
    v16i size = v_bits(v_abs(best));
    for (size_t r = 1; r < p->n_rows; r++) {
      const v16 x = v_load_n(p->rows[r] + from + i, left);
      best = v_max(x, best);
      size = i_max(size, v_bits(v_abs(x)));
    }
    const v16 largest = i_as_float(size);
    v_store_n(out + i, v_select(v_less(v_set1(-1.0f), largest), best, largest), left);
  }
}

void TAREI_K(tarei_k_pool_max_f32_16)(const tarei_pool_floats *pool) {
  for (size_t i = 0; i < pool->m; i++) {
    pool_largest(pool, i * pool->step, pool->out + i * pool->n);
  }
}

void TAREI_K(tarei_k_pool_mean_f32_16)(const tarei_pool_floats *pool, float count) {
  for (size_t at = 0; at < pool->m; at++) {
    const size_t from = at * pool->step;
    float *const out = pool->out + at * pool->n;
    for (size_t i = 0; i < pool->n; i += TAREI_LANES) {
      const size_t left = lanes_left(i, pool->n);
      v16 sum = v_load_n(pool->rows[0] + from + i, left);
      for (size_t r = 1; r < pool->n_rows; r++) {
        sum = v_add(sum, v_load_n(pool->rows[r] + from + i, left));
      }
      v_store_n(out + i, v_div(sum, v_set1(count)), left);
    }
  }
}
