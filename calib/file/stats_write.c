#include "calib/file/stats_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { DEFLATE_LEVEL = 1 };

void tarei_stats_check_write(tarei_stats_writer *const w, const herr_t result) {
  w->ok = w->ok && result >= 0;
}

char *tarei_stats_make_block(tarei_stats_writer *const w, const size_t count, const size_t size) {
  char *const block = tarei_calloc(count, size);
  w->no_memory |= !block;
  w->ok = w->ok && block;
  return block;
}

static void stats_write_attribute(tarei_stats_writer *const w, const char *const name,
                                  const hid_t file_type, const hid_t memory_type,
                                  const void *const value) {
  if (!w->ok) {
    return;
  }
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(w->file, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
  tarei_stats_check_write(w, attribute < 0 ? -1 : H5Awrite(attribute, memory_type, value));
  if (attribute >= 0) {
    tarei_stats_check_write(w, H5Aclose(attribute));
  }
  tarei_stats_check_write(w, H5Sclose(space));
}

static hid_t stats_write_text_type(const size_t bytes) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  const bool ok = type >= 0 && H5Tset_size(type, bytes ? bytes : 1) >= 0 &&
                  H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                  H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  return ok ? type : H5I_INVALID_HID;
}

void tarei_stats_put_text(tarei_stats_writer *const w, const char *const name,
                          const char *const text) {
  const hid_t type = stats_write_text_type(strlen(text));
  stats_write_attribute(w, name, type, type, text);
  (void)H5Tclose(type); /* a type that was not made fails above */
}

void tarei_stats_put_number(tarei_stats_writer *const w, const char *const name,
                            const uint64_t value) {
  stats_write_attribute(w, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

hid_t tarei_stats_make_set(tarei_stats_writer *const w, const char *const path, const hid_t type,
                           const int rank, const hsize_t *const dims, const hsize_t *const chunk) {
  const hid_t space = H5Screate_simple(rank, dims, NULL);
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  tarei_stats_check_write(w, H5Pset_obj_track_times(list, false));
  if (chunk && dims[0] && dims[1]) {
    tarei_stats_check_write(w, H5Pset_chunk(list, rank, chunk));
    /* H5Pset_deflate makes a filter that is left out when it has no memory. */
    const unsigned level = DEFLATE_LEVEL;
    tarei_stats_check_write(w,
                            H5Pset_filter(list, H5Z_FILTER_SHUFFLE, H5Z_FLAG_MANDATORY, 0, NULL));
    tarei_stats_check_write(w,
                            H5Pset_filter(list, H5Z_FILTER_DEFLATE, H5Z_FLAG_MANDATORY, 1, &level));
  }
  const hid_t set = H5Dcreate2(w->file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  w->ok = w->ok && set >= 0;
  tarei_stats_check_write(w, H5Pclose(list));
  tarei_stats_check_write(w, H5Sclose(space));
  return set;
}

void tarei_stats_close_set(tarei_stats_writer *const w, const hid_t set) {
  if (set >= 0) {
    tarei_stats_check_write(w, H5Dclose(set));
  }
}

void tarei_stats_put_array(tarei_stats_writer *const w, const char *const path,
                           const hid_t file_type, const hid_t memory_type, const int rank,
                           const hsize_t *const dims, const void *const data) {
  if (!w->ok) {
    return;
  }
  const hid_t set = tarei_stats_make_set(w, path, file_type, rank, dims, NULL);
  if (w->ok && dims[0] && (rank < 2 || dims[1])) {
    tarei_stats_check_write(w, H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  }
  tarei_stats_close_set(w, set);
}

void tarei_stats_put_texts(tarei_stats_writer *const w, const char *const path, const int n,
                           const char *const *const first, const size_t stride) {
  size_t longest = 1;
  for (int i = 0; i < n; i++) {
    const char *const text = *(const char *const *)((const char *)first + (size_t)i * stride);
    longest = strlen(text) > longest ? strlen(text) : longest;
  }
  char *const block = tarei_stats_make_block(w, (size_t)n, longest);
  for (int i = 0; block && i < n; i++) {
    const char *const text = *(const char *const *)((const char *)first + (size_t)i * stride);
    memcpy(block + (size_t)i * longest, text, strlen(text));
  }
  const hid_t type = stats_write_text_type(longest);
  const hsize_t dims[] = {(hsize_t)n};
  tarei_stats_put_array(w, path, type, type, 1, dims, block);
  (void)H5Tclose(type); /* a type that was not made fails above */
  free(block);
}

void tarei_stats_put_group(tarei_stats_writer *const w, const char *const path) {
  if (!w->ok) {
    return;
  }
  const hid_t list = H5Pcreate(H5P_GROUP_CREATE);
  tarei_stats_check_write(w, H5Pset_obj_track_times(list, false));
  const hid_t group = H5Gcreate2(w->file, path, H5P_DEFAULT, list, H5P_DEFAULT);
  tarei_stats_check_write(w, group < 0 ? -1 : H5Gclose(group));
  tarei_stats_check_write(w, H5Pclose(list));
}
