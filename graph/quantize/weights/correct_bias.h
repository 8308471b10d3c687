/* Biases that make up for what rounding takes from weights (docs/numerics.md, "Bias correction").
 */
#ifndef TAREI_GRAPH_QUANTIZE_WEIGHTS_CORRECT_BIAS_H
#define TAREI_GRAPH_QUANTIZE_WEIGHTS_CORRECT_BIAS_H

#include "graph/quantize/weights/weight_choice.h"

/* What the mean of output channel j loses by rounding the weights w: their errors times the means
 * of the inputs, which the choice has. */
float tarei_bias_correction(const tarei_weight_choice *choice, const float *w,
                            const tarei_weight_view *view, float scale, int64_t j);

/* Gives a layer of a graph, whose weights are still floats, a bias with the corrections. A layer
 * whose bias is computed keeps it. */
tare_status tarei_correct_bias(tarei_graph *graph, int node, const tarei_weight_view *view,
                               const tarei_weight_choice *choice, tare_error *err);

/* Whether the bias of a layer is corrected. */
bool tarei_bias_is_corrected(const tarei_node *node);

#endif
