/* Files of a scratch folder, small limits, checks of statuses. */
#include "fuzz/harness.h"

#include <ftw.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { PATH_BYTES = 256, N_PATHS = 8 };

static char folder[PATH_BYTES / 2];

static int harness_remove(const char *const path, const struct stat *const info, const int kind,
                          struct FTW *const at) {
  (void)info, (void)kind, (void)at;
  return remove(path);
}

static void harness_remove_folder(void) {
  (void)nftw(folder, harness_remove, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_path(const char *const name) {
  static char paths[N_PATHS][PATH_BYTES];
  static unsigned next;
  if (!folder[0]) {
    const char *const parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tare-fuzz-XXXXXX", parent ? parent : "/dev/shm");
    if (!mkdtemp(folder)) {
      perror(folder);
      exit(1);
    }
    atexit(harness_remove_folder);
  }
  char *const path = paths[next++ % N_PATHS];
  snprintf(path, PATH_BYTES, "%s/%s", folder, name);
  return path;
}

const char *fuzz_file(const char *const name, const void *const data, const size_t size) {
  const char *const path = fuzz_path(name);
  FILE *const f = fopen(path, "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
    perror(path);
    exit(1);
  }
  return path;
}

void fuzz_take_file(const char *const path, fuzz_take_fn *const take, void *const user) {
  FILE *const f = fopen(path, "rb");
  char *data = NULL;
  size_t size = 0;
  if (f && fseek(f, 0, SEEK_END) == 0) {
    size = (size_t)ftell(f);
    rewind(f);
    data = malloc(size + 1);
  }
  if (!data || fread(data, 1, size, f) != size) {
    perror(path);
    exit(1);
  }
  fclose(f);
  take(user, data, size);
  free(data);
  unlink(path);
}

/* Sanitizers end the process with SIGABRT, as the replay driver expects. HDF5 asks for what a
 * damaged file says, and copes with getting nothing. */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void) {
  return "abort_on_error=1:allocator_may_return_null=1";
}
const char *__ubsan_default_options(void);
__attribute__((visibility("default"))) const char *__ubsan_default_options(void) {
  return "abort_on_error=1:print_stacktrace=1";
}

/* Damaged files make these libraries forget memory of their own. */
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5\nleak:libvorbis\n";
}

const tare_limits *fuzz_limits(void) {
  static tare_limits limits;
  tare_limits_init(&limits);
  limits.memory = 64000000;
  limits.tensor = 4000000;
  limits.elements = 1 << 18;
  limits.archive = 16000000;
  limits.loop_turns = 2000;
  limits.nodes = 4096;
  return &limits;
}

uint64_t fuzz_hash(const uint8_t *const data, const size_t size) {
  return XXH64(data, size, 1);
}

bool fuzz_ok(const tare_status status, const tare_error *const err) {
  if (status != TARE_OK && (!err->message[0] || !memchr(err->message, 0, sizeof err->message))) {
    fprintf(stderr, "status %d has no message\n", (int)status);
    abort();
  }
  return status == TARE_OK;
}

void fuzz_need(const tare_status status, const tare_error *const err) {
  if (!fuzz_ok(status, err)) {
    fprintf(stderr, "%s\n", err->message);
    abort();
  }
}

void fuzz_need_closed(void) {
  if (H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL & ~H5F_OBJ_FILE) != 0) {
    fputs("objects of HDF5 are still open\n", stderr);
    abort();
  }
}

char *fuzz_text(const uint8_t *const data, const size_t size) {
  char *const text = malloc(size + 1);
  if (!text) {
    abort();
  }
  if (size) {
    memcpy(text, data, size);
  }
  text[size] = 0;
  return text;
}
