/* The oracle of the bf16 products, after the definition of TDPBF16PS. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/generic/bf16_sums.h"
#include "kernels/generic/epilogue.h"

enum { PANEL = TAREI_F32_PANEL };

static float float_of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static float flushed(float x) {
  return fabsf(x) < FLT_MIN ? copysignf(0.0f, x) : x;
}

/* What is below the normal range when it is rounded to 24 bits becomes zero. fmaf has rounded to
 * fewer there: near the border the exponent is lifted first. */
static float fused(float a, float b, float c) {
  const float r = fmaf(a, b, c);
  if (!(fabsf(r) <= FLT_MIN) || r == 0) {
    return r;
  }
  const float lifted = fmaf(a * 0x1p32f, b * 0x1p32f, c * 0x1p64f);
  return fabsf(lifted) < FLT_MIN * 0x1p64f ? copysignf(0.0f, r) : r;
}

static float bf16_to_f32(uint16_t x) {
  return flushed(float_of_bits((uint32_t)x << 16));
}

static uint16_t f32_to_bf16(float x) {
  const float normal = flushed(x);
  uint32_t bits;
  memcpy(&bits, &normal, sizeof bits);
  if (isnan(x)) {
    return (uint16_t)(bits >> 16 | 0x40);
  }
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void tarei_k_to_bf16_f32bf16_1__scalar(const float *x, size_t ldx, size_t m, size_t k,
                                       uint16_t *out, size_t ldo) {
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < k; j++) {
      out[i * ldo + j] = f32_to_bf16(x[i * ldx + j]);
    }
    if (k % 2) {
      out[i * ldo + k] = 0;
    }
  }
}

size_t tarei_bf16_packed_size(size_t k, size_t n) {
  return (n + PANEL - 1) / PANEL * PANEL * ((k + 1) / 2 * 2) * sizeof(uint16_t);
}

void tarei_k_bf16_pack_f32bf16_1__scalar(const float *w, size_t ldw, bool transposed, size_t k,
                                         size_t n, uint16_t *packed) {
  memset(packed, 0, tarei_bf16_packed_size(k, n));
  const size_t panel = (k + 1) / 2 * 2 * PANEL;
  const size_t rows = transposed ? n : k, columns = transposed ? k : n; /* of w */
  for (size_t r = 0; r < rows; r++) {
    for (size_t c = 0; c < columns; c++) {
      const size_t i = transposed ? c : r, j = transposed ? r : c;
      packed[j / PANEL * panel + (i / 2 * PANEL + j % PANEL) * 2 + i % 2] =
          f32_to_bf16(w[r * ldw + c]);
    }
  }
}

/* One chain over the even or the odd k of [k0, k0 + 32); zeros stand behind the last. */
static float bf16_chain(const tarei_bf16_gemm *g, const uint16_t *a, const uint16_t *w, size_t k0,
                        size_t parity) {
  float sum = 0;
  for (size_t k = k0 + parity; k < k0 + TAREI_BF16_STEP; k += 2) {
    const bool inside = k < g->k;
    const float x = inside ? bf16_to_f32(a[k]) : 0.0f;
    const float y = inside ? bf16_to_f32(w[k / 2 * 2 * PANEL + parity]) : 0.0f;
    sum = fused(x, y, sum);
  }
  return sum;
}

void tarei_bf16_sums(const tarei_bf16_gemm *g, size_t m, size_t panel, float *sums) {
  const uint16_t *const a = g->a + m * g->lda;
  const uint16_t *const w = g->b + panel * PANEL * ((g->k + 1) / 2 * 2);
  for (size_t j = 0; j < PANEL; j++) {
    float sum = 0;
    for (size_t k = 0; k < g->k; k += TAREI_BF16_STEP) {
      const float even = bf16_chain(g, a, w + 2 * j, k, 0);
      const float both = flushed(even + bf16_chain(g, a, w + 2 * j, k, 1));
      sum = flushed(sum + both);
    }
    sums[j] = sum;
  }
}

static void bf16_panel(const tarei_bf16_gemm *g, size_t m, size_t n0) {
  float sums[PANEL];
  tarei_bf16_sums(g, m, n0 / PANEL, sums);
  tarei_finish_panel__scalar(&g->epilogue, sums, m, g->n, n0);
}

void tarei_k_bf16_gemm_bf16_1x32__scalar(const tarei_bf16_gemm *g) {
  for (size_t n0 = 0; n0 < g->n; n0 += PANEL) {
    for (size_t m = 0; m < g->m; m++) {
      bf16_panel(g, m, n0);
    }
  }
}
