/* Each layout with each way to name it, and each conversion of types. */
#include <math.h>

#include "hdf5_helper.h"

/* Three samples of length 2, 1, 3: {0, 1}, {2}, {3, 4, 5}. */
static const float FLAT[] = {0, 1, 2, 3, 4, 5};
static const int64_t OFFSETS[] = {0, 2, 3, 6}, LENGTHS[] = {2, 1, 3};
static const float PADDED[] = {0, 1, -1, 2, -1, -1, 3, 4, 5};

static void assert_three_samples(const char *const file, const tare_dataset_options *const options,
                                 const char *const kind) {
  tare_dataset *data = open_data(at(file), options);
  assert_contains(tare_dataset_describe(data), kind);
  assert_int_equal(tare_dataset_count(data), 3);
  for (int round = 0; round < 2; round++) {
    float expected = 0;
    for (int i = 0; i < 3; i++) {
      const tare_sample *const sample = next_sample(data);
      assert_non_null(sample);
      char name[PATH_CAPACITY + 8];
      snprintf(name, sizeof name, "%s[%d]", at(file), i);
      assert_string_equal(sample->name, name);
      const tare_tensor *const x = &sample->tensors[0];
      assert_int_equal(x->rank, 1);
      assert_int_equal(x->dims[0], LENGTHS[i]);
      for (int64_t j = 0; j < x->dims[0]; j++) {
        assert_true(((const float *)x->data)[j] == expected++);
      }
    }
    assert_null(next_sample(data));
    assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
  }
  tare_dataset_close(&data);
}

static void vlen_rows(void **state) {
  (void)state;
  const hid_t f = make_file("vlen.h5");
  const hvl_t rows[] = {{2, (void *)FLAT}, {1, (void *)(FLAT + 2)}, {3, (void *)(FLAT + 3)}};
  put_vlen(f, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, rows);
  put_vlen(f, "deep/y", H5T_IEEE_F64BE, H5T_NATIVE_FLOAT, 3, rows);
  H5Fclose(f);
  const tare_port p = port("x", TARE_F32, 2);
  tare_dataset_options options = options_for(&p, 1);
  assert_three_samples("vlen.h5", &options, "HDF5 vlen data sets");
  const tare_mapping m = {"x", "/deep/y", NULL, NULL};
  options.mappings = &m;
  options.n_mappings = 1;
  assert_three_samples("vlen.h5", &options, "HDF5 vlen data sets");
}

static void values_with_offsets_or_lengths(void **state) {
  (void)state;
  static const struct {
    const char *values, *index;
    bool offsets;
  } PLACES[] = {{"x/values", "x/offsets", true}, {"x/values", "x/lengths", false},
                {"x_values", "x_offsets", true}, {"x_values", "x_lengths", false},
                {"x_values", "offsets", true},   {"x_values", "lengths", false},
                {"x", "x_offsets", true},        {"x", "lengths", false}};
  const tare_port p = port("x", TARE_F32, 2);
  const tare_dataset_options options = options_for(&p, 1);
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
    const hid_t f = make_file("ragged.h5");
    put_floats(f, PLACES[i].values, 6, FLAT);
    put_ints(f, PLACES[i].index, PLACES[i].offsets ? 4 : 3, PLACES[i].offsets ? OFFSETS : LENGTHS);
    H5Fclose(f);
    assert_three_samples(
        "ragged.h5", &options,
        PLACES[i].offsets ? "ragged values with offsets" : "ragged values with lengths");
  }
}

