/* A Slice that cuts positions off a convolution of stride 1 whose padding made them (as exporters
 * write even kernels that keep the length) goes into the pads. The value before the Slice
 * disappears. */
#include <string.h>

#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

/* What a Slice takes off the begin and the end of one axis. */
typedef struct trim_pads_cut {
  int axis; /* not negative */
  int64_t begin, end;
} trim_pads_cut;

/* One integer of a list that is an input, or an attribute before opset 10; or `fallback`. */
static bool trim_pads_read_int(const tarei_graph *const graph, const tarei_node *const node,
                               const int input, const char *const name, const int64_t fallback,
                               int64_t *const out) {
  int n = 0;
  if (tarei_node_in(node, input) >= 0 || tarei_attr_find(node, name)) {
    return tarei_node_ints(graph, node, input, name, out, 1, &n) && n == 1;
  }
  *out = fallback;
  return fallback != INT64_MIN;
}

/* True for a Slice of one axis by step 1 whose cuts do not depend on the length. */
static bool trim_pads_read_cut(const tarei_graph *const graph, const tarei_node *const slice,
                               trim_pads_cut *const out) {
  const int rank = graph->values[slice->in[0]].rank;
  int64_t start, end, axis, step;
  if (!trim_pads_read_int(graph, slice, 1, "starts", INT64_MIN, &start) ||
      !trim_pads_read_int(graph, slice, 2, "ends", INT64_MIN, &end) ||
      !trim_pads_read_int(graph, slice, 3, "axes", 0, &axis) ||
      !trim_pads_read_int(graph, slice, 4, "steps", 1, &step)) {
    return false;
  }
  const bool to_end = end >= INT32_MAX;
  *out = (trim_pads_cut){.axis = (int)(axis < 0 ? axis + rank : axis), .begin = start, .end = -end};
  out->end = to_end ? 0 : out->end;
  return step == 1 && axis >= -rank && axis < rank && start >= 0 && start < INT32_MAX &&
         (to_end || (end < 0 && end > -INT32_MAX));
}

/* Takes the cut out of the pads of a convolution; false where they are shorter. */
static bool trim_pads_slice(tarei_node *const conv, const int axis, const int space,
                            const trim_pads_cut *const c, int64_t *const pads) {
  const tarei_attr *const given = tarei_attr_find(conv, "pads");
  int n_strides;
  const int64_t *const strides = tarei_attr_ints(conv, "strides", &n_strides);
  if (!given || given->kind != TAREI_ATTR_INTS || given->n != 2 * space || axis < 0 ||
      axis >= space || (strides && (n_strides != space || strides[axis] != 1)) ||
      strcmp(tarei_attr_string(conv, "auto_pad", "NOTSET"), "NOTSET") != 0) {
    return false;
  }
  memcpy(pads, given->ints, (size_t)(2 * space) * sizeof *pads);
  pads[axis] -= c->begin;
  pads[space + axis] -= c->end;
  return pads[axis] >= 0 && pads[space + axis] >= 0;
}

static tare_status trim_pads_fuse_at(tarei_graph *const graph, const int index, bool *const changed,
                                     tare_error *const err) {
  tarei_node *const slice = &graph->nodes[index];
  tarei_node *const conv = tarei_producer_is(graph, slice->in[0], &tarei_op_conv);
  trim_pads_cut c;
  int64_t pads[2 * TARE_MAX_RANK];
  if (!conv || tarei_graph_sole_consumer(graph, slice->in[0]) != index ||
      !tarei_value_is_const(graph, conv->in[1]) || !trim_pads_read_cut(graph, slice, &c)) {
    return TARE_OK;
  }
  const int space = graph->values[slice->in[0]].rank - 2;
  if (!trim_pads_slice(conv, c.axis - 2, space, &c, pads)) {
    return TARE_OK;
  }
  if (!tarei_attr_set_ints(conv, "pads", pads, 2 * space)) {
    return tarei_fail_memory(err, "pads", sizeof pads);
  }
  *changed = true;
  return tarei_absorb(graph, (int)(conv - graph->nodes), index, err);
}

static tare_status trim_pads_run(tarei_graph *const graph, const tarei_pass_options *const options,
                                 bool *const changed, tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op == &tarei_op_slice) {
      TAREI_TRY(trim_pads_fuse_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_trim_pads = {
    .name = "trim_pads",
    .summary = "takes a Slice of what padding made into the pads of the convolution",
    .removes_tensors = true,
    .run = trim_pads_run,
};
