#include "engine/lower/conv/pool_any.h"

#include <float.h>
#include <math.h>

#include "base/mem.h"
#include "engine/threads.h"

typedef struct pool_any_job {
  const tarei_pool_any *pool;
  const tarei_run *run;
  tarei_windows w;
  int64_t planes;
  int64_t *indices; /* of MaxPool, or NULL */
  size_t thread_bytes;
} pool_any_job;

/* What one window's elements are, in all planes: offsets of those inside. */
typedef struct spot {
  size_t at; /* within the output's plane */
  const int64_t *offsets;
  size_t n;
  double divisor; /* of an average; 0: nothing is counted */
} spot;

static void put_index(const pool_any_job *const j, const spot *const s, const int64_t plane,
                      const int64_t offset) {
  if (j->indices) {
    const int64_t within =
        j->pool->column_major ? tarei_windows_column_major(&j->w, offset) : offset;
    j->indices[plane * j->w.out_plane + (int64_t)s->at] = plane * j->w.in_plane + within;
  }
}

/* The first of the largest elements; a NaN is larger than all. */
#define LARGEST(name, type, least, is_nan)                             \
  static void name(const pool_any_job *const j, const spot *const s) { \
    const type *x = j->run->in[0]->data;                               \
    type *out = (type *)j->run->out[0]->data + s->at;                  \
    for (int64_t plane = 0; plane < j->planes; plane++) {              \
      int64_t found = s->n ? s->offsets[0] : 0;                        \
      type largest = s->n ? x[found] : (least);                        \
      for (size_t i = 1; i < s->n && !is_nan(largest); i++) {          \
        const type v = x[s->offsets[i]];                               \
        if (v > largest || is_nan(v)) {                                \
          largest = v;                                                 \
          found = s->offsets[i];                                       \
        }                                                              \
      }                                                                \
      *out = largest;                                                  \
      put_index(j, s, plane, found);                                   \
      x += j->w.in_plane;                                              \
      out += j->w.out_plane;                                           \
    }                                                                  \
  }
#define NEVER(v) false
LARGEST(largest_f32, float, -INFINITY, isnan)
LARGEST(largest_f64, double, -(double)INFINITY, isnan)
LARGEST(largest_i8, int8_t, INT8_MIN, NEVER)
LARGEST(largest_u8, uint8_t, 0, NEVER)

#define AVERAGE(name, type)                                            \
  static void name(const pool_any_job *const j, const spot *const s) { \
    const type *x = j->run->in[0]->data;                               \
    type *out = (type *)j->run->out[0]->data + s->at;                  \
    for (int64_t plane = 0; plane < j->planes; plane++) {              \
      double sum = 0;                                                  \
      for (size_t i = 0; i < s->n; i++) {                              \
        sum += (double)x[s->offsets[i]];                               \
      }                                                                \
      *out = s->divisor > 0 ? (type)(sum / s->divisor) : 0;            \
      x += j->w.in_plane;                                              \
      out += j->w.out_plane;                                           \
    }                                                                  \
  }
AVERAGE(average_f32, float)
AVERAGE(average_f64, double)

static double lp_power(const double x, const int64_t p) {
  return p == 1 ? x : p == 2 ? x * x : pow(x, (double)p);
}

static double root(const double x, const int64_t p) {
  return p == 1 ? x : p == 2 ? sqrt(x) : pow(x, 1.0 / (double)p);
}

#define NORM(name, type)                                               \
  static void name(const pool_any_job *const j, const spot *const s) { \
    const type *x = j->run->in[0]->data;                               \
    type *out = (type *)j->run->out[0]->data + s->at;                  \
    for (int64_t plane = 0; plane < j->planes; plane++) {              \
      double sum = 0;                                                  \
      for (size_t i = 0; i < s->n; i++) {                              \
        sum += lp_power(fabs((double)x[s->offsets[i]]), j->pool->p);   \
      }                                                                \
      *out = (type)root(sum, j->pool->p);                              \
      x += j->w.in_plane;                                              \
      out += j->w.out_plane;                                           \
    }                                                                  \
  }
