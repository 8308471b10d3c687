/*
 * Evaluation: a plan run over a data set, measured against another plan and against labels.
 */
#ifndef TARE_EVAL_H
#define TARE_EVAL_H

#include <tare/calib.h>
#include <tare/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The task metrics, by number: name and one-line summary; NULL out of range. */
TARE_API int tare_n_metrics(void);
TARE_API const char *tare_metric_name(int metric);
TARE_API const char *tare_metric_summary(int metric);
/** Whether less of it is better, as of an error rate; metric in range (asserted). */
TARE_API bool tare_metric_lower_is_better(int metric);
/** Whether it needs tare_eval_options.alphabet; metric in range (asserted). */
TARE_API bool tare_metric_needs_alphabet(int metric);

/** How values of a metric are written for people: multiplied by `factor`, with a unit behind. */
typedef struct tare_metric_unit {
  double factor;          /* 100 */
  const char *symbol;     /* "%"; "" for a plain number */
  const char *difference; /* of two values: "percentage points" */
} tare_metric_unit;

/** The unit of a metric; metric in range (asserted). */
TARE_API tare_metric_unit tare_metric_get_unit(int metric);

typedef struct tare_eval_options {
  const tare_plan *against;  /* reference; NULL: no numeric comparison */
  const char *metric;        /* name of a task metric (tare_metric_name), or NULL for none */
  const char *alphabet;      /* where the metric needs one: character of class 1, 2, ...; class 0 is blank */
  int output;                /* which output the metric reads, 0.. */
  tare_fit fit;              /* how samples are fitted before both plans run */
  tare_outside outside;
  const tare_pad_value *pad_values;
  int n_pad_values;
  const tare_length_input *length_inputs; /* none with streaming */
  int n_length_inputs;
  const tare_streaming *streaming; /* of the plan's ports; each chunk then counts as a sample of its
                                      own, and no metric can be taken of chunks. NULL: none */
  int threads;
  int profile;               /* pin a profile of the plan; -1 picks by shape */
  const char *save_outputs;  /* write an HDF5 file: group per sample, data set per output; NULL no */
  tare_progress_fn progress;
  void *progress_user;
} tare_eval_options;

/** Results over a set of samples. Numeric comparison is over the valid region of all outputs that
 *  are float; figures that do not apply are NAN. */
typedef struct tare_eval_score {
  int64_t samples;
  double sqnr_db;         /* 10 log10(sum ref^2 / sum (ref - got)^2); INFINITY when equal */
  double cosine;          /* over all values */
  double max_abs_error;
  double top1_agreement;  /* share of rows (last axis, >= 2 long) whose argmax is the same; ties and
                             all: the first of equal values is the argmax */
  double metric;          /* of the plan */
  double reference;       /* of the plan compared against */
} tare_eval_score;

/** What one sample adds to a metric, whose value is part / whole of the sums: wrong or right labels
 *  and labels, character errors and characters. */
typedef struct tare_metric_tally {
  int64_t part, whole;
} tare_metric_tally;

typedef struct tare_eval_result {
  tare_eval_score total;
  int n_profiles;
  tare_eval_score *profiles; /* per profile of the plan, by the sample's own shape */
  int64_t n_tallies;         /* samples that counted; 0 without a metric */
  tare_metric_tally *tallies; /* of the plan, one a sample in the order of the data */
  tare_fit_counts fitted;    /* what fitting did to the samples that counted */
  double seconds;            /* wall time of the plan's own runs */
  double reference_seconds;
  int64_t peak_bytes;        /* peak resident memory of the process so far */
} tare_eval_result;

TARE_API void tare_eval_options_init(tare_eval_options *options);

/**
 * Runs a plan over a data set from its current position to the end.
 * @param result filled on success; free its arrays with tare_eval_result_fini
 * @return TARE_OK, TARE_E_USAGE (unknown metric, missing labels or alphabet, plans whose outputs
 *         differ), and what the data set and the engine return
 */
TARE_API tare_status tare_eval(const tare_plan *plan, tare_dataset *dataset,
                               const tare_eval_options *options, tare_eval_result *result,
                               tare_error *err);
TARE_API void tare_eval_result_fini(tare_eval_result *result);

/**
 * Runs several plans side by side over one pass of a data set: each sample is read once, and the
 * reference runs once a sample. A sample that one plan refuses counts for none.
 * @param plans n_plans of them, with the same inputs and outputs; samples are fitted to the profiles
 *        of the first, and results by profile are by those. options->against may be one of them: it
 *        is then compared with nothing, and runs once
 * @param options as of tare_eval; save_outputs is for the first plan
 * @param results n_plans of them, filled on success; free each with tare_eval_result_fini
 * @return as tare_eval
 */
TARE_API tare_status tare_eval_many(const tare_plan *const *plans, int n_plans,
                                    tare_dataset *dataset, const tare_eval_options *options,
                                    tare_eval_result *results, tare_error *err);

/** Difference of a metric between two plans over the same samples, with its 95 % confidence
 *  interval. The figures are NAN where no sample has a label. */
typedef struct tare_difference {
  double value;      /* the plan's metric less that of the base */
  double low, high;  /* the interval */
  int64_t samples;   /* samples with labels */
  int64_t differing; /* of these, samples in which the two differ */
  bool distinct;     /* the interval does not hold 0, and enough samples differ for a sign test to
                        reach 5 %: six */
} tare_difference;

/**
 * Holds plans against one of them by a paired bootstrap over samples: 1999 times as many samples are
 * drawn with replacement, the same ones for all plans, and the interval is that of the middle 95 % of
 * the differences. The draw is seeded by a constant: the same tallies give the same intervals.
 * @param tallies per plan n_samples tallies, in the same order of samples
 * @param base 0 .. n_plans - 1 (asserted): the plan that the others are held against
 * @param out one per plan; that of the base is 0 throughout
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_metric_differences(const tare_metric_tally *const *tallies, int n_plans,
                                             int64_t n_samples, int base, tare_difference *out,
                                             tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
