/* Bernoulli: 1 where a uniform number is below the probability. */
#include "graph/ir/build.h"
#include "graph/noise_name.h"
#include "graph/ops/ops_common.h"

static tare_status bernoulli_expand(tarei_graph *const graph, const int node,
                                    tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 1, err));
  const tarei_value *const x = tarei_ops_in(graph, &graph->nodes[node], 0);
  if (x->dtype != TARE_F32 && x->dtype != TARE_F64) {
    return tarei_fail(err, TARE_E_MODEL, "input '%s' is %s, expected a float", x->name,
                      tare_dtype_name(x->dtype));
  }
  const int64_t to = tarei_attr_int(&graph->nodes[node], "dtype", x->dtype);
  const int64_t name = tarei_noise_name_of(graph, &graph->nodes[node]);
  const tare_dtype dtype = x->dtype;
  const int out = graph->nodes[node].out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int in = tarei_build_in(&b, 0);
  const int drawn = tarei_build_unary(&b, "RandomUniformLike", in);
  tarei_build_int(&b, "dtype", dtype);
  tarei_build_int(&b, TAREI_ATTR_NOISE, name);
  const int below = tarei_build_binary(&b, "Less", drawn, in);
  tarei_build_into(&b, "Cast", &below, 1, out);
  tarei_build_int(&b, "to", to); /* Cast refuses what is no type */
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_bernoulli = {
    .name = "Bernoulli",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .draws = true,
    .expand = bernoulli_expand,
};
