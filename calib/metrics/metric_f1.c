/*
 * F1 score of classes: 2 tp / (2 tp + fp + fn). Macro: mean over the classes that occur among the
 * labels or the predictions; micro: of the sums over all classes; binary: of class 1.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "calib/metrics/class_labels.h"
#include "calib/metrics/states.h"

/* A row has one of these for each pair of classes that occurs in the sample. */
enum { PAIR_LABEL, PAIR_GUESS, PAIR_COUNT, PAIR_NUMBERS };

/* Counts a pair, among those of the sample so far: n numbers from `first` on. */
static tare_status f1_count(tare_metric_states *const states, const int64_t first,
                            const int64_t label, const int64_t guess, tare_error *const err) {
  for (int64_t i = first; i < states->n_numbers; i += PAIR_NUMBERS) {
    double *const pair = states->numbers + i;
    if (pair[PAIR_LABEL] == (double)label && pair[PAIR_GUESS] == (double)guess) {
      pair[PAIR_COUNT]++;
      return TARE_OK;
    }
  }
  const double pair[] = {(double)label, (double)guess, 1};
  return tarei_metric_states_add(states, pair, PAIR_NUMBERS, err);
}

static int f1_by_classes(const void *const a, const void *const b) {
  const double *const x = a, *const y = b;
  const int by_label = (x[PAIR_LABEL] > y[PAIR_LABEL]) - (x[PAIR_LABEL] < y[PAIR_LABEL]);
  return by_label ? by_label : (x[PAIR_GUESS] > y[PAIR_GUESS]) - (x[PAIR_GUESS] < y[PAIR_GUESS]);
}

static tare_status metric_f1_add(const tarei_metric_case *const c, tare_metric_states *const states,
                                 tare_error *const err) {
  tarei_class_labels labels;
  const int64_t first = states->n_numbers;
  TAREI_TRY(tarei_class_labels_begin("f1", c, &states->settings, 0, &labels, err));
  for (bool more = true;;) {
    TAREI_TRY(tarei_class_labels_next(&labels, &more, err));
    if (!more) {
      break;
    }
    const int64_t guess = tarei_argmax(c->got, labels.offset, labels.rows.length);
    TAREI_TRY(f1_count(states, first, labels.label, guess, err));
  }
  const int64_t n = (states->n_numbers - first) / PAIR_NUMBERS;
  if (n > 0) {
    qsort(states->numbers + first, (size_t)n, PAIR_NUMBERS * sizeof(double), f1_by_classes);
  }
  return TARE_OK;
}

/* Labels, guesses and hits of a class. */
typedef struct f1_class {
  double labels, guesses, hits;
} f1_class;

static int64_t f1_n_classes(const tare_metric_states *const states) {
  double most = 0;
  for (int64_t i = 0; i < states->n_numbers; i += PAIR_NUMBERS) {
    most = fmax(most, fmax(states->numbers[i + PAIR_LABEL], states->numbers[i + PAIR_GUESS]));
  }
  return (int64_t)most + 1;
}

static void f1_gather(const tarei_metric_choice *const choice, f1_class *const classes) {
  int64_t at = 0;
  int32_t times = 0;
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    for (int64_t i = row->at; i < row->at + row->n; i += PAIR_NUMBERS) {
      const double *const pair = choice->states->numbers + i;
      const int64_t label = (int64_t)pair[PAIR_LABEL], guess = (int64_t)pair[PAIR_GUESS];
      classes[label].labels += times * pair[PAIR_COUNT];
      classes[guess].guesses += times * pair[PAIR_COUNT];
      classes[label].hits += label == guess ? times * pair[PAIR_COUNT] : 0;
    }
  }
}

/* NAN if the class occurs nowhere. */
static double f1_of(const f1_class c) {
  return c.labels + c.guesses > 0 ? 2 * c.hits / (c.labels + c.guesses) : NAN;
}

static double f1_conclude(const f1_class *const classes, const int64_t n,
                          const tarei_average average) {
  f1_class all = {0};
  double sum = 0, present = 0;
  for (int64_t i = 0; i < n; i++) {
    const double one = f1_of(classes[i]);
    all.labels += classes[i].labels;
    all.guesses += classes[i].guesses;
    all.hits += classes[i].hits;
    sum += isnan(one) ? 0 : one;
    present += !isnan(one);
  }
  return average == TAREI_AVERAGE_BINARY  ? (n > 1 ? f1_of(classes[1]) : NAN)
         : average == TAREI_AVERAGE_MICRO ? f1_of(all)
         : present > 0                    ? sum / present
                                          : NAN;
}

static tare_status metric_f1_value(const tarei_metric_choice *const choice, double *const out,
                                   tare_error *const err) {
  const int64_t n = f1_n_classes(choice->states);
  f1_class *const classes = tarei_calloc((size_t)n, sizeof *classes);
  if (!classes) {
    return tarei_fail_memory(err, "metric f1", (size_t)n * sizeof *classes);
  }
  f1_gather(choice, classes);
  *out = f1_conclude(classes, n, choice->states->settings.average);
  free(classes);
  return TARE_OK;
}

/* Classes are numbers of an array, and not too many. */
static bool f1_is_class(const double value) {
  static const double MOST = 1 << 24;
  return value >= 0 && value < MOST;
}

static bool metric_f1_accepts(const tare_metric_states *const s) {
  bool good = tarei_metric_states_are_groups(s, PAIR_NUMBERS);
  for (int64_t i = 0; good && i < s->n_numbers; i += PAIR_NUMBERS) {
    good = f1_is_class(s->numbers[i + PAIR_LABEL]) && f1_is_class(s->numbers[i + PAIR_GUESS]);
  }
  return good;
}

const tarei_metric tarei_metric_f1 = {
    .name = "f1",
    .summary = "F1 score of classes",
    .unit = TAREI_PERCENT,
    .takes = TAREI_METRIC_BIT(AVERAGE) | TAREI_METRIC_BIT(IGNORE_INDEX),
    .least_rank = 1,
    .add = metric_f1_add,
    .read = tarei_metric_read_classes,
    .value = metric_f1_value,
    .accepts = metric_f1_accepts};
