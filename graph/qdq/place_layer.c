#include <math.h>
#include <string.h>

#include "graph/op.h"
#include "graph/qdq/qdq_version.h"
#include "graph/qdq/place.h"
#include "graph/quantize/row_need.h"

static bool node_is(const tarei_placed_layer *const layer, const char *const op) {
  return strcmp(layer->node->op_type, op) == 0;
}

static int64_t dim_of(const tarei_graph *const g, const int value, const int axis) {
  int64_t dim = 1;
  return tarei_value_dim_const(g, value, axis, &dim) ? dim : 1;
}

/* --- what the layer reads -------------------------------------------------------------------- */

/* Axis of constant weights along which each output has its own. */
static int output_axis(const tarei_graph *const g, const tarei_placed_layer *const layer) {
  if (node_is(layer, "Conv")) {
    return 0;
  }
  if (node_is(layer, "Gemm")) {
    return tarei_onnx_attr_int(layer->node, "transB", 0) ? 0 : 1;
  }
  return g->values[layer->w].rank == 2 ? 1 : -1;
}

/* Products that one output sums. */
static int64_t place_sum_length(const tarei_graph *const g, const tarei_placed_layer *const layer) {
  const tarei_value *const w = &g->values[layer->w];
  if (!node_is(layer, "Conv")) {
    return dim_of(g, layer->w, layer->channel_axis == 0 ? 1 : w->rank - 2);
  }
  int64_t length = 1;
  for (int d = 1; d < w->rank; d++) {
    length *= dim_of(g, layer->w, d);
  }
  return length;
}

