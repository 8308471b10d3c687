#include "base/source.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/infile.h"
#include "base/mem.h"

tare_status tarei_source_memory(const char *const name, const void *const data, const size_t size,
                                tarei_source *const out, tare_error *const err) {
  *out = (tarei_source){.data = data, .size = size, .name = tarei_strdup(name)};
  return out->name ? TARE_OK : tarei_fail_memory(err, name, strlen(name));
}

tare_status tarei_source_map(const int fd, const char *const name, tarei_source *const out,
                             tare_error *const err) {
  *out = (tarei_source){0};
  int64_t file_size;
  TAREI_TRY(tarei_infile_check_fd(fd, name, &file_size, err));
  const size_t size = (size_t)file_size;
  void *const p = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
  if (p == MAP_FAILED) {
    return tarei_fail(err, tarei_input_status(errno), "%s: cannot map %zu bytes: %s", name, size,
                      strerror(errno));
  }
  const uint8_t *const data = p ? p : (const void *)""; /* NULL + 0 is undefined */
  *out = (tarei_source){.data = data, .size = size, .mapping = p, .name = tarei_strdup(name)};
  if (!out->name) {
    tarei_source_close(out);
    return tarei_fail_memory(err, name, strlen(name));
  }
  return TARE_OK;
}

tare_status tarei_source_open(const char *const path, tarei_source *const out,
                              tare_error *const err) {
  *out = (tarei_source){0};
  int fd;
  TAREI_TRY(tarei_infile_open(path, &fd, NULL, err));
  const tare_status status = tarei_source_map(fd, path, out, err);
  (void)close(fd); /* the mapping lives on; nothing was written */
  return status;
}

bool tarei_file_begins(const char *const path, const void *const bytes, const size_t n) {
  unsigned char head[16];
  assert(n <= sizeof head);
  return tarei_infile_head(path, head, n) == n && memcmp(head, bytes, n) == 0;
}

void tarei_source_close(tarei_source *const source) {
  if (source->mapping) {
    (void)munmap(source->mapping, source->size);
  }
  free(source->name);
  *source = (tarei_source){0};
}
