/* Indices that come from data: each is checked before any of them is used. */
#ifndef TAREI_ENGINE_LOWER_MOVE_INDICES_H
#define TAREI_ENGINE_LOWER_MOVE_INDICES_H

#include "engine/lower/numbers.h"

/* Input 1 holds int64 or int32; for `prepare`. */
tare_status tarei_want_indices(tarei_step *step, tarei_blobs *blobs, tare_error *err);

/* Checks elements first, first + stride, ... of input 1 against an axis of `size`: TARE_E_INPUT
 * names the tensor, the value and the range. */
tare_status tarei_check_indices(const tarei_step *step, const tarei_run *run, int64_t first,
                                int64_t stride, int axis, int64_t size, tare_error *err);

/* Whether those of elements [first, first + n) of indices that are `stride` apart are within such
 * an axis. */
bool tarei_indices_fit(const tare_tensor *indices, int64_t first, int64_t n, int64_t stride,
                       int64_t size);

/* Index i as a position of an axis of `size`: negative ones count from its end. */
static inline int64_t tarei_position(const tare_tensor *const indices, const int64_t i,
                                     const int64_t size) {
  const int64_t at = tarei_index_at(indices, i);
  return at < 0 ? at + size : at;
}

#endif
