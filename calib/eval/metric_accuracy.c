/* Share of labelled positions whose first largest class is the label; negative labels do not
 * count. */
#include "calib/eval/eval_rows.h"
#include "calib/eval/metric.h"

/* A label's axes stand below the output's last leading axes; the batch axis may be missing. */
static tare_status check_label(const tarei_metric_case *const c, const tarei_rows *const rows,
                               tare_error *const err) {
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

static int64_t label_at(const tare_tensor *const label, const tarei_rows *const rows) {
  const int missing = rows->rank - 1 - label->rank;
  int64_t place = 0;
  for (int a = 0; a < label->rank; a++) {
    place = place * label->dims[a] + rows->index[missing + a];
  }
  return ((const int64_t *)label->data)[place];
}

static tare_status metric_accuracy_add(const tarei_metric_case *const c,
                                       tare_metric_tally *const sum, tare_error *const err) {
  if (!c->sample->label) {
    const char *const text = c->sample->label_text;
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: %s%s%s: metric accuracy expects a class number 0, 1, ..., one for each "
                      "position of the output",
                      c->sample->name, text ? "label '" : "no label", text ? text : "",
                      text ? "' is not an integer" : "");
  }
  tarei_rows rows;
  tarei_rows_begin(c->got, c->extents, &rows);
  TAREI_TRY(check_label(c, &rows, err));
  for (int64_t offset = 0; tarei_rows_next(&rows, &offset);) {
    const int64_t label = label_at(c->sample->label, &rows);
    if (label >= rows.length) {
      return tarei_fail(err, TARE_E_INPUT,
                        "%s: label %lld is out of range: output '%s' has %lld classes",
                        c->sample->name, (long long)label, c->output, (long long)rows.length);
    }
    if (label >= 0) {
      sum->whole++;
      sum->part += tarei_argmax(c->got, offset, rows.length) == label;
    }
  }
  return TARE_OK;
}

const tarei_metric tarei_metric_accuracy = {.name = "accuracy",
                                            .summary = "share of correct labels",
                                            .unit = TAREI_PERCENT,
                                            .least_rank = 1,
                                            .add = metric_accuracy_add};
