/* Operators that consist of others, by what they give against sums written out. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/expand_case.h"
#include "unit/engine/support/one_node.h"

/* --- layers ----------------------------------------------------------------------------------- */
static void test_skip_layer_norm(void **state) {
  (void)state;
  for (int simple = 0; simple < 2; simple++) {
    expansion e;
    expand_start(&e);
    expand_input(&e, TARE_F32, 3, (int64_t[]){2, 3, 7}, NULL);
    expand_input(&e, TARE_F32, 3, (int64_t[]){2, 3, 7}, NULL);
    for (int i = simple; i < 3; i++) { /* gain, shift, bias */
      expand_input(&e, TARE_F32, 1, (int64_t[]){7}, NULL);
    }
    e.out[1] = e.out[2] = -1;
    (void)expand_node(&e, simple ? "SkipSimplifiedLayerNormalization" : "SkipLayerNormalization",
                      "com.microsoft", 17, 4);
    expand_run(&e);
    const float *const bias = expand_data(&e, e.in[simple ? 3 : 4]);
    for (size_t row = 0; row < 6; row++) {
      double x[7], mean = 0, squares = 0;
      for (size_t i = 0; i < 7; i++) {
        x[i] = (double)expand_data(&e, e.in[0])[row * 7 + i] +
               (double)expand_data(&e, e.in[1])[row * 7 + i] + (double)bias[i];
        mean += simple ? 0 : x[i] / 7;
        expand_expect(&e, 3, row * 7 + i, x[i]);
      }
      for (size_t i = 0; i < 7; i++) {
        squares += (x[i] - mean) * (x[i] - mean) / 7;
      }
      for (size_t i = 0; i < 7; i++) {
        expand_expect(&e, 0, row * 7 + i,
                      (x[i] - mean) / sqrt(squares) * (double)expand_data(&e, e.in[2])[i] +
                          (simple ? 0 : (double)expand_data(&e, e.in[3])[i]));
      }
    }
    tarei_graph_free(e.graph);
  }
}

static void test_gelu(void **state) {
  (void)state;
  static const char *const ops[] = {"Gelu", "BiasGelu", "FastGelu", "QuickGelu"};
  for (int op = 0; op < 4; op++) {
    expansion e;
    expand_start(&e);
    const bool biased = op == 1 || op == 2;
    expand_input(&e, TARE_F32, 2, (int64_t[]){3, 5}, NULL);
    if (biased) {
      expand_input(&e, TARE_F32, 1, (int64_t[]){5}, NULL);
    }
    (void)expand_node(&e, ops[op], "com.microsoft", 17, 1);
    expand_run(&e);
    for (size_t i = 0; i < 15; i++) {
      const double x = (double)expand_data(&e, e.in[0])[i] +
                       (biased ? (double)expand_data(&e, e.in[1])[i % 5] : 0);
      expand_expect(&e, 0, i,
                    op == 3   ? x / (1 + exp(-1.702 * x))
                    : op == 2 ? x / 2 * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)))
                              : x / 2 * (1 + erf(x / sqrt(2.0))));
    }
    tarei_graph_free(e.graph);
  }
}

static void test_fused_layers(void **state) {
  (void)state;
  expansion e;
  expand_start(&e);
  expand_input(&e, TARE_F32, 3, (int64_t[]){1, 2, 5}, (float[]){1, 2, 3, 4, 5, -1, 0, 1, 0, -1});
  expand_input(&e, TARE_F32, 3, (int64_t[]){1, 2, 1}, (float[]){1, 2});
  expand_absent(&e);
  expand_input(&e, TARE_F32, 3, (int64_t[]){1, 1, 5}, (float[]){-2, -2, -9, -2, -2});
  tarei_node *node = expand_node(&e, "FusedConv", "com.microsoft", 17, 1);
  const tarei_attr slope = {
      .name = "activation_params", .kind = TAREI_ATTR_FLOATS, .n = 1, .floats = (float[]){0.5f}};
  assert_true(tarei_attr_set_string(node, "activation", "LeakyRelu") &&
              tarei_attr_copy(node, &slope));
  expand_run(&e);
  const double convolved[] = {-1.5, 0, -2, 2, 1};
  for (size_t i = 0; i < 5; i++) {
    expand_expect(&e, 0, i, convolved[i]);
  }
  tarei_graph_free(e.graph);
  expand_start(&e);
  expand_input(&e, TARE_F32, 2, (int64_t[]){2, 1}, (float[]){1, 2});
  expand_input(&e, TARE_F32, 2, (int64_t[]){3, 2}, (float[]){1, 2, 3, 4, 5, 6});
  node = expand_node(&e, "FusedMatMul", "com.microsoft", 17, 1);
  assert_true(tarei_attr_set_int(node, "transA", 1) && tarei_attr_set_int(node, "transB", 1) &&
              tarei_attr_set_float(node, "alpha", 10));
  expand_run(&e);
  const double product[] = {50, 110, 170};
  for (size_t i = 0; i < 3; i++) {
    expand_expect(&e, 0, i, product[i]);
  }
  tarei_graph_free(e.graph);
}

