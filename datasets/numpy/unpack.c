#include "datasets/numpy/unpack.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

enum { SKIP_BYTES = 1 << 14, MOST_STEP = 1 << 30 /* a zlib count has 32 bits */ };

struct tarei_unpack {
  tarei_packed packed;
  size_t taken;
  z_stream z;
  bool inflating; /* z needs an end */
  size_t fed;     /* packed bytes handed to z */
  bool unsummed;  /* bytes were passed over without a look */
  uint32_t crc;
};

tare_status tarei_unpack_new(const tarei_packed *const packed, tarei_unpack **const out,
                             tare_error *const err) {
  tarei_unpack *const u = tarei_calloc(1, sizeof *u);
  if (!u) {
    return tarei_fail_memory(err, "unpacking", sizeof *u);
  }
  u->packed = *packed;
  if (packed->deflated) {
    if (inflateInit2(&u->z, -MAX_WBITS /* no zlib header */) != Z_OK) {
      free(u);
      return tarei_fail_memory(err, "unpacking", (size_t)1 << MAX_WBITS);
    }
    u->inflating = true;
  }
  *out = u;
  return TARE_OK;
}

void tarei_unpack_free(tarei_unpack **const unpack) {
  if (*unpack && (*unpack)->inflating) {
    (void)inflateEnd(&(*unpack)->z); /* frees in any state */
  }
  free(*unpack);
  *unpack = NULL;
}

size_t tarei_unpack_left(const tarei_unpack *const u) {
  return u->packed.size - u->taken;
}

static void feed(tarei_unpack *const u) {
  const size_t left = u->packed.packed_size - u->fed;
  const size_t n = left < MOST_STEP ? left : MOST_STEP;
  if (u->z.avail_in == 0 && n > 0) {
    u->z.next_in = (Bytef *)u->packed.data + u->fed; /* zlib only reads it */
    u->z.avail_in = (uInt)n;
    u->fed += n;
  }
}

/* Up to n bytes, at most MOST_STEP; *got < n at the end of the stream only. */
static tare_status inflate_some(tarei_unpack *const u, uint8_t *const out, const size_t n,
                                size_t *const got, tare_error *const err) {
  u->z.next_out = out;
  u->z.avail_out = (uInt)n;
  int result = Z_OK;
  while (result == Z_OK && u->z.avail_out > 0) {
    feed(u);
    result = inflate(&u->z, Z_NO_FLUSH);
  }
  *got = n - u->z.avail_out;
  if (result == Z_OK || result == Z_STREAM_END) {
    return TARE_OK;
  }
  if (result == Z_MEM_ERROR) {
    return tarei_fail_memory(err, "unpacking", (size_t)1 << MAX_WBITS);
  }
  return tarei_fail(err, TARE_E_INPUT, "corrupt: %s after %zu unpacked bytes",
                    result == Z_BUF_ERROR ? "the compressed data ends"
                                          : (u->z.msg ? u->z.msg : "invalid deflate stream"),
                    u->taken + *got);
}

static tare_status inflate_all(tarei_unpack *const u, uint8_t *const out, const size_t n,
                               tare_error *const err) {
  for (size_t done = 0; done < n;) {
    const size_t step = n - done < MOST_STEP ? n - done : MOST_STEP;
    size_t got;
    TAREI_TRY(inflate_some(u, out + done, step, &got, err));
    if (got < step) {
      return tarei_fail(err, TARE_E_INPUT, "corrupt: unpacks to %zu bytes, %zu declared",
                        u->taken + done + got, u->packed.size);
    }
    done += got;
  }
  return TARE_OK;
}

static void add_crc(tarei_unpack *const u, const uint8_t *const bytes, const size_t n) {
  if (u->packed.has_crc) {
    u->crc = (uint32_t)crc32_z(u->crc, bytes, n);
  }
}

static tare_status skip_deflated(tarei_unpack *const u, const size_t n, tare_error *const err) {
  uint8_t block[SKIP_BYTES];
  for (size_t done = 0; done < n;) {
    const size_t step = n - done < SKIP_BYTES ? n - done : SKIP_BYTES;
    TAREI_TRY(inflate_all(u, block, step, err));
    add_crc(u, block, step);
    u->taken += step;
    done += step;
  }
  return TARE_OK;
}

static tare_status take_deflated(tarei_unpack *const u, uint8_t *const out, const size_t n,
                                 tare_error *const err) {
  TAREI_TRY(inflate_all(u, out, n, err));
  add_crc(u, out, n);
  u->taken += n;
  return TARE_OK;
}

static void take_stored(tarei_unpack *const u, uint8_t *const out, const size_t n) {
  const uint8_t *const from = u->packed.data + u->taken;
  if (out) {
    memcpy(out, from, n);
    add_crc(u, from, n);
  } else {
    u->unsummed = true;
  }
  u->taken += n;
}

static tare_status check_end(tarei_unpack *const u, tare_error *const err) {
  uint8_t more;
  size_t got = 0;
  if (u->packed.deflated) {
    TAREI_TRY(inflate_some(u, &more, 1, &got, err));
  }
  if (got > 0) {
    return tarei_fail(err, TARE_E_INPUT, "corrupt: unpacks to more than the %zu bytes declared",
                      u->packed.size);
  }
  if (u->packed.has_crc && !u->unsummed && u->crc != u->packed.crc) {
    return tarei_fail(err, TARE_E_INPUT, "corrupt: checksum %08x, expected %08x", u->crc,
                      u->packed.crc);
  }
  return TARE_OK;
}

tare_status tarei_unpack_read(tarei_unpack *const u, void *const out, const size_t n,
                              tare_error *const err) {
  if (n > tarei_unpack_left(u)) {
    return tarei_fail(err, TARE_E_INPUT, "truncated: %zu bytes expected, %zu left", n,
                      tarei_unpack_left(u));
  }
  if (n == 0) {
    return TARE_OK;
  }
  if (!u->packed.deflated) {
    take_stored(u, out, n);
  } else {
    TAREI_TRY(out ? take_deflated(u, out, n, err) : skip_deflated(u, n, err));
  }
  return tarei_unpack_left(u) == 0 ? check_end(u, err) : TARE_OK;
}
