#include "calib/file/stats_read.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/hdf5/hdf5_chunks.h"
#include "datasets/hdf5/hdf5_driver.h"
#include "datasets/hdf5/hdf5_file.h"
#include "datasets/hdf5/hdf5_guard.h"
#include "datasets/hdf5/hdf5_lock.h"

enum { MAX_TEXT = 1 << 16 };

tare_status tarei_stats_bad(const tarei_stats_reader *const r, const char *const object,
                            const char *const rule) {
  return tarei_fail(r->err, TARE_E_INPUT, "%s: %s %s", r->path, object, rule);
}

static hid_t open_attribute(const hid_t file, const char *const name, const H5T_class_t class) {
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  if (attribute < 0) {
    return H5I_INVALID_HID;
  }
  const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const bool ok =
      H5Tget_class(type) == class && H5Sget_simple_extent_npoints(space) == 1 &&
      (class != H5T_STRING || (H5Tis_variable_str(type) == 0 && H5Tget_size(type) <= MAX_TEXT));
  (void)H5Tclose(type); /* closing what was only looked at */
  (void)H5Sclose(space);
  if (!ok) {
    (void)H5Aclose(attribute);
  }
  return ok ? attribute : H5I_INVALID_HID;
}

/* A copy, or NULL. */
static char *stats_read_text(const hid_t file, const char *const name) {
  const hid_t attribute = open_attribute(file, name, H5T_STRING);
  if (attribute < 0) {
    return NULL;
  }
  const hid_t type = H5Aget_type(attribute);
  char *const text = tarei_calloc(H5Tget_size(type) + 1, 1);
  const bool ok = text && H5Aread(attribute, type, text) >= 0;
  (void)H5Tclose(type); /* were only read */
  (void)H5Aclose(attribute);
  if (!ok) {
    free(text);
  }
  return ok ? text : NULL;
}

bool tarei_stats_has_format(const hid_t file, const char *const format) {
  char *const found = stats_read_text(file, "format");
  const bool ok = found && strcmp(found, format) == 0;
  free(found);
  return ok;
}

bool tarei_stats_is_of_format(const char *const path, const char *const format) {
  if (!tarei_h5_has_signature(path)) {
    return false;
  }
  if (tarei_hdf5_lock(NULL) != TARE_OK) {
    return true;
  }
  const hid_t file = tarei_h5_open_read(path);
  const bool marked = file >= 0 && tarei_stats_has_format(file, format);
  if (file >= 0) {
    (void)H5Fclose(file); /* was only read */
  }
  const bool yes = marked || tarei_hdf5_in_trouble();
  (void)tarei_hdf5_unlock(TARE_OK, NULL); /* asked above */
  return yes;
}

static bool get_number(const hid_t file, const char *const name, uint64_t *const out) {
  const hid_t attribute = open_attribute(file, name, H5T_INTEGER);
  if (attribute < 0) {
    return false;
  }
  const bool ok = H5Aread(attribute, H5T_NATIVE_UINT64, out) >= 0;
  (void)H5Aclose(attribute); /* was only read */
  return ok;
}

void tarei_stats_find_number(const tarei_stats_reader *const r, const char *const name,
                             uint64_t *const out) {
  (void)get_number(r->file, name, out);
}

tare_status tarei_stats_need_number(const tarei_stats_reader *const r, const char *const name,
                                    uint64_t *const out) {
  return get_number(r->file, name, out)
             ? TARE_OK
             : tarei_stats_bad(r, name, "is missing or not one integer: the file is corrupt");
}

tare_status tarei_stats_need_text(const tarei_stats_reader *const r, const char *const name,
                                  char **const out) {
  *out = stats_read_text(r->file, name);
  return *out ? TARE_OK
              : tarei_stats_bad(r, name, "is missing or not one string: the file is corrupt");
}

tare_status tarei_stats_open_set(const tarei_stats_reader *const r, const char *const path,
                                 const H5T_class_t class, const int rank, int64_t *const dims,
                                 hid_t *const out) {
  const hid_t inside = tarei_h5_inside(H5P_DATASET_ACCESS);
  const hid_t set = H5Dopen2(r->file, path, inside);
  (void)H5Pclose(inside);
  if (set < 0) {
    return tarei_stats_bad(r, path, "is missing: the file is corrupt or truncated");
  }
  const tare_status stored = tarei_h5_check_storage(set, path, r->err);
  if (stored != TARE_OK) {
    (void)H5Dclose(set);
    return tarei_fail_in(r->err, stored, "%s", r->path);
  }
  const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  hsize_t found[H5S_MAX_RANK] = {0};
  bool ok = H5Tget_class(type) == class && H5Sget_simple_extent_ndims(space) == rank &&
            H5Sget_simple_extent_dims(space, found, NULL) == rank;
  for (int i = 0; ok && i < rank; i++) {
    ok = found[i] <= r->most && (dims[i] < 0 || (hsize_t)dims[i] == found[i]);
    dims[i] = ok ? (int64_t)found[i] : 0;
  }
  (void)H5Tclose(type); /* were only looked at */
  (void)H5Sclose(space);
  if (!ok) {
    (void)H5Dclose(set);
    return tarei_stats_bad(r, path, "has the wrong type or shape");
  }
  *out = set;
  return TARE_OK;
}

