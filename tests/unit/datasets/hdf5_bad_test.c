/* Malformed HDF5 data, one by one: what fails at open, and what is a bad sample. */
#include "hdf5_helper.h"

static const float FLAT[] = {0, 1, 2, 3, 4, 5};
static void refuse_offsets(const hsize_t n, const int64_t *const offsets, const char *const part) {
  const hid_t f = make_file("bad.h5");
  put_floats(f, "x/values", 6, FLAT);
  put_ints(f, "x/offsets", n, offsets);
  H5Fclose(f);
  refuse_open(at("bad.h5"), &x_options, TARE_E_INPUT, part);
}

static void offsets_that_do_not_span_the_values(void **state) {
  (void)state;
  refuse_offsets(3, (const int64_t[]){1, 3, 6}, "'x/offsets' start at 1, expected 0");
  refuse_offsets(3, (const int64_t[]){0, 3, 5}, "end at 5, expected the number of values, 6");
  refuse_offsets(0, NULL, "are empty");
}

static void refuse_offset_sample(const int64_t *const offsets, const int good, const int bad,
                                 const char *const part) {
  const hid_t f = make_file("bad.h5");
  put_floats(f, "x/values", 6, FLAT);
  put_ints(f, "x/offsets", 4, offsets);
  H5Fclose(f);
  refuse_sample(at("bad.h5"), x_options, good, bad, part);
}

static void offsets_that_fall_or_reach_beyond(void **state) {
  (void)state;
  refuse_offset_sample((const int64_t[]){0, 4, 2, 6}, 1, 1,
                       "bad.h5[1]: input 'x': offset 4 is followed by 2");
  refuse_offset_sample((const int64_t[]){0, 2, 4, 9}, 2, 1, "offset 9 is beyond the 6 values");
  refuse_offset_sample((const int64_t[]){0, 2, 2, 6}, 1, 1, "bad.h5[1]: input 'x': is empty");
  refuse_offset_sample((const int64_t[]){0, -5, 2, 6}, 0, 2, "offset 0 is followed by -5");
  refuse_offset_sample((const int64_t[]){0, INT64_MAX, 2, 6}, 0, 2, "beyond");
}