static bool weights_are_finite(const tarei_graph *const g, const int value) {
  const tare_tensor w = tarei_value_tensor(g, value);
  const float *const x = w.data;
  for (int64_t i = 0; i < tare_tensor_count(&w); i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}

/* --- reasons --------------------------------------------------------------------------------- */

static bool place_because(tarei_placed_layer *const layer, const tare_reason why,
                          const tarei_value *const value, const int64_t number) {
  const tarei_reason reason = {why, value ? value->name : NULL, number};
  tarei_reason_print(&reason, &layer->reason);
  return true;
}

static bool refuse_weights(const tarei_graph *const g, tarei_placed_layer *const layer) {
  const tarei_value *const w = &g->values[layer->w];
  if (!w->data) {
    return node_is(layer, "MatMul") ? false
                                    : place_because(layer, TARE_REASON_VARIABLE_WEIGHTS, w, 0);
  }
  if (w->dtype != TARE_F32) {
    return place_because(layer, TARE_REASON_TYPE, w, w->dtype);
  }
  if (w->rank < 2) {
    return place_because(layer, TARE_REASON_RANK, w, w->rank);
  }
  const int64_t length = place_sum_length(g, layer);
  if (length > TAREI_INT8_LONGEST_SUM) {
    return place_because(layer, TARE_REASON_LONG_SUM, NULL, length);
  }
  return weights_are_finite(g, layer->w) ? false
                                         : place_because(layer, TARE_REASON_NOT_FINITE, w, 0);
}

static bool refuse_activation(const tarei_graph *const g, tarei_placed_layer *const layer,
                              const int value, const bool needs_scale) {
  const tarei_value *const v = &g->values[value];
  if (v->data) {
    return place_because(layer, TARE_REASON_CONSTANT, v, 0);
  }
  if (v->dtype != TARE_F32 && v->dtype != TARE_DTYPE_NONE) {
    return place_because(layer, TARE_REASON_TYPE, v, v->dtype);
  }
  return v->quant.n_scales || !needs_scale ? false
                                           : place_because(layer, TARE_REASON_NO_SCALE, v, 0);
}

static bool refuse_gemm(tarei_placed_layer *const layer) {
  const Onnx__NodeProto *const node = layer->node;
  if (!node_is(layer, "Gemm")) {
    return false;
  }
  if (tarei_onnx_attr_int(node, "transA", 0)) {
    tarei_str_add(&layer->reason, "its first input is transposed (transA)");
    return true;
  }
  if (tarei_onnx_attr_float(node, "alpha", 1) != 1 || tarei_onnx_attr_float(node, "beta", 1) != 1) {
    tarei_str_add(&layer->reason, "its alpha or beta is not 1");
    return true;
  }
  return false;
}

/* Why a layer cannot be quantized at all. One scale taken at run time needs none of the table. */
static bool refuse_layer(const tarei_placement *const p, tarei_placed_layer *const layer,
                         const tare_precision asked) {
  const bool rows = asked == TARE_PRECISION_INT8_ROWS;
  const bool needs_scale = !rows || p->options.rows == TARE_ROWS_INT16;
  const tarei_graph *const g = p->graph;
  if (layer->x < 0 || layer->w < 0) {
    tarei_str_add(&layer->reason, "no output of the model needs it");
    return true;
  }
  if (rows && !g->values[layer->w].data) {
    return place_because(layer, TARE_REASON_NO_ROWS, NULL, 0);
  }
  return refuse_activation(g, layer, layer->x, needs_scale) || refuse_weights(g, layer) ||
         refuse_gemm(layer) ||
         (!g->values[layer->w].data && refuse_activation(g, layer, layer->w, true));
}

/* A logarithm or root makes quiet elements count as much as loud ones, of which no form keeps
 * enough. */
static bool refuse_logged(const tarei_placement *const p, tarei_placed_layer *const layer) {
  const int out = tarei_placed_output(p, layer->node, 0);
  const tarei_value *const output = out >= 0 ? &p->graph->values[out] : NULL;
  return output && output->quant.logged && place_because(layer, TARE_REASON_LOGARITHM, output, 0);
}

/* --- requests -------------------------------------------------------------------------------- */

/* What Q/DQ has for a layer that the table raises: static scales have neither rows nor bf16, and
 * one scale at run time no 16 bits. */
static tare_precision form_of_raised(const tarei_placement *const p, const tare_precision raised) {
  const bool words = p->options.rows == TARE_ROWS_INT16;
  switch (raised) {
    case TARE_PRECISION_ANY:
    case TARE_PRECISION_INT8:
      return raised;
    case TARE_PRECISION_INT8_ROWS:
      return p->options.rows == TARE_ROWS_FLOAT ? TARE_PRECISION_FP32 : TARE_PRECISION_INT8_ROWS;
    case TARE_PRECISION_INT16:
    case TARE_PRECISION_INT16_ROWS:
      return words ? TARE_PRECISION_INT8_ROWS : TARE_PRECISION_FP32;
    default:
      return TARE_PRECISION_FP32;
  }
}

static void place_because_asked(tarei_placed_layer *const layer, const tare_precision asked) {
  if (layer->raised == TARE_PRECISION_ANY) {
    tarei_str_add(&layer->reason, "asked for");
    return;
  }
  place_because(layer, TARE_REASON_RAISED, NULL, 0);
  if (asked == TARE_PRECISION_FP32 && layer->raised != asked) {
    tarei_str_add(&layer->reason, "; float in place of %s", tare_precision_name(layer->raised));
  }
}

static tare_precision precision_asked(const tarei_placement *const p,
                                      tarei_requests *const requests,
                                      const tarei_placed_layer *const layer) {
  const int out = tarei_placed_output(p, layer->node, 0);
  const int producer = out >= 0 ? p->graph->values[out].producer : -1;
  const tarei_request *const request =
      producer >= 0 ? tarei_requests_match(requests, p->graph, &p->graph->nodes[producer]) : NULL;
  return request ? request->precision : TARE_PRECISION_ANY;
}

/* By the user, or else by the table. */
static tare_precision place_requests(const tarei_placement *const p,
                                     tarei_placed_layer *const layer,
                                     tarei_requests *const requests, tarei_requests *const raised) {
  const tare_precision asked = precision_asked(p, requests, layer);
  layer->raised =
      asked == TARE_PRECISION_ANY ? precision_asked(p, raised, layer) : TARE_PRECISION_ANY;
  return layer->raised == TARE_PRECISION_ANY ? asked : form_of_raised(p, layer->raised);
}

/* --- row scales ------------------------------------------------------------------------------ */

/* Whether one static scale does not serve the layer; says why. */
static bool needs_rows(const tarei_graph *const g, tarei_placed_layer *const layer,
                       const tare_precision asked) {
  if (asked != TARE_PRECISION_ANY) {
    if (asked == TARE_PRECISION_INT8_ROWS) {
      place_because_asked(layer, asked);
    }
    return asked == TARE_PRECISION_INT8_ROWS;
  }
  const tarei_value *const x = &g->values[layer->x];
  const int64_t group = tarei_onnx_attr_int(layer->node, "group", 1);
  const bool conv = node_is(layer, "Conv"), constant = g->values[layer->w].data != NULL;
  if (!constant) {
    return false;
  }
  if (tarei_quant_loses_rows(&x->quant)) {
    return place_because(layer, TARE_REASON_QUIET_ROWS, x, tarei_quant_row_gain(&x->quant));
  }
  if (conv && group * dim_of(g, layer->w, 1) == 1) {
    return place_because(layer, TARE_REASON_LEVEL, x, 0);
  }
  return tarei_quant_is_unsettled(&x->quant) && place_because(layer, TARE_REASON_FEW_ROWS, x, 0);
}

/* 16 bits have a scale of the table, which other samples exceed if it was made of few rows. */
static void place_rows(const tarei_placement *const p, tarei_placed_layer *const layer,
                       const tare_precision asked) {
  static const tarei_layer_form FORMS[TARE_ROWS_COUNT] = {[TARE_ROWS_FLOAT] = TAREI_FORM_FLOAT,
                                                          [TARE_ROWS_INT16] = TAREI_FORM_INT16,
                                                          [TARE_ROWS_DYNAMIC] = TAREI_FORM_DYNAMIC};
  const tare_dtype type = layer->real;
  const tarei_qdq_needs needs = {.real = type, .channels = true, .bits16 = true};
  layer->form = FORMS[p->options.rows];
  if (layer->form == TAREI_FORM_INT16 && !tarei_qdq_domain(p, needs)) {
    tarei_str_add(&layer->reason, "; 16-bit Q/DQ needs opset %lld, the model has %lld",
                  (long long)tarei_qdq_version(needs),
                  (long long)tarei_onnx_file_opset(p->file, ""));
    layer->form = TAREI_FORM_FLOAT;
  }
  const bool by_user = asked != TARE_PRECISION_ANY && layer->raised == TARE_PRECISION_ANY;
  if (layer->form == TAREI_FORM_INT16 && !by_user &&
      tarei_quant_is_unsettled(&p->graph->values[layer->x].quant)) {
    layer->form = TAREI_FORM_FLOAT;
  }
  if (layer->form == TAREI_FORM_DYNAMIC && type != TARE_F32) {
    tarei_str_add(&layer->reason, "; DynamicQuantizeLinear takes float32, '%s' is %s",
                  layer->node->input[0], tare_dtype_name(type));
    layer->form = TAREI_FORM_FLOAT;
  }
}

/* --- the output ------------------------------------------------------------------------------ */

static void place_output(const tarei_placement *const p, tarei_placed_layer *const layer) {
  if (!p->target->conv_outputs || !node_is(layer, "Conv")) {
    return;
  }
  const int out = tarei_placed_output(p, layer->node, 0);
  layer->source = tarei_placed_source(p, out);
  if (layer->source < 0) {
    layer->form = TAREI_FORM_FLOAT;
    tarei_str_add(&layer->reason,
                  "no scale for its output '%s', which %s needs (calibrate with --all-tensors)",
                  layer->node->output[0], p->target->about.engine);
  }
}

/* --- the sum behind a product ---------------------------------------------------------------- */

static bool dims_are_known(const tarei_graph *const g, const int value) {
  const tarei_value *const v = &g->values[value];
  int64_t dim;
  for (int d = 0; d < v->rank; d++) {
    if (!tarei_value_dim_const(g, value, d, &dim)) {
      return false;
    }
  }
  return v->rank >= 0;
}

/* A MatMul that the target makes a Gemm has the bias of one. */
static void place_sum(const tarei_placement *const p, tarei_placed_layer *const layer) {
  const tarei_graph *const g = p->graph;
  const int out = tarei_placed_output(p, layer->node, 0);
  const int reader = out < 0 ? -1 : tarei_graph_sole_consumer(g, out);
  const tarei_node *const add = reader < 0 ? NULL : &g->nodes[reader];
  if (!p->target->gemm || !node_is(layer, "MatMul") || !add || add->op != &tarei_op_add ||
      g->values[layer->w].rank != 2 || !g->values[layer->w].data ||
      (g->values[layer->x].rank != 2 && !dims_are_known(g, layer->x))) {
    return;
  }
  const int other = add->in[add->in[0] == out ? 1 : 0];
  const tarei_value *const bias = &g->values[other];
  if (bias->data && bias->dtype == TARE_F32 && bias->rank == 1 &&
      dim_of(g, other, 0) == dim_of(g, layer->w, 1)) {
    layer->bias = other;
    layer->sum = add->out[0];
  }
}

/* --- all of it ------------------------------------------------------------------------------- */

static tare_status check_version(const tarei_placement *const p,
                                 const tarei_placed_layer *const layer, tare_error *const err) {
  const tare_dtype type = layer->real;
  const tarei_qdq_needs needs = {.real = type, .channels = layer->channel_axis >= 0};
  if (tarei_qdq_domain(p, needs)) {
    return TARE_OK;
  }
  return tarei_fail(err, TARE_E_UNSUPPORTED,
                    "the model has opset %lld, but QuantizeLinear of %s%s needs %lld for %s: "
                    "convert the model to that opset first",
                    (long long)tarei_onnx_file_opset(p->file, ""), tare_dtype_name(type),
                    needs.channels ? " with a scale for each channel" : "",
                    (long long)tarei_qdq_version(needs), p->target->about.engine);
}

tare_status tarei_place_layer(const tarei_placement *const p, tarei_requests *const requests,
                              tarei_requests *const raised, tarei_placed_layer *const layer,
                              tare_error *const err) {
  const tarei_graph *const g = p->graph;
  layer->x = tarei_placed_input(p, layer->node, 0);
  layer->w = tarei_placed_input(p, layer->node, 1);
  layer->real = tarei_file_type(&p->types, layer->node->input[0]);
  layer->bias = node_is(layer, "MatMul") ? -1 : tarei_placed_input(p, layer->node, 2);
  const tare_precision asked = place_requests(p, layer, requests, raised);
  if (asked == TARE_PRECISION_FP32) {
    place_because_asked(layer, asked);
    return TARE_OK;
  }
  if (layer->w >= 0 && g->values[layer->w].data) {
    layer->channel_axis = output_axis(g, layer);
  }
  if (refuse_layer(p, layer, asked) || (asked == TARE_PRECISION_ANY && refuse_logged(p, layer))) {
    return TARE_OK;
  }
  if (needs_rows(g, layer, asked)) {
    place_rows(p, layer, asked);
  } else {
    layer->form = TAREI_FORM_INT8;
    place_output(p, layer);
    place_sum(p, layer);
  }
  return layer->form == TAREI_FORM_FLOAT ? TARE_OK : check_version(p, layer, err);
}
