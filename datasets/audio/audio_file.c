#include "datasets/audio/audio_file.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/infile.h"
#include "base/mem.h"

static sf_count_t get_length(void *const user) {
  return ((const tarei_audio_file *)user)->bytes;
}

static sf_count_t seek(const sf_count_t offset, const int whence, void *const user) {
  tarei_audio_file *const file = user;
  const int64_t base = whence == SEEK_CUR ? file->at : whence == SEEK_END ? file->bytes : 0;
  int64_t at;
  if (!tarei_add_i64(base, offset, &at) || at < 0) {
    return -1;
  }
  file->at = at;
  return at;
}

/* Bytes of memory; a position may be beyond them. */
static sf_count_t copy_bytes(tarei_audio_file *const file, void *const to, const sf_count_t count) {
  const int64_t left = file->at < file->bytes ? file->bytes - file->at : 0;
  const int64_t n = count < left ? count : left;
  if (n > 0) {
    memcpy(to, file->memory + file->at, (size_t)n);
    file->at += n;
  }
  return n > 0 ? n : 0;
}

static sf_count_t read_bytes(void *const to, const sf_count_t count, void *const user) {
  tarei_audio_file *const file = user;
  sf_count_t done = 0;
  if (file->memory) {
    return copy_bytes(file, to, count);
  }
  while (done < count && !file->reason) {
    const ssize_t n = pread(file->fd, (char *)to + done, (size_t)(count - done), file->at);
    if (n == 0) {
      break;
    }
    if (n > 0) {
      done += n;
      file->at += n;
    } else if (errno != EINTR) {
      file->reason = errno;
    }
  }
  return done;
}

static sf_count_t tell(void *const user) {
  return ((const tarei_audio_file *)user)->at;
}

/* Brings the ends of a file, where containers keep what they are, from the disk to memory. */
static void read_ahead(const tarei_audio_file *const file) {
  char bytes[4096];
  const int64_t last = file->bytes - (int64_t)sizeof bytes;
  if (!file->memory) {
    (void)!pread(file->fd, bytes, sizeof bytes, 0);
    (void)!pread(file->fd, bytes, sizeof bytes, last > 0 ? last : 0);
  }
}

/* The library keeps the reason why a file did not open in one variable for all threads, which
 * every opening sets. */
static tare_status open_alone(tarei_audio_file *const file, tare_error *const err) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static SF_VIRTUAL_IO calls = {
      .get_filelen = get_length, .seek = seek, .read = read_bytes, .tell = tell};
  tare_status status = TARE_OK;
  read_ahead(file); /* so that nobody holds the mutex while a slow disk is read */
  (void)pthread_mutex_lock(&mutex);
  errno = 0;
  file->sound = sf_open_virtual(&calls, SFM_READ, &file->info, file);
  if (!file->sound) {
    status = tarei_audio_file_judge(
        tarei_fail(err, TARE_E_INPUT, "not a readable audio file: %s", sf_strerror(NULL)), err);
  }
  (void)pthread_mutex_unlock(&mutex);
  return status;
}

static tare_status open_sound(tarei_audio_file *const file, tare_error *const err) {
  if (!tarei_memory_is_left()) { /* the library crashes at places where an allocation fails */
    return tarei_fail(err, TARE_E_MEMORY, "no memory for libsndfile");
  }
  const tare_status status = open_alone(file, err);
  TAREI_TRY(tarei_audio_file_check(file, err));
  return status;
}

tare_status tarei_audio_file_open(const char *const path, tarei_audio_file *const file,
                                  tare_error *const err) {
  *file = (tarei_audio_file){0};
  TAREI_TRY(tarei_infile_open(path, &file->fd, &file->bytes, err));
  const tare_status status = open_sound(file, err);
  if (status != TARE_OK) {
    tarei_audio_file_close(file);
  }
  return status;
}

tare_status tarei_audio_file_open_memory(const tarei_source *const source,
                                         tarei_audio_file *const file, tare_error *const err) {
  *file = (tarei_audio_file){.fd = -1, .memory = source->data, .bytes = (int64_t)source->size};
  return source->size ? open_sound(file, err)
                      : tarei_fail(err, TARE_E_INPUT, "not a readable audio file: it is empty");
}

tare_status tarei_audio_file_check(const tarei_audio_file *const file, tare_error *const err) {
  return file->reason ? tarei_fail(err, TARE_E_INPUT, "cannot read: %s", strerror(file->reason))
                      : TARE_OK;
}

tare_status tarei_audio_file_judge(const tare_status status, tare_error *const err) {
  return status == TARE_E_INPUT && errno == ENOMEM
             ? tarei_fail(err, TARE_E_MEMORY, "no memory for libsndfile")
             : status;
}

void tarei_audio_file_close(tarei_audio_file *const file) {
  if (file->sound) {
    (void)sf_close(file->sound); /* only read */
  }
  if (!file->memory) {
    (void)close(file->fd);
  }
}
