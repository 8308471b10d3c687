/* Which layers will run in int8. */
#include <string.h>

#include "base/mem.h"
#include "graph/check/check.h"
#include "graph/qdq/place.h"

static const char *const DYNAMIC[] = {"MatMulInteger", "ConvInteger", NULL};
/* What ONNX Runtime's optimizations make of them. */
static const char *const FUSED[] = {"MatMulIntegerToFloat", "DynamicQuantizeMatMul", "QAttention",
                                    "DynamicQuantizeLSTM", NULL};
static const char *const QLINEAR[] = {"QLinearConv", "QLinearMatMul", "QGemm", NULL};

/* A layer stays float: always true. */
static bool layer_because(tarei_checked_layer *const layer, const tare_severity severity,
                          const char *const fmt, const char *const name, const char *const more) {
  layer->severity = severity;
  tarei_str_add(&layer->reason, fmt, name, more);
  return true;
}

/* --- integer forms ---------------------------------------------------------------------------- */

static void judge_integer(const tarei_check *const c, tarei_checked_layer *const layer) {
  const char *const engine = c->target->about.engine, *const op = tarei_check_op(c, layer->node);
  if (!c->target->qlinear || (tarei_check_is_any(c, layer->node, FUSED) && !c->target->contrib)) {
    layer_because(layer, TARE_SEVERITY_ERROR, "%s has no operator %s", engine, op);
  } else if (tarei_check_is_any(c, layer->node, DYNAMIC) && !c->target->dynamic) {
    layer_because(layer, TARE_SEVERITY_WARNING, "%s does not fuse %s", engine, op);
  } else {
    layer->int8 = true;
  }
}

/* --- what a layer reads ----------------------------------------------------------------------- */

int64_t tarei_check_output_axis(const tarei_check *const c, const int node,
                                const Onnx__TensorProto *const w) {
  if (tarei_check_is(c, node, "Conv")) {
    return 0;
  }
  if (tarei_check_is(c, node, "Gemm")) {
    return tarei_onnx_attr_int(c->nodes[node], "transB", 0) ? 0 : 1;
  }
  return w && w->n_dims > 0 ? (int64_t)w->n_dims - 1 : -1;
}

static bool is_absent_or_constant(const tarei_check *const c, const int node, const size_t i) {
  const int value = tarei_check_input(c, node, i);
  return value < 0 || c->values[value].constant;
}

/* Whether the target quantizes the float constants that a layer reads from input i on. */
static bool quantizes_itself(const tarei_check *const c, const int node, const size_t i) {
  const tarei_quantizer *after;
  return c->target->float_constants && !tarei_check_is(c, node, "MatMul") &&
         is_absent_or_constant(c, node, i) && is_absent_or_constant(c, node, 2) &&
         tarei_check_requantized(c, node, &after);
}

static bool refuse_missing(const tarei_check *const c, tarei_checked_layer *const layer,
                           const tarei_quantizer *const x, const tarei_quantizer *const w) {
  const Onnx__NodeProto *const node = c->nodes[layer->node];
  if (!x && !w) {
    return layer_because(layer, TARE_SEVERITY_NOTE, "its inputs are not quantized%s%s", "", "");
  }
  if (!x || (!w && !quantizes_itself(c, layer->node, 1))) {
    const size_t i = x ? 1 : 0;
    return layer_because(layer, TARE_SEVERITY_WARNING,
                         "its input '%s' is not quantized, the other one is%s",
                         i < node->n_input ? tarei_onnx_text(node->input[i]) : "", "");
  }
  return false;
}

/* One of the two factors; weights that are float are none. */
static bool refuse_type(const tarei_check *const c, tarei_checked_layer *const layer,
                        const tarei_quantizer *const q) {
  if (tarei_check_is_16_bits(q->type)) {
    return layer_because(layer, TARE_SEVERITY_NOTE, "'%s' has 16 bits%s",
                         tarei_check_name(c, q->node), "");
  }
  return tarei_check_is_byte(c, q->type)
             ? false
             : layer_because(layer, TARE_SEVERITY_WARNING, "%s does not multiply %s",
                             c->target->about.engine, tarei_check_type_name(q->type));
}

