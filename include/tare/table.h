/*
 * Calibration tables: one threshold (amax) per tensor and profile.
 *
 * The native form is JSON (docs/formats.md): it carries method, range, counts and profile of every
 * tensor, keeps keys it does not know, and is written byte for byte the same from the same data.
 * Other formats, as TensorRT's calibration cache, are read and written too.
 */
#ifndef TARE_TABLE_H
#define TARE_TABLE_H

#include <stdbool.h>
#include <tare/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tare_table tare_table;

/** One line of a table. */
typedef struct tare_table_entry {
  const char *tensor; /* owned by the table */
  double amax;        /* threshold > 0; scale is amax / 127. 0: dead tensor, left unquantized */
  double min, max;    /* range of the data; NAN where not known (read from a cache) */
  int64_t count;      /* elements seen; 0 where not known */
  double quiet_rows;  /* share of rows (last axis) whose amax is below 1/128 of the tensor's; NAN
                         where not known */
  double energy_lost; /* share of the sum of squares beyond amax, 0..1; NAN where not known */
} tare_table_entry;

/** An option of a format: what a caller may choose about a file. */
typedef struct tare_table_option {
  const char *name;    /* as the command spells it: "trt-version" */
  const char *value;   /* what it takes, one word for help: "V" */
  const char *summary; /* one line */
  const char *normal;  /* its value where none is given */
  const char
      *remark; /* what the reader of a file must hear where that value stands in it; or NULL */
} tare_table_option;

#define TARE_MAX_TABLE_OPTIONS 8 /* of one format */

/** A format of table files. */
typedef struct tare_table_format {
  const char *name;      /* "json" */
  const char *noun;      /* what a file is, with its article: "a TensorRT cache" */
  const char *extension; /* how names of its files end: ".cache" */
  const char *engine; /* which engine its files are for, "TensorRT"; that one fuses otherwise, and
                         wants tables of all tensors. NULL: this one */
  bool per_profile;   /* holds all columns of a table, else one of them */
  const tare_table_option *options;
  int n_options;
} tare_table_format;

/** The formats, by number: how many there are; one of them, NULL out of range. */
TARE_API int tare_n_table_formats(void);
TARE_API const tare_table_format *tare_table_format_at(int format);
/** Number of the format that a file's name ends in, or -1. The file is not looked at. */
TARE_API int tare_table_format_of(const char *path);
/** Whether a file begins as tables of some format do; false when it cannot be read. */
TARE_API bool tare_table_is_table_file(const char *path);

/** An option given: its name and value. */
typedef struct tare_table_setting {
  const char *name, *value;
} tare_table_setting;

/** How to write a table. */
typedef struct tare_table_write_options {
  int profile; /* which column a format with room for one gets, 0.. ; ignored for a merged table */
  const tare_table_setting *settings; /* options of the format */
  int n_settings;
} tare_table_write_options;

/** Frees a table and clears the handle; NULL is fine. */
TARE_API void tare_table_free(tare_table **table);

/**
 * Reads a table of any format, told apart by content.
 * @return TARE_OK, TARE_E_INPUT (names file, line or key, and the rule: unknown major version,
 *         zero, NaN, Inf or negative scale, byte-swapped values, duplicate tensor, ...)
 */
TARE_API tare_status tare_table_read(const char *path, tare_table **out, tare_error *err);

/**
 * Writes a table; the file appears whole or not at all. What the format has no place for is left
 * out; tare_table_lost names it.
 * @param format its number, in range (asserted)
 * @param options NULL for the defaults; not kept
 * @return TARE_OK, TARE_E_USAGE (an option that the format does not have, a value that it does not
 *         take, a profile out of range), TARE_E_UNSUPPORTED (a name that the format cannot hold),
 *         TARE_E_IO, TARE_E_MEMORY
 */
TARE_API tare_status tare_table_write(const tare_table *table, int format,
                                      const tare_table_write_options *options, const char *path,
                                      tare_error *err);

#define TARE_MAX_TABLE_PARTS 16

/**
 * Names what a file of a format leaves out of a table, e.g. "profiles" or "ranges and counts".
 * Thresholds are never among it; a cache rounds them to float32 scales.
 * @param format its number, in range (asserted)
 * @param options those of tare_table_write, which accepted them (asserted); NULL for the defaults
 * @param lost gets the names, which are static
 * @return how many there are; 0 where the file holds the whole table
 */
TARE_API int tare_table_lost(const tare_table *table, int format,
                             const tare_table_write_options *options,
                             const char *lost[TARE_MAX_TABLE_PARTS]);

/** Checks an option before there is a table to write.
 *  @return TARE_OK, TARE_E_USAGE as tare_table_write */
TARE_API tare_status tare_table_check_setting(int format, const tare_table_setting *setting,
                                              tare_error *err);

/** Writes the native JSON form, as tare_table_write does. */
TARE_API tare_status tare_table_write_json(const tare_table *table, const char *path,
                                           tare_error *err);

/** How to write TensorRT's cache; NULL for a default. */
typedef struct tare_trt_options {
  const char *version;   /* TensorRT version, "10.3.0", or its number behind "TRT-", "100300" */
  const char *algorithm; /* "EntropyCalibration2", which trtexec takes whatever the method */
  int profile;           /* which profile's thresholds, 0.. ; ignored for a merged table */
} tare_trt_options;

/** Writes TensorRT's cache, as tare_table_write does: big-endian hex of amax/127 per tensor, dead
 *  tensors left out. */
TARE_API tare_status tare_table_write_trt(const tare_table *table, const tare_trt_options *options,
                                          const char *path, tare_error *err);

/** Calibration method, e.g. "entropy" or, from a cache, the header's algorithm. */
TARE_API const char *tare_table_method(const tare_table *table);
/** Hash of the model the statistics came from; 0 where not known. */
TARE_API uint64_t tare_table_model_hash(const tare_table *table);
/** 1 for a merged table, else one column per profile. */
TARE_API int tare_table_n_profiles(const tare_table *table);
/** Text of profile i as tare_profiles_add takes it; "" where not known. */
TARE_API const char *tare_table_profile(const tare_table *table, int i);
/** Profiles that the statistics were gathered by, also where the columns are merged; 0 where not
 *  known. Text of profile i as tare_profiles_add takes it; NULL out of range. */
TARE_API int tare_table_n_specs(const tare_table *table);
TARE_API const char *tare_table_spec(const tare_table *table, int i);
TARE_API int tare_table_n_tensors(const tare_table *table);
/** Entry of tensor i (sorted by name) in a profile; both must be in range (asserted). */
TARE_API tare_table_entry tare_table_get(const tare_table *table, int tensor, int profile);
/** Index of a tensor by name, or -1. */
TARE_API int tare_table_find(const tare_table *table, const char *tensor);

/** Warnings about the table, one sentence each (energy clipped away, degenerate search, dead
 *  tensors, quiet rows, profiles without samples), and how many there are. */
TARE_API int tare_table_n_warnings(const tare_table *table);
TARE_API const char *tare_table_warning(const tare_table *table, int i);

#ifdef __cplusplus
}
#endif
#endif
