/* AveragePool and MaxPool over one, two or three axes, channels last: as many windows of a line at
 * a time as have all their taps. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/conv/pool_taps.h"
#include "engine/lower/fused.h"
#include "engine/threads.h"

enum { MEANS_AT_A_TIME = 4096 }; /* on their way to bytes: floats in the first cache */

typedef struct pool_last_state {
  tarei_fused fused; /* of averages */
  tarei_pooling pooling;
} pool_last_state;

static tare_status pool_prepare_last(tarei_step *const step, tarei_blobs *const blobs,
                                     tare_error *const err) {
  (void)blobs;
  pool_last_state *const s = step->state;
  const tarei_node *const node = step->node;
  const tarei_value *const x = &step->graph->values[node->in[0]];
  const bool bytes = node->op == &tarei_op_max_pool_last && x->dtype == TARE_U8;
  if ((x->dtype != TARE_F32 && !bytes) || x->rank > 2 + TAREI_POOL_AXES) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "%s input of rank %d is not supported",
                      tare_dtype_name(x->dtype), x->rank);
  }
  TAREI_TRY(tarei_pooling_read(step, x->rank - 2, &s->pooling, err));
  return node->op == &tarei_op_average_pool_last ? tarei_fused_read(step, &s->fused, err) : TARE_OK;
}

typedef struct last_job {
  tarei_pool_geometry g;
  const tarei_run *run;
  const char *x;
  size_t channels, element;
  size_t most_means, means_bytes; /* of windows whose means become bytes together */
  size_t thread_bytes;
  tarei_epilogue to; /* of means */
} last_job;

/* A thread's scratch: where the rows of a window begin, behind room for means. */
static size_t window_bytes(const tarei_pool_geometry *const g, const size_t means_bytes) {
  size_t rows = 1;
  for (int a = 0; a < TAREI_POOL_AXES; a++) {
    rows = tarei_times(
        rows, (size_t)(g->s->window.kernel[a] < g->in[a] ? g->s->window.kernel[a] : g->in[a]));
  }
  return tarei_plus(means_bytes, tarei_round_up(tarei_times(rows, sizeof(void *)), TAREI_ALIGN));
}

