/* Attention of all heads, float and int8, against double and against its definition. */
#include "unit/engine/support/one_node.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "graph/ir/record.h"
#include "kernels/requant.h"

typedef struct sizes {
  int64_t batch, heads, rows, keys, depth, width;
} sizes;

/* ragged sizes around the blocks; few rows beside many heads, and the other way round */
static sizes random_sizes(void) {
  static const int64_t lengths[] = {1, 2, 15, 16, 17, 63, 64, 65, 100, 131};
  return (sizes){.batch = one_node_between(1, 3),
                 .heads = one_node_between(1, 4),
                 .rows = lengths[one_node_between(0, 9)],
                 .keys = lengths[one_node_between(0, 9)],
                 .depth = one_node_between(1, 40),
                 .width = one_node_between(1, 40)};
}

static void add_operands(one_node *const t, const sizes *const z, const tare_dtype dtype) {
  one_node_start(t);
  const int64_t q[] = {z->batch, z->rows, z->heads * z->depth};
  const int64_t k[] = {z->batch, z->keys, z->heads * z->depth};
  const int64_t v[] = {z->batch, z->keys, z->heads * z->width};
  (void)one_node_input(t, dtype, 3, q, NULL);
  (void)one_node_input(t, dtype, 3, k, NULL);
  (void)one_node_input(t, dtype, 3, v, NULL);
}

enum { NO_MASK, INFINITE, FINITE, ZEROS, CAUSAL, MASKS };

/* A mask of a random shape that broadcasts, some keys left out, or all behind the row. */
static void add_mask(one_node *const t, const sizes *const z, const int64_t kind) {
  const int64_t full[] = {z->batch, z->heads, z->rows, z->keys};
  if (kind == NO_MASK) {
    return;
  }
  const int rank = (int)one_node_between(1, 4);
  int64_t dims[4], n = 1;
  for (int d = 0; d < rank; d++) {
    dims[d] = d == rank - 1 || one_node_between(0, 1) ? full[4 - rank + d] : 1;
    n *= dims[d];
  }
  float *const mask = tarei_calloc((size_t)n, sizeof *mask);
  assert_non_null(mask);
  for (int64_t i = 0; i < n; i++) {
    const bool later = i % z->keys > i / z->keys % z->rows;
    const bool out = kind == CAUSAL ? later : i % z->keys && one_node_between(0, 2) == 0;
    mask[i] = kind == ZEROS ? 0 : !out ? one_node_float() : kind == FINITE ? -3.4e38f : -INFINITY;
  }
  (void)one_node_input(t, TARE_F32, rank, dims, mask);
  free(mask);
}

static double mask_at(const one_node *const t, const int64_t at[4]) {
  if (t->n_in < 4 || t->in[3] < 0) {
    return 0;
  }
  const tare_tensor *const mask = &t->inputs[3];
  int64_t index = 0;
  for (int d = 0; d < mask->rank; d++) {
    index = index * mask->dims[d] + (mask->dims[d] > 1 ? at[4 - mask->rank + d] : 0);
  }
  return (double)((const float *)mask->data)[index];
}

/* Element [b][row][head][i] of operand `input` with `size` elements a head. */
static size_t place(const one_node *const t, const sizes *const z, const int input, const int64_t b,
                    const int64_t row, const int64_t head, const int64_t i) {
  const int64_t width = t->inputs[input].dims[2];
  return (size_t)((b * t->inputs[input].dims[1] + row) * width + head * (width / z->heads) + i);
}

/* What byte `at` of queries or keys stands for in a row of a head with a scale of its own. */
static double row_value(const one_node *const t, const sizes *const z, const int input,
                        const int64_t b, const int64_t row, const int64_t head, const size_t at) {
  const int64_t rows = t->inputs[input].dims[1];
  const float *const scales = t->inputs[TAREI_INT8_ROW_SCALES + input].data;
  const double scale = (double)scales[(b * rows + row) * z->heads + head];
  return scale * (((const uint8_t *)t->inputs[input].data)[at] - 128);
}

