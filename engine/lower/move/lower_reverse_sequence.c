/* ReverseSequence: the first elements of each sequence, the last one first. */
#include <string.h>

#include "engine/lower/move/indices.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

typedef struct reverse_sequence_job {
  const tare_tensor *lengths;
  bool time_first;
  size_t time, batch, inner; /* sequences of `time` rows of `inner` bytes */
  const char *from;
  char *to;
} reverse_sequence_job;

static void reverse_sequence_rows(const void *const user, const size_t first, const size_t end,
                                  const int thread) {
  (void)thread;
  const reverse_sequence_job *const j = user;
  for (size_t row = first; row < end; row++) {
    const size_t t = j->time_first ? row / j->batch : row % j->time;
    const size_t b = j->time_first ? row % j->batch : row / j->time;
    const size_t length = (size_t)tarei_index_at(j->lengths, (int64_t)b);
    const size_t at = t < length ? length - 1 - t : t;
    const size_t from = j->time_first ? at * j->batch + b : b * j->time + at;
    memcpy(j->to + row * j->inner, j->from + from * j->inner, j->inner);
  }
}

static tare_status reverse_sequence_run(const tarei_step *const step, const tarei_run *const r,
                                        tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const lengths = r->in[1];
  const bool time_first = tarei_attr_int(step->node, "time_axis", 0) == 0;
  const int64_t time = x->dims[!time_first], batch = x->dims[time_first];
  TAREI_TRY(tarei_want_count(step, r, 1, batch, err));
  for (int64_t b = 0; b < batch; b++) {
    const int64_t length = tarei_index_at(lengths, b);
    if (length < 0 || length > time) {
      return tarei_fail(err, TARE_E_INPUT, "length %lld in '%s' is out of range: expected 0..%lld",
                        (long long)length, step->graph->values[step->node->in[1]].name,
                        (long long)time);
    }
  }
  reverse_sequence_job j = {
      lengths, time_first,     (size_t)time, (size_t)batch, tare_dtype_size(x->dtype),
      x->data, r->out[0]->data};
  for (int d = 2; d < x->rank; d++) {
    j.inner *= (size_t)x->dims[d];
  }
  if (j.inner) {
    tarei_row_ranges(r, j.time * j.batch, j.inner, 1u << 15, reverse_sequence_rows, &j);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_reverse_sequence = {.prepare = tarei_want_indices,
                                                     .run = reverse_sequence_run};
