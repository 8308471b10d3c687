/*
 * Comparison of the intermediate tensors of two plans during an evaluation: where a plan begins to
 * differ from its reference.
 *
 * Calls: tare_comparison_new, tare_eval with tare_eval_options.tensors, then
 * tare_comparison_tensor for each tensor.
 */
#ifndef TARE_COMPARISON_H
#define TARE_COMPARISON_H

#include <tare/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tare_comparison tare_comparison;

/** Bins of a histogram of errors. Bin 0 counts values without error, bin b > 0 absolute errors from
 *  2^(b - 41) to below 2^(b - 40); the first and last of these also count smaller and larger ones.
 */
enum { TARE_ERROR_BINS = 64 };

/** Errors of one tensor over the samples that counted. Quantized tensors are compared by the values
 *  that their bytes stand for. Values that do not apply are NAN. */
typedef struct tare_tensor_error {
  const char *name;   /* in the model; belongs to the comparison */
  const char *stored; /* in the plan, e.g. with the suffix "__u8" */
  tare_dtype dtype;   /* in memory: TARE_F32, or TARE_U8 for a quantized tensor */
  int layer;          /* layer of the plan that writes it */
  bool is_output;     /* of the plan */
  bool comparable;    /* false: its dims differ from those of the reference */
  int64_t values;     /* compared; 0: no run wrote it on both sides */
  int64_t constant;   /* of these, in neither the SQNR, nor rms and cosine, as no layer
                         decides them (tare_eval_score) */
  int64_t undefined;  /* left out, as they are NaN or infinite in the reference */
  int64_t exceeding;  /* values out of the bounds of tare_comparison_set_bounds */
  int64_t nans;       /* values of the plan that are not a number */
  double max_abs;     /* INFINITY if one side alone is not finite */
  double p50_abs, p90_abs, p99_abs; /* 50, 90 and 99 % of the absolute errors are at most these: the
                           true percentiles or up to 1/32 more. Counted, not sampled */
  double mean_abs;                  /* mean of the absolute errors */
  double rms;                       /* square root of the mean squared error */
  double sqnr_db;                   /* 10 log10(sum ref^2 / sum (ref - got)^2) over all values that
                                       count and all samples; INFINITY if equal */
  double cosine;                    /* over all values */
  double input_sqnr_db;  /* the lowest lowest_sqnr_db of the tensors that the layer reads, through
                            tensors that are not compared; INFINITY if they are equal or constant */
  double lowest_sqnr_db; /* that of the level where it is lowest; sqnr_db without a gain range */
  const double
      *level_sqnr_db; /* at each level of tare_eval_result.levels; NULL without a gain range */
  const int64_t *histogram; /* TARE_ERROR_BINS counts, NULL without tare_comparison_set_histogram */
  void *reserved[4];        /* for later versions */
} tare_tensor_error;

/**
 * Finds the tensors that both plans have under the same name of the model, in the order in which
 * `plan` computes them. Tensors inside the bodies of If, Loop and Scan are not compared.
 * @param plan,against must outlive the comparison; for a reference with all tensors, build it with
 *        tare_build_options.observable
 * @param outputs_only leave out all tensors but the outputs, which takes less time and memory; no
 *        `input_sqnr_db` is known then (INFINITY)
 * @param out receives the comparison; free it with tare_comparison_free
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_comparison_new(const tare_plan *plan, const tare_plan *against,
                                         bool outputs_only, tare_comparison **out, tare_error *err);

/** Number of tensors. */
TARE_API int tare_comparison_count(const tare_comparison *comparison);

/** The errors of a tensor by number, 0 .. tare_comparison_count - 1. */
TARE_API tare_tensor_error tare_comparison_tensor(const tare_comparison *comparison, int i);

/** Counts the values of a tensor whose absolute error exceeds atol + rtol * |reference|; both
 *  bounds are 0 or more. */
TARE_API void tare_comparison_set_bounds(tare_comparison *comparison, int i, double atol,
                                         double rtol);

/** Counts the errors of a tensor in a histogram. */
TARE_API void tare_comparison_set_histogram(tare_comparison *comparison, int i);

/** Number of tensors of the plan that are left out because they are in bodies: these run any number
 *  of times in a run, or not at all. */
TARE_API int tare_comparison_n_in_bodies(const tare_comparison *comparison);

/**
 * Frees a comparison.
 * @param comparison the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_comparison_free(tare_comparison **comparison);

#ifdef __cplusplus
}
#endif
#endif
