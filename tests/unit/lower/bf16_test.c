/* Float layers and products that multiply in bf16. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "unit/engine/support/one_node.h"

/* To nearest even; the values here are normal. */
static double to_bf16(const float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  float rounded;
  memcpy(&rounded, &bits, sizeof rounded);
  return (double)rounded;
}

/* One product of k factors, and how far sums in float may be off. */
typedef struct exact_sum {
  double sum, size;
} exact_sum;

static void add_product(exact_sum *const s, const float x, const float w) {
  const double product = to_bf16(x) * to_bf16(w);
  s->sum += product;
  s->size += fabs(product);
}

static void expect_sum(const exact_sum *const s, const size_t k, const float bias, const float y) {
  const double most = (s->size + fabs((double)bias)) * 6e-8 * (double)(k + 1);
  assert_true(fabs((double)y - s->sum - (double)bias) <= most);
}

static void check_linear(void) {
  const int64_t rows = one_node_between(1, 150), k = one_node_between(1, 90);
  const int64_t n = one_node_between(1, 70);
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){rows, k}, NULL);
  (void)one_node_const(&t, TARE_F32, 2, (int64_t[]){k, n}, NULL);
  (void)one_node_const(&t, TARE_F32, 1, (int64_t[]){n}, NULL);
  one_node_op(&t, "Linear", "tare", 1, 1);
  assert_true(tarei_attr_set_string(t.node, "compute", "bf16"));
  one_node_run_ok(&t);
  const float *const x = t.inputs[0].data, *const w = t.inputs[1].data;
  const float *const bias = t.inputs[2].data, *const y = t.outputs[0].data;
  for (int64_t i = 0; i < rows * n; i++) {
    exact_sum s = {0, 0};
    for (int64_t j = 0; j < k; j++) {
      add_product(&s, x[i / n * k + j], w[j * n + i % n]);
    }
    expect_sum(&s, (size_t)k, bias[i % n], y[i]);
  }
  one_node_end(&t);
}

static void linear_layers_multiply_in_bf16(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    check_linear();
  }
}

/* Padded and strided, along one axis. */
static void check_conv(const int group) {
  const int64_t length = one_node_between(9, 200), channels = 2 * group, outputs = 3 * group;
  const int64_t taps = 5, stride = 2, pad = 2, frames = (length + 2 * pad - taps) / stride + 1;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, length, channels}, NULL);
  (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){outputs, taps, 2}, NULL);
  one_node_op(&t, "ConvLast", "tare", 1, 1);
  assert_true(tarei_attr_set_string(t.node, "compute", "bf16"));
  assert_true(tarei_attr_set_int(t.node, "group", group));
  assert_true(tarei_attr_set_ints(t.node, "strides", &stride, 1));
  assert_true(tarei_attr_set_ints(t.node, "pads", (int64_t[]){pad, pad}, 2));
  one_node_run_ok(&t);
  const float *const x = t.inputs[0].data, *const w = t.inputs[1].data,
                     *const y = t.outputs[0].data;
  for (int64_t i = 0; i < frames * outputs; i++) {
    exact_sum s = {0, 0};
    for (int64_t j = 0; j < taps * 2; j++) {
      const int64_t at = i / outputs * stride - pad + j / 2;
      const int64_t channel = i % outputs / 3 * 2 + j % 2;
      add_product(&s, at < 0 || at >= length ? 0 : x[at * channels + channel],
                  w[i % outputs * taps * 2 + j]);
    }
    expect_sum(&s, (size_t)taps * 2, 0, y[i]);
  }
  one_node_end(&t);
}

static void convolutions_multiply_in_bf16(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    check_conv(1 + round % 3);
  }
}

