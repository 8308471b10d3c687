/* Format: "HDF5 File Format Specification", III.E, Disk Format: Level 1E, Global Heap. */
#include "datasets/hdf5/hdf5_vlen_check.h"

#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

enum { HEAP_MAGIC = 4, HEAP_FIXED = 8, OBJECT_FIXED = 8, LENGTH_BYTES = 4, INDEX_BYTES = 4 };

static tare_status hdf5_vlen_check_map_file(const hid_t file, tarei_source *const out,
                                            tare_error *const err) {
  const ssize_t length = H5Fget_name(file, NULL, 0);
  char *const path = length > 0 ? tarei_calloc((size_t)length + 1, 1) : NULL;
  if (!path || H5Fget_name(file, path, (size_t)length + 1) < 0) {
    free(path);
    return tarei_fail(err, TARE_E_MEMORY, "cannot find out the name of an HDF5 file");
  }
  const tare_status status = tarei_source_open(path, out, err);
  free(path);
  return status;
}

static bool hdf5_vlen_check_read_sizes(const hid_t file, tarei_vlen_check *const check) {
  const hid_t creation = H5Fget_create_plist(file);
  hsize_t block = 0;
  const bool good = creation >= 0 &&
                    H5Pget_sizes(creation, &check->address_bytes, &check->length_bytes) >= 0 &&
                    H5Pget_userblock(creation, &block) >= 0 && check->address_bytes <= 8 &&
                    check->length_bytes <= 8 && block < check->bytes.size;
  check->base = (size_t)block;
  if (creation >= 0) {
    (void)H5Pclose(creation);
  }
  return good;
}

static size_t element_bytes(const hid_t set) {
  const hid_t type = H5Dget_type(set);
  const hid_t element = type >= 0 ? H5Tget_super(type) : H5I_INVALID_HID;
  const size_t bytes = element >= 0 ? H5Tget_size(element) : 0;
  if (element >= 0) {
    (void)H5Tclose(element);
  }
  if (type >= 0) {
    (void)H5Tclose(type);
  }
  return bytes;
}

/* Whether the place of the descriptors in the file can be told. */
static bool find_rows(const hid_t set, tarei_vlen_check *const check) {
  const hid_t creation = H5Dget_create_plist(set);
  const H5D_layout_t layout = creation >= 0 ? H5Pget_layout(creation) : H5D_LAYOUT_ERROR;
  bool found = false;
  if (layout == H5D_CONTIGUOUS) {
    const haddr_t rows = H5Dget_offset(set);
    check->rows = (size_t)rows;
    found = rows != HADDR_UNDEF;
  } else if (layout == H5D_CHUNKED && check->base == 0) {
    found = H5Pget_nfilters(creation) == 0 && H5Pget_chunk(creation, 1, &check->chunk) == 1;
  }
  if (creation >= 0) {
    (void)H5Pclose(creation);
  }
  return found;
}

tare_status tarei_vlen_check_init(const hid_t file, const hid_t set, tarei_vlen_check *const out,
                                  tare_error *const err) {
  *out = (tarei_vlen_check){.set = set};
  TAREI_TRY(hdf5_vlen_check_map_file(file, &out->bytes, err));
  out->element_bytes = element_bytes(set);
  out->active =
      out->element_bytes > 0 && hdf5_vlen_check_read_sizes(file, out) && find_rows(set, out);
  return TARE_OK;
}

void tarei_vlen_check_fini(tarei_vlen_check *const check) {
  tarei_source_close(&check->bytes);
}

void tarei_vlen_check_release(const tarei_vlen_check *const check) {
  if (check->bytes.mapping) { /* only advice: nothing is lost when it is not taken */
    (void)madvise(check->bytes.mapping, check->bytes.size, MADV_DONTNEED);
  }
}

static uint64_t read_uint(const uint8_t *const p, const size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i-- > 0;) {
    value = value << 8 | p[i];
  }
  return value;
}

/* Whether n bytes stand at `at`. */
static bool inside(const tarei_vlen_check *const check, const uint64_t at, const uint64_t n) {
  return at <= check->bytes.size && n <= check->bytes.size - at;
}

