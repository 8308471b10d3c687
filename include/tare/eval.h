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

typedef struct tare_eval_options {
  const tare_plan *against;  /* reference; NULL: no numeric comparison */
  const char *metric;        /* "ctc-error", "accuracy" or NULL for none */
  const char *alphabet;      /* ctc-error: character of class 1, 2, ...; class 0 is blank */
  int output;                /* which output the metric reads, 0.. */
  tare_fit fit;              /* how samples are fitted before both plans run */
  tare_outside outside;
  const tare_pad_value *pad_values;
  int n_pad_values;
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

typedef struct tare_eval_result {
  tare_eval_score total;
  int n_profiles;
  tare_eval_score *profiles; /* per profile of the plan, by the sample's own shape */
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

#ifdef __cplusplus
}
#endif
#endif
