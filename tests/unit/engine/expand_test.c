/* Operators that consist of others, by what they give: one node with constant inputs, expanded and
 * evaluated, against sums written out. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/evaluate.h"
#include "unit/engine/one_node.h"

enum { MOST = 8 };

typedef struct expansion {
  tarei_graph *graph;
  int in[MOST], n_in, out[MOST], n_out;
  int node;
} expansion;

static void start(expansion *const e) {
  *e = (expansion){.graph = tarei_graph_new("expansion")};
  assert_non_null(e->graph);
}

/* A constant; data NULL: random. */
static void add(expansion *const e, const tare_dtype dtype, const int rank,
                const int64_t *const dims, const void *const data) {
  float random[4096];
  size_t n = 1;
  for (int d = 0; d < rank; d++) {
    n *= (size_t)dims[d];
  }
  assert_true(n <= 4096 && (data || dtype == TARE_F32));
  for (size_t i = 0; i < n && !data; i++) {
    random[i] = one_node_float();
  }
  e->in[e->n_in++] = tarei_graph_add_const(e->graph, "c", dtype, rank, dims, data ? data : random);
}

static void absent(expansion *const e) {
  e->in[e->n_in++] = -1;
}

/* Outputs that are -1 are left out. */
static tarei_node *put(expansion *const e, const char *const op, const char *const domain,
                       const int opset, const int n_out) {
  for (e->n_out = 0; e->n_out < n_out; e->n_out++) {
    char name[16];
    if (e->out[e->n_out] < 0) {
      continue;
    }
    (void)snprintf(name, sizeof name, "y%d", e->n_out);
    e->out[e->n_out] = tarei_graph_add_value(e->graph, name);
    assert_true(tarei_graph_mark_output(e->graph, e->out[e->n_out]));
  }
  e->node =
      tarei_graph_add_node(e->graph, op, domain, "node", opset, e->in, e->n_in, e->out, n_out);
  assert_true(e->node >= 0);
  return &e->graph->nodes[e->node];
}

static const float *data_of(const expansion *const e, const int value) {
  return e->graph->values[value].data->data;
}

