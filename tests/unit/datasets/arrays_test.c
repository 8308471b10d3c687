/* NumPy arrays: files, archives and folders of them. The good ones in tests/fixtures/arrays count
 * their elements up from 0 in row-major order. */
#include <sys/stat.h>

#include "data_helper.h"

#define FIXTURE(name) TARE_SOURCE_DIR "/tests/fixtures/arrays/" name

static void copy(const char *const name, const char *const to) {
  char command[2 * PATH_CAPACITY];
  snprintf(command, sizeof command, "cp '" FIXTURE("%s") "' '%s'", name, at(to));
  assert_int_equal(system(command), 0);
}

static void make_folder(const char *const name) {
  assert_int_equal(mkdir(at(name), 0777), 0);
}

static void assert_floats(const tare_tensor *const t, const float first, const int64_t n) {
  assert_int_equal(t->dtype, TARE_F32);
  assert_int_equal(tare_tensor_count(t), n);
  for (int64_t i = 0; i < n; i++) {
    assert_true(((const float *)t->data)[i] == first + (float)i);
  }
}

static void assert_dims(const tare_tensor *const t, const int rank, const int64_t a,
                        const int64_t b) {
  assert_int_equal(t->rank, rank);
  assert_int_equal(t->dims[0], a);
  if (rank > 1) {
    assert_int_equal(t->dims[1], b);
  }
}

static void every_type_order_and_version_is_read(void **state) {
  (void)state;
  static const char *const NAMES[] = {
      FIXTURE("good_little_i2.npy"), FIXTURE("good_little_i4.npy"), FIXTURE("good_little_i8.npy"),
      FIXTURE("good_little_u2.npy"), FIXTURE("good_little_u4.npy"), FIXTURE("good_little_u8.npy"),
      FIXTURE("good_little_f2.npy"), FIXTURE("good_little_f4.npy"), FIXTURE("good_little_f8.npy"),
      FIXTURE("good_big_i2.npy"),    FIXTURE("good_big_i4.npy"),    FIXTURE("good_big_i8.npy"),
      FIXTURE("good_big_u2.npy"),    FIXTURE("good_big_u4.npy"),    FIXTURE("good_big_u8.npy"),
      FIXTURE("good_big_f2.npy"),    FIXTURE("good_big_f4.npy"),    FIXTURE("good_big_f8.npy"),
      FIXTURE("good_i1.npy"),        FIXTURE("good_u1.npy"),        FIXTURE("good_version2.npy"),
      FIXTURE("good_version3.npy"),  FIXTURE("good_python2.npy"),   FIXTURE("good_zip64.npz"),
      FIXTURE("good_far_sizes.npz"),
  };
  const tare_port x = port("x", TARE_F32, 2);
  const tare_dataset_options options = options_for(&x, 1);
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    tare_dataset *data = open_data(NAMES[i], &options);
    assert_int_equal(tare_dataset_count(data), 1);
    const tare_sample *const sample = next_sample(data);
    assert_string_equal(sample->name, NAMES[i]);
    assert_dims(sample->tensors, 2, 2, 3);
    assert_floats(sample->tensors, 0, 6);
    assert_null(next_sample(data));
    tare_dataset_close(&data);
  }
}

static void float32_becomes_float64_without_loss(void **state) {
  (void)state;
  static const char *const NAMES[] = {FIXTURE("good_little_f4.npy"), FIXTURE("good_big_f4.npy")};
  const tare_port x = port("x", TARE_F64, 2);
  const tare_dataset_options options = options_for(&x, 1);
  for (int i = 0; i < 2; i++) {
    tare_dataset *data = open_data(NAMES[i], &options);
    const tare_tensor *const t = &next_sample(data)->tensors[0];
    for (int k = 0; k < 6; k++) {
      assert_true(((const double *)t->data)[k] == k);
    }
    tare_dataset_close(&data);
  }
}

