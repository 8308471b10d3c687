#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

#include <tare/evidence.h>
#include <tare/merge.h>

#include "base/seal.h"
#include "unit/calib/support/sample_stats.h"

static char path[64], other[64];

typedef struct bytes {
  char *data;
  size_t n;
} bytes;

static bytes slurp(const char *const name) {
  FILE *const file = fopen(name, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  bytes b = {.n = (size_t)ftell(file)};
  rewind(file);
  b.data = malloc(b.n);
  assert_int_equal(fread(b.data, 1, b.n, file), b.n);
  fclose(file);
  return b;
}

static void dump(const char *const name, const void *const data, const size_t n) {
  FILE *const file = fopen(name, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

/* A file that was edited loses its checksum. */
static void seal(const char *const name) {
  const bytes b = slurp(name);
  tarei_outfile out;
  assert_int_equal(tarei_outfile_open(name, &out, NULL), TARE_OK);
  tarei_outfile_write(&out, b.data, b.n);
  assert_int_equal(tarei_seal_add(&out, NULL), TARE_OK);
  assert_int_equal(tarei_outfile_commit(&out, NULL), TARE_OK);
  free(b.data);
}

static void save_sample(const uint64_t seed, const char *const name) {
  tare_stats *stats = sample_stats(seed);
  tare_error err = {0};
  assert_int_equal(tare_stats_save(stats, name, &err), TARE_OK);
  tare_stats_free(&stats);
  assert_null(stats);
}

static void assert_same_bytes(const char *const x, const char *const y) {
  const bytes a = slurp(x), b = slurp(y);
  assert_int_equal(a.n, b.n);
  assert_memory_equal(a.data, b.data, a.n);
  free(a.data);
  free(b.data);
}

static void same_statistics_give_same_bytes(void **const state) {
  (void)state;
  save_sample(77, path);
  sleep(1); /* a time in the file would differ */
  save_sample(77, other);
  assert_same_bytes(path, other);
}

static void round_trip_gives_same_bytes(void **const state) {
  (void)state;
  save_sample(5, path);
  tare_stats *stats = NULL;
  tare_error err = {0};
  assert_int_equal(tare_stats_load(path, &stats, &err), TARE_OK);
  assert_int_equal(tare_stats_save(stats, other, &err), TARE_OK);
  assert_same_bytes(path, other);
  tare_stats_free(&stats);
}

static void gives_what_it_read(void **const state) {
  (void)state;
  save_sample(9, path);
  tare_stats *stats = NULL, *made = sample_stats(9);
  assert_int_equal(tare_stats_load(path, &stats, NULL), TARE_OK);
  assert_true(tare_stats_model_hash(stats) == 0x0123456789abcdefu);
  assert_string_equal(tare_stats_model_name(stats), "model.onnx");
  assert_string_equal(tare_stats_fit(stats), "native");
  assert_false(tare_stats_counts_padding(stats));
  assert_int_equal(tare_stats_n_profiles(stats), 2);
  assert_string_equal(tare_stats_profile(stats, 1), "samples=4:5:6");
  assert_null(tare_stats_profile(stats, 2));
  assert_int_equal(tare_stats_profile_samples(stats, 0), 1);
  assert_int_equal(tare_stats_n_tensors(stats), 5);
  for (int t = 0; t < 5; t++) {
    for (int p = 0; p < 2; p++) {
      const tare_stats_entry x = tare_stats_get(stats, t, p), y = tare_stats_get(made, t, p);
      assert_string_equal(x.tensor, y.tensor);
      assert_int_equal(x.count, y.count);
      assert_int_equal(x.n_nan, y.n_nan);
      assert_true(isnan(x.min) == isnan(y.min) && (isnan(x.min) || x.min == y.min));
      assert_true(isnan(x.static_loss) ? isnan(y.static_loss) : x.static_loss == y.static_loss);
      assert_true(isnan(x.row_loss) ? isnan(y.row_loss) : x.row_loss == y.row_loss);
    }
  }
  assert_true(isnan(tare_stats_get(stats, 4, 1).max));
  assert_string_equal(stats->aliases[1].name, "a/transposed");
  assert_string_equal(stats->inputs[0], "audio");
  assert_int_equal(stats->roundings.n, 2);
  const tarei_rounding *const rounding = &stats->roundings.items[1];
  assert_string_equal(rounding->layer, "second");
  assert_int_equal(rounding->n, 3);
  assert_int_equal(rounding->k, 11);
  assert_true(rounding->hash == UINT64_MAX);
  assert_memory_equal(rounding->up, sample_ups, tarei_rounding_bytes(3, 11));
  assert_int_equal(tare_stats_n_smoothed(stats), 2);
  const tarei_smoothing *const smoothing = &stats->smoothings.items[0];
  assert_string_equal(smoothing->tensor, "a");
  assert_int_equal(smoothing->channels, 3);
  assert_memory_equal(smoothing->exponents, made->smoothings.items[0].exponents, 3);
  assert_true(smoothing->min[0] == -1 && smoothing->max[0] == 2);
  assert_true(smoothing->min[1] > smoothing->max[1]); /* no data */
  assert_int_equal(tare_stats_n_clipped(stats), 2);
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    const tarei_layer_numbers *const first = &stats->numbers[k].items[0];
    assert_int_equal(stats->numbers[k].n, 2);
    assert_string_equal(first->layer, "first");
    assert_true(first->hash == made->numbers[k].items[0].hash);
    assert_int_equal(first->n, 2);
    assert_true(first->values[0] == 0.5F + (float)k && first->values[1] == 1e-30F);
    assert_int_equal(stats->numbers[k].items[1].n, 3);
  }
  tare_stats_free(&stats);
  tare_stats_free(&made);
}

static void knows_its_files(void **const state) {
  (void)state;
  save_sample(3, path);
  assert_true(tare_stats_is_stats_file(path));
  dump(other, "hello", 5);
  assert_false(tare_stats_is_stats_file(other));
  assert_false(tare_stats_is_stats_file("/nonexistent.stats"));
}

static void assert_refused(const char *const name, const char *const says) {
  tare_stats *stats = NULL;
  tare_error err = {0};
  assert_int_equal(tare_stats_load(name, &stats, &err), TARE_E_INPUT);
  assert_null(stats);
  if (!strstr(err.message, says)) {
    fail_msg("\"%s\" does not say \"%s\"", err.message, says);
  }
}

static void refuses_other_files(void **const state) {
  (void)state;
  assert_refused("/nonexistent.stats", "cannot open");
  dump(path, "hello", 5);
  assert_refused(path, "not an HDF5 file");
  dump(path, "", 0);
  assert_refused(path, "not an HDF5 file");
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0 && H5Fclose(file) >= 0);
  assert_refused(path, "not a statistics file");
  assert_false(tare_stats_is_stats_file(path));
}

/* Overwrites numbers of a saved sample. */
static void edit_set(const char *const set_path, const hid_t type, const hsize_t n,
                     const void *const values) {
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, set_path, H5P_DEFAULT);
  const hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &n, NULL);
  hsize_t start[3] = {0}, count[3] = {1, 1, 1};
  count[H5Sget_simple_extent_ndims(space) - 1] = n;
  assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
  assert_true(H5Dwrite(set, type, memory, space, H5P_DEFAULT, values) >= 0);
  assert_true(H5Sclose(space) >= 0 && H5Sclose(memory) >= 0 && H5Dclose(set) >= 0);
  assert_true(H5Fclose(file) >= 0);
  seal(path);
}

