#include <string.h>

#include "kernels/registry.h"

/* Where element (k, n) of a matrix of depth `depth` goes. */
static size_t i8_place(size_t depth, size_t k, size_t n) {
  const size_t panel = n / TAREI_I8_PANEL * tarei_i8_packed_size(depth, 1);
  return panel + (k / 4 * TAREI_I8_PANEL + n % TAREI_I8_PANEL) * 4 + k % 4;
}

static size_t padded_columns(size_t n) {
  return (n + TAREI_I8_PANEL - 1) / TAREI_I8_PANEL * TAREI_I8_PANEL;
}

static void i8_clear(size_t k, size_t n, int8_t *packed, int32_t *column_sums) {
  memset(packed, 0, tarei_i8_packed_size(k, n));
  memset(column_sums, 0, padded_columns(n) * sizeof *column_sums);
}

void tarei_i8_pack(const int8_t *w, size_t ldw, bool transposed, size_t k, size_t n, int8_t *packed,
                   int32_t *column_sums) {
  i8_clear(k, n, packed, column_sums);
  for (size_t i = 0; i < k; i++) {
    for (size_t j = 0; j < n; j++) {
      const int8_t v = transposed ? w[j * ldw + i] : w[i * ldw + j];
      packed[i8_place(k, i, j)] = v;
      column_sums[j] += v;
    }
  }
}

void tarei_k_i8_pack_u8_u8s8_1x32__scalar(const uint8_t *x, size_t ldx, bool transposed, size_t k,
                                          size_t n, int32_t zp, int8_t *packed,
                                          int32_t *column_sums) {
  i8_clear(k, n, packed, column_sums);
  for (size_t i = 0; i < k; i++) {
    for (size_t j = 0; j < n; j++) {
      const int8_t v = (int8_t)((transposed ? x[j * ldx + i] : x[i * ldx + j]) - zp);
      packed[i8_place(k, i, j)] = v;
      column_sums[j] += v;
    }
  }
}

size_t tarei_i8_packed_size(size_t k, size_t n) {
  return padded_columns(n) * ((k + 3) / 4 * 4);
}

size_t tarei_f32_packed_size(size_t k, size_t n) {
  return padded_columns(n) * k * sizeof(float);
}

void tarei_k_f32_pack_f32_1x32__scalar(const float *w, size_t ldw, bool transposed, size_t k,
                                       size_t n, float *packed) {
  for (size_t n0 = 0; n0 < n; n0 += TAREI_F32_PANEL) {
    for (size_t i = 0; i < k; i++) {
      for (size_t j = 0; j < TAREI_F32_PANEL; j++) {
        const size_t col = n0 + j;
        *packed++ = col >= n ? 0.0f : transposed ? w[col * ldw + i] : w[i * ldw + col];
      }
    }
  }
}
