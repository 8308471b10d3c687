#include "datasets/audio/resample.h"

#include <samplerate.h>

#include "base/mem.h"

static double ratio_of(const int from, const int to) {
  return (double)to / (double)from;
}

tare_status tarei_resampled_length(const int64_t frames, const int from, const int to,
                                   int64_t *const out, tare_error *const err) {
  int64_t product;
  if (!src_is_valid_ratio(ratio_of(from, to)) || !tarei_mul_i64(frames, to, &product) ||
      product > INT64_MAX / 2) {
    return tarei_fail(err, TARE_E_INPUT,
                      "cannot resample from %d Hz to %d Hz: expected a ratio of at most 256", from,
                      to);
  }
  *out = (product + from / 2) / from;
  return TARE_OK;
}

tare_status tarei_resample(const float *const in, const int64_t frames, const int from,
                           const int to, float **const out, tare_error *const err) {
  int64_t wanted = 0;
  TAREI_TRY(tarei_resampled_length(frames, from, to, &wanted, err));
  float *const buffer = tarei_calloc((size_t)wanted + 1, sizeof *buffer);
  if (!buffer) {
    return tarei_fail_memory(err, "resampled audio", (size_t)wanted * sizeof *buffer);
  }
  /* The converter may give a frame less than wanted; that one stays 0. */
  SRC_DATA data = {.data_in = in,
                   .data_out = buffer,
                   .input_frames = (long)frames,
                   .output_frames = (long)wanted,
                   .src_ratio = ratio_of(from, to)};
  const int failed = src_simple(&data, SRC_SINC_BEST_QUALITY, 1 /* channel */);
  if (failed) {
    free(buffer);
    return tarei_fail(err, TARE_E_INPUT, "cannot resample from %d Hz to %d Hz: %s", from, to,
                      src_strerror(failed));
  }
  *out = buffer;
  return TARE_OK;
}
