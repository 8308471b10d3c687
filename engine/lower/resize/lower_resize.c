/* Resize. Nearest picks elements of any type by a table for each axis. Positions are computed in
 * float32, so that ties fall as they do elsewhere. */
#include <math.h>
#include <string.h>

#include "engine/lower/move/elements.h"
#include "engine/lower/measured.h"
#include "engine/lower/operands.h"
#include "engine/lower/resize/resize.h"
#include "engine/threads.h"
#include "graph/ops/resize/ops_resize.h"
#include "shapes/number.h"

#define LEAST ((size_t)1 << 13) /* elements that are worth a range */

static int64_t resize_clamp(const int64_t x, const int64_t low, const int64_t high) {
  return x < low ? low : x > high ? high : x;
}

static int64_t nearest_to(const tarei_resize_settings *const s, const tarei_resize_axis *const a,
                          const float place) {
  float at = 0;
  switch (s->rounding) {
    case TAREI_RESIZE_PREFER_FLOOR:
      at = ceilf(place - 0.5f);
      break;
    case TAREI_RESIZE_PREFER_CEIL:
      at = floorf(place + 0.5f);
      break;
    case TAREI_RESIZE_FLOOR:
      at = floorf(place);
      break;
    case TAREI_RESIZE_CEIL:
      at = ceilf(place);
      break;
    case TAREI_RESIZE_SIMPLE:
      at = a->scale < 1 ? ceilf(place) : floorf(place);
      break;
  }
  return at > 0 ? resize_clamp(at < 9e15f ? (int64_t)at : INT64_MAX, 0, a->in - 1) : 0;
}

typedef struct resize_picking {
  const tare_tensor *x, *out;
  int64_t *tables[TARE_MAX_RANK]; /* per axis of the output: the input's element, or -1 */
  bool last_kept, last_inside;    /* the last axis: is it copied, has it no -1? */
  size_t repeats; /* how often each element of a row stands in the output, or 0 if that differs */
  _Alignas(8) char fill[sizeof(int64_t)];
} resize_picking;

/* Element at which the input's row begins, or -1 outside; `at` is the place of the output's row
 * along each axis. */
static int64_t resize_row_start(const resize_picking *const p, const size_t *const at) {
  const int last = p->x->rank - 1;
  int64_t from = 0, stride = p->x->dims[last];
  for (int d = last - 1; d >= 0; d--) {
    const int64_t place = p->tables[d][at[d]];
    if (place < 0) {
      return -1;
    }
    from += place * stride;
    stride *= p->x->dims[d];
  }
  return from;
}

static void resize_place_of_row(const resize_picking *const p, size_t row, size_t *const at) {
  for (int d = p->x->rank - 2; d >= 0; d--) {
    const size_t size = (size_t)p->out->dims[d];
    at[d] = row % size;
    row /= size;
  }
}

static void resize_next_row(const resize_picking *const p, size_t *const at) {
  for (int d = p->x->rank - 2; d >= 0 && ++at[d] == (size_t)p->out->dims[d]; d--) {
    at[d] = 0;
  }
}

/* A number of copies that the compiler knows makes vectors. */
static void resize_repeat_row(const resize_picking *const p, const void *const from,
                              void *const to) {
  const size_t k = p->repeats, n = (size_t)p->x->dims[p->x->rank - 1];
#define REPEAT(count)                                          \
  for (size_t i = 0; i < n; i++) {                             \
    for (size_t c = 0; c < (count); c++) {                     \
      ((type *)to)[i * (count) + c] = ((const type *)from)[i]; \
    }                                                          \
  }
  if (k == 2) {
    TAREI_BY_SIZE(tare_dtype_size(p->x->dtype), REPEAT(2))
  } else {
    TAREI_BY_SIZE(tare_dtype_size(p->x->dtype), REPEAT(k))
  }
#undef REPEAT
}

/* Of one row; `from` is where that of the input begins. */
static void resize_pick_row(const resize_picking *const p, const void *const from, void *const to) {
  const int last = p->x->rank - 1;
  const size_t element = tare_dtype_size(p->x->dtype), n = (size_t)p->out->dims[last];
  const int64_t *const table = p->tables[last];
  if (p->last_kept) {
    memcpy(to, from, n * element);
  } else if (p->repeats) {
    resize_repeat_row(p, from, to);
  } else if (p->last_inside) {
    TAREI_BY_SIZE(
        element,
        for (size_t i = 0; i < n; i++) { ((type *)to)[i] = ((const type *)from)[table[i]]; })
  } else {
    TAREI_BY_SIZE(
        element, for (size_t i = 0; i < n; i++) {
          ((type *)to)[i] = table[i] < 0 ? *(const type *)p->fill : ((const type *)from)[table[i]];
        })
  }
}

