/* MaxRoiPool: the largest element of each part of a region, 0 for parts that lie outside. */
#include <math.h>

#include "engine/lower/operands.h"
#include "engine/threads.h"
#include "shapes/number.h"

typedef struct max_roi_job {
  const tarei_run *run;
  float scale;
  int64_t channels, height, width; /* of X */
  int64_t rows, columns;           /* of the output */
} max_roi_job;

typedef struct max_roi_span {
  int64_t first, end;
} max_roi_span;

static int64_t max_roi_rounded(const double x) {
  const double most = 0x1p31;
  return (int64_t)round(x >= -most && x <= most ? x : x > most ? most : -most);
}

/* Elements of part `part` of a region, one axis of the image. */
static max_roi_span max_roi_span_of(const max_roi_job *const j, const int64_t roi, const int first,
                                    const int64_t part, const int64_t parts, const int64_t n) {
  const tare_tensor *const rois = j->run->in[1];
  const int64_t at = 5 * roi + first;
  const int64_t begin = max_roi_rounded((double)((float)tarei_real_at(rois, at) * j->scale));
  const int64_t last = max_roi_rounded((double)((float)tarei_real_at(rois, at + 2) * j->scale));
  const int64_t length = last - begin + 1 > 1 ? last - begin + 1 : 1;
  const float size = (float)length / (float)parts;
  const int64_t from = begin + (int64_t)floorf((float)part * size);
  const int64_t to = begin + (int64_t)ceilf((float)(part + 1) * size);
  return (max_roi_span){from < 0 ? 0 : from < n ? from : n, to < 0 ? 0 : to < n ? to : n};
}

static double max_roi_part(const max_roi_job *const j, const int64_t roi, const int64_t plane,
                           const int64_t row, const int64_t column) {
  const max_roi_span x = max_roi_span_of(j, roi, 1, column, j->columns, j->width);
  const max_roi_span y = max_roi_span_of(j, roi, 2, row, j->rows, j->height);
  double most = x.first < x.end && y.first < y.end ? -INFINITY : 0;
  for (int64_t h = y.first; h < y.end; h++) {
    for (int64_t w = x.first; w < x.end; w++) {
      const double value = tarei_real_at(j->run->in[0], plane + h * j->width + w);
      most = value > most ? value : most;
    }
  }
  return most;
}

static void max_roi_range(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  (void)thread;
  const max_roi_job *const j = user;
  const tare_tensor *const out = j->run->out[0];
  const size_t element = tare_dtype_size(out->dtype);
  for (int64_t i = (int64_t)first; i < (int64_t)end; i++) {
    const int64_t roi = i / j->channels, channel = i % j->channels;
    const int64_t image = (int64_t)tarei_real_at(j->run->in[1], 5 * roi);
    const int64_t plane = (image * j->channels + channel) * j->height * j->width;
    for (int64_t p = 0; p < j->rows * j->columns; p++) {
      const double value = max_roi_part(j, roi, plane, p / j->columns, p % j->columns);
      tarei_write_number(out->dtype, value,
                         (char *)out->data + (size_t)(i * j->rows * j->columns + p) * element);
    }
  }
}

static tare_status max_roi_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_F32 || dtype == TARE_F64 ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status max_roi_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const max_roi_job j = {.run = r,
                         .scale = tarei_attr_float(step->node, "spatial_scale", 1),
                         .channels = x->dims[1],
                         .height = x->dims[2],
                         .width = x->dims[3],
                         .rows = out->dims[2],
                         .columns = out->dims[3]};
  TAREI_TRY(tarei_want_dim(step, r, 1, 1, 5, err));
  for (int64_t i = 0; i < r->in[1]->dims[0]; i++) {
    const double image = tarei_real_at(r->in[1], 5 * i);
    if (!(image > -1 && image < (double)x->dims[0])) {
      return tarei_fail(err, TARE_E_INPUT,
                        "image %g of region %lld of '%s' is out of range: expected 0..%lld", image,
                        (long long)i, step->graph->values[step->node->in[1]].name,
                        (long long)x->dims[0] - 1);
    }
  }
  if (tare_tensor_count(out) > 0) {
    tarei_row_ranges(r, (size_t)(out->dims[0] * out->dims[1]), (size_t)(j.height * j.width), 4096,
                     max_roi_range, &j);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_max_roi_pool = {.prepare = max_roi_prepare, .run = max_roi_run};
