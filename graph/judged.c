/*
 * The float values by which a model without float outputs is judged.
 *
 * Tags, codes and durations are equal to those of the float model or they are not, which says
 * little of how near a plan is: a few samples may be equal by luck. What was rounded or compared to
 * make them says it. So the walk goes from the outputs back through integers, and ends at floats.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "graph/model.h"
#include "graph/op.h"
#include "shapes/number.h"

static bool has_float_output(const tarei_graph *const g) {
  bool any = false;
  for (int o = 0; o < g->n_outputs; o++) {
    any |= tarei_is_float(g->values[g->outputs[o]].dtype);
  }
  return any;
}

static bool rounds(const tarei_node *const node) {
  return node->op == &tarei_op_round || node->op == &tarei_op_ceil || node->op == &tarei_op_floor;
}

static bool bounds_or_moves(const tarei_node *const node) {
  return node->op == &tarei_op_clip || node->op == &tarei_op_max || node->op == &tarei_op_min ||
         node->op == &tarei_op_relu || node->op->movement;
}

/* The value that was rounded to whole numbers, or the value itself. */
static int before_rounding(const tarei_graph *const g, const int value) {
  for (int v = value; v >= 0 && g->values[v].producer >= 0;) {
    const tarei_node *const node = &g->nodes[g->values[v].producer];
    if (rounds(node)) {
      return node->in[0];
    }
    v = bounds_or_moves(node) ? node->in[0] : -1;
  }
  return value;
}

/* What a value on the way follows from: floats decide, other values lead on. */
static void judged_mark_inputs(const tarei_graph *const g, const tarei_node *const node,
                               bool *const leads, bool *const decides) {
  for (int i = 0; i < node->n_in; i++) {
    const int v = node->in[i];
    const bool real = v >= 0 && tarei_is_float(g->values[v].dtype);
    const int from = real ? before_rounding(g, v) : v;
    if (from >= 0 && g->values[from].producer >= 0) {
      (real ? decides : leads)[from] = true;
    }
  }
}

static bool leads_to_output(const tarei_node *const node, const bool *const leads) {
  bool any = false;
  for (int o = 0; o < node->n_out; o++) {
    any |= node->out[o] >= 0 && leads[node->out[o]];
  }
  return any && !node->op->reads_dims;
}

static void find_deciding(const tarei_graph *const g, bool *const leads, bool *const decides) {
  for (int o = 0; o < g->n_outputs; o++) {
    leads[g->outputs[o]] = true;
  }
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    if (leads_to_output(&g->nodes[n], leads)) {
      judged_mark_inputs(g, &g->nodes[n], leads, decides);
    }
  }
}

/* In `to`, which has values of the same names; number of outputs that were added, or -1. */
static int judged_add_outputs(const tarei_graph *const g, const bool *const decides,
                              tarei_graph *const to) {
  int n = 0;
  for (int v = 0; v < g->n_values && n >= 0; v++) {
    const int at = decides[v] ? tarei_graph_find_value(to, g->values[v].name) : -1;
    if (at >= 0) {
      n = tarei_graph_mark_output(to, at) ? n + 1 : -1;
    }
  }
  return n;
}

/* A clone with further outputs; NULL if there are none. */
static tare_status judged_clone(const tarei_graph *const g, const tarei_graph *const from,
                                const bool *const decides, tarei_graph **const out,
                                tare_error *const err) {
  TAREI_TRY(tarei_graph_clone(from, out, err));
  const int n = judged_add_outputs(g, decides, *out);
  if (n <= 0) {
    tarei_graph_free(*out);
    *out = NULL;
  }
  return n >= 0 ? TARE_OK : tarei_fail_memory(err, "outputs", sizeof(int));
}

static tare_status judged_new(const tare_model *const model, const bool *const decides,
                              tare_model **const out, tare_error *const err) {
  const tarei_graph *const g = model->graph;
  tarei_graph *graph = NULL;
  TAREI_TRY(judged_clone(g, g, decides, &graph, err));
  if (!graph) {
    return TARE_OK;
  }
  if (g->read) {
    const tare_status status = judged_clone(g, g->read, decides, &graph->read, err);
    if (status != TARE_OK) {
      tarei_graph_free(graph);
      return status;
    }
  }
  TAREI_TRY(tarei_model_new(graph, out, err));
  tarei_str_add(&(*out)->sets, "%s", tarei_str_get(&model->sets));
  return TARE_OK;
}

tare_status tare_model_judged(const tare_model *const model, tare_model **const out,
                              tare_error *const err) {
  const tarei_graph *const g = model->graph;
  const size_t n = (size_t)g->n_values;
  *out = NULL;
  if (model->waits.status != TARE_OK || has_float_output(g)) {
    return TARE_OK;
  }
  bool *const leads = tarei_calloc(n, sizeof *leads);
  bool *const decides = tarei_calloc(n, sizeof *decides);
  tare_status status = leads && decides ? TARE_OK : tarei_fail_memory(err, "values", n);
  if (status == TARE_OK) {
    find_deciding(g, leads, decides);
    status = judged_new(model, decides, out, err);
  }
  free(leads);
  free(decides);
  return status;
}
