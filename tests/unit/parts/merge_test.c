/* Statistics of parts: what may be added, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <tare/merge.h>
#include <unistd.h>

#include "calib/parts/shards.h"
#include "unit/calib/support/sample_stats.h"

static char path[] = "tare-merge-XXXXXX", other[] = "tare-merge-XXXXXX";

/* Of samples that letters name, without decisions about weights. */
static tare_stats *part(const uint64_t seed, const char *const letters) {
  tare_stats *const stats = sample_stats(seed);
  tarei_roundings_fini(&stats->roundings);
  tarei_smoothings_fini(&stats->smoothings);
  tarei_numbers_fini_all(stats->numbers);
  stats->has_ledger = true;
  for (const char *c = letters; *c; c++) {
    assert_int_equal(
        tarei_ledger_add(&stats->ledger, (tarei_sample_hash){.low = (uint64_t)*c}, NULL), TARE_OK);
  }
  return stats;
}

static tare_stats *shard(const uint64_t seed, const char *const letters, const int64_t number,
                         const int64_t count) {
  tare_stats *const stats = part(seed, letters);
  assert_int_equal(tarei_stats_set_shard(stats, number, count, 5 /* data */, NULL), TARE_OK);
  return stats;
}

static void merge(tare_stats *const stats, tare_stats *more, const tare_merged expected) {
  tare_error err = {0};
  tare_merged merged;
  if (tare_stats_merge(stats, more, false, &merged, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(merged, expected);
  tare_stats_free(&more);
}

static void assert_same_file(const tare_stats *const a, const tare_stats *const b) {
  char command[128];
  assert_int_equal(tare_stats_save(a, path, NULL), TARE_OK);
  assert_int_equal(tare_stats_save(b, other, NULL), TARE_OK);
  snprintf(command, sizeof command, "cmp %s %s", path, other);
  assert_int_equal(system(command), 0);
}

static void any_order_gives_the_same(void **const state) {
  (void)state;
  tare_stats *forth = part(1, "ab"), *back = part(3, "e");
  merge(forth, part(2, "cd"), TARE_MERGED_ADDED);
  merge(forth, part(3, "e"), TARE_MERGED_ADDED);
  merge(back, part(2, "cd"), TARE_MERGED_ADDED);
  merge(back, part(1, "ab"), TARE_MERGED_ADDED);
  assert_int_equal(tare_stats_n_counted(forth), 5);
  assert_int_equal(tare_stats_profile_samples(forth, 0), 3);
  assert_same_file(forth, back);
  tare_stats_free(&forth);
  tare_stats_free(&back);
}

static void shards_in_any_tree_give_all_data(void **const state) {
  (void)state;
  tare_stats *all = part(1, "aa"), *chain = shard(1, "aa", 0, 3), *tree = shard(3, "a", 2, 3);
  merge(all, part(2, "b"), TARE_MERGED_ADDED);
  tare_stats *const last = part(3, "a");
  assert_int_equal(tare_stats_merge(all, last, true /* count_equal */, NULL, NULL), TARE_OK);
  merge(chain, shard(2, "b", 1, 3), TARE_MERGED_ADDED);
  assert_int_equal(tare_stats_n_shards(chain), 3);
  assert_true(tare_stats_has_shard(chain, 1));
  assert_false(tare_stats_has_shard(chain, 2));
  merge(chain, shard(2, "b", 1, 3), TARE_MERGED_CONTAINED);
  merge(tree, chain, TARE_MERGED_ADDED);
  assert_int_equal(tare_stats_n_shards(tree), 0);
  assert_same_file(all, tree);
  tare_stats *one = shard(1, "aa", 0, 1);
  assert_int_equal(tare_stats_n_shards(one), 0);
  tare_stats *stats[] = {all, tree, last, one};
  for (int i = 0; i < 4; i++) {
    tare_stats_free(&stats[i]);
  }
}

static void assert_refused(tare_stats *a, tare_stats *b, const tare_status status,
                           const char *const says) {
  tare_error err = {0};
  tare_stats *const before = part(1, "ab");
  assert_int_equal(tare_stats_merge(a, b, false, NULL, &err), status);
  if (!strstr(err.message, says)) {
    fail_msg("\"%s\" does not say \"%s\"", err.message, says);
  }
  assert_int_equal(tare_stats_profile_samples(a, 0), tare_stats_profile_samples(before, 0));
  tare_stats *stats[] = {a, b, before};
  for (int i = 0; i < 3; i++) {
    tare_stats_free(&stats[i]);
  }
}

static tare_stats *with(tare_stats *const stats, const char *const name, const char *const value) {
  assert_int_equal(tarei_settings_add(&stats->settings, name, value, NULL), TARE_OK);
  return stats;
}

static void refuses_what_does_not_add_up(void **const state) {
  (void)state;
  assert_refused(part(1, "abc"), part(2, "bcd"), TARE_E_INPUT, "2 of 3 samples are counted");
  assert_refused(shard(1, "ab", 0, 2), shard(2, "bc", 0, 2), TARE_E_INPUT,
                 "shard 0 of 2 is counted already, with only some of its samples");
  assert_refused(shard(1, "ab", 0, 2), shard(2, "cd", 1, 3), TARE_E_INPUT,
                 "different divisions of data (2 and 3 shards)");
  assert_refused(shard(1, "ab", 0, 2), part(2, "cd"), TARE_E_INPUT, "merge the shards before");
  tare_stats *const old = part(2, "");
  old->has_ledger = false;
  assert_refused(part(1, "ab"), old, TARE_E_INPUT, "before 2.3");
  tare_stats *const decided = sample_stats(2);
  decided->has_ledger = true;
  assert_refused(part(1, "ab"), decided, TARE_E_INPUT, "decided by a part of the data");
  tare_stats *const counted = part(2, "c");
  counted->counts_padding = true;
  counted->fit = TARE_FIT_PAD;
  assert_refused(part(1, "ab"), counted, TARE_E_USAGE,
                 "fit is pad, expected native; pad-stats is count, expected exclude");
  assert_refused(with(with(part(1, "ab"), "rate", "8000"), "outside", "nearest"),
                 with(with(part(2, "c"), "rate", "16000"), "features", "whisper"), TARE_E_USAGE,
                 "features is whisper, expected default; outside is default, expected nearest; "
                 "rate is 16000, expected 8000");
}

static void a_sum_with_a_checkpoint_is_partial(void **const state) {
  (void)state;
  tare_stats *sum = part(1, "ab"), *const checkpoint = part(2, "c");
  checkpoint->partial = true;
  merge(sum, checkpoint, TARE_MERGED_ADDED);
  assert_true(tare_stats_is_partial(sum));
  merge(sum, part(3, "d"), TARE_MERGED_ADDED);
  assert_true(tare_stats_is_partial(sum));
  tare_stats_free(&sum);
}

static void files_keep_parts(void **const state) {
  (void)state;
  tare_stats *stats = with(with(shard(1, "bab", 4, 9), "b", "2"), "a", "1"), *read = NULL;
  stats->partial = true;
  tare_error err = {0};
  assert_int_equal(tare_stats_save(stats, path, &err), TARE_OK);
  assert_int_equal(tare_stats_load(path, &read, &err), TARE_E_INPUT); /* unsorted */
  assert_non_null(strstr(err.message, "/ledger must be sorted"));
  tarei_stats_sort(stats);
  assert_int_equal(tare_stats_save(stats, path, &err), TARE_OK);
  assert_int_equal(tare_stats_load(path, &read, &err), TARE_OK);
  assert_true(tare_stats_is_partial(read));
  assert_false(tare_stats_is_undecided(read));
  assert_int_equal(tare_stats_n_counted(read), 3);
  assert_int_equal(tare_stats_n_common(read, stats), 3);
  assert_int_equal(tare_stats_n_shards(read), 9);
  assert_true(tare_stats_has_shard(read, 4));
  tare_stats_differences *d = NULL;
  const char *a, *b;
  assert_int_equal(tare_stats_compare(stats, read, &d, NULL), TARE_OK);
  assert_int_equal(tare_stats_differences_count(d), 0);
  tare_stats_differences_free(&d);
  read->settings.items[0].value[0] = '7';
  assert_int_equal(tare_stats_compare(stats, read, &d, NULL), TARE_OK);
  assert_int_equal(tare_stats_differences_count(d), 1);
  assert_string_equal(tare_stats_difference(d, 0, &a, &b), "a");
  assert_string_equal(a, "1");
  assert_string_equal(b, "7");
  assert_null(tare_stats_difference(d, 1, &a, &b));
  tare_stats_differences_free(&d);
  tare_stats_free(&stats);
  tare_stats_free(&read);
}

static int make_paths(void **const state) {
  (void)state;
  const int a = mkstemp(path), b = mkstemp(other);
  return a < 0 || b < 0 || close(a) || close(b);
}

static int remove_paths(void **const state) {
  (void)state;
  return unlink(path) || unlink(other);
}

int merge_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_order_gives_the_same),
      cmocka_unit_test(shards_in_any_tree_give_all_data),
      cmocka_unit_test(refuses_what_does_not_add_up),
      cmocka_unit_test(a_sum_with_a_checkpoint_is_partial),
      cmocka_unit_test(files_keep_parts),
  };
  return cmocka_run_group_tests(tests, make_paths, remove_paths);
}