/* Matrices of A that share one of B, and the other way round. */
static void check_products(void) {
  const int64_t a = one_node_between(1, 3), b = one_node_between(0, 1) ? a : 1;
  const int64_t rows = one_node_between(1, 90), k = one_node_between(1, 90);
  const int64_t n = one_node_between(1, 70);
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){b, rows, k}, NULL);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){a, k, n}, NULL);
  one_node_op(&t, "MatMul", "", 17, 1);
  assert_true(tarei_attr_set_string(t.node, "compute", "bf16"));
  one_node_run_ok(&t);
  const float *const x = t.inputs[0].data, *const w = t.inputs[1].data;
  const float *const y = t.outputs[0].data;
  for (int64_t i = 0; i < a * rows * n; i++) {
    const int64_t matrix = i / (rows * n), row = i / n % rows;
    exact_sum s = {0, 0};
    for (int64_t j = 0; j < k; j++) {
      add_product(&s, x[((b > 1 ? matrix : 0) * rows + row) * k + j],
                  w[(matrix * k + j) * n + i % n]);
    }
    expect_sum(&s, (size_t)k, 0, y[i]);
  }
  one_node_end(&t);
}

static void products_of_activations_multiply_in_bf16(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    check_products();
  }
}

/* --- attention -------------------------------------------------------------------------------- */

typedef struct attention_sizes {
  size_t batch, heads, rows, keys, depth, width;
} attention_sizes;

static void *aligned(const size_t bytes) {
  void *const p = tarei_alloc_aligned(bytes, 1);
  assert_non_null(p);
  return p;
}

static uint16_t *packed_of(const tarei_kernels *const k, const float *const w, const size_t ld,
                           const bool transposed, const size_t rows, const size_t columns) {
  uint16_t *const packed = aligned(tarei_bf16_packed_size(rows, columns));
  k->bf16_pack(w, ld, transposed, rows, columns, packed);
  return packed;
}

/* One head by the scalar kernels, as docs/numerics.md defines it. */
static void attend_head(const attention_sizes *const z, const float *const q, const float *const k,
                        const float *const v, const float *const mask, float *const out) {
  tarei_kernels scalar;
  tarei_kernels_select(TAREI_ISA_SCALAR, &scalar);
  const size_t depth = z->heads * z->depth, width = z->heads * z->width;
  const size_t lda = z->depth + z->depth % 2, ldp = z->keys + z->keys % 2;
  uint16_t *const queries = aligned(z->rows * lda * 2), *const e = aligned(z->rows * ldp * 2);
  uint16_t *const keys = packed_of(&scalar, k, depth, true, z->depth, z->keys);
  uint16_t *const values = packed_of(&scalar, v, width, false, z->keys, z->width);
  float *const scores = aligned(z->rows * z->keys * sizeof *scores);
  float *const sums = aligned(z->rows * sizeof *sums);
  scalar.to_bf16(q, depth, z->rows, z->depth, queries, lda);
  const tarei_bf16_gemm score = {
      queries, lda, z->rows, z->depth, z->keys, keys, {.out_f32 = scores, .ld_f32 = z->keys}};
  scalar.bf16_gemm(&score);
  const tarei_softmax_bf16 softmax = {
      {z->rows, z->keys, scores, z->keys, 0.25f, mask, 0}, e, ldp, sums};
  scalar.softmax_bf16(&softmax);
  for (size_t r = 0; r < z->rows; r++) {
    sums[r] = 1.0f / sums[r];
  }
  const tarei_bf16_gemm product = {e,
                                   ldp,
                                   z->rows,
                                   z->keys,
                                   z->width,
                                   values,
                                   {.row_mult = sums, .out_f32 = out, .ld_f32 = width}};
  scalar.bf16_gemm(&product);
  free(queries);
  free(e);
  free(keys);
  free(values);
  free(scores);
  free(sums);
}

