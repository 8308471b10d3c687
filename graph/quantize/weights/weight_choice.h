/* The int8 weights of a layer as a table decides them. */
#ifndef TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_CHOICE_H
#define TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_CHOICE_H

#include "graph/quantize/weights/weight_view.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/rounding.h"

/* What a table says of the weights of a layer; NULL where it says nothing. */
typedef struct tarei_weight_choice {
  const tarei_rounding *rounding;
  const tarei_layer_numbers *clipping; /* scales */
  const tarei_layer_numbers *means;    /* of its inputs */
} tarei_weight_choice;

/* The scale of an output channel of the weights w, and a weight (tarei_weight_view_at) in units of
 * it. */
float tarei_chosen_scale(const tarei_weight_choice *choice, const float *w,
                         const tarei_weight_view *view, int64_t channel);
int8_t tarei_chosen_weight(const tarei_weight_choice *choice, const float *w,
                           const tarei_weight_view *view, float scale, int64_t j, int64_t i);

#endif
