/* AveragePool and MaxPool of floats over one, two or three axes, channels first: planes for the
 * threads. */
#include "base/mem.h"
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

/* What threads share: the windows along each axis. Then columns for each of them. */
typedef struct pool_job {
  tarei_pool_planes planes;
  const tarei_run *run;
  bool average;
  size_t in, out; /* elements of a plane */
} pool_job;

static tarei_pool_planes pool_planes_of(const tarei_pool_geometry *const g) {
  const tarei_window *const w = &g->s->window;
  tarei_pool_planes p = {
      .taps = (size_t)w->kernel[2], .stride = (size_t)w->strides[2], .pad = (size_t)g->before[2]};
  for (int a = 0; a < TAREI_POOL_AXES; a++) {
    p.in[a] = (size_t)g->in[a];
    p.out_dims[a] = (size_t)g->out[a];
    p.dilation[a] = (size_t)w->dilations[a];
  }
  return p;
}

static size_t pool_spans_bytes(const tarei_pool_planes *const p) {
  return tarei_round_up(
      tarei_times(tarei_plus(p->out_dims[0], p->out_dims[1]), sizeof(tarei_pool_span)),
      TAREI_ALIGN);
}

static size_t pool_counts_bytes(const tarei_pool_planes *const p) {
  return tarei_round_up(tarei_times(p->out_dims[2], sizeof(float)), TAREI_ALIGN);
}

static size_t pool_columns_bytes(const tarei_pool_planes *const p) {
  return tarei_times(tarei_pool_columns(p), sizeof(float));
}

static size_t pool_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                           const tare_tensor *const *const out, const int threads) {
  const pool_state *const s = step->state;
  if (s->is_any) {
    return tarei_pool_any_scratch(&s->any, threads);
  }
  const bool average = step->node->op == &tarei_op_average_pool;
  const tarei_pool_geometry g = tarei_pool_geometry_of(&s->pooling, average, 2, in[0], out[0]);
  const tarei_pool_planes p = pool_planes_of(&g);
  return tarei_plus(tarei_plus(pool_spans_bytes(&p), pool_counts_bytes(&p)),
                    tarei_times((size_t)threads, pool_columns_bytes(&p)));
}

/* A window without elements has the mean 0 / 1. */
static float pool_count_of(const tarei_pool_geometry *const g, const tarei_pool_taps *const t) {
  const double count = tarei_pool_count(g, t);
  return count > 0 ? (float)count : 1.0f;
}

static void pool_fill_spans(const tarei_pool_geometry *const g, const int axis,
                            tarei_pool_span *const spans) {
  for (int64_t i = 0; i < g->out[axis]; i++) {
    const tarei_pool_taps t = tarei_pool_taps_of(g, axis, i);
    spans[i] =
        (tarei_pool_span){.first = (size_t)(t.start + t.first * g->s->window.dilations[axis]),
                          .n = t.end > t.first ? (size_t)(t.end - t.first) : 0,
                          .count = pool_count_of(g, &t)};
  }
}

static void pool_fill_counts(const tarei_pool_geometry *const g, float *const counts) {
  for (int64_t i = 0; i < g->out[2]; i++) {
    const tarei_pool_taps t = tarei_pool_taps_of(g, 2, i);
    counts[i] = pool_count_of(g, &t);
  }
}

static void pool_fill_windows(const tarei_pool_geometry *const g, pool_job *const j) {
  tarei_pool_span *const spans = j->run->scratch;
  float *const counts = (float *)(void *)((char *)j->run->scratch + pool_spans_bytes(&j->planes));
  pool_fill_spans(g, 0, spans);
  pool_fill_spans(g, 1, spans + g->out[0]);
  pool_fill_counts(g, counts);
  j->planes.spans[0] = spans;
  j->planes.spans[1] = spans + g->out[0];
  j->planes.counts = counts;
}

static void pool_range(const void *const user, const size_t first, const size_t end,
                       const int thread) {
  const pool_job *const j = user;
  tarei_pool_planes p = j->planes;
  p.x += first * j->in;
  p.out += first * j->out;
  p.planes = end - first;
  float *const columns =
      (float *)(void *)((char *)j->run->scratch + pool_spans_bytes(&p) + pool_counts_bytes(&p) +
                        (size_t)thread * pool_columns_bytes(&p));
  (j->average ? j->run->kernels->pool_planes_mean : j->run->kernels->pool_planes_max)(&p, columns);
}

static tare_status run_pool(const tarei_step *const step, const tarei_run *const r,
                            const bool average) {
  const tare_tensor *const x = r->in[0];
  const pool_state *const s = step->state;
  if (s->is_any) {
    tarei_pool_any_run(&s->any, r, gives_indices(step) ? r->out[1]->data : NULL);
    return TARE_OK;
  }
  const tarei_pool_geometry g = tarei_pool_geometry_of(&s->pooling, average, 2, x, r->out[0]);
  pool_job j = {.planes = pool_planes_of(&g), .run = r, .average = average};
  j.planes.x = x->data;
  j.planes.out = r->out[0]->data;
  j.in = j.planes.in[0] * j.planes.in[1] * j.planes.in[2];
  j.out = j.planes.out_dims[0] * j.planes.out_dims[1] * j.planes.out_dims[2];
  pool_fill_windows(&g, &j);
  tarei_row_ranges(r, (size_t)x->dims[0] * (size_t)x->dims[1], j.in, 4096, pool_range, &j);
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
