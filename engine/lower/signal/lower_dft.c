/* DFT and STFT, in double inside. Lines (along the axis, or frames) are shared out among the
 * threads; the table of the transform is made once a run, in front of the threads' scratch. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/signal/fft.h"
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"
#include "graph/ops/ops_common.h"
#include "shapes/number.h"

/* Where the numbers of one line lie. */
typedef struct line {
  size_t from, to; /* elements: first real part */
} line;

typedef struct dft_job {
  const tarei_run *run;
  bool inverse, symmetric; /* symmetric: the input is one side of the transform of real numbers */
  size_t n;                /* length of the transform */
  size_t given, kept;      /* numbers of a line that are read and written */
  size_t in_parts, out_parts;
  size_t in_step, out_step; /* elements between neighbours of a line */
  line (*locate)(const struct dft_job *j, size_t i);
  size_t lines, inner;               /* DFT: lines side by side */
  size_t frames, frame_step, signal; /* STFT */
  const tare_tensor *window;
  const tarei_complex *table;
  size_t table_bytes, thread_bytes;
} dft_job;

static size_t complex_bytes(const size_t n) {
  return tarei_round_up(tarei_times(n, sizeof(tarei_complex)), TAREI_ALIGN);
}

static size_t dft_thread_bytes(const size_t n) {
  return tarei_plus(tarei_times(2, complex_bytes(n)), complex_bytes(tarei_fft_work_size(n)));
}

/* Of transforms up to this length, which no run lets exceed INT32_MAX. */
static size_t scratch_bytes(const size_t longest, const int threads) {
  const size_t n = longest < INT32_MAX ? longest : INT32_MAX;
  return tarei_plus(complex_bytes(tarei_fft_table_size(n)),
                    tarei_times(dft_thread_bytes(n), (size_t)threads));
}

static void dft_put(const tare_tensor *const x, const size_t at, const double value) {
  if (x->dtype == TARE_F32) {
    ((float *)x->data)[at] = (float)value;
  } else {
    ((double *)x->data)[at] = value;
  }
}

static void read_line(const dft_job *const j, const size_t from, tarei_complex *const to) {
  const tare_tensor *const x = j->run->in[0];
  memset(to, 0, j->n * sizeof *to);
  for (size_t i = 0; i < j->given; i++) {
    const size_t at = from + i * j->in_step;
    const double weight = j->window ? tarei_real_at(j->window, (int64_t)i) : 1;
    to[i].re = tarei_real_at(x, (int64_t)at) * weight;
    to[i].im = j->in_parts == 2 ? tarei_real_at(x, (int64_t)(at + 1)) * weight : 0;
  }
  for (size_t i = 1; j->symmetric && i < j->n - i; i++) {
    to[j->n - i] = (tarei_complex){to[i].re, -to[i].im};
  }
  if (j->symmetric) { /* what a real signal cannot have */
    to[0].im = 0;
    if (j->n % 2 == 0) {
      to[j->n / 2].im = 0;
    }
  }
}

static void write_line(const dft_job *const j, const tarei_complex *const from, const size_t to) {
  for (size_t i = 0; i < j->kept; i++) {
    dft_put(j->run->out[0], to + i * j->out_step, from[i].re);
    if (j->out_parts == 2) {
      dft_put(j->run->out[0], to + i * j->out_step + 1, from[i].im);
    }
  }
}

static void some_lines(const void *const user, const size_t first, const size_t end,
                       const int thread) {
  const dft_job *const j = user;
  char *const scratch = (char *)j->run->scratch + j->table_bytes + (size_t)thread * j->thread_bytes;
  tarei_complex *const in = (tarei_complex *)(void *)scratch;
  tarei_complex *const out = (tarei_complex *)(void *)(scratch + complex_bytes(j->n));
  tarei_complex *const work = (tarei_complex *)(void *)(scratch + 2 * complex_bytes(j->n));
  for (size_t i = first; i < end; i++) {
    const line l = j->locate(j, i);
    read_line(j, l.from, in);
    tarei_fft(j->n, j->inverse, j->table, in, out, work);
    write_line(j, out, l.to);
  }
}

static void dft_run_job(dft_job *const j) {
  if (j->n == 0 || tare_tensor_count(j->run->out[0]) == 0) {
    return;
  }
  j->table_bytes = complex_bytes(tarei_fft_table_size(j->n));
  j->thread_bytes = dft_thread_bytes(j->n);
  tarei_fft_table(j->n, j->run->scratch);
  j->table = j->run->scratch;
  tarei_row_ranges(j->run, j->lines, 8 * j->n, 4096, some_lines, j);
}

