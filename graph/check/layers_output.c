/* Outputs of layers: what reads them. */
#include <math.h>
#include <string.h>

#include "graph/check/check.h"
#include "graph/qdq/place.h"

typedef struct integer_range {
  double low, high;
} integer_range;

static integer_range range_of_type(const int type) {
  return type == TARE_I8    ? (integer_range){INT8_MIN, INT8_MAX}
         : type == TARE_U8  ? (integer_range){0, UINT8_MAX}
         : type == TARE_I16 ? (integer_range){INT16_MIN, INT16_MAX}
                            : (integer_range){0, UINT16_MAX};
}

/* A bound of a Clip, by its input or by the attribute that it was before; else `fallback`. NaN: not
 * known. */
static double clip_bound(const tarei_check *const c, const int clip, const size_t i,
                         const char *const attribute, const double fallback) {
  const int value = tarei_check_input(c, clip, i);
  if (value >= 0) {
    const Onnx__TensorProto *const t = c->values[value].constant;
    const bool raw = t && t->data_type == TARE_F32 && t->has_raw_data && t->raw_data.len == 4;
    float bound = NAN;
    if (raw) {
      memcpy(&bound, t->raw_data.data, sizeof bound);
    } else if (t && t->data_type == TARE_F32 && t->n_float_data == 1) {
      bound = t->float_data[0];
    }
    return bound;
  }
  return tarei_onnx_attr_float(c->nodes[clip], attribute, fallback);
}

/* Whether a QuantizeLinear behind a Relu or Clip cuts at least as much as that does. */
static bool contains_clip(const tarei_check *const c, const int clip,
                          const tarei_quantizer *const q) {
  const integer_range range = range_of_type(q->type);
  const double zero = q->n_zeros ? q->zeros[0] : 0;
  if (q->n_scales != 1 || q->n_zeros > 1) {
    return false;
  }
  if (tarei_check_is(c, clip, "Relu")) {
    return zero == range.low;
  }
  const double low = clip_bound(c, clip, 1, "min", -INFINITY);
  const double high = clip_bound(c, clip, 2, "max", INFINITY);
  return rint(low / q->scales[0]) + zero <= range.low &&
         rint(high / q->scales[0]) + zero >= range.high;
}

/* The only reader of a value, -1 where it has more, or is an output. */
static int sole_reader(const tarei_check *const c, const int value) {
  return value >= 0 && c->values[value].n_uses == 1 && !c->values[value].is_output
             ? c->uses[c->values[value].first_use].node
             : -1;
}

/* Whether all readers are QuantizeLinear with equal parameters. */
static bool read_by_quantizers(const tarei_check *const c, const int value,
                               const tarei_quantizer **const q) {
  const tarei_check_value *const v = value < 0 ? NULL : &c->values[value];
  if (!v || v->is_output || v->n_uses == 0) {
    return false;
  }
  for (int u = 0; u < v->n_uses; u++) {
    const tarei_check_use *const use = &c->uses[v->first_use + u];
    const tarei_quantizer *const reader = tarei_check_quantizer(c, use->node);
    if (!reader || reader->restores || use->input != 0 || (*q && !tarei_check_same(*q, reader))) {
      return false;
    }
    *q = reader;
  }
  return true;
}

bool tarei_check_requantized(const tarei_check *const c, const int node,
                             const tarei_quantizer **const q) {
  static const char *const CLIPS[] = {"Relu", "Clip", NULL};
  int value = tarei_check_output(c, node, 0), clip = -1;
  *q = NULL;
  for (int steps = 0; steps < TAREI_CHECK_FARTHEST; steps++) {
    if (read_by_quantizers(c, value, q)) {
      return clip < 0 || !c->target->conv_outputs || contains_clip(c, clip, *q);
    }
    *q = NULL;
    const int reader = sole_reader(c, value);
    const bool clips = reader >= 0 && clip < 0 && tarei_check_is_any(c, reader, CLIPS);
    if (reader < 0 || (!clips && !tarei_check_moves(c, reader))) {
      return false;
    }
    clip = clips ? reader : clip;
    value = tarei_check_output(c, reader, 0);
  }
  return false;
}
