#include "datasets/hdf5/hdf5_file.h"

#include <string.h>

#include "base/infile.h"
#include "base/mem.h"
#include "base/source.h"
#include "datasets/hdf5/hdf5_driver.h"
#include "datasets/hdf5/hdf5_guard.h"

enum { CHUNK_CACHE_BYTES = 16 << 20, CHUNK_CACHE_SLOTS = 1009 };

/* The first, most basic complaint on the error stack. */
static herr_t keep_reason(const unsigned n, const H5E_error2_t *const entry, void *const user) {
  (void)n;
  if (entry->desc) {
    *(const char **)user = entry->desc;
  }
  return 1; /* enough */
}

static tare_status fail_h5(const char *const what, tare_error *const err) {
  const char *reason = "HDF5 gave no reason";
  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, &reason);
  return tarei_fail(err, TARE_E_INPUT, "%s: %s", what, reason);
}

bool tarei_h5_has_signature(const char *const path) {
  return tarei_file_begins(path, "\x89HDF\r\n\x1a\n", 8);
}

tare_status tarei_h5_open_file(const char *const path, hid_t *const out, tare_error *const err) {
  TAREI_TRY(tarei_infile_check(path, err));
  *out = tarei_h5_open_read(path);
  if (*out >= 0) {
    return TARE_OK;
  }
  const tare_status status = fail_h5("not an HDF5 file, or damaged", err);
  return tarei_fail_in(err, status, "%s", path);
}

static bool leads_to_object(const hid_t at, const char *const path, const hid_t inside) {
  return H5Lexists(at, path, inside) > 0 && H5Oexists_by_name(at, path, inside) > 0;
}

/* Also false for a dangling link. H5Lexists wants every group on the way to exist. */
static bool h5_exists(const hid_t at, const char *const path) {
  if (!*path) { /* a link of a damaged file */
    return false;
  }
  const hid_t inside = tarei_h5_inside(H5P_LINK_ACCESS);
  char *const part = tarei_strdup(path);
  bool exists = part != NULL;
  for (char *slash = part; exists && slash; slash = strchr(slash + 1, '/')) {
    if (slash == part) {
      continue;
    }
    *slash = '\0';
    exists = leads_to_object(at, part, inside);
    *slash = '/';
  }
  exists = exists && leads_to_object(at, path, inside);
  free(part);
  (void)H5Pclose(inside);
  return exists;
}

static bool is_type(const hid_t at, const char *const path, const H5I_type_t wanted) {
  if (!h5_exists(at, path)) {
    return false;
  }
  const hid_t inside = tarei_h5_inside(H5P_LINK_ACCESS);
  const hid_t object = H5Oopen(at, path, inside);
  (void)H5Pclose(inside);
  if (object < 0) {
    return false;
  }
  const bool same = H5Iget_type(object) == wanted;
  (void)H5Oclose(object); /* only read */
  return same;
}

bool tarei_h5_is_data_set(const hid_t at, const char *const path) {
  return is_type(at, path, H5I_DATASET);
}

bool tarei_h5_is_group(const hid_t at, const char *const path) {
  return is_type(at, path, H5I_GROUP);
}

static const char *class_name(const H5T_class_t class) {
  static const struct {
    H5T_class_t class;
    const char *name;
  } NAMES[] = {{H5T_STRING, "strings"},      {H5T_COMPOUND, "compounds"},
               {H5T_OPAQUE, "opaque bytes"}, {H5T_REFERENCE, "references"},
               {H5T_ARRAY, "arrays"},        {H5T_BITFIELD, "bit fields"},
               {H5T_TIME, "times"},          {H5T_VLEN, "rows of rows"}};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    if (NAMES[i].class == class) {
      return NAMES[i].name;
    }
  }
  return "an unknown type";
}

