/* Adds up statistics of parts of data, each sample once. */
#include <inttypes.h>
#include <stdlib.h>
#include <tare/merge.h>

#include "base/mem.h"
#include "calib/parts/difference.h"
#include "calib/parts/shards.h"

static bool merge_is_decided(const tare_stats *const stats) {
  bool any = stats->roundings.n || stats->smoothings.n;
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    any = any || stats->numbers[k].n;
  }
  return any;
}

static tare_status check_part(const tare_stats *const stats, tare_error *const err) {
  if (!stats->has_ledger) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: statistics of a version before 2.3 do not say which samples they have "
                      "counted: calibrate again",
                      stats->model_name);
  }
  return merge_is_decided(stats)
             ? tarei_fail(err, TARE_E_INPUT,
                          "weights were decided by a part of the data: calibrate each part with "
                          "--shard I/N, or with --weight-rounding nearest and without "
                          "--weight-clipping, --bias-correction and --smoothing")
             : TARE_OK;
}

static tare_status check_shards(const tarei_shards *const a, const tarei_shards *const b,
                                tare_error *const err) {
  if (tarei_shards_belong(a, b)) {
    return TARE_OK;
  }
  if (a->count && b->count) {
    return tarei_fail(err, TARE_E_INPUT,
                      "shards of different divisions of data (%" PRId64 " and %" PRId64
                      " shards): merge those of each before",
                      a->count, b->count);
  }
  return tarei_fail(err, TARE_E_INPUT,
                    "a shard of %" PRId64 " and statistics that are none: merge the shards before",
                    a->count + b->count);
}

static tare_status fail_common(const tare_stats *const more, const size_t n_common,
                               const int64_t shard, tare_error *const err) {
  if (shard >= 0) {
    return tarei_fail(err, TARE_E_INPUT,
                      "shard %" PRId64 " of %" PRId64 " is counted already, with %s of its samples",
                      shard, more->shards.count, n_common ? "only some" : "none");
  }
  return tarei_fail(err, TARE_E_INPUT,
                    "%zu of %zu samples are counted already: calibrate the others with "
                    "--skip-counted, or count them twice with --count-equal",
                    n_common, more->ledger.n);
}

/* Shards of one division have no samples in common, whatever their contents. */
static tare_status find_common(const tare_stats *const stats, const tare_stats *const more,
                               const bool count_equal, tare_merged *const merged,
                               tare_error *const err) {
  const bool belong = tarei_shards_belong(&stats->shards, &more->shards);
  const int64_t shard = belong ? tarei_shards_common(&stats->shards, &more->shards) : -1;
  const size_t n = tarei_ledger_common(&stats->ledger, &more->ledger);
  const bool separate = belong && shard < 0 && more->shards.count;
  *merged = TARE_MERGED_ADDED;
  if (!separate && n == more->ledger.n && (shard >= 0 || (n && !count_equal))) {
    *merged = TARE_MERGED_CONTAINED;
    return TARE_OK;
  }
  TAREI_TRY(check_shards(&stats->shards, &more->shards, err));
  return shard < 0 && (separate || count_equal || n == 0) ? TARE_OK
                                                          : fail_common(more, n, shard, err);
}

static tare_status add_part(tare_stats *const stats, const tare_stats *const more,
                            tare_error *const err) {
  TAREI_TRY(tarei_stats_add(stats, more, err));
  TAREI_TRY(stats->sums ? tarei_sums_add(stats->sums, more->sums, err) : TARE_OK);
  TAREI_TRY(tarei_ledger_join(&stats->ledger, &more->ledger, err));
  stats->partial = stats->partial || more->partial;
  return tarei_shards_join(&stats->shards, &more->shards, err);
}

tare_status tare_stats_merge(tare_stats *const stats, const tare_stats *const more,
                             const bool count_equal, tare_merged *const merged,
                             tare_error *const err) {
  tare_merged ignored;
  tare_merged *const out = merged ? merged : &ignored;
  TAREI_TRY(check_part(stats, err));
  TAREI_TRY(check_part(more, err));
  TAREI_TRY(tarei_stats_check_same(stats, more, "the file", false /* with_shards */, err));
  if ((stats->sums != NULL) != (more->sums != NULL)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "only one of the statistics has the sums by which weights are decided");
  }
  TAREI_TRY(find_common(stats, more, count_equal, out, err));
  return *out == TARE_MERGED_ADDED ? add_part(stats, more, err) : TARE_OK;
}

bool tare_stats_is_undecided(const tare_stats *const stats) {
  return stats->sums != NULL;
}

bool tare_stats_is_partial(const tare_stats *const stats) {
  return stats->partial;
}

int64_t tare_stats_n_counted(const tare_stats *const stats) {
  return stats->has_ledger ? (int64_t)stats->ledger.n : -1;
}

int64_t tare_stats_n_common(const tare_stats *const a, const tare_stats *const b) {
  return (int64_t)tarei_ledger_common(&a->ledger, &b->ledger);
}

int64_t tare_stats_n_shards(const tare_stats *const stats) {
  return stats->shards.count;
}

bool tare_stats_has_shard(const tare_stats *const stats, const int64_t shard) {
  return tarei_shards_has(&stats->shards, shard);
}
