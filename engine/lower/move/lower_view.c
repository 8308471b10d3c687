/* Operators that only give the same bytes another shape. They share the memory of their input;
 * run() serves where that is not possible. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/numbers.h"
#include "engine/lower/measured.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

static tare_status copy(const tarei_step *const step, const tarei_run *const r,
                        tare_error *const err) {
  TAREI_TRY(tarei_want_count(step, r, 0, tare_tensor_count(r->out[0]), err));
  tarei_copy(r, r->out[0]->data, r->in[0]->data,
             (size_t)tare_tensor_count(r->out[0]) * tare_dtype_size(r->out[0]->dtype));
  return TARE_OK;
}

/* ---- dims that a run tells ---- */

/* What stands at -1: the elements that the other dims leave. */
static tare_status fill_rest(const tare_tensor *const x, int64_t *const dims, const int n,
                             const int rest, tare_error *const err) {
  int64_t others = 1;
  for (int i = 0; i < n; i++) {
    if (i != rest && !tarei_mul_i64(others, dims[i], &others)) {
      return tarei_fail(err, TARE_E_INPUT, "target shape has more than 2^63 elements");
    }
  }
  const int64_t count = tare_tensor_count(x);
  if (others <= 0 || count % others != 0) {
    return tarei_fail(err, TARE_E_INPUT, "cannot reshape %lld elements to a shape of %lld * -1",
                      (long long)count, (long long)others);
  }
  dims[rest] = count / others;
  return TARE_OK;
}

static tare_status measure_reshape(const tarei_step *const step, const tarei_run *const r,
                                   int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const bool copies = tarei_attr_int(step->node, "allowzero", 0) == 0;
  const int rank = step->graph->values[step->node->out[0]].rank;
  tarei_ints shape;
  TAREI_TRY(tarei_read_ints(step, r, 1, "shape", &shape, err));
  int64_t *const dims = shape.at;
  int rest = -1;
  if (shape.n != rank) {
    return tarei_fail(err, TARE_E_INPUT, "target shape has %d dims, expected %d", shape.n, rank);
  }
  for (int i = 0; i < rank; i++) {
    if (dims[i] < -1 || (dims[i] == -1 && rest >= 0) || (dims[i] == 0 && copies && i >= x->rank)) {
      return tarei_fail(err, TARE_E_INPUT, "target shape has %lld at %d, expected -1 or more",
                        (long long)dims[i], i);
    }
    rest = dims[i] == -1 ? i : rest;
    dims[i] = dims[i] == 0 && copies ? x->dims[i] : dims[i];
  }
  if (rest >= 0) {
    TAREI_TRY(fill_rest(x, dims, rank, rest, err));
  }
  tarei_measured_dims(step, 0, dims, values);
  return TARE_OK;
}

/* Which axes are named, of `rank`; each may be named once. */
static tare_status view_read_axes(const tarei_step *const step, const tarei_run *const r,
                                  const int rank, bool *const set, tare_error *const err) {
  tarei_ints axes;
  TAREI_TRY(tarei_read_ints(step, r, 1, "axes", &axes, err));
  for (int i = 0; i < axes.n; i++) {
    const int64_t axis = axes.at[i] < 0 ? axes.at[i] + rank : axes.at[i];
    if (axis < 0 || axis >= rank || set[axis]) {
      return tarei_fail(err, TARE_E_INPUT, "axis %lld is duplicate or out of range for rank %d",
                        (long long)axes.at[i], rank);
    }
    set[axis] = true;
  }
  return TARE_OK;
}

static tare_status measure_squeeze(const tarei_step *const step, const tarei_run *const r,
                                   int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  bool set[TARE_MAX_RANK] = {false};
  int64_t dims[TARE_MAX_RANK];
  int n = 0;
  const bool given = step->node->n_in > 1 && step->node->in[1] >= 0;
  TAREI_TRY(view_read_axes(step, r, x->rank, set, err));
  for (int i = 0; i < x->rank; i++) {
    if (!set[i] && (given || x->dims[i] != 1)) {
      dims[n++] = x->dims[i];
    } else if (given && x->dims[i] != 1) {
      return tarei_fail(err, TARE_E_SHAPE, "axis %d of the input is %lld, expected 1", i,
                        (long long)x->dims[i]);
    }
  }
  const int rank = step->graph->values[step->node->out[0]].rank;
  if (n != rank) {
    return tarei_fail(err, TARE_E_SHAPE,
                      "a dynamic dim is 1 in this run: without axes, Squeeze would remove it and "
                      "leave rank %d instead of %d",
                      n, rank);
  }
  tarei_measured_dims(step, 0, dims, values);
  return TARE_OK;
}

static tare_status measure_unsqueeze(const tarei_step *const step, const tarei_run *const r,
                                     int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const int rank = step->graph->values[step->node->out[0]].rank;
  bool set[TARE_MAX_RANK] = {false};
  int64_t dims[TARE_MAX_RANK];
  TAREI_TRY(view_read_axes(step, r, rank, set, err));
  int from = 0;
  for (int i = 0; i < rank; i++) {
    dims[i] = set[i] ? 1 : from < x->rank ? x->dims[from] : 0;
    from += !set[i];
  }
  tarei_measured_dims(step, 0, dims, values);
  return from == x->rank
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "axes add %d dims to rank %d, expected rank %d",
                          rank - from, x->rank, rank);
}

#define VIEW(id, ...) \
  const tarei_lowering tarei_lower_##id = {.view = true, .run = copy, __VA_ARGS__};
VIEW(flatten)
VIEW(identity)
VIEW(reshape, .measure = measure_reshape)
VIEW(squeeze, .measure = measure_squeeze)
VIEW(unsqueeze, .measure = measure_unsqueeze)