/* Enumerations are integers here: booleans are stored that way. */
static tare_status find_number(const hid_t type, const char *const path, tarei_number *const out,
                               tare_error *const err) {
  const H5T_class_t class = H5Tget_class(type);
  if (class == H5T_FLOAT) {
    const bool single = H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0;
    *out = single ? TAREI_NUMBER_F32 : TAREI_NUMBER_F64;
    return TARE_OK;
  }
  if (class != H5T_INTEGER && class != H5T_ENUM) {
    return tarei_fail(err, TARE_E_INPUT, "data set '%s' holds %s, not numbers", path,
                      class_name(class));
  }
  if (H5Tget_size(type) > 8) {
    return tarei_fail(err, TARE_E_INPUT,
                      "data set '%s' holds integers of %zu bytes, which are not supported", path,
                      H5Tget_size(type));
  }
  const bool wide = class == H5T_INTEGER && H5Tget_size(type) == 8;
  *out = wide && H5Tget_sign(type) == H5T_SGN_NONE ? TAREI_NUMBER_U64 : TAREI_NUMBER_I64;
  return TARE_OK;
}

static hid_t native_type(const tarei_number number) {
  const hid_t types[] = {[TAREI_NUMBER_I64] = H5T_NATIVE_INT64,
                         [TAREI_NUMBER_U64] = H5T_NATIVE_UINT64,
                         [TAREI_NUMBER_F64] = H5T_NATIVE_DOUBLE,
                         [TAREI_NUMBER_F32] = H5T_NATIVE_FLOAT};
  return types[number];
}

static tare_status inspect_type(const hid_t type, const char *const path, tarei_h5_data *const out,
                                tare_error *const err) {
  out->vlen = H5Tget_class(type) == H5T_VLEN;
  const hid_t element = out->vlen ? H5Tget_super(type) : H5Tcopy(type);
  if (element < 0) {
    return fail_h5(path, err);
  }
  const tare_status status = find_number(element, path, &out->number, err);
  (void)H5Tclose(element);
  TAREI_TRY(status);
  const hid_t native = native_type(out->number);
  out->memory_type = out->vlen ? H5Tvlen_create(native) : H5Tcopy(native);
  return out->memory_type >= 0 ? TARE_OK : fail_h5(path, err);
}

static tare_status inspect_dims(const hid_t space, const char *const path, tarei_h5_data *const out,
                                tare_error *const err) {
  out->rank = H5Sget_simple_extent_ndims(space);
  if (out->rank < 0 || H5Sget_simple_extent_type(space) == H5S_NULL) {
    return tarei_fail(err, TARE_E_INPUT, "data set '%s' has no shape", path);
  }
  if (out->rank > TAREI_H5_MAX_RANK) {
    return tarei_fail(err, TARE_E_INPUT, "data set '%s' has rank %d, the limit is %d", path,
                      out->rank, TAREI_H5_MAX_RANK);
  }
  hsize_t dims[TAREI_H5_MAX_RANK];
  (void)H5Sget_simple_extent_dims(space, dims, NULL); /* the rank is known to be good */
  for (int d = 0; d < out->rank; d++) {
    if (dims[d] > INT64_MAX) {
      return tarei_fail(err, TARE_E_INPUT, "data set '%s' has an unsupported dim of %llu", path,
                        (unsigned long long)dims[d]);
    }
    out->dims[d] = (int64_t)dims[d];
  }
  return TARE_OK;
}

static tare_status inspect(const char *const path, tarei_h5_data *const out,
                           tare_error *const err) {
  const hid_t type = H5Dget_type(out->set), space = H5Dget_space(out->set);
  tare_status status = type >= 0 && space >= 0 ? TARE_OK : fail_h5(path, err);
  if (status == TARE_OK) {
    status = inspect_dims(space, path, out, err);
  }
  if (status == TARE_OK) {
    status = inspect_type(type, path, out, err);
  }
  if (type >= 0) {
    (void)H5Tclose(type);
  }
  if (space >= 0) {
    (void)H5Sclose(space);
  }
  return status;
}