/* Whatever the instruction set and the number of threads. */
static void expect_attention(const one_node *const t, const attention_sizes *const z) {
  const float *const in[] = {t->inputs[0].data, t->inputs[1].data, t->inputs[2].data};
  const size_t depth = z->heads * z->depth, width = z->heads * z->width;
  const size_t bytes = z->batch * z->rows * width * sizeof(float);
  float *const want = aligned(bytes);
  for (size_t unit = 0; unit < z->batch * z->heads; unit++) {
    const size_t b = unit / z->heads, head = unit % z->heads;
    attend_head(z, in[0] + b * z->rows * depth + head * z->depth,
                in[1] + b * z->keys * depth + head * z->depth,
                in[2] + b * z->keys * width + head * z->width,
                t->n_in > 3 ? (const float *)t->inputs[3].data + b * z->keys : NULL,
                want + b * z->rows * width + head * z->width);
  }
  assert_memory_equal(t->outputs[0].data, want, bytes);
  free(want);
}

static size_t size_between(const int64_t lowest, const int64_t highest) {
  return (size_t)one_node_between(lowest, highest);
}

/* Random numbers, and minus infinity at the end: those keys are left out. */
static void add_padding_mask(one_node *const t, const int64_t batch, const int64_t keys) {
  float *const mask = aligned((size_t)(batch * keys) * sizeof *mask);
  for (int64_t b = 0; b < batch; b++) {
    const int64_t there = one_node_between(1, keys);
    for (int64_t i = 0; i < keys; i++) {
      mask[b * keys + i] = i < there ? one_node_float() : -INFINITY;
    }
  }
  (void)one_node_input(t, TARE_F32, 4, (int64_t[]){batch, 1, 1, keys}, mask);
  free(mask);
}

static void check_attention(const bool masked) {
  const attention_sizes z = {.batch = size_between(1, 2),
                             .heads = size_between(1, 3),
                             .rows = size_between(1, 150),
                             .keys = size_between(1, 150),
                             .depth = size_between(1, 70),
                             .width = size_between(1, 70)};
  one_node t;
  one_node_start(&t);
  const int64_t batch = (int64_t)z.batch, keys = (int64_t)z.keys;
  const int64_t depth = (int64_t)(z.heads * z.depth), width = (int64_t)(z.heads * z.width);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){batch, (int64_t)z.rows, depth}, NULL);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){batch, keys, depth}, NULL);
  (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){batch, keys, width}, NULL);
  if (masked) {
    add_padding_mask(&t, batch, keys);
  }
  one_node_op(&t, "Attention", "tare", 1, 1);
  assert_true(tarei_attr_set_int(t.node, "heads", (int64_t)z.heads) &&
              tarei_attr_set_float(t.node, "scale", 0.25f) &&
              tarei_attr_set_string(t.node, "compute", "bf16"));
  one_node_run_ok(&t);
  expect_attention(&t, &z);
  one_node_end(&t);
}

static void attention_has_the_bits_of_scalar(void **state) {
  (void)state;
  for (int round = 0; round < 24; round++) {
    check_attention(round % 2);
  }
}

static void depthwise_convolutions_and_other_types_are_refused(void **state) {
  (void)state;
  for (int depthwise = 0; depthwise < 2; depthwise++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 3, (int64_t[]){1, 20, 4}, NULL);
    (void)one_node_const(&t, TARE_F32, 3, (int64_t[]){4, 3, depthwise ? 1 : 4}, NULL);
    one_node_op(&t, "ConvLast", "tare", 1, 1);
    assert_true(tarei_attr_set_string(t.node, "compute", depthwise ? "bf16" : "fp8"));
    assert_true(tarei_attr_set_int(t.node, "group", depthwise ? 4 : 1));
    if (depthwise) {
      one_node_refused(&t, TARE_E_UNSUPPORTED, "depthwise convolutions have no bf16 products");
    } else {
      one_node_refused(&t, TARE_E_MODEL, "expected fp32 or bf16, got 'fp8'");
    }
  }
}

int bf16_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_layers_multiply_in_bf16),
      cmocka_unit_test(convolutions_multiply_in_bf16),
      cmocka_unit_test(products_of_activations_multiply_in_bf16),
      cmocka_unit_test(attention_has_the_bits_of_scalar),
      cmocka_unit_test(depthwise_convolutions_and_other_types_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
