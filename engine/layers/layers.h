/*
 * The layers of a plan as users see them (tare_layer of include/tare/plan.h): everything is derived
 * from the steps of the parts and their graphs, so a plan file stores none of it.
 */
#ifndef TAREI_ENGINE_LAYERS_LAYERS_H
#define TAREI_ENGINE_LAYERS_LAYERS_H

#include "base/str.h"
#include "engine/plan.h"

typedef struct tarei_layer {
  const tarei_part *part;
  int step;
  char *names; /* of the origins, each with its zero */
  const char **origins;
  const char **passes;
  tare_dtype *origin_types;
  tare_layer_tensor *tensors; /* inputs, then outputs */
  int *values;                /* of the tensors, in the graph of the part */
  float *scales;              /* of all tensors */
  tare_layer facts;           /* what users get */
} tarei_layer;

/* Smooths tensors of the annotated graph as the table of the build says. */
tare_status tarei_plan_smooth(tare_plan *plan, const tare_build_options *options, tare_error *err);

/* Rounds the weights of a quantized graph as the table of the build says. */
tare_status tarei_plan_round_weights(tare_plan *plan, const tare_build_options *options,
                                     tare_error *err);

/* Lists the layers and prepares what tare_plan_layer returns; the plan must be finished. */
tare_status tarei_plan_describe_layers(tare_plan *plan, tare_error *err);
void tarei_plan_free_layers(tare_plan *plan);

/* Says of each layer of the root part whether it decides the length of an output of the model. */
tare_status tarei_plan_mark_lengths(tare_plan *plan, tare_error *err);

/* Sets the tensors of a layer, and what its facts say about them. */
tare_status tarei_layer_find_tensors(tare_plan *plan, tarei_layer *layer, tare_error *err);

/* Adds what the time of layer i depends on at these values of the symbols of the profiles, beside
 * machine and threads: operator, precision, kernel, attributes, types and dims. */
tare_status tarei_layer_describe_work(const tare_plan *plan, int i, const int64_t *values,
                                      tarei_str *out, tare_error *err);

/* The step that the layer is. */
static inline const tarei_step *tarei_layer_step(const tarei_layer *const layer) {
  return &layer->part->steps[layer->step];
}

#endif