static bool refuse_types(const tarei_check *const c, tarei_checked_layer *const layer,
                         const tarei_quantizer *const x, const tarei_quantizer *const w) {
  if (refuse_type(c, layer, x) || (w && refuse_type(c, layer, w))) {
    return true;
  }
  return c->target->no_s8u8 && w && x->type == TARE_I8 && w->type == TARE_U8
             ? layer_because(layer, TARE_SEVERITY_WARNING,
                             "%s does not multiply int8 activations by uint8 weights%s",
                             c->target->about.engine, "")
             : false;
}

static bool scales_fit_outputs(const tarei_check *const c, const int node,
                               const tarei_quantizer *const w) {
  const Onnx__TensorProto *const stored = tarei_check_stored(c, w);
  const int64_t axis = tarei_check_output_axis(c, node, stored);
  const int64_t rank = stored ? (int64_t)stored->n_dims : 0;
  return w->n_scales < 2 || (stored && (w->axis < 0 ? w->axis + rank : w->axis) == axis);
}

static bool refuse_axis(const tarei_check *const c, tarei_checked_layer *const layer,
                        const tarei_quantizer *const w) {
  return w->blocked || !scales_fit_outputs(c, layer->node, w)
             ? layer_because(layer, TARE_SEVERITY_WARNING,
                             "its weights have scales along another axis than its outputs%s%s", "",
                             "")
             : false;
}

static bool refuse_numbers(const tarei_check *const c, tarei_checked_layer *const layer,
                           const tarei_quantizer *const q) {
  if (c->target->symmetric && !tarei_check_zero_is_0(q)) {
    return layer_because(layer, TARE_SEVERITY_WARNING, "%s takes zero points of 0 only%s",
                         c->target->about.engine, "");
  }
  return tarei_check_scales_usable(q)
             ? false
             : layer_because(layer, TARE_SEVERITY_WARNING, "a scale of '%s' cannot be used%s",
                             tarei_check_name(c, q->node), "");
}

static bool refuse_parameters(const tarei_check *const c, tarei_checked_layer *const layer,
                              const tarei_quantizer *const x, const tarei_quantizer *const w) {
  if (x->n_scales > 1) {
    return layer_because(layer, TARE_SEVERITY_WARNING,
                         "its first input has more than one scale, %s takes one%s",
                         c->target->about.engine, "");
  }
  return refuse_numbers(c, layer, x) ||
         (w && (refuse_axis(c, layer, w) || refuse_numbers(c, layer, w)));
}

/* --- biases and outputs ----------------------------------------------------------------------- */

static bool refuse_bias(const tarei_check *const c, tarei_checked_layer *const layer) {
  const int value = tarei_check_input(c, layer->node, 2);
  if (!c->target->int32_bias || value < 0 || tarei_check_is(c, layer->node, "MatMul")) {
    return false;
  }
  const tarei_quantizer *const bias = tarei_check_quantizer(c, c->values[value].producer);
  const char *const engine = c->target->about.engine;
  if (bias && bias->restores && bias->type != TARE_I32) {
    return layer_because(layer, TARE_SEVERITY_WARNING, "its bias is %s, %s takes int32",
                         tarei_check_type_name(bias->type), engine);
  }
  if (!bias && !c->values[value].constant) {
    return layer_because(layer, TARE_SEVERITY_WARNING,
                         "its bias '%s' is computed at run time, %s takes constants",
                         c->values[value].name, engine);
  }
  if (!bias && !quantizes_itself(c, layer->node, 2)) {
    return layer_because(layer, TARE_SEVERITY_WARNING,
                         "its bias '%s' is float, %s takes int32 where the output is float",
                         c->values[value].name, engine);
  }
  return tarei_onnx_attr_float(c->nodes[layer->node], "beta", 1) != 1
             ? layer_because(layer, TARE_SEVERITY_WARNING, "its beta is not 1%s%s", "", "")
             : false;
}