static double score(const one_node *const t, const sizes *const z, const double scale,
                    const int64_t at[4]) {
  double sum = 0;
  for (int64_t i = 0; i < z->depth; i++) {
    const size_t q = place(t, z, 0, at[0], at[2], at[1], i);
    const size_t k = place(t, z, 1, at[0], at[3], at[1], i);
    sum += t->n_in > TAREI_INT8_ROW_SCALES ? row_value(t, z, 0, at[0], at[2], at[1], q) *
                                                 row_value(t, z, 1, at[0], at[3], at[1], k)
           : t->inputs[0].dtype == TARE_U8
               ? (double)((((const uint8_t *)t->inputs[0].data)[q] - 128) *
                          (((const uint8_t *)t->inputs[1].data)[k] - 128))
               : (double)((const float *)t->inputs[0].data)[q] *
                     (double)((const float *)t->inputs[1].data)[k];
  }
  return sum * scale + mask_at(t, at);
}

static double value(const one_node *const t, const sizes *const z, const int64_t at[4],
                    const int64_t i) {
  const size_t v = place(t, z, 2, at[0], at[3], at[1], i);
  return t->inputs[2].dtype == TARE_U8 ? (double)((const uint8_t *)t->inputs[2].data)[v] - 128
                                       : (double)((const float *)t->inputs[2].data)[v];
}

/* Exponentials as bytes: what rounding takes from one is added to the sixteenth after it. Returns
 * how many bytes may be others, because one lies so near a half that it may be rounded either way.
 */
static double as_bytes(double *const e, const int64_t n) {
  double left[16] = {0}, others = 0;
  for (int64_t j = 0; j < n; j++) {
    const double exact = 255 * e[j] + left[j % 16];
    e[j] = rint(exact);
    left[j % 16] = exact - e[j];
    others += 2 * (fabs(fabs(left[j % 16]) - 0.5) < 0.03 * (double)(1 + j / 16));
  }
  return others;
}

/* out[B][S][H*dv]; of int8 with loose, which gets what rounding may change. */
static void attend(const one_node *const t, const sizes *const z, const double scale,
                   double *const out, double *const loose) {
  double e[131];
  for (int64_t unit = 0; unit < z->batch * z->heads * z->rows; unit++) {
    int64_t at[4] = {unit / (z->heads * z->rows), unit / z->rows % z->heads, unit % z->rows, 0};
    double top = -INFINITY, sum = 0;
    for (at[3] = 0; at[3] < z->keys; at[3]++) {
      e[at[3]] = score(t, z, scale, at);
      top = fmax(top, e[at[3]]);
    }
    for (int64_t j = 0; j < z->keys; j++) {
      e[j] = exp(e[j] - top);
    }
    const double others = loose ? as_bytes(e, z->keys) : 0;
    for (int64_t j = 0; j < z->keys; j++) {
      sum += e[j];
    }
    for (int64_t i = 0; i < z->width; i++) {
      double total = 0;
      for (at[3] = 0; at[3] < z->keys; at[3]++) {
        total += e[at[3]] * value(t, z, at, i);
      }
      const int64_t to = ((at[0] * z->rows + at[2]) * z->heads + at[1]) * z->width + i;
      out[to] = total / sum;
      if (loose) {
        loose[to] = others * 256 / sum;
      }
    }
  }
}

static size_t outputs_of(const sizes *const z) {
  return (size_t)(z->batch * z->rows * z->heads * z->width);
}

static void test_float(void **state) {
  (void)state;
  for (int round = 0; round < 6 * MASKS; round++) {
    const sizes z = random_sizes();
    one_node t;
    add_operands(&t, &z, TARE_F32);
    add_mask(&t, &z, round % MASKS);
    one_node_op(&t, "Attention", "tare", 1, 1);
    assert_true(tarei_attr_set_int(t.node, "heads", z.heads) &&
                tarei_attr_set_float(t.node, "scale", 0.25f));
    one_node_run_ok(&t);
    double *const want = tarei_calloc(outputs_of(&z), sizeof *want);
    assert_non_null(want);
    attend(&t, &z, 0.25, want, NULL);
    for (size_t i = 0; i < outputs_of(&z); i++) {
      assert_true(fabs((double)((const float *)t.outputs[0].data)[i] - want[i]) < 2e-5);
    }
    free(want);
    one_node_end(&t);
  }
}