static void integers_and_bools_become_what_the_input_takes(void **state) {
  (void)state;
  const tare_port wide = port("x", TARE_I64, 2), bools = port("x", TARE_BOOL, 2);
  const tare_port scalar = port("sr", TARE_I64, 0);
  tare_dataset_options options = options_for(&wide, 1);
  tare_dataset *data = open_data(FIXTURE("good_big_i4.npy"), &options);
  assert_int_equal(((const int64_t *)next_sample(data)->tensors[0].data)[5], 5);
  tare_dataset_close(&data);
  options.inputs = &bools;
  data = open_data(FIXTURE("good_bool.npy"), &options);
  static const uint8_t BOOLS[] = {1, 0, 1, 0, 1, 0};
  assert_memory_equal(next_sample(data)->tensors[0].data, BOOLS, sizeof BOOLS);
  tare_dataset_close(&data);
  options.inputs = &scalar;
  data = open_data(FIXTURE("good_scalar.npy"), &options);
  assert_int_equal(*(const int64_t *)next_sample(data)->tensors[0].data, 16000);
  tare_dataset_close(&data);
}

static void fortran_order_is_turned(void **state) {
  (void)state;
  const tare_port x = port("x", TARE_F32, 3);
  tare_dataset_options options = options_for(&x, 1);
  tare_dataset *data = open_data(FIXTURE("good_fortran.npy"), &options);
  assert_floats(next_sample(data)->tensors, 0, 24);
  tare_dataset_close(&data);
  options.rows = true;
  data = open_data(FIXTURE("good_fortran.npy"), &options);
  assert_int_equal(tare_dataset_count(data), 2);
  assert_floats(next_sample(data)->tensors, 0, 12);
  assert_floats(next_sample(data)->tensors, 12, 12);
  tare_dataset_close(&data);
}

static void an_archive_is_one_sample_by_the_names_of_its_inputs(void **state) {
  (void)state;
  const tare_port ports[] = {port("attention_mask", TARE_I64, 2), port("input_ids", TARE_I64, 2)};
  tare_dataset_options options = options_for(ports, 2);
  static const char *const NAMES[] = {FIXTURE("good_sample.npz"),
                                      FIXTURE("good_sample_packed.npz")};
  for (int i = 0; i < 2; i++) {
    tare_dataset *data = open_data(NAMES[i], &options);
    assert_string_equal(tare_dataset_describe(data), "NumPy archives, 1 sample");
    const tare_sample *const sample = next_sample(data);
    assert_string_equal(sample->name, NAMES[i]);
    assert_dims(&sample->tensors[1], 2, 1, 5);
    assert_int_equal(((const int64_t *)sample->tensors[0].data)[4], 1);
    assert_int_equal(((const int64_t *)sample->tensors[1].data)[4], 4);
    tare_dataset_close(&data);
  }
  options.labels = "label";
  tare_dataset *data = open_data(NAMES[0], &options);
  const tare_sample *const sample = next_sample(data);
  assert_int_equal(sample->label->rank, 1);
  assert_int_equal(((const int64_t *)sample->label->data)[2], 9);
  tare_dataset_close(&data);
}

/* As one sample they would have a batch of 4; the labels, the shape or the option say otherwise. */
static void rows_are_samples_where_something_says_so(void **state) {
  (void)state;
  const tare_port batched = port("input", TARE_F32, 3), plain = port("input", TARE_F32, 2);
  tare_port fixed = batched;
  fixed.dims[0] = (tare_dim){1, NULL};
  struct {
    const tare_port *port;
    const char *labels;
    bool rows;
    int64_t count;
  } cases[] = {{&batched, NULL, false, 1},
               {&batched, "y", false, 4},
               {&batched, NULL, true, 4},
               {&plain, "y", false, 4},
               {&fixed, NULL, false, 4}};
  static const char *const NAMES[] = {FIXTURE("good_rows.npz"), FIXTURE("good_rows_fortran.npz")};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    tare_dataset_options options = options_for(cases[i / 2].port, 1);
    options.labels = i % 2 == 0 ? cases[i / 2].labels : NULL;
    options.rows = cases[i / 2].rows;
    if (i % 2 && cases[i / 2].labels) {
      continue; /* has none */
    }
    tare_dataset *data = open_data(NAMES[i % 2], &options);
    assert_int_equal(tare_dataset_count(data), cases[i / 2].count);
    for (int64_t row = 0; row < cases[i / 2].count; row++) {
      const tare_sample *const sample = next_sample(data);
      const int64_t n = 24 / cases[i / 2].count;
      assert_floats(sample->tensors, (float)(row * n), n);
      assert_int_equal(sample->label ? *(const int64_t *)sample->label->data : row * 10, row * 10);
    }
    assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
    assert_floats(next_sample(data)->tensors, 0, 24 / cases[i / 2].count);
    tare_dataset_close(&data);
  }
}

