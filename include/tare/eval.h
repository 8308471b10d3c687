/*
 * Evaluation: runs a plan over a data set, and compares it with another plan and with labels.
 */
#ifndef TARE_EVAL_H
#define TARE_EVAL_H

#include <tare/calib.h>
#include <tare/comparison.h>
#include <tare/metric.h>
#include <tare/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the agreement of a plan with its reference is counted, by what an output is. */
typedef enum tare_agreement {
  TARE_AGREEMENT_AUTO = 0, /* by what the output looks like (docs/metrics.md) */
  TARE_AGREEMENT_NONE = 1, /* signals, states, regression: the SQNR says it */
  TARE_AGREEMENT_TOP1 =
      2, /* classes: share of rows (last axis) with the same first largest value */
  TARE_AGREEMENT_EDITS = 3,  /* sequences: edits between what is read in both, by the tokens of the
                                reference; 0 is best. Floats are read as greedy CTC does, with the
                                most frequent class as the blank, integers as they are */
  TARE_AGREEMENT_COSINE = 4, /* embeddings: cosine of rows, the mean over samples */
  TARE_AGREEMENT_EQUAL = 5,  /* integers: share of values that are the same */
  TARE_AGREEMENT_COUNT       /* number of members */
} tare_agreement;

/** The name of a kind: "top1", ...; NULL if there is none of this number. */
TARE_API const char *tare_agreement_name(tare_agreement kind);

/** A kind that the program chooses for an output. */
typedef struct tare_output_agreement {
  const char *output; /* its name */
  tare_agreement kind;
} tare_output_agreement;

/** Options of tare_eval; set the defaults with tare_eval_options_init. */
typedef struct tare_eval_options {
  const tare_plan *against; /* the reference; NULL: no comparison of outputs */
  const char *metric;       /* name of a task metric (tare_metric_name); NULL: none */
  /** A metric of the program, in place of `metric`; NULL: none. Copied, but what its `user` points
   * to must outlive the results. */
  const tare_custom_metric *custom_metric;
  const tare_metric_setting *settings; /* of the metric */
  int n_settings;
  bool answers; /* keep what the metric reads in outputs (tare_metric_states_answer) */
  int output;   /* number of the output that the metric reads */
  tare_fit fit; /* how samples are fitted before both plans run */
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
  tare_comparison *tensors; /* also compare the tensors; made for the first plan and
                               `against`. NULL: no */
  const char *save_outputs; /* HDF5 file for the outputs: a group per sample; NULL: none */
  bool save_inputs;         /* save_outputs also holds the inputs, as fitted: the file is a data set
                               for the plan */
  tare_progress_fn progress; /* NULL: none */
  void *progress_user;
  const tare_output_agreement *agreements; /* in place of what outputs look like */
  int n_agreements;
  void *reserved[6]; /* for later versions; NULL */
} tare_eval_options;

/**
 * Results over a set of samples. Outputs are compared in the valid region of all float outputs.
 * Values that do not apply are NAN.
 *
 * Two kinds of values are left out of the SQNR, cosine and agreement, and counted: those that no
 * layer decides, since they would hide what layers lose (constants of masks, data that pass by;
 * docs/metrics.md says how they are found), and those that are not finite in the reference.
 */
typedef struct tare_eval_score {
  int64_t samples;
  /** The SQNR of the output where it is lowest, and with a gain range of the level where it is:
   * what plans are judged by. Of an output it is `together_db`, but at most 6 dB more than
   * `tenth_db`, so that neither other outputs nor a loud or long sample hide what is lost. INFINITY
   * if nothing differs, -INFINITY if a value is finite in the reference alone. */
  double sqnr_db;
  double together_db; /* of that output, 10 log10(sum ref^2 / sum (ref - got)^2) over all samples */
  double tenth_db;    /* of that output, the lowest of single samples, without a tenth of them */
  int worst;          /* number of that output; -1: none */
  /** Of an output, how its agreement is counted; of several outputs the kind of the one that is
   *  given. */
  tare_agreement agreement_kind;
  /** Of the kind; NAN if nothing counted. Of several outputs that which is worst beside what is
   *  tolerated of its kind: 10 % of other answers or edits, 20 % of other integers, 5 % below a
   *  cosine of 1. */
  double agreement;
  double agreement_tenth; /* of that output, the worst of single samples, without a tenth of them */
  int agreement_output;   /* number of that output; -1: none */
  double cosine;          /* the lowest of the outputs, over all values that count */
  double max_abs_error;   /* over all values that are finite in the reference */
  /** Share of rows (last axis, 2 elements or more) with the same argmax (the first of equal values)
   *  and of values of integer outputs that are the same. */
  double top1_agreement;
  double metric;    /* of the plan */
  double reference; /* metric of the reference */
  /** Samples in which the output, or one of all outputs, has another shape than in the reference,
   *  because values of the run decide it: what one of both lacks counts as zeros. */
  int64_t other_shapes;
  int64_t values;    /* of float outputs that counted */
  int64_t constant;  /* left out, as no layer decides them */
  int64_t undefined; /* left out, as they are NaN or infinite in the reference */
  int64_t broken;    /* that counted, and are NaN or infinite in the plan alone */
  void *reserved[3]; /* for later versions */
} tare_eval_score;