/* --- transposed convolutions ------------------------------------------------------------------ */

typedef struct transposed {
  int64_t batch, channels, outputs, group; /* outputs of a group */
  int64_t in[2], kernel[2], stride[2], dilation[2], pads[4], more[2], out[2];
} transposed;

static transposed random_transposed(void) {
  transposed t = {.batch = one_node_between(1, 2),
                  .outputs = one_node_between(1, 3),
                  .group = one_node_between(1, 2)};
  t.channels = t.group * one_node_between(1, 3);
  for (int a = 0; a < 2; a++) {
    t.in[a] = one_node_between(2, 5);
    t.kernel[a] = one_node_between(1, 4);
    t.stride[a] = one_node_between(1, 3);
    t.dilation[a] = one_node_between(1, 2);
    const int64_t span = (t.kernel[a] - 1) * t.dilation[a] + 1;
    t.pads[a] = one_node_between(0, span > 2 ? 1 : 0);
    t.pads[2 + a] = one_node_between(0, span > 2 ? 1 : 0);
    t.more[a] = one_node_between(0, t.stride[a] - 1);
    t.out[a] = t.stride[a] * (t.in[a] - 1) + span + t.more[a] - t.pads[a] - t.pads[2 + a];
  }
  return t;
}

/* Every input goes to where its taps reach. */
static void expect_transposed(const expansion *const e, const transposed *const t) {
  const size_t plane = (size_t)(t->out[0] * t->out[1]);
  const int64_t all = t->outputs * t->group, per_group = t->channels / t->group;
  const size_t n = (size_t)(t->batch * all) * plane;
  double *const sums = calloc(n, sizeof *sums);
  assert_non_null(sums);
  const float *x = expand_data(e, e->in[0]);
  for (int64_t i = 0; i < t->batch * t->channels * t->in[0] * t->in[1]; i++, x++) {
    const int64_t at[] = {i / t->in[1] % t->in[0], i % t->in[1]};
    const int64_t c = i / (t->in[0] * t->in[1]) % t->channels;
    const int64_t b = i / (t->in[0] * t->in[1]) / t->channels;
    for (int64_t w = 0; w < t->outputs * t->kernel[0] * t->kernel[1]; w++) {
      const int64_t tap[] = {w / t->kernel[1] % t->kernel[0], w % t->kernel[1]};
      const int64_t o = c / per_group * t->outputs + w / (t->kernel[0] * t->kernel[1]);
      int64_t to[2];
      for (int a = 0; a < 2; a++) {
        to[a] = at[a] * t->stride[a] + tap[a] * t->dilation[a] - t->pads[a];
      }
      if (to[0] >= 0 && to[0] < t->out[0] && to[1] >= 0 && to[1] < t->out[1]) {
        sums[(size_t)(b * all + o) * plane + (size_t)(to[0] * t->out[1] + to[1])] +=
            (double)*x *
            (double)expand_data(e, e->in[1])[c * t->outputs * t->kernel[0] * t->kernel[1] + w];
      }
    }
  }
  for (size_t i = 0; i < n; i++) {
    expand_expect(e, 0, i, sums[i] + (double)expand_data(e, e->in[2])[i / plane % (size_t)all]);
  }
  free(sums);
}

static void test_conv_transpose(void **state) {
  (void)state;
  for (int round = 0; round < 30; round++) {
    const transposed t = random_transposed();
    const int64_t all = t.outputs * t.group;
    expansion e;
    expand_start(&e);
    expand_input(&e, TARE_F32, 4, (int64_t[]){t.batch, t.channels, t.in[0], t.in[1]}, NULL);
    expand_input(&e, TARE_F32, 4, (int64_t[]){t.channels, t.outputs, t.kernel[0], t.kernel[1]},
                 NULL);
    expand_input(&e, TARE_F32, 1, &all, NULL);
    tarei_node *const node = expand_node(&e, "ConvTranspose", "", 11, 1);
    assert_true(tarei_attr_set_int(node, "group", t.group) &&
                tarei_attr_set_ints(node, "strides", t.stride, 2) &&
                tarei_attr_set_ints(node, "dilations", t.dilation, 2) &&
                tarei_attr_set_ints(node, "output_padding", t.more, 2));
    assert_true(tarei_attr_set_ints(node, "pads", t.pads, 4));
    expand_run(&e);
    expect_transposed(&e, &t);
    tarei_graph_free(e.graph);
  }
}

/* --- einsum ----------------------------------------------------------------------------------- */