NORM(norm_f32, float)
NORM(norm_f64, double)

typedef void spot_fn(const pool_any_job *j, const spot *s);

static spot_fn *function_of(const tarei_pool_kind kind, const tare_dtype dtype) {
  const bool f32 = dtype == TARE_F32, f64 = dtype == TARE_F64;
  switch (kind) {
    case TAREI_POOL_AVERAGE:
      return f32 ? average_f32 : f64 ? average_f64 : NULL;
    case TAREI_POOL_LP:
      return f32 ? norm_f32 : f64 ? norm_f64 : NULL;
    case TAREI_POOL_MAX:
      break;
  }
  return f32                ? largest_f32
         : f64              ? largest_f64
         : dtype == TARE_I8 ? largest_i8
         : dtype == TARE_U8 ? largest_u8
                            : NULL;
}

tare_status tarei_pool_any_prepare(const tarei_step *const step, const tarei_pool_kind kind,
                                   tarei_pool_any *const out, tare_error *const err) {
  const tarei_node *const node = step->node;
  const tarei_value *const x = &step->graph->values[node->in[0]];
  if (!function_of(kind, x->dtype)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "pooling of %s is not supported",
                      tare_dtype_name(x->dtype));
  }
  out->kind = kind;
  out->with_pads = tarei_attr_int(node, "count_include_pad", 0) != 0;
  out->column_major = tarei_attr_int(node, "storage_order", 0) != 0;
  out->p = tarei_attr_int(node, "p", 2);
  if (out->p < 1) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'p': expected 1 or more, got %lld",
                      (long long)out->p);
  }
  return tarei_windows_prepare(step, x->rank - 2, NULL, &out->window, err);
}

static int64_t pool_any_taps_of(const tarei_window *const w) {
  int64_t taps = 1;
  for (int a = 0; a < w->n; a++) {
    taps *= w->kernel[a];
  }
  return taps;
}

static size_t pool_any_bytes_of(const tarei_window *const w) {
  return tarei_round_up((size_t)pool_any_taps_of(w) * sizeof(int64_t), TAREI_ALIGN);
}

size_t tarei_pool_any_scratch(const tarei_pool_any *const pool, const int threads) {
  return tarei_times(pool_any_bytes_of(&pool->window), (size_t)threads);
}

static size_t drop_padding(int64_t *const offsets, const int64_t taps) {
  size_t n = 0;
  for (int64_t t = 0; t < taps; t++) {
    if (offsets[t] >= 0) {
      offsets[n++] = offsets[t];
    }
  }
  return n;
}

static void pool_any_positions(const void *const user, const size_t first, const size_t end,
                               const int thread) {
  const pool_any_job *const j = user;
  spot_fn *const pool = function_of(j->pool->kind, j->run->in[0]->dtype);
  int64_t *const offsets = tarei_thread_scratch(j->run, thread, j->thread_bytes);
  for (size_t p = first; p < end; p++) {
    tarei_windows_offsets(&j->w, (int64_t)p, offsets);
    spot s = {.at = p, .offsets = offsets, .n = drop_padding(offsets, j->w.taps)};
    s.divisor = j->pool->with_pads ? (double)tarei_windows_padded(&j->w, (int64_t)p) : (double)s.n;
    pool(j, &s);
  }
}

void tarei_pool_any_run(const tarei_pool_any *const pool, const tarei_run *const run,
                        int64_t *const indices) {
  const tare_tensor *const x = run->in[0], *const out = run->out[0];
  const pool_any_job j = {.pool = pool,
                          .run = run,
                          .w = tarei_windows_of(&pool->window, x->dims + 2, out->dims + 2),
                          .planes = x->dims[0] * x->dims[1],
                          .indices = indices,
                          .thread_bytes = pool_any_bytes_of(&pool->window)};
  if (tare_tensor_count(out) > 0) {
    tarei_row_ranges(run, (size_t)j.w.out_plane, (size_t)j.planes, 1024, pool_any_positions, &j);
  }
}
