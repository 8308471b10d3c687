/* AveragePool and MaxPool over one, two or three axes, channels first, a line of windows at a time:
 * first each column under it, then the columns of each window. */
#include <math.h>

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

/* A thread's scratch for lines: what columns have, sums or the largest; where the rows begin; and
 * the taps along the line of windows that have not all. */
static size_t line_columns_bytes(const int64_t *const in) {
  return tarei_round_up(tarei_times((size_t)in[2] + TAREI_POOL_ROOM, sizeof(double)), TAREI_ALIGN);
}

static size_t line_rows_bytes(const tarei_pool_geometry *const g) {
  size_t rows = sizeof(float *);
  for (int a = 0; a < 2; a++) {
    const int64_t k = g->s->window.kernel[a];
    rows = tarei_times(rows, (size_t)(k < g->in[a] ? k : g->in[a]));
  }
  return tarei_round_up(rows, TAREI_ALIGN);
}

static size_t line_bytes(const tarei_pool_geometry *const g) {
  const size_t edges = tarei_times((size_t)g->out[2], sizeof(tarei_pool_taps));
  return tarei_plus(line_columns_bytes(g->in),
                    tarei_plus(line_rows_bytes(g), tarei_round_up(edges, TAREI_ALIGN)));
}

static size_t pool_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                           const tare_tensor *const *const out, const int threads) {
  const pool_state *const s = step->state;
  if (s->is_any) {
    return tarei_pool_any_scratch(&s->any, threads);
  }
  const bool average = step->node->op == &tarei_op_average_pool;
  const tarei_pool_geometry g = tarei_pool_geometry_of(&s->pooling, average, 2, in[0], out[0]);
  return tarei_times((size_t)threads, line_bytes(&g));
}

typedef struct pool_job {
  tarei_pool_geometry g;
  const tarei_run *run;
  const float *x;
  float *y;
  size_t in, out;        /* elements of a plane */
  int64_t begin, end;    /* windows of a line that have all taps */
  tarei_pool_taps whole; /* of the first of these along the line */
} pool_job;

typedef struct line_scratch {
  void *columns;
  const float **rows;
  tarei_pool_taps *edges; /* of each window of a line that has not all taps */
} line_scratch;

static line_scratch line_scratch_of(const pool_job *const j, const int thread) {
  char *const at = tarei_thread_scratch(j->run, thread, line_bytes(&j->g));
  char *const rows = at + line_columns_bytes(j->g.in);
  const line_scratch s = {at, (const float **)(void *)rows,
                          (tarei_pool_taps *)(void *)(rows + line_rows_bytes(&j->g))};
  for (int64_t k = 0; k < j->g.out[2]; k++) {
    if (k < j->begin || k >= j->end) {
      s.edges[k] = tarei_pool_taps_of(&j->g, 2, k);
    }
  }
  return s;
}

/* Rows of a plane under the taps along the outer axes; returns their number. */
static size_t pool_line_rows(const tarei_pool_geometry *const g, const tarei_pool_taps *const t,
                             const float *const x, const float **const rows) {
  const int64_t *const d = g->s->window.dilations;
  size_t n = 0;
  for (int64_t i = t[0].first; i < t[0].end; i++) {
    const int64_t z = (t[0].start + i * d[0]) * g->in[1];
    for (int64_t j = t[1].first; j < t[1].end; j++) {
      rows[n++] = x + (z + t[1].start + j * d[1]) * g->in[2];
    }
  }
  return n;
}

/* Windows [*begin, *end) of a line have all taps. */
static void line_whole(const tarei_pool_geometry *const g, int64_t *const begin,
                       int64_t *const end) {
  const tarei_window *const w = &g->s->window;
  const int64_t stride = w->strides[2], span = (w->kernel[2] - 1) * w->dilations[2] + 1;
  const int64_t last = g->in[2] + g->before[2] - span; /* where one may begin */
  const int64_t first = g->before[2] > 0 ? (g->before[2] + stride - 1) / stride : 0;
  const int64_t after = last < 0 ? 0 : last / stride + 1;
  *end = after < g->out[2] ? after : g->out[2];
  *begin = first < *end ? first : *end;
}

