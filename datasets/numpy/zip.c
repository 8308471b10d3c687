/* The directory at the end of the file counts; of the headers before members only what says where
 * their bytes begin. Names of fields are those of PKWARE's APPNOTE. */
#include "datasets/numpy/zip.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"

enum {
  END_BYTES = 22,
  END_COMMENT_MOST = UINT16_MAX,
  END64_BYTES = 56,
  LOCATOR_BYTES = 20,
  ENTRY_BYTES = 46,
  LOCAL_BYTES = 30,
  EXTRA_ZIP64 = 1,
  METHOD_STORED = 0,
  METHOD_DEFLATED = 8,
  FLAG_ENCRYPTED = 1,
  MOST_RATIO = 1032, /* of deflate */
};

static const uint32_t END = 0x06054b50, END64 = 0x06064b50, LOCATOR = 0x07064b50,
                      ENTRY = 0x02014b50, LOCAL = 0x04034b50;

static uint64_t zip_get(const uint8_t *const p, const int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; i--) {
    value = value << 8 | p[i];
  }
  return value;
}

static bool lies_inside(const tarei_source *const source, const uint64_t at, const uint64_t n) {
  return at <= source->size && n <= source->size - at;
}

/* Where the directory lies. */
typedef struct zip_place {
  uint64_t at, size, n;
} zip_place;

/* The record at the end, behind which only its comment may stand; source->size when missing. */
static size_t find_end(const tarei_source *const source) {
  if (source->size < END_BYTES) {
    return source->size;
  }
  const size_t last = source->size - END_BYTES;
  const size_t first = last > END_COMMENT_MOST ? last - END_COMMENT_MOST : 0;
  for (size_t at = last + 1; at-- > first;) {
    const uint8_t *const p = source->data + at;
    if (zip_get(p, 4) == END && zip_get(p + 20, 2) == last - at) {
      return at;
    }
  }
  return source->size;
}

static tare_status find_place64(const tarei_source *const source, const size_t end,
                                zip_place *const out, tare_error *const err) {
  if (end < LOCATOR_BYTES || zip_get(source->data + end - LOCATOR_BYTES, 4) != LOCATOR) {
    return TARE_OK;
  }
  const uint64_t at = zip_get(source->data + end - LOCATOR_BYTES + 8, 8);
  if (!lies_inside(source, at, END64_BYTES) || zip_get(source->data + at, 4) != END64) {
    return tarei_fail(err, TARE_E_INPUT, "malformed zip archive: no zip64 end record at %llu",
                      (unsigned long long)at);
  }
  const uint8_t *const p = source->data + at;
  *out = (zip_place){.at = zip_get(p + 48, 8), .size = zip_get(p + 40, 8), .n = zip_get(p + 32, 8)};
  return TARE_OK;
}

static tare_status zip_find_place(const tarei_source *const source, zip_place *const out,
                                  tare_error *const err) {
  const size_t end = find_end(source);
  if (end == source->size) {
    return tarei_fail(err, TARE_E_INPUT, "not a zip archive, or truncated: no end record");
  }
  const uint8_t *const p = source->data + end;
  *out = (zip_place){.at = zip_get(p + 16, 4), .size = zip_get(p + 12, 4), .n = zip_get(p + 10, 2)};
  TAREI_TRY(find_place64(source, end, out, err));
  if (!lies_inside(source, out->at, out->size)) {
    return tarei_fail(
        err, TARE_E_INPUT,
        "malformed zip archive: the directory of %llu bytes at %llu is not inside its %zu bytes",
        (unsigned long long)out->size, (unsigned long long)out->at, source->size);
  }
  return TARE_OK;
}

/* One entry of the directory. */
typedef struct zip_entry {
  uint64_t packed, size, local;
  unsigned flags, method;
  uint32_t crc;
  const char *name;
  size_t name_bytes;
} zip_entry;

/* Fields of 32 bits that are all ones stand in the extra field, in this order. */
static void take_zip64(zip_entry *const e, const uint8_t *extra, size_t n) {
  while (n >= 4) {
    const size_t id = zip_get(extra, 2), bytes = zip_get(extra + 2, 2);
    if (bytes > n - 4) {
      return;
    }
    const uint8_t *p = extra + 4, *const stop = p + bytes;
    uint64_t *const fields[] = {&e->size, &e->packed, &e->local};
    for (size_t i = 0; id == EXTRA_ZIP64 && i < sizeof fields / sizeof *fields; i++) {
      if (*fields[i] == UINT32_MAX && stop - p >= 8) {
        *fields[i] = zip_get(p, 8);
        p += 8;
      }
    }
    extra += 4 + bytes;
    n -= 4 + bytes;
  }
}

