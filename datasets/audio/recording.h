/* One recording as a sample: decoded by libsndfile, mixed to mono, resampled when asked, as it is
 * or as features. */
#ifndef TAREI_DATASETS_AUDIO_RECORDING_H
#define TAREI_DATASETS_AUDIO_RECORDING_H

#include "base/source.h"
#include "base/str.h"
#include "datasets/audio/audio_ports.h"
#include "datasets/slot.h"

typedef struct tarei_recording_source {
  const char *path;           /* of its file */
  const tarei_source *memory; /* its bytes, if they are not in a file of their own; or NULL */
  const tarei_data_spec *spec;
  const tarei_audio_ports *ports;
} tarei_recording_source;

/* Adds what recordings become: "audio resampled to 16000 Hz". */
void tarei_recording_describe(const tarei_data_spec *spec, tarei_str *to);

/* Fills the tensors and the rate of `out`, from the part of the recording that the slot names.
 * Several threads may call it at the same time. TARE_E_INPUT: not audio, truncated, empty, values
 * that are not finite, a part or channel that the recording does not have; TARE_E_MEMORY. */
tare_status tarei_recording_read(const tarei_recording_source *recording, tarei_slot *out,
                                 tare_error *err);

#endif