/* Infers, then computes node after node; fails the test with the message. */
static void run(expansion *const e) {
  tarei_kernels kernels;
  tare_error err = {0};
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  char names[MOST][16];
  for (int i = 0; i < e->n_in; i++) { /* what only the expansion read stays for the test to read */
    if (e->in[i] >= 0 && !e->graph->values[e->in[i]].is_output) {
      assert_true(tarei_graph_mark_output(e->graph, e->in[i]));
    }
  }
  if (tarei_graph_infer(e->graph, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  for (int i = 0; i < e->n_out; i++) {
    (void)snprintf(names[i], sizeof names[i], "y%d", i);
    e->out[i] = e->out[i] < 0 ? -1 : tarei_graph_find_value(e->graph, names[i]);
  }
  for (int n = 0; n < e->graph->n_nodes; n++) {
    tarei_buffer *out[MOST] = {0};
    const tarei_node *const node = &e->graph->nodes[n];
    assert_non_null(node->op->infer);
    if (tarei_evaluate(&kernels, e->graph, node, out, &err) != TARE_OK) {
      fail_msg("%s: %s", node->op->name, err.message);
    }
    for (int o = 0; o < node->n_out; o++) {
      if (node->out[o] >= 0) {
        e->graph->values[node->out[o]].data = out[o];
      } else {
        tarei_buffer_release(out[o]);
      }
    }
  }
}

static void refused(expansion *const e, const char *const text) {
  tare_error err = {0};
  assert_int_not_equal(tarei_graph_infer(e->graph, &err), TARE_OK);
  if (!strstr(err.message, text)) {
    fail_msg("'%s' is not in: %s", text, err.message);
  }
  tarei_graph_free(e->graph);
}

static void expect(const expansion *const e, const int output, const size_t i, const double value) {
  const double got = (double)data_of(e, e->out[output])[i];
  if (!(fabs(got - value) <= 1e-4 * fmax(1, fabs(value)))) {
    fail_msg("output %d, element %zu: %.9g instead of %.9g", output, i, got, value);
  }
}

/* --- attention -------------------------------------------------------------------------------- */

/* Heads anywhere in memory: element (b, h, row, i) of x. */
typedef struct heads {
  const float *x;
  size_t b, h, row;
} heads;

static double at(const heads *const x, const size_t b, const size_t h, const size_t row,
                 const size_t i) {
  return (double)x->x[b * x->b + h * x->h + row * x->row + i];
}

typedef struct attention {
  size_t batch, queries, keys, heads, kv_heads, depth;
  heads q, k, v;
  double scale;
  double (*bias)(const void *user, size_t b, size_t h, size_t row, size_t key);
  const void *user;
} attention;

/* Element i of a row of a head; 0 where all keys are masked. */
static double attend(const attention *const a, const size_t b, const size_t h, const size_t row,
                     const size_t i) {
  const size_t kv = h / (a->heads / a->kv_heads);
  double sum = 0, of = 0, top = -(double)INFINITY, scores[64];
  for (size_t key = 0; key < a->keys; key++) {
    double score = 0;
    for (size_t d = 0; d < a->depth; d++) {
      score += at(&a->q, b, h, row, d) * at(&a->k, b, kv, key, d);
    }
    scores[key] = score * a->scale + (a->bias ? a->bias(a->user, b, h, row, key) : 0);
    top = fmax(top, scores[key]);
  }
  for (size_t key = 0; key < a->keys && top > -(double)INFINITY; key++) {
    const double p = exp(scores[key] - top);
    sum += p;
    of += p * at(&a->v, b, kv, key, i);
  }
  return sum > 0 ? of / sum : 0;
}

static heads side_by_side(const float *const x, const size_t rows, const size_t n,
                          const size_t depth) {
  return (heads){x, rows * n * depth, depth, n * depth};
}

static void expect_heads(const expansion *const e, const attention *const a, const bool flat) {
  for (size_t i = 0; i < a->batch * a->heads * a->queries * a->depth; i++) {
    const size_t d = i % a->depth, b = i / (a->heads * a->queries * a->depth);
    const size_t outer = i / a->depth % (a->heads * a->queries);
    const size_t h = flat ? outer % a->heads : outer / a->queries;
    const size_t row = flat ? outer / a->heads : outer % a->queries;
    expect(e, 0, i, attend(a, b, h, row, d));
  }
}

static double by_bools(const void *const user, const size_t b, const size_t h, const size_t row,
                       const size_t key) {
  (void)b;
  (void)h;
  return ((const bool *)user)[row * 5 + key] ? 0 : -(double)INFINITY;
}

/* Three axes, fewer heads of keys, a mask whose row 1 allows nothing. */
static void test_attention_of_few_heads(void **state) {
  (void)state;
  static const bool mask[4 * 5] = {1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1};
  expansion e;
  start(&e);
  add(&e, TARE_F32, 3, (int64_t[]){2, 4, 24}, NULL);
  add(&e, TARE_F32, 3, (int64_t[]){2, 5, 12}, NULL);
  add(&e, TARE_F32, 3, (int64_t[]){2, 5, 12}, NULL);
  add(&e, TARE_BOOL, 2, (int64_t[]){4, 5}, mask);
  tarei_node *const node = put(&e, "Attention", "", 23, 1);
  assert_true(tarei_attr_set_int(node, "q_num_heads", 4) &&
              tarei_attr_set_int(node, "kv_num_heads", 2) &&
              tarei_attr_set_float(node, "scale", 0.3f));
  run(&e);
  const attention a = {.batch = 2,
                       .queries = 4,
                       .keys = 5,
                       .heads = 4,
                       .kv_heads = 2,
                       .depth = 6,
                       .q = side_by_side(data_of(&e, e.in[0]), 4, 4, 6),
                       .k = side_by_side(data_of(&e, e.in[1]), 5, 2, 6),
                       .v = side_by_side(data_of(&e, e.in[2]), 5, 2, 6),
                       .scale = 0.3,
                       .bias = by_bools,
                       .user = mask};
  expect_heads(&e, &a, true);
  tarei_graph_free(e.graph);
}

static double by_order(const void *const user, const size_t b, const size_t h, const size_t row,
                       const size_t key) {
  (void)b;
  (void)h;
  return key <= row + *(const size_t *)user ? 0 : -(double)INFINITY;
}

/* Four axes, causal behind a cache of two keys, which comes out with the new ones. */
static void test_attention_with_cache(void **state) {
  (void)state;
  static const size_t kept = 2;
  expansion e;
  start(&e);
  for (int i = 0; i < 3; i++) {
    add(&e, TARE_F32, 4, (int64_t[]){2, 3, 4, 8}, NULL);
  }
  absent(&e);
  add(&e, TARE_F32, 4, (int64_t[]){2, 3, 2, 8}, NULL);
  add(&e, TARE_F32, 4, (int64_t[]){2, 3, 2, 8}, NULL);
  assert_true(tarei_attr_set_int(put(&e, "Attention", "", 23, 3), "is_causal", 1));
  run(&e);
  const heads keys = {data_of(&e, e.out[1]), 3 * 6 * 8, 6 * 8, 8};
  const heads old = {data_of(&e, e.in[4]), 3 * 2 * 8, 2 * 8, 8};
  const heads new = {data_of(&e, e.in[1]), 3 * 4 * 8, 4 * 8, 8};
  for (size_t row = 0; row < 6; row++) {
    assert_true(at(&keys, 1, 2, row, 5) ==
                (row < kept ? at(&old, 1, 2, row, 5) : at(&new, 1, 2, row - kept, 5)));
  }
  const attention a = {.batch = 2,
                       .queries = 4,
                       .keys = 6,
                       .heads = 3,
                       .kv_heads = 3,
                       .depth = 8,
                       .q = {data_of(&e, e.in[0]), 3 * 4 * 8, 4 * 8, 8},
                       .k = keys,
                       .v = {data_of(&e, e.out[2]), 3 * 6 * 8, 6 * 8, 8},
                       .scale = 1 / sqrt(8.0),
                       .bias = by_order,
                       .user = &kept};
  expect_heads(&e, &a, false);
  tarei_graph_free(e.graph);
}

static double by_lengths(const void *const user, const size_t b, const size_t h, const size_t row,
                         const size_t key) {
  (void)h;
  return (key < (size_t)((const int32_t *)user)[b] ? 0 : -10000.0) +
         (key <= row ? 0 : -(double)FLT_MAX);
}

/* The product with all weights first, lengths of sequences, no look ahead. */
static void test_contrib_attention(void **state) {
  (void)state;
  static const int32_t lengths[] = {3, 5};
  expansion e;
  start(&e);
  add(&e, TARE_F32, 3, (int64_t[]){2, 5, 6}, NULL);
  add(&e, TARE_F32, 2, (int64_t[]){6, 24}, NULL);
  add(&e, TARE_F32, 1, (int64_t[]){24}, NULL);
  add(&e, TARE_I32, 1, (int64_t[]){2}, lengths);
  tarei_node *const node = put(&e, "Attention", "com.microsoft", 17, 1);
  assert_true(tarei_attr_set_int(node, "num_heads", 2) &&
              tarei_attr_set_int(node, "unidirectional", 1));
  run(&e);
  const float *const x = data_of(&e, e.in[0]), *const w = data_of(&e, e.in[1]);
  float qkv[2 * 5 * 24];
  for (size_t i = 0; i < 2 * 5 * 24; i++) {
    double sum = (double)data_of(&e, e.in[2])[i % 24];
    for (size_t k = 0; k < 6; k++) {
      sum += (double)x[i / 24 * 6 + k] * (double)w[k * 24 + i % 24];
    }
    qkv[i] = (float)sum;
  }
  const attention a = {.batch = 2,
                       .queries = 5,
                       .keys = 5,
                       .heads = 2,
                       .kv_heads = 2,
                       .depth = 4,
                       .q = {qkv, 120, 4, 24},
                       .k = {qkv + 8, 120, 4, 24},
                       .v = {qkv + 16, 120, 4, 24},
                       .scale = 0.5,
                       .bias = by_lengths,
                       .user = lengths};
  expect_heads(&e, &a, true);
  tarei_graph_free(e.graph);
}

static void test_multi_head_attention(void **state) {
  (void)state;
  expansion e;
  start(&e);
  add(&e, TARE_F32, 5, (int64_t[]){2, 4, 3, 3, 8}, NULL); /* [batch, rows, heads, QKV, depth] */
  assert_true(
      tarei_attr_set_int(put(&e, "MultiHeadAttention", "com.microsoft", 17, 1), "num_heads", 3));
  run(&e);
  const float *const x = data_of(&e, e.in[0]);
  const attention a = {.batch = 2,
                       .queries = 4,
                       .keys = 4,
                       .heads = 3,
                       .kv_heads = 3,
                       .depth = 8,
                       .q = {x, 288, 24, 72},
                       .k = {x + 8, 288, 24, 72},
                       .v = {x + 16, 288, 24, 72},
                       .scale = 1 / sqrt(8.0)};
  expect_heads(&e, &a, true);
  tarei_graph_free(e.graph);
}

static void test_rotary_embedding(void **state) {
  (void)state;
  static const int64_t positions[] = {3};
  for (int neighbours = 0; neighbours < 2; neighbours++) {
    expansion e;
    start(&e);
    add(&e, TARE_F32, 3, (int64_t[]){1, 4, 16}, NULL);
    add(&e, TARE_I64, 1, (int64_t[]){1}, positions);
    add(&e, TARE_F32, 2, (int64_t[]){9, 3}, NULL);
    add(&e, TARE_F32, 2, (int64_t[]){9, 3}, NULL);
    tarei_node *const node = put(&e, "RotaryEmbedding", "com.microsoft", 17, 1);
    assert_true(tarei_attr_set_int(node, "interleaved", neighbours) &&
                tarei_attr_set_int(node, "num_heads", 2) &&
                tarei_attr_set_int(node, "rotary_embedding_dim", 6));
    run(&e);
    const float *const x = data_of(&e, e.in[0]);
    const float *const cosine = data_of(&e, e.in[2]), *const sine = data_of(&e, e.in[3]);
    for (size_t i = 0; i < 64; i++) {
      const size_t d = i % 8, angle = neighbours ? d / 2 : d % 3, row = 3 + i / 16;
      const bool first = neighbours ? d % 2 == 0 : d < 3;
      const size_t other = neighbours ? i ^ 1 : first ? i + 3 : i - 3;
      const double c = (double)cosine[row * 3 + angle], s = (double)sine[row * 3 + angle];
      const double turned = (double)x[i] * c + (double)x[other] * (first ? -s : s);
      expect(&e, 0, i, d < 6 ? turned : (double)x[i]);
    }
    tarei_graph_free(e.graph);
  }
}

/* --- layers ----------------------------------------------------------------------------------- */

static void test_skip_layer_norm(void **state) {
  (void)state;
  for (int simple = 0; simple < 2; simple++) {
    expansion e;
    start(&e);
    add(&e, TARE_F32, 3, (int64_t[]){2, 3, 7}, NULL);
    add(&e, TARE_F32, 3, (int64_t[]){2, 3, 7}, NULL);
    for (int i = simple; i < 3; i++) { /* gain, shift, bias */
      add(&e, TARE_F32, 1, (int64_t[]){7}, NULL);
    }
    e.out[1] = e.out[2] = -1;
    (void)put(&e, simple ? "SkipSimplifiedLayerNormalization" : "SkipLayerNormalization",
              "com.microsoft", 17, 4);
    run(&e);
    const float *const bias = data_of(&e, e.in[simple ? 3 : 4]);
    for (size_t row = 0; row < 6; row++) {
      double x[7], mean = 0, squares = 0;
      for (size_t i = 0; i < 7; i++) {
        x[i] = (double)data_of(&e, e.in[0])[row * 7 + i] +
               (double)data_of(&e, e.in[1])[row * 7 + i] + (double)bias[i];
        mean += simple ? 0 : x[i] / 7;
        expect(&e, 3, row * 7 + i, x[i]);
      }
      for (size_t i = 0; i < 7; i++) {
        squares += (x[i] - mean) * (x[i] - mean) / 7;
      }
      for (size_t i = 0; i < 7; i++) {
        expect(&e, 0, row * 7 + i,
               (x[i] - mean) / sqrt(squares) * (double)data_of(&e, e.in[2])[i] +
                   (simple ? 0 : (double)data_of(&e, e.in[3])[i]));
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
    start(&e);
    const bool biased = op == 1 || op == 2;
    add(&e, TARE_F32, 2, (int64_t[]){3, 5}, NULL);
    if (biased) {
      add(&e, TARE_F32, 1, (int64_t[]){5}, NULL);
    }
    (void)put(&e, ops[op], "com.microsoft", 17, 1);
    run(&e);
    for (size_t i = 0; i < 15; i++) {
      const double x =
          (double)data_of(&e, e.in[0])[i] + (biased ? (double)data_of(&e, e.in[1])[i % 5] : 0);
      expect(&e, 0, i,
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
  start(&e);
  add(&e, TARE_F32, 3, (int64_t[]){1, 2, 5}, (float[]){1, 2, 3, 4, 5, -1, 0, 1, 0, -1});
  add(&e, TARE_F32, 3, (int64_t[]){1, 2, 1}, (float[]){1, 2});
  absent(&e);
  add(&e, TARE_F32, 3, (int64_t[]){1, 1, 5}, (float[]){-2, -2, -9, -2, -2});
  tarei_node *node = put(&e, "FusedConv", "com.microsoft", 17, 1);
  const tarei_attr slope = {
      .name = "activation_params", .kind = TAREI_ATTR_FLOATS, .n = 1, .floats = (float[]){0.5f}};
  assert_true(tarei_attr_set_string(node, "activation", "LeakyRelu") &&
              tarei_attr_copy(node, &slope));
  run(&e);
  const double convolved[] = {-1.5, 0, -2, 2, 1};
  for (size_t i = 0; i < 5; i++) {
    expect(&e, 0, i, convolved[i]);
  }
  tarei_graph_free(e.graph);
  start(&e);
  add(&e, TARE_F32, 2, (int64_t[]){2, 1}, (float[]){1, 2});
  add(&e, TARE_F32, 2, (int64_t[]){3, 2}, (float[]){1, 2, 3, 4, 5, 6});
  node = put(&e, "FusedMatMul", "com.microsoft", 17, 1);
  assert_true(tarei_attr_set_int(node, "transA", 1) && tarei_attr_set_int(node, "transB", 1) &&
              tarei_attr_set_float(node, "alpha", 10));
  run(&e);
  const double product[] = {50, 110, 170};
  for (size_t i = 0; i < 3; i++) {
    expect(&e, 0, i, product[i]);
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
  const float *x = data_of(e, e->in[0]);
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
            (double)data_of(e, e->in[1])[c * t->outputs * t->kernel[0] * t->kernel[1] + w];
      }
    }
  }
  for (size_t i = 0; i < n; i++) {
    expect(e, 0, i, sums[i] + (double)data_of(e, e->in[2])[i / plane % (size_t)all]);
  }
  free(sums);
}

static void test_conv_transpose(void **state) {
  (void)state;
  for (int round = 0; round < 30; round++) {
    const transposed t = random_transposed();
    const int64_t all = t.outputs * t.group;
    expansion e;
    start(&e);
    add(&e, TARE_F32, 4, (int64_t[]){t.batch, t.channels, t.in[0], t.in[1]}, NULL);
    add(&e, TARE_F32, 4, (int64_t[]){t.channels, t.outputs, t.kernel[0], t.kernel[1]}, NULL);
    add(&e, TARE_F32, 1, &all, NULL);
    tarei_node *const node = put(&e, "ConvTranspose", "", 11, 1);
    assert_true(tarei_attr_set_int(node, "group", t.group) &&
                tarei_attr_set_ints(node, "strides", t.stride, 2) &&
                tarei_attr_set_ints(node, "dilations", t.dilation, 2) &&
                tarei_attr_set_ints(node, "output_padding", t.more, 2));
    assert_true(tarei_attr_set_ints(node, "pads", t.pads, 4));
    run(&e);
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
      value *= (double)data_of(e, e->in[i])[from];
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
    expect(e, 0, i, sums[i]);
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
    start(&e);
    for (int o = 0; o < 3 && p->rank[o]; o++) {
      add(&e, TARE_F32, p->rank[o], p->dims[o], NULL);
    }
    assert_true(tarei_attr_set_string(put(&e, "Einsum", "", 12, 1), "equation", p->equation));
    run(&e);
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
    start(&e);
    add(&e, TARE_F32, 2, (int64_t[]){2, 3}, NULL);
    assert_true(tarei_attr_set_string(put(&e, "Einsum", "", 12, 1), "equation", cases[i][0]));
    refused(&e, cases[i][1]);
  }
}

static void test_refused(void **state) {
  (void)state;
  expansion e;
  start(&e);
  for (int i = 0; i < 3; i++) {
    add(&e, TARE_F32, 3, (int64_t[]){1, 2, 12}, NULL);
  }
  assert_true(tarei_attr_set_int(put(&e, "Attention", "", 23, 1), "q_num_heads", 5));
  refused(&e, "5 query heads are not a multiple of 0 key heads");
  start(&e);
  add(&e, TARE_F32, 3, (int64_t[]){1, 2, 12}, NULL);
  add(&e, TARE_F32, 2, (int64_t[]){12, 35}, NULL);
  assert_true(tarei_attr_set_int(put(&e, "Attention", "com.microsoft", 17, 1), "num_heads", 1));
  refused(&e, "the weights are 35 wide");
  start(&e);
  add(&e, TARE_F32, 3, (int64_t[]){1, 2, 9}, NULL);
  add(&e, TARE_F32, 3, (int64_t[]){3, 2, 1}, NULL);
  assert_true(
      tarei_attr_set_string(put(&e, "FusedConv", "com.microsoft", 17, 1), "activation", "Mish"));
  refused(&e, "activation 'Mish' is not supported");
}

int main(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_attention_of_few_heads),
      cmocka_unit_test(test_attention_with_cache),
      cmocka_unit_test(test_contrib_attention),
      cmocka_unit_test(test_multi_head_attention),
      cmocka_unit_test(test_rotary_embedding),
      cmocka_unit_test(test_skip_layer_norm),
      cmocka_unit_test(test_gelu),
      cmocka_unit_test(test_fused_layers),
      cmocka_unit_test(test_conv_transpose),
      cmocka_unit_test(test_einsum),
      cmocka_unit_test(test_einsum_refused),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
