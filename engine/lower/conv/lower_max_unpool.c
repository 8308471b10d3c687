/* MaxUnpool: zeros, and each maximum at its place, which counts over the whole output, also where
 * its shape is asked for. Of several at one place the last one stays. */
#include <string.h>

#include "engine/lower/measured.h"
#include "engine/lower/move/elements.h"
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "graph/ops/conv/ops_unpool.h"

enum { X, PLACES, SHAPE };

/* The shape that is asked for: batch and channels are those of X, no other axis is shorter than
 * what the windows span. */
static tare_status read_asked(const tarei_step *const step, const tarei_run *const r,
                              tarei_ints *const shape, tare_error *const err) {
  const tare_tensor *const x = r->in[X];
  const tarei_window *const w = step->state;
  TAREI_TRY(tarei_read_ints(step, r, SHAPE, NULL, shape, err));
  if (shape->n != x->rank) {
    return tarei_fail(err, TARE_E_INPUT, "output_shape has %d dims, expected %d", shape->n,
                      x->rank);
  }
  for (int d = 0; d < x->rank; d++) {
    const int64_t least = d < 2 ? x->dims[d] : tarei_unpooled_length(w, d - 2, x->dims[d]);
    if (shape->at[d] < least || (d < 2 && shape->at[d] > least)) {
      return tarei_fail(err, TARE_E_INPUT, "output_shape has %lld at %d, expected %lld%s",
                        (long long)shape->at[d], d, (long long)least, d < 2 ? "" : " or more");
    }
  }
  return TARE_OK;
}

static tare_status max_unpool_measure(const tarei_step *const step, const tarei_run *const r,
                                      int64_t *const values, tare_error *const err) {
  tarei_ints shape;
  TAREI_TRY(read_asked(step, r, &shape, err));
  tarei_measured_dims(step, 0, shape.at, values);
  return TARE_OK;
}

static tare_status check_asked(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  tarei_ints shape = {0};
  TAREI_TRY(tarei_operand(step, r, SHAPE) ? read_asked(step, r, &shape, err) : TARE_OK);
  for (int d = 0; d < shape.n; d++) {
    if (shape.at[d] != r->out[0]->dims[d]) {
      return tarei_fail(err, TARE_E_INPUT, "output_shape has %lld at %d, expected %lld",
                        (long long)shape.at[d], d, (long long)r->out[0]->dims[d]);
    }
  }
  return TARE_OK;
}

static tare_status max_unpool_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                      tare_error *const err) {
  (void)blobs;
  const int rank = step->graph->values[step->node->in[X]].rank;
  return tarei_ops_window(step->graph, step->node, rank - 2, NULL, step->state, err);
}

static tare_status max_unpool_run(const tarei_step *const step, const tarei_run *const r,
                                  tare_error *const err) {
  const tare_tensor *const x = r->in[X], *const out = r->out[0];
  const int64_t *const places = r->in[PLACES]->data;
  const int64_t n = tare_tensor_count(x), size = tare_tensor_count(out);
  const size_t element = tare_dtype_size(x->dtype);
  TAREI_TRY(tarei_want_count(step, r, PLACES, n, err));
  TAREI_TRY(check_asked(step, r, err));
  for (int64_t i = 0; i < n; i++) {
    if (places[i] < 0 || places[i] >= size) {
      return tarei_fail(
          err, TARE_E_INPUT, "index %lld of '%s' is out of range: the output has %lld elements",
          (long long)places[i], step->graph->values[step->node->in[PLACES]].name, (long long)size);
    }
  }
  memset(out->data, 0, (size_t)size * element);
  TAREI_BY_SIZE(
      element, for (int64_t i = 0; i < n;
                    i++) { ((type *)out->data)[places[i]] = ((const type *)x->data)[i]; })
  return TARE_OK;
}

const tarei_lowering tarei_lower_max_unpool = {.state_bytes = sizeof(tarei_window),
                                               .prepare = max_unpool_prepare,
                                               .measure = max_unpool_measure,
                                               .run = max_unpool_run};
