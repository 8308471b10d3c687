/*
 * Evaluation: runs a plan over a data set, and compares it with another plan and with labels.
 */
#ifndef TARE_EVAL_H
#define TARE_EVAL_H

#include <tare/calib.h>
#include <tare/comparison.h>
#include <tare/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of task metrics. */
TARE_API int tare_n_metrics(void);

/** Name of a metric by number, static; NULL if the number is out of range. */
TARE_API const char *tare_metric_name(int metric);

/** One line that describes a metric, static; NULL if the number is out of range. */
TARE_API const char *tare_metric_summary(int metric);

/** Whether smaller values are better, as for an error rate; the number must be in range (asserted).
 */
TARE_API bool tare_metric_lower_is_better(int metric);

/** Whether a metric needs tare_eval_options.alphabet; the number must be in range (asserted). */
TARE_API bool tare_metric_needs_alphabet(int metric);

/** How values of a metric are printed: multiplied by `factor`, with a unit. */
typedef struct tare_metric_unit {
  double factor;          /* e.g. 100 */
  const char *symbol;     /* e.g. "%"; "" for a plain number */
  const char *difference; /* unit of the difference of two values, e.g. "percentage points" */
} tare_metric_unit;

/** Unit of a metric, with static strings; the number must be in range (asserted). */
TARE_API tare_metric_unit tare_metric_get_unit(int metric);

/** Options of tare_eval; set the defaults with tare_eval_options_init. */
typedef struct tare_eval_options {
  const tare_plan *against; /* the reference; NULL: no comparison of outputs */
  const char *metric;       /* name of a task metric (tare_metric_name); NULL: none */
  const char *alphabet;     /* if the metric needs one: characters of class 1, 2, ...; 0 is blank */
  int output;               /* number of the output that the metric reads */
  tare_fit fit;             /* how samples are fitted before both plans run */
  tare_outside outside;
  const tare_pad_value *pad_values;
  int n_pad_values;
  const tare_length_input *length_inputs; /* none with streaming */
  int n_length_inputs;
  /** For the ports of the plan; each chunk then counts as a separate sample, and there can be no
   *  metric. NULL: each sample is one run. */
  const tare_streaming *streaming;
  int threads;              /* 0: tare_cores() */
  int profile;              /* run in this profile of the plan; -1: the one of the shape */
  tare_comparison *tensors; /* also compare the tensors; made for the first plan and `against`
                               (asserted). NULL: no */
  const char *save_outputs; /* HDF5 file for the outputs: a group per sample; NULL: none */
  bool save_inputs;         /* save_outputs also holds the inputs, as fitted: the file is a data set
                               for the plan */
  tare_progress_fn progress; /* NULL: none */
  void *progress_user;
} tare_eval_options;

/** Results over a set of samples. Outputs are compared in the valid region of all float outputs.
 *  Values that do not apply are NAN. */
typedef struct tare_eval_score {
  int64_t samples;
  double sqnr_db; /* 10 log10(sum ref^2 / sum (ref - got)^2); INFINITY if equal */
  double cosine;  /* over all values */
  double max_abs_error;
  /** Share of rows (last axis, 2 elements or more) with the same argmax, which is the first of
   * equal values. */
  double top1_agreement;
  double metric;    /* of the plan */
  double reference; /* metric of the reference */
} tare_eval_score;

/** What one sample contributes to a metric, whose value is the sum of `part` divided by the sum of
 *  `whole`: e.g. right labels and all labels, or character errors and all characters. */
typedef struct tare_metric_tally {
  int64_t part, whole;
} tare_metric_tally;

/** What one sample contributes to the SQNR of the outputs, 10 log10(signal / noise) of the sums. */
typedef struct tare_error_tally {
  double signal, noise; /* sums of squares of the reference, and of its difference */
} tare_error_tally;

/** Results at one level of the gain range of the data. */
typedef struct tare_eval_level {
  double gain_db; /* 0: the samples as they are */
  tare_eval_score score;
} tare_eval_level;

/** Result of an evaluation; free its arrays with tare_eval_result_fini. With a gain range, the
 * total and the profiles are sums over all levels, in which a sample counts once. */
