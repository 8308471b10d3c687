#include "datasets/hdf5/hdf5_chunks.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

#define MOST_CHUNK ((size_t)1 << 30) /* bytes */
#define MOST_FILTERS 32              /* the bits of a mask */
#define ROW_FIXED 8                  /* length and index of a row */
#define SUM_BYTES 4                  /* of Fletcher32, behind the data */
#define SURPLUS 4096 /* what filters may add to a chunk that they cannot make smaller */

struct tarei_h5_chunks {
  hid_t set; /* not owned */
  int rank;
  hsize_t dims[H5S_MAX_RANK], extent[H5S_MAX_RANK]; /* of a chunk, and of the data set */
  size_t bytes;                                     /* of a chunk that is unpacked */
  bool plain_edges;                                 /* chunks over the edge have no filters */
  int n_filters;
  H5Z_filter_t filters[MOST_FILTERS];
  unsigned char *stored; /* a chunk as it is in the file; owned */
  size_t capacity;
  hsize_t seen[64]; /* right ones: their numbers and 1, at the remainder; 0: none */
};

/* --- the data set ----------------------------------------------------------------------------- */

/* Of an element in the file: a row of changing length is its length, an address and an index. */
static size_t stored_bytes(const hid_t set, const hid_t type) {
  if (H5Tget_class(type) != H5T_VLEN) {
    return H5Tget_size(type);
  }
  const hid_t file = H5Iget_file_id(set), creation = H5Fget_create_plist(file);
  size_t address = 0, length = 0;
  const bool ok = H5Pget_sizes(creation, &address, &length) >= 0;
  (void)H5Pclose(creation); /* were only looked at */
  (void)H5Fclose(file);
  return ok ? ROW_FIXED + address : 0;
}

static tare_status chunks_measure(tarei_h5_chunks *const c, const hid_t list,
                                  const char *const path, tare_error *const err) {
  const hid_t type = H5Dget_type(c->set), space = H5Dget_space(c->set);
  c->rank = H5Pget_chunk(list, H5S_MAX_RANK, c->dims);
  c->bytes = stored_bytes(c->set, type);
  bool ok =
      c->rank > 0 && c->bytes > 0 && H5Sget_simple_extent_dims(space, c->extent, NULL) == c->rank;
  (void)H5Tclose(type); /* were only looked at */
  (void)H5Sclose(space);
  if (!ok) {
    return tarei_fail(err, TARE_E_INPUT, "data set '%s' has chunks of an unknown size", path);
  }
  for (int d = 0; d < c->rank && ok; d++) {
    ok = c->dims[d] > 0 && tarei_mul_size(c->bytes, (size_t)c->dims[d], &c->bytes) &&
         c->bytes <= MOST_CHUNK;
  }
  return ok ? TARE_OK
            : tarei_fail(err, TARE_E_LIMIT, "data set '%s' has chunks of more than %zu bytes", path,
                         MOST_CHUNK);
}

