/* AveragePool and MaxPool over one, two or three axes, channels first or last; largest bytes too.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/fused.h"
#include "engine/lower/conv/pool_any.h"
#include "engine/threads.h"

#define AXES 3 /* fewer axes are the last ones of three */

typedef struct pool_state {
  tarei_fused fused; /* of channels-last averages */
  bool is_any;       /* `any` does it */
  tarei_pool_any any;
  int space;
  bool with_pads;      /* count_include_pad */
  tarei_window window; /* over AXES axes */
} pool_state;

/* Taps [first, end) of a window fall on elements; `padded` of them on elements or padding. */
typedef struct pool_taps {
  int64_t start, first, end, padded;
} pool_taps;

static tare_status read_attributes(const tarei_step *const step, pool_state *const s,
                                   tare_error *const err) {
  s->with_pads = tarei_attr_int(step->node, "count_include_pad", 0) != 0;
  TAREI_TRY(tarei_windows_read(step, s->space, NULL /* weights */, &s->window, err));
  tarei_window_widen(&s->window, AXES);
  return TARE_OK;
}

static bool gives_indices(const tarei_step *const step) {
  const tarei_node *const node = step->node;
  return node->op == &tarei_op_max_pool && node->n_out > 1 && node->out[1] >= 0 &&
         tarei_graph_count_uses(step->graph, node->out[1]) > 0;
}

static bool is_last(const tarei_node *const node) {
  return node->op == &tarei_op_max_pool_last || node->op == &tarei_op_average_pool_last;
}

static tare_status pool_prepare_last(const tarei_step *const step, pool_state *const s,
                                     tare_error *const err) {
  const tarei_node *const node = step->node;
  const tarei_value *const x = &step->graph->values[node->in[0]];
  const bool bytes = node->op == &tarei_op_max_pool_last && x->dtype == TARE_U8;
  if ((x->dtype != TARE_F32 && !bytes) || x->rank > 2 + AXES) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "%s input of rank %d is not supported",
                      tare_dtype_name(x->dtype), x->rank);
  }
  TAREI_TRY(read_attributes(step, s, err));
  return node->op == &tarei_op_average_pool_last ? tarei_fused_read(step, &s->fused, err) : TARE_OK;
}

static tare_status pool_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                tare_error *const err) {
  (void)blobs;
  const tarei_node *const node = step->node;
  const tarei_value *const x = &step->graph->values[node->in[0]];
  pool_state *const s = step->state;
  s->space = x->rank - 2;
  if (is_last(node)) {
    return pool_prepare_last(step, s, err);
  }
  s->is_any = x->dtype != TARE_F32 || x->rank > 2 + AXES || gives_indices(step);
  return s->is_any ? tarei_pool_any_prepare(
                         step, node->op == &tarei_op_max_pool ? TAREI_POOL_MAX : TAREI_POOL_AVERAGE,
                         &s->any, err)
                   : read_attributes(step, s, err);
}

static size_t pool_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                           const tare_tensor *const *const out, const int threads) {
  (void)in;
  (void)out;
  const pool_state *const s = step->state;
  return s->is_any ? tarei_pool_any_scratch(&s->any, threads) : 0;
}

/* Number of multiples of step in [0, n). */
static int64_t count_steps(const int64_t n, const int64_t step) {
  return n <= 0 ? 0 : step == 1 ? n : (n - 1) / step + 1;
}

static pool_taps pool_taps_of(const pool_state *const s, const int axis, const int64_t position,
                              const int64_t before, const int64_t after, const int64_t size) {
  const int64_t k = s->window.kernel[axis], d = s->window.dilations[axis];
  const int64_t start = position * s->window.strides[axis] - before;
  const int64_t first = count_steps(-start, d), end = count_steps(size - start, d);
  const int64_t padded = count_steps(size + after - start, d);
  return (pool_taps){start, first < k ? first : k, end < k ? end : k, padded < k ? padded : k};
}