static tare_status prepare_type(const tarei_step *const step, tare_error *const err) {
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_F32 || dtype == TARE_F64 ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

/* How long a transform is: input i where it is there, else `fallback`. */
static tare_status dft_read_length(const tarei_step *const step, const tarei_run *const r,
                                   const int i, const int64_t fallback, int64_t *const n,
                                   tare_error *const err) {
  *n = fallback;
  if (tarei_operand(step, r, i)) {
    return tarei_read_int(step, r, i, "transform length", 1, INT32_MAX, n, err);
  }
  return fallback >= 1 && fallback <= INT32_MAX
             ? TARE_OK
             : tarei_fail(err, TARE_E_SHAPE,
                          "transform length %lld is out of range: expected 1..%d",
                          (long long)fallback, INT32_MAX);
}

/* --- DFT -------------------------------------------------------------------------------------- */

static tare_status prepare_dft(tarei_step *const step, tarei_blobs *const blobs,
                               tare_error *const err) {
  (void)blobs;
  TAREI_TRY(tarei_ops_dft_axis(step->graph, step->node, step->state, err));
  return prepare_type(step, err);
}

typedef struct dft_sizes {
  int axis;
  int64_t n, kept; /* of the transform; of what is left of it */
  bool inverse, onesided;
} dft_sizes;

static tare_status dft_read_sizes(const tarei_step *const step, const tarei_run *const r,
                                  dft_sizes *const s, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  s->axis = *(const int *)step->state;
  if (s->axis < 0) {
    TAREI_TRY(tarei_read_axis(step, r, 2, x->rank, &s->axis, err));
    if (s->axis == x->rank - 1) {
      return tarei_fail(err, TARE_E_INPUT,
                        "axis %d is the last one, which holds real and imaginary parts", s->axis);
    }
  }
  s->inverse = tarei_attr_int(step->node, "inverse", 0) != 0;
  s->onesided = tarei_attr_int(step->node, "onesided", 0) != 0;
  const int64_t given = x->dims[s->axis];
  TAREI_TRY(
      dft_read_length(step, r, 1, s->inverse && s->onesided ? 2 * (given - 1) : given, &s->n, err));
  s->kept = s->onesided && !s->inverse ? s->n / 2 + 1 : s->n;
  return TARE_OK;
}

static tare_status measure_dft(const tarei_step *const step, const tarei_run *const r,
                               int64_t *const values, tare_error *const err) {
  dft_sizes s = {0};
  TAREI_TRY(dft_read_sizes(step, r, &s, err));
  values[0] = s.kept;
  for (int d = 0; *(const int *)step->state < 0 && d < r->in[0]->rank - 1; d++) {
    values[d] = d == s.axis ? s.kept : r->in[0]->dims[d];
  }
  return TARE_OK;
}

/* The longest that a transform of these dims may be; the length is an operand like others. */
static size_t most_of(const size_t in, const size_t out) {
  const size_t whole = 2 * out;
  return in > whole ? in : whole;
}

static size_t scratch_dft(const tarei_step *const step, const tare_tensor *const *const in,
                          const tare_tensor *const *const out, const int threads) {
  const int axis = *(const int *)step->state;
  size_t n = 0;
  if (!out[0]) {
    return 0; /* for measuring */
  }
  for (int d = 0; d < in[0]->rank - 1; d++) {
    const size_t most = most_of((size_t)in[0]->dims[d], (size_t)out[0]->dims[d]);
    n = (axis < 0 || d == axis) && most > n ? most : n;
  }
  return scratch_bytes(n, threads);
}

static line line_along(const dft_job *const j, const size_t i) {
  const size_t outer = i / j->inner, column = i % j->inner;
  return (line){outer * j->inner * j->signal * j->in_parts + column * j->in_parts,
                outer * j->inner * j->kept * j->out_parts + column * j->out_parts};
}

static tare_status run_dft(const tarei_step *const step, const tarei_run *const r,
                           tare_error *const err) {
  dft_sizes s = {0};
  TAREI_TRY(dft_read_sizes(step, r, &s, err));
  const int axis = s.axis;
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  dft_job j = {.run = r,
               .inverse = s.inverse,
               .symmetric = s.inverse && s.onesided,
               .n = (size_t)s.n,
               .signal = (size_t)x->dims[axis],
               .kept = (size_t)out->dims[axis],
               .in_parts = (size_t)x->dims[x->rank - 1],
               .out_parts = (size_t)out->dims[x->rank - 1],
               .locate = line_along,
               .inner = 1};
  if (s.kept != out->dims[axis]) {
    return tarei_fail(err, TARE_E_SHAPE, "a transform has %lld numbers, expected %lld",
                      (long long)s.kept, (long long)out->dims[axis]);
  }
  for (int d = axis + 1; d < x->rank - 1; d++) {
    j.inner *= (size_t)x->dims[d];
  }
  const size_t most = j.symmetric ? j.n / 2 + 1 : j.n;
  j.given = j.signal < most ? j.signal : most;
  j.in_step = j.inner * j.in_parts;
  j.out_step = j.inner * j.out_parts;
  const size_t per_line = j.kept * j.out_parts;
  j.lines = per_line ? (size_t)tare_tensor_count(out) / per_line : 0;
  dft_run_job(&j);
  return TARE_OK;
}

/* --- STFT ------------------------------------------------------------------------------------- */

static tare_status prepare_stft(tarei_step *const step, tarei_blobs *const blobs,
                                tare_error *const err) {
  (void)blobs;
  return prepare_type(step, err);
}

static size_t scratch_stft(const tarei_step *const step, const tare_tensor *const *const in,
                           const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)in;
  return out[0] ? scratch_bytes(most_of(0, (size_t)out[0]->dims[2]), threads) : 0;
}

