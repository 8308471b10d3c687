#include "graph/quantize/product_size.h"

#include "graph/quantize/quantize_uses.h"
#include "shapes/profiles.h"

/* Limits, measured with AVX512-VNNI (docs/numerics.md). They are the same on every machine: so is
 * what a plan computes. */
#define COLUMNS 16        /* outputs are computed in vectors of so many */
#define FEW_PRODUCTS 1024 /* multiply-adds of a row, below which it is faster in float */
#define SHORT_SUM 4       /* terms of a sum over activations, up to which it is faster in float */

/* The largest that a dim gets; false where only a run tells. */
static bool largest_dim(const tarei_graph *const g, const tare_profiles *const profiles,
                        const tarei_expr dim, int64_t *const size) {
  return tarei_expr_is_const(g->exprs, dim, size) ||
         (profiles && tarei_profiles_largest(profiles, g->exprs, dim, size));
}

/* Elements of a factor that one output sums over at most; unknown dims count as `unknown`. */
static int64_t summed_dims(const tarei_graph *const g, const tare_profiles *const profiles,
                           const tarei_value *const v, const tarei_int8_form *const form,
                           const int64_t unknown) {
  const int first = form->sum_first + (form->sum_first < 0 ? v->rank : 0);
  const int last = form->sum_last + (form->sum_last < 0 ? v->rank : 0);
  int64_t length = 1;
  for (int d = first; d >= 0 && d <= last; d++) {
    int64_t size;
    length *= largest_dim(g, profiles, v->dims[d], &size) ? size : unknown;
  }
  return length;
}

/* A recurrent layer has two constants of weights. */
static int64_t longest_sum(const tarei_graph *const g, const tare_profiles *const profiles,
                           const tarei_node *const node, const tarei_int8_form *const form,
                           const int64_t unknown) {
  int64_t longest = 0;
  for (int i = 1; i <= (form->weights ? form->weights : 1); i++) {
    const int64_t length = summed_dims(g, profiles, &g->values[node->in[i]], form, unknown);
    longest = length > longest ? length : longest;
  }
  return longest;
}

int64_t tarei_product_sum(const tarei_graph *const graph, const tare_profiles *const profiles,
                          const tarei_node *const node, const tarei_int8_form *const form) {
  return longest_sum(graph, profiles, node, form, 1);
}

/* Outputs that a row of the input has sums for; a recurrent layer has them for each direction. */
static int64_t row_outputs(const tarei_graph *const g, const tarei_node *const node,
                           const tarei_int8_form *const form, const int64_t sum) {
  const tarei_value *const w = &g->values[node->in[1]];
  int64_t elements = 1, size;
  for (int d = form->weights > 1; d < w->rank; d++) {
    elements *= tarei_expr_is_const(g->exprs, w->dims[d], &size) ? size : 1;
  }
  return elements / (sum > 0 ? sum : 1);
}

bool tarei_product_is_small(const tarei_graph *const graph, const tare_profiles *const profiles,
                            const tarei_node *const node, const tarei_int8_form *const form) {
  const int64_t sum = longest_sum(graph, profiles, node, form, TAREI_INT8_LONGEST_SUM);
  if (form->activations > 1) {
    return sum <= SHORT_SUM;
  }
  if (tarei_is_depthwise(graph, node)) {
    return false;
  }
  const int64_t outputs = row_outputs(graph, node, form, sum);
  return (outputs + COLUMNS - 1) / COLUMNS * COLUMNS * sum < FEW_PRODUCTS;
}