static void rows_are_cut_to_their_lengths(void **state) {
  (void)state;
  const tare_port x = port("x", TARE_F32, 2);
  static const char *const NAMES[] = {FIXTURE("good_rows_cut.npz"),
                                      FIXTURE("good_rows_cut_fortran.npz")};
  static const int64_t LENGTHS[] = {4, 1, 3};
  for (int i = 0; i < 2; i++) {
    tare_dataset_options options = options_for(&x, 1);
    tare_dataset *data = open_data(NAMES[i], &options);
    assert_string_equal(tare_dataset_describe(data), "NumPy archives, a sample per row, 3 samples");
    for (int row = 0; row < 3; row++) {
      const tare_sample *const sample = next_sample(data);
      assert_contains(sample->name, row == 2 ? "[2]" : "[");
      assert_dims(sample->tensors, 1, LENGTHS[row], 0);
      assert_floats(sample->tensors, (float)(4 * row), LENGTHS[row]);
    }
    tare_dataset_close(&data);
  }
  tare_dataset_options options = options_for(&x, 1);
  refuse_sample(FIXTURE("bad_rows_length.npz"), options, 1, 1,
                "length 5 is out of range: expected 0..4, the width of the matrix");
  const tare_mapping map = {.input = "x", .path = "x", .lengths = "lengths"};
  options.mappings = &map;
  options.n_mappings = 1;
  tare_dataset *data = open_data(NAMES[0], &options);
  assert_int_equal(tare_dataset_count(data), 3);
  tare_dataset_close(&data);
  const tare_mapping offsets = {.input = "x", .path = "x", .offsets = "lengths"};
  options.mappings = &offsets;
  refuse_open(NAMES[0], &options, TARE_E_USAGE, "offsets are for HDF5 files");
}

static void a_folder_holds_a_sample_per_folder(void **state) {
  (void)state;
  make_folder("set");
  make_folder("set/000");
  make_folder("set/001");
  make_folder("set/other");
  copy("good_i1.npy", "set/000/ids_0.npy");
  copy("good_u1.npy", "set/000/mask.npy");
  copy("good_bool.npy", "set/000/output_0.npy");
  copy("good_i1.npy", "set/001/ids_0.npy");
  copy("good_bool.npy", "set/001/mask.npy");
  copy("good_bool.npy", "set/other/output_0.npy");
  const tare_port ports[] = {port("ids:0", TARE_I64, 2), port("mask", TARE_I64, 2)};
  tare_dataset_options options = options_for(ports, 2);
  tare_dataset *data = open_data(at("set"), &options);
  assert_string_equal(tare_dataset_describe(data), "folders of NumPy arrays, 2 samples");
  assert_int_equal(((const int64_t *)next_sample(data)->tensors[1].data)[5], 5);
  const tare_sample *const second = next_sample(data);
  assert_string_equal(second->name, at("set/001"));
  assert_int_equal(((const int64_t *)second->tensors[0].data)[5], 5);
  assert_int_equal(((const int64_t *)second->tensors[1].data)[4], 1);
  assert_null(next_sample(data));
  tare_dataset_close(&data);
  data = open_data(at("set/001"), &options);
  assert_int_equal(tare_dataset_count(data), 1);
  tare_dataset_close(&data);
  assert_int_equal(remove(at("set/001/mask.npy")), 0);
  refuse_sample(at("set"), options, 1, 1, "no array 'mask' (found: 'ids_0')");
  options.labels = "output_0";
  data = open_data(at("set/000"), &options);
  assert_int_equal(((const int64_t *)next_sample(data)->label->data)[2], 1);
  tare_dataset_close(&data);
}

