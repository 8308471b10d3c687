/* Tile: each axis is repeated as a whole. */
#include "base/mem.h"
#include "engine/lower/measured.h"
#include "engine/lower/move/repeats.h"
#include "engine/lower/numbers.h"

static tare_status tile_measure(const tarei_step *const step, const tarei_run *const r,
                                int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const char *const name = step->graph->values[step->node->in[1]].name;
  int64_t dims[TARE_MAX_RANK];
  tarei_ints repeats;
  TAREI_TRY(tarei_read_ints(step, r, 1, NULL, &repeats, err));
  if (repeats.n != x->rank) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' has %d elements for an input of rank %d", name,
                      repeats.n, x->rank);
  }
  for (int d = 0; d < x->rank; d++) {
    const int64_t times = repeats.at[d];
    if (times < 0 || !tarei_mul_i64(x->dims[d], times, &dims[d])) {
      return tarei_fail(err, TARE_E_INPUT, "'%s' repeats axis %d of length %lld %lld times", name,
                        d, (long long)x->dims[d], (long long)times);
    }
  }
  tarei_measured_dims(step, 0, dims, values);
  return TARE_OK;
}

static tare_status tile_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  (void)step;
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  tarei_repeats repeats = {0};
  size_t stride = (size_t)tare_tensor_count(x);
  for (int d = 0; d < x->rank; d++) {
    const int64_t own = x->dims[d], size = out->dims[d];
    if (size && (own < 1 || size % own != 0)) {
      return tarei_fail(err, TARE_E_SHAPE, "cannot repeat axis %d of length %lld to length %lld", d,
                        (long long)own, (long long)size);
    }
    stride = own > 1 ? stride / (size_t)own : stride;
    tarei_repeats_add(&repeats, size ? (size_t)(size / own) : 0, 0);
    tarei_repeats_add(&repeats, (size_t)own, stride);
  }
  tarei_repeats_copy(&repeats, r);
  return TARE_OK;
}

const tarei_lowering tarei_lower_tile = {.measure = tile_measure, .run = tile_run};
