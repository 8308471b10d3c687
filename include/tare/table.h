/*
 * Calibration tables: one threshold (amax) per tensor and profile.
 *
 * The native format is JSON (docs/formats.md). It contains the method, and range, count and
 * threshold of each tensor and profile; it keeps unknown keys, and the same table gives the same
 * bytes. Other formats, such as TensorRT's calibration cache, can be read and written too.
 */
#ifndef TARE_TABLE_H
#define TARE_TABLE_H

#include <stdbool.h>
#include <tare/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A calibration table. */
typedef struct tare_table tare_table;

/** One line of a table, in one profile. */
typedef struct tare_table_entry {
  const char *tensor; /* name, which belongs to the table */
  double amax;        /* threshold > 0; the scale is amax / 127. 0: dead tensor, not quantized */
  double min, max;    /* range of the data; NAN if unknown, as after reading a cache */
  int64_t count;      /* number of elements; 0 if unknown */
  double energy_lost; /* share of the sum of squares that clipping removes, 0..1; or NAN */
  double static_loss; /* predicted share of the energy of a row (last axis) that 8 bits cost with
                         this one scale: the mean over the rows that are not zero, 0..1; or NAN */
  double row_loss;    /* the same with a scale for each row; or NAN */
  double rms;         /* root of the mean square of the elements; or NAN */
  void *reserved[4];  /* for later versions */
} tare_table_entry;

/** An option of a format. All strings are static. */
typedef struct tare_table_option {
  const char *name;    /* name of the option of the command: "trt-version" */
  const char *value;   /* placeholder of its value in help texts: "V" */
  const char *summary; /* one line */
  const char *normal;  /* the default; NULL: none */
  const char *remark;  /* what to tell the reader of a file with the default; or NULL */
  bool merges; /* its value is a file: that one is written with the scales of the table in place of
                  its own, and tare_table_merged counts its lines */
  void *reserved[4]; /* for later versions */
} tare_table_option;

#define TARE_MAX_TABLE_OPTIONS 8 /* of one format */

/** A format of table files. All strings are static. */
typedef struct tare_table_format {
  const char *name;      /* "json" */
  const char *noun;      /* "a TensorRT cache" */
  const char *extension; /* ".cache" */
  /** The engine that uses these files, "TensorRT". It has other fusions, and needs tables of all
   *  tensors. NULL: this library. */
  const char *engine;
  bool per_profile; /* a file contains all columns of a table; otherwise one of them */
  /** Files have scales of layers and their weights instead of tensors: writing one needs the model,
   *  unless the table was read from such a file (table_model.h). */
  bool names_layers;
  const tare_table_option *options;
  int n_options;
} tare_table_format;

/** Number of formats. */
TARE_API int tare_n_table_formats(void);

/** A format by number, static; NULL if the number is out of range. */
TARE_API const tare_table_format *tare_table_format_at(int format);

/** Number of the format with the longest extension that ends a file name, or -1. The file need not
 *  exist. */
TARE_API int tare_table_format_of(const char *path);

/** Whether a file begins like a table of any format; false if it cannot be read. */
TARE_API bool tare_table_is_table_file(const char *path);

/** The value of an option of a format. */
typedef struct tare_table_setting {
  const char *name, *value;
} tare_table_setting;

/** What became of the lines of a template (`merges` of tare_table_option). */
typedef struct tare_table_merged {
  int replaced;      /* tensors of the template that have the thresholds of the table */
  int kept;          /* other lines of the template */
  int added;         /* tensors of the table that the template does not have, at the end */
  void *reserved[4]; /* for later versions */
} tare_table_merged;

/** What became of the layers of a model in a format that names layers. */
typedef struct tare_table_layers {
  int written; /* layers that have scales in the file */
  int without; /* layers that read a tensor without a threshold, or a dead one: they stay float */
  int other;   /* convolutions and products that the engine does not run in int8 */
  int unread;  /* live tensors of the table that no layer of the file reads: they are left out */
  void *reserved[4]; /* for later versions */
} tare_table_layers;

struct tare_model; /* tare_model of model.h */

