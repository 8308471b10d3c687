#include "engine/lower/elementwise/divisor.h"

/* Whether one of n integers is 0. */
static bool divisor_has_zero(tarei_pair_row_fn *const equal, const char *const x, const size_t size,
                             const size_t n) {
  enum { BLOCK = 4096 };
  static const uint64_t zero = 0;
  for (size_t at = 0; at < n; at += BLOCK) {
    uint8_t hits[BLOCK], any = 0;
    const size_t m = n - at < BLOCK ? n - at : BLOCK;
    equal(x + at * size, 1, &zero, 0, m, hits);
    for (size_t k = 0; k < m; k++) {
      any |= hits[k];
    }
    if (any) {
      return true;
    }
  }
  return false;
}

tare_status tarei_want_divisor(const tarei_step *const step, const tarei_run *const run,
                               const int i, tare_error *const err) {
  const tare_tensor *const t = run->in[i];
  if (t->dtype == TARE_F32 || t->dtype == TARE_F64 || tare_tensor_count(run->out[0]) == 0) {
    return TARE_OK;
  }
  return divisor_has_zero(run->kernels->pair(TAREI_PAIR_EQUAL, t->dtype), t->data,
                          tare_dtype_size(t->dtype), (size_t)tare_tensor_count(t))
             ? tarei_fail(err, TARE_E_INPUT, "integer division by 0 in '%s'",
                          step->graph->values[step->node->in[i]].name)
             : TARE_OK;
}
