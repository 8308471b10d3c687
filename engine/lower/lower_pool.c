/* AveragePool and MaxPool over one, two or three axes, channels first. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/threads.h"

#define AXES 3                       /* fewer axes are the last ones of three */
#define LARGEST ((int64_t)INT32_MAX) /* of any attribute: sums of products stay in 64 bits */

typedef struct state {
  int space;
  bool same, lower, with_pads; /* auto_pad SAME_*; SAME_LOWER; count_include_pad */
  int64_t kernel[AXES], stride[AXES], dilation[AXES], before[AXES], after[AXES];
} state;

/* Taps [first, end) of a window fall on elements; `padded` of them on elements or padding. */
typedef struct taps {
  int64_t start, first, end, padded;
} taps;

static tare_status read_list(const tarei_node *const node, const char *const name, const int n,
                             const int from, const int64_t least, const int64_t fallback,
                             int64_t *const out, tare_error *const err) {
  const tarei_attr *const a = tarei_attr_find(node, name);
  for (int i = 0; i < AXES; i++) {
    out[i] = fallback;
  }
  for (int i = 0; a && i < n; i++) {
    const int64_t value = from + i < a->n && a->kind == TAREI_ATTR_INTS ? a->ints[from + i] : -1;
    if (value < least || value > LARGEST) {
      return tarei_fail(err, TARE_E_MODEL, "its attribute '%s' holds %lld, or too few integers",
                        name, (long long)value);
    }
    out[AXES - n + i] = value;
  }
  return TARE_OK;
}

static tare_status read_attributes(const tarei_node *const node, state *const s,
                                   tare_error *const err) {
  const char *const auto_pad = tarei_attr_string(node, "auto_pad", "NOTSET");
  s->same = strncmp(auto_pad, "SAME_", 5) == 0;
  s->lower = strcmp(auto_pad, "SAME_LOWER") == 0;
  s->with_pads = tarei_attr_int(node, "count_include_pad", 0) != 0;
  TARE_TRY(read_list(node, "kernel_shape", s->space, 0, 1, 1, s->kernel, err));
  TARE_TRY(read_list(node, "strides", s->space, 0, 1, 1, s->stride, err));
  TARE_TRY(read_list(node, "dilations", s->space, 0, 1, 1, s->dilation, err));
  if (s->same || strcmp(auto_pad, "VALID") == 0) {
    return TARE_OK;
  }
  TARE_TRY(read_list(node, "pads", s->space, 0, 0, 0, s->before, err));
  return read_list(node, "pads", s->space, s->space, 0, 0, s->after, err);
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tarei_node *const node = step->node;
  const tarei_value *const x = &step->graph->values[node->in[0]];
  if (x->dtype != TARE_F32 || x->rank < 3 || x->rank > 2 + AXES) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "%s of rank %d is not supported here",
                      tare_dtype_name(x->dtype), x->rank);
  }
  if (node->n_out > 1 && node->out[1] >= 0 &&
      tarei_graph_count_uses(step->graph, node->out[1]) > 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "its output Indices is not supported");
  }
  state *const s = tarei_calloc(1, sizeof *s);
  step->state = s;
  if (!s) {
    return tarei_fail_memory(err, "pooling", sizeof *s);
  }
  s->space = x->rank - 2;
  return read_attributes(node, s, err);
}

/* Number of multiples of step in [0, n). */
static int64_t count_steps(const int64_t n, const int64_t step) {
  return n > 0 ? (n - 1) / step + 1 : 0;
}

static taps taps_of(const state *const s, const int axis, const int64_t position,
                    const int64_t before, const int64_t after, const int64_t size) {
  const int64_t k = s->kernel[axis], d = s->dilation[axis];
  const int64_t start = position * s->stride[axis] - before;
  const int64_t first = count_steps(-start, d), end = count_steps(size - start, d);
  const int64_t padded = count_steps(size + after - start, d);
  return (taps){start, first < k ? first : k, end < k ? end : k, padded < k ? padded : k};
}

/* Sizes of one run, filled up to three axes. */
typedef struct geometry {
  const state *s;
  bool average;
  int64_t in[AXES], out[AXES], before[AXES], after[AXES];
} geometry;

static geometry geometry_of(const state *const s, const bool average, const tare_tensor *const x,
                            const tare_tensor *const out) {
  geometry g = {.s = s, .average = average};
  for (int a = 0; a < AXES; a++) {
    const int axis = 2 + a - (AXES - s->space);
    g.in[a] = axis < 2 ? 1 : x->dims[axis];
    g.out[a] = axis < 2 ? 1 : out->dims[axis];
    const int64_t span = (g.out[a] - 1) * s->stride[a] + (s->kernel[a] - 1) * s->dilation[a] + 1;
    const int64_t both = span > g.in[a] ? span - g.in[a] : 0;
    g.before[a] = !s->same ? s->before[a] : s->lower ? both - both / 2 : both / 2;
    g.after[a] = !s->same ? s->after[a] : both - g.before[a];
  }
  return g;
}

/* One window: t holds the taps of each axis. A window without elements gives 0 or -infinity. */
static float pool_window(const geometry *const g, const taps *const t, const float *const x) {
  const int64_t *const d = g->s->dilation;
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
  double count = 1;
  for (int a = 0; a < AXES; a++) {
    count *= (double)(g->s->with_pads ? t[a].padded : t[a].end - t[a].first);
  }
  return count > 0 ? (float)(sum / count) : 0.0f;
}

static void pool_plane(const geometry *const g, const float *const x, float *out) {
  taps t[AXES];
  for (int64_t i = 0; i < g->out[0]; i++) {
    t[0] = taps_of(g->s, 0, i, g->before[0], g->after[0], g->in[0]);
    for (int64_t j = 0; j < g->out[1]; j++) {
      t[1] = taps_of(g->s, 1, j, g->before[1], g->after[1], g->in[1]);
      for (int64_t k = 0; k < g->out[2]; k++) {
        t[2] = taps_of(g->s, 2, k, g->before[2], g->after[2], g->in[2]);
        *out++ = pool_window(g, t, x);
      }
    }
  }
}

typedef struct job {
  geometry g;
  const float *x;
  float *y;
  size_t in, out; /* elements of a plane */
} job;

static void planes(const void *const user, const size_t first, const size_t end,
                   const int thread) {
  (void)thread;
  const job *const j = user;
  for (size_t p = first; p < end; p++) {
    pool_plane(&j->g, j->x + p * j->in, j->y + p * j->out);
  }
}

static tare_status run_pool(const tarei_step *const step, const tarei_run *const r,
                            const bool average) {
  const tare_tensor *const x = r->in[0];
  job j = {.g = geometry_of(step->state, average, x, r->out[0]),
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

static tare_status run_max(const tarei_step *const step, const tarei_run *const r,
                           tare_error *const err) {
  (void)err;
  return run_pool(step, r, false);
}

const tarei_lowering tarei_lower_average_pool = {.prepare = prepare, .run = run_average};
const tarei_lowering tarei_lower_max_pool = {.prepare = prepare, .run = run_max};