static void ragged_by_mapping(void **state) {
  (void)state;
  const hid_t f = make_file("mapped.h5");
  put_floats(f, "/a/b/data", 6, FLAT);
  put_ints(f, "/a/starts", 4, OFFSETS);
  put_ints(f, "/a/sizes", 3, LENGTHS);
  put_matrix(f, "/a/matrix", 3, 3, PADDED);
  H5Fclose(f);
  const tare_port p = port("x", TARE_F32, 2);
  tare_dataset_options options = options_for(&p, 1);
  static const tare_mapping MAPS[] = {{"x", "/a/b/data", "/a/starts", NULL},
                                      {"x", "/a/b/data", NULL, "/a/sizes"},
                                      {"x", "/a/matrix", NULL, "/a/sizes"}};
  static const char *const KINDS[] = {"offsets", "ragged values with lengths", "padded matrices"};
  options.n_mappings = 1;
  for (int i = 0; i < 3; i++) {
    options.mappings = &MAPS[i];
    assert_three_samples("mapped.h5", &options, KINDS[i]);
  }
}

static void padded_matrix(void **state) {
  (void)state;
  static const char *const NAMES[] = {"length", "lengths", "x_length", "x_lengths"};
  const tare_port p = port("x", TARE_F32, 2);
  const tare_dataset_options options = options_for(&p, 1);
  for (int i = 0; i < 4; i++) {
    const hid_t f = make_file("padded.h5");
    put_matrix(f, "x", 3, 3, PADDED);
    put_ints(f, NAMES[i], 3, LENGTHS);
    H5Fclose(f);
    assert_three_samples("padded.h5", &options, "padded matrices with lengths");
  }
}

static void matrix_without_lengths_has_fixed_samples(void **state) {
  (void)state;
  const hid_t f = make_file("fixed.h5");
  put_matrix(f, "x", 3, 3, PADDED);
  H5Fclose(f);
  const tare_port p = port("x", TARE_F32, 2);
  const tare_dataset_options options = options_for(&p, 1);
  tare_dataset *data = open_data(at("fixed.h5"), &options);
  assert_contains(tare_dataset_describe(data), "rows of fixed length, 3 samples");
  assert_int_equal(next_sample(data)->tensors[0].dims[0], 3);
  const tare_sample *const second = next_sample(data);
  assert_memory_equal(second->tensors[0].data, PADDED + 3, 3 * sizeof(float));
  tare_dataset_close(&data);
}

static void groups_in_order_of_names(void **state) {
  (void)state;
  const tare_port p = port("x", TARE_F32, 2);
  const tare_dataset_options options = options_for(&p, 1);
  static const char *const PLACES[][3] = {
      {"samples/a/x", "samples/b/x", "samples/c/x"},
      {"a/inputs/x", "b/inputs/x", "c/inputs/x"},
      {"deep/er/a/x", "deep/er/b/x", "deep/er/c/x"},
      {"1/other", "10/other", "2/other"}, /* names, not numbers; the only data set is taken */
  };
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
    const hid_t f = make_file("groups.h5");
    put_floats(f, PLACES[i][2], 3, FLAT + 3); /* written last to first */
    put_floats(f, PLACES[i][1], 1, FLAT + 2);
    put_floats(f, PLACES[i][0], 2, FLAT);
    H5Fclose(f);
    assert_three_samples("groups.h5", &options, "one group per sample");
  }
}

/* The names of exported models are paths; a saved output stands behind its sample all the same. */
static void groups_with_names_that_are_paths(void **state) {
  (void)state;
  const tare_port p = port("/layer.0/x", TARE_F32, 2);
  const tare_dataset_options options = options_for(&p, 1);
  const hid_t f = make_file("paths.h5");
  put_floats(f, "0/layer.0/x", 2, FLAT);
  put_floats(f, "1/layer.0/x", 1, FLAT + 2);
  put_floats(f, "2/layer.0/x", 3, FLAT + 3);
  H5Fclose(f);
  assert_three_samples("paths.h5", &options, "one group per sample");
}

