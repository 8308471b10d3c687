/*
 * InstanceNormalization: each channel of each sample over its own space; GroupNorm: equal groups of
 * channels; GlobalNormLast: all channels of a sample.
 *
 * Channels-last, rows of all channels are gone over in segments of fixed length that stay in cache:
 * the mean of each channel in float, then the squared differences from it. Segments are joined in
 * double in their order, so that threads do not matter. A second time the rows are multiplied and
 * shifted.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/act_table.h"
#include "engine/lower/fused.h"
#include "engine/threads.h"
#include "shapes/number.h"

#define SEGMENT 64      /* rows whose mean is taken in one go */
#define APPLIED_ROWS 16 /* rows whose places stay in L1 until a table makes them bytes */

static tare_status want_floats(const tarei_step *const step, tare_error *const err) {
  for (int i = 0; i < 3; i++) {
    TAREI_TRY(tarei_want_float(step, i, err));
  }
  return TARE_OK;
}

static tare_status check_vectors(const tarei_step *const step, const tarei_run *const r,
                                 const size_t channels, tare_error *const err) {
  TAREI_TRY(tarei_want_count(step, r, 1, (int64_t)channels, err));
  return tarei_want_count(step, r, 2, (int64_t)channels, err);
}

static size_t count_space(const tare_tensor *const x, const int first) {
  size_t n = 1;
  for (int d = first; d < first + x->rank - 2; d++) {
    n *= (size_t)x->dims[d];
  }
  return n;
}

/* What a channel is multiplied by; the offset follows from it and the mean. */
static double factor_of(const double variance, const float epsilon, const double scale) {
  return 1.0 / sqrt(variance + (double)epsilon) * scale;
}

/* --- channels first --------------------------------------------------------------------------- */

typedef struct plain {
  const tarei_run *run;
  size_t n, channels, groups;
  float epsilon;
} plain;

/* The index of a group's first channel; groups lie one behind the other. */
static size_t plain_channel(const plain *const p, const size_t index) {
  return index % p->groups * (p->channels / p->groups);
}

static double plain_factor(const plain *const p, const size_t c, const double variance) {
  return factor_of(variance, p->epsilon, tarei_real_at(p->run->in[1], (int64_t)c));
}

static void plain_group_f32(const plain *const p, const size_t index) {
  const size_t of_each = p->channels / p->groups, n = of_each * p->n;
  const size_t first = plain_channel(p, index);
  const float *const x = (const float *)p->run->in[0]->data + index * n;
  float *const out = (float *)p->run->out[0]->data + index * n;
  const tarei_plane_moments m = p->run->kernels->plane_moments(x, n);
  const float center = (float)m.mean;
  for (size_t c = 0; c < of_each; c++) {
    const double factor = plain_factor(p, first + c, m.squares / (double)n);
    const double bias = tarei_real_at(p->run->in[2], (int64_t)(first + c));
    const float a = (float)factor, b = (float)(bias + ((double)center - m.mean) * factor);
    const tarei_plane_scale scale = {.center = &center, .factor = &a, .offset = &b};
    p->run->kernels->plane_scale(&scale, x + c * p->n, p->n, out + c * p->n);
  }
}

static void plain_group_f64(const plain *const p, const size_t index) {
  const size_t of_each = p->channels / p->groups, n = of_each * p->n;
  const size_t first = plain_channel(p, index);
  const double *const x = (const double *)p->run->in[0]->data + index * n;
  double *const out = (double *)p->run->out[0]->data + index * n;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    sum += x[i];
  }
  const double mean = sum / (double)n;
  for (size_t i = 0; i < n; i++) {
    squares += (x[i] - mean) * (x[i] - mean);
  }
  for (size_t c = 0; c < of_each; c++) {
    const double a = plain_factor(p, first + c, squares / (double)n);
    const double b = tarei_real_at(p->run->in[2], (int64_t)(first + c)) - mean * a;
    for (size_t i = c * p->n; i < (c + 1) * p->n; i++) {
      out[i] = x[i] * a + b;
    }
  }
}