typedef struct product {
  const char *equation;
  int rank[3]; /* of up to three operands; 0: no operand */
  int64_t dims[3][4];
  const char *labels[3], *out; /* of axes, in letters from 'a' on */
} product;

/* Sums over all values of all labels, each up to 4. */
static void expect_product(const expansion *const e, const product *const p,
                           const int64_t size[4]) {
  double sums[256] = {0};
  for (int64_t all = 0; all < 256; all++) {
    const int64_t at[] = {all / 64, all / 16 % 4, all / 4 % 4, all % 4};
    double value = 1;
    size_t to = 0;
    bool inside = true;
    for (int l = 0; l < 4; l++) {
      inside &= at[l] < size[l];
    }
    for (int i = 0; inside && i < e->n_in; i++) {
      size_t from = 0;
      for (int a = 0; a < p->rank[i]; a++) {
        from = from * (size_t)p->dims[i][a] + (size_t)at[p->labels[i][a] - 'a'];
      }
      value *= (double)expand_data(e, e->in[i])[from];
    }
    for (const char *c = p->out; *c; c++) {
      to = to * (size_t)size[*c - 'a'] + (size_t)at[*c - 'a'];
    }
    sums[to] += inside ? value : 0;
  }
  size_t n = 1;
  for (const char *c = p->out; *c; c++) {
    n *= (size_t)size[*c - 'a'];
  }
  for (size_t i = 0; i < n; i++) {
    expand_expect(e, 0, i, sums[i]);
  }
}

static void test_einsum(void **state) {
  (void)state;
  static const int64_t size[] = {2, 3, 4, 3};
  static const product products[] = {
      {"a b c, a d c -> a b d", {3, 3}, {{2, 3, 4}, {2, 3, 4}}, {"abc", "adc"}, "abd"},
      {"ca,cb", {2, 2}, {{4, 2}, {4, 3}}, {"ca", "cb"}, "ab"},
      {"...b,...b->...", {3, 2}, {{2, 4, 3}, {4, 3}}, {"acb", "cb"}, "ac"},
      {"ab,bcd,dc->a", {2, 3, 2}, {{2, 3}, {3, 4, 3}, {3, 4}}, {"ab", "bcd", "dc"}, "a"},
      {"a,b->ba", {1, 1}, {{2}, {3}}, {"a", "b"}, "ba"},
      {"...bb->...b", {3}, {{2, 3, 3}}, {"abb"}, "ab"},
      {"abc,bcd->ad", {3, 3}, {{2, 3, 4}, {3, 4, 3}}, {"abc", "bcd"}, "ad"},
      {"ab->", {2}, {{2, 3}}, {"ab"}, ""},
  };
  for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
    const product *const p = &products[i];
    expansion e;
    expand_start(&e);
    for (int o = 0; o < 3 && p->rank[o]; o++) {
      expand_input(&e, TARE_F32, p->rank[o], p->dims[o], NULL);
    }
    assert_true(
        tarei_attr_set_string(expand_node(&e, "Einsum", "", 12, 1), "equation", p->equation));
    expand_run(&e);
    int64_t used[] = {1, 1, 1, 1};
    for (int o = 0; o < e.n_in; o++) {
      for (const char *c = p->labels[o]; *c; c++) {
        used[*c - 'a'] = size[*c - 'a'];
      }
    }
    expect_product(&e, p, used);
    tarei_graph_free(e.graph);
  }
}

static void test_einsum_refused(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"ab,bc->ac", "has a different number of terms"},
      {"abc->a", "does not match 'c' of rank 2"},
      {"ab->c", "names one that no operand has"},
      {"ab->aa", "repeats an output label"},
      {"a1->a", "does not match"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expansion e;
    expand_start(&e);
    expand_input(&e, TARE_F32, 2, (int64_t[]){2, 3}, NULL);
    assert_true(
        tarei_attr_set_string(expand_node(&e, "Einsum", "", 12, 1), "equation", cases[i][0]));
    expand_refused(&e, cases[i][1]);
  }
}

static void test_refused(void **state) {
  (void)state;
  expansion e;
  expand_start(&e);
  expand_input(&e, TARE_F32, 3, (int64_t[]){1, 2, 9}, NULL);
  expand_input(&e, TARE_F32, 3, (int64_t[]){3, 2, 1}, NULL);
  assert_true(tarei_attr_set_string(expand_node(&e, "FusedConv", "com.microsoft", 17, 1),
                                    "activation", "Mish"));
  expand_refused(&e, "activation 'Mish' is not supported");
}

int expand_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_skip_layer_norm), cmocka_unit_test(test_gelu),
      cmocka_unit_test(test_fused_layers),    cmocka_unit_test(test_conv_transpose),
      cmocka_unit_test(test_einsum),          cmocka_unit_test(test_einsum_refused),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
