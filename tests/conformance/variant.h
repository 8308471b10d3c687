/* Other forms of a model that must compute the same: inputs as constants, sizes as symbols, fewer
 * outputs. */
#ifndef TAREI_TESTS_CONFORMANCE_VARIANT_H
#define TAREI_TESTS_CONFORMANCE_VARIANT_H

#include <stdbool.h>

#include "onnx.pb-c.h"

typedef enum variant_dims {
  DIMS_AS_THEY_ARE,
  DIMS_OWN,    /* each axis of each input has a symbol of its own */
  DIMS_SHARED, /* axes of one size share a symbol */
} variant_dims;

typedef struct variant {
  variant_dims dims;
  bool constants;      /* inputs that are parameters become initializers */
  bool fix_parameters; /* they keep their sizes */
  bool unnamed;        /* the node's first output has no name, and is no output of the model */
} variant;

/* True for inputs that tell how to compute rather than what from: axes, shapes, bounds, ... */
bool is_parameter(const Onnx__GraphProto *graph, int input, const Onnx__TensorProto *value);

/* Rewrites the model, whose inputs have these values; takes out of `values` (sets to NULL) what
 * becomes a part of the model. False when the model has nothing to which the variant applies. */
bool variant_apply(Onnx__ModelProto *model, variant v, Onnx__TensorProto **values);

#endif