static void a_folder_of_files_feeds_the_only_input(void **state) {
  (void)state;
  make_folder("flat");
  copy("good_i1.npy", "flat/b.npy");
  copy("good_scalar.npy", "flat/a.npy");
  const tare_port x = port("x", TARE_F32, 2);
  const tare_dataset_options options = options_for(&x, 1);
  refuse_sample(at("flat"), options, 0, 1, "data of rank 0 does not match an input of rank 2");
  assert_int_equal(remove(at("flat/a.npy")), 0);
  copy("good_rows.npz", "flat/a.npz");
  tare_dataset *data = open_data(at("flat"), &options);
  assert_int_equal(tare_dataset_count(data), 5);
  tare_dataset_close(&data);
  const tare_port two[] = {x, port("y", TARE_F32, 2)};
  const tare_dataset_options both = options_for(two, 2);
  refuse_open(at("flat/b.npy"), &both, TARE_E_USAGE, "an .npy file feeds one input");
}

static void bad_arrays_are_bad_samples(void **state) {
  (void)state;
  static const struct {
    const char *name, *part;
  } CASES[] = {
      {FIXTURE("bad_objects.npy"), "Python objects are never loaded"},
      {FIXTURE("bad_objects.npz"), "input 'x': Python objects"},
      {FIXTURE("bad_fields.npy"), "structured element types are not supported"},
      {FIXTURE("bad_complex.npy"), "element type '<c8' is not supported"},
      {FIXTURE("bad_text.npy"), "element type '<U2' is not supported"},
      {FIXTURE("bad_nan.npy"), "value nan at element 1 is not finite"},
      {FIXTURE("bad_truncated.npy"), "declares 6 elements of 4 bytes, the file has 23 bytes"},
      {FIXTURE("bad_longer.npy"), "has 1 bytes more than its header declares"},
      {FIXTURE("bad_huge_dim.npy"), "product of the dims exceeds 64 bits"},
      {FIXTURE("bad_overflow.npy"), "expected non-negative integers in the shape"},
      {FIXTURE("bad_bomb.npy"), "declares 4611686018427387904 elements"},
      {FIXTURE("bad_rank.npy"), "has more than 9 dims"},
      {FIXTURE("bad_negative.npy"), "expected non-negative integers in the shape"},
      {FIXTURE("bad_no_shape.npy"), "missing key 'shape'"},
      {FIXTURE("bad_twice.npy"), "duplicate key 'descr'"},
      {FIXTURE("bad_no_dict.npy"), "expected a dict"},
      {FIXTURE("bad_long_key.npy"), "expected a dict"},
      {FIXTURE("bad_open_dict.npy"), "unterminated dict"},
      {FIXTURE("bad_order.npy"), "expected True or False as fortran_order"},
      {FIXTURE("bad_version.npy"), "version 9 is not supported: expected 1 to 3"},
      {FIXTURE("bad_header_length.npy"), "header of 4294967295 bytes"},
      {FIXTURE("bad_empty.npy"), "0 bytes is too short"},
      {FIXTURE("bad_magic.npy"), "does not begin with"},
      {FIXTURE("bad_zip_data.npz"), "corrupt"},
      {FIXTURE("bad_zip_crc.npz"), "checksum"},
      {FIXTURE("bad_zip_size.npz"), "has 4 bytes more than its header declares"},
      {FIXTURE("bad_zip_bomb.npz"), "declares 2147483647 bytes unpacked from"},
      {FIXTURE("bad_zip_method.npz"), "uses compression method 12"},
      {FIXTURE("bad_zip_encrypted.npz"), "'x.npy' is encrypted"},
      {FIXTURE("bad_zip_offset.npz"), "has no local header at 2147483632"},
      {FIXTURE("bad_zip_directory.npz"), "is not inside"},
      {FIXTURE("bad_zip_entries.npz"), "malformed directory entry"},
      {FIXTURE("bad_zip_cut.npz"), "no end record"},
      {FIXTURE("bad_zip_twice.npz"), "contains array 'x' twice"},
      {FIXTURE("bad_zip_more.npz"), "bytes more than its header declares"},
  };
  const tare_port x = port("x", TARE_F32, 2);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    refuse_sample(CASES[i].name, options_for(&x, 1), 0, 1, CASES[i].part);
  }
  tare_dataset_options options = options_for(&x, 1);
  options.limits = elements_limit(5);
  refuse_sample(FIXTURE("good_i1.npy"), options, 0, 1,
                "has 6 elements, more than the 5 that max-elements");
  tare_limits limits;
  tare_limits_init(&limits);
  limits.archive = 100;
  options.limits = &limits;
  refuse_open(FIXTURE("good_rows.npz"), &options, TARE_E_LIMIT,
              "members unpack to more than the 100 B that max-archive allows");
}

