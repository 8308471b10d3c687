#include "graph/quantize/lower_bound.h"

#include <math.h>
#include <string.h>

#include "graph/op.h"

#define FINER 2 /* so many times less must rows lose by counting from their bound */

static bool has_residual(const tarei_node *const layer) {
  return layer->n_in > TAREI_INT8_RESIDUAL && layer->in[TAREI_INT8_RESIDUAL] >= 0;
}

float tarei_layer_bound(const tarei_node *const layer) {
  static const struct {
    const char *activation;
    float bound; /* just below the lowest value */
  } BOUNDS[] = {{"gelu", -0.17f}, {"gelu_tanh", -0.1701f}, {"silu", -0.2785f}};
  const bool linear = (layer->op == &tarei_op_linear || layer->op == &tarei_op_qlinear) &&
                      !tarei_attr_find(layer, TAREI_ATTR_ROW_GROUPS);
  const char *const activation = tarei_attr_string(layer, TAREI_ATTR_ACTIVATION, "none");
  for (size_t i = 0; linear && !has_residual(layer) && i < sizeof BOUNDS / sizeof *BOUNDS; i++) {
    if (strcmp(activation, BOUNDS[i].activation) == 0) {
      return BOUNDS[i].bound;
    }
  }
  return 0;
}

static float bound_of_maker(const tarei_graph *const g, const int value) {
  const int maker = g->values[value].producer;
  return maker < 0 ? 0 : tarei_layer_bound(&g->nodes[maker]);
}

float tarei_rows_bound(const tarei_graph *const g, const int rows) {
  return bound_of_maker(g, rows);
}

/* The largest of the columns: |bound| over the amax of the tensor. */
static double share_of_bound(const tarei_quant *const quant, const float bound) {
  float least = INFINITY; /* gcc 12 for 64-bit Arm ends at fmax here */
  for (int i = 0; i < quant->n_scales; i++) {
    least = quant->scales[i] < least ? quant->scales[i] : least;
  }
  return fabs((double)bound) / (127 * (double)least);
}

/* What one scale around 128 would lose. */
static double symmetric_loss(const tarei_quant *const quant) {
  const bool uneven = quant->zero_point > 0 && quant->zero_point < TAREI_SYMMETRIC;
  const double coarser = uneven ? (255 - quant->zero_point) / 127.0 : 1;
  return quant->static_loss * coarser * coarser;
}

/* A row of amax A has 255 steps for A - bound instead of 254 for 2 A, which loses (1 - bound / A)^2
 * / 4 of row_loss. The mean square of bound / A follows from the loss by one scale, which is that
 * of rows of the tensor's amax; its root is no less than the mean. */
bool tarei_rows_have_bound(const tarei_graph *const g, const int value, double *const loss) {
  const tarei_quant *const quant = &g->values[value].quant;
  const float bound = bound_of_maker(g, value);
  const double share = share_of_bound(quant, bound);
  if (!(share > 0) || !(quant->row_loss > 0) || quant->follows_level || quant->stated) {
    return false;
  }
  const double part = 1 + share * sqrt(symmetric_loss(quant) / quant->row_loss);
  *loss = quant->row_loss * part * part / 4;
  return FINER * *loss < quant->row_loss;
}
