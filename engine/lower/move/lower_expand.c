/* Expand: axes of length 1 are repeated. */
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/measured.h"
#include "engine/lower/move/repeats.h"
#include "engine/lower/numbers.h"

/* Dims that only a run tells: those of the shape, broadcast with the input's. */
static tare_status expand_measure(const tarei_step *const step, const tarei_run *const r,
                                  int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  int64_t dims[TARE_MAX_RANK];
  tarei_ints shape;
  TAREI_TRY(tarei_read_ints(step, r, 1, NULL, &shape, err));
  const int n = shape.n;
  const int rank = step->graph->values[step->node->out[0]].rank;
  for (int i = 1; i <= rank; i++) {
    const int64_t own = i <= x->rank ? x->dims[x->rank - i] : 1, to = i <= n ? shape.at[n - i] : 1;
    if (to < 0 || (own != to && own != 1 && to != 1)) {
      return tarei_fail(err, TARE_E_INPUT,
                        "axis %d of the input is %lld, which does not broadcast to %lld",
                        x->rank - i, (long long)own, (long long)to);
    }
    dims[rank - i] = own == 1 ? to : own;
  }
  tarei_measured_dims(step, 0, dims, values);
  return TARE_OK;
}

static tare_status expand_run(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  (void)step;
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const int lead = out->rank - x->rank;
  tarei_repeats repeats = {0};
  size_t stride = (size_t)tare_tensor_count(x);
  TAREI_TRY(tarei_broadcast_check(x, out, err));
  for (int d = 0; d < out->rank; d++) {
    const int64_t own = d < lead ? 1 : x->dims[d - lead], size = out->dims[d];
    stride = own > 1 ? stride / (size_t)own : stride;
    tarei_repeats_add(&repeats, (size_t)size, own == 1 ? 0 : stride);
  }
  tarei_repeats_copy(&repeats, r);
  return TARE_OK;
}

const tarei_lowering tarei_lower_expand = {.measure = expand_measure, .run = expand_run};