/* Sizes of one run, filled up to three axes. */
typedef struct pool_geometry {
  const pool_state *s;
  bool average;
  int64_t in[AXES], out[AXES], before[AXES], after[AXES];
} pool_geometry;

/* first: the first axis of the windows. */
static pool_geometry geometry_of(const pool_state *const s, const bool average, const int first,
                                 const tare_tensor *const x, const tare_tensor *const out) {
  pool_geometry g = {.s = s, .average = average};
  for (int a = 0; a < AXES; a++) {
    const int axis = first + a - (AXES - s->space);
    g.in[a] = axis < first ? 1 : x->dims[axis];
    g.out[a] = axis < first ? 1 : out->dims[axis];
    const tarei_padding pads = tarei_window_padding(&s->window, a, g.in[a], g.out[a]);
    g.before[a] = pads.before;
    g.after[a] = pads.after;
  }
  return g;
}

/* What the sum of a window is divided by; 0 where nothing is counted. */
static double divisor(const pool_geometry *const g, const pool_taps *const t) {
  double count = 1;
  for (int a = 0; a < AXES; a++) {
    count *= (double)(g->s->with_pads ? t[a].padded : t[a].end - t[a].first);
  }
  return count;
}

/* One window: t holds the taps of each axis. A window without elements gives 0 or -infinity. */
static float pool_window(const pool_geometry *const g, const pool_taps *const t,
                         const float *const x) {
  const int64_t *const d = g->s->window.dilations;
  double sum = 0;
  float largest = -INFINITY;
  for (int64_t i = t[0].first; i < t[0].end; i++) {
    const int64_t z = t[0].start + i * d[0];
    for (int64_t j = t[1].first; j < t[1].end; j++) {
      const float *const row = x + (z * g->in[1] + t[1].start + j * d[1]) * g->in[2];
      for (int64_t k = t[2].first; k < t[2].end; k++) {
        const float v = row[t[2].start + k * d[2]];
        sum += (double)v;
        largest = v > largest || isnan(v) ? v : largest;
      }
    }
  }
  if (!g->average) {
    return largest;
  }
  const double count = divisor(g, t);
  return count > 0 ? (float)(sum / count) : 0.0f;
}

static void pool_plane(const pool_geometry *const g, const float *const x, float *out) {
  pool_taps t[AXES];
  for (int64_t i = 0; i < g->out[0]; i++) {
    t[0] = pool_taps_of(g->s, 0, i, g->before[0], g->after[0], g->in[0]);
    for (int64_t j = 0; j < g->out[1]; j++) {
      t[1] = pool_taps_of(g->s, 1, j, g->before[1], g->after[1], g->in[1]);
      for (int64_t k = 0; k < g->out[2]; k++) {
        t[2] = pool_taps_of(g->s, 2, k, g->before[2], g->after[2], g->in[2]);
        *out++ = pool_window(g, t, x);
      }
    }
  }
}

typedef struct pool_job {
  pool_geometry g;
  const float *x;
  float *y;
  size_t in, out; /* elements of a plane */
} pool_job;

static void planes(const void *const user, const size_t first, const size_t end, const int thread) {
  (void)thread;
  const pool_job *const j = user;
  for (size_t p = first; p < end; p++) {
    pool_plane(&j->g, j->x + p * j->in, j->y + p * j->out);
  }
}

static tare_status run_pool(const tarei_step *const step, const tarei_run *const r,
                            const bool average) {
  const tare_tensor *const x = r->in[0];
  const pool_state *const s = step->state;
  if (s->is_any) {
    tarei_pool_any_run(&s->any, r, gives_indices(step) ? r->out[1]->data : NULL);
    return TARE_OK;
  }
  pool_job j = {
      .g = geometry_of(step->state, average, 2, x, r->out[0]), .x = x->data, .y = r->out[0]->data};
  j.in = (size_t)(j.g.in[0] * j.g.in[1] * j.g.in[2]);
  j.out = (size_t)(j.g.out[0] * j.g.out[1] * j.g.out[2]);
  tarei_row_ranges(r, (size_t)x->dims[0] * (size_t)x->dims[1], j.in, 4096, planes, &j);
  return TARE_OK;
}