static line line_of_frame(const dft_job *const j, const size_t i) {
  const size_t batch = i / j->frames, frame = i % j->frames;
  return (line){(batch * j->signal + frame * j->frame_step) * j->in_parts, i * j->kept * 2};
}

typedef struct frames {
  int64_t n, hop; /* samples of a frame, and from one to the next */
  int64_t count, kept;
} frames;

static tare_status dft_read_frames(const tarei_step *const step, const tarei_run *const r,
                                   frames *const f, tare_error *const err) {
  const tare_tensor *const window = tarei_operand(step, r, 2);
  TAREI_TRY(dft_read_length(step, r, 3, window ? window->dims[0] : 0, &f->n, err));
  TAREI_TRY(tarei_read_int(step, r, 1, "frame step", 1, INT64_MAX, &f->hop, err));
  const int64_t rest = r->in[0]->dims[1] - f->n;
  f->count = rest < 0 ? 0 : rest / f->hop + 1;
  f->kept = tarei_attr_int(step->node, "onesided", 1) != 0 ? f->n / 2 + 1 : f->n;
  return TARE_OK;
}

static tare_status measure_stft(const tarei_step *const step, const tarei_run *const r,
                                int64_t *const values, tare_error *const err) {
  frames f = {0};
  TAREI_TRY(dft_read_frames(step, r, &f, err));
  values[0] = f.count;
  values[1] = f.kept;
  return TARE_OK;
}

static tare_status run_stft(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const tare_tensor *const window = tarei_operand(step, r, 2);
  frames f = {0};
  TAREI_TRY(dft_read_frames(step, r, &f, err));
  if (f.count != out->dims[1] || f.kept != out->dims[2] || (window && window->dims[0] > f.n)) {
    return tarei_fail(
        err, TARE_E_SHAPE,
        "%lld frames of length %lld at step %lld do not match a signal of length %lld",
        (long long)out->dims[1], (long long)f.n, (long long)f.hop, (long long)x->dims[1]);
  }
  dft_job j = {.run = r,
               .n = (size_t)f.n,
               .given = (size_t)(window ? window->dims[0] : f.n),
               .kept = (size_t)f.kept,
               .in_parts = x->rank == 3 ? (size_t)x->dims[2] : 1,
               .out_parts = 2,
               .out_step = 2,
               .locate = line_of_frame,
               .lines = (size_t)(x->dims[0] * f.count),
               .frames = (size_t)f.count,
               .frame_step = (size_t)f.hop,
               .signal = (size_t)x->dims[1],
               .window = window};
  j.in_step = j.in_parts;
  dft_run_job(&j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_dft = {.state_bytes = sizeof(int),
                                        .prepare = prepare_dft,
                                        .scratch = scratch_dft,
                                        .measure = measure_dft,
                                        .run = run_dft};
const tarei_lowering tarei_lower_stft = {
    .prepare = prepare_stft, .scratch = scratch_stft, .measure = measure_stft, .run = run_stft};
