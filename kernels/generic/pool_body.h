/* Windows of rows, channel by channel: the largest, and the mean. Instantiated once per ISA. */
#include "kernels/generic/v16.h"

void TAREI_K(tarei_k_pool_max_u8_u8_16)(const uint8_t *const *rows, size_t n_rows, size_t n,
                                        uint8_t *out) {
  size_t i = 0;
  for (; i + TAREI_BYTES <= n; i += TAREI_BYTES) {
    vbytes best = vb_load(rows[0] + i);
    for (size_t r = 1; r < n_rows; r++) {
      best = vb_max(best, vb_load(rows[r] + i));
    }
    vb_store(out + i, best);
  }
  for (; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    v16i best = i_load_u8_n(rows[0] + i, left);
    for (size_t r = 1; r < n_rows; r++) {
      best = i_max(best, i_load_u8_n(rows[r] + i, left));
    }
    i_store_u8_n(out + i, best, left);
  }
}

/* Comparing loses a NaN: its magnitude is kept, as an integer above all others. */
void TAREI_K(tarei_k_pool_max_f32_16)(const float *const *rows, size_t n_rows, size_t n,
                                      float *out) {
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    v16 best = v_load_n(rows[0] + i, left);
    v16i size = v_bits(v_abs(best));
    for (size_t r = 1; r < n_rows; r++) {
      const v16 x = v_load_n(rows[r] + i, left);
      best = v_max(x, best);
      size = i_max(size, v_bits(v_abs(x)));
    }
    const v16 largest = i_as_float(size);
    v_store_n(out + i, v_select(v_less(v_set1(-1.0f), largest), best, largest), left);
  }
}

void TAREI_K(tarei_k_pool_mean_f32_16)(const float *const *rows, size_t n_rows, size_t n,
                                       float count, float *out) {
  for (size_t i = 0; i < n; i += TAREI_LANES) {
    const size_t left = lanes_left(i, n);
    v16 sum = v_load_n(rows[0] + i, left);
    for (size_t r = 1; r < n_rows; r++) {
      sum = v_add(sum, v_load_n(rows[r] + i, left));
    }
    v_store_n(out + i, v_div(sum, v_set1(count)), left);
  }
}