static tare_status run_average(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  (void)err;
  return run_pool(step, r, true);
}

static tare_status pool_run_max(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  (void)err;
  return run_pool(step, r, false);
}

/* --- channels last ---------------------------------------------------------------------------- */

typedef struct last_job {
  pool_geometry g;
  const tarei_run *run;
  const char *x;
  size_t channels, element, row_bytes, thread_bytes; /* row_bytes: of one mean */
  tarei_epilogue to;                                 /* of means */
} last_job;

/* A thread's scratch: where the rows of a window begin, behind room for one mean. */
static size_t window_bytes(const pool_geometry *const g, const size_t row_bytes) {
  size_t rows = 1;
  for (int a = 0; a < AXES; a++) {
    rows = tarei_times(
        rows, (size_t)(g->s->window.kernel[a] < g->in[a] ? g->s->window.kernel[a] : g->in[a]));
  }
  return tarei_plus(row_bytes, tarei_round_up(tarei_times(rows, sizeof(void *)), TAREI_ALIGN));
}

static size_t pool_collect(const last_job *const j, const pool_taps *const t, const int64_t batch,
                           const void **const rows) {
  const pool_geometry *const g = &j->g;
  const int64_t *const d = g->s->window.dilations;
  const size_t pixel = j->channels * j->element;
  size_t n = 0;
  for (int64_t a = t[0].first; a < t[0].end; a++) {
    const int64_t z = batch * g->in[0] + t[0].start + a * d[0];
    for (int64_t b = t[1].first; b < t[1].end; b++) {
      const int64_t y = z * g->in[1] + t[1].start + b * d[1];
      for (int64_t c = t[2].first; c < t[2].end; c++) {
        rows[n++] = j->x + (size_t)(y * g->in[2] + t[2].start + c * d[2]) * pixel;
      }
    }
  }
  return n;
}

static void put_mean(const last_job *const j, const size_t position, const float *const *const rows,
                     const size_t n, const double count, float *const spare) {
  const tarei_epilogue to = tarei_epilogue_at(&j->to, position, 0);
  float *const mean = to.out_f32 ? to.out_f32 : spare;
  if (n) {
    j->run->kernels->pool_mean(rows, n, j->channels, (float)count, mean);
  } else {
    memset(mean, 0, j->channels * sizeof *mean);
  }
  if (to.out_u8) {
    j->run->kernels->quantize(mean, j->channels, to.inv_scale, to.zero_point, to.out_u8);
  }
}

static void put_largest(const last_job *const j, const size_t position,
                        const void *const *const rows, const size_t n) {
  void *const out = (char *)j->run->out[0]->data + position * j->channels * j->element;
  if (j->element == 1 && n) {
    j->run->kernels->pool_max_u8((const uint8_t *const *)rows, n, j->channels, out);
  } else if (j->element == 1) {
    memset(out, 0, j->channels);
  } else if (n) {
    j->run->kernels->pool_max((const float *const *)rows, n, j->channels, out);
  } else {
    for (size_t i = 0; i < j->channels; i++) {
      ((float *)out)[i] = -INFINITY;
    }
  }
}

/* Outputs [first, end) of all, from one line: the taps of its other axes are those of t. */
static void pool_line(const last_job *const j, const size_t first, const size_t end,
                      const int64_t batch, pool_taps *const t, char *const scratch) {
  const pool_geometry *const g = &j->g;
  const void **const rows = (const void **)(void *)(scratch + j->row_bytes);
  for (size_t p = first; p < end; p++) {
    const int64_t at = (int64_t)(p - first) + (int64_t)first % g->out[2];
    t[2] = pool_taps_of(g->s, 2, at, g->before[2], g->after[2], g->in[2]);
    const size_t n = pool_collect(j, t, batch, rows);
    if (g->average) {
      put_mean(j, p, (const float *const *)rows, n, divisor(g, t), (float *)(void *)scratch);
    } else {
      put_largest(j, p, rows, n);
    }
  }
}