static void plain_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const plain *const p = user;
  for (size_t i = first; p->n && i < end; i++) {
    (p->run->in[0]->dtype == TARE_F32 ? plain_group_f32 : plain_group_f64)(p, i);
  }
}

static tare_status prepare_plain(tarei_step *const step, tarei_blobs *const blobs,
                                 tare_error *const err) {
  (void)blobs;
  const tarei_value *const values = step->graph->values;
  const int *const in = step->node->in;
  for (int i = 0; values[in[0]].dtype == TARE_F64 && i < 3; i++) {
    if (values[in[i]].dtype != TARE_F64) {
      return tarei_refuse_dtype(values[in[i]].dtype, err);
    }
  }
  return values[in[0]].dtype == TARE_F64 ? TARE_OK : want_floats(step, err);
}

static tare_status run_plain(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const plain p = {.run = r,
                   .n = count_space(x, 2),
                   .channels = (size_t)x->dims[1],
                   .groups = (size_t)tarei_attr_int(step->node, TAREI_ATTR_GROUPS, x->dims[1]),
                   .epsilon = tarei_attr_float(step->node, "epsilon", 1e-5f)};
  TAREI_TRY(check_vectors(step, r, p.channels, err));
  const size_t row = p.groups ? p.channels / p.groups * p.n : 0;
  tarei_row_ranges(r, (size_t)x->dims[0] * p.groups, row, 4096, plain_range, &p);
  return TARE_OK;
}

/* --- channels last ---------------------------------------------------------------------------- */

typedef struct instance_norm_state {
  tarei_fused fused;
  bool has_tables;
  tarei_act_table tables[]; /* [n_profiles] */
} instance_norm_state;

typedef struct last {
  const tarei_run *run;
  size_t batch, n, channels, segments; /* segments of each sample */
  float *moments;                      /* [batch][segments][2][channels]: means, squares */
  double *sums;                        /* [2][channels] */
  float *factors, *offsets;            /* [batch][channels] */
  size_t groups;                       /* of channels, of one mean and one variance each */
  const tarei_act_table *table;        /* or NULL */
  tarei_epilogue to;
} last;

/* The sizes of a run, without its memory. */
static last instance_norm_sizes_of(const tare_tensor *const x) {
  last l = {.batch = (size_t)x->dims[0],
            .n = count_space(x, 1),
            .channels = (size_t)x->dims[x->rank - 1]};
  l.segments = (l.n + SEGMENT - 1) / SEGMENT;
  return l;
}

/* Floats of one row, so that the next one is aligned. */
static size_t instance_norm_row_of(const last *const l) {
  return tarei_round_up(l->channels, TAREI_ALIGN / sizeof(float));
}

static void instance_norm_lay_out(last *const l, void *const scratch) {
  const size_t row = instance_norm_row_of(l);
  l->sums = scratch;
  l->factors = (float *)scratch + 2 * row * sizeof(double) / sizeof(float);
  l->offsets = l->factors + l->batch * row;
  l->moments = l->offsets + l->batch * row;
}

static size_t instance_norm_scratch_last(const tarei_step *const step,
                                         const tare_tensor *const *const in,
                                         const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)out;
  (void)threads;
  const last l = instance_norm_sizes_of(in[0]);
  const size_t row = instance_norm_row_of(&l);
  const size_t rows = tarei_times(2 * l.batch, row);
  const size_t moments = tarei_times(2 * l.batch * l.segments, l.channels);
  return tarei_plus(2 * row * sizeof(double),
                    tarei_times(tarei_plus(rows, moments), sizeof(float)));
}

static size_t rows_of_segment(const last *const l, const size_t segment) {
  return l->n - segment * SEGMENT < SEGMENT ? l->n - segment * SEGMENT : SEGMENT;
}

