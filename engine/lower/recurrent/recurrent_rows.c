/* Where rows of recurrent layers lie, and which of them a run takes. */
#include "engine/lower/recurrent/recurrent.h"

size_t tarei_recurrent_row(const tarei_recurrent *const s, const tarei_recurrent_sizes *const z,
                           const size_t t, const int dir, const size_t b) {
  const size_t dirs = (size_t)s->form.dirs, d = (size_t)dir;
  const size_t row =
      s->form.batch_first ? (b * z->steps + t) * dirs + d : (t * dirs + d) * z->batch + b;
  return row * z->hidden;
}

size_t tarei_recurrent_state_row(const tarei_recurrent *const s,
                                 const tarei_recurrent_sizes *const z, const int dir,
                                 const size_t b) {
  const size_t dirs = (size_t)s->form.dirs, d = (size_t)dir;
  return (s->form.batch_first ? b * dirs + d : d * z->batch + b) * z->hidden;
}

tare_status tarei_recurrent_lengths(const tarei_step *const step, const tarei_run *const run,
                                    const tarei_recurrent_sizes *const z, const int32_t **const out,
                                    tare_error *const err) {
  const tare_tensor *const lengths = tarei_recurrent_in(step, run, TAREI_RECURRENT_LENGTHS);
  *out = NULL;
  if (!lengths) {
    return TARE_OK;
  }
  const int32_t *const at = lengths->data;
  for (size_t b = 0; b < z->batch; b++) {
    if (at[b] < 0 || (size_t)at[b] > z->steps) {
      return tarei_fail(err, TARE_E_INPUT, "sequence %zu has length %ld, expected 0 to %zu", b,
                        (long)at[b], z->steps);
    }
    *out = (size_t)at[b] < z->steps ? at : *out;
  }
  return TARE_OK;
}
