#include "tools/compare/length_buckets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

enum {
  FEW = 3,        /* buckets */
  MANY = 4,       /* buckets of MANY_FROM samples and more */
  FEW_FROM = 6,   /* samples: fewer in a bucket than two say nothing */
  MANY_FROM = 40, /* samples */
};

/* --- which ------------------------------------------------------------------------------------ */

typedef struct length_place {
  int profile; /* 0 where there is only one */
  int64_t length, sample;
} length_place;

static int length_place_ascending(const void *const a, const void *const b) {
  const length_place *const x = a, *const y = b;
  return x->profile != y->profile ? (x->profile > y->profile) - (x->profile < y->profile)
         : x->length != y->length ? (x->length > y->length) - (x->length < y->length)
                                  : (x->sample > y->sample) - (x->sample < y->sample);
}

static void length_buckets_add(length_buckets *const b, const length_place *const places,
                               const int64_t from, const int64_t to, const bool by_profile) {
  b->items = cli_realloc(b->items, (size_t)b->n + 1, sizeof *b->items);
  b->items[b->n++] = (length_bucket){.min = places[from].length,
                                     .max = places[to - 1].length,
                                     .profile = by_profile ? places[from].profile : -1,
                                     .samples = b->order + from,
                                     .n = to - from};
}

static void cut_by_profile(length_buckets *const b, const length_place *const places,
                           const int64_t n) {
  for (int64_t from = 0, to = 1; from < n; from = to++) {
    while (to < n && places[to].profile == places[from].profile) {
      to++;
    }
    length_buckets_add(b, places, from, to, true);
  }
}

/* Samples of one length stay together. */
static void cut_by_quantile(length_buckets *const b, const length_place *const places,
                            const int64_t n) {
  const int wanted = n >= MANY_FROM ? MANY : FEW;
  int64_t from = 0;
  for (int k = 1; k <= wanted; k++) {
    int64_t to = n * k / wanted;
    while (to < n && to > 0 && places[to].length == places[to - 1].length) {
      to++;
    }
    if (to > from) {
      length_buckets_add(b, places, from, to, false);
      from = to;
    }
  }
}

void length_buckets_make(const tare_eval_result *const facts, length_buckets *const out) {
  const int64_t n = facts->n_samples;
  const bool by_profile = facts->n_profiles > 1;
  *out = (length_buckets){.symbol = facts->length_symbol};
  if (!by_profile && n < FEW_FROM) {
    return;
  }
  length_place *const places = cli_realloc(NULL, (size_t)n, sizeof *places);
  out->order = cli_realloc(NULL, (size_t)n, sizeof *out->order);
  for (int64_t i = 0; i < n; i++) {
    places[i] = (length_place){.profile = by_profile ? facts->samples[i].profile : 0,
                               .length = facts->samples[i].length,
                               .sample = i};
  }
  qsort(places, (size_t)n, sizeof *places, length_place_ascending);
  for (int64_t i = 0; i < n; i++) {
    out->order[i] = places[i].sample;
  }
  (by_profile ? cut_by_profile : cut_by_quantile)(out, places, n);
  if (out->n < 2) {
    out->n = 0; /* one bucket is the total */
  }
  free(places);
}

void length_buckets_fini(length_buckets *const buckets) {
  free(buckets->items);
  free(buckets->order);
  *buckets = (length_buckets){0};
}

/* --- figures ---------------------------------------------------------------------------------- */

tare_status length_bucket_alone(const length_bucket *const bucket,
                                const tare_eval_result *const plan, length_figure *const out,
                                tare_error *const err) {
  const tare_difference none = {.value = NAN, .low = NAN, .high = NAN};
  *out = (length_figure){.sqnr = {NAN, NAN}, .sqnr_to_first = none, .to_fp32 = none};
  for (int64_t i = 0; i < bucket->n; i++) {
    out->seconds += plan->sample_seconds[bucket->samples[i]] / (double)bucket->n;
  }
  return tare_eval_score_of(plan, bucket->samples, bucket->n, &out->score, err);
}

static void gather_errors(const length_bucket *const b, const tare_eval_result *const plan,
                          tare_error_tally *const out) {
  const int64_t n = plan->n_columns;
  for (int64_t i = 0; i < b->n; i++) {
    memcpy(out + i * n, plan->errors + b->samples[i] * n, (size_t)n * sizeof *out);
  }
}

static tare_status compare_errors(const length_bucket *const b,
                                  const tare_eval_result *const *const plans, const int n,
                                  length_figure *const out, tare_error *const err) {
  const size_t size = (size_t)b->n * (size_t)plans[0]->n_columns;
  tare_error_tally *const all = cli_realloc(NULL, size * (size_t)n, sizeof *all);
  const tare_error_tally **const rows = cli_realloc(NULL, (size_t)n, sizeof *rows);
  tare_difference *const found = cli_realloc(NULL, (size_t)n, sizeof *found);
  tare_interval *const own = cli_realloc(NULL, (size_t)n, sizeof *own);
  for (int p = 0; p < n; p++) {
    gather_errors(b, plans[p], all + size * (size_t)p);
    rows[p] = all + size * (size_t)p;
  }
  const tare_status status =
      tare_sqnr_differences(rows, n, b->n, plans[0]->n_columns, 0, found, own, err);
  for (int p = 0; status == TARE_OK && p < n; p++) {
    out[p].sqnr = own[p];
    out[p].sqnr_to_first = found[p];
  }
  free(all);
  free(rows);
  free(found);
  free(own);
  return status;
}

static tare_status compare_metrics(const length_bucket *const b,
                                   const tare_eval_result *const *const plans, const int n,
                                   const tare_eval_result *const fp32, length_figure *const out,
                                   tare_error *const err) {
  const size_t all_plans = (size_t)n + 1;
  const tare_metric_states **const states = cli_realloc(NULL, all_plans, sizeof *states);
  tare_difference *const found = cli_realloc(NULL, all_plans, sizeof *found);
  for (int p = 0; p < n; p++) {
    states[p] = plans[p]->states;
  }
  states[n] = fp32->states;
  const tare_status status =
      tare_metric_differences(states, n + 1, n, b->samples, b->n, found, err);
  for (int p = 0; status == TARE_OK && p < n; p++) {
    out[p].to_fp32 = found[p];
  }
  free(states);
  free(found);
  return status;
}

tare_status length_bucket_compare(const length_bucket *const bucket,
                                  const tare_eval_result *const *const plans, const int n,
                                  const tare_eval_result *const fp32, length_figure *const out,
                                  tare_error *const err) {
  for (int p = 0; p < n; p++) {
    CLI_TRY(length_bucket_alone(bucket, plans[p], &out[p], err));
  }
  if (fp32->n_levels == 0 && plans[0]->n_errors > 0) { /* sums over levels say little of any */
    CLI_TRY(compare_errors(bucket, plans, n, out, err));
  }
  return fp32->states ? compare_metrics(bucket, plans, n, fp32, out, err) : TARE_OK;
}
