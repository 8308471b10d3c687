/* Resampling of one whole recording with a band-limited sinc. */
#ifndef TAREI_DATASETS_AUDIO_RESAMPLE_H
#define TAREI_DATASETS_AUDIO_RESAMPLE_H

#include <stdint.h>

#include "base/error.h"

/* Number of frames after resampling: round(frames * to / from).
 * @param from,to Hz, > 0
 * @return TARE_OK, TARE_E_INPUT (ratio beyond 256, or too many frames) */
tare_status tarei_resampled_length(int64_t frames, int from, int to, int64_t *out, tare_error *err);

/* Resamples a recording.
 * @param in frames of mono audio at rate `from`
 * @param out receives tarei_resampled_length frames; free() it. Not set on failure.
 * @return TARE_OK, TARE_E_INPUT (as for tarei_resampled_length), TARE_E_MEMORY */
tare_status tarei_resample(const float *in, int64_t frames, int from, int to, float **out,
                           tare_error *err);

#endif