/** How to write a table; set the defaults with tare_table_write_options_init. */
typedef struct tare_table_write_options {
  /** Profile whose thresholds are written, if the format has room for one only; ignored for a
   * merged table. */
  int profile;
  const tare_table_setting *settings; /* options of the format */
  int n_settings;
  tare_table_merged *merged;      /* receives the counts, zeros without a template; or NULL */
  const struct tare_model *model; /* for a format that names layers; or NULL */
  tare_table_layers *layers; /* receives the counts, zeros without layers of a model; or NULL */
  void *reserved[8];         /* for later versions; NULL */
} tare_table_write_options;

/** Sets the options to the defaults: everything zero. */
TARE_API void tare_table_write_options_init(tare_table_write_options *options);

/**
 * Frees a table.
 * @param table the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_table_free(tare_table **table);

/**
 * Reads a table of any format, which is detected from the contents.
 * @param path the file
 * @param out receives the table; free it with tare_table_free
 * @return TARE_OK, TARE_E_INPUT (missing, malformed, of another major version, or with a scale that
 *         is not positive and normal; the message names the line or key), TARE_E_MEMORY
 */
TARE_API tare_status tare_table_read(const char *path, tare_table **out, tare_error *err);

/** What tare_table_make makes a table of. Set it to zero first. */
typedef struct tare_table_draft {
  const char *method;     /* how the thresholds were found; NULL: "" */
  const char *model_name; /* file name of the model; NULL: not known */
  uint64_t model_hash;    /* of tare_model_info; 0: not known */
  /** Profiles of the columns, in the syntax of tare_profiles_add; NULL: one column for all. */
  const char *const *profiles;
  int n_profiles;
  /** n_tensors times n_profiles (at least 1) entries, those of a tensor one after the other and
   * with the same name. Their `amax` is 0 or positive, `min` and `max` are a range or NAN; what is
   * not known is as tare_table_unknown sets it. */
  const tare_table_entry *entries;
  int n_tensors;
  void *reserved[8]; /* for later versions; NULL */
} tare_table_draft;

/** An entry of which only the threshold is known. */
TARE_API tare_table_entry tare_table_unknown(const char *tensor, double amax);

/**
 * Makes a table of thresholds that the program has from elsewhere: a file of its own format, or a
 * calibrator of its own. The other direction needs no call: tare_table_get gives what a format
 * stores.
 * @param draft copied
 * @param out receives the table; free it with tare_table_free
 * @return TARE_OK, TARE_E_USAGE (an entry that breaks the rules above; the message names it),
 *         TARE_E_INPUT (a tensor has two entries), TARE_E_MEMORY
 */
TARE_API tare_status tare_table_make(const tare_table_draft *draft, tare_table **out,
                                     tare_error *err);

/**
 * Writes a table. The file appears whole or not at all. Parts of the table that the format cannot
 * store are omitted; tare_table_lost lists them.
 * @param format number of the format
 * @param options NULL for the defaults
 * @param path name of the file
 * @return TARE_OK, TARE_E_USAGE (an option or value that the format does not have, a profile out of
 *         range, or a format that names layers without a model), TARE_E_INPUT (a template that is
 * missing or malformed), TARE_E_UNSUPPORTED (a name that the format cannot store), TARE_E_IO,
 * TARE_E_MEMORY
 */
TARE_API tare_status tare_table_write(const tare_table *table, int format,
                                      const tare_table_write_options *options, const char *path,
                                      tare_error *err);

#define TARE_MAX_TABLE_PARTS 20

/**
 * Lists the parts of a table that a file of a format omits, e.g. "profiles" or "ranges".
 * Thresholds are never among them; formats of other engines round them or their scales to float32.
 * @param format number of the format
 * @param options options that tare_table_write accepts; NULL for the defaults
 * @param lost receives the names, which are static
 * @return the number of names; 0 if a file contains the whole table, or if there are no such
 *         format and options
 */
TARE_API int tare_table_lost(const tare_table *table, int format,
                             const tare_table_write_options *options,
                             const char *lost[TARE_MAX_TABLE_PARTS]);

/**
 * Checks the value of an option of a format before there is a table to write.
 * @param format number of the format
 * @return TARE_OK, TARE_E_USAGE (as tare_table_write)
 */
TARE_API tare_status tare_table_check_setting(int format, const tare_table_setting *setting,
                                              tare_error *err);

/**
 * Whether a table that was read from a file of this format has a value of its own for an option,
 * which is used instead of the default (`normal`), e.g. the TensorRT version of a cache.
 * @param format number of the format
 * @param option number of the option
 */