static void features_keep_their_width(void **state) {
  (void)state;
  const float values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const hsize_t dims[] = {6, 2};
  const hsize_t padded[] = {2, 3, 2};
  const int64_t offsets[] = {0, 1, 6}, lengths[] = {1, 3};
  const hid_t f = make_file("features.h5");
  put(f, "x/values", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 2, dims, values);
  put_ints(f, "x/offsets", 3, offsets);
  put(f, "y", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, padded, values);
  put_ints(f, "y_length", 2, lengths);
  H5Fclose(f);
  tare_port ports[] = {port("x", TARE_F32, 3), port("y", TARE_F32, 3)};
  ports[0].dims[2] = (tare_dim){2, NULL};
  const tare_dataset_options options = options_for(ports, 2);
  tare_dataset *data = open_data(at("features.h5"), &options);
  (void)next_sample(data);
  const tare_sample *const s = next_sample(data);
  assert_int_equal(s->tensors[0].rank, 2);
  assert_int_equal(s->tensors[0].dims[0], 5);
  assert_int_equal(s->tensors[0].dims[1], 2);
  assert_memory_equal(s->tensors[0].data, values + 2, 10 * sizeof(float));
  assert_int_equal(s->tensors[1].dims[0], 3);
  assert_memory_equal(s->tensors[1].data, values + 6, 6 * sizeof(float));
  tare_dataset_close(&data);
}

static void the_only_data_set_is_taken(void **state) {
  (void)state;
  hid_t f = make_file("only.h5");
  const hvl_t rows[] = {{2, (void *)FLAT}, {1, (void *)(FLAT + 2)}, {3, (void *)(FLAT + 3)}};
  put_vlen(f, "sound", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, rows);
  put_ints(f, "labels", 3, LENGTHS);
  H5Fclose(f);
  const tare_port p = port("x", TARE_F32, 2);
  tare_dataset_options options = options_for(&p, 1);
  options.labels = "labels";
  assert_three_samples("only.h5", &options, "('sound' taken for input 'x')");
  options.labels = NULL; /* now there are two that would do */
  refuse_open(at("only.h5"), &options, TARE_E_INPUT,
              "no data for input 'x'; arrays that no input takes: 'labels', 'sound' (--map x=NAME");
}

static void labels_in_each_shape(void **state) {
  (void)state;
  const hid_t f = make_file("labels.h5");
  const hvl_t rows[] = {{2, (void *)FLAT}, {1, (void *)(FLAT + 2)}, {3, (void *)(FLAT + 3)}};
  put_vlen(f, "x", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, rows);
  put_ints(f, "scalar", 3, LENGTHS);
  put_vlen(f, "vlen", H5T_STD_I16LE, H5T_NATIVE_FLOAT, 3, rows);
  H5Fclose(f);
  const tare_port p = port("x", TARE_F32, 2);
  tare_dataset_options options = options_for(&p, 1);
  options.labels = "scalar";
  tare_dataset *data = open_data(at("labels.h5"), &options);
  const tare_sample *s = next_sample(data);
  assert_int_equal(s->label->rank, 0);
  assert_int_equal(*(const int64_t *)s->label->data, 2);
  assert_null(s->label_text);
  tare_dataset_close(&data);
  options.labels = "vlen";
  data = open_data(at("labels.h5"), &options);
  s = next_sample(data);
  assert_int_equal(s->label->dtype, TARE_I64);
  assert_int_equal(s->label->dims[0], 2);
  assert_int_equal(((const int64_t *)s->label->data)[1], 1);
  tare_dataset_close(&data);
  options.labels = "nothing";
  refuse_open(at("labels.h5"), &options, TARE_E_USAGE, "no data for 'nothing'");
}

