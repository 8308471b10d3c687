/* GridSample: the taps of some places are found once, and read in all channels. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/lower/resize/grid_taps.h"
#include "engine/threads.h"

#define AT_ONCE 4096 /* taps that a thread finds before it reads them */

typedef struct grid_sample_job {
  const tarei_run *run;
  tarei_grid_taps taps;
  size_t n_taps, at_once;         /* of a place; places at once */
  size_t places, parts, channels; /* of the output of one channel; spans of places */
  size_t pixels;                  /* of the input of one channel */
} grid_sample_job;

typedef struct grid_sample_span {
  size_t n, taps;
  const int32_t *offsets;
  const void *weights; /* of the type of X */
  const bool *outside; /* per place: some offsets are -1 */
} grid_sample_span;

static size_t grid_sample_bytes(void) {
  return AT_ONCE * (sizeof(double) + sizeof(int32_t) + sizeof(bool));
}

/* The number of taps is a constant wherever the compiler can make use of it. */
#define READ_TAPS(type, count)                       \
  for (size_t i = 0; i < s->n; i++) {                \
    const int32_t *const at = offsets + i * (count); \
    const type *const w = weights + i * (count);     \
    type sum = 0;                                    \
    if (s->outside[i]) {                             \
      for (size_t k = 0; k < (count); k++) {         \
        sum += at[k] < 0 ? 0 : w[k] * x[at[k]];      \
      }                                              \
    } else {                                         \
      for (size_t k = 0; k < (count); k++) {         \
        sum += w[k] * x[at[k]];                      \
      }                                              \
    }                                                \
    out[i] = sum;                                    \
  }
#define READ_SPAN(name, type)                                                                  \
  static void grid_sample_read_##name(const grid_sample_span *const s, const void *const from, \
                                      void *const to) {                                        \
    const type *const x = from, *const weights = s->weights;                                   \
    const int32_t *const offsets = s->offsets;                                                 \
    type *const out = to;                                                                      \
    if (s->taps == 4) {                                                                        \
      READ_TAPS(type, 4)                                                                       \
    } else if (s->taps == 8) {                                                                 \
      READ_TAPS(type, 8)                                                                       \
    } else if (s->taps == 16) {                                                                \
      READ_TAPS(type, 16)                                                                      \
    } else {                                                                                   \
      READ_TAPS(type, s->taps)                                                                 \
    }                                                                                          \
  }
READ_SPAN(f32, float)
READ_SPAN(f64, double)

/* Finds the taps of a span of places; the weights become floats where X has these. */
static grid_sample_span grid_sample_find_span(const grid_sample_job *const j, const size_t first,
                                              const size_t n, char *const scratch) {
  double *const weights = (double *)(void *)scratch;
  int32_t *const offsets = (int32_t *)(void *)(weights + AT_ONCE);
  bool *const outside = (bool *)(offsets + AT_ONCE);
  const bool narrow = j->run->in[0]->dtype == TARE_F32;
  for (size_t i = 0; i < n; i++) {
    double found[TAREI_GRID_MOST_TAPS];
    outside[i] =
        tarei_grid_taps_find(&j->taps, (int64_t)(first + i), offsets + i * j->n_taps, found);
    for (size_t k = 0; k < j->n_taps; k++) {
      if (narrow) {
        ((float *)(void *)weights)[i * j->n_taps + k] = (float)found[k];
      } else {
        weights[i * j->n_taps + k] = found[k];
      }
    }
  }
  return (grid_sample_span){
      .n = n, .taps = j->n_taps, .offsets = offsets, .weights = weights, .outside = outside};
}

static void grid_sample_range(const void *const user, const size_t first, const size_t end,
                              const int thread) {
  const grid_sample_job *const j = user;
  const size_t element = tare_dtype_size(j->run->in[0]->dtype);
  char *const scratch = tarei_thread_scratch(j->run, thread, grid_sample_bytes());
  for (size_t part = first; part < end; part++) {
    const size_t batch = part / j->parts, at = part % j->parts * j->at_once;
    const size_t left = j->places - at, n = left < j->at_once ? left : j->at_once;
    const grid_sample_span s = grid_sample_find_span(j, batch * j->places + at, n, scratch);
    for (size_t c = batch * j->channels; c < (batch + 1) * j->channels; c++) {
      const char *const x = (const char *)j->run->in[0]->data + c * j->pixels * element;
      char *const to = (char *)j->run->out[0]->data + (c * j->places + at) * element;
      if (element == sizeof(float)) {
        grid_sample_read_f32(&s, x, to);
      } else {
        grid_sample_read_f64(&s, x, to);
      }
    }
  }
}

static size_t grid_sample_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                                  const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)in;
  (void)out;
  return tarei_times(grid_sample_bytes(), (size_t)threads);
}

static tare_status grid_sample_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                       tare_error *const err) {
  (void)blobs;
  for (int i = 0; i < 2; i++) {
    const tare_dtype dtype = step->graph->values[step->node->in[i]].dtype;
    if (dtype != TARE_F32 && dtype != TARE_F64) {
      return tarei_refuse_dtype(dtype, err);
    }
  }
  return TARE_OK;
}

static tare_status grid_sample_run(const tarei_step *const step, const tarei_run *const r,
                                   tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const grid = r->in[1], *const out = r->out[0];
  grid_sample_job j = {.run = r, .taps = {.axes = x->rank - 2, .grid = grid}, .pixels = 1};
  TAREI_TRY(tarei_want_dim(step, r, 1, grid->rank - 1, j.taps.axes, err));
  TAREI_TRY(tarei_want_dim(step, r, 1, 0, x->dims[0], err));
  if (tare_tensor_count(out) == 0) {
    return TARE_OK;
  }
  (void)tarei_grid_sample_form_of(step->node, &j.taps.form); /* inference has checked it */
  j.taps.per_axis = j.taps.form.mode == TAREI_GRID_NEAREST  ? 1
                    : j.taps.form.mode == TAREI_GRID_LINEAR ? 2
                                                            : 4;
  for (int d = 0; d < j.taps.axes; d++) {
    j.taps.length[d] = x->dims[2 + d];
    j.pixels *= (size_t)x->dims[2 + d];
  }
  if (j.pixels == 0) {
    return tarei_fail(err, TARE_E_SHAPE, "'%s' has no elements to read",
                      step->graph->values[step->node->in[0]].name);
  }
  if (j.pixels > INT32_MAX) {
    return tarei_fail(err, TARE_E_LIMIT, "a channel of '%s' has %zu elements, the limit is %d",
                      step->graph->values[step->node->in[0]].name, j.pixels, INT32_MAX);
  }
  j.n_taps = (size_t)tarei_grid_taps_count(&j.taps);
  j.at_once = AT_ONCE / j.n_taps < 256 ? AT_ONCE / j.n_taps : 256;
  j.channels = (size_t)x->dims[1];
  j.places = (size_t)tare_tensor_count(out) / ((size_t)x->dims[0] * j.channels);
  j.parts = (j.places + j.at_once - 1) / j.at_once;
  tarei_row_ranges(r, (size_t)x->dims[0] * j.parts, j.at_once * (j.channels + 8) * j.n_taps, 4096,
                   grid_sample_range, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_grid_sample = {
    .prepare = grid_sample_prepare, .scratch = grid_sample_scratch, .run = grid_sample_run};
