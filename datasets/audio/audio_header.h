/* Whether a WAV, AIFF or Ogg file is all there. Libraries correct a length that runs past the end
 * of the file in silence; here a truncated recording is a bad sample. */
#ifndef TAREI_DATASETS_AUDIO_AUDIO_HEADER_H
#define TAREI_DATASETS_AUDIO_AUDIO_HEADER_H

#include "base/error.h"

/* TARE_E_INPUT when the file is missing, not a regular file, or its audio chunk is cut. Files of
 * other kinds pass. */
tare_status tarei_audio_check_header(const char *path, tare_error *err);

#endif