/* Every stored type into every type of input, by a value that all can hold. */
static void each_type_converts_to_each(void **state) {
  (void)state;
  hid_t half = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(half, 15, 10, 5, 0, 10);
  H5Tset_size(half, 2);
  H5Tset_ebias(half, 15);
  const hid_t stored[] = {H5T_STD_I8LE,   H5T_STD_I16BE,  H5T_STD_I32LE, H5T_STD_I64BE,
                          H5T_STD_U8LE,   H5T_STD_U16LE,  H5T_STD_U32BE, H5T_STD_U64LE,
                          H5T_IEEE_F32BE, H5T_IEEE_F64LE, half};
  static const tare_dtype WANTED[] = {
#define DTYPE(name, value, bytes, text) TARE_##name,
      TARE_DTYPE_LIST(DTYPE)
#undef DTYPE
  };
  const hsize_t dims[] = {1, 2};
  const int64_t values[] = {0, 1};
  for (size_t s = 0; s < sizeof stored / sizeof *stored; s++) {
    const hid_t f = make_file("types.h5");
    put(f, "x", stored[s], H5T_NATIVE_INT64, 2, dims, values);
    H5Fclose(f);
    for (size_t w = 0; w < sizeof WANTED / sizeof *WANTED; w++) {
      const tare_port p = port("x", WANTED[w], 2);
      const tare_dataset_options options = options_for(&p, 1);
      tare_dataset *data = open_data(at("types.h5"), &options);
      const tare_tensor *const x = &next_sample(data)->tensors[0];
      assert_int_equal(x->dtype, WANTED[w]);
      const size_t size = tare_dtype_size(WANTED[w]);
      uint64_t zero = 0, one = 0;
      memcpy(&zero, x->data, size);
      memcpy(&one, (const char *)x->data + size, size);
      assert_int_equal(zero, 0);
      const double d = 1.0;
      const float f1 = 1.0f;
      uint64_t expected = 1;
      if (WANTED[w] == TARE_F64) {
        memcpy(&expected, &d, 8);
      } else if (WANTED[w] == TARE_F32) {
        expected = 0;
        memcpy(&expected, &f1, 4);
      } else if (WANTED[w] == TARE_F16) {
        expected = 0x3c00;
      } else if (WANTED[w] == TARE_BF16) {
        expected = 0x3f80;
      }
      assert_int_equal(one, expected);
      tare_dataset_close(&data);
    }
  }
  H5Tclose(half);
}

/* 25 bits of fraction in 4 bytes: more than float32 has. */
static void floats_of_other_formats_keep_their_bits(void **state) {
  (void)state;
  const hid_t odd = H5Tcopy(H5T_IEEE_F32LE);
  assert_true(H5Tset_fields(odd, 31, 25, 6, 0, 25) >= 0 && H5Tset_ebias(odd, 31) >= 0);
  const double values[] = {1 + 0x1p-25, -2};
  const float singles[] = {-0.0f, 0x1p-140f}; /* a denormal */
  const hid_t f = make_file("odd.h5");
  put(f, "samples/a/x", odd, H5T_NATIVE_DOUBLE, 1, (hsize_t[]){2}, values);
  put(f, "samples/a/y", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, 1, (hsize_t[]){2}, singles);
  put(f, "samples/a/z", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1, (hsize_t[]){2}, singles);
  H5Fclose(f);
  H5Tclose(odd);
  const tare_port ports[] = {port("x", TARE_F64, 1), port("y", TARE_F32, 1),
                             port("z", TARE_F64, 1)};
  const tare_dataset_options options = options_for(ports, 3);
  tare_dataset *data = open_data(at("odd.h5"), &options);
  const tare_sample *const s = next_sample(data);
  assert_memory_equal(s->tensors[0].data, values, sizeof values);
  assert_memory_equal(s->tensors[1].data, singles, sizeof singles);
  assert_memory_equal(s->tensors[2].data, ((double[]){-0.0, 0x1p-140}), 2 * sizeof(double));
  tare_dataset_close(&data);
}

