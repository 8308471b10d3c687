/* RoiAlign: means, or extremes, of samples that lie evenly in each part of a region. A sample is
 * interpolated between four elements; the largest is that of their weighted values, as in other
 * engines. Places are computed in the type of X. */
#include <math.h>
#include <string.h>

#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

#define MOST_SAMPLES ((double)(1 << 20)) /* of a part */

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

/* A sample, or the largest of its weighted elements. */
static double value_of(const roi_align_job *const j, const tare_tensor *const x,
                       const int64_t plane, const roi_sample *const y, const roi_sample *const c) {
  const double down = y->from_low, right = c->from_low;
  const int64_t rows[] = {plane + y->low * j->width, plane + y->high * j->width};
  const double v[] = {(1 - down) * (1 - right) * tarei_real_at(x, rows[0] + c->low),
                      (1 - down) * right * tarei_real_at(x, rows[0] + c->high),
                      down * (1 - right) * tarei_real_at(x, rows[1] + c->low),
                      down * right * tarei_real_at(x, rows[1] + c->high)};
  if (!j->max) {
    return v[0] + v[1] + v[2] + v[3];
  }
  const double top = v[0] > v[1] ? v[0] : v[1], bottom = v[2] > v[3] ? v[2] : v[3];
  return top > bottom ? top : bottom;
}

static double part_of(const roi_align_job *const j, const int64_t plane, const roi_axis *const y,
                      const roi_axis *const x, const int64_t row, const int64_t column) {
  double sum = 0, most = 0;
  bool any = false;
  for (int64_t i = 0; i < y->samples; i++) {
    roi_sample down, right;
    const bool inside = find_sample(j, y, row, i, j->height, &down);
    for (int64_t k = 0; k < x->samples; k++) {
      const double value = inside && find_sample(j, x, column, k, j->width, &right)
                               ? value_of(j, j->run->in[0], plane, &down, &right)
                               : 0;
      sum += value;
      most = !any || value > most ? value : most;
      any = true;
    }
  }
  const int64_t count = y->samples * x->samples;
  return j->max ? most : sum / (double)(count > 0 ? count : 1);
}

static void roi_align_range(const void *const user, const size_t first, const size_t end,
                            const int thread) {
  (void)thread;
  const roi_align_job *const j = user;
  const tare_tensor *const out = j->run->out[0];
  const size_t element = tare_dtype_size(out->dtype);
  for (int64_t i = (int64_t)first; i < (int64_t)end; i++) {
    const int64_t roi = i / j->channels, channel = i % j->channels;
    const int64_t image = ((const int64_t *)j->run->in[2]->data)[roi];
    const int64_t plane = (image * j->channels + channel) * j->height * j->width;
    const roi_axis x = axis_of(j, roi, 0, j->columns), y = axis_of(j, roi, 1, j->rows);
    for (int64_t p = 0; p < j->rows * j->columns; p++) {
      const double value = part_of(j, plane, &y, &x, p / j->columns, p % j->columns);
      tarei_write_number(out->dtype, value,
                         (char *)out->data + (size_t)(i * j->rows * j->columns + p) * element);
    }
  }
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
  tarei_row_ranges(r, (size_t)(out->dims[0] * out->dims[1]), (size_t)(j.rows * j.columns), 64,
                   roi_align_range, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_roi_align = {.prepare = roi_align_prepare, .run = roi_align_run};
