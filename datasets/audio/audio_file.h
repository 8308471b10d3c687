/* A sound file that libsndfile reads through calls of ours: it takes a read that fails for the end
 * of the file, or fills up with silence. */
#ifndef TAREI_DATASETS_AUDIO_AUDIO_FILE_H
#define TAREI_DATASETS_AUDIO_AUDIO_FILE_H

#include <sndfile.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tarei_audio_file {
  SNDFILE *sound;
  SF_INFO info;
  int fd;
  int64_t bytes, at;
  int reason; /* errno of the first read that failed; 0 */
} tarei_audio_file;

/* TARE_E_INPUT, TARE_E_MEMORY. `file` needs tarei_audio_file_close after success only, and must not
 * be moved before. */
tare_status tarei_audio_file_open(const char *path, tarei_audio_file *file, tare_error *err);

/* TARE_E_INPUT with the system's reason once a read has failed: nothing read can be trusted then.
 */
tare_status tarei_audio_file_check(const tarei_audio_file *file, tare_error *err);

void tarei_audio_file_close(tarei_audio_file *file);

#endif
