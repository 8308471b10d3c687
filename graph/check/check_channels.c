/* Scales for each channel that do not match what they quantize. */
#include <inttypes.h>

#include "graph/check/check.h"
#include "graph/qdq/place.h"

/* Scales against the dims of a constant. */
static void check_dims(tarei_check *const c, const tarei_quantizer *const q) {
  const Onnx__TensorProto *const w = tarei_check_stored(c, q);
  if (!w || q->n_scales < 2 || q->blocked) {
    return;
  }
  const int64_t rank = (int64_t)w->n_dims, axis = q->axis < 0 ? q->axis + rank : q->axis;
  if (axis < 0 || axis >= rank) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "set axis to that of the output channels",
                    "axis %" PRId64 " is out of range: '%s' has rank %" PRId64, q->axis,
                    tarei_onnx_text(w->name), rank);
  } else if (w->dims[axis] != q->n_scales) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "set axis to that of the output channels",
                    "has %" PRId64 " scales along axis %" PRId64 " of '%s', which has %" PRId64
                    " elements there",
                    q->n_scales, axis, tarei_onnx_text(w->name), w->dims[axis]);
  }
}

/* The axis against that of the layer's outputs. */
static void check_axis(tarei_check *const c, const int node) {
  const int maker = tarei_check_producer(c, node, 1);
  const tarei_quantizer *const w = tarei_check_quantizer(c, maker);
  const Onnx__TensorProto *const stored = w ? tarei_check_stored(c, w) : NULL;
  if (!stored || w->n_scales < 2 || w->blocked) {
    return;
  }
  const int64_t rank = (int64_t)stored->n_dims, axis = w->axis < 0 ? w->axis + rank : w->axis;
  const int64_t wanted = tarei_check_output_axis(c, node, stored);
  if (axis != wanted) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, maker,
                    "quantize the weights along their output channels",
                    "has scales along axis %" PRId64
                    ", the outputs of %s '%s' are along axis "
                    "%" PRId64,
                    axis, tarei_check_op(c, node), tarei_check_name(c, node), wanted);
  }
}

static void run_channels(tarei_check *const c) {
  for (int i = 0; i < c->n_quantizers; i++) {
    check_dims(c, &c->quantizers[i]);
    if (c->quantizers[i].n_scales > 1 && !tarei_check_stored(c, &c->quantizers[i])) {
      tarei_check_add(c, TARE_SEVERITY_WARNING, c->quantizers[i].node,
                      "use one scale for activations",
                      "an activation has %" PRId64 " scales: no int8 kernel takes that",
                      c->quantizers[i].n_scales);
    }
  }
  for (int i = 0; i < c->n_layers; i++) {
    if (tarei_placed_is_layer(c->nodes[c->layers[i].node])) {
      check_axis(c, c->layers[i].node);
    }
  }
}

const tarei_check_rule tarei_check_channels = {"channels", run_channels};