/* A window without all taps, of lines with so many elements in a column. A window without elements
 * gives 0. */
static float line_mean_of(const tarei_pool_geometry *const g, const tarei_pool_taps *const t,
                          const double lines, const double *const sums) {
  double sum = 0;
  for (int64_t k = t->first; k < t->end; k++) {
    sum += sums[t->start + k * g->s->window.dilations[2]];
  }
  const double count = lines * tarei_pool_count(g, t);
  return count > 0 ? (float)(sum / count) : 0.0f;
}

/* Likewise; without elements it gives -infinity. */
static float line_largest_of(const tarei_pool_geometry *const g, const tarei_pool_taps *const t,
                             const float *const columns) {
  float largest = -INFINITY;
  for (int64_t k = t->first; k < t->end; k++) {
    const float v = columns[t->start + k * g->s->window.dilations[2]];
    largest = v > largest || isnan(v) ? v : largest;
  }
  return largest;
}

/* The windows that have all taps, and what all columns have. */
static void line_whole_windows(const pool_job *const j, const tarei_pool_taps *const t,
                               const double lines, const line_scratch *const s,
                               const float *const x, float *const out) {
  const tarei_window *const w = &j->g.s->window;
  const double count = lines * tarei_pool_count(&j->g, &j->whole);
  const tarei_pool_line line = {.rows = s->rows,
                                .n_rows = pool_line_rows(&j->g, t, x, s->rows),
                                .width = (size_t)j->g.in[2],
                                .first = j->end > j->begin ? (size_t)j->whole.start : 0,
                                .taps = (size_t)w->kernel[2],
                                .stride = (size_t)w->strides[2],
                                .dilation = (size_t)w->dilations[2],
                                .n = (size_t)(j->end - j->begin),
                                .share = count > 0 ? 1 / count : 0,
                                .out = out + j->begin};
  if (j->g.average) {
    j->run->kernels->pool_line(&line, s->columns);
  } else {
    j->run->kernels->pool_line_max(&line, s->columns);
  }
}

static void pool_line_of(const pool_job *const j, const tarei_pool_taps *const t,
                         const line_scratch *const s, const float *const x, float *const out) {
  const tarei_pool_geometry *const g = &j->g;
  const double lines = tarei_pool_count(g, &t[0]) * tarei_pool_count(g, &t[1]);
  line_whole_windows(j, t, lines, s, x, out);
  for (int64_t k = 0; k < g->out[2]; k++) {
    k = k == j->begin ? j->end : k;
    if (k < g->out[2]) {
      out[k] = g->average ? line_mean_of(g, &s->edges[k], lines, s->columns)
                          : line_largest_of(g, &s->edges[k], s->columns);
    }
  }
}

static void pool_planes(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  const pool_job *const j = user;
  const tarei_pool_geometry *const g = &j->g;
  const line_scratch s = line_scratch_of(j, thread);
  for (size_t p = first; p < end; p++) {
    tarei_pool_taps t[2];
    float *out = j->y + p * j->out;
    for (int64_t i = 0; i < g->out[0]; i++) {
      t[0] = tarei_pool_taps_of(g, 0, i);
      for (int64_t k = 0; k < g->out[1]; k++, out += g->out[2]) {
        t[1] = tarei_pool_taps_of(g, 1, k);
        pool_line_of(j, t, &s, j->x + p * j->in, out);
      }
    }
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
                .run = r,
                .x = x->data,
                .y = r->out[0]->data};
  j.in = (size_t)(j.g.in[0] * j.g.in[1] * j.g.in[2]);
  j.out = (size_t)(j.g.out[0] * j.g.out[1] * j.g.out[2]);
  line_whole(&j.g, &j.begin, &j.end);
  j.whole = tarei_pool_taps_of(&j.g, 2, j.begin);
  tarei_row_ranges(r, (size_t)x->dims[0] * (size_t)x->dims[1], j.in, 4096, pool_planes, &j);
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