typedef struct tare_eval_result {
  tare_eval_score total;
  int n_profiles;
  tare_eval_score *profiles;  /* per profile of the plan, by the shape of the sample itself */
  int n_levels;               /* of the data; 0 without a gain range */
  tare_eval_level *levels;    /* by gain, ascending */
  int64_t n_tallies;          /* samples that counted; 0 without a metric */
  tare_metric_tally *tallies; /* of the plan, one per sample in the order of the data */
  int64_t n_errors;         /* samples that were compared with a reference, recordings as a whole */
  tare_error_tally *errors; /* theirs, in the order of the data */
  tare_fit_counts fitted;   /* what fitting did to the samples that counted */
  double seconds;           /* wall time of the runs of the plan */
  double reference_seconds; /* wall time of the runs of the reference */
  int64_t peak_bytes;       /* peak resident memory of the process so far */
} tare_eval_result;

/** Sets the options to the defaults: everything zero, except profile -1. */
TARE_API void tare_eval_options_init(tare_eval_options *options);

/**
 * Runs a plan over a data set, from its current position to the end.
 * @param options not NULL
 * @param result is filled on success; free its arrays with tare_eval_result_fini
 * @return TARE_OK, TARE_E_USAGE (unknown metric, missing labels or alphabet, plans with different
 *         outputs), TARE_E_INPUT (no usable sample), TARE_E_CHECK (stopped by progress), TARE_E_IO,
 *         or an error of tare_dataset_next, tare_context_new or tare_context_run
 */
TARE_API tare_status tare_eval(const tare_plan *plan, tare_dataset *dataset,
                               const tare_eval_options *options, tare_eval_result *result,
                               tare_error *err);

/** Frees the arrays of a result. */
TARE_API void tare_eval_result_fini(tare_eval_result *result);

/** The SQNR in dB of the level where it is lowest; without a gain range that of the total. Sums
 * over levels say little about the quiet ones. */
TARE_API double tare_eval_lowest_sqnr(const tare_eval_result *result);

/**
 * Runs several plans in one pass over a data set: each sample is read once, and the reference runs
 * once per sample. A sample that one plan rejects counts for none.
 * @param plans n_plans plans, 1 or more, with the same inputs and outputs. Samples are fitted to
 *        the profiles of the first one, and results by profile refer to these. If options->against
 *        is one of the plans, it runs only once, and is not compared with anything
 * @param options as for tare_eval; save_outputs saves the outputs of the first plan
 * @param results n_plans results, filled on success; free each with tare_eval_result_fini
 * @return as tare_eval
 */
TARE_API tare_status tare_eval_many(const tare_plan *const *plans, int n_plans,
                                    tare_dataset *dataset, const tare_eval_options *options,
                                    tare_eval_result *results, tare_error *err);

/** Difference of a metric between two plans over the same samples, with its 95 % confidence
 * interval. The values are NAN if no sample has a label. */
typedef struct tare_difference {
  double value;      /* metric of the plan minus that of the base */
  double low, high;  /* the interval */
  int64_t samples;   /* samples with labels */
  int64_t differing; /* samples among them in which the two plans differ */
  /** The interval does not contain 0, and at least six samples differ, the minimum for significance
   * at 5 % in a sign test. */
  bool distinct;
} tare_difference;

/**
 * Compares plans with one of them by a paired bootstrap over samples: in each of 1999 draws,
 * n_samples samples are drawn with replacement, the same for all plans, and the interval is the
 * middle 95 % of the differences; with few samples more than that, so that it is as wide as the t
 * interval of a mean. The random numbers have a constant seed, so equal tallies give equal
 * intervals.
 * @param tallies n_plans arrays of n_samples tallies, all in the same order of samples
 * @param n_samples number of samples, >= 0
 * @param base number of the plan with which the others are compared, 0 .. n_plans - 1 (asserted)
 * @param out n_plans differences; that of the base is 0
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_metric_differences(const tare_metric_tally *const *tallies, int n_plans,
                                             int64_t n_samples, int base, tare_difference *out,
                                             tare_error *err);

/** A 95 % confidence interval. */
typedef struct tare_interval {
  double low, high;
} tare_interval;

/**
 * The same bootstrap for the SQNR in dB. The difference of two plans without errors is 0.
 * @param tallies n_plans arrays of n_samples tallies, all in the same order of samples
 * @param n_samples number of samples, > 0 (asserted)
 * @param base number of the plan with which the others are compared, 0 .. n_plans - 1 (asserted)
 * @param out n_plans differences; that of the base is 0
 * @param own n_plans intervals of the SQNR itself, INFINITY without errors; NULL: not wanted
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_sqnr_differences(const tare_error_tally *const *tallies, int n_plans,
                                           int64_t n_samples, int base, tare_difference *out,
                                           tare_interval *own, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