/* A scale for each row of a head of queries and keys. */
static void add_row_scales(one_node *const t, const sizes *const z) {
  for (int i = 0; i < 2; i++) {
    t->graph->values[t->in[i]].quant.zero_point = 128;
    const int64_t dims[] = {z->batch, i ? z->keys : z->rows, z->heads};
    const size_t n = (size_t)(dims[0] * dims[1] * dims[2]);
    float *const scales = tarei_calloc(n, sizeof *scales);
    assert_non_null(scales);
    for (size_t r = 0; r < n; r++) {
      scales[r] = 0.002f * (float)one_node_between(1, 16);
    }
    (void)one_node_input(t, TARE_F32, 3, dims, scales);
    free(scales);
  }
}

static void check_bytes(const char *const outputs, const int64_t mask, const bool rows) {
  const sizes z = random_sizes();
  const bool both = outputs[0] == 'b', floats = both || outputs[0] == 'f';
  one_node t;
  add_operands(&t, &z, TARE_U8);
  add_mask(&t, &z, mask);
  if (rows) {
    (void)(mask == 0 ? one_node_absent(&t) : 0);
    add_row_scales(&t, &z);
  }
  one_node_op(&t, "Attention", "tare", 1, both ? 2 : 1);
  assert_true(tarei_attr_set_int(t.node, "heads", z.heads) &&
              tarei_attr_set_float(t.node, "scale", 0.5f) &&
              (!rows || tarei_attr_set_int(t.node, "row_scales", 1)) &&
              tarei_attr_set_string(t.node, "outputs", outputs));
  if (!rows) {
    one_node_scale(&t, t.in[0], 0.01f, false);
    one_node_scale(&t, t.in[1], 0.02f, false);
  }
  one_node_scale(&t, t.in[2], 0.03f, false);
  if (!floats || both) {
    one_node_scale(&t, t.out[both], 0.02f, false);
  }
  one_node_run_ok(&t);
  double *const want = tarei_calloc(2 * outputs_of(&z), sizeof *want);
  double *const loose = want + outputs_of(&z);
  assert_non_null(want);
  attend(&t, &z, rows ? 0.5 : 0.5 * 0.01 * 0.02, want, loose);
  for (size_t i = 0; i < outputs_of(&z); i++) {
    const double real = want[i] * 0.03, tolerance = loose[i] * 0.03 + 1e-5;
    if (floats) {
      assert_true(fabs((double)((const float *)t.outputs[0].data)[i] - real) < tolerance);
    }
    if (!floats || both) {
      const int u8 = ((const uint8_t *)t.outputs[both].data)[i];
      const double clamped = fmin(127, fmax(-128, real / 0.02));
      assert_true(fabs(u8 - 128 - clamped) < 0.5 + tolerance / 0.02);
    }
  }
  free(want);
  one_node_end(&t);
}

static void test_int8(void **state) {
  (void)state;
  static const char *const outputs[] = {"f32", "u8", "both"};
  for (int round = 0; round < 9 * MASKS; round++) {
    check_bytes(outputs[round % 3], round / 3 % MASKS, false);
    check_bytes(outputs[round % 3], round / 3 % MASKS, true);
  }
}

/* Rows of -inf: no number is right; int8 gives zeros, so do guarded ones, and nothing else changes.
 */
static void test_rows_masked_all_over(void **state) {
  (void)state;
  const sizes z = {1, 2, 20, 33, 8, 8};
  float mask[20 * 33];
  for (int i = 0; i < 20 * 33; i++) {
    mask[i] = i / 33 == 7 ? -INFINITY : 0;
  }
  for (int form = 0; form < 5; form++) {
    const bool bytes = form == 1, guard = form == 2 || form == 4, bf16 = form > 2;
    one_node t;
    add_operands(&t, &z, bytes ? TARE_U8 : TARE_F32);
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){20, 33}, mask);
    one_node_op(&t, "Attention", "tare", 1, 1);
    assert_true(tarei_attr_set_int(t.node, "heads", 2) &&
                tarei_attr_set_int(t.node, "guard", guard) &&
                tarei_attr_set_string(t.node, "compute", bf16 ? "bf16" : "fp32"));
    for (int i = 0; bytes && i < 3; i++) {
      one_node_scale(&t, t.in[i], 0.01f, false);
    }
    one_node_run_ok(&t);
    for (int i = 0; i < 20 * 16; i++) {
      const float y = ((const float *)t.outputs[0].data)[i];
      assert_true(i / 16 != 7 ? isfinite(y) : bytes || guard ? y == 0 : isnan(y));
    }
    one_node_end(&t);
  }
}

