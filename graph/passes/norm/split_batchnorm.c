/* A BatchNormalization between two reshapes that only divide channels otherwise (by parts of the
 * bands, as sub-spectral normalization does) is a factor and an offset for each element of the
 * leading axes. So it stands in no Transpose's way. The values between the reshapes disappear. */
#include "base/mem.h"
#include "graph/passes/norm/batchnorm.h"
#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

typedef struct split_norm {
  tarei_batchnorm norm;
  int x;              /* what the first reshape reads */
  int before, after;  /* the reshapes */
  int lead;           /* axes of x behind the batch that the factors have */
  int64_t count, per; /* their elements, and how many of them are of one channel */
} split_norm;

/* The product of axes [first, last) where they are constant. */
static bool constant_product(const tarei_graph *const graph, const tarei_value *const v,
                             const int first, const int last, int64_t *const out) {
  *out = 1;
  for (int d = first; d < last; d++) {
    int64_t size;
    if (!tarei_expr_is_const(graph->exprs, v->dims[d], &size) || !tarei_mul_i64(*out, size, out)) {
      return false;
    }
  }
  return true;
}

/* Do both have the same batch, and the same axes at the end? What is left of them must be constant.
 */
static bool read_split(const tarei_graph *const graph, const int reshaped, split_norm *const s) {
  const tarei_value *const x = &graph->values[s->x], *const y = &graph->values[reshaped];
  int same = 0;
  while (same < x->rank - 2 && same < y->rank - 2 &&
         x->dims[x->rank - 1 - same] == y->dims[y->rank - 1 - same]) {
    same++;
  }
  int64_t channels;
  s->lead = x->rank - 1 - same;
  return x->rank > 2 && y->rank > 2 && x->dims[0] == y->dims[0] &&
         constant_product(graph, y, 1, 2, &channels) && channels > 1 &&
         constant_product(graph, y, 2, y->rank - same, &s->per) &&
         constant_product(graph, x, 1, 1 + s->lead, &s->count) && s->count == channels * s->per;
}

static bool split_same_dims(const tarei_graph *const graph, const int a, const int b) {
  const tarei_value *const x = &graph->values[a], *const y = &graph->values[b];
  bool same = x->rank == y->rank;
  for (int d = 0; same && d < x->rank; d++) {
    same = x->dims[d] == y->dims[d];
  }
  return same;
}

static bool find_split(const tarei_graph *const graph, const int index, split_norm *const s) {
  const tarei_node *const node = &graph->nodes[index];
  if (node->op != &tarei_op_batch_normalization || !tarei_value_is_f32(graph, node->in[0])) {
    return false;
  }
  const tarei_node *const before = tarei_producer(graph, node->in[0]);
  s->after = tarei_graph_sole_consumer(graph, node->out[0]);
  if (!before || s->after < 0 || !tarei_is_reshape(graph, before) ||
      !tarei_is_reshape(graph, &graph->nodes[s->after]) ||
      graph->nodes[s->after].in[0] != node->out[0] ||
      tarei_graph_sole_consumer(graph, node->in[0]) != index) {
    return false;
  }
  s->before = (int)(before - graph->nodes);
  s->x = before->in[0];
  return read_split(graph, node->in[0], s) &&
         tarei_batchnorm_read(graph, node, s->count / s->per, &s->norm) &&
         split_same_dims(graph, s->x, graph->nodes[s->after].out[0]);
}

/* Constants over the leading axes, one element along the others. */
static tare_status add_factors(tarei_graph *const graph, const int norm, const split_norm *const s,
                               int *const gain, int *const shift, tare_error *const err) {
  const tarei_value *const x = &graph->values[s->x];
  const int rank = x->rank - 1, like = graph->nodes[norm].in[1];
  int64_t dims[TARE_MAX_RANK];
  for (int d = 0; d < rank; d++) {
    dims[d] = 1;
    if (d < s->lead) {
      (void)tarei_expr_is_const(graph->exprs, x->dims[1 + d], &dims[d]);
    }
  }
  float *gains, *shifts; /* the contents stay where they are when more values come */
  TAREI_TRY(tarei_const_new(graph, like, "__gain", rank, dims, gain, &gains, err));
  TAREI_TRY(tarei_const_new(graph, like, "__shift", rank, dims, shift, &shifts, err));
  for (int64_t i = 0; i < s->count; i++) {
    gains[i] = (float)tarei_batchnorm_gain(&s->norm, i / s->per);
    shifts[i] = tarei_batchnorm_bias(&s->norm, i / s->per, 0);
  }
  return TARE_OK;
}

/* The second reshape becomes the sum, which keeps the output's name. */
static tare_status split_batchnorm_at(tarei_graph *const graph, const int norm,
                                      const split_norm *const s, tare_error *const err) {
  int gain, shift, scaled, ignored;
  TAREI_TRY(add_factors(graph, norm, s, &gain, &shift, err));
  TAREI_TRY(tarei_add_helper(graph, s->x, "__scaled", &scaled, err));
  TAREI_TRY(tarei_add_node(graph, &tarei_op_mul, graph->nodes[norm].name, 14, (int[]){s->x, gain},
                           2, scaled, &ignored, err));
  tarei_node *const sum = &graph->nodes[s->after];
  while (sum->n_attrs > 0) {
    tarei_attr_remove(sum, sum->attrs[0].name);
  }
  sum->op = &tarei_op_add;
  sum->opset = 14;
  tarei_graph_cut_inputs(graph, s->after, 1);
  tarei_graph_set_in(graph, s->after, 0, scaled);
  TAREI_TRY(tarei_node_set_in(graph, s->after, 1, shift, err));
  tarei_graph_remove_node(graph, norm);
  tarei_graph_remove_node(graph, s->before);
  return TARE_OK;
}

static tare_status split_batchnorm_run(tarei_graph *const graph,
                                       const tarei_pass_options *const options, bool *const changed,
                                       tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    split_norm s;
    if (find_split(graph, i, &s)) {
      TAREI_TRY(split_batchnorm_at(graph, i, &s, err));
      *changed = true;
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_split_batchnorm = {
    .name = "split_batchnorm",
    .summary = "turns BatchNormalization of bands between reshapes into Mul and Add",
    .removes_tensors = true,
    .run = split_batchnorm_run,
};
