/* RoiAlign: means, or extremes, of samples that lie evenly in each part of a region. A sample is
 * interpolated between four elements; the largest is that of their weighted values, as in other
 * engines. Places are computed in the type of X. */
#include <math.h>
#include <string.h>

#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

#define MOST_SAMPLES ((double)(1 << 20)) /* of a part */
#define AT_ONCE 1024                     /* samples whose elements are found before they are read */

typedef struct roi_align_job {
  const tarei_run *run;
  int64_t channels, height, width; /* of X */
  int64_t rows, columns;           /* of the output */
  int64_t samples;                 /* along either axis; 0: as many as elements */
  float scale;
  bool max, half;
} roi_align_job;

/* Where the samples of a region lie along one axis. */
typedef struct roi_axis {
  double begin, part; /* of the region, the length of a part of it */
  int64_t samples;    /* of a part */
} roi_axis;

/* Elements on both sides of a sample, and how far it is from the first. */
typedef struct roi_sample {
  int64_t low, high;
  double from_low;
} roi_sample;

static double roi_number(const roi_align_job *const j, const double value) {
  return j->run->in[0]->dtype == TARE_F32 ? (double)(float)value : value;
}

static roi_axis axis_of(const roi_align_job *const j, const int64_t roi, const int first,
                        const int64_t parts) {
  const double shift = j->half ? 0.5 : 0;
  const tare_tensor *const rois = j->run->in[1];
  const double begin =
      roi_number(j, roi_number(j, tarei_real_at(rois, 4 * roi + first) * (double)j->scale) - shift);
  const double end = roi_number(
      j, roi_number(j, tarei_real_at(rois, 4 * roi + first + 2) * (double)j->scale) - shift);
  const double length = roi_number(j, end - begin), least = j->half ? -INFINITY : 1;
  const double part = roi_number(j, (length > least ? length : least) / (double)parts);
  const double many = j->samples > 0 ? (double)j->samples : ceil(part);
  return (roi_axis){begin, part,
                    many > 0 && many < 0x1p30 ? (int64_t)many
                    : many > 0                ? 1 << 30
                                              : 0};
}

/* False outside of the image. */
static bool find_sample(const roi_align_job *const j, const roi_axis *const a, const int64_t part,
                        const int64_t i, const int64_t n, roi_sample *const s) {
  double at = roi_number(j, a->begin + roi_number(j, (double)part * a->part));
  at = roi_number(j, at + roi_number(j, ((double)i + 0.5) * a->part / (double)a->samples));
  if (!(at >= -1 && at <= (double)n)) {
    return false;
  }
  at = at > 0 ? at : 0;
  s->low = (int64_t)at < n - 1 ? (int64_t)at : n - 1;
  s->high = s->low < n - 1 ? s->low + 1 : s->low;
  s->from_low = s->low < n - 1 ? at - (double)s->low : 0;
  return true;
}

/* Samples of some parts: of each, four elements of X and their weights. */
typedef struct roi_span {
  int64_t parts;             /* all of a row, or fewer */
  bool first;                /* the parts have no samples before these */
  int64_t ends[AT_ONCE + 1]; /* of the parts, among the samples */
  bool outside[AT_ONCE];     /* some samples of a part lie outside of the image */
  int64_t offsets[4 * AT_ONCE];
  double weights[4 * AT_ONCE];
} roi_span;

static void roi_align_add_sample(const roi_align_job *const j, const roi_sample *const y,
                                 const roi_sample *const x, const double share, roi_span *const s) {
  const int64_t at = 4 * s->ends[s->parts + 1]++;
  const int64_t top = y->low * j->width, bottom = y->high * j->width;
  const double down = y->from_low, right = x->from_low;
  const int64_t offsets[] = {top + x->low, top + x->high, bottom + x->low, bottom + x->high};
  const double weights[] = {(1 - down) * (1 - right), (1 - down) * right, down * (1 - right),
                            down * right};
  for (int k = 0; k < 4; k++) {
    s->offsets[at + k] = offsets[k];
    s->weights[at + k] = weights[k] * share;
  }
}

/* Adds samples [first, end) of a part of a region to the span. */
static void roi_align_add_part(const roi_align_job *const j, const roi_axis *const y,
                               const roi_axis *const x, const int64_t part, const int64_t first,
                               const int64_t end, roi_span *const s) {
  const double share = j->max ? 1 : 1 / (double)(y->samples * x->samples);
  s->ends[s->parts + 1] = s->ends[s->parts];
  s->outside[s->parts] = false;
  for (int64_t i = first; i < end; i++) {
    roi_sample down, right;
    if (find_sample(j, y, part / j->columns, i / x->samples, j->height, &down) &&
        find_sample(j, x, part % j->columns, i % x->samples, j->width, &right)) {
      roi_align_add_sample(j, &down, &right, share, s);
    } else {
      s->outside[s->parts] = true;
    }
  }
  s->parts++;
}

/* The sum, or the largest, of what part `i` of a span reads in a channel. */
static double read_part(const roi_align_job *const j, const roi_span *const s, const int64_t i,
                        const int64_t plane) {
  const tare_tensor *const x = j->run->in[0];
  double sum = 0, most = s->outside[i] || s->ends[i] == s->ends[i + 1] ? 0 : -INFINITY;
  for (int64_t k = 4 * s->ends[i]; k < 4 * s->ends[i + 1]; k++) {
    const double value = s->weights[k] * tarei_real_at(x, plane + s->offsets[k]);
    sum += value;
    most = value > most ? value : most;
  }
  return j->max ? most : sum;
}

