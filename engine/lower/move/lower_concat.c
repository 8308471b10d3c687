/* Concat, and Split as its reverse: runs of bytes along one axis. */
#include <string.h>

#include "engine/lower/numbers.h"
#include "engine/lower/measured.h"
#include "engine/lower/operands.h"

/* Bytes before the axis are looped over; from the axis on they lie together. */
static void extents(const tare_tensor *const t, const int axis, size_t *const outer,
                    size_t *const run) {
  *outer = 1;
  *run = tare_dtype_size(t->dtype);
  for (int d = 0; d < t->rank; d++) {
    *(d < axis ? outer : run) *= (size_t)t->dims[d];
  }
}

static int concat_axis_of(const tarei_step *const step, const tare_tensor *const t) {
  const int64_t axis = tarei_attr_int(step->node, "axis", 0);
  return (int)(axis < 0 ? axis + t->rank : axis);
}

/* Inputs that join: alike but for the axis, along which they add up. */
static tare_status check_parts(const tarei_step *const step, const tarei_run *const r,
                               const int axis, tare_error *const err) {
  int64_t left = r->out[0]->dims[axis];
  for (int i = 0; i < step->node->n_in; i++) {
    for (int d = 0; d < r->out[0]->rank; d++) {
      if (d != axis) {
        TAREI_TRY(tarei_want_dim(step, r, i, d, r->out[0]->dims[d], err));
      }
    }
    left -= r->in[i]->dims[axis];
  }
  return left == 0 ? TARE_OK
                   : tarei_fail(err, TARE_E_SHAPE, "the inputs leave %lld of axis %d",
                                (long long)left, axis);
}

static tare_status run_concat(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  const int axis = concat_axis_of(step, r->out[0]);
  TAREI_TRY(check_parts(step, r, axis, err));
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

/* Split's sizes may follow from symbols; an absent output is as long as the others leave. */
static tare_status check_sizes(const tarei_step *const step, const tarei_run *const r,
                               const int axis, tare_error *const err) {
  int64_t left = r->in[0]->dims[axis];
  for (int i = 0; i < step->node->n_out; i++) {
    if (!r->out[i]) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "output %d is absent", i);
    }
    left -= r->out[i]->dims[axis];
  }
  return left == 0 ? TARE_OK
                   : tarei_fail(err, TARE_E_SHAPE, "the outputs leave %lld of axis %d",
                                (long long)left, axis);
}

static tare_status measure_split(const tarei_step *const step, const tarei_run *const r,
                                 int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const char *const name = step->graph->values[step->node->in[1]].name;
  const int axis = concat_axis_of(step, x);
  TAREI_TRY(tarei_want_integers(step, r, 1, err));
  const tare_tensor *const sizes = r->in[1];
  int64_t dims[TARE_MAX_RANK], left = x->dims[axis];
  if (tare_tensor_count(sizes) != step->node->n_out) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' has %lld sizes for %d outputs", name,
                      (long long)tare_tensor_count(sizes), step->node->n_out);
  }
  memcpy(dims, x->dims, sizeof dims);
  for (int i = 0; i < step->node->n_out; i++) {
    dims[axis] = tarei_index_at(sizes, i);
    if (dims[axis] < 0 || dims[axis] > left) {
      return tarei_fail(err, TARE_E_INPUT,
                        "size %lld in '%s' is out of range: expected 0..%lld, the rest of axis %d",
                        (long long)dims[axis], name, (long long)left, axis);
    }
    left -= dims[axis];
    if (step->node->out[i] >= 0) {
      tarei_measured_dims(step, i, dims, values);
    }
  }
  return left == 0 ? TARE_OK
                   : tarei_fail(err, TARE_E_INPUT, "the sizes in '%s' leave %lld of axis %d", name,
                                (long long)left, axis);
}

static tare_status run_split(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const int axis = concat_axis_of(step, r->in[0]);
  TAREI_TRY(check_sizes(step, r, axis, err));
  size_t outer, whole, part, at = 0;
  extents(r->in[0], axis, &outer, &whole);
  for (int i = 0; i < step->node->n_out; i++) {
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
const tarei_lowering tarei_lower_split = {.measure = measure_split, .run = run_split};
