/* Weights and biases that are stored as integers: they become float again, such that quantizing
 * them gives the same integers and scales where floats can do that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "graph/qdq/undo/undo.h"
#include "graph/qdq/write.h"
#include "graph/quantize/weights/weight_scale.h"
#include "shapes/number.h"

typedef struct stored_constant {
  tare_tensor integers;
  tarei_undo_form form;
  int64_t inner; /* elements between one channel and the next */
  int64_t n;     /* channels */
  tare_dtype real;
} stored_constant;

static int64_t stored_channel(const stored_constant *const c, const int64_t i) {
  return c->n == 1 ? 0 : i / c->inner % c->n;
}

static float stored_scale(const stored_constant *const c, const int64_t channel) {
  return ((const float *)c->form.scale.data)[channel];
}

static int64_t stored_integer(const stored_constant *const c, const int64_t i) {
  return tarei_integer_at(&c->integers, i) - tarei_undo_zero_point(&c->form, stored_channel(c, i));
}

/* --- numbers --------------------------------------------------------------------------------- */

static float round_real(const float x, const tare_dtype real) {
  return real == TARE_F16    ? tarei_f16_to_float(tarei_float_to_f16(x))
         : real == TARE_BF16 ? tarei_bf16_to_float(tarei_float_to_bf16(x))
                             : x;
}

/* The number of the type that is `steps` away from a positive one. */
static float step_real(const float x, const int steps, const tare_dtype real) {
  if (real == TARE_F16) {
    return tarei_f16_to_float((uint16_t)(tarei_float_to_f16(x) + steps));
  }
  return real == TARE_BF16 ? tarei_bf16_to_float((uint16_t)(tarei_float_to_bf16(x) + steps))
                           : tarei_bits_to_float(tarei_float_to_bits(x) + (uint32_t)steps);
}

typedef bool stored_comes_back(float candidate, int64_t q, float scale, tare_dtype real);

static bool weight_comes_back(const float w, const int64_t q, const float scale,
                              const tare_dtype real) {
  return tarei_stored_scale(tarei_weight_scale_of(w), real) == scale &&
         tarei_weight_quantize(w, scale) == q;
}

static bool bias_comes_back(const float b, const int64_t q, const float scale,
                            const tare_dtype real) {
  (void)real;
  return (int64_t)rintf(b / scale) == q;
}

/* q * scale, or a number near to it that gives q and the scale when it is quantized again. */
static float restore(const int64_t q, const float scale, const tare_dtype real,
                     stored_comes_back *const comes_back, bool *const found) {
  static const int STEPS[] = {0, 1, -1, 2, -2};
  const int64_t magnitude = q < 0 ? -q : q;
  const float plain = round_real((float)((double)magnitude * scale), real);
  *found = false;
  for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS && magnitude && !*found; i++) {
    const float candidate = step_real(plain, STEPS[i], real);
    *found = comes_back(candidate, magnitude, scale, real);
    if (*found) {
      return q < 0 ? -candidate : candidate;
    }
  }
  return q < 0 ? -plain : plain;
}

static float restore_one(const stored_constant *const c, const int64_t i) {
  const int64_t q = stored_integer(c, i);
  const float scale = stored_scale(c, stored_channel(c, i));
  const bool peak = llabs(q) == 127;
  bool found;
  if (c->form.type == TARE_I32) {
    return restore(q, scale, c->real, bias_comes_back, &found);
  }
  return peak ? restore(q, scale, c->real, weight_comes_back, &found)
              : round_real((float)q * scale, c->real);
}

/* Channels whose largest weight does not give their scale. */
static int count_lost_scales(const stored_constant *const c, int64_t *const largest) {
  int lost = 0;
  for (int64_t i = 0; i < tare_tensor_count(&c->integers); i++) {
    const int64_t channel = stored_channel(c, i), q = llabs(stored_integer(c, i));
    largest[channel] = q > largest[channel] ? q : largest[channel];
  }
  for (int64_t k = 0; k < c->n; k++) {
    bool found = largest[k] == 0; /* without a scale */
    if (largest[k] == 127) {
      (void)restore(127, stored_scale(c, k), c->real, weight_comes_back, &found);
    }
    lost += !found;
  }
  return lost;
}

/* --- names ----------------------------------------------------------------------------------- */