/* Reads the entry at p, of which `left` bytes are there; gives its size, 0 when damaged. */
static size_t zip_read_entry(const uint8_t *const p, const uint64_t left, zip_entry *const out) {
  if (left < ENTRY_BYTES || zip_get(p, 4) != ENTRY) {
    return 0;
  }
  const size_t name = zip_get(p + 28, 2), extra = zip_get(p + 30, 2), comment = zip_get(p + 32, 2);
  const size_t bytes = ENTRY_BYTES + name + extra + comment;
  if (bytes > left) {
    return 0;
  }
  *out = (zip_entry){.packed = zip_get(p + 20, 4),
                     .size = zip_get(p + 24, 4),
                     .local = zip_get(p + 42, 4),
                     .flags = (unsigned)zip_get(p + 8, 2),
                     .method = (unsigned)zip_get(p + 10, 2),
                     .crc = (uint32_t)zip_get(p + 16, 4),
                     .name = (const char *)p + ENTRY_BYTES,
                     .name_bytes = name};
  take_zip64(out, p + ENTRY_BYTES + name, extra);
  return bytes;
}

static tare_status check_entry(const zip_entry *const e, const char *const name,
                               tare_error *const err) {
  if (e->flags & FLAG_ENCRYPTED) {
    return tarei_fail(err, TARE_E_INPUT, "member '%s' is encrypted", name);
  }
  if (e->method != METHOD_STORED && e->method != METHOD_DEFLATED) {
    return tarei_fail(err, TARE_E_INPUT,
                      "member '%s' uses compression method %u: expected stored or deflated", name,
                      e->method);
  }
  const bool lies =
      e->method == METHOD_STORED ? e->size != e->packed : e->size / MOST_RATIO > e->packed + 1;
  if (lies) {
    return tarei_fail(
        err, TARE_E_INPUT,
        "member '%s' declares %llu bytes unpacked from %llu, which deflate cannot reach", name,
        (unsigned long long)e->size, (unsigned long long)e->packed);
  }
  return TARE_OK;
}

static tare_status zip_locate(const tarei_source *const source, const zip_entry *const e,
                              const char *const name, tarei_packed *const out,
                              tare_error *const err) {
  if (!lies_inside(source, e->local, LOCAL_BYTES) || zip_get(source->data + e->local, 4) != LOCAL) {
    return tarei_fail(err, TARE_E_INPUT, "member '%s' has no local header at %llu", name,
                      (unsigned long long)e->local);
  }
  const uint8_t *const p = source->data + e->local;
  const uint64_t at = e->local + LOCAL_BYTES + zip_get(p + 26, 2) + zip_get(p + 28, 2);
  if (!lies_inside(source, at, e->packed)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "member '%s' is truncated: %llu bytes at %llu in a file of %zu", name,
                      (unsigned long long)e->packed, (unsigned long long)at, source->size);
  }
  *out = (tarei_packed){.data = source->data + at,
                        .packed_size = (size_t)e->packed,
                        .size = (size_t)e->size,
                        .deflated = e->method == METHOD_DEFLATED,
                        .has_crc = true,
                        .crc = e->crc};
  return TARE_OK;
}

static tare_status add_member(tarei_zip *const zip, const tarei_source *const source,
                              const zip_entry *const e, tare_error *const err) {
  char *const name = tarei_strndup(e->name, e->name_bytes);
  if (!name || !TAREI_GROW(zip->members, zip->n, zip->capacity)) {
    free(name);
    return tarei_fail_memory(err, "the directory of an archive", e->name_bytes);
  }
  tarei_zip_member *const member = &zip->members[zip->n++];
  *member = (tarei_zip_member){.name = name};
  TAREI_TRY(check_entry(e, name, err));
  return zip_locate(source, e, name, &member->packed, err);
}

tare_status tarei_zip_open(const tarei_source *const source, const tare_limits *const limits,
                           tarei_zip *const out, tare_error *const err) {
  *out = (tarei_zip){0};
  zip_place where = {0};
  TAREI_TRY(zip_find_place(source, &where, err));
  const uint8_t *p = source->data + where.at;
  uint64_t left = where.size;
  int64_t unpacked = 0;
  for (uint64_t i = 0; i < where.n; i++) {
    zip_entry e;
    const size_t bytes = zip_read_entry(p, left, &e);
    if (bytes == 0) {
      return tarei_fail(err, TARE_E_INPUT,
                        "malformed zip archive: malformed directory entry %llu of %llu",
                        (unsigned long long)i, (unsigned long long)where.n);
    }
    TAREI_TRY(add_member(out, source, &e, err));
    if (e.size > (uint64_t)(limits->archive - unpacked)) {
      return tarei_fail_limit(err, limits, TAREI_LIMIT_archive, -1, "members unpack to");
    }
    unpacked += (int64_t)e.size;
    p += bytes;
    left -= bytes;
  }
  return TARE_OK;
}

void tarei_zip_fini(tarei_zip *const zip) {
  for (size_t i = 0; i < zip->n; i++) {
    free(zip->members[i].name);
  }
  free(zip->members);
  *zip = (tarei_zip){0};
}