TARE_API bool tare_table_keeps(const tare_table *table, int format, int option);

/** Writes a table as JSON, like tare_table_write. */
TARE_API tare_status tare_table_write_json(const tare_table *table, const char *path,
                                           tare_error *err);

/** How to write TensorRT's cache. NULL means the default. */
typedef struct tare_trt_options {
  const char *version;   /* "10.3.0" or "100300"; default: as read from a cache, or 10.16.2 */
  const char *algorithm; /* default: as read from a cache, or "EntropyCalibration2" */
  int profile;           /* profile whose thresholds are written; ignored for a merged table */
  void *reserved[8];     /* for later versions; NULL */
} tare_trt_options;

/**
 * Writes a table as TensorRT's cache, like tare_table_write: amax / 127 of each tensor as
 * big-endian hexadecimal float32. Dead tensors are omitted.
 * @param options NULL for the defaults
 */
TARE_API tare_status tare_table_write_trt(const tare_table *table, const tare_trt_options *options,
                                          const char *path, tare_error *err);

/** Calibration method, e.g. "entropy"; after reading a cache, the algorithm of its header;
 *  "" if unknown. */
TARE_API const char *tare_table_method(const tare_table *table);

/** Hash of the model from which the statistics came; 0 if unknown. */
TARE_API uint64_t tare_table_model_hash(const tare_table *table);

/** The gain range of the data that it was made of (tare_dataset_gain_range); "" without one, or if
 *  the table does not say. */
TARE_API const char *tare_table_gain_range(const tare_table *table);

/** Requests by name, in the form of `layer_precisions` of tare_build_options, for layers that 8
 * bits cost too much in trials (tare_raise_layers); "" without any. Builds follow them where their
 * own requests say nothing else, but not with `symmetric`. */
TARE_API const char *tare_table_layer_precisions(const tare_table *table);

/** Number of these requests. */
TARE_API int tare_table_n_raised(const tare_table *table);

/**
 * Replaces the requests of a table.
 * @param requests copied; NULL or "": none
 * @return TARE_OK, TARE_E_USAGE (malformed), TARE_E_MEMORY
 */
TARE_API tare_status tare_table_set_layer_precisions(tare_table *table, const char *requests,
                                                     tare_error *err);

/**
 * Adds a warning to a table, behind those that it has.
 * @param text one sentence, copied
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_table_add_warning(tare_table *table, const char *text, tare_error *err);

/** Number of tensors that builds smooth (tare_smoothing in tare/calib.h). */
TARE_API int tare_table_n_smoothed(const tare_table *table);

/** Number of layers whose weights are clipped (tare_clipping in tare/calib.h). */
TARE_API int tare_table_n_clipped(const tare_table *table);

/** Number of layers whose biases builds correct (bias_correction in tare/calib.h). */
TARE_API int tare_table_n_corrected(const tare_table *table);

/** Number of columns: 1 for a merged table, else one per profile. */
TARE_API int tare_table_n_profiles(const tare_table *table);

/** Profile of a column in the syntax of tare_profiles_add; "" if unknown. */
TARE_API const char *tare_table_profile(const tare_table *table, int i);

/** Number of profiles of the statistics, even if the columns are merged; 0 if unknown. */
TARE_API int tare_table_n_specs(const tare_table *table);

/** A profile of the statistics in the syntax of tare_profiles_add; NULL if out of range. */
TARE_API const char *tare_table_spec(const tare_table *table, int i);

/** Number of tensors, which are sorted by name. */
TARE_API int tare_table_n_tensors(const tare_table *table);

/** Entry of a tensor in a column. */
TARE_API tare_table_entry tare_table_get(const tare_table *table, int tensor, int profile);

/** Number of a tensor by name, or -1. */
TARE_API int tare_table_find(const tare_table *table, const char *tensor);

/** Number of warnings: energy clipped away, degenerate search, dead tensors, quiet rows, profiles
 *  without samples. */
TARE_API int tare_table_n_warnings(const tare_table *table);

/** A warning, which is one sentence; NULL if the number is out of range. */
TARE_API const char *tare_table_warning(const tare_table *table, int i);

#ifdef __cplusplus
}
#endif
#endif
