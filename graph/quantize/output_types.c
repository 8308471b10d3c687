#include "graph/quantize/output_types.h"

#include "graph/quantize/quantize_uses.h"

static bool could_write_bytes(const tarei_graph *const g, const tarei_node *const node) {
  const tarei_int8_form *const form = node->op->int8;
  return node->n_out > 0 && node->out[0] >= 0 && g->values[node->out[0]].dtype == TARE_F32 &&
         (node->op->writes_bytes || (form && form->op->writes_bytes) ||
          tarei_is_activation(g, node));
}

/* An activation that was asked to compute in fp32 is not replaced by a table of bytes. */
static bool becomes_no_table(const tarei_requested *const requested, const tarei_graph *const g,
                             const tarei_node *const node) {
  return tarei_is_activation(g, node) && tarei_output_asked(node) == TARE_PRECISION_ANY &&
         tarei_requests_find(&requested->precisions, g, node) == TARE_PRECISION_FP32;
}

tare_status tarei_output_types_mark(tarei_graph *const g, tarei_requested *const requested,
                                    tare_error *const err) {
  TAREI_TRY(tarei_requested_mark(g, &requested->output_types, could_write_bytes,
                                 TAREI_ATTR_OUTPUT_ASKED, err));
  for (int n = 0; n < g->n_nodes; n++) {
    tarei_node *const node = &g->nodes[n];
    if (becomes_no_table(requested, g, node) &&
        !tarei_attr_set_int(node, TAREI_ATTR_OUTPUT_ASKED, TARE_PRECISION_FP32)) {
      return tarei_fail_memory(err, node->name, sizeof(tarei_attr));
    }
  }
  return TARE_OK;
}

static bool is_row_bytes(const tarei_value *const v) {
  return v->dtype == TARE_U8 && v->quant.granularity == TAREI_PER_ROW;
}

/* Scales of rows do not count: they follow the bytes. */
static bool writes(const tarei_graph *const g, const tarei_node *const node,
                   const tare_dtype dtype) {
  for (int o = 0; o < node->n_out; o++) {
    const bool scales =
        o > 0 && node->out[o - 1] >= 0 && is_row_bytes(&g->values[node->out[o - 1]]);
    if (node->out[o] >= 0 && g->values[node->out[o]].dtype == dtype && !scales) {
      return true;
    }
  }
  return false;
}

tarei_reason tarei_output_reason(const tarei_graph *const g, const tarei_node *const node) {
  const bool floats = writes(g, node, TARE_F32);
  if (tarei_output_asked(node) != TARE_PRECISION_INT8 || !floats) {
    return (tarei_reason){0};
  }
  const int tensor = tarei_tensor_of(g, node->out[0]);
  return (tarei_reason){
      .why = writes(g, node, TARE_U8) ? TARE_REASON_READ_AS_FLOAT : TARE_REASON_NOT_READ_AS_INT8,
      .subject = g->values[tensor < 0 ? node->out[0] : tensor].name};
}

const char *tarei_output_type_name(const tarei_graph *const g, const tarei_node *const node) {
  const tarei_value *const value = &g->values[tarei_node_first_out(node)];
  const tare_dtype first = value->dtype;
  bool bytes = writes(g, node, TARE_U8) && value->quant.n_scales;
  for (int o = 0; o < node->n_out; o++) {
    bytes |= node->out[o] >= 0 && is_row_bytes(&g->values[node->out[o]]);
  }
  return first == TARE_F32 ? (bytes ? "fp32 + int8" : "fp32")
         : bytes           ? "int8"
                           : tare_dtype_name(first);
}

void tarei_output_types_check(const tarei_graph *const g, tarei_requested *const requested) {
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_reason reason = tarei_output_reason(g, &g->nodes[n]);
    if (reason.why) {
      tarei_requested_refuse(requested, &g->nodes[n], "output in int8", &reason);
    }
  }
}
