/* Conv as ONNX has it, for what has no channels-last form: weights or bias that are computed, three
 * and more axes, float64. Of the latter, the columns that a block of output positions meets are
 * gathered once, and the weights of a group are the rows that are multiplied with them. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/lower/conv/plane_conv.h"
#include "engine/threads.h"

enum { BLOCK = 128 /* output positions */ };

typedef struct lower_conv_state {
  tarei_window window;
  int64_t group;
} lower_conv_state;

typedef struct lower_conv_job {
  const tarei_run *run;
  tarei_windows w;
  int64_t channels, outputs, group;
  size_t k; /* channels of a group x taps */
  size_t blocks, thread_bytes;
} lower_conv_job;

/* A thread's scratch: offsets of one position [taps] and of all [taps][BLOCK], and columns
 * [k][BLOCK]. */
typedef struct scratch_parts {
  int64_t *spare, *offsets;
  double *columns;
} scratch_parts;

static tare_status conv_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                tare_error *const err) {
  (void)blobs;
  const tarei_value *const x = &step->graph->values[step->node->in[0]];
  const tarei_value *const w = &step->graph->values[step->node->in[1]];
  if (x->dtype != TARE_F32 && x->dtype != TARE_F64) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "convolution of %s is not supported",
                      tare_dtype_name(x->dtype));
  }
  lower_conv_state *const s = step->state;
  s->group = tarei_attr_int(step->node, "group", 1);
  return tarei_windows_prepare(step, x->rank - 2, w->dims + 2, &s->window, err);
}

static size_t spare_bytes(const lower_conv_job *const j) {
  return tarei_round_up((size_t)j->w.taps * sizeof(int64_t), TAREI_ALIGN);
}

static size_t offsets_bytes(const lower_conv_job *const j) {
  return tarei_round_up((size_t)j->w.taps * BLOCK * sizeof(int64_t), TAREI_ALIGN);
}

static size_t columns_bytes(const lower_conv_job *const j) {
  return tarei_round_up(j->k * BLOCK * sizeof(double), TAREI_ALIGN);
}

static lower_conv_job job_of(const tarei_step *const step, const tare_tensor *const *const in,
                             const tare_tensor *const *const out) {
  const lower_conv_state *const s = step->state;
  const tare_tensor *const x = in[0], *const w = in[1];
  lower_conv_job j = {.w = tarei_windows_of(&s->window, x->dims + 2, out[0]->dims + 2),
                      .channels = x->dims[1],
                      .outputs = w->dims[0],
                      .group = s->group};
  j.k = (size_t)(w->dims[1] * j.w.taps);
  j.blocks = ((size_t)j.w.out_plane + BLOCK - 1) / BLOCK;
  j.thread_bytes = spare_bytes(&j) + offsets_bytes(&j) + columns_bytes(&j);
  return j;
}

static tarei_plane_convolution planes_of(const tarei_step *const step,
                                         const tare_tensor *const *const in,
                                         const tare_tensor *const *const out) {
  const lower_conv_state *const s = step->state;
  const tare_tensor *const bias = step->node->n_in > 2 ? in[2] : NULL;
  return (tarei_plane_convolution){.window = &s->window,
                                   .group = s->group,
                                   .x = in[0],
                                   .out = out[0],
                                   .w = in[1]->data,
                                   .bias = bias ? bias->data : NULL};
}

static size_t conv_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                           const tare_tensor *const *const out, const int threads) {
  if (in[0]->dtype == TARE_F32) {
    const tarei_plane_convolution planes = planes_of(step, in, out);
    return tarei_plane_conv_scratch(&planes, threads);
  }
  return tarei_times(job_of(step, in, out).thread_bytes, (size_t)threads);
}

static scratch_parts conv_parts_of(const lower_conv_job *const j, const int thread) {
  char *const at = tarei_thread_scratch(j->run, thread, j->thread_bytes);
  char *const offsets = at + spare_bytes(j);
  return (scratch_parts){(int64_t *)(void *)at, (int64_t *)(void *)offsets,
                         (double *)(void *)(offsets + offsets_bytes(j))};
}

/* Offsets of n positions, those of a tap side by side. `spare` holds those of one position. */
static void find_offsets(const lower_conv_job *const j, const size_t first, const size_t n,
                         int64_t *const spare, int64_t *const offsets) {
  for (size_t p = 0; p < n; p++) {
    tarei_windows_offsets(&j->w, (int64_t)(first + p), spare);
    for (int64_t t = 0; t < j->w.taps; t++) {
      offsets[(size_t)t * BLOCK + p] = spare[t];
    }
  }
}

