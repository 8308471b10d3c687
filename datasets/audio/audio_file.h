/* An audio file that libsndfile reads through our functions, because by itself it treats a read
 * error like the end of the file, or as silence. */
#ifndef TAREI_DATASETS_AUDIO_AUDIO_FILE_H
#define TAREI_DATASETS_AUDIO_AUDIO_FILE_H

#include <sndfile.h>
#include <stdint.h>

#include "base/source.h"

typedef struct tarei_audio_file {
  SNDFILE *sound;
  SF_INFO info;
  int fd;
  const uint8_t *memory; /* instead of fd, or NULL */
  int64_t bytes, at;
  int reason; /* errno of the first read that failed, or 0 */
} tarei_audio_file;

/* Opens a file. TARE_E_INPUT, TARE_E_MEMORY. Close `file` with tarei_audio_file_close after success
 * only; it must not be moved before. */
tare_status tarei_audio_file_open(const char *path, tarei_audio_file *file, tare_error *err);

/* The same for bytes in memory, which must outlive `file`. */
tare_status tarei_audio_file_open_memory(const tarei_source *source, tarei_audio_file *file,
                                         tare_error *err);

/* TARE_E_INPUT, with the reason of the system, if a read has failed: the data is then unreliable.
 */
tare_status tarei_audio_file_check(const tarei_audio_file *file, tare_error *err);

/* TARE_E_MEMORY where the input looked bad because memory ran out since the file was opened: the
 * library does not say so, and reads less. */
tare_status tarei_audio_file_judge(tare_status status, tare_error *err);

void tarei_audio_file_close(tarei_audio_file *file);

#endif
