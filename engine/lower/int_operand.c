#include "engine/lower/int_operand.h"

static int64_t element(const tare_tensor *const t, const int64_t i) {
  return t->dtype == TARE_I64   ? ((const int64_t *)t->data)[i]
         : t->dtype == TARE_I32 ? ((const int32_t *)t->data)[i]
                                : ((const uint8_t *)t->data)[i];
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
      out[k] = element(t, k);
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