/* Reads the parts of a span, the first of which is part `part` of region `roi`, in all channels. */
static void read_span(const roi_align_job *const j, const roi_span *const s, const int64_t roi,
                      const int64_t part) {
  const tare_tensor *const out = j->run->out[0];
  const int64_t image = ((const int64_t *)j->run->in[2]->data)[roi], size = j->height * j->width;
  for (int64_t c = 0; c < j->channels; c++) {
    const int64_t to = (roi * j->channels + c) * j->rows * j->columns + part;
    for (int64_t i = 0; i < s->parts; i++) {
      double value = read_part(j, s, i, (image * j->channels + c) * size);
      if (!s->first) {
        const double before = tarei_real_at(out, to + i);
        value = !j->max ? before + value : before > value ? before : value;
      }
      if (out->dtype == TARE_F32) {
        ((float *)out->data)[to + i] = (float)value;
      } else {
        ((double *)out->data)[to + i] = value;
      }
    }
  }
}

static void roi_align_range(const void *const user, const size_t first, const size_t end,
                            const int thread) {
  const roi_align_job *const j = user;
  roi_span *const s = tarei_thread_scratch(j->run, thread, sizeof *s);
  const int64_t all = j->rows * j->columns;
  for (int64_t roi = (int64_t)first; roi < (int64_t)end; roi++) {
    const roi_axis x = axis_of(j, roi, 0, j->columns), y = axis_of(j, roi, 1, j->rows);
    const int64_t samples = x.samples * y.samples;
    const int64_t at_once = samples == 0 ? AT_ONCE : samples < AT_ONCE ? AT_ONCE / samples : 1;
    for (int64_t part = 0; part < all; part += at_once) {
      int64_t from = 0;
      do { /* the samples of a part may be more than fit */
        const int64_t to = samples - from < AT_ONCE ? samples : from + AT_ONCE;
        s->parts = s->ends[0] = 0;
        s->first = from == 0;
        for (int64_t i = 0; i < at_once && part + i < all; i++) {
          roi_align_add_part(j, &y, &x, part + i, from, to, s);
        }
        read_span(j, s, roi, part);
        from = to;
      } while (from < samples);
    }
  }
}

static size_t roi_align_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                                const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)in;
  (void)out;
  return sizeof(roi_span) * (size_t)threads;
}

/* Images that are there, and regions that have an end. */
static tare_status check_rois(const tarei_step *const step, const roi_align_job *const j,
                              tare_error *const err) {
  const int64_t images = j->run->in[0]->dims[0];
  const tarei_value *const values = step->graph->values;
  for (int64_t i = 0; i < j->run->in[1]->dims[0]; i++) {
    const int64_t image = ((const int64_t *)j->run->in[2]->data)[i];
    if (image < 0 || image >= images) {
      return tarei_fail(err, TARE_E_INPUT, "image %lld of '%s' is out of range: expected 0..%lld",
                        (long long)image, values[step->node->in[2]].name, (long long)images - 1);
    }
    const roi_axis x = axis_of(j, i, 0, j->columns), y = axis_of(j, i, 1, j->rows);
    if ((double)x.samples * (double)y.samples > MOST_SAMPLES) {
      return tarei_fail(err, TARE_E_INPUT,
                        "region %lld of '%s' is too large: a part of it has more than %g samples",
                        (long long)i, values[step->node->in[1]].name, MOST_SAMPLES);
    }
  }
  return TARE_OK;
}

static tare_status roi_align_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                     tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_F32 || dtype == TARE_F64 ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status roi_align_run(const tarei_step *const step, const tarei_run *const r,
                                 tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const tarei_node *const node = step->node;
  const char *const shift = node->opset < 16 ? "output_half_pixel" : "half_pixel";
  const roi_align_job j = {
      .run = r,
      .channels = x->dims[1],
      .height = x->dims[2],
      .width = x->dims[3],
      .rows = out->dims[2],
      .columns = out->dims[3],
      .samples = tarei_attr_int(node, "sampling_ratio", 0),
      .scale = tarei_attr_float(node, "spatial_scale", 1),
      .max = strcmp(tarei_attr_string(node, "mode", "avg"), "max") == 0,
      .half = strcmp(tarei_attr_string(node, "coordinate_transformation_mode", shift),
                     "half_pixel") == 0};
  TAREI_TRY(tarei_want_dim(step, r, 1, 1, 4, err));
  TAREI_TRY(tarei_want_count(step, r, 2, r->in[1]->dims[0], err));
  if (tare_tensor_count(out) == 0) {
    return TARE_OK;
  }
  if (j.height == 0 || j.width == 0) {
    return tarei_fail(err, TARE_E_SHAPE, "'%s' has no elements to read",
                      step->graph->values[node->in[0]].name);
  }
  TAREI_TRY(check_rois(step, &j, err));
  tarei_row_ranges(r, (size_t)out->dims[0], (size_t)(j.channels * j.rows * j.columns), 1024,
                   roi_align_range, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_roi_align = {
    .prepare = roi_align_prepare, .scratch = roi_align_scratch, .run = roi_align_run};