static void start_refused(one_node *const t, const int64_t keys_of_v, const int64_t heads) {
  one_node_start(t);
  (void)one_node_input(t, TARE_F32, 3, (int64_t[]){1, 5, 8}, NULL);
  (void)one_node_input(t, TARE_F32, 3, (int64_t[]){1, 6, 8}, NULL);
  (void)one_node_input(t, TARE_F32, 3, (int64_t[]){1, keys_of_v, 8}, NULL);
  one_node_symbol(t, 2, 1, "n");
  one_node_op(t, "Attention", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t->node, "heads", heads));
}

/* One query of `depth` elements, and keys whose number only the run knows. */
static void start_long(one_node *const t, const int64_t keys, const int64_t depth) {
  one_node_start(t);
  for (int i = 0; i < 3; i++) {
    const int64_t dims[] = {1, i ? keys : 1, i < 2 ? depth : 1};
    (void)one_node_input(t, TARE_U8, 3, dims, NULL);
  }
  one_node_symbol(t, 1, 1, "keys");
  one_node_symbol(t, 2, 1, "keys");
  one_node_op(t, "Attention", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t->node, "heads", 1));
  for (int i = 0; i < 3; i++) {
    one_node_scale(t, t->in[i], 1, false);
  }
}

static void test_long_sums(void **state) {
  (void)state;
  one_node t;
  start_long(&t, TAREI_INT8_LONGEST_SUM, 1);
  one_node_run_ok(&t);
  one_node_end(&t);
  start_long(&t, TAREI_INT8_LONGEST_SUM + 1, 1);
  one_node_refused(&t, TARE_E_LIMIT, "sums of 65794 products");
  start_long(&t, 1, TAREI_INT8_LONGEST_SUM);
  one_node_run_ok(&t);
  one_node_end(&t);
  start_long(&t, 1, TAREI_INT8_LONGEST_SUM + 1);
  one_node_refused(&t, TARE_E_LIMIT, "sums of 65794 products");
}

static void test_refused(void **state) {
  (void)state;
  one_node t;
  start_refused(&t, 7, 2);
  one_node_refused(&t, TARE_E_SHAPE, "axis 1 of 'x2' has length 7, expected 6");
  start_refused(&t, 6, 3);
  one_node_refused(&t, TARE_E_MODEL, "must be a constant multiple of 3 heads");
  start_refused(&t, 6, 0);
  one_node_refused(&t, TARE_E_MODEL, "0 heads");
  one_node_start(&t);
  for (int i = 0; i < 3; i++) {
    (void)one_node_input(&t, TARE_U8, 3, (int64_t[]){1, 5, 8}, NULL);
  }
  one_node_op(&t, "Attention", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t.node, "heads", 2));
  for (int i = 0; i < 3; i++) {
    one_node_scale(&t, t.in[i], 1, i == 2);
  }
  one_node_refused(&t, TARE_E_MODEL, "'x2' needs a zero point of 128");
  one_node_start(&t);
  for (int i = 0; i < 3; i++) {
    (void)one_node_input(&t, TARE_U8, 3, (int64_t[]){1, 5, 8}, NULL);
  }
  one_node_op(&t, "Attention", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t.node, "heads", 2) &&
              tarei_attr_set_string(t.node, "compute", "bf16"));
  one_node_refused(&t, TARE_E_MODEL, "attention over bytes cannot be in bf16");
  one_node_start(&t);
  for (int i = 0; i < 3; i++) {
    (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, 5, 8}, NULL);
  }
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){5, 4}, NULL);
  one_node_symbol(&t, 3, 1, "n");
  one_node_op(&t, "Attention", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t.node, "heads", 2));
  one_node_refused(&t, TARE_E_SHAPE,
                   "axis 1 of the mask has length 4, expected 5 as in the scores");
}

int attention_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_float),
      cmocka_unit_test(test_int8),
      cmocka_unit_test(test_rows_masked_all_over),
      cmocka_unit_test(test_long_sums),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
