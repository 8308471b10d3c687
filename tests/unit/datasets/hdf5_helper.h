/* Builds small HDF5 files for the tests. Failures end the test. */
#ifndef TAREI_TESTS_UNIT_DATASETS_HDF5_HELPER_H
#define TAREI_TESTS_UNIT_DATASETS_HDF5_HELPER_H

#include <hdf5.h>

#include "data_helper.h"

/* For data of one input 'x' with two dims. */
static tare_port x_port;
static tare_dataset_options x_options;

static inline int set_up_x(void **state) {
  x_port = port("x", TARE_F32, 2);
  x_options = options_for(&x_port, 1);
  return make_scratch(state);
}

static inline hid_t make_file(const char *const name) {
  const hid_t file = H5Fcreate(at(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

/* Writes a data set, with the groups on the way; no data writes nothing into it. */
static inline void put(const hid_t file, const char *const path, const hid_t stored,
                       const hid_t memory, const int rank, const hsize_t *const dims,
                       const void *const data) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
  const hid_t set = H5Dcreate2(file, path, stored, space, links, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(set >= 0);
  if (data) {
    assert_true(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  }
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(links);
}

static inline void put_ints(const hid_t file, const char *const path, const hsize_t n,
                            const int64_t *const values) {
  put(file, path, H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &n, values);
}

static inline void put_floats(const hid_t file, const char *const path, const hsize_t n,
                              const float *const values) {
  put(file, path, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1, &n, values);
}

static inline void put_matrix(const hid_t file, const char *const path, const hsize_t rows,
                              const hsize_t columns, const float *const values) {
  const hsize_t dims[] = {rows, columns};
  put(file, path, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 2, dims, values);
}

static inline void put_vlen(const hid_t file, const char *const path, const hid_t stored,
                            const hid_t memory, const hsize_t n, const hvl_t *const rows) {
  const hid_t file_type = H5Tvlen_create(stored), memory_type = H5Tvlen_create(memory);
  put(file, path, file_type, memory_type, 1, &n, rows);
  H5Tclose(file_type);
  H5Tclose(memory_type);
}

#endif
