#include "engine/lower/int_operand.h"

#include <math.h>

#include "base/half.h"
#include "engine/lower/operands.h"

static int64_t cut(const double x) {
  return isnan(x)                 ? 0
         : x >= (double)INT64_MAX ? INT64_MAX
         : x <= (double)INT64_MIN ? INT64_MIN
                                  : (int64_t)x;
}

int64_t tarei_integer_at(const tare_tensor *const t, const int64_t i) {
  switch (t->dtype) {
    case TARE_F32:
      return cut((double)((const float *)t->data)[i]);
    case TARE_F64:
      return cut(((const double *)t->data)[i]);
    case TARE_F16:
      return cut((double)tarei_f16_to_float(((const uint16_t *)t->data)[i]));
    case TARE_BF16:
      return cut((double)tarei_bf16_to_float(((const uint16_t *)t->data)[i]));
    case TARE_I8:
      return ((const int8_t *)t->data)[i];
    case TARE_I16:
      return ((const int16_t *)t->data)[i];
    case TARE_U16:
      return ((const uint16_t *)t->data)[i];
    case TARE_I32:
      return ((const int32_t *)t->data)[i];
    case TARE_U32:
      return ((const uint32_t *)t->data)[i];
    case TARE_I64:
    case TARE_U64:
      return ((const int64_t *)t->data)[i];
    default:
      return ((const uint8_t *)t->data)[i];
  }
}

static bool holds_integers(const tare_tensor *const t) {
  return t->dtype == TARE_I64 || t->dtype == TARE_I32 || t->dtype == TARE_BOOL;
}

int tarei_int_operand(const tarei_step *const step, const tarei_run *const run, const int i,
                      const char *const attribute, int64_t *const out) {
  if (i < step->node->n_in && run->in[i] && holds_integers(run->in[i])) {
    const tare_tensor *const t = run->in[i];
    int64_t n = tare_tensor_count(t);
    n = n > TAREI_MAX_INTS ? TAREI_MAX_INTS : n;
    for (int64_t k = 0; k < n; k++) {
      out[k] = tarei_int_at(t, k);
    }
    return (int)n;
  }
  const tarei_attr *const a = tarei_attr_find(step->node, attribute);
  const int n = !a || a->kind != TAREI_ATTR_INTS ? 0
                : a->n > TAREI_MAX_INTS          ? TAREI_MAX_INTS
                                                 : a->n;
  for (int k = 0; k < n; k++) {
    out[k] = a->ints[k];
  }
  return n;
}

tare_status tarei_want_axis(const tarei_step *const step, const tarei_run *const run, const int i,
                            const int rank, int64_t *const axis, tare_error *const err) {
  TARE_TRY(tarei_want_count(step, run, i, 1, err));
  const int64_t given = tarei_integer_at(run->in[i], 0);
  *axis = given < 0 ? given + rank : given;
  return given >= -rank && given < rank
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "its axis %lld is out of range for rank %d",
                          (long long)given, rank);
}
