/* Writes small audio files for the tests. */
#ifndef TAREI_TESTS_UNIT_DATASETS_AUDIO_HELPER_H
#define TAREI_TESTS_UNIT_DATASETS_AUDIO_HELPER_H

#include <sndfile.h>

#include "data_helper.h"

static inline void put_audio(const char *const name, const int format, const int rate,
                             const int channels, const int64_t frames, const float *const values) {
  SF_INFO info = {.samplerate = rate, .channels = channels, .format = format};
  SNDFILE *const file = sf_open(at(name), SFM_WRITE, &info);
  if (!file) {
    fail_msg("%s: %s", name, sf_strerror(NULL));
  }
  assert_int_equal(sf_writef_float(file, values, frames), frames);
  sf_close(file);
}

static inline void put_wav(const char *const name, const int64_t frames,
                           const float *const values) {
  put_audio(name, SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, 1, frames, values);
}

static inline void put_text(const char *const name, const char *const text) {
  FILE *const file = fopen(at(name), "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

#endif