static void refuses_numbers_that_disagree(void **const state) {
  (void)state;
  const int64_t one = 1, minus = -1, huge = INT64_MAX;
  const float big = 1e30f, nan = NAN;
  const int32_t exponent = 100;
  const uint16_t many[] = {UINT16_MAX, UINT16_MAX};
  const struct {
    const char *set;
    hid_t type;
    hsize_t n;
    const void *value;
    const char *says;
  } cases[] = {
      {"/tensors/count", H5T_NATIVE_INT64, 1, &one, "tensor 'a'"},
      {"/tensors/count", H5T_NATIVE_INT64, 1, &huge, "tensor 'a'"},
      {"/tensors/nan", H5T_NATIVE_INT64, 1, &minus, "tensor 'a'"},
      {"/tensors/samples", H5T_NATIVE_INT64, 1, &minus, "tensor 'a'"},
      {"/tensors/max", H5T_NATIVE_FLOAT, 1, &big, "exponent"},
      {"/tensors/min", H5T_NATIVE_FLOAT, 1, &nan, "tensor 'a'"},
      {"/tensors/exponent", H5T_NATIVE_INT32, 1, &exponent, "exponent"},
      {"/tensors/positive", H5T_NATIVE_UINT16, 2, many, "tensor 'a'"},
      {"/tensors/zeros", H5T_NATIVE_INT64, 1, &one, "tensor 'a'"},
      {"/profiles/samples", H5T_NATIVE_INT64, 1, &minus, "profiles/samples"},
      {"/tensors/name", H5I_INVALID_HID, 1, "z", "sorted"},
      {"/aliases/source", H5I_INVALID_HID, 1, "z", "aliases"},
      {"/rounding/layer", H5I_INVALID_HID, 1, "z", "/rounding/layer must be sorted"},
      {"/rounding/inputs", H5T_NATIVE_INT64, 1, &minus, "/rounding/inputs must be positive"},
      {"/rounding/inputs", H5T_NATIVE_INT64, 1, &huge, "/rounding/inputs must be positive"},
      {"/rounding/inputs", H5T_NATIVE_INT64, 1, &one, "/rounding/up/0 has the wrong type or shape"},
      {"/smoothing/tensor", H5I_INVALID_HID, 1, "z", "/smoothing/tensor must be sorted"},
      {"/smoothing/min", H5T_NATIVE_FLOAT, 1, &big, "/smoothing/min must be finite"},
      {"/smoothing/max", H5T_NATIVE_FLOAT, 1, &nan, "/smoothing/min must be finite"},
      {"/smoothing/rms", H5T_NATIVE_FLOAT, 1, &nan, "/smoothing/rms must be positive"},
      {"/smoothing/exponents/0", H5T_NATIVE_INT32, 1, &exponent, "must be from -24 to 24"},
      {"/clipping/layer", H5I_INVALID_HID, 1, "z", "/clipping/layer must be sorted"},
      {"/clipping/values/0", H5T_NATIVE_FLOAT, 1, &nan,
       "/clipping/values/0 must be positive normal float32 numbers"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    save_sample(4, path);
    hid_t type = cases[i].type;
    if (type == H5I_INVALID_HID) {
      type = H5Tcopy(H5T_C_S1);
      assert_true(H5Tset_cset(type, H5T_CSET_UTF8) >= 0);
    }
    edit_set(cases[i].set, type, cases[i].n, cases[i].value);
    assert_refused(path, cases[i].says);
  }
}

/* Each tensor and bucket is of one sample. */
static void save_with_origins(void) {
  tare_stats *stats = sample_stats(4);
  stats->has_ledger = stats->has_origins = true;
  for (int p = 0; p < 2; p++) {
    const tarei_sample_hash hash = {.high = (uint64_t)p << 62, .low = 7};
    assert_int_equal(tarei_ledger_add(&stats->ledger, hash, NULL), TARE_OK);
    for (int t = 0; t < stats->n_tensors; t++) {
      tarei_accumulator *const a = &stats->tensors[t].buckets[p];
      tarei_origins_note(&a->origins, hash, a->min, a->max);
    }
  }
  assert_int_equal(tare_stats_save(stats, path, NULL), TARE_OK);
  tare_stats_free(&stats);
}

static void keeps_the_samples_of_ranges(void **const state) {
  (void)state;
  save_with_origins();
  tare_stats *stats = NULL;
  tare_sample_id min, max;
  assert_int_equal(tare_stats_load(path, &stats, NULL), TARE_OK);
  assert_int_equal(tare_stats_save(stats, other, NULL), TARE_OK);
  assert_same_bytes(path, other);
  assert_true(tare_stats_origin(stats, 0, 1, &min, &max));
  assert_true(min.high == (uint64_t)1 << 62 && max.low == 7);
  assert_false(tare_stats_origin(stats, 4, 1, &min, &max)); /* no data */
  tare_stats *older = sample_stats(4);                      /* without origins */
  assert_int_equal(tarei_stats_add(older, stats, NULL), TARE_OK);
  assert_false(tare_stats_origin(older, 0, 1, &min, &max));
  tarei_stats_sort(older);
  assert_int_equal(tarei_stats_add(stats, older, NULL), TARE_OK);
  assert_false(tare_stats_origin(stats, 0, 1, &min, &max));
  tare_stats_free(&older);
  tare_stats_free(&stats);
}

static void lists_more_than_a_million_samples(void **const state) {
  (void)state;
  enum { MANY = (1 << 20) + 1 };
  tare_stats *stats = sample_stats(4);
  stats->has_ledger = true;
  for (uint64_t i = 0; i < MANY; i++) {
    assert_int_equal(tarei_ledger_add(&stats->ledger, (tarei_sample_hash){.high = i}, NULL),
                     TARE_OK);
  }
  assert_int_equal(tare_stats_save(stats, path, NULL), TARE_OK);
  tare_stats_free(&stats);
  assert_int_equal(tare_stats_load(path, &stats, NULL), TARE_OK);
  assert_int_equal(tare_stats_n_counted(stats), MANY);
  tare_stats_free(&stats);
}

static void refuses_origins_that_disagree(void **const state) {
  (void)state;
  const uint64_t other_slice[] = {UINT64_MAX, 7}, no_sample[] = {0, 8};
  const float nan[] = {NAN, 0}, large[] = {1e30F, 0};
  const struct {
    const char *set;
    hid_t type;
    const void *values;
    const char *says;
  } cases[] = {{"/origins/min", H5T_NATIVE_UINT64, other_slice, "does not agree"},
               {"/origins/max", H5T_NATIVE_UINT64, no_sample, "names a sample"},
               {"/origins/slice_min", H5T_NATIVE_FLOAT, nan, "does not agree"},
               {"/origins/slice_max", H5T_NATIVE_FLOAT, large, "does not agree"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    save_with_origins();
    edit_set(cases[i].set, cases[i].type, 2, cases[i].values);
    assert_refused(path, cases[i].says);
  }
  save_with_origins();
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, "/origins/slice_min", H5P_DEFAULT) >= 0 && H5Fclose(file) >= 0);
  seal(path);
  assert_refused(path, "/origins/slice_min is missing");
}