static void pool_positions(const void *const user, const size_t first, const size_t end,
                           const int thread) {
  const last_job *const j = user;
  const pool_geometry *const g = &j->g;
  char *const scratch = tarei_thread_scratch(j->run, thread, j->thread_bytes);
  for (size_t p = first, next; p < end; p = next) {
    const int64_t line = (int64_t)p / g->out[2], plane = line / g->out[1];
    const int64_t at[AXES - 1] = {plane % g->out[0], line % g->out[1]};
    pool_taps t[AXES];
    for (int a = 0; a < AXES - 1; a++) {
      t[a] = pool_taps_of(g->s, a, at[a], g->before[a], g->after[a], g->in[a]);
    }
    next = (size_t)((line + 1) * g->out[2]);
    next = next < end ? next : end;
    pool_line(j, p, next, plane / g->out[0], t, scratch);
  }
}

static last_job last_job_of(const pool_state *const s, const bool average,
                            const tare_tensor *const x, const tare_tensor *const out) {
  const size_t channels = (size_t)x->dims[x->rank - 1];
  last_job j = {.g = geometry_of(s, average, 1, x, out),
                .x = x->data,
                .channels = channels,
                .element = tare_dtype_size(x->dtype),
                .row_bytes = tarei_round_up(channels * sizeof(float), TAREI_ALIGN)};
  j.thread_bytes = window_bytes(&j.g, j.row_bytes);
  return j;
}

static size_t pool_scratch_last(const tarei_step *const step, const tare_tensor *const *const in,
                                const tare_tensor *const *const out, const int threads) {
  return tarei_times(last_job_of(step->state, false, in[0], out[0]).thread_bytes, (size_t)threads);
}

static tare_status pool_run_last(const tarei_step *const step, const tarei_run *const r,
                                 const bool average) {
  const pool_state *const s = step->state;
  last_job j = last_job_of(s, average, r->in[0], r->out[0]);
  j.run = r;
  if (average) {
    j.to = tarei_fused_epilogue(&s->fused, step, r, NULL, j.channels);
  }
  const size_t n = j.channels ? (size_t)tare_tensor_count(r->out[0]) / j.channels : 0;
  tarei_row_ranges(r, n, j.channels, 4096, pool_positions, &j);
  return TARE_OK;
}

static tare_status run_average_last(const tarei_step *const step, const tarei_run *const r,
                                    tare_error *const err) {
  (void)err;
  return pool_run_last(step, r, true);
}

static tare_status run_max_last(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  (void)err;
  return pool_run_last(step, r, false);
}

TAREI_KERNEL_OF(kernel_average, pool_mean)

static const char *kernel_max(const tarei_step *const step, const tarei_kernels *const k) {
  const tarei_value *const x = &step->graph->values[step->node->in[0]];
  return x->dtype == TARE_U8 ? k->pool_max_u8_name : k->pool_max_name;
}

const tarei_lowering tarei_lower_average_pool = {.state_bytes = sizeof(pool_state),
                                                 .prepare = pool_prepare,
                                                 .scratch = pool_scratch,
                                                 .run = run_average};
const tarei_lowering tarei_lower_average_pool_last = {.state_bytes = sizeof(pool_state),
                                                      .prepare = pool_prepare,
                                                      .scratch = pool_scratch_last,
                                                      .run = run_average_last,
                                                      .kernel = kernel_average};
const tarei_lowering tarei_lower_max_pool = {.state_bytes = sizeof(pool_state),
                                             .prepare = pool_prepare,
                                             .scratch = pool_scratch,
                                             .run = pool_run_max};
const tarei_lowering tarei_lower_max_pool_last = {.state_bytes = sizeof(pool_state),
                                                  .prepare = pool_prepare,
                                                  .scratch = pool_scratch_last,
                                                  .run = run_max_last,
                                                  .kernel = kernel_max};