/* What "W_quantized" or "W_quantized_2" was made from; free it. NULL where it has no such name. */
static char *original_name(tarei_undo *const u, const char *const stored) {
  static const char SUFFIX[] = "_quantized";
  const size_t end = sizeof SUFFIX - 1;
  size_t n = strlen(stored);
  size_t digits = n;
  while (digits > 0 && stored[digits - 1] >= '0' && stored[digits - 1] <= '9') {
    digits--;
  }
  n = digits < n && digits > 0 && stored[digits - 1] == '_' ? digits - 1 : n;
  if (n <= end || strncmp(stored + n - end, SUFFIX, end) != 0) {
    return NULL;
  }
  char *const name = tarei_memdup(stored, n - end + 1);
  if (name) {
    name[n - end] = 0;
  }
  u->edit.failed |= !name;
  return name;
}

/* Whether a constant of the model gives these integers: layers that are float read it still. */
static bool is_same_constant(const stored_constant *const c, const tare_tensor *const x) {
  bool same =
      x->data && x->dtype == TARE_F32 && tare_tensor_count(x) == tare_tensor_count(&c->integers);
  for (int64_t i = 0; same && i < tare_tensor_count(x); i++) {
    const float value = ((const float *)x->data)[i];
    const float scale = stored_scale(c, stored_channel(c, i));
    const int64_t q = c->form.type == TARE_I32 ? (int64_t)rintf(value / scale)
                                               : tarei_weight_quantize(value, scale);
    same = isfinite(value) && q == stored_integer(c, i);
  }
  return same;
}

/* Where the float constant goes: a new name, or NULL where one of the model has it already. */
static const char *claim_name(tarei_undo *const u, const stored_constant *const c,
                              const Onnx__NodeProto *const node) {
  char *const name = original_name(u, node->input[0]);
  const char *const out = node->output[0];
  if (!name || tarei_undo_has_moved(u, out)) { /* by a pair that reads it */
    free(name);
    return out;
  }
  const char *claimed = out;
  const tare_tensor x = tarei_undo_constant(u, name);
  if (is_same_constant(c, &x)) {
    tarei_undo_move(u, out, u->graph->values[tarei_names_find(&u->values, name)].name);
    claimed = NULL;
  } else if (tarei_names_find(&u->edit.taken, name) < 0) {
    claimed = tarei_edit_name(&u->edit, name, "");
    tarei_undo_move(u, out, claimed);
  }
  free(name);
  return claimed;
}

/* --- constants ------------------------------------------------------------------------------- */

static const char *read_stored(const tarei_undo *const u, const Onnx__NodeProto *const node,
                               stored_constant *const out) {
  *out = (stored_constant){.integers = tarei_undo_constant(u, node->input[0]), .inner = 1};
  const char *const why = tarei_undo_form_of(u, node, &out->form);
  if (why) {
    return why;
  }
  const tare_tensor *const q = &out->integers;
  const int64_t axis = out->form.axis + (out->form.axis < 0 ? q->rank : 0);
  out->n = tare_tensor_count(&out->form.scale);
  out->real = tarei_file_type(&u->types, node->input[1]);
  if (q->dtype != TARE_I8 && q->dtype != TARE_U8 && q->dtype != TARE_I32) {
    return "its integers are neither int8, uint8 nor int32";
  }
  if (out->form.type != q->dtype) {
    return "its zero point has another type than its integers";
  }
  if (out->n > 1 && (axis < 0 || axis >= q->rank || q->dims[axis] != out->n)) {
    return "its scales do not fit the axis that they are for";
  }
  for (int64_t d = axis + 1; out->n > 1 && d < q->rank; d++) {
    out->inner *= q->dims[d];
  }
  return out->real == TARE_F32 || out->real == TARE_F16 || out->real == TARE_BF16
             ? NULL
             : "the type of its scale is unknown";
}

static void write_floats(tarei_undo *const u, const stored_constant *const c,
                         const char *const name) {
  const tare_tensor *const q = &c->integers;
  void *const to = tarei_edit_constant(&u->edit, name, c->real, q->dims, q->rank);
  int64_t *const largest = tarei_calloc((size_t)c->n, sizeof *largest);
  if (!to || !largest) {
    u->edit.failed = true;
    free(largest);
    return;
  }
  for (int64_t i = 0; i < tare_tensor_count(q); i++) {
    tarei_edit_store_real(to, i, c->real, restore_one(c, i));
  }
  u->counts.scales += c->form.type == TARE_I32 ? 0 : count_lost_scales(c, largest);
  free(largest);
}

const char *tarei_undo_stored(tarei_undo *const u, const size_t n) {
  const Onnx__NodeProto *const node = u->file->model->graph->node[n];
  stored_constant constant;
  const char *const why = read_stored(u, node, &constant);
  if (why) {
    return why;
  }
  const char *const name = claim_name(u, &constant, node);
  if (name) {
    write_floats(u, &constant, name);
  }
  u->goes[n] = true;
  u->counts.constants++;
  return NULL;
}
