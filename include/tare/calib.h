/*
 * Calibration: one pass of the float model over the data collects statistics of its tensors, from
 * which the table of every method is computed without another pass.
 */
#ifndef TARE_CALIB_H
#define TARE_CALIB_H

#include <stdbool.h>
#include <tare/dataset.h>
#include <tare/length_check.h>
#include <tare/model.h>
#include <tare/profile.h>
#include <tare/streaming.h>
#include <tare/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the length of a sample is adapted to a profile before the model runs. */
typedef enum tare_fit {
  TARE_FIT_NATIVE = 0,   /* unchanged */
  TARE_FIT_PAD = 1,      /* padded to the maximum of the profile */
  TARE_FIT_TRUNCATE = 2, /* cut to the optimum of the profile if longer */
  TARE_FIT_OPT = 3,      /* padded or cut to the optimum, as in TensorRT's calibration */
  TARE_FIT_COUNT
} tare_fit;

/** Name of a fit, static: "native", "pad", "truncate" or "opt"; NULL for other numbers.
 */
TARE_API const char *tare_fit_name(tare_fit fit);

/** What a fit does to a sample, in a few words, static: "padded to max"; NULL if the number is out
 * of range. */
TARE_API const char *tare_fit_summary(tare_fit fit);

/** Whether a fit pads samples that a profile covers. */
TARE_API bool tare_fit_pads(tare_fit fit);

/**
 * Finds a fit by name.
 * @param name one of the names of tare_fit_name
 * @param out receives the fit
 * @return TARE_OK, TARE_E_USAGE (unknown name)
 */
TARE_API tare_status tare_fit_parse(const char *name, tare_fit *out, tare_error *err);

/** What happens to a sample outside all profiles. */
typedef enum tare_outside {
  TARE_OUTSIDE_ERROR = 0, /* it is an error */
  /** The nearest profile is used: the sample is cut to its maximum or padded to its minimum. */
  TARE_OUTSIDE_NEAREST = 1,
  /** The sample is left out (tare_dataset_left_out): the data set of the call has it no more. Not
   *  with streaming, whose profiles are for chunks. */
  TARE_OUTSIDE_SKIP = 2,
} tare_outside;

/** Value that fills the padding of one input. Inputs that are not named are padded with 0. */
typedef struct tare_pad_value {
  const char *input;
  double value;
} tare_pad_value;

/** What fitting did to samples. Samples that are cut into the chunks of a stream do not count. */
typedef struct tare_fit_counts {
  int64_t samples;  /* all samples */
  int64_t cut;      /* samples that were cut */
  int64_t padded;   /* samples that were padded */
  int64_t elements; /* elements of the inputs of the samples that were cut, before cutting */
  int64_t lost;     /* elements that cutting removed */
  int64_t run;      /* elements of the inputs of all samples as they ran */
  int64_t padding;  /* elements of these that are padding, whether the statistics count it or not */
  void *reserved[4]; /* for later versions */
} tare_fit_counts;

/**
 * An input that contains the length of an axis of another input ("input_lengths"), with one element
 * for each sample of a batch. If the axis is cut, integers (int32, int64) beyond its new end become
 * its new length. Padding does not change them, because they tell the model where the padding
 * begins. Floats (float32, float64) are shares of the axis, 0 to 1, and are recomputed when it is
 * cut or padded.
 */
typedef struct tare_length_input {
  const char *input;  /* the input with the lengths */
  const char *symbol; /* symbol of the axis */
} tare_length_input;

/**
 * Parses the declaration of a length input, e.g. "input_lengths=ids:1".
 * @param text INPUT=AXIS, where AXIS is a symbol of the inputs, an input, meaning its last axis, or
 *        "input:axis", where axis 0 is the batch
 * @param inputs n_inputs ports of the model or plan
 * @param out receives names that belong to `inputs`
 * @return TARE_OK, TARE_E_USAGE (no such input or axis, an axis of fixed size, or an element type
 *         that cannot be a length)
 */
TARE_API tare_status tare_length_input_parse(const char *text, const tare_port *inputs,
                                             int n_inputs, tare_length_input *out, tare_error *err);

