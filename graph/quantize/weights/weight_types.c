#include "graph/quantize/weights/weight_types.h"

#include <math.h>

#include "graph/op.h"
#include "graph/quantize/quantize_uses.h"

#define LARGEST_FP16 65504.0f

/* --- what there is --------------------------------------------------------------------------- */

static const struct {
  tare_precision type;
  tare_dtype stored;
} STORED[] = {{TARE_PRECISION_FP32, TARE_F32},
              {TARE_PRECISION_FP16, TARE_F16},
              {TARE_PRECISION_BF16, TARE_BF16},
              {TARE_PRECISION_INT8, TARE_I8}};
enum { N_STORED = sizeof STORED / sizeof *STORED };

static tare_dtype dtype_of_weights(const tare_precision type) {
  int i = 0;
  while (STORED[i].type != type) {
    i++;
  }
  return STORED[i].stored;
}

static tare_precision weights_of_dtype(const tare_dtype stored) {
  for (int i = 0; i < N_STORED; i++) {
    if (STORED[i].stored == stored) {
      return STORED[i].type;
    }
  }
  return TARE_PRECISION_ANY;
}

bool tarei_has_weights(const tarei_graph *const g, const tarei_node *const node) {
  const tarei_int8_form *const form = tarei_op_int8_form(node->op);
  const bool weights = form && form->weights && node->n_in > form->activations;
  const int w = weights ? node->in[form->activations] : -1;
  return w >= 0 && g->values[w].data && g->values[w].dtype == TARE_F32;
}

/* Layers that are not float have the weights of their precision. */
static tare_precision weights_of_precision(const tarei_node *const node) {
  static const tare_precision WEIGHTS[TARE_PRECISION_COUNT] = {
      [TARE_PRECISION_INT8] = TARE_PRECISION_INT8,
      [TARE_PRECISION_INT8_ROWS] = TARE_PRECISION_INT8,
      [TARE_PRECISION_INT16] = TARE_PRECISION_INT8,
      [TARE_PRECISION_INT16_ROWS] = TARE_PRECISION_INT8,
      [TARE_PRECISION_BF16] = TARE_PRECISION_BF16,
  };
  return WEIGHTS[node->record.got];
}

/* --- why not --------------------------------------------------------------------------------- */

static bool weights_exceed_fp16(const tarei_graph *const g, const int value) {
  const tare_tensor w = tarei_value_tensor(g, value);
  for (int64_t i = 0; i < tare_tensor_count(&w); i++) {
    if (!(fabsf(((const float *)w.data)[i]) <= LARGEST_FP16)) {
      return true;
    }
  }
  return false;
}

/* The taps of a depthwise convolution are no weights of a product. */
static bool weights_can_be_stored(const tarei_graph *const g, const tarei_node *const node) {
  return node->op->stores_weights && !tarei_is_depthwise(g, node);
}

/* Why a layer cannot store its weights in this type. */
static tare_reason reason_of_type(const tarei_graph *const g, const tarei_node *const node,
                                  const tare_precision type) {
  const tare_precision own = weights_of_precision(node);
  if (own) {
    return own == TARE_PRECISION_INT8 ? TARE_REASON_INT8_WEIGHTS : TARE_REASON_BF16_WEIGHTS;
  }
  if (!weights_can_be_stored(g, node)) {
    return TARE_REASON_WEIGHTS_IN_PLACE;
  }
  if (!tarei_is_finite(g, node->in[1])) {
    return TARE_REASON_NOT_FINITE;
  }
  return type == TARE_PRECISION_FP16 && weights_exceed_fp16(g, node->in[1]) ? TARE_REASON_FP16_RANGE
                                                                            : TARE_REASON_NONE;
}

/* --- the requests ---------------------------------------------------------------------------- */

tare_dtype tarei_weights_dtype(const tarei_node *const node) {
  const tare_precision own = weights_of_precision(node);
  return own ? dtype_of_weights(own)
             : (tare_dtype)tarei_attr_int(node, TAREI_ATTR_WEIGHT_TYPE, TARE_F32);
}

tare_precision tarei_weights_asked(const tarei_node *const node) {
  return (tare_precision)tarei_attr_int(node, TAREI_ATTR_WEIGHTS_ASKED, TARE_PRECISION_ANY);
}

/* In what a node of a quantized graph stores constant weights; ANY: it has none. */
static tare_precision weights_got(const tarei_graph *const g, const tarei_node *const node) {
  return tarei_has_weights(g, node) ? weights_of_dtype(tarei_weights_dtype(node))
                                    : TARE_PRECISION_ANY;
}

tarei_reason tarei_weights_reason(const tarei_graph *const g, const tarei_node *const node) {
  const int64_t why = tarei_attr_int(node, TAREI_ATTR_WEIGHTS_REFUSED, TARE_REASON_NONE);
  return why > TARE_REASON_NONE && why < TARE_REASON_COUNT && tarei_has_weights(g, node)
             ? (tarei_reason){.why = (tare_reason)why, .subject = g->values[node->in[1]].name}
             : (tarei_reason){0};
}

tare_status tarei_weight_types_mark(tarei_graph *const g, tarei_requested *const requested,
                                    tare_error *const err) {
  return tarei_requested_mark(g, &requested->weight_types, tarei_has_weights,
                              TAREI_ATTR_WEIGHTS_ASKED, err);
}

static void refuse_weight_type(const tarei_graph *const g, const tarei_node *const node,
                               tarei_requested *const requested) {
  const tarei_reason reason = tarei_weights_reason(g, node);
  tarei_str what = {0};
  tarei_str_add(&what, "weights in %s", tare_precision_name(tarei_weights_asked(node)));
  tarei_requested_refuse(requested, node, tarei_str_get(&what), &reason);
  tarei_str_free(&what);
}

static bool set_type(tarei_graph *const g, tarei_node *const node,
                     tarei_requested *const requested) {
  const tare_precision asked = tarei_weights_asked(node);
  if (asked == TARE_PRECISION_ANY || asked == weights_got(g, node)) {
    return true;
  }
  const tare_reason why = reason_of_type(g, node, asked);
  if (!why) {
    return tarei_attr_set_int(node, TAREI_ATTR_WEIGHT_TYPE, dtype_of_weights(asked));
  }
  const bool noted = tarei_attr_set_int(node, TAREI_ATTR_WEIGHTS_REFUSED, why);
  refuse_weight_type(g, node, requested);
  return noted;
}

tare_status tarei_weight_types_set(tarei_graph *const g, tarei_requested *const requested,
                                   tare_error *const err) {
  for (int n = 0; n < g->n_nodes; n++) {
    if (!set_type(g, &g->nodes[n], requested)) {
      return tarei_fail_memory(err, "weight type", sizeof(tarei_attr));
    }
  }
  return TARE_OK;
}