/** What an output of one sample contributes to a comparison: the SQNR, 10 log10(signal / noise) of
 *  the sums, and the other figures of tare_eval_score. */
typedef struct tare_error_tally {
  double signal, noise; /* sums of squares of the reference, and of its difference */
  double got, dot; /* sums of squares of the plan's values, and of products with the reference */
  double max_abs;  /* largest absolute error */
  int64_t rows, agreed; /* of top1_agreement: rows and integers, and those that agree */
  int64_t values, constant, undefined, broken; /* as in tare_eval_score */
  /** Sums over rows: of the variance of the reference within a row, and of the squares by which the
   * class of the reference is above that of the plan in the reference. */
  double spread, regret;
  int64_t vectors;       /* rows that are not all zero in the reference */
  double cosines;        /* the sum of their cosines */
  int64_t tokens, edits; /* that are read in the reference, and between both */
} tare_error_tally;

/** A sample that counted in an evaluation. */
typedef struct tare_eval_sample {
  const char *name;  /* that of tare_sample; belongs to the result */
  int64_t length;    /* of tare_eval_result.length_symbol, before fitting; of a stream that is cut
                        into chunks, how many elements they advance */
  int profile;       /* that it is in, or the nearest */
  void *reserved[4]; /* for later versions */
} tare_eval_sample;

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
  int n_outputs;              /* of the plan */
  tare_eval_score *outputs;   /* per output of the plan, without the metric */
  char **output_names;        /* n_outputs */
  tare_metric_states *states; /* what the samples that counted contribute to the metric of the plan,
                                 in the order of the data; NULL without a metric */
  int64_t n_errors; /* samples that were compared with a reference, recordings as a whole */
  /** Theirs, in the order of the data: of each sample n_columns, by level (one without a gain
   * range) and in each by output. */
  tare_error_tally *errors;
  int n_columns;
  double *sample_seconds; /* wall time of the runs of the plan for each of n_samples */
  /** Samples that counted, in the order of the data. States and errors, where there are any, are
   *  theirs. Of the results of tare_eval_many only the first has them: they are the same for all.
   */
  int64_t n_samples;
  tare_eval_sample *samples;
  char *sample_names;       /* memory of their names */
  char *length_symbol;      /* symbol whose lengths in the samples range the farthest (largest by
                               smallest); "" if there is none. NULL without samples */
  tare_fit_counts fitted;   /* what fitting did to the samples that counted */
  double seconds;           /* wall time of the runs of the plan */
  double reference_seconds; /* wall time of the runs of the reference */
  int64_t peak_bytes;       /* peak resident memory of the process so far */
  void *reserved[8];        /* for later versions */
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

/**
 * The score over some of the samples of a result, at all levels of the gain range together. Without
 * a reference or a metric, values are NAN as in the total; `reference` always is.
 * @param samples numbers of n samples, 0 .. result->n_samples - 1
 * @return TARE_OK, TARE_E_USAGE (a number out of range), TARE_E_MEMORY
 */
TARE_API tare_status tare_eval_score_of(const tare_eval_result *result, const int64_t *samples,
                                        int64_t n, tare_eval_score *out, tare_error *err);

