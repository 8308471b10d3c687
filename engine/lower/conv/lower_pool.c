/* AveragePool and MaxPool over one, two or three axes, channels first. */
#include <math.h>

#include "engine/lower/conv/pool_any.h"
#include "engine/lower/conv/pool_taps.h"
#include "engine/threads.h"

typedef struct pool_state {
  bool is_any; /* `any` does it */
  tarei_pool_any any;
  tarei_pooling pooling;
} pool_state;

static bool gives_indices(const tarei_step *const step) {
  const tarei_node *const node = step->node;
  return node->op == &tarei_op_max_pool && node->n_out > 1 && node->out[1] >= 0 &&
         tarei_graph_count_uses(step->graph, node->out[1]) > 0;
}

static tare_status pool_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                tare_error *const err) {
  (void)blobs;
  const tarei_node *const node = step->node;
  const tarei_value *const x = &step->graph->values[node->in[0]];
  pool_state *const s = step->state;
  s->is_any = x->dtype != TARE_F32 || x->rank > 2 + TAREI_POOL_AXES || gives_indices(step);
  return s->is_any ? tarei_pool_any_prepare(
                         step, node->op == &tarei_op_max_pool ? TAREI_POOL_MAX : TAREI_POOL_AVERAGE,
                         &s->any, err)
                   : tarei_pooling_read(step, x->rank - 2, &s->pooling, err);
}

static size_t pool_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                           const tare_tensor *const *const out, const int threads) {
  (void)in;
  (void)out;
  const pool_state *const s = step->state;
  return s->is_any ? tarei_pool_any_scratch(&s->any, threads) : 0;
}

/* One window: t holds the taps of each axis. A window without elements gives 0 or -infinity. */
static float pool_window(const tarei_pool_geometry *const g, const tarei_pool_taps *const t,
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
  const double count = tarei_pool_divisor(g, t);
  return count > 0 ? (float)(sum / count) : 0.0f;
}

static void pool_plane(const tarei_pool_geometry *const g, const float *const x, float *out) {
  tarei_pool_taps t[TAREI_POOL_AXES];
  for (int64_t i = 0; i < g->out[0]; i++) {
    t[0] = tarei_pool_taps_of(g, 0, i);
    for (int64_t j = 0; j < g->out[1]; j++) {
      t[1] = tarei_pool_taps_of(g, 1, j);
      for (int64_t k = 0; k < g->out[2]; k++) {
        t[2] = tarei_pool_taps_of(g, 2, k);
        *out++ = pool_window(g, t, x);
      }
    }
  }
}

typedef struct pool_job {
  tarei_pool_geometry g;
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
  pool_job j = {.g = tarei_pool_geometry_of(&s->pooling, average, 2, x, r->out[0]),
                .x = x->data,
                .y = r->out[0]->data};
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

const tarei_lowering tarei_lower_average_pool = {.state_bytes = sizeof(pool_state),
                                                 .prepare = pool_prepare,
                                                 .scratch = pool_scratch,
                                                 .run = run_average};
const tarei_lowering tarei_lower_max_pool = {.state_bytes = sizeof(pool_state),
                                             .prepare = pool_prepare,
                                             .scratch = pool_scratch,
                                             .run = pool_run_max};