tare_status tarei_h5_open_data(const hid_t at, const char *const path, tarei_h5_data *const out,
                               tare_error *const err) {
  *out = (tarei_h5_data){.set = H5I_INVALID_HID, .memory_type = H5I_INVALID_HID};
  if (tarei_h5_leads_away(at, path)) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' is a link to another file, which is not followed",
                      path);
  }
  if (!tarei_h5_is_data_set(at, path)) {
    return tarei_fail(err, TARE_E_INPUT, "no data set '%s'", path);
  }
  /* Rows are read one after the other: a chunk must not be unpacked again for each. */
  const hid_t access = tarei_h5_inside(H5P_DATASET_ACCESS);
  (void)H5Pset_chunk_cache(access, CHUNK_CACHE_SLOTS, CHUNK_CACHE_BYTES,
                           H5D_CHUNK_CACHE_W0_DEFAULT);
  out->set = H5Dopen2(at, path, access);
  (void)H5Pclose(access);
  if (out->set < 0) {
    return fail_h5(path, err);
  }
  tare_status status = tarei_h5_check_storage(out->set, path, err);
  if (status == TARE_OK) {
    status = inspect(path, out, err);
  }
  if (status == TARE_OK) {
    status = tarei_h5_chunks_new(out->set, path, &out->chunks, err);
  }
  if (status != TARE_OK) {
    tarei_h5_close_data(out);
  }
  return status;
}

void tarei_h5_close_data(tarei_h5_data *const data) {
  tarei_h5_chunks_free(&data->chunks);
  if (data->memory_type >= 0) {
    (void)H5Tclose(data->memory_type);
  }
  if (data->set >= 0) {
    (void)H5Dclose(data->set);
  }
  data->set = data->memory_type = H5I_INVALID_HID;
}

static tare_status fail_read(const hid_t set, tare_error *const err) {
  const tare_status status = fail_h5("cannot be parsed", err); /* while HDF5 knows why */
  return tarei_h5_check_filters(set, err) == TARE_OK ? status : TARE_E_INPUT;
}

tare_status tarei_h5_read_box(const tarei_h5_data *const data, const int64_t *const start,
                              const int64_t *const count, void *const out, tare_error *const err) {
  return tarei_h5_read_box_with(data, H5P_DEFAULT, start, count, out, err);
}

tare_status tarei_h5_read_box_with(const tarei_h5_data *const data, const hid_t transfer,
                                   const int64_t *const start, const int64_t *const count,
                                   void *const out, tare_error *const err) {
  if (data->rank == 0) {
    return H5Dread(data->set, data->memory_type, H5S_ALL, H5S_ALL, transfer, out) < 0
               ? fail_read(data->set, err)
               : TARE_OK;
  }
  hsize_t from[TAREI_H5_MAX_RANK], n[TAREI_H5_MAX_RANK];
  for (int d = 0; d < data->rank; d++) {
    from[d] = (hsize_t)start[d];
    n[d] = (hsize_t)count[d];
    if (n[d] == 0) {
      return TARE_OK;
    }
  }
  TAREI_TRY(tarei_h5_chunks_check(data->chunks, from, n, err));
  const hid_t file_space = H5Dget_space(data->set);
  const hid_t memory_space = H5Screate_simple(data->rank, n, NULL);
  const bool good =
      file_space >= 0 && memory_space >= 0 &&
      H5Sselect_hyperslab(file_space, H5S_SELECT_SET, from, NULL, n, NULL) >= 0 &&
      H5Dread(data->set, data->memory_type, memory_space, file_space, transfer, out) >= 0;
  const tare_status status = good ? TARE_OK : fail_read(data->set, err);
  if (file_space >= 0) {
    (void)H5Sclose(file_space);
  }
  if (memory_space >= 0) {
    (void)H5Sclose(memory_space);
  }
  return status;
}

typedef struct walk {
  tarei_h5_visit_fn visit;
  void *user;
  tare_error *err;
  tare_status status;
} walk;

static herr_t visit_link(const hid_t group, const char *const name, const H5L_info_t *const info,
                         void *const user) {
  (void)info;
  walk *const w = user;
  w->status = w->visit(group, name, w->user, w->err);
  return w->status == TARE_OK ? 0 : 1;
}

tare_status tarei_h5_each(const hid_t group, const tarei_h5_visit_fn visit, void *const user,
                          tare_error *const err) {
  walk w = {visit, user, err, TARE_OK};
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, &w) < 0) {
    return fail_h5("cannot read the links of a group", err);
  }
  return w.status;
}
