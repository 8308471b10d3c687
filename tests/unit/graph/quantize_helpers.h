/* Small graphs with annotated values, quantized. */
#ifndef TAREI_TESTS_UNIT_GRAPH_QUANTIZE_HELPERS_H
#define TAREI_TESTS_UNIT_GRAPH_QUANTIZE_HELPERS_H

#include "graph/quantize/quantize.h"
#include "pass_helpers.h"

static const float ramp[256] = {1, -2, 3, -4, 5, 6, -7, 8, 9, 10, 11, 12};

/* Conv with a kernel of 1, c channels in and out. */
static inline int conv(tarei_graph *const g, const char *const out, const int x, const int64_t c) {
  char name[32];
  snprintf(name, sizeof name, "w_%s", out);
  return OP(g, "Conv", out, x, add_floats(g, name, 3, (int64_t[]){c, c, 1}, ramp));
}

static inline int linear(tarei_graph *const g, const char *const out, const int x) {
  char name[32];
  snprintf(name, sizeof name, "w_%s", out);
  return OP(g, "MatMul", out, x, add_floats(g, name, 2, (int64_t[]){8, 8}, ramp));
}

static inline tarei_quant *quant_of(const tarei_graph *const g, const char *const name) {
  const int value = tarei_graph_find_value(g, name);
  assert_true(value >= 0);
  return &g->values[value].quant;
}

static inline void set_scale(tarei_graph *const g, const char *const name, const float scale,
                             const bool unsigned_range) {
  tarei_quant *const quant = quant_of(g, name);
  free(quant->scales);
  quant->scales = malloc(sizeof *quant->scales);
  assert_non_null(quant->scales);
  quant->scales[0] = scale;
  quant->n_scales = 1;
  quant->zero_point = unsigned_range ? 0 : TAREI_SYMMETRIC;
}

static inline void drop_scale(tarei_graph *const g, const char *const name) {
  free(quant_of(g, name)->scales);
  *quant_of(g, name) = (tarei_quant){0};
}

/* Every float tensor gets a scale, those called r... an unsigned range. */
static inline void annotate(tarei_graph *const g) {
  for (int v = 0; v < g->n_values; v++) {
    if (!g->values[v].data && g->values[v].dtype == TARE_F32 && g->values[v].observable) {
      set_scale(g, g->values[v].name, 0.5f + (float)v, g->values[v].name[0] == 'r');
    }
  }
}

static inline void quantize_as(tarei_graph *const g, const bool symmetric) {
  tare_error err = {0};
  const tarei_quantize_options options = {
      .build = {.int8_when_small = true, .symmetric = symmetric}, .int8 = true};
  if (tarei_graph_share_scales(g, &err) != TARE_OK ||
      tarei_graph_quantize(g, &options, &err) != TARE_OK ||
      tarei_graph_compact(g, &err) != TARE_OK || tarei_graph_infer(g, &err) != TARE_OK ||
      tarei_graph_fuse_quantize(g, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tarei_graph_check(g);
}

static inline void quantize(tarei_graph *const g) {
  quantize_as(g, false);
}

static inline int count_op(const tarei_graph *const g, const tarei_op *const op) {
  int n = 0;
  for (int i = 0; i < g->n_nodes; i++) {
    n += g->nodes[i].op == op;
  }
  return n;
}

/* Float tensors that nodes make, outputs of the graph left out. */
static inline int count_floats(const tarei_graph *const g) {
  int n = 0;
  for (int i = 0; i < g->n_nodes; i++) {
    for (int o = 0; o < g->nodes[i].n_out; o++) {
      const tarei_value *const v = &g->values[g->nodes[i].out[o]];
      n += v->dtype == TARE_F32 && !v->is_output;
    }
  }
  return n;
}

static inline const tarei_node *node_called(const tarei_graph *const g, const char *const part) {
  for (int i = 0; i < g->n_nodes; i++) {
    if (strstr(g->nodes[i].name, part)) {
      return &g->nodes[i];
    }
  }
  fail_msg("no node is called %s", part);
  return NULL;
}

static inline tare_dtype dtype_of_input(const tarei_graph *const g, const tarei_node *const node,
                                        const int i) {
  return g->values[node->in[i]].dtype;
}

#endif
