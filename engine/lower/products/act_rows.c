#include "engine/lower/products/act_rows.h"

#include <assert.h>
#include <math.h>

#include "graph/quantize/lower_bound.h"

/* Bytes below zero. The scales of neighbours are at most a seventh apart, or one byte; with the
 * first of them Gelu reaches 43. */
static const uint8_t BELOW[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 16,  18,
                                20, 22, 25, 28, 31, 35, 40, 45, 51, 58, 66, 75, 85, 96, 109, 124};
enum { TABLES = sizeof BELOW / sizeof *BELOW };
static_assert(TABLES == TAREI_ACT_ROWS_TABLES, "a reach for each table");

static float act_rows_scale(const tarei_act_rows *const rows, const int table) {
  return -rows->bound / (float)BELOW[table];
}

tare_status tarei_act_rows_take(tarei_act_rows *const rows, const tarei_step *const step,
                                const tarei_act act, tarei_blobs *const blobs,
                                tare_error *const err) {
  *rows = (tarei_act_rows){.act = act, .bound = tarei_layer_bound(step->node)};
  assert(rows->bound < 0);
  void *data;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, TABLES * sizeof(tarei_act_table), &data, &fresh, err));
  tarei_act_table *const tables = data;
  for (int i = 0; fresh && i < TABLES; i++) {
    const bool made = tarei_act_table_make(act, act_rows_scale(rows, i), BELOW[i], INFINITY,
                                           step->kernels, &tables[i]);
    assert(made);
  }
  rows->tables = tables;
  for (int i = 0; i < TABLES; i++) {
    rows->reach[i] = (255.0f - (float)tables[i].zero_point) * tables[i].scale;
  }
  return TARE_OK;
}

/* The finest table whose places reach as far as a row; -1: none. */
static int table_for(const tarei_act_rows *const rows, const float top) {
  int n = 0;
  for (int i = 0; i < TABLES; i++) {
    n += rows->reach[i] >= top;
  }
  return n - 1;
}

static float finite_top(const float *const x, const size_t k, const float top,
                        const tarei_kernels *const kernels) {
  tarei_minmax finite = {INFINITY, -INFINITY, 0, 0};
  if (top < INFINITY) {
    return top;
  }
  kernels->minmax(x, k, &finite);
  return fmaxf(finite.max, 0.0f);
}

/* A row beyond all tables, which only inputs of unusual size give. */
static float act_rows_put_loud(const tarei_act_rows *const rows, float *const x, const size_t k,
                               const float top, uint8_t *const out,
                               const tarei_kernels *const kernels) {
  const float scale = (finite_top(x, k, top, kernels) - rows->bound) / 255.0f;
  const float above = -rows->bound;
  kernels->act(rows->act, 0, 0, x, k, x);
  kernels->binary(TAREI_BINARY_ADD, x, 1, &above, 0, k, x);
  kernels->quantize(x, k, 1.0f / scale, 0, out);
  return scale;
}

static float act_rows_put(const tarei_act_rows *const rows, float *const x, const size_t k,
                          const float top, uint8_t *const out, const tarei_kernels *const kernels) {
  const int i = table_for(rows, top);
  if (i < 0) {
    return act_rows_put_loud(rows, x, k, top, out, kernels);
  }
  const tarei_act_table *const table = &rows->tables[i];
  kernels->quantize_lut(x, k, 1.0f / table->scale, table->zero_point, table->bytes, out);
  return act_rows_scale(rows, i);
}

/* The top of a row takes long to become known: the next row is looked at before it is needed. */
void tarei_act_rows_fill(const tarei_act_rows *const rows, float *const x, const size_t ldx,
                         const size_t m, const size_t k, uint8_t *const out, float *const scales,
                         const tarei_kernels *const kernels) {
  float next = m > 0 ? kernels->row_top(x, k) : 0.0f;
  for (size_t r = 0; r < m; r++) {
    const float top = next;
    next = r + 1 < m ? kernels->row_top(x + (r + 1) * ldx, k) : 0.0f;
    scales[r] = act_rows_put(rows, x + r * ldx, k, top, out + r * k, kernels);
  }
}