/**
 * Finds the length inputs of data: inputs with one integer for each sample of a batch that equals
 * the length of an axis of another input in every sample. Lengths that are the same in all samples
 * prove nothing, and are not found. Of several axes that always have the same length, that of the
 * first symbol is chosen.
 * @param datasets n_datasets data sets. They are read from the start as far as necessary, then
 *        rewound; if no input can be a length input, they are not read at all
 * @param inputs n_inputs ports of the data sets
 * @param out array of n_inputs; receives names that belong to `inputs`
 * @param n_out receives the number of length inputs found
 * @return TARE_OK, TARE_E_MEMORY, or an error of tare_dataset_next or tare_dataset_rewind
 */
TARE_API tare_status tare_length_inputs_find(tare_dataset *const *datasets, int n_datasets,
                                             const tare_port *inputs, int n_inputs,
                                             tare_length_input *out, int *n_out, tare_error *err);

/** Reports progress: `done` of `total` samples, or of -1 if their number is not known. If it
 * returns false, the call that reports it stops with TARE_E_CHECK. Runs on the thread of that call.
 */
typedef bool (*tare_progress_fn)(void *user, int64_t done, int64_t total);

/** Time spent in a calibration, in seconds, summed over the threads that process samples. */
typedef struct tare_calibrate_times {
  double reading;    /* waiting for data, and fitting samples to profiles */
  double running;    /* running the model */
  double observing;  /* counting the elements of its tensors */
  void *reserved[4]; /* for later versions */
} tare_calibrate_times;

enum { TARE_NAN_SAMPLES_NAMED = 3 };

/** Samples in which an observed tensor has NaN: such values are not counted, and say something of
 *  the data or of the model. Free the names with tare_nan_samples_fini. */
typedef struct tare_nan_samples {
  int64_t n;
  int64_t indices[TARE_NAN_SAMPLES_NAMED]; /* the first ones by tare_sample.index, ascending */
  char *names[TARE_NAN_SAMPLES_NAMED];     /* of these; NULL behind the last one */
  char *tensors[TARE_NAN_SAMPLES_NAMED];   /* the first tensor with NaN in the order of the run */
} tare_nan_samples;

/** Frees the names. */
TARE_API void tare_nan_samples_fini(tare_nan_samples *samples);

/** Smoothing: the channels of a tensor get other scales, powers of two, where what makes it and the
 * weights of the layers that read it can take these in at no cost. Channels much smaller than the
 * largest then have more steps in one scale. */
typedef enum tare_smoothing {
  TARE_SMOOTHING_OFF = 0,
  TARE_SMOOTHING_AUTO = 1, /* where the statistics predict that it halves a noise that matters */
  TARE_SMOOTHING_ON = 2,   /* where they predict less noise */
} tare_smoothing;

/** Clipping of weights: int8 scales of output channels that are smaller than the largest magnitude
 * of the weights / 127, where the errors of the weights then cost the outputs less. */
typedef enum tare_clipping {
  TARE_CLIPPING_OFF = 0,
  TARE_CLIPPING_AUTO = 1, /* in layers where it takes a tenth of that noise */
  TARE_CLIPPING_ON = 2,   /* where it takes any */
} tare_clipping;

/** How much a sample counts. Ranges do not depend on it, but all other thresholds do. */
typedef enum tare_weight {
  TARE_WEIGHT_ELEMENT = 0, /* each element once: as much as a sample is long */
  TARE_WEIGHT_SAMPLE = 1,  /* in each tensor as much as any other sample, however long it is */
  TARE_WEIGHT_LENGTH = 2,  /* in each tensor as much as its largest input has elements: each second
                              or token alike, also in tensors that do not grow as the sample does */
  TARE_WEIGHT_COUNT
} tare_weight;

/** Name of a weight, static: "element", "sample" or "length"; NULL if the number is out of range.
 */
TARE_API const char *tare_weight_name(tare_weight weight);

