/* Integer types that the target does not take. */
#include "graph/check/check.h"

static bool target_takes(const tarei_check *const c, const tarei_quantizer *const q) {
  return tarei_check_is_byte(c, q->type) || (tarei_check_is_16_bits(q->type) && c->target->words) ||
         (q->type == TARE_I32 && q->restores && c->target->int32_values);
}

static const char *type_advice(const tarei_check *const c, const tarei_quantizer *const q) {
  return q->type == TARE_I32               ? "keep biases in float"
         : tarei_check_is_16_bits(q->type) ? "keep these layers in float or quantize to 8 bits"
         : c->target->symmetric            ? "quantize to int8 with zero point 0"
                                           : "quantize to int8 or uint8";
}

static void run_type(tarei_check *const c) {
  for (int i = 0; i < c->n_quantizers; i++) {
    const tarei_quantizer *const q = &c->quantizers[i];
    if (tarei_check_repeats(c, q)) {
      continue;
    }
    const bool is_known = q->type == TARE_I8 || q->type == TARE_U8 || q->type == TARE_I32 ||
                          tarei_check_is_16_bits(q->type);
    if (!is_known) {
      tarei_check_add(c, TARE_SEVERITY_NOTE, q->node, type_advice(c, q),
                      "has %s values: only 8 and 16 bits are checked",
                      tarei_check_type_name(q->type));
    } else if (!target_takes(c, q)) {
      tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, type_advice(c, q),
                      "has %s values, which %s does not take", tarei_check_type_name(q->type),
                      c->target->about.engine);
    }
  }
}

const tarei_check_rule tarei_check_type = {"type", run_type};
