/*
 * Calibration: one pass of the float model over the data gives statistics of every tensor, from
 * which every method's table follows without another pass.
 */
#ifndef TARE_CALIB_H
#define TARE_CALIB_H

#include <stdbool.h>
#include <tare/dataset.h>
#include <tare/model.h>
#include <tare/profile.h>
#include <tare/streaming.h>
#include <tare/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a sample's length is fitted to a profile before the model sees it. */
typedef enum tare_fit {
  TARE_FIT_NATIVE = 0,   /* as it is */
  TARE_FIT_PAD = 1,      /* pad to the profile's max */
  TARE_FIT_TRUNCATE = 2, /* cut to the profile's opt where longer, else as it is */
  TARE_FIT_OPT = 3,      /* pad or cut to the profile's opt, as TensorRT's calibration has it */
  TARE_FIT_COUNT
} tare_fit;

/** Name of a fit ("native", "pad", "truncate", "opt"); and back: TARE_E_USAGE for others. */
TARE_API const char *tare_fit_name(tare_fit fit);
TARE_API tare_status tare_fit_parse(const char *name, tare_fit *out, tare_error *err);

/** What happens to a sample outside every profile. */
typedef enum tare_outside {
  TARE_OUTSIDE_ERROR = 0,   /* it ends the run */
  TARE_OUTSIDE_NEAREST = 1, /* it goes to the nearest profile; longer ones are cut to its max,
                               shorter ones padded to its min */
} tare_outside;

/** Value that fills the padded part of one input; inputs not named are padded with 0. */
typedef struct tare_pad_value {
  const char *input;
  double value;
} tare_pad_value;

/** What fitting did to samples, so that callers can say so. Samples that are cut into the chunks of
 *  a stream do not count. */
typedef struct tare_fit_counts {
  int64_t samples;
  int64_t cut, padded;   /* samples that lost a part, and that got one */
  int64_t elements, lost; /* of the inputs of the samples that were cut, and what they lost */
} tare_fit_counts;

/**
 * An input that holds how long an axis of another input is ("input_lengths"), an element for each
 * sample of a batch. Whole numbers (int32, int64) follow where a fit cuts the axis: a length beyond
 * it becomes the length that is left. Padding leaves them as they are, for that tells a model where
 * the padding begins. Floats (float32, float64) are shares of the axis, 0 to 1, and follow both
 * ways.
 */
typedef struct tare_length_input {
  const char *input;  /* the one with the lengths */
  const char *symbol; /* of the axis */
} tare_length_input;

/**
 * Reads a declaration, e.g. "input_lengths=ids:1".
 * @param text INPUT=AXIS, where AXIS is a symbol of the inputs, an input (its last axis) or
 * "input:axis", which counts the batch
 * @param inputs ports of the model or plan
 * @param out receives names that belong to `inputs`
 * @return TARE_OK, TARE_E_USAGE (no such input or axis, an axis of fixed size, an element type that
 * holds no lengths)
 */
TARE_API tare_status tare_length_input_parse(const char *text, const tare_port *inputs,
                                             int n_inputs, tare_length_input *out, tare_error *err);

/**
 * Finds the inputs of whole numbers, one for each sample of a batch, that are in every sample how
 * long an axis of another input is. A length that is the same in all samples proves nothing and is
 * not found. Of axes that are always equally long, the first symbol is taken.
 * @param datasets n_datasets of them, read from the start as far as it takes, then rewound; not
 * read at all where no input is of that form
 * @param inputs ports of the data sets
 * @param out room for n_inputs; receives names that belong to `inputs`
 * @param n_out receives how many were found
 * @return TARE_OK, TARE_E_MEMORY, and what tare_dataset_next and tare_dataset_rewind return
 */
TARE_API tare_status tare_length_inputs_find(tare_dataset *const *datasets, int n_datasets,
                                             const tare_port *inputs, int n_inputs,
                                             tare_length_input *out, int *n_out, tare_error *err);

/** Progress of long work: done of total samples. Return false to stop with TARE_E_CHECK. */
typedef bool (*tare_progress_fn)(void *user, int64_t done, int64_t total);

/** Where the time of a calibration went: seconds, summed over the threads that took samples. */
typedef struct tare_calibrate_times {
  double reading;   /* waiting for data and fitting samples to profiles */
  double running;   /* the model, without what follows */
  double observing; /* counting its tensors */
} tare_calibrate_times;

typedef struct tare_calibrate_options {
  tare_fit fit;
  tare_outside outside;
  bool count_padding;    /* statistics take the padded part in, as a fixed-shape calibrator does;
                            else only the valid region of each tensor */
  bool all_tensors;      /* every float tensor of the model, for engines that fuse in other ways;
                            else those that an int8 layer reads, the inputs and the outputs */
  const tare_streaming *streaming; /* of the model's ports: states are carried and samples cut; the data
                                      set supplies tare_streaming_ports. NULL: samples are runs */
  int threads;           /* 0: all cores */
  const tare_pad_value *pad_values;
  int n_pad_values;
  const tare_length_input *length_inputs; /* none with streaming */
  int n_length_inputs;
  const char *isa;       /* NULL for all features */
  tare_progress_fn progress; /* NULL for none; called on the caller's thread */
  void *progress_user;
  tare_calibrate_times *times; /* added to; NULL for none */
  tare_fit_counts *fitted;     /* filled; NULL for none */
} tare_calibrate_options;

