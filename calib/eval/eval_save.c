#include "calib/eval/eval_save.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "calib/metrics/rows.h"
#include "datasets/hdf5/hdf5_lock.h"
#include "datasets/hdf5/hdf5_outfile.h"
#include "shapes/number.h"

struct tarei_eval_save {
  tarei_h5_outfile h;
  int digits;
};

static int digits_of(int64_t n) {
  int digits = 1;
  while (n >= 10) {
    n /= 10;
    digits++;
  }
  return digits;
}

tare_status tarei_eval_save_new(const char *const path, const int64_t count,
                                tarei_eval_save **const out, tare_error *const err) {
  tarei_eval_save *save = tarei_calloc(1, sizeof *save);
  if (!save) {
    return tarei_fail_memory(err, path, sizeof *save);
  }
  save->digits = digits_of(count > 0 ? count - 1 : 0);
  tare_status status = tarei_hdf5_lock(err);
  if (status == TARE_OK) {
    status = tarei_h5_outfile_open(path, H5F_LIBVER_EARLIEST, &save->h, err);
    status = tarei_hdf5_unlock(status, err);
  }
  if (status != TARE_OK) {
    tarei_eval_save_free(&save);
  }
  *out = save;
  return status;
}

/* File types by element type; float types are all kept as float32. */
static hid_t stored_type(const tare_dtype dtype) {
  const struct {
    tare_dtype dtype;
    hid_t type;
  } TYPES[] = {
      {TARE_U8, H5T_NATIVE_UINT8},   {TARE_I8, H5T_NATIVE_INT8},    {TARE_U16, H5T_NATIVE_UINT16},
      {TARE_I16, H5T_NATIVE_INT16},  {TARE_I32, H5T_NATIVE_INT32},  {TARE_I64, H5T_NATIVE_INT64},
      {TARE_BOOL, H5T_NATIVE_UINT8}, {TARE_U32, H5T_NATIVE_UINT32}, {TARE_U64, H5T_NATIVE_UINT64}};
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
    if (TYPES[i].dtype == dtype) {
      return TYPES[i].type;
    }
  }
  return H5T_NATIVE_FLOAT;
}

/* Copies the valid part row by row; *dims receives its extents. NULL when out of memory. */
static void *eval_save_gather(const tare_tensor *const tensor, const int64_t *const extents,
                              hsize_t *const dims) {
  const bool is_float = tarei_is_float(tensor->dtype);
  const size_t size = is_float ? sizeof(float) : tare_dtype_size(tensor->dtype);
  tarei_rows rows;
  tarei_rows_begin(tensor, extents, &rows);
  for (int a = 0; a < tensor->rank; a++) {
    dims[a] = (hsize_t)rows.extents[a];
  }
  /* Not more than the tensor itself, whose size was checked when it was made. */
  char *const data = tarei_calloc((size_t)tare_tensor_count(tensor), size);
  char *next = data;
  for (int64_t offset = 0; data && tarei_rows_next(&rows, &offset);) {
    for (int64_t i = 0; is_float && i < rows.length; i++) {
      ((float *)next)[i] = (float)tarei_real_at(tensor, offset + i);
    }
    if (!is_float) {
      memcpy(next, (const char *)tensor->data + (size_t)offset * size, (size_t)rows.length * size);
    }
    next += (size_t)rows.length * size;
  }
  return data;
}

/* Bytes of a text may be of any kind; a file's are mostly UTF-8. */
static hid_t text_type(const char *const text) {
  const size_t size = strlen(text);
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && H5Tset_size(type, size ? size : 1) >= 0 &&
      H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0) {
    return type;
  }
  H5Tclose(type);
  return -1;
}

static bool write_name(const hid_t group, const char *const text) {
  const hid_t type = text_type(text);
  const hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = -1;
  if (type >= 0 && space >= 0) {
    attribute = H5Acreate2(group, "name", type, space, H5P_DEFAULT, H5P_DEFAULT);
  }
  const bool written = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
  const bool closed = attribute < 0 || H5Aclose(attribute) >= 0;
  H5Sclose(space);
  H5Tclose(type);
  return written && closed;
}

static bool write_group(const hid_t file, const char *const path, const char *const name) {
  const hid_t props = H5Pcreate(H5P_GROUP_CREATE);
  hid_t group = -1;
  if (props >= 0 && H5Pset_obj_track_times(props, false) >= 0) {
    group = H5Gcreate2(file, path, H5P_DEFAULT, props, H5P_DEFAULT);
  }
  const bool written = group >= 0 && write_name(group, name);
  const bool closed = group < 0 || H5Gclose(group) >= 0;
  H5Pclose(props);
  return written && closed;
}