/* Place of the descriptor of row i; false where nothing was written, which reads as no row. */
static bool find_descriptor(const tarei_vlen_check *const check, const int64_t i,
                            uint64_t *const at) {
  const uint64_t bytes = LENGTH_BYTES + check->address_bytes + INDEX_BYTES;
  if (check->chunk == 0) {
    *at = check->rows + (uint64_t)i * bytes;
    return true;
  }
  const hsize_t within = (hsize_t)i % check->chunk, first = (hsize_t)i - within;
  unsigned filters = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t size = 0;
  if (H5Dget_chunk_info_by_coord(check->set, &first, &filters, &address, &size) < 0 ||
      address == HADDR_UNDEF) {
    return false;
  }
  *at = address + within * bytes;
  return true;
}

/* Walks over all objects of a heap, as the library will. True when each lies inside it and object
 * `index` holds `need` bytes. */
static bool heap_holds(const tarei_vlen_check *const check, uint64_t at, const uint64_t end,
                       const uint64_t index, const uint64_t need) {
  const uint64_t header = tarei_round_up(OBJECT_FIXED + check->length_bytes, 8);
  bool found = false;
  while (end - at >= header) {
    const uint8_t *const object = check->bytes.data + at;
    const uint64_t own = read_uint(object, 2);
    const uint64_t size = read_uint(object + OBJECT_FIXED, check->length_bytes);
    if (size > end - at) {
      return false;
    }
    const uint64_t step = own == 0 ? size : header + tarei_round_up(size, 8); /* 0: free space */
    if (step < header || step > end - at) {
      return false;
    }
    found = found || (own == index && index != 0 && size >= need);
    at += step;
  }
  return found;
}

static bool points_at_row(const tarei_vlen_check *const check, const uint64_t address,
                          const uint64_t index, const uint64_t need) {
  const uint64_t header = tarei_round_up(HEAP_FIXED + check->length_bytes, 8);
  if (!inside(check, address, check->base)) { /* so that the sum below cannot wrap */
    return false;
  }
  const uint64_t at = address + check->base;
  if (!inside(check, at, header) ||
      memcmp(check->bytes.data + at, "GCOL\1", HEAP_MAGIC + 1 /* version */) != 0) {
    return false;
  }
  const uint64_t size = read_uint(check->bytes.data + at + HEAP_FIXED, check->length_bytes);
  return size >= header && inside(check, at, size) &&
         heap_holds(check, at + header, at + size, index, need);
}

tare_status tarei_vlen_check_row(const tarei_vlen_check *const check, const int64_t i,
                                 const int64_t max_elements, tare_error *const err) {
  uint64_t at;
  if (!check->active || !find_descriptor(check, i, &at)) {
    return TARE_OK;
  }
  if (!inside(check, at, LENGTH_BYTES + check->address_bytes + INDEX_BYTES)) {
    return tarei_fail(err, TARE_E_INPUT, "descriptor at byte %llu is outside the file",
                      (unsigned long long)at);
  }
  const uint8_t *const p = check->bytes.data + at;
  const uint64_t length = read_uint(p, LENGTH_BYTES);
  const uint64_t address = read_uint(p + LENGTH_BYTES, check->address_bytes);
  const uint64_t index = read_uint(p + LENGTH_BYTES + check->address_bytes, INDEX_BYTES);
  if (address == 0) {
    return TARE_OK; /* a row that was never written */
  }
  if (length > (uint64_t)max_elements) {
    return tarei_fail(err, TARE_E_INPUT,
                      "has %llu elements, more than the %lld that max-elements allows",
                      (unsigned long long)length, (long long)max_elements);
  }
  if (!points_at_row(check, address, index, length * check->element_bytes)) {
    return tarei_fail(
        err, TARE_E_INPUT, "descriptor (%llu elements at byte %llu, object %llu) points at no data",
        (unsigned long long)length, (unsigned long long)address, (unsigned long long)index);
  }
  return TARE_OK;
}