static void booleans_stored_as_enumerations(void **state) {
  (void)state;
  const hid_t boolean = H5Tenum_create(H5T_NATIVE_INT8);
  int8_t v = 0;
  H5Tenum_insert(boolean, "FALSE", &v);
  v = 1;
  H5Tenum_insert(boolean, "TRUE", &v);
  const int8_t values[] = {1, 0, 1};
  const hsize_t dims[] = {1, 3};
  const hid_t f = make_file("bool.h5");
  put(f, "x", boolean, boolean, 2, dims, values);
  H5Fclose(f);
  H5Tclose(boolean);
  const tare_port p = port("x", TARE_I64, 2);
  const tare_dataset_options options = options_for(&p, 1);
  tare_dataset *data = open_data(at("bool.h5"), &options);
  const int64_t expected[] = {1, 0, 1};
  assert_memory_equal(next_sample(data)->tensors[0].data, expected, sizeof expected);
  tare_dataset_close(&data);
}

static void values_that_do_not_fit_are_named(void **state) {
  (void)state;
  static const struct {
    double value;
    tare_dtype dtype;
    bool whole;
    const char *message;
  } CASES[] = {
      {300, TARE_U8, true, "value 300 at element 1 does not fit uint8"},
      {-1, TARE_U32, true, "value -1 at element 1 does not fit uint32"},
      {2, TARE_BOOL, true, "value 2 at element 1 does not fit bool"},
      {128, TARE_I8, false, "value 128 at element 1 does not fit int8"},
      {0.5, TARE_I64, false, "value 0.5 at element 1 is not an integer, as needed by int64"},
      {9.3e18, TARE_I64, false, "value 9.3e+18 at element 1 does not fit int64"},
      {70000, TARE_F16, false, "value 70000 at element 1 does not fit float16"},
      {1e300, TARE_F32, false, "value 1e+300 at element 1 does not fit float32"},
      {NAN, TARE_F32, false, "value nan at element 1 is not finite"},
      {INFINITY, TARE_F64, false, "value inf at element 1 is not finite"},
      {-INFINITY, TARE_I64, false, "value -inf at element 1 is not finite"},
  };
  const hsize_t dims[] = {2, 2};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    const double values[] = {1, 1, 1, CASES[i].value};
    const hid_t f = make_file("range.h5");
    put(f, "x", CASES[i].whole ? H5T_STD_I64LE : H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, dims,
        values);
    H5Fclose(f);
    const tare_port p = port("x", CASES[i].dtype, 2);
    char message[256];
    snprintf(message, sizeof message, "range.h5[1]: input 'x': %s", CASES[i].message);
    refuse_sample(at("range.h5"), options_for(&p, 1), 1, 1, message);
  }
}

static void limit_cuts_the_data(void **state) {
  (void)state;
  const hid_t f = make_file("limit.h5");
  put_matrix(f, "x", 3, 3, PADDED);
  H5Fclose(f);
  const tare_port p = port("x", TARE_F32, 2);
  tare_dataset_options options = options_for(&p, 1);
  options.limit = 2;
  tare_dataset *data = open_data(at("limit.h5"), &options);
  assert_int_equal(tare_dataset_count(data), 2);
  assert_non_null(next_sample(data));
  assert_non_null(next_sample(data));
  assert_null(next_sample(data));
  assert_null(next_sample(data));
  tare_dataset_close(&data);
}

int hdf5_layouts_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vlen_rows),
      cmocka_unit_test(values_with_offsets_or_lengths),
      cmocka_unit_test(ragged_by_mapping),
      cmocka_unit_test(padded_matrix),
      cmocka_unit_test(matrix_without_lengths_has_fixed_samples),
      cmocka_unit_test(groups_in_order_of_names),
      cmocka_unit_test(groups_with_names_that_are_paths),
      cmocka_unit_test(features_keep_their_width),
      cmocka_unit_test(the_only_data_set_is_taken),
      cmocka_unit_test(labels_in_each_shape),
      cmocka_unit_test(each_type_converts_to_each),
      cmocka_unit_test(floats_of_other_formats_keep_their_bits),
      cmocka_unit_test(booleans_stored_as_enumerations),
      cmocka_unit_test(values_that_do_not_fit_are_named),
      cmocka_unit_test(limit_cuts_the_data),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
