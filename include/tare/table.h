/*
 * Calibration tables: one threshold (amax) per tensor and profile.
 *
 * The native form is JSON (docs/formats.md): it carries method, range, counts and profile of every
 * tensor, keeps keys it does not know, and is written byte for byte the same from the same data.
 * TensorRT's calibration cache is read and written too.
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
  const char *tensor;  /* owned by the table */
  double amax;         /* threshold > 0; scale is amax / 127. 0: dead tensor, left unquantized */
  double min, max;     /* range of the data; NAN where not known (read from a cache) */
  int64_t count;       /* elements seen; 0 where not known */
  double quiet_rows;   /* share of rows (last axis) whose amax is below 1/128 of the tensor's; NAN
                          where not known */
  double energy_lost;  /* share of the sum of squares beyond amax, 0..1; NAN where not known */
} tare_table_entry;

/** How to write TensorRT's cache. */
typedef struct tare_trt_options {
  const char *version;   /* digits after "TRT-", e.g. "101602"; NULL for that */
  const char *algorithm; /* NULL: "EntropyCalibration2", which trtexec takes whatever the method */
  int profile;           /* which profile's thresholds, 0.. ; ignored for a merged table */
} tare_trt_options;

/** Frees a table and clears the handle; NULL is fine. */
TARE_API void tare_table_free(tare_table **table);

/**
 * Reads a table: native JSON, or TensorRT's cache, told apart by content.
 * @return TARE_OK, TARE_E_INPUT (names file, line or key, and the rule: unknown major version,
 *         zero, NaN, Inf or negative scale, byte-swapped values, duplicate tensor, ...)
 */
TARE_API tare_status tare_table_read(const char *path, tare_table **out, tare_error *err);

/** Writes the native JSON form; the file appears whole or not at all. */
TARE_API tare_status tare_table_write_json(const tare_table *table, const char *path,
                                           tare_error *err);

/**
 * Writes TensorRT's cache: big-endian hex of amax/127 per tensor, dead tensors left out.
 * @param options NULL for the defaults
 * @return TARE_OK, TARE_E_USAGE (version not digits, algorithm unknown, profile out of range),
 *         TARE_E_IO
 */
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
