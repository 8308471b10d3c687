/* Perplexity of a language model: exp of the mean of -log softmax(scores)[label]. */
#include <math.h>

#include "calib/metrics/class_labels.h"
#include "calib/metrics/states.h"
#include "shapes/number.h"

/* log of the sum of exp, without overflow; NAN if a score is not a number. */
static double perplexity_log_sum(const tare_tensor *const scores, const int64_t offset,
                                 const int64_t n) {
  double most = -INFINITY, sum = 0;
  for (int64_t i = 0; i < n; i++) {
    most = fmax(most, tarei_real_at(scores, offset + i));
  }
  for (int64_t i = 0; i < n; i++) {
    sum += exp(tarei_real_at(scores, offset + i) - most);
  }
  return most + log(sum);
}

static tare_status metric_perplexity_add(const tarei_metric_case *const c,
                                         tare_metric_states *const states, tare_error *const err) {
  const tarei_metric_settings *const settings = &states->settings;
  const int64_t shift = settings->shifts ? settings->shift : 1;
  tarei_class_labels labels;
  double sums[] = {0, 0}; /* of -log p, of all tokens */
  TAREI_TRY(tarei_class_labels_begin("perplexity", c, settings, shift, &labels, err));
  for (bool more = true;;) {
    TAREI_TRY(tarei_class_labels_next(&labels, &more, err));
    if (!more) {
      break;
    }
    sums[0] += perplexity_log_sum(c->got, labels.offset, labels.rows.length) -
               tarei_real_at(c->got, labels.offset + labels.label);
    sums[1]++;
  }
  return sums[1] > 0 ? tarei_metric_states_add(states, sums, 2, err) : TARE_OK;
}

static double metric_perplexity_of_sums(const double *const sums) {
  return exp(tarei_metric_ratio(sums));
}

const tarei_metric tarei_metric_perplexity = {
    .name = "perplexity",
    .summary = "of a language model, against token ids",
    .unit = TAREI_PLAIN,
    .lower_is_better = true,
    .takes = TAREI_METRIC_BIT(SHIFT) | TAREI_METRIC_BIT(IGNORE_INDEX),
    .least_rank = 2,
    .add = metric_perplexity_add,
    .n_sums = 2,
    .of_sums = metric_perplexity_of_sums};
