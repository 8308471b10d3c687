/* Residuals: a target that fuses a convolution with the addition of its output writes int8 from it
 * only if the other summand is int8 too. */
#include <string.h>

#include "base/mem.h"
#include "graph/op.h"
#include "graph/passes/rewrite.h"
#include "graph/qdq/place.h"
#include "graph/quantize/row_need.h"

/* The Add that alone reads the output of an int8 convolution, or NULL. */
static const tarei_node *fused_addition(const tarei_placement *const p,
                                        const tarei_placed_layer *const layer) {
  const int out = tarei_placed_output(p, layer->node, 0);
  const int reader = out < 0 ? -1 : tarei_graph_sole_consumer(p->graph, out);
  const bool conv = out >= 0 && tarei_producer_is(p->graph, out, &tarei_op_conv);
  return conv && layer->form == TAREI_FORM_INT8 && reader >= 0 &&
                 p->graph->nodes[reader].op == &tarei_op_add
             ? &p->graph->nodes[reader]
             : NULL;
}

/* A summand whose rows one scale keeps, of the shape of the sum. */
static bool can_be_int8(const tarei_graph *const g, const int value, const int sum) {
  const tarei_quant *const quant = &g->values[value].quant;
  return !g->values[value].data && quant->n_scales && !tarei_quant_loses_rows(quant) &&
         tarei_values_same_shape(g, value, sum);
}

/* Of two convolutions that are added, the later one takes the addition in. */
tare_status tarei_place_residuals(tarei_placement *const p, tare_error *const err) {
  const tarei_graph *const g = p->graph;
  p->residual = tarei_calloc((size_t)g->n_values, sizeof *p->residual);
  if (!p->residual) {
    return tarei_fail_memory(err, "residuals", (size_t)g->n_values * sizeof *p->residual);
  }
  memset(p->residual, 0xff, (size_t)g->n_values * sizeof *p->residual);
  for (int i = 0; p->target->residuals && i < p->n_layers; i++) {
    const tarei_node *const add = fused_addition(p, &p->layers[i]);
    if (!add) {
      continue;
    }
    const int sum = add->out[0], made = tarei_placed_output(p, p->layers[i].node, 0);
    const int other = add->in[add->in[0] == made ? 1 : 0];
    const int source = tarei_placed_source(p, sum);
    if (source >= 0 && p->is_factor[source] && can_be_int8(g, other, sum)) {
      p->residual[sum] = other;
    }
  }
  return TARE_OK;
}
