/*
 * Task metrics: how well outputs match labels, or the outputs of a reference.
 */
#ifndef TARE_METRIC_H
#define TARE_METRIC_H

#include <stdbool.h>
#include <stdint.h>
#include <tare/dataset.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of task metrics. */
TARE_API int tare_n_metrics(void);

/** Name of a metric by number, static; NULL if the number is out of range. */
TARE_API const char *tare_metric_name(int metric);

/** One line that describes a metric, static; NULL if the number is out of range. */
TARE_API const char *tare_metric_summary(int metric);

/** Whether smaller values are better, as for an error rate. */
TARE_API bool tare_metric_lower_is_better(int metric);

/** What the outputs of a plan are compared with. */
typedef enum tare_metric_truth {
  TARE_TRUTH_LABELS = 0,    /* the labels of the samples */
  TARE_TRUTH_REFERENCE = 1, /* the outputs of the reference */
  TARE_TRUTH_EITHER = 2,    /* the labels if there are any, or else the outputs of the reference */
} tare_metric_truth;

/** What a metric compares outputs with. */
TARE_API tare_metric_truth tare_metric_get_truth(int metric);

/** How values of a metric are printed: multiplied by `factor`, with a unit. */
typedef struct tare_metric_unit {
  double factor;          /* e.g. 100 */
  const char *symbol;     /* e.g. "%"; "" for a plain number */
  const char *difference; /* unit of the difference of two values, e.g. "percentage points"; "units"
                             for a plain number */
  void *reserved[4];      /* for later versions */
} tare_metric_unit;

/** Unit of a metric, with static strings. */
TARE_API tare_metric_unit tare_metric_get_unit(int metric);

/** An option of metrics. All strings are static. */
typedef struct tare_metric_option {
  const char *name;    /* name of the option of the command: "alphabet" */
  const char *value;   /* what it takes: "CHARS" */
  const char *summary; /* what it means */
} tare_metric_option;

/** Number of options that metrics have. */
TARE_API int tare_n_metric_options(void);

/** An option by number; NULL if the number is out of range. */
TARE_API const tare_metric_option *tare_metric_option_at(int option);

/** Whether a metric takes an option. */
TARE_API bool tare_metric_takes(int metric, int option);

/** The value of an option of a metric. */
typedef struct tare_metric_setting {
  const char *name, *value; /* name of the option, its value as text */
} tare_metric_setting;

/**
 * Checks the settings of a metric, and reads the files that they name.
 * @param metric its number
 * @param settings n settings; NULL if n is 0
 * @return TARE_OK, TARE_E_USAGE (an option that the metric does not take or that it needs, a value
 *         that an option does not take), TARE_E_INPUT (a file that cannot be read), TARE_E_MEMORY
 */
TARE_API tare_status tare_metric_check(int metric, const tare_metric_setting *settings, int n,
                                       tare_error *err);

/** What the samples of an evaluation contribute to a metric of one plan: for each sample numbers
 *  whose meaning the metric defines, e.g. errors and characters, or pairs of values to rank. The
 *  value of the metric follows from those of any choice of samples. Belongs to the result of the
 *  evaluation. Any number of threads may use it at once. */
typedef struct tare_metric_states tare_metric_states;

/** Numbers that add up over samples, of a metric of the program. */
enum { TARE_METRIC_SUMS = 8 };

/** One output of one run, and what it is compared with. Belongs to the evaluation, until the call
 *  that gets it returns. */
typedef struct tare_metric_case {
  const tare_sample *sample; /* name, label, label_text */
  const char *output;        /* name of the output */
  const tare_tensor *got;    /* float, rank 1 or more */
  const tare_tensor *want;   /* the same output of the reference, of the same dims; NULL: none */
  const int64_t *extents;    /* valid part of both, one per axis: what is behind it is padding */
  void *reserved[4];         /* for later versions */
} tare_metric_case;

/**
 * A metric of the program (tare_eval_options.custom_metric). Each run contributes some numbers; the
 * value of any choice of samples follows from the sums of theirs, so that it has profiles, levels
 * and confidence intervals as other metrics have. Set it to zero first.
 */
typedef struct tare_custom_metric {
  const char *name;     /* for messages */
  int n_sums;           /* numbers of each run, 1 .. TARE_METRIC_SUMS */
  bool lower_is_better; /* as an error rate */
  tare_metric_truth truth;
  /**
   * Adds up one run, on the thread of the evaluation.
   * @param sums n_sums zeros; receives the numbers, which must be finite
   * @param counts true; false: the sample has no label and does not count
   * @return TARE_OK; TARE_E_INPUT for a bad sample; any other error ends the evaluation
   */
  tare_status (*add)(void *user, const tare_metric_case *c, double *sums, bool *counts,
                     tare_error *err);
  /** The value of sums over samples; NAN: none. Any number of threads may call it at once. */
  double (*value)(void *user, const double *sums);
  void *user;        /* passed to both; must outlive the results of the evaluation */
  void *reserved[8]; /* for later versions; NULL */
} tare_custom_metric;

/** Number of the metric; -1 for one of the program. */
TARE_API int tare_metric_states_metric(const tare_metric_states *states);

/** Number of samples, in the order of the data. */
TARE_API int64_t tare_metric_states_count(const tare_metric_states *states);

/**
 * Computes the value of the metric over a choice of samples.
 * @param times how often each sample counts, 0 or more; NULL: each of them once
 * @param out receives the value; NAN if none of them has one
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_metric_states_value(const tare_metric_states *states,
                                              const int32_t *times, double *out, tare_error *err);

/**
 * Computes the value of the metric over one sample.
 * @param sample its number, 0 .. tare_metric_states_count - 1
 * @param out receives the value; NAN if the sample has none
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_metric_states_sample(const tare_metric_states *states, int64_t sample,
                                               double *out, tare_error *err);

/** What the metric reads in the output for a sample, as text: e.g. decoded characters, or the class
 *  of each position. Belongs to the states. NULL without tare_eval_options.answers, and for metrics
 *  that read numbers. */
TARE_API const char *tare_metric_states_answer(const tare_metric_states *states, int64_t sample);

#ifdef __cplusplus
}
#endif
#endif
