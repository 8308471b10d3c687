#include "calib/samples/weighting.h"

#include "calib/samples/sample_length.h"

static const char *const weights[TARE_WEIGHT_COUNT] = {
    [TARE_WEIGHT_ELEMENT] = "element",
    [TARE_WEIGHT_SAMPLE] = "sample",
    [TARE_WEIGHT_LENGTH] = "length",
};

const char *tare_weight_name(const tare_weight weight) {
  return (unsigned)weight < TARE_WEIGHT_COUNT ? weights[weight] : NULL;
}

int64_t tarei_weight_shares(const tare_weight weight, const tare_tensor *const tensors,
                            const int n) {
  const int64_t length = weight == TARE_WEIGHT_LENGTH ? tarei_sample_length(tensors, n) : 0;
  return weight == TARE_WEIGHT_SAMPLE ? TAREI_SAMPLE_SHARES
                                      : TAREI_LENGTH_SHARES * (length > 1 ? length : 1);
}

/* Counts in a fixed order: a share ends where the sum of all counts so far, scaled and rounded up,
 * does. So all shares have the right sum, and no count becomes 0 unless there are more elements
 * than shares. */
typedef struct weighting {
  uint64_t total, shares; /* of all counts */
  uint64_t counted, given;
} weighting;

static int64_t weighting_next(weighting *const w, const int64_t count) {
  if (count == 0) {
    return 0;
  }
  w->counted += (uint64_t)count;
  const uint64_t end =
      w->total <= UINT64_MAX / (w->shares + 1)
          ? (w->counted * w->shares + w->total - 1) / w->total
          : (uint64_t)(((unsigned __int128)w->counted * w->shares + w->total - 1) / w->total);
  const int64_t share = (int64_t)(end - w->given);
  w->given = end;
  return share;
}

static bool weigh_counts(tarei_counts *const c, weighting *const w) {
  tarei_counts out = {0};
  bool ok = true;
  for (int p = 0; p < TAREI_COUNTS_PAGES && ok; p++) {
    int64_t page[TAREI_COUNTS_PAGE];
    tarei_counts_get(c, p, page);
    for (int i = 0; c->pages[p] && i < TAREI_COUNTS_PAGE; i++) {
      page[i] = weighting_next(w, page[i]);
    }
    ok = !c->pages[p] || tarei_counts_add(&out, p, page);
  }
  tarei_counts_clear(c);
  *c = out;
  return ok;
}

/* As many rows for each element as before, and at least one. */
static void weigh_rows(tarei_accumulator *const a, const int64_t n_elements, const int64_t shares) {
  int64_t n = 0;
  for (int i = 0; i < TAREI_ROW_BINS; i++) {
    n += a->rows[i];
  }
  const unsigned __int128 scaled = (unsigned __int128)n * (uint64_t)shares;
  const uint64_t of_rows = (uint64_t)(scaled / (uint64_t)n_elements);
  weighting w = {.total = (uint64_t)n, .shares = of_rows ? of_rows : 1};
  for (int i = 0; i < TAREI_ROW_BINS; i++) {
    a->rows[i] = weighting_next(&w, a->rows[i]);
  }
}

/* Finite values come first: then they keep a share whatever there is besides. */
bool tarei_accumulator_weigh(tarei_accumulator *const a, const int64_t shares) {
  const int64_t n = a->count;
  if (n == 0) {
    return true;
  }
  weighting w = {.total = (uint64_t)n, .shares = (uint64_t)shares};
  a->histogram.zeros = weighting_next(&w, a->histogram.zeros);
  const bool ok =
      weigh_counts(&a->histogram.positive, &w) && weigh_counts(&a->histogram.negative, &w);
  a->n_nan = weighting_next(&w, a->n_nan);
  a->n_inf = weighting_next(&w, a->n_inf);
  a->count = shares;
  weigh_rows(a, n, shares);
  return ok;
}

tare_status tarei_stats_weigh(tare_stats *const sum, tare_stats *const sample, const int64_t shares,
                              tare_error *const err) {
  for (int t = 0; t < sum->n_tensors; t++) {
    for (int p = 0; p < sum->n_profiles; p++) {
      tarei_accumulator *const a = &sample->tensors[t].buckets[p];
      if (a->n_samples && !(tarei_accumulator_weigh(a, shares) &&
                            tarei_accumulator_merge(&sum->tensors[t].buckets[p], a))) {
        return tarei_fail_memory(err, "a histogram", TAREI_HISTOGRAM_BYTES);
      }
      if (a->n_samples) {
        tarei_accumulator_fini(a);
      }
    }
  }
  return TARE_OK;
}
