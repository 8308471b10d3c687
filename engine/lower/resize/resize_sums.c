/* Linear and cubic go axis by axis, the innermost first: each element is a weighted sum of a few
 * along its axis. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/move/elements.h"
#include "engine/lower/resize/resize.h"
#include "engine/threads.h"
#include "shapes/number.h"

#define LEAST ((size_t)1 << 13) /* elements that are worth a range */

static int64_t resize_sums_clamp(const int64_t x, const int64_t low, const int64_t high) {
  return x < low ? low : x > high ? high : x;
}

static double cubic(const double a, double x) {
  x = fabs(x);
  return x <= 1  ? ((a + 2) * x - (a + 3)) * x * x + 1
         : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
                 : 0;
}

/* Weight of an element at a distance; the kernel is wider where an axis shrinks. */
static double weight_at(const tarei_resize_settings *const s, const double distance,
                        const double shrink) {
  const double x = distance * shrink;
  return s->mode == TAREI_RESIZE_CUBIC ? cubic((double)s->a, x) : fmax(0, 1 - fabs(x));
}

static double shrink_of(const tarei_resize_settings *const s, const tarei_resize_axis *const a) {
  return s->antialias && a->scale < 1 ? (double)a->scale : 1;
}

/* Elements that each sum has. */
static int64_t resize_sums_count_taps(const tarei_resize_settings *const s,
                                      const tarei_resize_axis *const a) {
  const double reach = s->mode == TAREI_RESIZE_CUBIC ? 2 : 1;
  const double start = floor(-reach / shrink_of(s, a)) + 1;
  return start > -0x1p53 ? 2 - 2 * (int64_t)start : INT64_MAX;
}

/* For each element of an axis of the output, which of the input it sums, and by what weights: two
 * or more. */
typedef struct resize_sums_taps {
  int64_t n;
  int64_t *at;
  double *weights;
} resize_sums_taps;

/* Bytes of the taps of an axis, whatever its scale: n is less than 4 / scale + 4, and out / scale
 * is about as much as `in`. */
static size_t taps_bytes(const int64_t in, const int64_t out) {
  const size_t both = tarei_plus((size_t)in, (size_t)out);
  return tarei_times(tarei_plus(tarei_times(8, both), 16), sizeof(int64_t) + sizeof(double));
}

static void resize_sums_fill_taps(const tarei_resize_settings *const s,
                                  const tarei_resize_axis *const a, const int64_t i,
                                  const resize_sums_taps *const t) {
  const float place = tarei_resize_place(s, a, i);
  const double shrink = shrink_of(s, a), floor_of = floor((double)place);
  const double ratio = (double)place - floor_of;
  const int64_t first = 1 - t->n / 2;
  const int64_t base = (int64_t)fmax(-9e15, fmin(9e15, floor_of));
  double *const weights = t->weights + i * t->n, sum = 0;
  for (int64_t k = 0; k < t->n; k++) {
    const int64_t at = base + first + k;
    const bool left_out = s->exclude_outside && (at < 0 || at >= a->in);
    weights[k] = left_out ? 0 : weight_at(s, (double)(first + k) - ratio, shrink);
    t->at[i * t->n + k] = resize_sums_clamp(at, 0, a->in - 1);
    sum += weights[k];
  }
  for (int64_t k = 0; (shrink < 1 || s->exclude_outside) && k < t->n; k++) {
    weights[k] /= sum;
  }
}

typedef struct resize_sums_pass {
  resize_sums_taps taps; /* weights of the type of the elements */
  bool halves;           /* each sum has the two elements behind those of the sum before */
  size_t in, out, inner;
  const void *from;
  void *to;
} resize_sums_pass;

