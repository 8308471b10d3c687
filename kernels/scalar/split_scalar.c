/* The oracle of products of short weights and floats in three pieces: a block of them is a bf16
 * product with three times as many k. */
#include <math.h>
#include <string.h>

#include "kernels/generic/bf16_sums.h"
#include "kernels/generic/epilogue.h"

enum { PANEL = TAREI_F32_PANEL, STEP = TAREI_BF16_STEP, HALF_STEP = STEP / 2 };

static size_t split_steps(size_t k) {
  return (k + STEP - 1) / STEP;
}

size_t tarei_split_height(size_t m) {
  const size_t blocks = (m + TAREI_SPLIT_HEIGHT - 1) / TAREI_SPLIT_HEIGHT;
  return blocks ? (m + blocks - 1) / blocks : 1;
}

size_t tarei_split_rows_size(size_t m, size_t k) {
  const size_t height = tarei_split_height(m), blocks = (m + height - 1) / height;
  return blocks * height * split_steps(k) * STEP * TAREI_SPLIT_PIECES * sizeof(uint16_t);
}

size_t tarei_split_panel_size(size_t k) {
  return split_steps(k) * STEP * PANEL * sizeof(uint16_t);
}

/* Where the 32 elements of a piece of row m begin. */
static size_t place_of_piece(size_t k, size_t height, size_t m, size_t step, size_t piece) {
  const size_t plane = (m / height * split_steps(k) + step) * TAREI_SPLIT_PIECES + piece;
  return (plane * height + m % height) * STEP;
}

/* Where k of a step lies among its pairs. */
static size_t place_in_step(size_t k) {
  return k % HALF_STEP * 2 + k / HALF_STEP;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The upper half of x as float. */
static float leading_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= 0xffff0000u;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint16_t upper_half(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static bool row_qualifies(const float *x, size_t k) {
  float amax = 0;
  for (size_t i = 0; i < k; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
    amax = fmaxf(amax, fabsf(x[i]));
  }
  return amax == 0 || (amax >= TAREI_SPLIT_LEAST && amax < TAREI_SPLIT_MOST);
}

static void split_row_pieces(const tarei_split_rows *r, size_t m) {
  for (size_t k = 0; k < split_steps(r->k) * STEP; k++) {
    const float x = k < r->k ? r->x[m * r->ldx + k] : 0.0f;
    const float hi = leading_bits(x), mid = leading_bits(x - hi);
    const float pieces[TAREI_SPLIT_PIECES] = {x - hi - mid, mid, hi};
    for (size_t p = 0; p < TAREI_SPLIT_PIECES; p++) {
      const size_t row = place_of_piece(r->k, r->height, m, k / STEP, p);
      r->out[row + place_in_step(k % STEP)] = upper_half(pieces[p]);
    }
  }
}

size_t tarei_k_split_rows_f32bf16_1__scalar(const tarei_split_rows *r) {
  size_t m = 0;
  while (m < r->m && row_qualifies(r->x + m * r->ldx, r->k)) {
    split_row_pieces(r, m++);
  }
  return m;
}

/* --- products --------------------------------------------------------------------------------- */

typedef enum split_type { SPLIT_I8, SPLIT_BF16 } split_type;

static uint16_t weight_as_bf16(const tarei_split_gemm *g, split_type type, size_t i) {
  return type == SPLIT_BF16 ? ((const uint16_t *)g->b)[i] : upper_half(((const int8_t *)g->b)[i]);
}

/* One step as three of a bf16 product: the row's pieces, and the weights once for each. */
static void step_operands(const tarei_split_gemm *g, split_type type, size_t m, size_t panel,
                          size_t step, uint16_t *row, uint16_t *weights) {
  for (size_t p = 0; p < TAREI_SPLIT_PIECES; p++) {
    const uint16_t *const a = g->a + place_of_piece(g->k, g->height, m, step, p);
    memcpy(row + p * STEP, a, STEP * sizeof *row);
    for (size_t i = 0; i < STEP * PANEL; i++) {
      const size_t k = step * STEP + i / PANEL, place = place_in_step(i / PANEL);
      weights[((p * STEP + place) / 2 * PANEL + i % PANEL) * 2 + place % 2] =
          k < g->k ? weight_as_bf16(g, type, (panel * g->k + k) * PANEL + i % PANEL) : 0;
    }
  }
}

static void block_sums(const tarei_split_gemm *g, split_type type, size_t m, size_t panel, size_t k,
                       float *sums) {
  enum { MOST = TAREI_SPLIT_BLOCK * TAREI_SPLIT_PIECES, EACH = STEP * TAREI_SPLIT_PIECES };
  uint16_t row[MOST], weights[MOST * PANEL];
  const size_t end = g->k - k < g->block ? g->k : k + g->block;
  const size_t first = k / STEP, steps = split_steps(end) - first;
  for (size_t i = 0; i < steps; i++) {
    step_operands(g, type, m, panel, first + i, row + i * EACH, weights + i * EACH * PANEL);
  }
  const tarei_bf16_gemm product = {.a = row, .k = steps * EACH, .b = weights};
  tarei_bf16_sums(&product, 0, 0, sums);
}

static void split_panel(const tarei_split_gemm *g, split_type type, size_t m, size_t panel) {
  float sums[PANEL], totals[PANEL] = {0};
  for (size_t k = 0; k < g->k; k += g->block) {
    block_sums(g, type, m, panel, k, sums);
    for (size_t j = 0; j < PANEL; j++) {
      const size_t at = k / g->block * g->ld_scale + panel * PANEL + j;
      totals[j] = fmaf(sums[j], type == SPLIT_I8 ? g->scale[at] : 1.0f, totals[j]);
    }
  }
  tarei_finish_panel__scalar(&g->epilogue, totals, m, g->n, panel * PANEL);
}

static void split_panels(const tarei_split_gemm *g, split_type type) {
  for (size_t panel = 0; panel * PANEL < g->n; panel++) {
    for (size_t m = 0; m < g->m; m++) {
      split_panel(g, type, m, panel);
    }
  }
}

void tarei_k_split_i8_bf16s8_1x32__scalar(const tarei_split_gemm *g) {
  split_panels(g, SPLIT_I8);
}

void tarei_k_split_bf16_bf16_1x32__scalar(const tarei_split_gemm *g) {
  split_panels(g, SPLIT_BF16);
}