static void measure_range(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  (void)thread;
  const last *const l = user;
  const size_t c = l->channels;
  for (size_t i = first; i < end; i++) {
    const size_t sample = i / l->segments, segment = i % l->segments;
    const float *const x =
        (const float *)l->run->in[0]->data + (sample * l->n + segment * SEGMENT) * c;
    float *const mean = l->moments + i * 2 * c;
    l->run->kernels->channel_moments(x, rows_of_segment(l, segment), c, mean, mean + c);
  }
}

/* Joins the segments: the squares of two parts and those between their means. */
static void join_segments(const last *const l, const size_t sample) {
  double *const restrict mean = l->sums, *const restrict squares = l->sums + l->channels;
  const float *moments = l->moments + sample * l->segments * 2 * l->channels;
  for (size_t s = 0; s < l->segments; s++) {
    const double before = (double)(s * SEGMENT), m = (double)rows_of_segment(l, s);
    const double share = m / (before + m), weight = before * share;
    for (size_t c = 0; c < l->channels; c++) {
      const double old = s ? mean[c] : 0, distance = (double)moments[c] - old;
      mean[c] = old + distance * share;
      squares[c] =
          (s ? squares[c] : 0) + (double)moments[l->channels + c] + distance * distance * weight;
    }
    moments += 2 * l->channels;
  }
}

/* Gives the channels of each group of a sample the same: the mean of their means, and the mean of
 * their squares with those between the means. */
static void join_channels(const last *const l) {
  const size_t of_each = l->channels / l->groups;
  for (size_t first = 0; of_each > 1 && first < l->channels; first += of_each) {
    double *const mean = l->sums + first, *const squares = mean + l->channels;
    double sum = 0, all = 0;
    for (size_t c = 0; c < of_each; c++) {
      sum += mean[c];
    }
    const double joined = sum / (double)of_each;
    for (size_t c = 0; c < of_each; c++) {
      const double distance = mean[c] - joined;
      all += squares[c] + distance * distance * (double)l->n;
    }
    for (size_t c = 0; c < of_each; c++) {
      mean[c] = joined;
      squares[c] = all / (double)of_each;
    }
  }
}

static void instance_norm_finish_sample(const last *const l, const size_t sample,
                                        const float epsilon) {
  join_segments(l, sample);
  join_channels(l);
  const float *const scale = l->run->in[1]->data, *const bias = l->run->in[2]->data;
  const double unit = l->table ? (double)l->table->scale : 1.0;
  for (size_t c = 0; c < l->channels; c++) {
    const double variance = l->sums[l->channels + c] / (double)l->n;
    const double factor = factor_of(variance, epsilon, (double)scale[c]);
    const double offset = (double)bias[c] - l->sums[c] * factor;
    l->factors[sample * l->channels + c] = (float)(factor / unit);
    l->offsets[sample * l->channels + c] = (float)(offset / unit);
  }
}

static void apply_rows(const last *const l, const size_t sample, const size_t at, const size_t m) {
  const size_t row = sample * l->n + at, c = l->channels;
  const tarei_epilogue to = tarei_epilogue_at(&l->to, row, 0);
  const tarei_channel_scale scale = {.x = (const float *)l->run->in[0]->data + row * c,
                                     .m = m,
                                     .channels = c,
                                     .factor = l->factors + sample * c,
                                     .offset = l->offsets + sample * c,
                                     .act = to.act,
                                     .act_a = to.act_a,
                                     .act_b = to.act_b,
                                     .out_f32 = to.out_f32,
                                     .out_u8 = to.out_u8,
                                     .inv_scale = to.inv_scale,
                                     .zero_point = to.zero_point};
  l->run->kernels->channel_scale(&scale);
  if (l->table) {
    l->run->kernels->lut_u8(l->table->bytes, to.out_u8, m * c, to.out_u8);
  }
}