/** Options of tare_calibrate; set the defaults with tare_calibrate_options_init. */
typedef struct tare_calibrate_options {
  tare_fit fit;
  tare_outside outside;
  tare_weight weight;
  /** Include padding in the statistics, like a calibrator for fixed shapes; otherwise only the
   * valid region of each tensor counts. */
  bool count_padding;
  /** Observe every float tensor of the model, for engines with other fusions; otherwise only those
   *  that int8 layers read, the inputs and the outputs. */
  bool all_tensors;
  /** With all_tensors: leave out what tare_export_new folds away, the outputs of Conv with a
   *  BatchNormalization behind. Roundings are then those of the folded weights. */
  bool fold_norms;
  /** Leave out the sums of products that rounding of weights by least squares needs: tables then
   *  have no roundings, and builds round each weight to nearest. */
  bool round_to_nearest;
  /** Which tensors are smoothed; tables made of the statistics then say so. */
  tare_smoothing smoothing;
  /** Which weights are clipped; tables made of the statistics then say so. */
  tare_clipping clipping;
  /** Collect the means of the inputs of layers, where these do not follow the level of the model's
   *  input; builds then correct the biases of int8 layers for what the rounding of their weights
   *  changes of the means of their outputs. */
  bool bias_correction;
  /** For the ports of the model; the data set then supplies tare_streaming_ports. NULL: each sample
   * is one run. */
  const tare_streaming *streaming;
  int threads; /* 0: tare_cores() */
  const tare_pad_value *pad_values;
  int n_pad_values;
  const tare_length_input *length_inputs; /* none with streaming */
  int n_length_inputs;
  /** Keep the sums by which weights and channels are decided, for tare_stats_merge and
   *  tare_stats_decide, and decide nothing yet: for statistics of a part of the data. */
  bool undecided;
  /** File to which the statistics so far are written every `checkpoint_seconds` (0: after every
   *  sample), and when `progress` stops the calibration; NULL: none. */
  const char *checkpoint;
  double checkpoint_seconds;
  /** Statistics of a checkpoint of the same run, which continues behind it: its samples are read
   *  again to be recognised, but not run. NULL: none. */
  const struct tare_stats *resume;
  /** n_counted statistics whose samples are left out. */
  const struct tare_stats *const *counted;
  int n_counted;
  const char *isa;           /* CPU features to use, e.g. "avx2"; NULL: all */
  tare_progress_fn progress; /* NULL: none */
  void *progress_user;
  tare_progress_fn rounding_progress; /* after the data, while weights are rounded: how many of the
                                         weights, at first 0. NULL: none */
  void *rounding_user;
  tare_calibrate_times *times; /* receives additional time; NULL: none */
  tare_fit_counts *fitted;     /* receives what fitting did; NULL: none */
  tare_nan_samples *nans;      /* receives samples with NaN, also after a failure; NULL: none */
  void *reserved[7];           /* for later versions; NULL */
} tare_calibrate_options;

/** Statistics per tensor and profile. */
typedef struct tare_stats tare_stats;

/** Statistics of one tensor in one profile. */
typedef struct tare_stats_entry {
  const char *tensor; /* name, which belongs to the statistics */
  int64_t n_samples;  /* samples in which it was observed, once for each level */
  int64_t count;      /* all elements */
  int64_t n_nan, n_inf;
  double min, max;    /* of the finite values; NAN if there are none */
  double static_loss; /* predicted share of the energy of a row (last axis) that 8 bits cost with
                         one scale, that of the largest magnitude: the mean over the rows that are
                         not zero, 0..1; NAN if there are none */
  double row_loss;    /* the same with a scale for each row */
  void *reserved[4];  /* for later versions */
} tare_stats_entry;

/** Sets the options to the defaults: everything zero. */
TARE_API void tare_calibrate_options_init(tare_calibrate_options *options);

/**
 * Checks whether a model can be calibrated.
 * @return TARE_OK, TARE_E_USAGE (the model is already quantized; the message says what to do)
 */
TARE_API tare_status tare_calibrate_check(const tare_model *model, tare_error *err);

/**
 * Chooses samples of a data set, which from then on has no others. It depends on the seed and on
 * the places of samples in the data, and is the same for all shards. Lengths and profiles are those
 * of the dims of the samples, which are read if `quota` or `by_length` are set.
 * @param dataset is rewound
 * @param profiles of the inputs of the data set
 * @param outside what happens to samples outside all profiles; those of TARE_OUTSIDE_ERROR have no
 *        quota
 * @return TARE_OK, TARE_E_USAGE (negative numbers, by_length without samples), TARE_E_MEMORY, or an
 *         error of tare_dataset_next
 */
TARE_API tare_status tare_dataset_choose(tare_dataset *dataset, const tare_profiles *profiles,
                                         tare_outside outside, const tare_choice *choice,
                                         tare_error *err);