static void chunks_find_filters(tarei_h5_chunks *const c, const hid_t list) {
  unsigned options = 0;
  c->plain_edges = H5Pget_chunk_opts(list, &options) >= 0 &&
                   (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
  const int n = H5Pget_nfilters(list);
  c->n_filters = n < MOST_FILTERS ? n : MOST_FILTERS;
  for (int i = 0; i < c->n_filters; i++) {
    unsigned flags = 0;
    c->filters[i] = H5Pget_filter2(list, (unsigned)i, &flags, NULL, NULL, 0, NULL, NULL);
  }
}

tare_status tarei_h5_chunks_new(const hid_t set, const char *const path,
                                tarei_h5_chunks **const out, tare_error *const err) {
  *out = NULL;
  const hid_t list = H5Dget_create_plist(set);
  if (list < 0 || H5Pget_layout(list) != H5D_CHUNKED) {
    (void)H5Pclose(list);
    return TARE_OK;
  }
  tarei_h5_chunks *c = tarei_calloc(1, sizeof *c);
  tare_status status = c ? TARE_OK : tarei_fail_memory(err, path, sizeof *c);
  if (c) {
    c->set = set;
    status = chunks_measure(c, list, path, err);
    chunks_find_filters(c, list);
  }
  (void)H5Pclose(list);
  if (status != TARE_OK) {
    tarei_h5_chunks_free(&c);
  }
  *out = c;
  return status;
}

void tarei_h5_chunks_free(tarei_h5_chunks **const chunks) {
  if (*chunks) {
    free((*chunks)->stored);
    free(*chunks);
    *chunks = NULL;
  }
}

/* --- one chunk -------------------------------------------------------------------------------- */

/* The bytes that a stream of zlib has, at most one more than `most`. */
static tare_status count_inflated(const unsigned char *const data, const size_t n,
                                  const size_t most, size_t *const out, tare_error *const err) {
  unsigned char unpacked[16384];
  z_stream stream = {.next_in = (z_const Bytef *)data, .avail_in = (uInt)n};
  if (inflateInit(&stream) != Z_OK) {
    return tarei_fail_memory(err, "unpacking a chunk", sizeof unpacked);
  }
  int rc = Z_OK;
  *out = 0;
  while (rc == Z_OK && *out <= most) {
    stream.next_out = unpacked;
    stream.avail_out = sizeof unpacked;
    rc = inflate(&stream, Z_NO_FLUSH);
    *out += sizeof unpacked - stream.avail_out;
  }
  (void)inflateEnd(&stream); /* has nothing to say of a stream that was only read */
  return rc == Z_MEM_ERROR ? tarei_fail_memory(err, "unpacking a chunk", sizeof unpacked) : TARE_OK;
}

/* What the `n` bytes in c->stored unpack to, without the filters of the mask. */
static tare_status count_unpacked(const tarei_h5_chunks *const c, const uint32_t mask, size_t n,
                                  size_t *const out, tare_error *const err) {
  bool moved = false; /* the bytes at c->stored are no more those that the next filter reads */
  for (int i = c->n_filters - 1; i >= 0; i--) {
    const H5Z_filter_t filter = mask >> i & 1 ? H5Z_FILTER_NONE : c->filters[i];
    switch (filter) {
      case H5Z_FILTER_NONE:
        break;
      case H5Z_FILTER_SHUFFLE:
        moved = true;
        break;
      case H5Z_FILTER_FLETCHER32:
        n -= n < SUM_BYTES ? n : SUM_BYTES;
        break;
      case H5Z_FILTER_DEFLATE:
        if (moved) {
          n = 0; /* nobody packs what is packed, or shuffles it */
          break;
        }
        TAREI_TRY(count_inflated(c->stored, n, c->bytes, &n, err));
        moved = true;
        break;
      default:
        *out = c->bytes;
        return TARE_OK;
    }
  }
  *out = n;
  return TARE_OK;
}

static bool has_filters(const tarei_h5_chunks *const c, const hsize_t *const at) {
  bool partial = false;
  for (int d = 0; d < c->rank; d++) {
    partial |= c->extent[d] - at[d] < c->dims[d];
  }
  return c->n_filters > 0 && !(c->plain_edges && partial);
}

static tare_status unpacked_size(tarei_h5_chunks *const c, const hsize_t *const at,
                                 const hsize_t stored, size_t *const out, tare_error *const err) {
  *out = (size_t)stored;
  if (!has_filters(c, at)) {
    return TARE_OK;
  }
  if (stored > c->bytes + c->bytes / 2 + SURPLUS) {
    return TARE_OK; /* the wrong size all the same */
  }
  if (stored > c->capacity) {
    unsigned char *const more = tarei_realloc(c->stored, (size_t)stored);
    if (!more) {
      return tarei_fail_memory(err, "a chunk", (size_t)stored);
    }
    c->stored = more;
    c->capacity = (size_t)stored;
  }
  uint32_t mask = 0;
  return H5Dread_chunk(c->set, H5P_DEFAULT, at, &mask, c->stored) < 0
             ? tarei_fail(err, TARE_E_INPUT,
                          "a chunk cannot be read: the file is truncated or damaged")
             : count_unpacked(c, mask, (size_t)stored, out, err);
}

static tare_status check_chunk(tarei_h5_chunks *const c, const hsize_t *const at,
                               tare_error *const err) {
  hsize_t stored = 0;
  if (H5Dget_chunk_storage_size(c->set, at, &stored) < 0 || stored == 0) {
    return TARE_OK; /* it has the fill value, or HDF5 cannot read it either */
  }
  size_t bytes = 0;
  TAREI_TRY(unpacked_size(c, at, stored, &bytes, err));
  return bytes == c->bytes
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT,
                          "a chunk of %zu bytes is stored as %llu that do not unpack to it: the "
                          "file is damaged",
                          c->bytes, (unsigned long long)stored);
}

/* --- a box ------------------------------------------------------------------------------------ */

static tare_status check_chunk_once(tarei_h5_chunks *const c, const hsize_t *const at,
                                    tare_error *const err) {
  hsize_t number = 0;
  for (int d = 0; d < c->rank; d++) {
    number = number * (c->extent[d] / c->dims[d] + 1) + at[d] / c->dims[d];
  }
  hsize_t *const slot = &c->seen[number % (sizeof c->seen / sizeof *c->seen)];
  if (*slot != number + 1) {
    TAREI_TRY(check_chunk(c, at, err));
    *slot = number + 1;
  }
  return TARE_OK;
}

tare_status tarei_h5_chunks_check(tarei_h5_chunks *const chunks, const hsize_t *const start,
                                  const hsize_t *const count, tare_error *const err) {
  tarei_h5_chunks *const c = chunks;
  if (!c) {
    return TARE_OK;
  }
  hsize_t first[H5S_MAX_RANK], at[H5S_MAX_RANK];
  for (int d = 0; d < c->rank; d++) {
    first[d] = at[d] = start[d] / c->dims[d] * c->dims[d];
  }
  for (int d = 0; d >= 0;) {
    TAREI_TRY(check_chunk_once(c, at, err));
    for (d = c->rank - 1; d >= 0; d--) {
      at[d] += c->dims[d];
      if (at[d] < start[d] + count[d]) {
        break;
      }
      at[d] = first[d];
    }
  }
  return TARE_OK;
}

tare_status tarei_h5_check_all_chunks(const hid_t set, const char *const path,
                                      tare_error *const err) {
  static const hsize_t start[H5S_MAX_RANK];
  tarei_h5_chunks *chunks = NULL;
  TAREI_TRY(tarei_h5_chunks_new(set, path, &chunks, err));
  const tare_status status =
      chunks ? tarei_h5_chunks_check(chunks, start, chunks->extent, err) : TARE_OK;
  tarei_h5_chunks_free(&chunks);
  return status;
}
