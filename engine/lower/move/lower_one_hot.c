/* OneHot: indices outside of the depth leave their row off. Since opset 11 negative ones count from
 * the end. */
#include <string.h>

#include "engine/lower/move/elements.h"
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

typedef struct one_hot_job {
  const tarei_run *run;
  size_t depth, inner, element; /* inner: indices behind the new axis */
  bool wraps;
} one_hot_job;

/* Where index i is on, or `depth`. */
static size_t one_hot_place_of(const one_hot_job *const j, const size_t i) {
  const int64_t depth = (int64_t)j->depth, at = tarei_integer_at(j->run->in[0], (int64_t)i);
  const int64_t place = at < 0 && j->wraps ? at + depth : at;
  return place >= 0 && place < depth ? (size_t)place : j->depth;
}

static void one_hot_off_range(const void *const user, const size_t first, const size_t end,
                              const int thread) {
  (void)thread;
  const one_hot_job *const j = user;
  tarei_fill_elements((char *)j->run->out[0]->data + first * j->element, j->run->in[2]->data,
                      end - first, j->element);
}

static void one_hot_on_range(const void *const user, const size_t first, const size_t end,
                             const int thread) {
  (void)thread;
  const one_hot_job *const j = user;
  const char *const on = (const char *)j->run->in[2]->data + j->element;
  for (size_t i = first; i < end; i++) {
    const size_t place = one_hot_place_of(j, i), row = i / j->inner * j->depth + place;
    if (place < j->depth) {
      memcpy((char *)j->run->out[0]->data + (row * j->inner + i % j->inner) * j->element, on,
             j->element);
    }
  }
}

static tare_status one_hot_measure(const tarei_step *const step, const tarei_run *const r,
                                   int64_t *const values, tare_error *const err) {
  double depth = 0; /* of any type */
  TAREI_TRY(tarei_read_real(step, r, 1, "depth", &depth, err));
  values[0] = tarei_integer_at(r->in[1], 0);
  return depth >= 0 ? TARE_OK : tarei_fail(err, TARE_E_INPUT, "depth %g is negative", depth);
}

static tare_status one_hot_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  const tare_tensor *const out = r->out[0];
  int64_t axis = tarei_attr_int(step->node, "axis", -1);
  axis += axis < 0 ? out->rank : 0;
  TAREI_TRY(tarei_want_count(step, r, 2, 2, err));
  one_hot_job j = {.run = r,
                   .depth = (size_t)out->dims[axis],
                   .inner = 1,
                   .element = tare_dtype_size(out->dtype),
                   .wraps = step->node->opset >= 11};
  for (int d = (int)axis + 1; d < out->rank; d++) {
    j.inner *= (size_t)out->dims[d];
  }
  tarei_row_ranges(r, (size_t)tare_tensor_count(out), 1, 4096, one_hot_off_range, &j);
  tarei_row_ranges(r, (size_t)tare_tensor_count(r->in[0]), 1, 4096, one_hot_on_range, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_one_hot = {.measure = one_hot_measure, .run = one_hot_run};