/**
 * Whether the agreement of an output is low: fewer than 90 % of at least 100 rows have the same
 * class, or there are edits for more than 10 % of at least 50 tokens, and the answers that differ
 * are ones that the reference clearly prefers (not ties of a network that is not trained); the
 * cosine is below 0.95 in a tenth of the samples; fewer than 80 % of at least 100 integers are the
 * same.
 * @param output 0 .. result->n_outputs - 1; another number is not low
 */
TARE_API bool tare_agreement_is_low(const tare_eval_result *result, int output);

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

/**
 * Writes a result to a file (HDF5, docs/formats.md), which appears whole or not at all. Equal
 * results give equal bytes.
 * @param note a text that the file keeps for the caller, e.g. of what the result depends on; NULL:
 *        none
 * @return TARE_OK, TARE_E_IO, TARE_E_UNSUPPORTED (a metric of the program, which no reader of the
 *         file has), TARE_E_MEMORY
 */
TARE_API tare_status tare_eval_result_save(const tare_eval_result *result, const char *note,
                                           const char *path, tare_error *err);

/**
 * Reads a result: all that tare_eval gave, to the bit, with the states of its metric.
 * @param result is filled on success; free its arrays with tare_eval_result_fini
 * @param note receives the text, "" if there is none; free it with tare_free. NULL: not wanted
 * @return TARE_OK, TARE_E_INPUT (missing, malformed, without a checksum that agrees, of another
 *         version, or of a metric that is not known), TARE_E_MEMORY
 */
TARE_API tare_status tare_eval_result_load(const char *path, tare_eval_result *result, char **note,
                                           tare_error *err);

/** Whether a file is that of a result: an HDF5 file with the format attribute of one. Also true for
 *  an HDF5 file that cannot be examined, so that tare_eval_result_load reports why. */
TARE_API bool tare_eval_is_result_file(const char *path);

/**
 * Whether two results are of as many samples, levels, profiles and outputs, with the same metric,
 * and with names of samples, where both have them, that are equal: as those of one evaluation are.
 * tare_metric_differences and tare_sqnr_differences need results that match.
 */
TARE_API bool tare_eval_results_match(const tare_eval_result *a, const tare_eval_result *b);

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
  void *reserved[4]; /* for later versions */
} tare_difference;

/**
 * Compares plans with one of them by a paired bootstrap over samples: in each of 1999 draws,
 * n_samples samples are drawn with replacement, the same for all plans, and the interval is the
 * middle 95 % of the differences; with few samples more than that, so that it is as wide as the t
 * interval of a mean. The random numbers have a constant seed, so equal states give equal
 * intervals. The metric is computed anew for the samples of each draw.
 * A draw in which one of the two has no value counts as beyond both ends of the interval. If there
 * are too many of them, the interval has no ends (NAN).
 * @param states those of n_plans plans, of the same metric and samples
 * @param base number of the plan with which the others are compared, 0 .. n_plans - 1
 * @param samples numbers of the n samples that count, each below tare_metric_states_count; NULL:
 *        all of them
 * @param out n_plans differences; that of the base is 0
 * @return TARE_OK, TARE_E_USAGE (a number out of range), TARE_E_MEMORY
 */
TARE_API tare_status tare_metric_differences(const tare_metric_states *const *states, int n_plans,
                                             int base, const int64_t *samples, int64_t n,
                                             tare_difference *out, tare_error *err);

/** A 95 % confidence interval. */
typedef struct tare_interval {
  double low, high;
} tare_interval;

/**
 * The same bootstrap for the SQNR in dB, as tare_eval_score.sqnr_db is defined. The difference of
 * two plans without errors is 0.
 * @param tallies n_plans arrays of n_samples times n_columns tallies, as in tare_eval_result.errors
 * @param n_samples number of samples, > 0
 * @param n_columns of each sample, > 0
 * @param base number of the plan with which the others are compared, 0 .. n_plans - 1
 * @param out n_plans differences; that of the base is 0
 * @param own n_plans intervals of the SQNR itself, INFINITY without errors; NULL: not wanted
 * @return TARE_OK, TARE_E_USAGE (a number out of range), TARE_E_MEMORY
 */
TARE_API tare_status tare_sqnr_differences(const tare_error_tally *const *tallies, int n_plans,
                                           int64_t n_samples, int n_columns, int base,
                                           tare_difference *out, tare_interval *own,
                                           tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
