/* What the writer and the reader of statistics files share; docs/formats.md describes the file. */
#ifndef TAREI_CALIB_FILE_STATS_FILE_H
#define TAREI_CALIB_FILE_STATS_FILE_H

#include "calib/stats.h"

#define TAREI_STATS_FORMAT "tare.stats"
#define TAREI_STATS_MAJOR 2
#define TAREI_STATS_MINOR 5
#define TAREI_STATS_SEALED 3 /* first minor version with a checksum */

#define TAREI_STATS_READ "/tensors/read" /* since minor version 5 */
enum { TAREI_STATS_NUMBERED_PATH = 40 };

/* Arrays of one number per tensor and bucket: X(path, member of tarei_accumulator, kind) */
#define TAREI_STATS_ARRAYS(X)                     \
  X("/tensors/samples", n_samples, I64)           \
  X("/tensors/count", count, I64)                 \
  X("/tensors/nan", n_nan, I64)                   \
  X("/tensors/inf", n_inf, I64)                   \
  X("/tensors/min", min, F32)                     \
  X("/tensors/max", max, F32)                     \
  X("/tensors/exponent", histogram.exponent, I32) \
  X("/tensors/zeros", histogram.zeros, I64)

typedef enum tarei_stats_kind {
  TAREI_STATS_I64,
  TAREI_STATS_I32,
  TAREI_STATS_F32
} tarei_stats_kind;

typedef struct tarei_stats_array {
  const char *path;
  size_t offset; /* in tarei_accumulator */
  tarei_stats_kind kind;
} tarei_stats_array;

static const tarei_stats_array tarei_stats_arrays[] = {
#define TAREI_STATS_ROW(path, member, kind) \
  {path, offsetof(tarei_accumulator, member), TAREI_STATS_##kind},
    TAREI_STATS_ARRAYS(TAREI_STATS_ROW)
#undef TAREI_STATS_ROW
};
enum { TAREI_STATS_N_ARRAYS = sizeof tarei_stats_arrays / sizeof *tarei_stats_arrays };

static inline size_t tarei_stats_kind_size(const tarei_stats_kind kind) {
  return kind == TAREI_STATS_I64 ? sizeof(int64_t) : sizeof(int32_t);
}

#endif
