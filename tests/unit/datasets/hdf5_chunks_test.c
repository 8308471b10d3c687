/* Chunks that are stored as HDF5 would not have stored them, and all ways to store right ones. */
#include <zlib.h>

#include "hdf5_helper.h"

enum { ROWS = 5, COLUMNS = 6, CHUNK_ROWS = 3, CHUNK_BYTES = CHUNK_ROWS * COLUMNS * 4 };

/* Row i of 'x' has the values 10 i, 10 i + 1, ... */
static void fill_rows(float *const values) {
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    values[i] = (float)(i / COLUMNS * 10 + i % COLUMNS);
  }
}

/* A list for chunks of three rows with the filters of `letters`: s(huffle), d(eflate),
 * f(letcher32). */
static hid_t make_list(const char *letters) {
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(list, 2, (const hsize_t[]){CHUNK_ROWS, COLUMNS});
  for (; *letters; letters++) {
    const herr_t rc = *letters == 's'   ? H5Pset_shuffle(list)
                      : *letters == 'd' ? H5Pset_deflate(list, 4)
                                        : H5Pset_fletcher32(list);
    assert_true(rc >= 0);
  }
  return list;
}

static hid_t make_set(const hid_t file, const hid_t list) {
  const hid_t space = H5Screate_simple(2, (const hsize_t[]){ROWS, COLUMNS}, NULL);
  const hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  assert_true(set >= 0);
  H5Sclose(space);
  H5Pclose(list);
  return set;
}

/* All rows are right. */
static void expect_rows(const char *const path) {
  float expected[ROWS * COLUMNS];
  fill_rows(expected);
  tare_dataset *data = open_data(path, &x_options);
  for (int i = 0; i < ROWS; i++) {
    const tare_sample *const sample = next_sample(data);
    assert_non_null(sample);
    assert_memory_equal(sample->tensors[0].data, expected + (size_t)i * COLUMNS, COLUMNS * 4);
  }
  tare_dataset_close(&data);
}

static void right_chunks_of_all_filters(void **state) {
  (void)state;
  static const char *const filters[] = {"", "s", "d", "f", "sd", "df", "sdf", "sf"};
  float values[ROWS * COLUMNS];
  fill_rows(values);
  for (size_t i = 0; i < 2 * sizeof filters / sizeof *filters; i++) {
    const hid_t list = make_list(filters[i / 2]);
    const bool latest = i % 2 == 1; /* as this may store chunks over the edge without filters */
    if (latest) {
      H5Pset_chunk_opts(list, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    }
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, latest ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST,
                         H5F_LIBVER_LATEST);
    const hid_t f = H5Fcreate(at("right.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hid_t set = make_set(f, list);
    assert_true(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Fclose(f);
    H5Pclose(access);
    expect_rows(at("right.h5"));
  }
}

static void chunks_that_nobody_wrote(void **state) {
  (void)state;
  const hid_t f = make_file("fill.h5");
  H5Dclose(make_set(f, make_list("d")));
  H5Fclose(f);
  tare_dataset *data = open_data(at("fill.h5"), &x_options);
  const tare_sample *const sample = next_sample(data);
  assert_memory_equal(sample->tensors[0].data, ((const float[COLUMNS]){0}), COLUMNS * 4);
  tare_dataset_close(&data);
}

/* Rows of changing length are stored as their lengths, addresses and indices. */
static void rows_of_changing_length(void **state) {
  (void)state;
  int32_t numbers[] = {1, 2, 3, 4, 5, 6};
  const hvl_t rows[] = {{2, numbers}, {3, numbers + 2}, {1, numbers + 5}};
  const hid_t type = H5Tvlen_create(H5T_STD_I32LE), list = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_chunk(list, 1, (const hsize_t[]){2});
  H5Pset_deflate(list, 4);
  for (size_t bytes = 4; bytes <= 8; bytes += 4) {
    H5Pset_sizes(creation, bytes, bytes);
    const hid_t f = H5Fcreate(at("vlen.h5"), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, (const hsize_t[]){3}, NULL);
    const hid_t set = H5Dcreate2(f, "x", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(f);
    tare_dataset *data = open_data(at("vlen.h5"), &x_options);
    for (size_t i = 0; i < 3; i++) {
      const tare_sample *const sample = next_sample(data);
      assert_non_null(sample);
      assert_int_equal(tare_tensor_count(&sample->tensors[0]), rows[i].len);
    }
    tare_dataset_close(&data);
  }
  H5Pclose(creation);
  H5Pclose(list);
  H5Tclose(type);
}

/* The first chunk has no data; the second is `n` bytes, made without the filters of `mask`. */
static void refuse_chunk(const char *const letters, const uint32_t mask, const void *const bytes,
                         const size_t n, const char *const part) {
  const hid_t f = make_file("bad.h5");
  const hid_t set = make_set(f, make_list(letters));
  const hsize_t second[] = {CHUNK_ROWS, 0};
  assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, mask, second, n, bytes) >= 0);
  H5Dclose(set);
  H5Fclose(f);
  refuse_sample(at("bad.h5"), x_options, CHUNK_ROWS, ROWS - CHUNK_ROWS, part);
}

static void chunks_that_unpack_to_another_size(void **state) {
  (void)state;
  static const unsigned char raw[2 * CHUNK_BYTES];
  unsigned char packed[256];
  static const char *const other_size = "input 'x': a chunk of 72 bytes is stored as ";
  refuse_chunk("d", 1, raw, 20, other_size);
  refuse_chunk("sd", 2, raw, CHUNK_BYTES - 1, other_size);
  refuse_chunk("sd", 3, raw, CHUNK_BYTES + 1, other_size);
  refuse_chunk("f", 0, raw, 3, other_size);
  refuse_chunk("f", 0, raw, CHUNK_BYTES, other_size);
  refuse_chunk("d", 0, raw, 20, other_size);
  for (uLong size = CHUNK_BYTES - 1; size <= CHUNK_BYTES + 1; size += 2) {
    uLongf n = sizeof packed;
    assert_int_equal(compress(packed, &n, raw, size), Z_OK);
    refuse_chunk("d", 0, packed, n, other_size);
    refuse_chunk("sd", 0, packed, n, other_size);
    refuse_chunk("sdf", 4, packed, n, other_size);
  }
  static unsigned char vast[60000];
  refuse_chunk("d", 0, vast, sizeof vast, "input 'x': a chunk of 72 bytes is stored as 60000 ");
  /* In an order that no program writes. */
  uLongf n = sizeof packed;
  assert_int_equal(compress(packed, &n, raw, CHUNK_BYTES), Z_OK);
  refuse_chunk("ds", 0, packed, n, other_size);
}

int hdf5_chunks_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_chunks_of_all_filters),
      cmocka_unit_test(chunks_that_nobody_wrote),
      cmocka_unit_test(rows_of_changing_length),
      cmocka_unit_test(chunks_that_unpack_to_another_size),
  };
  return cmocka_run_group_tests(tests, set_up_x, remove_scratch);
}
