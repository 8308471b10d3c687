/* Reads samples of an HDF5 file in any of its layouts. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/harness.h"

static int hdf5_test(const uint8_t *const data, const size_t size) {
  static const tare_port port = {
      .name = "ids", .dtype = TARE_I64, .rank = 2, .dims = {{-1, "batch"}, {-1, "n"}}};
  const uint64_t choices = fuzz_hash(data, size);
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.inputs = &port;
  options.n_inputs = 1;
  options.labels = choices & 2 ? "labels" : NULL;
  fuzz_read_data(fuzz_file("data.h5", data, size), &options, choices);
  fuzz_need_closed();
  return 0;
}

static void hdf5_need(const int64_t result) {
  if (result < 0) {
    abort();
  }
}

/* A data set of n elements, or of n times m. */
static void hdf5_set(const hid_t parent, const char *const name, const hid_t type, const hsize_t n,
                     const hsize_t m, const void *const values) {
  const hid_t space = H5Screate_simple(m ? 2 : 1, (const hsize_t[2]){n, m}, NULL);
  const hid_t set = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hdf5_need(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  hdf5_need(H5Dclose(set));
  hdf5_need(H5Sclose(space));
}

static void hdf5_vlen(const hid_t file) {
  int64_t values[] = {1, 2, 3, 4, 5};
  const hvl_t rows[] = {{2, values}, {3, values + 2}};
  const hid_t type = H5Tvlen_create(H5T_NATIVE_INT64);
  hdf5_set(file, "ids", type, 2, 0, rows);
  hdf5_need(H5Tclose(type));
}

static void hdf5_ragged(const hid_t file) {
  hdf5_set(file, "values", H5T_NATIVE_INT64, 5, 0, (const int64_t[]){1, 2, 3, 4, 5});
  hdf5_set(file, "offsets", H5T_NATIVE_INT64, 3, 0, (const int64_t[]){0, 2, 5});
}

static void hdf5_padded(const hid_t file) {
  hdf5_set(file, "ids", H5T_NATIVE_INT64, 2, 3, (const int64_t[]){1, 2, 0, 3, 4, 5});
  hdf5_set(file, "length", H5T_NATIVE_INT64, 2, 0, (const int64_t[]){2, 3});
}

static void hdf5_groups(const hid_t file) {
  static const char *const names[] = {"a", "b"};
  for (hsize_t i = 0; i < 2; i++) {
    const hid_t group = H5Gcreate2(file, names[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hdf5_set(group, "ids", H5T_NATIVE_INT64, 2 + i, 0, (const int64_t[]){1, 2, 3});
    hdf5_need(H5Gclose(group));
  }
}

static void hdf5_make(fuzz_take_fn *const take, void *const user) {
  static void (*const layouts[])(hid_t) = {hdf5_vlen, hdf5_ragged, hdf5_padded, hdf5_groups};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
    const char *const path = fuzz_path("seed.h5");
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    layouts[i](file);
    hdf5_set(file, "labels", H5T_NATIVE_INT64, 2, 0, (const int64_t[]){0, 1});
    hdf5_need(H5Fclose(file));
    fuzz_take_file(path, take, user);
  }
}

static const char *const hdf5_words[] = {"ids",  "values", "offsets", "length", "labels", "TREE",
                                         "SNOD", "HEAP",   "GCOL",    "OHDR",   "FRHP",   NULL};

const fuzz_target fuzz_target_hdf5 = {
    .name = "hdf5", .make = hdf5_make, .test = hdf5_test, .words = hdf5_words};