/* The reader of the output that makes a fusion depend on it: Q, or a Relu or Clip before it. */
static int demanding_reader(const tarei_check *const c, const int node) {
  static const char *const CLIPS[] = {"Relu", "Clip", NULL};
  const int out = tarei_check_output(c, node, 0);
  for (int u = 0; out >= 0 && u < c->values[out].n_uses; u++) {
    const int reader = c->uses[c->values[out].first_use + u].node;
    const tarei_quantizer *const q = tarei_check_quantizer(c, reader);
    if (q && !q->restores) {
      return reader;
    }
    if (c->values[out].n_uses == 1 && tarei_check_is_any(c, reader, CLIPS)) {
      const int after = tarei_check_output(c, reader, 0);
      return after >= 0 && c->values[after].n_uses == 1 && !c->values[after].is_output ? reader
                                                                                       : -1;
    }
  }
  return -1;
}

static bool refuse_output(const tarei_check *const c, tarei_checked_layer *const layer,
                          const tarei_quantizer *const x) {
  if (!c->target->conv_outputs) {
    return false;
  }
  const bool conv = tarei_check_is(c, layer->node, "Conv");
  const tarei_quantizer *after = NULL;
  const bool quantized = tarei_check_requantized(c, layer->node, &after);
  const int reader = quantized ? after->node : demanding_reader(c, layer->node);
  if (!quantized && !conv && reader < 0) {
    return false; /* a product may have a float output */
  }
  if (quantized) {
    return after->type == x->type
               ? false
               : layer_because(layer, TARE_SEVERITY_WARNING, "its input is %s and its output %s",
                               tarei_check_type_name(x->type), tarei_check_type_name(after->type));
  }
  return layer_because(
      layer, TARE_SEVERITY_WARNING,
      reader < 0 ? "its output has no QuantizeLinear that alone reads it, which %s needs%s"
                 : "its output is not read by QuantizeLinear alone, which %s needs behind %s",
      c->target->about.engine, reader < 0 ? "" : tarei_check_op(c, reader));
}

/* --- all of it -------------------------------------------------------------------------------- */

static void judge_layer(const tarei_check *const c, tarei_checked_layer *const layer) {
  if (!tarei_placed_is_layer(c->nodes[layer->node])) {
    judge_integer(c, layer);
    return;
  }
  const tarei_quantizer *const x = tarei_check_restored(c, layer->node, 0);
  const tarei_quantizer *const w = tarei_check_restored(c, layer->node, 1);
  layer->int8 = !refuse_missing(c, layer, x, w) && !refuse_types(c, layer, x, w) &&
                !refuse_parameters(c, layer, x, w) && !refuse_output(c, layer, x) &&
                !refuse_bias(c, layer);
}

tare_status tarei_check_layers(tarei_check *const c, tare_error *const err) {
  for (int n = 0; n < c->n_nodes; n++) {
    if (!tarei_placed_is_layer(c->nodes[n]) && !tarei_check_is_any(c, n, DYNAMIC) &&
        !tarei_check_is_any(c, n, QLINEAR) && !tarei_check_is_any(c, n, FUSED)) {
      continue;
    }
    if (!TAREI_GROW(c->layers, c->n_layers, c->cap_layers)) {
      return tarei_fail_memory(err, "layers", sizeof *c->layers);
    }
    tarei_checked_layer *const layer = &c->layers[c->n_layers++];
    *layer = (tarei_checked_layer){.node = n};
    judge_layer(c, layer);
    c->failed |= layer->reason.failed;
  }
  return TARE_OK;
}

void tarei_check_layers_fini(tarei_check *const c) {
  for (int i = 0; i < c->n_layers; i++) {
    tarei_str_free(&c->layers[i].reason);
  }
  free(c->layers);
}

bool tarei_check_is_int8(const tarei_check *const c, const int node) {
  int low = 0, high = c->n_layers; /* layers are sorted by node */
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (c->layers[middle].node < node) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < c->n_layers && c->layers[low].node == node && c->layers[low].int8;
}