static void gather_f64(const lower_conv_job *const j, const size_t plane,
                       const int64_t *const offsets, const size_t n, double *const columns) {
  const size_t taps = (size_t)j->w.taps;
  const double *const x = (const double *)j->run->in[0]->data + plane * (size_t)j->w.in_plane;
  for (size_t row = 0; row < j->k; row++) {
    const double *const from = x + row / taps * (size_t)j->w.in_plane;
    const int64_t *const at = offsets + row % taps * BLOCK;
    double *const to = columns + row * n;
    for (size_t p = 0; p < n; p++) {
      to[p] = at[p] < 0 ? 0 : from[at[p]];
    }
  }
}

static void multiply_f64(const lower_conv_job *const j, const size_t o, const size_t n_out,
                         const double *const columns, const size_t n, double *const out) {
  const double *const w = (const double *)j->run->in[1]->data + o * j->k;
  for (size_t i = 0; i < n_out; i++) {
    double *const row = out + i * (size_t)j->w.out_plane;
    memset(row, 0, n * sizeof *row);
    for (size_t k = 0; k < j->k; k++) {
      for (size_t p = 0; p < n; p++) {
        row[p] += w[i * j->k + k] * columns[k * n + p];
      }
    }
  }
}

static void add_bias_f64(const lower_conv_job *const j, const size_t o, const size_t n_out,
                         const size_t n, double *const out) {
  const double *const bias = (const double *)j->run->in[2]->data + o;
  for (size_t i = 0; i < n_out; i++) {
    for (size_t p = 0; p < n; p++) {
      out[i * (size_t)j->w.out_plane + p] += bias[i];
    }
  }
}

/* All groups of some positions of one sample. */
static void block(const void *const user, const size_t item, const int thread) {
  const lower_conv_job *const j = user;
  const scratch_parts s = conv_parts_of(j, thread);
  const size_t batch = item / j->blocks, first = item % j->blocks * BLOCK;
  const size_t left = (size_t)j->w.out_plane - first, n = left < BLOCK ? left : BLOCK;
  const size_t n_out = (size_t)(j->outputs / j->group);
  find_offsets(j, first, n, s.spare, s.offsets);
  for (size_t g = 0; g < (size_t)j->group; g++) {
    const size_t o = g * n_out;
    const size_t at = (batch * (size_t)j->outputs + o) * (size_t)j->w.out_plane + first;
    const size_t plane = batch * (size_t)j->channels + g * (size_t)(j->channels / j->group);
    double *const out = (double *)j->run->out[0]->data + at;
    gather_f64(j, plane, s.offsets, n, s.columns);
    multiply_f64(j, o, n_out, s.columns, n, out);
    if (j->run->in[2]) {
      add_bias_f64(j, o, n_out, n, out);
    }
  }
}

static tare_status conv_check(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  const lower_conv_state *const s = step->state;
  const tare_tensor *const w = r->in[1];
  TAREI_TRY(tarei_want_dim(step, r, 0, 1, w->dims[1] * s->group, err));
  TAREI_TRY(tarei_want_dim(step, r, 1, 0, r->out[0]->dims[1], err));
  for (int a = 0; a < s->window.n; a++) {
    TAREI_TRY(tarei_want_dim(step, r, 1, 2 + a, s->window.kernel[a], err));
  }
  if (w->dims[0] % s->group) {
    return tarei_fail(err, TARE_E_SHAPE,
                      "%lld output channels are not a multiple of attribute 'group', %lld",
                      (long long)w->dims[0], (long long)s->group);
  }
  return tarei_want_count(step, r, 2, w->dims[0], err);
}

static tare_status conv_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  TAREI_TRY(conv_check(step, r, err));
  if (tare_tensor_count(r->out[0]) == 0) {
    return TARE_OK;
  }
  if (r->in[0]->dtype == TARE_F32) {
    const tarei_plane_convolution planes = planes_of(step, r->in, r->out);
    tarei_plane_conv_run(&planes, r);
    return TARE_OK;
  }
  const tare_tensor *in[3] = {r->in[0], r->in[1], step->node->n_in > 2 ? r->in[2] : NULL};
  tarei_run with_bias = *r;
  with_bias.in = in;
  lower_conv_job j = job_of(step, r->in, r->out);
  j.run = &with_bias;
  tarei_team_run(r->team, (size_t)r->in[0]->dims[0] * j.blocks, block, &j);
  return TARE_OK;
}

static const char *conv_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return step->graph->values[step->node->in[0]].dtype == TARE_F32 ? k->plane_conv_name : "";
}

const tarei_lowering tarei_lower_conv = {.state_bytes = sizeof(lower_conv_state),
                                         .prepare = conv_prepare,
                                         .scratch = conv_scratch,
                                         .run = conv_run,
                                         .operations = tarei_operations_by_weights,
                                         .kernel = conv_kernel};