static void ragged_lengths_negative_or_beyond(void **state) {
  (void)state;
  static const struct {
    int64_t lengths[3];
    int good, bad;
    const char *part;
  } CASES[] = {{{2, -1, 3}, 1, 2, "length -1 of sample 1 is negative"},
               {{2, 1, 4}, 2, 1, "length 4 of sample 2"},
               {{INT64_MAX, INT64_MAX, 1}, 0, 3, "length 9223372036854775807 of sample 0"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    const hid_t f = make_file("bad.h5");
    put_floats(f, "x_values", 6, FLAT);
    put_ints(f, "x_lengths", 3, CASES[i].lengths);
    H5Fclose(f);
    refuse_sample(at("bad.h5"), x_options, CASES[i].good, CASES[i].bad, CASES[i].part);
  }
}

static void lengths_beyond_the_matrix(void **state) {
  (void)state;
  const hid_t f = make_file("bad.h5");
  put_matrix(f, "x", 3, 2, FLAT);
  put_ints(f, "length", 3, (const int64_t[]){1, 3, -1});
  H5Fclose(f);
  refuse_sample(
      at("bad.h5"), x_options, 1, 2,
      "bad.h5[1]: input 'x': length 3 is out of range: expected 0..2, the width of the matrix");
}

static void lengths_of_another_count(void **state) {
  (void)state;
  const hid_t f = make_file("bad.h5");
  put_matrix(f, "x", 3, 2, FLAT);
  put_ints(f, "length", 2, (const int64_t[]){1, 1});
  H5Fclose(f);
  refuse_open(at("bad.h5"), &x_options, TARE_E_INPUT,
              "'length' has 2 lengths, expected one for each of 3 rows");
}

static void lengths_that_are_no_integers(void **state) {
  (void)state;
  const hid_t f = make_file("bad.h5");
  put_matrix(f, "x", 3, 2, FLAT);
  put_floats(f, "length", 3, FLAT);
  H5Fclose(f);
  refuse_open(at("bad.h5"), &x_options, TARE_E_INPUT, "'length' is not a list of integers");
}

static void values_without_offsets(void **state) {
  (void)state;
  const hid_t f = make_file("bad.h5");
  put_floats(f, "x/values", 6, FLAT);
  H5Fclose(f);
  refuse_open(at("bad.h5"), &x_options, TARE_E_INPUT,
              "'x/values' have neither offsets nor lengths");
}

static void strings_and_compounds(void **state) {
  (void)state;
  const hid_t string = H5Tcopy(H5T_C_S1), compound = H5Tcreate(H5T_COMPOUND, 8);
  H5Tset_size(string, 4);
  H5Tinsert(compound, "re", 0, H5T_NATIVE_FLOAT);
  H5Tinsert(compound, "im", 4, H5T_NATIVE_FLOAT);
  const hsize_t dims[] = {2, 2};
  hid_t f = make_file("bad.h5");
  put(f, "x", string, string, 2, dims, NULL);
  put_matrix(f, "y", 3, 2, FLAT); /* must not be taken in its place */
  H5Fclose(f);
  refuse_open(at("bad.h5"), &x_options, TARE_E_INPUT, "data set 'x' holds strings, not numbers");
  f = make_file("bad.h5");
  put(f, "x", compound, compound, 2, dims, NULL);
  H5Fclose(f);
  refuse_open(at("bad.h5"), &x_options, TARE_E_INPUT, "data set 'x' holds compounds, not numbers");
  f = make_file("bad.h5");
  put_vlen(f, "x", string, string, 2, NULL);
  H5Fclose(f);
  refuse_open(at("bad.h5"), &x_options, TARE_E_INPUT, "data set 'x' holds strings, not numbers");
  H5Tclose(string);
  H5Tclose(compound);
}

static void vlen_rows_with_faults(void **state) {
  (void)state;
  const float nan_row[] = {1, __builtin_nanf("")};
  const hvl_t rows[] = {{2, (void *)FLAT}, {0, NULL}, {2, (void *)nan_row}, {1, (void *)FLAT}};
  const hid_t f = make_file("bad.h5");
  put_vlen(f, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 4, rows);
  H5Fclose(f);
  refuse_sample(at("bad.h5"), x_options, 1, 2, "bad.h5[1]: input 'x': is empty");
  tare_dataset_options options = x_options;
  options.limits = elements_limit(1);
  refuse_sample(at("bad.h5"), options, 0, 3,
                "bad.h5[0]: input 'x': has 2 elements, more than the 1 that max-elements allows");
}

static void vlen_row_over_the_limit_is_not_allocated(void **state) {
  (void)state;
  enum { LONG = 1 << 21 };
  float *const values = calloc(LONG, sizeof *values);
  assert_non_null(values);
  const hvl_t rows[] = {{1, values}, {LONG, values}, {2, values}};
  const hid_t f = make_file("long.h5");
  put_vlen(f, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, rows);
  H5Fclose(f);
  free(values);
  tare_dataset_options options = x_options;
  options.limits = elements_limit(1000);
  refuse_sample(at("long.h5"), options, 1, 1, "than the 1000 that max-elements allows");
  tare_dataset *data = open_data(at("long.h5"), &x_options); /* longer than a block may be */
  assert_int_equal(next_sample(data)->tensors[0].dims[0], 1);
  assert_int_equal(next_sample(data)->tensors[0].dims[0], LONG);
  assert_int_equal(next_sample(data)->tensors[0].dims[0], 2);
  tare_dataset_close(&data);
}

/* Overwrites bytes of a file behind the first place where `pattern` stands. */
static void patch(const char *const name, const char *const pattern, const long behind,
                  const void *const bytes, const size_t n) {
  char *const all = malloc(1 << 20);
  assert_non_null(all);
  FILE *const file = fopen(at(name), "r+b");
  assert_non_null(file);
  const size_t size = fread(all, 1, 1 << 20, file);
  const char *const found = memmem(all, size, pattern, strlen(pattern));
  assert_non_null(found);
  fseek(file, (long)(found - all) + behind, SEEK_SET);
  fwrite(bytes, 1, n, file);
  fclose(file);
  free(all);
}

/* The library itself follows such descriptors out of its memory. */
static void vlen_heap_that_is_damaged(void **state) {
  (void)state;
  static const unsigned char HUGE_SIZE[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
  const hvl_t rows[] = {{2, (void *)FLAT}, {3, (void *)FLAT}};
  static const struct {
    long behind;
    const void *bytes;
    size_t n;
    int good, bad;
  } CASES[] = {{16, "\x07\x00", 2, 0, 1}, /* object 1 becomes object 7 */
               {24, HUGE_SIZE, 6, 0, 2},  /* its size */
               {8, HUGE_SIZE, 6, 0, 2},   /* size of the heap */
               {0, "g", 1, 0, 2}};        /* signature */
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    const hid_t f = make_file("heap.h5");
    put_vlen(f, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 2, rows);
    H5Fclose(f);
    patch("heap.h5", "GCOL", CASES[i].behind, CASES[i].bytes, CASES[i].n);
    refuse_sample(at("heap.h5"), x_options, CASES[i].good, CASES[i].bad, "points at no data");
  }
}

static void vlen_length_that_is_damaged(void **state) {
  (void)state;
  const hid_t plain = H5Pcreate(H5P_DATASET_CREATE), chunked = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t n = 3, two = 2;
  H5Pset_chunk(chunked, 1, &two);
  const hid_t lists[] = {plain, chunked};
  for (int i = 0; i < 2; i++) {
    const hvl_t rows[] = {{2, (void *)FLAT}, {3, (void *)FLAT}, {1, (void *)FLAT}};
    const hid_t f = make_file("length.h5"), space = H5Screate_simple(1, &n, NULL);
    const hid_t type = H5Tvlen_create(H5T_IEEE_F32LE), memory = H5Tvlen_create(H5T_NATIVE_FLOAT);
    const hid_t set = H5Dcreate2(f, "x", type, space, H5P_DEFAULT, lists[i], H5P_DEFAULT);
    assert_true(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    haddr_t place = H5Dget_offset(set);
    if (i == 1) {
      unsigned filters;
      hsize_t size;
      const hsize_t first = 0;
      H5Fflush(f, H5F_SCOPE_GLOBAL);
      assert_true(H5Dget_chunk_info_by_coord(set, &first, &filters, &place, &size) >= 0);
    }
    H5Dclose(set);
    H5Tclose(type);
    H5Tclose(memory);
    H5Sclose(space);
    H5Fclose(f);
    FILE *const file = fopen(at("length.h5"), "r+b");
    assert_non_null(file);
    fseek(file, (long)place + 16, SEEK_SET); /* row 1 */
    fwrite("\x00\x00\x00\x0f", 1, 4, file);
    fclose(file);
    tare_dataset_options options = x_options;
    options.limits = elements_limit((int64_t)1 << 40);
    refuse_sample(at("length.h5"), options, 1, 1, "length.h5[1]: input 'x': descriptor");
  }
  H5Pclose(plain);
  H5Pclose(chunked);
}

static void huge_dims_without_data(void **state) {
  (void)state;
  const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t dims[] = {2, (hsize_t)1 << 40}, chunk[] = {1, 16};
  H5Pset_chunk(chunked, 2, chunk);
  const hid_t f = make_file("huge.h5"), space = H5Screate_simple(2, dims, NULL);
  const hid_t set = H5Dcreate2(f, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, chunked, H5P_DEFAULT);
  assert_true(set >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(chunked);
  H5Fclose(f);
  refuse_sample(at("huge.h5"), x_options, 0, 2, "has more elements than the 67108864 that");
}

/* A file of data could otherwise read any file of the machine. */
static void other_files_are_not_read(void **state) {
  (void)state;
  hid_t f = make_file("other.h5");
  put_floats(f, "x", 6, FLAT);
  H5Fclose(f);
  f = make_file("link.h5");
  assert_true(H5Lcreate_external(at("other.h5"), "/x", f, "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(f);
  refuse_open(at("link.h5"), &x_options, TARE_E_INPUT,
              "'x' (a link to another file, not followed)");
  f = make_file("soft.h5");
  assert_true(H5Lcreate_external(at("other.h5"), "/", f, "away", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_soft("/away/x", f, "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(f);
  refuse_open(at("soft.h5"), &x_options, TARE_E_INPUT, "no data for 'x'");
}

static void refuse_layout(const hid_t layout, const char *const part) {
  const hsize_t dims[] = {2, 3};
  const hid_t f = make_file("stored.h5"), space = H5Screate_simple(2, dims, NULL);
  const hid_t set = H5Dcreate2(f, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  assert_true(set >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(f);
  H5Pclose(layout);
  refuse_open(at("stored.h5"), &x_options, TARE_E_INPUT, part);
}

static void elements_in_other_files_are_not_read(void **state) {
  (void)state;
  const hid_t external = H5Pcreate(H5P_DATASET_CREATE);
  assert_true(H5Pset_external(external, "/etc/passwd", 0, 24) >= 0);
  refuse_layout(external, "'x' has external storage");
  const hsize_t dims[] = {2, 3};
  const hid_t made_of = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, NULL);
  assert_true(H5Pset_virtual(made_of, space, at("other.h5"), "x", space) >= 0);
  refuse_layout(made_of, "'x' is virtual");
  H5Sclose(space);
}

static void wrong_rank_or_fixed_dim(void **state) {
  (void)state;
  const hsize_t dims[] = {2, 1, 1, 3};
  hid_t f = make_file("bad.h5");
  put(f, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 4, dims, FLAT);
  H5Fclose(f);
  refuse_sample(at("bad.h5"), x_options, 0, 2, "data of rank 3 does not match an input of rank 2");
  f = make_file("bad.h5");
  put_matrix(f, "x", 2, 3, FLAT);
  H5Fclose(f);
  tare_port fixed = x_port;
  fixed.dims[1] = (tare_dim){4, NULL};
  refuse_sample(at("bad.h5"), options_for(&fixed, 1), 0, 2, "dim 0 is 3, the model needs 4");
  fixed.dims[1].value = 2;
  refuse_sample(at("bad.h5"), options_for(&fixed, 1), 0, 2,
                "dim 0 is 3, the model needs 2 (--chunk x:1=2 feeds it piece by piece)");
}

static void missing_input_lists_the_file(void **state) {
  (void)state;
  const hid_t f = make_file("bad.h5");
  put_matrix(f, "input_ids", 3, 2, FLAT);
  H5Fclose(f);
  const tare_port ports[] = {port("input_ids", TARE_I64, 2), port("attention_mask", TARE_I64, 2)};
  const tare_dataset_options options = options_for(ports, 2);
  refuse_open(at("bad.h5"), &options, TARE_E_INPUT, "no data for 'attention_mask': looked for");
  refuse_open(at("bad.h5"), &options, TARE_E_INPUT, "the file has 'input_ids'");
}

static void inputs_of_different_counts(void **state) {
  (void)state;
  const hid_t f = make_file("bad.h5");
  put_matrix(f, "x", 3, 2, FLAT);
  put_matrix(f, "y", 2, 2, FLAT);
  H5Fclose(f);
  const tare_port ports[] = {port("x", TARE_F32, 2), port("y", TARE_F32, 2)};
  const tare_dataset_options options = options_for(ports, 2);
  refuse_open(at("bad.h5"), &options, TARE_E_INPUT, "'x' has 3 samples");
}

static void group_without_an_input(void **state) {
  (void)state;
  const hid_t f = make_file("bad.h5");
  put_floats(f, "s/a/x", 2, FLAT);
  put_floats(f, "s/a/y", 2, FLAT);
  put_floats(f, "s/b/x", 2, FLAT);
  put_floats(f, "s/c/x", 2, FLAT);
  put_floats(f, "s/c/y", 2, FLAT);
  H5Fclose(f);
  const tare_port ports[] = {port("x", TARE_F32, 2), port("y", TARE_F32, 2)};
  refuse_sample(at("bad.h5"), options_for(ports, 2), 1, 1,
                "bad.h5[1]: input 'y': group 'b': no data set 'y'");
}

static void truncated_and_foreign_files(void **state) {
  (void)state;
  const hid_t f = make_file("cut.h5");
  put_matrix(f, "x", 3, 2, FLAT);
  H5Fclose(f);
  assert_int_equal(truncate(at("cut.h5"), 1000), 0);
  refuse_open(at("cut.h5"), &x_options, TARE_E_INPUT, "not an HDF5 file, or damaged: truncated file");
  FILE *const text = fopen(at("text.h5"), "w");
  assert_non_null(text);
  fputs("this is no HDF5", text);
  fclose(text);
  refuse_open(at("text.h5"), &x_options, TARE_E_INPUT, "text.h5: not an HDF5 file");
  refuse_open(at("nothing.h5"), &x_options, TARE_E_INPUT, "nothing.h5: cannot open: No such file");
}

/* As h5py stores with compression="lzf": other programs lack its filter. */
static void filter_that_nobody_has(void **state) {
  (void)state;
  const hid_t f = make_file("filter.h5"), list = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t dims[2] = {3, 2}, first[2] = {0, 0};
  const hid_t space = H5Screate_simple(2, dims, NULL);
  H5Pset_chunk(list, 2, dims);
  assert_true(H5Pset_filter(list, 511, H5Z_FLAG_OPTIONAL, 0, NULL) >= 0); /* kept for tests */
  const hid_t set = H5Dcreate2(f, "x", H5T_IEEE_F32LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0 /* all filters */, first, 5, "apple") >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(list);
  H5Fclose(f);
  refuse_sample(at("filter.h5"), x_options, 0, 3,
                "input 'x': compressed by filter 511 (), which this HDF5 library does not have");
}

static void empty_file_and_no_samples(void **state) {
  (void)state;
  hid_t f = make_file("empty.h5");
  H5Fclose(f);
  refuse_open(at("empty.h5"), &x_options, TARE_E_INPUT, "the file has nothing");
  f = make_file("none.h5");
  put_matrix(f, "x", 0, 2, NULL);
  H5Fclose(f);
  refuse_open(at("none.h5"), &x_options, TARE_E_INPUT, "none.h5: holds no samples");
}

static void scalar_and_null_data_sets(void **state) {
  (void)state;
  hid_t f = make_file("bad.h5");
  put(f, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 0, NULL, FLAT);
  H5Fclose(f);
  refuse_open(at("bad.h5"), &x_options, TARE_E_INPUT, "'x' has no axis of samples");
}

static void mappings_that_cannot_hold(void **state) {
  (void)state;
  const hid_t f = make_file("map.h5");
  put_matrix(f, "x", 3, 2, FLAT);
  H5Fclose(f);
  static const struct {
    tare_mapping mapping;
    tare_status status;
    const char *part;
  } CASES[] = {{{"z", "/x", NULL, NULL}, TARE_E_USAGE, "mapping of 'z'"},
               {{"x", "/x", "a", "b"}, TARE_E_USAGE, "mutually exclusive"},
               {{"x", NULL, NULL, NULL}, TARE_E_USAGE, "needs both an input and a path"},
               {{"x", "/nothing", NULL, NULL}, TARE_E_INPUT, "<name> being '/nothing'"},
               {{"x", "/x", "/nothing", NULL}, TARE_E_INPUT, "no data set '/nothing'"},
               {{"x", "/x", NULL, "/nothing"}, TARE_E_INPUT, "no data set '/nothing'"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tare_dataset_options options = x_options;
    options.mappings = &CASES[i].mapping;
    options.n_mappings = 1;
    refuse_open(at("map.h5"), &options, CASES[i].status, CASES[i].part);
  }
  const tare_mapping twice[] = {{"x", "/x", NULL, NULL}, {"x", "/y", NULL, NULL}};
  tare_dataset_options options = x_options;
  options.mappings = twice;
  options.n_mappings = 2;
  refuse_open(at("map.h5"), &options, TARE_E_USAGE, "duplicate mapping of 'x'");
}

static void links_in_a_circle_end(void **state) {
  (void)state;
  const hid_t f = make_file("circle.h5");
  const hid_t g = H5Gcreate2(f, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(f, "/", g, "up", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(f, "/a", g, "self", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/lost", f, "x", H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(g);
  H5Fclose(f);
  refuse_open(at("circle.h5"), &x_options, TARE_E_INPUT, "no data for 'x'");
}

int hdf5_bad_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(offsets_that_do_not_span_the_values),
      cmocka_unit_test(offsets_that_fall_or_reach_beyond),
      cmocka_unit_test(ragged_lengths_negative_or_beyond),
      cmocka_unit_test(lengths_beyond_the_matrix),
      cmocka_unit_test(lengths_of_another_count),
      cmocka_unit_test(lengths_that_are_no_integers),
      cmocka_unit_test(values_without_offsets),
      cmocka_unit_test(strings_and_compounds),
      cmocka_unit_test(vlen_rows_with_faults),
      cmocka_unit_test(vlen_row_over_the_limit_is_not_allocated),
      cmocka_unit_test(vlen_heap_that_is_damaged),
      cmocka_unit_test(vlen_length_that_is_damaged),
      cmocka_unit_test(huge_dims_without_data),
      cmocka_unit_test(other_files_are_not_read),
      cmocka_unit_test(elements_in_other_files_are_not_read),
      cmocka_unit_test(wrong_rank_or_fixed_dim),
      cmocka_unit_test(missing_input_lists_the_file),
      cmocka_unit_test(inputs_of_different_counts),
      cmocka_unit_test(group_without_an_input),
      cmocka_unit_test(truncated_and_foreign_files),
      cmocka_unit_test(filter_that_nobody_has),
      cmocka_unit_test(empty_file_and_no_samples),
      cmocka_unit_test(scalar_and_null_data_sets),
      cmocka_unit_test(mappings_that_cannot_hold),
      cmocka_unit_test(links_in_a_circle_end),
  };
  return cmocka_run_group_tests(tests, set_up_x, remove_scratch);
}