static size_t pool_collect(const last_job *const j, const tarei_pool_taps *const t,
                           const int64_t batch, const void **const rows) {
  const tarei_pool_geometry *const g = &j->g;
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

/* Windows of `n` rows each, whose first begins in `rows`; none has any where n is 0. */
typedef struct pool_windows {
  size_t position; /* of the first, among all outputs */
  size_t m, step;  /* elements from one to the next */
  const void *const *rows;
  size_t n;
} pool_windows;

static tarei_pool_floats pool_floats_of(const last_job *const j, const pool_windows *const w,
                                        float *const out) {
  return (tarei_pool_floats){.rows = (const float *const *)w->rows,
                             .n_rows = w->n,
                             .n = j->channels,
                             .m = w->m,
                             .step = w->step,
                             .out = out};
}

static void pool_put_means(const last_job *const j, const pool_windows *const w, const double count,
                           float *const spare) {
  const tarei_epilogue to = tarei_epilogue_at(&j->to, w->position, 0);
  float *const means = to.out_f32 ? to.out_f32 : spare;
  const tarei_pool_floats pool = pool_floats_of(j, w, means);
  if (w->n) {
    j->run->kernels->pool_mean(&pool, (float)count);
  } else {
    memset(means, 0, w->m * j->channels * sizeof *means);
  }
  if (to.out_u8) {
    j->run->kernels->quantize(means, w->m * j->channels, to.inv_scale, to.zero_point, to.out_u8);
  }
}

static void put_largest_bytes(const last_job *const j, const pool_windows *const w) {
  const tarei_pool_bytes pool = {
      .rows = (const uint8_t *const *)w->rows,
      .n_rows = w->n,
      .n = j->channels,
      .m = w->m,
      .step = w->step,
      .out = (uint8_t *)j->run->out[0]->data + w->position * j->channels};
  if (w->n) {
    j->run->kernels->pool_max_u8(&pool);
  } else {
    memset(pool.out, 0, w->m * j->channels);
  }
}

static void put_largest(const last_job *const j, const pool_windows *const w) {
  float *const out = (float *)j->run->out[0]->data + w->position * j->channels;
  const tarei_pool_floats pool = pool_floats_of(j, w, out);
  if (w->n) {
    j->run->kernels->pool_max(&pool);
    return;
  }
  for (size_t i = 0; i < w->m * j->channels; i++) {
    pool.out[i] = -INFINITY;
  }
}

/* How many windows of a line from one on, at most `most`, have all taps of the last axis, and lie a
 * step apart; 1 where the first does not. */
static size_t windows_alike(const last_job *const j, const tarei_pool_taps *const t,
                            const size_t most) {
  const tarei_pool_geometry *const g = &j->g;
  const tarei_window *const w = &g->s->window;
  const int64_t last = t[2].start + (w->kernel[2] - 1) * w->dilations[2];
  const bool whole = t[2].first == 0 && t[2].end == w->kernel[2];
  if (!whole) {
    return 1;
  }
  const size_t all = (size_t)((g->in[2] - 1 - last) / w->strides[2]) + 1;
  const size_t room = g->average && !j->to.out_f32 && j->most_means < most ? j->most_means : most;
  return all < room ? all : room;
}

/* Outputs [first, end) of all, from one line: the taps of its other axes are those of t. */
static void pool_line(const last_job *const j, const size_t first, const size_t end,
                      const int64_t batch, tarei_pool_taps *const t, char *const scratch) {
  const tarei_pool_geometry *const g = &j->g;
  const void **const rows = (const void **)(void *)(scratch + j->means_bytes);
  for (size_t p = first, m; p < end; p += m) {
    const int64_t at = (int64_t)(p - first) + (int64_t)first % g->out[2];
    t[2] = tarei_pool_taps_of(g, 2, at);
    m = windows_alike(j, t, end - p);
    const pool_windows w = {.position = p,
                            .m = m,
                            .step = (size_t)g->s->window.strides[2] * j->channels,
                            .rows = rows,
                            .n = pool_collect(j, t, batch, rows)};
    if (g->average) {
      pool_put_means(j, &w, tarei_pool_divisor(g, t), (float *)(void *)scratch);
    } else if (j->element == 1) {
      put_largest_bytes(j, &w);
    } else {
      put_largest(j, &w);
    }
  }
}

static void pool_positions(const void *const user, const size_t first, const size_t end,
                           const int thread) {
  const last_job *const j = user;
  const tarei_pool_geometry *const g = &j->g;
  char *const scratch = tarei_thread_scratch(j->run, thread, j->thread_bytes);
  for (size_t p = first, next; p < end; p = next) {
    const int64_t line = (int64_t)p / g->out[2], plane = line / g->out[1];
    const int64_t at[TAREI_POOL_AXES - 1] = {plane % g->out[0], line % g->out[1]};
    tarei_pool_taps t[TAREI_POOL_AXES];
    for (int a = 0; a < TAREI_POOL_AXES - 1; a++) {
      t[a] = tarei_pool_taps_of(g, a, at[a]);
    }
    next = (size_t)((line + 1) * g->out[2]);
    next = next < end ? next : end;
    pool_line(j, p, next, plane / g->out[0], t, scratch);
  }
}

static last_job last_job_of(const tarei_pooling *const s, const bool average,
                            const tare_tensor *const x, const tare_tensor *const out) {
  const size_t channels = (size_t)x->dims[x->rank - 1];
  last_job j = {
      .g = tarei_pool_geometry_of(s, average, 1, x, out),
      .x = x->data,
      .channels = channels,
      .element = tare_dtype_size(x->dtype),
      .most_means = channels < MEANS_AT_A_TIME && channels ? MEANS_AT_A_TIME / channels : 1};
  j.means_bytes = tarei_round_up(tarei_times(j.most_means, channels * sizeof(float)), TAREI_ALIGN);
  j.thread_bytes = window_bytes(&j.g, j.means_bytes);
  return j;
}

static size_t pool_scratch_last(const tarei_step *const step, const tare_tensor *const *const in,
                                const tare_tensor *const *const out, const int threads) {
  return tarei_times(
      last_job_of(&((const pool_last_state *)step->state)->pooling, false, in[0], out[0])
          .thread_bytes,
      (size_t)threads);
}

static tare_status pool_run_last(const tarei_step *const step, const tarei_run *const r,
                                 const bool average) {
  const pool_last_state *const s = step->state;
  last_job j = last_job_of(&s->pooling, average, r->in[0], r->out[0]);
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

const tarei_lowering tarei_lower_average_pool_last = {.state_bytes = sizeof(pool_last_state),
                                                      .prepare = pool_prepare_last,
                                                      .scratch = pool_scratch_last,
                                                      .run = run_average_last,
                                                      .kernel = kernel_average};
const tarei_lowering tarei_lower_max_pool_last = {.state_bytes = sizeof(pool_last_state),
                                                  .prepare = pool_prepare_last,
                                                  .scratch = pool_scratch_last,
                                                  .run = run_max_last,
                                                  .kernel = kernel_max};