/* Elements first..first+m-1 of an axis, each a row of `inner` elements. Linear has two taps. */
#define PASS(name, type)                                                                          \
  static void name##_line(const resize_sums_pass *const p, const type *const from,                \
                          const size_t first, const size_t m, type *const to) {                   \
    const size_t n = (size_t)p->taps.n;                                                           \
    const int64_t *const at = p->taps.at + first * n;                                             \
    const type *const weights = (const type *)p->taps.weights + first * n;                        \
    if (p->halves) {                                                                              \
      const type *const x = from + at[0];                                                         \
      for (size_t i = 0; i < m; i++) {                                                            \
        to[i] = weights[2 * i] * x[2 * i] + weights[2 * i + 1] * x[2 * i + 1];                    \
      }                                                                                           \
      return;                                                                                     \
    }                                                                                             \
    if (n == 2) {                                                                                 \
      for (size_t i = 0; i < m; i++) {                                                            \
        to[i] = weights[2 * i] * from[at[2 * i]] + weights[2 * i + 1] * from[at[2 * i + 1]];      \
      }                                                                                           \
      return;                                                                                     \
    }                                                                                             \
    for (size_t i = 0; i < m; i++) {                                                              \
      type sum = weights[i * n] * from[at[i * n]];                                                \
      for (size_t k = 1; k < n; k++) {                                                            \
        sum += weights[i * n + k] * from[at[i * n + k]];                                          \
      }                                                                                           \
      to[i] = sum;                                                                                \
    }                                                                                             \
  }                                                                                               \
  static void name##_row(const resize_sums_pass *const p, const type *const from, const size_t i, \
                         type *const to) {                                                        \
    const size_t n = (size_t)p->taps.n, inner = p->inner;                                         \
    const int64_t *const at = p->taps.at + i * n;                                                 \
    const type *const weights = (const type *)p->taps.weights + i * n;                            \
    const type *const a = from + (size_t)at[0] * inner, *const b = from + (size_t)at[1] * inner;  \
    for (size_t c = 0; c < inner; c++) {                                                          \
      to[c] = weights[0] * a[c] + weights[1] * b[c];                                              \
    }                                                                                             \
    for (size_t k = 2; k < n; k++) {                                                              \
      const type *const x = from + (size_t)at[k] * inner;                                         \
      for (size_t c = 0; c < inner; c++) {                                                        \
        to[c] += weights[k] * x[c];                                                               \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  static void name(const void *const user, const size_t first, const size_t end,                  \
                   const int thread) {                                                            \
    (void)thread;                                                                                 \
    const resize_sums_pass *const p = user;                                                       \
    for (size_t row = first, m; row < end; row += m) {                                            \
      const size_t i = row % p->out, left = p->out - i;                                           \
      const type *const from = (const type *)p->from + row / p->out * p->in * p->inner;           \
      type *const to = (type *)p->to + row * p->inner;                                            \
      m = p->inner > 1 ? 1 : left < end - row ? left : end - row;                                 \
      if (p->inner > 1) {                                                                         \
        name##_row(p, from, i, to);                                                               \
      } else {                                                                                    \
        name##_line(p, from, i, m, to);                                                           \
      }                                                                                           \
    }                                                                                             \
  }
PASS(pass_f32, float)
PASS(pass_f64, double)

/* Bytes of the largest tensor between two axes; dims of the input up to an axis, of the output from
 * there on. */
static size_t between_bytes(const tare_tensor *const x, const tare_tensor *const out) {
  size_t most = 0;
  for (int cut = 0; cut <= x->rank; cut++) {
    size_t n = sizeof(double);
    for (int d = 0; d < x->rank; d++) {
      n = tarei_times(n, (size_t)(d < cut ? x->dims[d] : out->dims[d]));
    }
    most = n > most ? n : most;
  }
  return tarei_round_up(most, TAREI_ALIGN);
}

static size_t tables_bytes(const tare_tensor *const x, const tare_tensor *const out) {
  size_t most = 0;
  for (int d = 0; d < x->rank; d++) {
    const size_t bytes = taps_bytes(x->dims[d], out->dims[d]);
    most = bytes > most ? bytes : most;
  }
  return most;
}

/* The largest table of taps, and two blocks for what stands between passes. */
size_t tarei_resize_sums_scratch(const tare_tensor *const x, const tare_tensor *const out) {
  return tarei_plus(tables_bytes(x, out), tarei_times(2, between_bytes(x, out)));
}

/* Elements along an axis that lie outside of the region become the extrapolation value. */
static void extrapolate(const tarei_resize_settings *const s, const tarei_resize_axis *const axes,
                        const int d, const tare_tensor *const out) {
  const size_t element = tare_dtype_size(out->dtype);
  size_t outer = 1, inner = 1;
  _Alignas(8) char fill[sizeof(int64_t)];
  tarei_write_number(out->dtype, (double)s->extrapolation, fill);
  for (int k = 0; k < out->rank; k++) {
    *(k < d ? &outer : &inner) *= k == d ? 1 : (size_t)out->dims[k];
  }
  for (size_t row = 0; row < outer * (size_t)out->dims[d]; row++) {
    if (tarei_resize_is_outside(
            s, &axes[d], tarei_resize_place(s, &axes[d], (int64_t)(row % (size_t)out->dims[d])))) {
      tarei_fill_elements((char *)out->data + row * inner * element, fill, inner, element);
    }
  }
}

/* Where the passes read and write: between them two blocks of scratch, by turns. */
typedef struct flow {
  const void *from;
  void *blocks[2];
  int turn;
} flow;

static tare_status read_taps(const tarei_resize_settings *const s, const tarei_resize_axis *const a,
                             const int d, void *const scratch, resize_sums_taps *const taps,
                             tare_error *const err) {
  taps->n = resize_sums_count_taps(s, a);
  if (tarei_times(tarei_times((size_t)taps->n, (size_t)a->out), 2 * sizeof(int64_t)) >
      taps_bytes(a->in, a->out)) {
    return tarei_fail(err, TARE_E_SHAPE, "axis %d of length %lld does not scale to %lld by %g", d,
                      (long long)a->in, (long long)a->out, (double)a->scale);
  }
  taps->at = scratch;
  taps->weights = (double *)(taps->at + taps->n * a->out);
  for (int64_t i = 0; i < a->out; i++) {
    resize_sums_fill_taps(s, a, i, taps);
  }
  return TARE_OK;
}

/* Floats are multiplied by floats; they take the place of the first of the doubles. */
static void narrow_weights(const resize_sums_taps *const taps, const int64_t out) {
  for (int64_t i = 0; i < taps->n * out; i++) {
    const float weight = (float)taps->weights[i];
    memcpy((char *)taps->weights + (size_t)i * sizeof weight, &weight, sizeof weight);
  }
}

static bool are_halves(const resize_sums_taps *const taps, const int64_t out) {
  bool are = taps->n == 2;
  for (int64_t i = 0; are && i < 2 * out; i++) {
    are = taps->at[i] == taps->at[0] + i;
  }
  return are;
}

/* Writes to `to`, or where it is NULL to the block whose turn it is. */
static tare_status one_pass(const tarei_resize_settings *const s,
                            const tarei_resize_axis *const axes, const int d,
                            const tarei_run *const r, const bool wide, void *const to,
                            flow *const f, tare_error *const err) {
  const tarei_resize_axis *const a = &axes[d];
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  resize_sums_pass p = {.in = (size_t)a->in,
                        .out = (size_t)a->out,
                        .inner = 1,
                        .from = f->from,
                        .to = to ? to : f->blocks[f->turn]};
  TAREI_TRY(read_taps(s, a, d, r->scratch, &p.taps, err));
  p.halves = are_halves(&p.taps, a->out);
  if (!wide) {
    narrow_weights(&p.taps, a->out);
  }
  size_t rows = p.out;
  for (int k = 0; k < x->rank; k++) {
    rows *= k < d ? (size_t)x->dims[k] : 1;
    p.inner *= k > d ? (size_t)out->dims[k] : 1;
  }
  tarei_row_ranges(r, rows, p.inner * (size_t)p.taps.n, LEAST, wide ? pass_f64 : pass_f32, &p);
  f->from = p.to;
  f->turn = !f->turn;
  return TARE_OK;
}

/* The outermost axis that is resized, which comes last; -1 where all keep their lengths. */
static int last_pass(const tarei_resize_settings *const s, const tarei_resize_axis *const axes,
                     const int rank) {
  for (int d = 0; d < rank; d++) {
    if (!tarei_resize_keeps(s, &axes[d])) {
      return d;
    }
  }
  return -1;
}

tare_status tarei_resize_sums(const tarei_resize_settings *const s,
                              const tarei_resize_axis *const axes, const tarei_run *const r,
                              tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const bool real = x->dtype == TARE_F32 || x->dtype == TARE_F64;
  const size_t block = between_bytes(x, out);
  char *const blocks = (char *)r->scratch + tables_bytes(x, out);
  flow f = {x->data, {blocks, blocks + block}, 0};
  if (!real) {
    for (int64_t i = 0; i < tare_tensor_count(x); i++) {
      ((double *)f.blocks[1])[i] = tarei_real_at(x, i);
    }
    f.from = f.blocks[1];
  }
  const int last = last_pass(s, axes, x->rank);
  for (int d = x->rank - 1; d >= 0; d--) {
    void *const to = real && d == last ? out->data : NULL;
    TAREI_TRY(tarei_resize_keeps(s, &axes[d])
                  ? TARE_OK
                  : one_pass(s, axes, d, r, x->dtype != TARE_F32, to, &f, err));
  }
  const int64_t n = tare_tensor_count(out);
  if (real && last < 0) {
    memcpy(out->data, x->data, (size_t)n * tare_dtype_size(x->dtype));
  }
  for (int64_t i = 0; !real && i < n; i++) {
    tarei_write_number(x->dtype, ((const double *)f.from)[i],
                       (char *)out->data + (size_t)i * tare_dtype_size(x->dtype));
  }
  for (int d = 0; d < x->rank; d++) {
    if (s->coordinates == TAREI_RESIZE_CROP) {
      extrapolate(s, axes, d, out);
    }
  }
  return TARE_OK;
}