/**
 * Makes samples bad at whose lengths a model cannot run, from now on. Their messages say which
 * lengths would work.
 * @param check of the model whose inputs the data set feeds; must outlive its samples. NULL: none
 */
TARE_API void tare_dataset_check_lengths(tare_dataset *dataset, tare_length_check *check);

/**
 * Divides samples in two: some that are set aside to judge what is made of the others. Which ones
 * they are follows from the hashes of their contents: neither from their order, nor from their
 * names, and copies of a sample are on the same side. All samples are read once.
 * @param data keeps the samples that are not set aside; without shards
 * @param held n_held data sets of the same data; each keeps so many of the samples that are set
 *        aside as its number in `counts` says, the same ones first, or more with copies of the last
 * @param counts each 1 or more
 * @return TARE_OK, TARE_E_USAGE (a count below 1), TARE_E_INPUT (no sample is left on one side),
 *         TARE_E_MEMORY, or an error of tare_dataset_next
 */
TARE_API tare_status tare_dataset_hold_out(tare_dataset *data, tare_dataset *const *held,
                                           const int64_t *counts, int n_held, tare_error *err);

/**
 * Runs the float model over the data once and collects statistics.
 * @param model a model for which tare_calibrate_check succeeds
 * @param dataset is read from its current position to the end
 * @param profiles at least one profile; the length of a sample decides in which one it counts
 * @param options NULL for the defaults
 * @param out receives the statistics; free them with tare_stats_free
 * @return TARE_OK, TARE_E_INPUT (no usable sample; `resume` belongs to another run or to other
 *         data), TARE_E_USAGE (`resume` has other settings), TARE_E_CHECK (stopped by progress), or
 *         an error of tare_calibrate_check, tare_plan_build, tare_dataset_next, tare_context_run
 *         or tare_stats_save
 */
TARE_API tare_status tare_calibrate(const tare_model *model, tare_dataset *dataset,
                                    const tare_profiles *profiles,
                                    const tare_calibrate_options *options, tare_stats **out,
                                    tare_error *err);

/**
 * Frees statistics.
 * @param stats the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_stats_free(tare_stats **stats);

/**
 * Writes a statistics file (HDF5, docs/formats.md). Equal statistics give equal bytes. The file
 * appears whole or not at all.
 * @param path name of the file
 * @return TARE_OK, TARE_E_IO, TARE_E_MEMORY
 */
TARE_API tare_status tare_stats_save(const tare_stats *stats, const char *path, tare_error *err);

/**
 * Reads a statistics file.
 * @param path name of the file
 * @param out receives the statistics; free them with tare_stats_free
 * @return TARE_OK, TARE_E_INPUT (missing, malformed, or of another major version), TARE_E_IO,
 *         TARE_E_MEMORY
 */
TARE_API tare_status tare_stats_load(const char *path, tare_stats **out, tare_error *err);

/**
 * Whether a file is a statistics file: an HDF5 file with the format attribute of one. Also true for
 * an HDF5 file that cannot be examined because of an I/O error or lack of memory, so that
 * tare_stats_load reports that error.
 */
TARE_API bool tare_stats_is_stats_file(const char *path);

/** Hash of the file of the model (tare_model_info). */
TARE_API uint64_t tare_stats_model_hash(const tare_stats *stats);

/** File name of the model, without its folder. */
TARE_API const char *tare_stats_model_name(const tare_stats *stats);

/** Number of profiles, 1 or more. */
TARE_API int tare_stats_n_profiles(const tare_stats *stats);

/** A profile in the syntax of tare_profiles_add; NULL if the number is out of range. */
TARE_API const char *tare_stats_profile(const tare_stats *stats, int i);

/** Number of samples that were counted in a profile, each once, at however many levels it ran. */
TARE_API int64_t tare_stats_profile_samples(const tare_stats *stats, int profile);

/** How samples were fitted: a name of tare_fit_name. */
TARE_API const char *tare_stats_fit(const tare_stats *stats);

/** Whether padding was counted (tare_calibrate_options.count_padding). */
TARE_API bool tare_stats_counts_padding(const tare_stats *stats);

/** Whether every float tensor was observed (tare_calibrate_options.all_tensors); false if the file
 *  does not say. */
TARE_API bool tare_stats_all_tensors(const tare_stats *stats);

