#include "calib/metrics/class_labels.h"

#include <math.h>

#include "shapes/number.h"

static tare_status class_labels_fail_kind(const char *const metric,
                                          const tarei_metric_case *const c, tare_error *const err) {
  const char *const text = c->sample->label_text;
  return tarei_fail(err, TARE_E_USAGE,
                    "%s: %s%s%s: metric %s expects a class number 0, 1, ..., one for each position "
                    "of the output",
                    c->sample->name, text ? "label '" : "no label", text ? text : "",
                    text ? "' is not an integer" : "", metric);
}

/* A label's axes stand below the output's last leading axes; the batch axis may be missing. */
static tare_status class_labels_check(const tarei_metric_case *const c,
                                      const tarei_rows *const rows, tare_error *const err) {
  const tare_tensor *const label = c->sample->label;
  const int leading = rows->rank - 1, missing = leading - label->rank;
  if (missing < 0 || missing > 1 || (missing == 1 && rows->extents[0] > 1)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: label has rank %d, but output '%s' has %d axes before its classes",
                      c->sample->name, label->rank, c->output, leading);
  }
  for (int a = 0; a < label->rank; a++) {
    if (label->dims[a] < rows->extents[missing + a]) {
      return tarei_fail(err, TARE_E_INPUT,
                        "%s: axis %d of the label has length %lld, but output '%s' has %lld",
                        c->sample->name, a, (long long)label->dims[a], c->output,
                        (long long)rows->extents[missing + a]);
    }
  }
  return TARE_OK;
}

tare_status tarei_class_labels_begin(const char *const metric, const tarei_metric_case *const about,
                                     const tarei_metric_settings *const settings,
                                     const int64_t shift, tarei_class_labels *const out,
                                     tare_error *const err) {
  *out = (tarei_class_labels){.about = about, .settings = settings, .shift = shift};
  if (!about->sample->label) {
    return class_labels_fail_kind(metric, about, err);
  }
  tarei_rows_begin(about->got, about->extents, &out->rows);
  return class_labels_check(about, &out->rows, err);
}

/* Where the label of the current row is; -1: behind the last valid one. */
static int64_t class_labels_place(const tarei_class_labels *const l) {
  const tare_tensor *const label = l->about->sample->label;
  const tarei_rows *const rows = &l->rows;
  const int leading = rows->rank - 1, missing = leading - label->rank;
  int64_t place = 0;
  for (int a = 0; a < label->rank; a++) {
    const bool last = missing + a == leading - 1;
    const int64_t index = rows->index[missing + a] + (last ? l->shift : 0);
    if (index >= rows->extents[missing + a]) {
      return -1;
    }
    place = place * label->dims[a] + index;
  }
  return place;
}

static tare_status class_labels_read(tarei_class_labels *const l, const int64_t place,
                                     tare_error *const err) {
  const tarei_metric_case *const c = l->about;
  const double value = tarei_real_at(c->sample->label, place);
  if (value != floor(value) || value >= (double)l->rows.length) {
    return tarei_fail(err, TARE_E_INPUT, "%s: label %g is %s: output '%s' has %lld classes",
                      c->sample->name, value,
                      value != floor(value) ? "not a whole number" : "out of range", c->output,
                      (long long)l->rows.length);
  }
  l->label = (int64_t)value;
  return TARE_OK;
}

tare_status tarei_class_labels_next(tarei_class_labels *const l, bool *const more,
                                    tare_error *const err) {
  while (tarei_rows_next(&l->rows, &l->offset)) {
    const int64_t place = class_labels_place(l);
    const bool ignored =
        place < 0 || (l->settings->ignores && tarei_real_at(l->about->sample->label, place) ==
                                                  (double)l->settings->ignored);
    if (ignored || tarei_real_at(l->about->sample->label, place) < 0) {
      continue;
    }
    *more = true;
    return class_labels_read(l, place, err);
  }
  *more = false;
  return TARE_OK;
}