/* No byte of a file that is changed or missing may do worse than a bad sample. */
static void damage_anywhere_is_survived(void **state) {
  (void)state;
  static const char *const NAMES[] = {FIXTURE("good_rows.npz"), FIXTURE("good_zip64.npz"),
                                      FIXTURE("good_version2.npy")};
  const tare_port x = port("x", TARE_F32, 3);
  tare_dataset_options options = options_for(&x, 1);
  options.skip_bad = true;
  for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
    char bytes[2048];
    FILE *file = fopen(NAMES[k], "rb");
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(n > 100 && n < sizeof bytes);
    for (size_t i = 0; i < 2 * n; i += 3) {
      const char *const path = at(strstr(NAMES[k], ".npz") ? "damaged.npz" : "damaged.npy");
      const char before = bytes[i % n];
      bytes[i % n] = (char)(i < n ? ~before : before);
      file = fopen(path, "wb");
      fwrite(bytes, 1, i < n ? n : i - n, file);
      fclose(file);
      bytes[i % n] = before;
      tare_dataset *data = NULL;
      if (tare_dataset_open(&path, 1, &options, &data, NULL) == TARE_OK) {
        int64_t samples = 0;
        while (samples < 10 && next_sample(data)) {
          samples++;
        }
        assert_true(samples < 10);
        tare_dataset_close(&data);
      }
    }
  }
}

static void the_inputs_of_models_in_the_wild_are_read(void **state) {
  (void)state;
  NEED_SHARED("models/wild/moonshine-spelling-cnn/features.npz");
  tare_port mel = port("log_mel", TARE_F32, 4);
  mel.dims[1] = (tare_dim){1, NULL};
  mel.dims[2] = (tare_dim){64, NULL};
  tare_dataset_options options = options_for(&mel, 1);
  options.labels = "y";
  tare_dataset *data =
      open_data(SHARED("models/wild/moonshine-spelling-cnn/features.npz"), &options);
  assert_int_equal(tare_dataset_count(data), 220);
  assert_contains(tare_dataset_describe(data), "'x' taken for input 'log_mel'");
  int64_t n = 0;
  while (next_sample(data)) {
    n++;
  }
  assert_int_equal(n, 220);
  tare_dataset_close(&data);
  const tare_port vad[] = {port("input", TARE_F32, 2), port("state", TARE_F32, 3),
                           port("sr", TARE_I64, 0)};
  options = options_for(vad, 3);
  data = open_data(SHARED("models/wild/silero-vad-v6/inputs"), &options);
  assert_int_equal(tare_dataset_count(data), 4);
  while (next_sample(data)) {
  }
  tare_dataset_close(&data);
}

int arrays_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_order_and_version_is_read),
      cmocka_unit_test(float32_becomes_float64_without_loss),
      cmocka_unit_test(integers_and_bools_become_what_the_input_takes),
      cmocka_unit_test(fortran_order_is_turned),
      cmocka_unit_test(an_archive_is_one_sample_by_the_names_of_its_inputs),
      cmocka_unit_test(rows_are_samples_where_something_says_so),
      cmocka_unit_test(rows_are_cut_to_their_lengths),
      cmocka_unit_test_setup_teardown(a_folder_holds_a_sample_per_folder, make_scratch,
                                      remove_scratch),
      cmocka_unit_test_setup_teardown(a_folder_of_files_feeds_the_only_input, make_scratch,
                                      remove_scratch),
      cmocka_unit_test(bad_arrays_are_bad_samples),
      cmocka_unit_test_setup_teardown(damage_anywhere_is_survived, make_scratch, remove_scratch),
      cmocka_unit_test(the_inputs_of_models_in_the_wild_are_read),
  };
  return cmocka_run_group_tests_name("datasets.arrays", tests, NULL, NULL);
}