/** Statistics per tensor and profile bucket. */
typedef struct tare_stats tare_stats;

/** Statistics of one tensor in one bucket. */
typedef struct tare_stats_entry {
  const char *tensor;   /* owned by the statistics */
  int64_t n_samples, count, n_nan, n_inf;
  double min, max;      /* over finite values; NAN when there are none */
  double quiet_rows;    /* share of rows (the last axis) whose amax is below 1/128 of the tensor's */
} tare_stats_entry;

TARE_API void tare_calibrate_options_init(tare_calibrate_options *options);

/**
 * Whether a model has a use for a calibration.
 * @return TARE_OK; TARE_E_USAGE for one that is quantized already, saying what to do with it
 */
TARE_API tare_status tare_calibrate_check(const tare_model *model, tare_error *err);

/**
 * Runs the model over the data once and gathers statistics, where tare_calibrate_check allows it.
 * @param dataset read from its current position to the end
 * @param profiles buckets; at least one
 * @param out receives the statistics; free them with tare_stats_free
 * @return TARE_OK, what the data set and the engine return, TARE_E_INPUT when no sample was usable
 */
TARE_API tare_status tare_calibrate(const tare_model *model, tare_dataset *dataset,
                                    const tare_profiles *profiles,
                                    const tare_calibrate_options *options, tare_stats **out,
                                    tare_error *err);

/** Frees statistics and clears the handle; NULL is fine. */
TARE_API void tare_stats_free(tare_stats **stats);

/** Writes or reads a statistics file (HDF5, docs/formats.md). The same statistics give the same
 *  bytes. */
TARE_API tare_status tare_stats_save(const tare_stats *stats, const char *path, tare_error *err);
TARE_API tare_status tare_stats_load(const char *path, tare_stats **out, tare_error *err);
/** True when the file is an HDF5 file with the mark of a statistics file, or one that cannot be
 *  looked into for want of memory or after an I/O error: tare_stats_load then says so. */
TARE_API bool tare_stats_is_stats_file(const char *path);

/** Hash and name of the model that was run; the name belongs to the statistics. */
TARE_API uint64_t tare_stats_model_hash(const tare_stats *stats);
TARE_API const char *tare_stats_model_name(const tare_stats *stats);
/** Number of profiles, 1 or more: the buckets that samples were counted in. */
TARE_API int tare_stats_n_profiles(const tare_stats *stats);
/** Text of profile i as tare_profiles_add takes it, owned by the statistics; NULL out of range. */
TARE_API const char *tare_stats_profile(const tare_stats *stats, int i);
/** Samples that the bucket of a profile counted; it must be in range (asserted). */
TARE_API int64_t tare_stats_profile_samples(const tare_stats *stats, int profile);
/** How samples were fitted: a name of tare_fit, "native", "opt", ... */
TARE_API const char *tare_stats_fit(const tare_stats *stats);
/** Whether padding was counted (tare_calibrate_options.count_padding). */
TARE_API bool tare_stats_counts_padding(const tare_stats *stats);
/** Whether every float tensor of the model was observed (tare_calibrate_options.all_tensors); false
 *  where the file does not say. */
TARE_API bool tare_stats_all_tensors(const tare_stats *stats);
/** Number of tensors, which are sorted by name. */
TARE_API int tare_stats_n_tensors(const tare_stats *stats);
/** Statistics of a tensor in a profile's bucket; both must be in range (asserted). */
TARE_API tare_stats_entry tare_stats_get(const tare_stats *stats, int tensor, int profile);

/** The calibration methods, by number: name and one-line summary; NULL out of range. */
TARE_API int tare_n_methods(void);
TARE_API const char *tare_method_name(int method);
TARE_API const char *tare_method_summary(int method);
/** Whether it reads tare_table_options.percentile; method in range (asserted). */
TARE_API bool tare_method_takes_percentile(int method);

typedef struct tare_table_options {
  const char *method;    /* "minmax", "entropy", "percentile", "mse"; NULL for "minmax" */
  double percentile;     /* for "percentile"; 0 for 99.99 */
  bool per_profile;      /* one column per profile instead of the merged one; a profile without
                            samples takes the merged thresholds, with a warning */
} tare_table_options;

TARE_API void tare_table_options_init(tare_table_options *options);

/**
 * Computes a table.
 * @param options NULL for the defaults
 * @return TARE_OK, TARE_E_USAGE (unknown method, percentile outside (0, 100]), TARE_E_MEMORY
 */
TARE_API tare_status tare_table_from_stats(const tare_stats *stats,
                                           const tare_table_options *options, tare_table **out,
                                           tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