/* Counts of any integer type are read; here such as this program never writes. */
static void refuses_counts_out_of_range(void **const state) {
  (void)state;
  static const struct {
    const char *set;
    hsize_t n;
    int64_t values[2];
  } cases[] = {{"/tensors/positive", TAREI_HISTOGRAM_BINS, {-1, 1}},
               {"/tensors/negative", TAREI_HISTOGRAM_BINS, {INT64_MIN, 0}},
               {"/tensors/positive", TAREI_HISTOGRAM_BINS, {INT64_MAX, INT64_MAX}},
               {"/tensors/rows", TAREI_ROW_BINS, {-1, 1}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    save_sample(4, path);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t dims[] = {5, 2, cases[i].n};
    const hid_t space = H5Screate_simple(3, dims, NULL);
    assert_true(H5Ldelete(file, cases[i].set, H5P_DEFAULT) >= 0);
    const hid_t set = H5Dcreate2(file, cases[i].set, H5T_NATIVE_INT64, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Sclose(space) >= 0 && H5Dclose(set) >= 0 && H5Fclose(file) >= 0);
    edit_set(cases[i].set, H5T_NATIVE_INT64, 2, cases[i].values);
    assert_refused(path, "tensor 'a'");
  }
}

static void edit_file(void (*const edit)(hid_t file)) {
  save_sample(4, path);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  edit(file);
  assert_true(H5Fclose(file) >= 0);
  seal(path);
}

static void lower_version(const hid_t file) {
  const uint64_t major = 1;
  const hid_t attribute = H5Aopen(file, "version_major", H5P_DEFAULT);
  assert_true(H5Awrite(attribute, H5T_NATIVE_UINT64, &major) >= 0 && H5Aclose(attribute) >= 0);
}
static void drop_fit(const hid_t file) {
  assert_true(H5Adelete(file, "fit") >= 0);
}
static void drop_rows(const hid_t file) {
  assert_true(H5Ldelete(file, "/tensors/rows", H5P_DEFAULT) >= 0);
}
static void reshape_count(const hid_t file) {
  const hsize_t dims[] = {3, 9};
  assert_true(H5Ldelete(file, "/tensors/count", H5P_DEFAULT) >= 0);
  const hid_t space = H5Screate_simple(2, dims, NULL);
  const hid_t set = H5Dcreate2(file, "/tensors/count", H5T_STD_I64LE, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dclose(set) >= 0 && H5Sclose(space) >= 0);
}
static void retype_count(const hid_t file) {
  const hsize_t dims[] = {5, 2};
  assert_true(H5Ldelete(file, "/tensors/count", H5P_DEFAULT) >= 0);
  const hid_t space = H5Screate_simple(2, dims, NULL);
  const hid_t set = H5Dcreate2(file, "/tensors/count", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dclose(set) >= 0 && H5Sclose(space) >= 0);
}
/* A million texts that take no room in the file. */
static void drop_bits(const hid_t file) {
  assert_true(H5Ldelete(file, "/rounding/up/1", H5P_DEFAULT) >= 0);
}
static void drop_exponents(const hid_t file) {
  assert_true(H5Ldelete(file, "/smoothing/exponents/1", H5P_DEFAULT) >= 0);
}
static void drop_scales(const hid_t file) {
  assert_true(H5Ldelete(file, "/clipping/values/1", H5P_DEFAULT) >= 0);
}
static void inflate_names(const hid_t file) {
  const hsize_t dims[] = {1 << 20};
  assert_true(H5Ldelete(file, "/tensors/name", H5P_DEFAULT) >= 0);
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, dims, NULL);
  assert_true(H5Tset_size(type, 4096) >= 0);
  const hid_t set =
      H5Dcreate2(file, "/tensors/name", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(H5Dclose(set) >= 0 && H5Sclose(space) >= 0 && H5Tclose(type) >= 0);
}

static void refuses_damaged_files(void **const state) {
  (void)state;
  edit_file(lower_version);
  assert_refused(path, "statistics format version 1, expected 2: calibrate again");
  edit_file(drop_fit);
  assert_refused(path, "fit is missing");
  edit_file(drop_rows);
  assert_refused(path, "/tensors/rows is missing");
  edit_file(reshape_count);
  assert_refused(path, "/tensors/count has the wrong type or shape");
  edit_file(retype_count);
  assert_refused(path, "/tensors/count has the wrong type or shape");
  edit_file(drop_bits);
  assert_refused(path, "/rounding/up/1 is missing");
  edit_file(drop_exponents);
  assert_refused(path, "/smoothing/exponents/1 is missing");
  edit_file(drop_scales);
  assert_refused(path, "/clipping/values/1 is missing");
  edit_file(inflate_names);
  assert_refused(path, "/tensors/name is larger than the file");
}

/* Any bit, wherever it is. */
static void refuses_flipped_bits(void **const state) {
  (void)state;
  save_sample(4, path);
  const bytes b = slurp(path);
  for (size_t at = 0; at < b.n; at += b.n / 300 + 1) {
    b.data[at] ^= (char)(1 << at % 8);
    dump(other, b.data, b.n);
    assert_refused(other, "corrupt: its checksum does not match");
    b.data[at] ^= (char)(1 << at % 8);
  }
  b.data[b.n - 10] ^= 1; /* its mark */
  dump(other, b.data, b.n);
  assert_refused(other, "has no checksum at its end");
  free(b.data);
}

static void drop_minor(const hid_t file) {
  const uint64_t minor = 2;
  const hid_t attribute = H5Aopen(file, "version_minor", H5P_DEFAULT);
  assert_true(H5Awrite(attribute, H5T_NATIVE_UINT64, &minor) >= 0 && H5Aclose(attribute) >= 0);
}

/* Those of older versions have none. */
static void reads_files_without_checksum(void **const state) {
  (void)state;
  edit_file(drop_minor);
  const bytes b = slurp(path);
  dump(other, b.data, b.n - 16);
  free(b.data);
  tare_stats *stats = NULL;
  assert_int_equal(tare_stats_load(other, &stats, NULL), TARE_OK);
  tare_stats_free(&stats);
}

static void refuses_cut_files(void **const state) {
  (void)state;
  save_sample(4, path);
  const bytes b = slurp(path);
  for (size_t n = 0; n < b.n; n += b.n / 40 + 1) {
    dump(other, b.data, n);
    assert_refused(other, other);
  }
  free(b.data);
}

static int make_paths(void **const state) {
  (void)state;
  strcpy(path, "tare-stats-XXXXXX");
  strcpy(other, "tare-stats-XXXXXX");
  const int a = mkstemp(path), b = mkstemp(other);
  return a < 0 || b < 0 || close(a) || close(b) || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0;
}

static int remove_paths(void **const state) {
  (void)state;
  return unlink(path) || unlink(other);
}

int stats_file_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_statistics_give_same_bytes),
      cmocka_unit_test(round_trip_gives_same_bytes),
      cmocka_unit_test(gives_what_it_read),
      cmocka_unit_test(knows_its_files),
      cmocka_unit_test(refuses_other_files),
      cmocka_unit_test(refuses_numbers_that_disagree),
      cmocka_unit_test(keeps_the_samples_of_ranges),
      cmocka_unit_test(lists_more_than_a_million_samples),
      cmocka_unit_test(refuses_origins_that_disagree),
      cmocka_unit_test(refuses_counts_out_of_range),
      cmocka_unit_test(refuses_damaged_files),
      cmocka_unit_test(refuses_cut_files),
      cmocka_unit_test(refuses_flipped_bits),
      cmocka_unit_test(reads_files_without_checksum),
  };
  return cmocka_run_group_tests(tests, make_paths, remove_paths);
}
