#include "base/seal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/infile.h"
#include "base/mem.h"

#define MARK "tareXXH1"
enum { MARK_BYTES = 8, SEAL_BYTES = 16, BLOCK = 1 << 16 };

/* False if reading fails (*unread) or memory runs out. */
static bool seal_hash(const int fd, const uint64_t bytes, uint64_t *const out, bool *const unread) {
  XXH64_state_t *const state = XXH64_createState();
  unsigned char *const block = tarei_calloc(BLOCK, 1);
  bool ok = state && block && XXH64_reset(state, 0 /* seed */) == XXH_OK;
  *unread = false;
  for (uint64_t at = 0; ok && at < bytes;) {
    const size_t wanted = bytes - at < BLOCK ? (size_t)(bytes - at) : BLOCK;
    const ssize_t n = pread(fd, block, wanted, (off_t)at);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    *unread = n <= 0;
    ok = !*unread && XXH64_update(state, block, (size_t)n) == XXH_OK;
    at += ok ? (uint64_t)n : 0;
  }
  *out = ok ? XXH64_digest(state) : 0;
  free(block);
  (void)XXH64_freeState(state); /* always succeeds */
  return ok;
}

static void seal_put(const uint64_t hash, unsigned char *const to) {
  memcpy(to, MARK, MARK_BYTES);
  for (int i = 0; i < 8; i++) {
    to[MARK_BYTES + i] = (unsigned char)(hash >> 8 * i);
  }
}

tare_status tarei_seal_add(tarei_outfile *const out, tare_error *const err) {
  unsigned char seal[SEAL_BYTES];
  uint64_t hash;
  bool unread;
  TAREI_TRY(tarei_outfile_check(out, err));
  if (!seal_hash(out->fd, out->size, &hash, &unread)) {
    return unread ? tarei_fail(err, TARE_E_IO, "%s: cannot read what was written", out->path)
                  : tarei_fail_memory(err, "a checksum", BLOCK);
  }
  seal_put(hash, seal);
  tarei_outfile_write(out, seal, sizeof seal);
  return TARE_OK;
}

static tare_status seal_check_open(const char *const path, const int fd, const uint64_t size,
                                   bool *const sealed, tare_error *const err) {
  unsigned char found[SEAL_BYTES], seal[SEAL_BYTES];
  uint64_t hash;
  bool unread;
  if (size < SEAL_BYTES || pread(fd, found, SEAL_BYTES, (off_t)(size - SEAL_BYTES)) != SEAL_BYTES ||
      memcmp(found, MARK, MARK_BYTES) != 0) {
    return TARE_OK;
  }
  *sealed = true;
  if (!seal_hash(fd, size - SEAL_BYTES, &hash, &unread)) {
    return unread ? tarei_fail(err, TARE_E_INPUT, "%s: cannot be read", path)
                  : tarei_fail_memory(err, "a checksum", BLOCK);
  }
  seal_put(hash, seal);
  return memcmp(found, seal, SEAL_BYTES) == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT,
                          "%s: corrupt: its checksum does not match its contents (copy the file "
                          "again, or write it anew)",
                          path);
}

tare_status tarei_seal_check(const char *const path, bool *const sealed, tare_error *const err) {
  int fd;
  int64_t size;
  *sealed = false;
  TAREI_TRY(tarei_infile_open(path, &fd, &size, err));
  const tare_status status = seal_check_open(path, fd, (uint64_t)size, sealed, err);
  (void)close(fd); /* was only read */
  return status;
}
