/* InstanceNormalization of groups of channels, between a Reshape to [N, groups, -1] and one back,
 * is a GroupNorm, which has a scale and a bias for each channel. The values between disappear. */
#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/pattern.h"

typedef struct group_norm {
  int norm, x, out;
  int64_t channels, groups;
  const float *scale, *bias;
  int scale_step, bias_step; /* 0: one number for all groups */
} group_norm;

/* Whether the norm stands between two Reshapes, of which the first makes groups of whole channels.
 */
static bool find_channel_groups(const tarei_graph *const g, tarei_pattern *const nodes,
                                group_norm *const n) {
  const tarei_node *const norm = &g->nodes[n->norm];
  const tarei_node *const before = tarei_producer_is(g, norm->in[0], &tarei_op_reshape);
  const int after = tarei_graph_sole_consumer(g, norm->out[0]);
  if (!before || after < 0 || g->nodes[after].op != &tarei_op_reshape || norm->n_in != 3) {
    return false;
  }
  n->x = before->in[0];
  n->out = g->nodes[after].out[0];
  const tarei_value *const x = &g->values[n->x], *const rows = &g->values[norm->in[0]];
  return tarei_value_is_f32(g, n->x) && (x->rank == 3 || x->rank == 4) && rows->rank == 3 &&
         x->dims[0] == rows->dims[0] && tarei_values_same_shape(g, n->x, n->out) &&
         tarei_value_dim_const(g, n->x, 1, &n->channels) &&
         tarei_value_dim_const(g, norm->in[0], 1, &n->groups) && n->groups > 0 &&
         n->channels % n->groups == 0 && tarei_pattern_add(g, nodes, norm->in[0]) &&
         tarei_pattern_add(g, nodes, norm->out[0]) && tarei_pattern_add(g, nodes, n->out) &&
         tarei_pattern_is_closed(g, nodes, n->out);
}

static bool read_vectors(const tarei_graph *const g, group_norm *const n) {
  const int *const in = g->nodes[n->norm].in;
  n->scale = tarei_const_channels(g, in[1], 1, 0, n->groups, &n->scale_step);
  n->bias = tarei_const_channels(g, in[2], 1, 0, n->groups, &n->bias_step);
  return n->scale && n->bias;
}

/* A number for each channel: that of its group. */
static tare_status spread_groups(tarei_graph *const graph, const group_norm *const n,
                                 const int input, const float *const of_groups, const int step,
                                 int *const out, tare_error *const err) {
  float *data;
  TAREI_TRY(tarei_const_new(graph, graph->nodes[n->norm].in[input], "__channels", 1, &n->channels,
                            out, &data, err));
  for (int64_t c = 0; c < n->channels; c++) {
    data[c] = of_groups[c / (n->channels / n->groups) * step];
  }
  return TARE_OK;
}

static tare_status fuse_group_norm_at(tarei_graph *const graph, const int index,
                                      bool *const changed, tare_error *const err) {
  tarei_pattern nodes = {0};
  group_norm n = {.norm = index};
  if (!find_channel_groups(graph, &nodes, &n) || !read_vectors(graph, &n)) {
    return TARE_OK;
  }
  const float epsilon = tarei_attr_float(&graph->nodes[index], "epsilon", 1e-5f);
  int in[3] = {n.x}, node;
  TAREI_TRY(spread_groups(graph, &n, 1, n.scale, n.scale_step, &in[1], err));
  TAREI_TRY(spread_groups(graph, &n, 2, n.bias, n.bias_step, &in[2], err));
  *changed = true;
  TAREI_TRY(
      tarei_pattern_replace(graph, &nodes, n.out, &tarei_op_group_norm, 1, in, 3, &node, err));
  return tarei_attr_set_float(&graph->nodes[node], "epsilon", epsilon) &&
                 tarei_attr_set_int(&graph->nodes[node], TAREI_ATTR_GROUPS, n.groups)
             ? TARE_OK
             : tarei_fail_memory(err, "groups", sizeof(tarei_attr));
}

static tare_status fuse_group_norm_run(tarei_graph *const graph,
                                       const tarei_pass_options *const options, bool *const changed,
                                       tare_error *const err) {
  (void)options;
  for (int i = graph->n_nodes - 1; i >= 0; i--) {
    if (graph->nodes[i].op == &tarei_op_instance_normalization) {
      TAREI_TRY(fuse_group_norm_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_group_norm = {
    .name = "fuse_group_norm",
    .summary = "finds GroupNorm written as InstanceNormalization of groups",
    .removes_tensors = true,
    .run = fuse_group_norm_run,
};