/* Memory for an uncompressed array, which cannot be larger than its file. */
static tare_status stats_read_make_block(const tarei_stats_reader *const r, const char *const path,
                                         const size_t n, const size_t size, char **const out) {
  size_t bytes = 0;
  if (!tarei_mul_size(n, size, &bytes) || bytes > r->file_size) {
    return tarei_stats_bad(r, path, "is larger than the file that holds it");
  }
  *out = tarei_calloc(bytes, 1);
  return *out ? TARE_OK : tarei_fail_memory(r->err, path, bytes);
}

static tare_status stats_read_all(const tarei_stats_reader *const r, const char *const path,
                                  const hid_t set, const hid_t type, const size_t n,
                                  void *const data) {
  const tare_status chunks = n ? tarei_h5_check_all_chunks(set, path, r->err) : TARE_OK;
  if (chunks != TARE_OK) {
    return tarei_fail_in(r->err, chunks, "%s: %s", r->path, path);
  }
  if (n && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
    return tarei_stats_bad(r, path, "cannot be read: the file is corrupt or truncated");
  }
  return TARE_OK;
}

static tare_status read_text_block(const tarei_stats_reader *const r, const char *const path,
                                   const hid_t set, tarei_stats_texts *const out) {
  const hid_t type = H5Dget_type(set);
  out->size = H5Tget_size(type);
  tare_status status = TARE_OK;
  if (H5Tis_variable_str(type) != 0 || out->size > MAX_TEXT) {
    status = tarei_stats_bad(r, path, "must hold strings of one length");
  } else {
    status = stats_read_make_block(r, path, (size_t)out->n, out->size, &out->block);
  }
  if (status == TARE_OK) {
    status = stats_read_all(r, path, set, type, (size_t)out->n, out->block);
  }
  (void)H5Tclose(type); /* was only looked at */
  return status;
}

tare_status tarei_stats_read_texts(const tarei_stats_reader *const r, const char *const path,
                                   const int64_t expected, tarei_stats_texts *const out) {
  hid_t set = H5I_INVALID_HID;
  int64_t dims[] = {expected};
  *out = (tarei_stats_texts){0};
  TAREI_TRY(tarei_stats_open_set(r, path, H5T_STRING, 1, dims, &set));
  out->n = (int)dims[0];
  const tare_status status = read_text_block(r, path, set, out);
  (void)H5Dclose(set); /* was only read */
  if (status != TARE_OK) {
    free(out->block);
    *out = (tarei_stats_texts){0};
  }
  return status;
}

tare_status tarei_stats_take_text(const tarei_stats_reader *const r,
                                  const tarei_stats_texts *const t, const int i,
                                  char **const slot) {
  *slot = tarei_strndup(t->block + (size_t)i * t->size, t->size);
  return *slot ? TARE_OK : tarei_fail_memory(r->err, "a name", t->size);
}

tare_status tarei_stats_read_array(const tarei_stats_reader *const r, const char *const path,
                                   const H5T_class_t class, const hid_t type, const size_t size,
                                   const int rank, const int64_t *const dims, char **const out) {
  hid_t set = H5I_INVALID_HID;
  int64_t found[] = {dims[0], rank > 1 ? dims[1] : 1, rank > 2 ? dims[2] : 1};
  assert(rank <= 3 && (rank < 3 || dims[2] <= TAREI_STATS_READ_THIRD));
  TAREI_TRY(tarei_stats_open_set(r, path, class, rank, found, &set));
  /* the first two are bounded by r->most */
  const size_t n = (size_t)(found[0] * found[1] * found[2]);
  tare_status status = stats_read_make_block(r, path, n, size, out);
  if (status == TARE_OK) {
    status = stats_read_all(r, path, set, type, n, *out);
  }
  (void)H5Dclose(set); /* was only read */
  return status;
}