/** The gain range of the data (tare_dataset_gain_range); "" without one. */
TARE_API const char *tare_stats_gain_range(const tare_stats *stats);

/** Number of tensors that are smoothed (tare_smoothing). */
TARE_API int tare_stats_n_smoothed(const tare_stats *stats);

/** Number of layers whose weights are clipped (tare_clipping). */
TARE_API int tare_stats_n_clipped(const tare_stats *stats);

/** Number of layers whose biases are corrected (bias_correction). */
TARE_API int tare_stats_n_corrected(const tare_stats *stats);

/** Number of tensors, which are sorted by name. */
TARE_API int tare_stats_n_tensors(const tare_stats *stats);

/** Statistics of a tensor in a profile. */
TARE_API tare_stats_entry tare_stats_get(const tare_stats *stats, int tensor, int profile);

/** Most bins of tare_histogram. */
enum { TARE_HISTOGRAM_BINS = 128 };

/** How often values occur, in bins of one width that is a power of two, aligned at zero: bin i
 * counts values from low + i * width to below low + (i + 1) * width; of negative values the upper
 * end belongs to a bin, and the lower one does not. */
typedef struct tare_histogram {
  int n_bins; /* 0: there are no finite values */
  double low, width;
  int64_t counts[TARE_HISTOGRAM_BINS];
} tare_histogram;

/**
 * Counts the finite values of a tensor over all profiles. The bins are as narrow as the number of
 * them allows, and exact: they are sums of narrower ones.
 * @param tensor number of the tensor
 * @param out receives the histogram
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_stats_histogram(const tare_stats *stats, int tensor, tare_histogram *out,
                                          tare_error *err);

/** Number of calibration methods. */
TARE_API int tare_n_methods(void);

/** Name of a method by number, static; NULL if the number is out of range. */
TARE_API const char *tare_method_name(int method);

/** One line that describes a method, static; NULL if the number is out of range. */
TARE_API const char *tare_method_summary(int method);

/** Whether a method uses tare_table_options.percentile. */
TARE_API bool tare_method_takes_percentile(int method);

/** The percentile of tare_table_options unless one is set. */
#define TARE_DEFAULT_PERCENTILE 99.99

/** Magnitudes of the finite values of a tensor in one column of a table. Belongs to the call that
 *  passes it. */
typedef struct tare_distribution {
  const char *tensor;
  int profile;           /* -1: all profiles together */
  double amax;           /* the largest magnitude, exactly; > 0 */
  int64_t count;         /* of values */
  double width;          /* of a bin, a power of two */
  int n_bins;            /* the last one holds amax */
  const int64_t *counts; /* of magnitudes from i * width to below (i + 1) * width */
  void *reserved[4];     /* for later versions */
} tare_distribution;

/** A calibrator of the program: returns the threshold of a tensor, > 0 and finite. Called for live
 *  tensors only, on the thread of tare_table_from_stats. */
typedef double (*tare_threshold_fn)(void *user, const tare_distribution *distribution);

/** Options of tare_table_from_stats; set the defaults with tare_table_options_init. */
typedef struct tare_table_options {
  const char *method; /* "minmax", "entropy", "percentile" or "mse"; NULL: "minmax" */
  double percentile;  /* for "percentile": above 0, up to 100; 0: the default */
  /** One column per profile instead of a merged one. A profile without samples gets the merged
   *  thresholds, and the table a warning. */
  bool per_profile;
  /** A calibrator of the program, in place of those of the library; `method` is then its name in
   * the table. NULL: none. */
  tare_threshold_fn threshold;
  void *threshold_user; /* passed to it */
  void *reserved[8];    /* for later versions; NULL */
} tare_table_options;

/** Sets the options to the defaults: minmax, 99.99 percent, merged. */
TARE_API void tare_table_options_init(tare_table_options *options);

/**
 * Computes a calibration table from statistics.
 * @param options NULL for the defaults
 * @param out receives the table; free it with tare_table_free
 * @return TARE_OK, TARE_E_USAGE (unknown method, percentile out of range, a calibrator without a
 *         name, or a threshold of it that is not positive and finite), TARE_E_MEMORY
 */
TARE_API tare_status tare_table_from_stats(const tare_stats *stats,
                                           const tare_table_options *options, tare_table **out,
                                           tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
