/* Zeros that a Pad puts around a convolution's input, as exporters write causal and uneven pads, go
 * into the pads of the convolution. The value between them disappears. */
#include <string.h>

#include "graph/passes/const_data.h"
#include "graph/passes/move_axes.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "base/mem.h"

/* What a Pad puts at the begin and the end of each axis, begins first. */
typedef struct join_pads_amounts {
  int rank;
  int64_t at[2 * TARE_MAX_RANK];
} join_pads_amounts;

/* True for a Pad whose constant amounts are not negative and which fills with zeros. */
static bool read_pad(tarei_graph *const graph, const tarei_node *const pad,
                     join_pads_amounts *const out) {
  const int fill = tarei_node_in(pad, 2);
  int64_t axes[TARE_MAX_RANK], amounts[2 * TARE_MAX_RANK];
  float zero = tarei_attr_float(pad, "value", 0);
  int n_amounts;
  const int n = tarei_axes_of(graph, pad, axes);
  if (strcmp(tarei_attr_string(pad, "mode", "constant"), "constant") != 0 ||
      (fill >= 0 && !tarei_const_scalar(graph, fill, &zero)) || zero != 0 || n < 0 ||
      !tarei_node_ints(graph, pad, 1, "pads", amounts, 2 * TARE_MAX_RANK, &n_amounts) ||
      n_amounts != 2 * n) {
    return false;
  }
  *out = (join_pads_amounts){.rank = graph->values[pad->in[0]].rank};
  for (int i = 0; i < 2 * n; i++) {
    if (amounts[i] < 0) {
      return false;
    }
    out->at[i < n ? axes[i] : out->rank + axes[i - n]] = amounts[i];
  }
  return true;
}

/* The first axis that windows move along. */
static int first_of_space(const tarei_node *const conv) {
  return conv->op == &tarei_op_conv_last ? 1 : 2;
}

/* The pads of a convolution and those of the Pad in front of it; false where they cannot be added.
 */
static bool add_pads(const tarei_node *const conv, const join_pads_amounts *const added,
                     int64_t *const pads) {
  const int space = added->rank - 2, first = first_of_space(conv);
  int n;
  const int64_t *const own = tarei_attr_ints(conv, "pads", &n);
  const char *const automatic = tarei_attr_string(conv, "auto_pad", "NOTSET");
  const bool none = strcmp(automatic, "VALID") == 0;
  bool fits = (none || strcmp(automatic, "NOTSET") == 0) && (!own || n == 2 * space);
  for (int i = 0; fits && i < 2 * space; i++) {
    const int at = first + i % space + (i < space ? 0 : added->rank);
    fits = tarei_add_i64(none || !own ? 0 : own[i], added->at[at], &pads[i]);
  }
  for (int d = 0; fits && d < added->rank; d++) {
    fits =
        (d >= first && d < first + space) || (added->at[d] == 0 && added->at[added->rank + d] == 0);
  }
  return fits;
}

static tare_status join_pads_visit(tarei_graph *const graph, const int index, bool *const changed,
                                   tare_error *const err) {
  tarei_node *const conv = &graph->nodes[index];
  if (conv->op != &tarei_op_conv && conv->op != &tarei_op_conv_last) {
    return TARE_OK;
  }
  const tarei_node *const pad = tarei_producer_is(graph, conv->in[0], &tarei_op_pad);
  const bool scaled = graph->values[conv->in[0]].quant.n_scales > 0;
  join_pads_amounts added;
  int64_t pads[2 * TARE_MAX_RANK];
  if (!pad || !tarei_value_is_f32(graph, pad->in[0]) || graph->values[conv->in[0]].is_output ||
      (scaled && graph->values[pad->in[0]].quant.n_scales == 0) || !read_pad(graph, pad, &added) ||
      added.rank < 3 || !add_pads(conv, &added, pads)) {
    return TARE_OK;
  }
  const int before = pad->in[0];
  tarei_attr_remove(conv, "auto_pad");
  if (!tarei_attr_set_ints(conv, "pads", pads, 2 * (added.rank - 2))) {
    return tarei_fail_memory(err, "pads", sizeof pads);
  }
  tarei_graph_set_in(graph, index, 0, before);
  *changed = true;
  return TARE_OK;
}

static tare_status join_pads_run(tarei_graph *const graph, const tarei_pass_options *const options,
                                 bool *const changed, tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op) {
      TAREI_TRY(join_pads_visit(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_join_pads = {
    .name = "join_pads",
    .summary = "takes zeros that a Pad puts around the input of a convolution into its pads",
    .removes_tensors = true,
    .run = join_pads_run,
};
