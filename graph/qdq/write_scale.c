/* Scales as they are stored. */
#include "base/half.h"
#include "graph/qdq/write.h"
#include "graph/quantize/row_need.h"

float tarei_written_scale(const tarei_quant *const quant) {
  return (float)(quant->scales[0] * tarei_quant_written_headroom(quant));
}

tarei_stored_form tarei_byte_form(const tarei_placement *const p, const int value) {
  const tarei_quant *const q = &p->graph->values[value].quant;
  const float scale = tarei_written_scale(q);
  if (p->symmetric[value] && p->options.weights == TARE_EXPORT_WEIGHTS_UINT8) {
    return (tarei_stored_form){TARE_U8, scale, 128};
  }
  if (p->symmetric[value] && p->options.weights == TARE_EXPORT_WEIGHTS_INT7) {
    return (tarei_stored_form){TARE_I8, scale * TAREI_SEVEN_BITS, 0};
  }
  if (!p->target->unsigned_bytes || p->symmetric[value]) {
    return (tarei_stored_form){TARE_I8, scale, 0};
  }
  return q->zero_point == 0 ? (tarei_stored_form){TARE_U8, scale * (127.0f / 255.0f), 0}
                            : (tarei_stored_form){TARE_U8, scale, 128};
}

/* The least positive number of the type stands for what it rounds to zero. */
float tarei_stored_scale(const float scale, const tare_dtype real) {
  if (real == TARE_F16) {
    const uint16_t bits = tarei_float_to_f16(scale);
    return tarei_f16_to_float(bits ? bits : 1);
  }
  return real == TARE_BF16 ? tarei_bf16_to_float(tarei_float_to_bf16(scale)) : scale;
}

const char *tarei_write_reals(tarei_qdq_writer *const w, const char *const base,
                              const char *const suffix, const tare_dtype real,
                              const float *const values, const int64_t n) {
  const char *const name = tarei_edit_name(&w->edit, base, suffix);
  tarei_edit_reals(&w->edit, name, real, values, n);
  return name;
}
