#include "graph/stated.h"

#include "graph/op.h"
#include "graph/passes/adopt_scales.h"
#include "graph/passes/rewrite.h"

/* Nodes that are looked at for one scale: real models compute it in a few. */
enum { MOST_STEPS = 64 };

/* A graph, and the node of the graph around it whose body it is; NULL: the model. */
typedef struct stated_scope {
  const tarei_graph *graph;
  const struct stated_scope *around;
  const tarei_node *node;
} stated_scope;

/* What is outside a body, as place in the inputs of its node; -1 for what is no capture. */
static int stated_capture(const tarei_graph *const body, const int value) {
  for (int i = body->n_formal; i < body->n_inputs; i++) {
    if (body->inputs[i] == value) {
      return body->captures[i - body->n_formal];
    }
  }
  return -1;
}

/* Whether a value is a constant, or computed from nothing else. *steps is what is left of them. */
static bool stated_is_fixed(const stated_scope *const s, const int value, int *const steps) {
  if (value < 0 || tarei_value_is_const(s->graph, value)) {
    return true;
  }
  const tarei_node *const node = tarei_producer(s->graph, value);
  if (!node) {
    const int place = s->around ? stated_capture(s->graph, value) : -1;
    return place >= 0 && stated_is_fixed(s->around, s->node->in[place], steps);
  }
  for (int i = 0; i < node->n_in; i++) {
    if (--*steps < 0 || !stated_is_fixed(s, node->in[i], steps)) {
      return false;
    }
  }
  return node->n_in > 0;
}

static bool stated_fixed(const stated_scope *const s, const int value) {
  int steps = MOST_STEPS;
  return stated_is_fixed(s, value, &steps);
}

/* Whether a DequantizeLinear has a scale that can be used, as far as can be told. */
static bool stated_restores(const stated_scope *const s, const tarei_node *const node) {
  const int scale = node->in[1], zero = tarei_node_in(node, 2);
  tarei_stated stated;
  if (stated_fixed(s, node->in[0])) {
    return false; /* weights */
  }
  if (tarei_value_is_const(s->graph, scale) && (zero < 0 || tarei_value_is_const(s->graph, zero))) {
    return tarei_stated_of(s->graph, node, &stated) || tarei_stated_wide(s->graph, node, &stated);
  }
  return stated_fixed(s, scale) && stated_fixed(s, zero);
}

/* Whether a node says of an activation how it is quantized. */
static bool stated_says(const stated_scope *const s, const tarei_node *const node) {
  if (node->op == &tarei_op_dequantize_linear) {
    return stated_restores(s, node);
  }
  if (node->op == &tarei_op_matmul_integer || node->op == &tarei_op_conv_integer) {
    return !tarei_producer_is(s->graph, node->in[0], &tarei_op_dynamic_quantize_linear);
  }
  return node->op == &tarei_op_dynamic_quantize_linear ||
         tarei_attr_find(node, TAREI_ATTR_DYNAMIC) != NULL;
}

static int stated_count(const stated_scope *const s) {
  int n = 0;
  for (int i = 0; i < s->graph->n_nodes; i++) {
    const tarei_node *const node = &s->graph->nodes[i];
    const tarei_graph *body;
    n += stated_says(s, node);
    for (int b = 0; (body = tarei_node_body(node, b)) != NULL; b++) {
      n += stated_count(&(stated_scope){body, s, node});
    }
  }
  return n;
}

int tarei_graph_count_stated(const tarei_graph *const graph) {
  return stated_count(&(stated_scope){.graph = graph});
}