/* A row that begins where the one before does is a copy of it. */
static void resize_pick_rows(const void *const user, const size_t first, const size_t end,
                             const int thread) {
  (void)thread;
  const resize_picking *const p = user;
  const size_t element = tare_dtype_size(p->x->dtype);
  const size_t n = (size_t)p->out->dims[p->x->rank - 1], bytes = n * element;
  int64_t before = INT64_MIN;
  size_t at[TARE_MAX_RANK];
  resize_place_of_row(p, first, at);
  for (size_t row = first; row < end; row++, resize_next_row(p, at)) {
    const int64_t start = resize_row_start(p, at);
    char *const to = (char *)p->out->data + row * bytes;
    if (start == before) {
      memcpy(to, to - bytes, bytes);
    } else if (start < 0) {
      tarei_fill_elements(to, p->fill, n, element);
    } else {
      resize_pick_row(p, (const char *)p->x->data + (size_t)start * element, to);
    }
    before = start;
  }
}

/* The last axis: output i is element i / k for some k. */
static size_t resize_repeats(const resize_picking *const p) {
  const int last = p->x->rank - 1;
  const int64_t n = p->out->dims[last], in = p->x->dims[last], k = in ? n / in : 0;
  for (int64_t i = 0; i < n; i++) {
    if (k == 0 || k * in != n || p->tables[last][i] != i / k) {
      return 0;
    }
  }
  return (size_t)k;
}

static void run_nearest(const tarei_resize_settings *const s, const tarei_resize_axis *const axes,
                        const tarei_run *const r) {
  resize_picking p = {.x = r->in[0], .out = r->out[0]};
  int64_t *next = r->scratch;
  const int last = p.x->rank - 1;
  for (int d = 0; d <= last; d++) {
    p.tables[d] = next;
    next += p.out->dims[d];
    for (int64_t i = 0; i < p.out->dims[d]; i++) {
      const float place = tarei_resize_place(s, &axes[d], i);
      p.tables[d][i] = tarei_resize_keeps(s, &axes[d]) ? i
                       : tarei_resize_is_outside(s, &axes[d], place)
                           ? -1
                           : nearest_to(s, &axes[d], place);
    }
  }
  p.last_kept = tarei_resize_keeps(s, &axes[last]);
  p.last_inside = s->coordinates != TAREI_RESIZE_CROP;
  p.repeats = resize_repeats(&p);
  tarei_write_number(p.x->dtype, (double)s->extrapolation, p.fill);
  const size_t n = (size_t)p.out->dims[last];
  tarei_row_ranges(r, (size_t)tare_tensor_count(p.out) / n, n, LEAST, resize_pick_rows, &p);
}

static tare_status resize_measure(const tarei_step *const step, const tarei_run *const r,
                                  int64_t *const values, tare_error *const err) {
  tarei_resize_axis axes[TARE_MAX_RANK];
  int64_t dims[TARE_MAX_RANK];
  TAREI_TRY(tarei_resize_axes(step, r, axes, err));
  for (int d = 0; d < r->in[0]->rank; d++) {
    dims[d] = axes[d].out;
  }
  tarei_measured_dims(step, 0, dims, values);
  return TARE_OK;
}

static size_t resize_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                             const tare_tensor *const *const out, const int threads) {
  (void)threads;
  if (!out[0]) {
    return 0; /* for measuring */
  }
  size_t positions = 0;
  for (int d = 0; d < in[0]->rank; d++) {
    positions += (size_t)out[0]->dims[d];
  }
  return tarei_resize_settings_of(step->node).mode == TAREI_RESIZE_NEAREST
             ? positions * sizeof(int64_t)
             : tarei_resize_sums_scratch(in[0], out[0]);
}

static tare_status resize_run(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const tarei_resize_settings s = tarei_resize_settings_of(step->node);
  tarei_resize_axis axes[TARE_MAX_RANK];
  TAREI_TRY(tarei_resize_axes(step, r, axes, err));
  for (int d = 0; d < x->rank; d++) {
    const int64_t off = axes[d].out - out->dims[d]; /* a product of floats may be rounded up */
    if (off < -1 || off > 1 || (out->dims[d] && !x->dims[d])) {
      return tarei_fail(err, TARE_E_SHAPE, "axis %d of length %lld becomes %lld, expected %lld", d,
                        (long long)x->dims[d], (long long)axes[d].out, (long long)out->dims[d]);
    }
    axes[d].out = out->dims[d];
  }
  if (tare_tensor_count(out) == 0) {
    return TARE_OK;
  }
  if (x->rank == 0) {
    memcpy(out->data, x->data, tare_dtype_size(x->dtype));
    return TARE_OK;
  }
  if (s.mode == TAREI_RESIZE_NEAREST) {
    run_nearest(&s, axes, r);
    return TARE_OK;
  }
  return tarei_resize_sums(&s, axes, r, err);
}

static tare_status resize_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                  tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  const bool half = dtype == TARE_F16 || dtype == TARE_BF16;
  return half && tarei_resize_settings_of(step->node).mode != TAREI_RESIZE_NEAREST
             ? tarei_refuse_dtype(dtype, err)
             : TARE_OK;
}

const tarei_lowering tarei_lower_resize = {.prepare = resize_prepare,
                                           .scratch = resize_scratch,
                                           .measure = resize_measure,
                                           .run = resize_run};
