/*
 * Statistics of parts of data: added up, decided and compared.
 *
 * Divide a calibration with the members `shard` and `n_shards` of tare_dataset_options and
 * `undecided` of tare_calibrate_options, add up the statistics with tare_stats_merge, and decide
 * with tare_stats_decide. The result has the same bytes as that of one calibration of all data,
 * for any number and order of the parts.
 */
#ifndef TARE_MERGE_H
#define TARE_MERGE_H

#include <tare/calib.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Room for the text of tare_data_hash. */
enum { TARE_DATA_HASH_BYTES = 33 };

/**
 * Reads all samples of a data set, from its first one on, and hashes what a run depends on:
 * tensors, labels, names and levels, in their order. Bad samples that the data set skips do not
 * count.
 * @param progress is called before each sample, with `user`; false ends it. NULL: none
 * @param out receives 32 hexadecimal digits
 * @return TARE_OK, TARE_E_CHECK (stopped by progress), or an error of tare_dataset_next
 */
TARE_API tare_status tare_data_hash(tare_dataset *dataset, tare_progress_fn progress, void *user,
                                    char out[TARE_DATA_HASH_BYTES], tare_error *err);

/** Differences between the settings of two statistics. */
typedef struct tare_stats_differences tare_stats_differences;

/** What tare_stats_merge did. */
typedef enum tare_merged {
  TARE_MERGED_ADDED = 0,
  TARE_MERGED_CONTAINED = 1, /* nothing: all samples were counted already */
} tare_merged;

/**
 * Adds statistics to others of the same model, profiles and settings. Samples count once: if all of
 * `more` are counted already, nothing is added; if only some are, that is an error, since they
 * cannot be taken out of sums. Samples with equal contents in different shards of the same data are
 * different samples.
 * @param stats receives the sum; unchanged after TARE_E_USAGE and TARE_E_INPUT for differences of
 *        settings and samples, otherwise only to be freed after a failure
 * @param more is not changed
 * @param count_equal samples with equal contents count each time, also outside shards of the same
 * data
 * @param merged receives what was done; NULL: not wanted
 * @return TARE_OK, TARE_E_USAGE (other settings, which the message names), TARE_E_INPUT (samples
 *         that are counted already, shards that do not fit together, statistics without a list of
 *         samples, or whose weights are decided already), TARE_E_MEMORY
 */
TARE_API tare_status tare_stats_merge(tare_stats *stats, const tare_stats *more, bool count_equal,
                                      tare_merged *merged, tare_error *err);

/**
 * Decides about the weights and channels of a model as tare_calibrate does unless it is told to
 * leave it: with the settings of the run, which are in the statistics.
 * @param model the model of the statistics, with the same inputs fixed (tare_model_set)
 * @param undecided statistics, which are not changed
 * @param options only threads, isa and the progress of rounding are used; NULL for the defaults
 * @param out receives the statistics; free them with tare_stats_free
 * @return TARE_OK, TARE_E_USAGE (another model), TARE_E_INPUT (statistics of another version),
 *         TARE_E_CHECK (stopped by progress), or an error of tare_plan_build
 */
TARE_API tare_status tare_stats_decide(const tare_model *model, const tare_stats *undecided,
                                       const tare_calibrate_options *options, tare_stats **out,
                                       tare_error *err);

/** Whether statistics keep sums by which weights and channels are still to be decided. */
TARE_API bool tare_stats_is_undecided(const tare_stats *stats);

/** Whether the pass over the data did not end: a checkpoint, or a sum with one. */
TARE_API bool tare_stats_is_partial(const tare_stats *stats);

/** Number of samples that were counted, each level of a gain range for itself; -1 if the file, of a
 *  version before 2.3, does not say. */
TARE_API int64_t tare_stats_n_counted(const tare_stats *stats);

/** Number of samples that both statistics have counted, by their contents. */
TARE_API int64_t tare_stats_n_common(const tare_stats *a, const tare_stats *b);

/** Number of shards that the data was divided into; 0 if it was not, or if all are counted. */
TARE_API int64_t tare_stats_n_shards(const tare_stats *stats);

/** Whether a shard is counted, of those that the data was divided into. */
TARE_API bool tare_stats_has_shard(const tare_stats *stats, int64_t shard);

/**
 * Compares how statistics were collected: model, fit, profiles, shards and settings.
 * @param out receives the differences; free them with tare_stats_differences_free
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_stats_compare(const tare_stats *a, const tare_stats *b,
                                        tare_stats_differences **out, tare_error *err);

/** Frees differences; clears the handle, which may hold NULL. */
TARE_API void tare_stats_differences_free(tare_stats_differences **differences);

/** Number of differences. */
TARE_API int tare_stats_differences_count(const tare_stats_differences *differences);

/**
 * One difference.
 * @param i 0 .. tare_stats_differences_count - 1
 * @param a,b receive the values, which belong to the differences; "" for the default
 * @return what differs: the name of an option, "model hash" or "profile N"; NULL if i is out of
 *         range
 */
TARE_API const char *tare_stats_difference(const tare_stats_differences *differences, int i,
                                           const char **a, const char **b);

#ifdef __cplusplus
}
#endif
#endif
