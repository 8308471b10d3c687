/* Samples of an evaluation by length, and how each plan does on those of a length. */
#ifndef TAREI_TOOLS_COMPARE_LENGTH_BUCKETS_H
#define TAREI_TOOLS_COMPARE_LENGTH_BUCKETS_H

#include <tare/tare.h>

typedef struct length_bucket {
  int64_t min, max;       /* of its samples */
  int profile;            /* whose samples these are; -1: those of a quantile */
  const int64_t *samples; /* their numbers */
  int64_t n;
} length_bucket;

typedef struct length_buckets {
  const char *symbol; /* whose lengths they are; of the evaluation */
  length_bucket *items;
  int n;          /* 0: too few samples, or all have one length */
  int64_t *order; /* numbers of all samples, bucket by bucket */
} length_buckets;

/* How a plan does in one bucket. Values that do not apply are NAN. */
typedef struct length_figure {
  tare_eval_score score;
  double seconds; /* of one run: the mean */
  tare_interval sqnr;
  tare_difference sqnr_to_first; /* in dB, to the strategy that ranks first */
  tare_difference to_fp32;       /* of the metric */
} length_figure;

/* By profile if there are several, or else by quantiles. `facts`: the result with the samples. */
void length_buckets_make(const tare_eval_result *facts, length_buckets *out);
void length_buckets_fini(length_buckets *buckets);

/* The figures of n plans in one bucket; the first plan is the one that others are compared with,
 * and fp32 the float one. `out`: n of them. */
tare_status length_bucket_compare(const length_bucket *bucket, const tare_eval_result *const *plans,
                                  int n, const tare_eval_result *fp32, length_figure *out,
                                  tare_error *err);

/* The figures that need no other plan. */
tare_status length_bucket_alone(const length_bucket *bucket, const tare_eval_result *plan,
                                length_figure *out, tare_error *err);

#endif
