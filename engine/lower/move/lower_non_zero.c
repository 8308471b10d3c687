/* NonZero: one column of indices for each element that is not 0, in the order in which they stand.
 */
#include "engine/lower/operands.h"
#include "shapes/number.h"

static bool non_zero_is_zero(const tare_tensor *const x, const size_t i) {
  return tarei_real_at(x, (int64_t)i) == 0;
}

static tare_status non_zero_measure(const tarei_step *const step, const tarei_run *const r,
                                    int64_t *const values, tare_error *const err) {
  (void)step;
  (void)err;
  const size_t n = (size_t)tare_tensor_count(r->in[0]);
  values[0] = 0;
  for (size_t i = 0; i < n; i++) {
    values[0] += !non_zero_is_zero(r->in[0], i);
  }
  return TARE_OK;
}

static tare_status non_zero_run(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const size_t n = (size_t)tare_tensor_count(x), columns = (size_t)r->out[0]->dims[1];
  int64_t found, *const out = r->out[0]->data;
  TAREI_TRY(non_zero_measure(step, r, &found, err));
  if ((size_t)found != columns) {
    return tarei_fail(err, TARE_E_SHAPE, "%lld elements are not 0, expected %zu", (long long)found,
                      columns);
  }
  for (size_t i = 0, column = 0; column < columns && i < n; i++) {
    size_t rest = i;
    for (int d = x->rank - 1; d >= 0 && !non_zero_is_zero(x, i); d--) {
      out[(size_t)d * columns + column] = (int64_t)(rest % (size_t)x->dims[d]);
      rest /= (size_t)x->dims[d];
    }
    column += !non_zero_is_zero(x, i);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_non_zero = {.measure = non_zero_measure, .run = non_zero_run};
