/* Concat, and Split as its reverse: runs of bytes along one axis. */
#include <string.h>

#include "engine/step.h"

/* Bytes before the axis are looped over; from the axis on they lie together. */
static void extents(const tare_tensor *const t, const int axis, size_t *const outer,
                    size_t *const run) {
  *outer = 1;
  *run = tare_dtype_size(t->dtype);
  for (int d = 0; d < t->rank; d++) {
    *(d < axis ? outer : run) *= (size_t)t->dims[d];
  }
}

static int axis_of(const tarei_step *const step, const tare_tensor *const t) {
  const int64_t axis = tarei_attr_int(step->node, "axis", 0);
  return (int)(axis < 0 ? axis + t->rank : axis);
}

static tare_status run_concat(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  (void)err;
  const int axis = axis_of(step, r->out[0]);
  size_t outer, whole, part, at = 0;
  extents(r->out[0], axis, &outer, &whole);
  for (int i = 0; i < step->node->n_in; i++) {
    extents(r->in[i], axis, &outer, &part);
    for (size_t o = 0; o < outer; o++) {
      memcpy((char *)r->out[0]->data + o * whole + at, (const char *)r->in[i]->data + o * part,
             part);
    }
    at += part;
  }
  return TARE_OK;
}

static tare_status run_split(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  (void)err;
  const int axis = axis_of(step, r->in[0]);
  size_t outer, whole, part, at = 0;
  extents(r->in[0], axis, &outer, &whole);
  for (int i = 0; i < step->node->n_out; i++) {
    if (!r->out[i]) {
      continue;
    }
    extents(r->out[i], axis, &outer, &part);
    for (size_t o = 0; o < outer; o++) {
      memcpy((char *)r->out[i]->data + o * part, (const char *)r->in[0]->data + o * whole + at,
             part);
    }
    at += part;
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_concat = {.run = run_concat};
const tarei_lowering tarei_lower_split = {.run = run_split};
