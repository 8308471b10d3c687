#include "engine/lower/numbers.h"

#include <math.h>

static const char *numbers_name_of(const tarei_step *const step, const int i) {
  return step->graph->values[step->node->in[i]].name;
}

const tare_tensor *tarei_operand(const tarei_step *const step, const tarei_run *const run,
                                 const int i) {
  return i < step->node->n_in ? run->in[i] : NULL;
}

tare_status tarei_want_integers(const tarei_step *const step, const tarei_run *const run,
                                const int i, tare_error *const err) {
  const tare_tensor *const t = run->in[i];
  return t->dtype == TARE_I64 || t->dtype == TARE_I32 || t->dtype == TARE_BOOL
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "'%s' is %s, expected int64 or int32",
                          numbers_name_of(step, i), tare_dtype_name(t->dtype));
}

static tare_status want_one(const tarei_step *const step, const tarei_run *const run, const int i,
                            const char *const what, tare_error *const err) {
  const tare_tensor *const t = tarei_operand(step, run, i);
  if (!t) {
    return tarei_fail(err, TARE_E_MODEL, "has no %s", what);
  }
  const int64_t n = tare_tensor_count(t);
  return n == 1 ? TARE_OK
                : tarei_fail(err, TARE_E_SHAPE, "%s '%s' has %lld elements, expected one", what,
                             numbers_name_of(step, i), (long long)n);
}

tare_status tarei_read_ints(const tarei_step *const step, const tarei_run *const run, const int i,
                            const char *const attribute, tarei_ints *const out,
                            tare_error *const err) {
  const tare_tensor *const t = tarei_operand(step, run, i);
  int listed = 0;
  const int64_t *const list = attribute ? tarei_attr_ints(step->node, attribute, &listed) : NULL;
  const int64_t n = t ? tare_tensor_count(t) : listed;
  *out = (tarei_ints){0};
  if (n > TAREI_MAX_INTS) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' has %lld elements, expected at most %d",
                      t ? numbers_name_of(step, i) : attribute, (long long)n, TAREI_MAX_INTS);
  }
  if (t) {
    TAREI_TRY(tarei_want_integers(step, run, i, err));
  }
  for (out->n = 0; out->n < n; out->n++) {
    out->at[out->n] = t ? tarei_index_at(t, out->n) : list[out->n];
  }
  return TARE_OK;
}

tare_status tarei_read_int(const tarei_step *const step, const tarei_run *const run, const int i,
                           const char *const what, const int64_t min, const int64_t max,
                           int64_t *const out, tare_error *const err) {
  TAREI_TRY(want_one(step, run, i, what, err));
  if (tarei_is_float(run->in[i]->dtype)) {
    return tarei_fail(err, TARE_E_INPUT, "%s '%s' is %s, expected an integer", what,
                      numbers_name_of(step, i), tare_dtype_name(run->in[i]->dtype));
  }
  *out = tarei_integer_at(run->in[i], 0);
  return *out >= min && *out <= max
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "%s %lld in '%s' is out of range: expected %lld..%lld",
                          what, (long long)*out, numbers_name_of(step, i), (long long)min,
                          (long long)max);
}

tare_status tarei_read_real(const tarei_step *const step, const tarei_run *const run, const int i,
                            const char *const what, double *const out, tare_error *const err) {
  TAREI_TRY(want_one(step, run, i, what, err));
  *out = tarei_real_at(run->in[i], 0);
  return isfinite(*out)
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "%s in '%s' is %g: expected a finite number", what,
                          numbers_name_of(step, i), *out);
}

tare_status tarei_flag_of(const tare_tensor *const t, const char *const what, bool *const out,
                          tare_error *const err) {
  if (t->dtype != TARE_BOOL || tare_tensor_count(t) != 1) {
    return tarei_fail(err, TARE_E_SHAPE, "%s is %lld of %s, expected one bool", what,
                      (long long)tare_tensor_count(t), tare_dtype_name(t->dtype));
  }
  *out = *(const uint8_t *)t->data != 0; /* any byte: it may come from the caller */
  return TARE_OK;
}

tare_status tarei_read_flag(const tarei_step *const step, const tarei_run *const run, const int i,
                            const char *const what, const bool fallback, bool *const out,
                            tare_error *const err) {
  const tare_tensor *const t = tarei_operand(step, run, i);
  *out = fallback;
  return t ? tarei_flag_of(t, what, out, err) : TARE_OK;
}

tare_status tarei_read_axis(const tarei_step *const step, const tarei_run *const run, const int i,
                            const int rank, int *const axis, tare_error *const err) {
  int64_t given = 0;
  TAREI_TRY(tarei_read_int(step, run, i, "axis", -(int64_t)rank, (int64_t)rank - 1, &given, err));
  *axis = (int)(given < 0 ? given + rank : given);
  return TARE_OK;
}