tare_status tarei_eval_save_sample(tarei_eval_save *const save, const int64_t number,
                                   const char *const name, tare_error *const err) {
  char path[32];
  (void)snprintf(path, sizeof path, "/%0*lld", save->digits, (long long)number);
  TAREI_TRY(tarei_hdf5_lock(err));
  const bool written = write_group(save->h.file, path, name);
  return tarei_hdf5_unlock(tarei_h5_outfile_check(&save->h, written, err), err);
}

/* Intermediate groups are made: those of an output name with slashes. */
static bool write_dataset(const hid_t file, const char *const name, const hid_t type,
                          const int rank, const hsize_t *const dims, const void *const data) {
  const hid_t space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  const hid_t props = H5Pcreate(H5P_DATASET_CREATE);
  hid_t set = -1;
  if (space >= 0 && links >= 0 && props >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
      H5Pset_obj_track_times(props, false) >= 0) {
    set = H5Dcreate2(file, name, type, space, links, props, H5P_DEFAULT);
  }
  const bool written = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  const bool closed = set < 0 || H5Dclose(set) >= 0;
  H5Pclose(props);
  H5Pclose(links);
  H5Sclose(space);
  return written && closed;
}

tare_status tarei_eval_save_output(tarei_eval_save *const save, const int64_t number,
                                   const char *const output, const tare_tensor *const tensor,
                                   const int64_t *const extents, tare_error *const err) {
  hsize_t dims[TARE_MAX_RANK] = {0};
  tarei_str name = {0};
  tarei_str_add(&name, "/%0*lld/%s", save->digits, (long long)number, output);
  void *const data = eval_save_gather(tensor, extents, dims);
  tare_status status = TARE_OK;
  if (name.failed || !data) {
    status = tarei_fail_memory(err, "saved output", tare_dtype_size(tensor->dtype));
  } else if ((status = tarei_hdf5_lock(err)) == TARE_OK) {
    const bool written = write_dataset(save->h.file, name.text, stored_type(tensor->dtype),
                                       tensor->rank, dims, data);
    status = tarei_hdf5_unlock(tarei_h5_outfile_check(&save->h, written, err), err);
  }
  free(data);
  tarei_str_free(&name);
  return status;
}

tare_status tarei_eval_save_text(tarei_eval_save *const save, const int64_t number,
                                 const char *const name, const char *const text,
                                 tare_error *const err) {
  tarei_str path = {0};
  tarei_str_add(&path, "/%0*lld/%s", save->digits, (long long)number, name);
  tare_status status =
      path.failed ? tarei_fail_memory(err, name, path.length) : tarei_hdf5_lock(err);
  if (status == TARE_OK) {
    const hid_t type = text_type(text);
    const bool written = type >= 0 && write_dataset(save->h.file, path.text, type, 0, NULL, text);
    H5Tclose(type);
    status = tarei_hdf5_unlock(tarei_h5_outfile_check(&save->h, written, err), err);
  }
  tarei_str_free(&path);
  return status;
}

tare_status tarei_eval_save_drop(tarei_eval_save *const save, const int64_t number,
                                 tare_error *const err) {
  char path[32];
  (void)snprintf(path, sizeof path, "/%0*lld", save->digits, (long long)number);
  TAREI_TRY(tarei_hdf5_lock(err));
  const htri_t there = H5Lexists(save->h.file, path, H5P_DEFAULT);
  const bool dropped = there == 0 || (there > 0 && H5Ldelete(save->h.file, path, H5P_DEFAULT) >= 0);
  return tarei_hdf5_unlock(tarei_h5_outfile_check(&save->h, dropped, err), err);
}

tare_status tarei_eval_save_commit(tarei_eval_save *const save, tare_error *const err) {
  TAREI_TRY(tarei_hdf5_lock(err));
  return tarei_hdf5_unlock(tarei_h5_outfile_commit(&save->h, false /* seal */, err), err);
}

void tarei_eval_save_free(tarei_eval_save **const save) {
  if (!*save) {
    return;
  }
  tarei_hdf5_lock_to_close();
  tarei_h5_outfile_abort(&(*save)->h);
  (void)tarei_hdf5_unlock(TARE_OK, NULL); /* what was not committed is thrown away */
  free(*save);
  *save = NULL;
}