static void apply_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const last *const l = user;
  const size_t most = l->table ? APPLIED_ROWS : end - first;
  for (size_t row = first, m; row < end; row += m) {
    const size_t left = l->n - row % l->n;
    m = end - row < left ? end - row : left;
    m = m < most ? m : most;
    apply_rows(l, row / l->n, row % l->n, m);
  }
}

/* Tables where bytes alone are written, for all profiles or none. */
static void make_tables(const tarei_step *const step, instance_norm_state *const s) {
  const int out = s->fused.u8_output < 0 ? -1 : step->node->out[s->fused.u8_output];
  s->has_tables = out >= 0 && s->fused.f32_output < 0;
  for (int p = 0; s->has_tables && p < step->n_profiles; p++) {
    s->has_tables = tarei_fused_table(&s->fused, step, p, &s->tables[p]);
  }
}

static tare_status instance_norm_prepare_last(tarei_step *const step, tarei_blobs *const blobs,
                                              tare_error *const err) {
  (void)blobs;
  instance_norm_state *const s = step->state;
  TAREI_TRY(want_floats(step, err));
  TAREI_TRY(tarei_fused_read(step, &s->fused, err));
  make_tables(step, s);
  return TARE_OK;
}

static tare_status norm_run_last(const tarei_step *const step, const tarei_run *const r,
                                 const size_t groups, tare_error *const err) {
  const instance_norm_state *const s = step->state;
  last l = instance_norm_sizes_of(r->in[0]);
  l.run = r;
  l.groups = groups;
  instance_norm_lay_out(&l, r->scratch);
  l.table = s->has_tables ? &s->tables[r->profile] : NULL;
  l.to = tarei_fused_epilogue(&s->fused, step, r, NULL, l.channels);
  if (l.table) {
    l.to.act = TAREI_ACT_none;
    l.to.inv_scale = 1.0f;
    l.to.zero_point = l.table->zero_point;
  }
  TAREI_TRY(check_vectors(step, r, l.channels, err));
  tarei_row_ranges(r, l.batch * l.segments, SEGMENT * l.channels, 4096, measure_range, &l);
  for (size_t sample = 0; l.n && l.channels && sample < l.batch; sample++) {
    instance_norm_finish_sample(&l, sample, tarei_attr_float(step->node, "epsilon", 1e-5f));
  }
  tarei_row_ranges(r, l.batch * l.n, l.channels, 4096, apply_range, &l);
  return TARE_OK;
}

static tare_status instance_norm_run_last(const tarei_step *const step, const tarei_run *const r,
                                          tare_error *const err) {
  return norm_run_last(step, r, (size_t)r->in[0]->dims[r->in[0]->rank - 1], err);
}

static tare_status global_norm_run_last(const tarei_step *const step, const tarei_run *const r,
                                        tare_error *const err) {
  return norm_run_last(step, r, 1, err);
}

static tare_status group_norm_run_last(const tarei_step *const step, const tarei_run *const r,
                                       tare_error *const err) {
  return norm_run_last(step, r, (size_t)tarei_attr_int(step->node, TAREI_ATTR_GROUPS, 1), err);
}

TAREI_KERNEL_OF(kernel_last, channel_scale)

const tarei_lowering tarei_lower_instance_normalization = {.prepare = prepare_plain,
                                                           .run = run_plain};
const tarei_lowering tarei_lower_group_norm = {.prepare = prepare_plain, .run = run_plain};
#define NORM_LAST(id)                                     \
  const tarei_lowering tarei_lower_##id##_norm_last = {   \
      .state_bytes = sizeof(instance_norm_state),         \
      .state_bytes_per_profile = sizeof(tarei_act_table), \
      .prepare = instance_norm_prepare_last,              \
      .scratch = instance_norm_scratch_last,              \
      .run = id##_norm_run_last,                          \
      .kernel = kernel_last};
NORM_LAST(global)
NORM_LAST(group)
NORM_LAST(instance)
