#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "shapes/fit.h"
#include "shapes/profiles.h"

static const tare_port audio[] = {{"audio", TARE_F32, 2, {{-1, "batch"}, {-1, "samples"}}}};

static const tare_port text[] = {{"ids", TARE_I64, 2, {{-1, "batch"}, {-1, "len"}}},
                                 {"mask", TARE_U8, 2, {{-1, "batch"}, {-1, "len"}}}};

static tare_profiles *make(const tare_port *const ports, const int n, const char *const *specs) {
  tare_profiles *set;
  assert_int_equal(tare_profiles_new(ports, n, &set, NULL), TARE_OK);
  for (; *specs; specs++) {
    assert_int_equal(tare_profiles_add(set, *specs, NULL), TARE_OK);
  }
  return set;
}

static void assert_message(const tare_error *const err, const char *const part) {
  if (!strstr(err->message, part)) {
    fail_msg("expected \"%s\" in: %s", part, err->message);
  }
}

static void fits_have_names(void **state) {
  (void)state;
  for (int i = 0; i < TARE_FIT_COUNT; i++) {
    tare_fit back = TARE_FIT_COUNT;
    assert_int_equal(tare_fit_parse(tare_fit_name((tare_fit)i), &back, NULL), TARE_OK);
    assert_int_equal(back, i);
  }
  assert_string_equal(tare_fit_name(TARE_FIT_TRUNCATE), "truncate");
  assert_string_equal(tare_fit_summary(TARE_FIT_PAD), "padded to max");
  assert_null(tare_fit_summary(TARE_FIT_COUNT));
  assert_true(tare_fit_pads(TARE_FIT_PAD) && tare_fit_pads(TARE_FIT_OPT));
  assert_false(tare_fit_pads(TARE_FIT_NATIVE) || tare_fit_pads(TARE_FIT_TRUNCATE));
  tare_fit fit;
  tare_error err = {0};
  assert_int_equal(tare_fit_parse("cut", &fit, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "unknown fit 'cut', expected one of native, pad, truncate, opt");
}

/* Samples of 1, 2, 3, ... at 4:6:8. */
static void every_policy_at_every_length(void **state) {
  (void)state;
  static const struct {
    tare_fit fit;
    int64_t own, run;
  } rows[] = {
      {TARE_FIT_NATIVE, 4, 4},   {TARE_FIT_NATIVE, 6, 6},   {TARE_FIT_NATIVE, 8, 8},
      {TARE_FIT_PAD, 4, 8},      {TARE_FIT_PAD, 6, 8},      {TARE_FIT_PAD, 8, 8},
      {TARE_FIT_TRUNCATE, 4, 4}, {TARE_FIT_TRUNCATE, 6, 6}, {TARE_FIT_TRUNCATE, 8, 6},
      {TARE_FIT_OPT, 4, 6},      {TARE_FIT_OPT, 6, 6},      {TARE_FIT_OPT, 8, 6},
      {TARE_FIT_NATIVE, 2, 4},   {TARE_FIT_NATIVE, 11, 8},  {TARE_FIT_PAD, 2, 8},
      {TARE_FIT_PAD, 11, 8},     {TARE_FIT_TRUNCATE, 2, 4}, {TARE_FIT_TRUNCATE, 11, 6},
      {TARE_FIT_OPT, 2, 6},      {TARE_FIT_OPT, 11, 6},     {TARE_FIT_NATIVE, 0, 4},
  };
  tare_profiles *set = make(audio, 1, (const char *const[]){"samples=4:6:8", NULL});
  const tare_pad_value pad = {"audio", -7.5};
  tarei_fitted fitted = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const tarei_fit_options options = {rows[i].fit, TARE_OUTSIDE_NEAREST, &pad, 1};
    float *const data = malloc(((size_t)rows[i].own + 1) * sizeof *data);
    for (int64_t k = 0; k < rows[i].own; k++) {
      data[k] = (float)(k + 1);
    }
    const tare_tensor sample = {TARE_F32, 1, {rows[i].own}, data};
    tare_error err = {0};
    if (tarei_fit_sample(set, &options, "a", &sample, &fitted, &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    const int64_t run = rows[i].run, own = rows[i].own;
    assert_int_equal(fitted.profile, 0);
    assert_int_equal(fitted.run[0], 1);
    assert_int_equal(fitted.run[1], run);
    assert_int_equal(fitted.valid[0], 1);
    assert_int_equal(fitted.valid[1], own < run ? own : run);
    const tare_tensor *const out = &fitted.tensors[0];
    assert_int_equal(out->rank, 2);
    assert_int_equal(out->dims[0], 1);
    assert_int_equal(out->dims[1], run);
    assert_true((out->data == data) == (own == run));
    assert_true((fitted.buffers[0] == NULL) == (own == run));
    for (int64_t k = 0; k < run; k++) {
      assert_true(((float *)out->data)[k] == (k < own ? (float)(k + 1) : -7.5f));
    }
    free(data);
  }
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
}

/* Native counts no padding; opt pads 4 to 6 and cuts 8 to 6. */
static void padding_and_losses_are_counted(void **state) {
  (void)state;
  static float data[8];
  tare_profiles *set = make(audio, 1, (const char *const[]){"samples=4:6:8", NULL});
  tarei_fitted fitted = {0};
  tare_fit_counts counts[2] = {{0}};
  for (int f = 0; f < 2; f++) {
    const tarei_fit_options options = {.fit = f ? TARE_FIT_OPT : TARE_FIT_NATIVE};
    for (int64_t own = 4; own <= 8; own += 4) {
      const tare_tensor sample = {TARE_F32, 1, {own}, data};
      assert_int_equal(tarei_fit_sample(set, &options, "a", &sample, &fitted, NULL), TARE_OK);
      tarei_fit_count(set, &fitted, &counts[f]);
    }
  }
  const tare_fit_counts native = {.samples = 2, .run = 12};
  const tare_fit_counts opt = {
      .samples = 2, .cut = 1, .padded = 1, .elements = 8, .lost = 2, .run = 12, .padding = 2};
  assert_memory_equal(&counts[0], &native, sizeof native);
  assert_memory_equal(&counts[1], &opt, sizeof opt);
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
}

static void inner_axes_and_batches_are_padded(void **state) {
  (void)state;
  const tare_port port = {"x", TARE_I16, 3, {{-1, "batch"}, {-1, "frames"}, {-1, "bands"}}};
  tare_profiles *set =
      make(&port, 1, (const char *const[]){"batch=1:2:3,frames=1:3:3,bands=1:2:4", NULL});
  int16_t data[2][2][3] = {{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}};
  const tare_tensor batch = {TARE_I16, 3, {2, 2, 3}, data};
  const tare_pad_value pad = {"x", -1};
  tarei_fitted fitted = {0};
  tarei_fit_options options = {TARE_FIT_OPT, TARE_OUTSIDE_ERROR, &pad, 1};
  assert_int_equal(tarei_fit_sample(set, &options, "a", &batch, &fitted, NULL), TARE_OK);
  static const int16_t opt[2][3][2] = {{{1, 2}, {4, 5}, {-1, -1}}, {{7, 8}, {10, 11}, {-1, -1}}};
  assert_memory_equal(fitted.tensors[0].data, opt, sizeof opt);
  options.fit = TARE_FIT_PAD;
  assert_int_equal(tarei_fit_sample(set, &options, "a", &batch, &fitted, NULL), TARE_OK);
  static const int16_t max[3][3][4] = {{{1, 2, 3, -1}, {4, 5, 6, -1}, {-1, -1, -1, -1}},
                                       {{7, 8, 9, -1}, {10, 11, 12, -1}, {-1, -1, -1, -1}},
                                       {{-1, -1, -1, -1}, {-1, -1, -1, -1}, {-1, -1, -1, -1}}};
  assert_memory_equal(fitted.tensors[0].data, max, sizeof max);
  assert_int_equal(fitted.valid[0], 2);
  assert_int_equal(fitted.valid[1], 2);
  assert_int_equal(fitted.valid[2], 3);
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
}

static void inputs_share_a_symbol_and_pad_by_name(void **state) {
  (void)state;
  tare_profiles *set = make(text, 2, (const char *const[]){"len=2:4:6", NULL});
  int64_t ids[] = {5, 6, 7};
  uint8_t mask[] = {1, 1, 1, 1};
  tare_tensor tensors[] = {{TARE_I64, 1, {3}, ids}, {TARE_U8, 2, {1, 3}, mask}};
  const tare_pad_value pad = {"ids", 99};
  const tarei_fit_options options = {TARE_FIT_PAD, TARE_OUTSIDE_ERROR, &pad, 1};
  tarei_fitted fitted = {0};
  tare_error err = {0};
  assert_int_equal(tarei_fit_check(&options, text, 2, &err), TARE_OK);
  assert_int_equal(tarei_fit_sample(set, &options, "a", tensors, &fitted, &err), TARE_OK);
  static const int64_t padded_ids[] = {5, 6, 7, 99, 99, 99};
  static const uint8_t padded_mask[] = {1, 1, 1, 0, 0, 0};
  assert_memory_equal(fitted.tensors[0].data, padded_ids, sizeof padded_ids);
  assert_memory_equal(fitted.tensors[1].data, padded_mask, sizeof padded_mask);
  tensors[1].dims[1] = 4;
  assert_int_equal(tarei_fit_sample(set, &options, "s7", tensors, &fitted, &err), TARE_E_SHAPE);
  assert_string_equal(err.message,
                      "s7: len is 3 by axis 1 of input 'ids' but 4 by axis 1 of input 'mask'");
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
}

static void the_bucket_comes_from_the_own_length(void **state) {
  (void)state;
  tare_profiles *set =
      make(audio, 1, (const char *const[]){"samples=1:2:4", "samples=5:6:8", NULL});
  float data[20] = {0};
  static const struct {
    int64_t own;
    int profile;
    int64_t run;
  } rows[] = {{1, 0, 2}, {4, 0, 2}, {5, 1, 6}, {8, 1, 6}, {20, 1, 6}};
  tarei_fitted fitted = {0};
  const tarei_fit_options options = {TARE_FIT_OPT, TARE_OUTSIDE_NEAREST, NULL, 0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const tare_tensor sample = {TARE_F32, 2, {1, rows[i].own}, data};
    assert_int_equal(tarei_fit_sample(set, &options, "a", &sample, &fitted, NULL), TARE_OK);
    assert_int_equal(fitted.profile, rows[i].profile);
    assert_int_equal(fitted.run[1], rows[i].run);
  }
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
}

static void outside_every_profile_is_an_error_or_the_nearest(void **state) {
  (void)state;
  tare_profiles *set = make(audio, 1, (const char *const[]){"samples=4:6:8", NULL});
  float data[20] = {1, 2};
  tarei_fitted fitted = {0};
  tarei_fit_options options = {TARE_FIT_NATIVE, TARE_OUTSIDE_ERROR, NULL, 0};
  tare_tensor sample = {TARE_F32, 2, {1, 9}, data};
  tare_error err = {0};
  assert_int_equal(tarei_fit_sample(set, &options, "b.wav", &sample, &fitted, &err), TARE_E_SHAPE);
  assert_string_equal(err.message,
                      "b.wav: samples=9 is outside every profile: profile 0 takes 4..8");
  sample.dims[0] = 2; /* the profile has one row: the second is cut */
  options.outside = TARE_OUTSIDE_NEAREST;
  assert_int_equal(tarei_fit_sample(set, &options, "b.wav", &sample, &fitted, &err), TARE_OK);
  assert_int_equal(fitted.tensors[0].dims[0], 1);
  assert_int_equal(fitted.tensors[0].dims[1], 8);
  assert_int_equal(fitted.valid[0], 1);
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
  set = make(audio, 1, (const char *const[]){NULL});
  assert_int_equal(tarei_fit_sample(set, &options, "b.wav", &sample, &fitted, &err), TARE_E_SHAPE);
  assert_string_equal(err.message, "b.wav: there are no profiles");
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
}

static void impossible_sizes_and_types_are_refused(void **state) {
  (void)state;
  tare_profiles *set = make(
      audio, 1, (const char *const[]){"samples=1:4611686018427387904:9223372036854775807", NULL});
  float data[2] = {1, 2};
  tare_tensor sample = {TARE_F32, 2, {1, 2}, data};
  tarei_fitted fitted = {0};
  tare_error err = {0};
  tarei_fit_options options = {TARE_FIT_PAD, TARE_OUTSIDE_ERROR, NULL, 0};
  assert_int_equal(tarei_fit_sample(set, &options, "a", &sample, &fitted, &err), TARE_E_LIMIT);
  assert_string_equal(err.message, "a: input 'audio' exceeds the address space");
  sample.dtype = TARE_DTYPE_NONE;
  options.fit = TARE_FIT_NATIVE;
  assert_int_equal(tarei_fit_sample(set, &options, "a", &sample, &fitted, &err), TARE_E_INPUT);
  assert_message(&err, "unknown element type 0");
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
}

/* One row per element type: a value it takes, as bytes, and one that it does not. */
static void pad_values_suit_their_type(void **state) {
  (void)state;
  static const struct {
    tare_dtype dtype;
    double good;
    const char *bytes;
    double bad;
    const char *message;
  } rows[] = {
      {TARE_F32, -1.5, "\x00\x00\xc0\xbf", 1e39, "outside the range of float32"},
      {TARE_F32, -INFINITY, "\x00\x00\x80\xff", NAN, "is NaN"},
      {TARE_U8, 255, "\xff", 256, "is outside the range of uint8, 0..255"},
      {TARE_U8, 0, "\x00", -1, "outside the range of uint8"},
      {TARE_I8, -128, "\x80", -129, "is outside the range of int8, -128..127"},
      {TARE_U16, 65535, "\xff\xff", 65536, "outside the range of uint16"},
      {TARE_I16, -2, "\xfe\xff", 0.5,
       "pad value 0.5 for input 'x' is not an integer, as int16 needs"},
      {TARE_I32, -2147483648.0, "\x00\x00\x00\x80", 2147483648.0, "outside the range of int32"},
      {TARE_I64, -10000, "\xf0\xd8\xff\xff\xff\xff\xff\xff", 0x1p63, "outside the range of int64"},
      {TARE_I64, -0x1p63, "\x00\x00\x00\x00\x00\x00\x00\x80", -INFINITY,
       "outside the range of int64"},
      {TARE_BOOL, 1, "\x01", 2, "is outside the range of bool, 0..1"},
      {TARE_F16, 1, "\x00\x3c", 65536, "outside the range of float16"},
      {TARE_F64, 1, "\x00\x00\x00\x00\x00\x00\xf0\x3f", NAN, "is NaN"},
      {TARE_U32, 4294967295.0, "\xff\xff\xff\xff", 4294967296.0, "outside the range of uint32"},
      {TARE_U64, 3, "\x03\x00\x00\x00\x00\x00\x00\x00", 0x1p64, "outside the range of uint64"},
      {TARE_BF16, 1, "\x80\x3f", 3.4e38, "outside the range of bfloat16"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const tare_port port = {"x", rows[i].dtype, 1, {{-1, "n"}}};
    const size_t size = tare_dtype_size(rows[i].dtype);
    tare_pad_value pad = {"x", rows[i].good};
    tarei_fit_options options = {TARE_FIT_PAD, TARE_OUTSIDE_ERROR, &pad, 1};
    tare_error err = {0};
    if (tarei_fit_check(&options, &port, 1, &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    tare_profiles *set = make(&port, 1, (const char *const[]){"n=1:1:3", NULL});
    char data[8];
    memset(data, 0x5a, sizeof data);
    const tare_tensor sample = {rows[i].dtype, 1, {1}, data};
    tarei_fitted fitted = {0};
    assert_int_equal(tarei_fit_sample(set, &options, "a", &sample, &fitted, NULL), TARE_OK);
    const char *const out = fitted.tensors[0].data;
    assert_memory_equal(out, data, size);
    assert_memory_equal(out + size, rows[i].bytes, size);
    assert_memory_equal(out + 2 * size, rows[i].bytes, size);
    tarei_fitted_fini(&fitted);
    tare_profiles_free(&set);
    pad.value = rows[i].bad;
    assert_int_equal(tarei_fit_check(&options, &port, 1, &err), TARE_E_USAGE);
    assert_message(&err, rows[i].message);
  }
}

static void pad_values_name_inputs_once(void **state) {
  (void)state;
  const tare_pad_value unknown = {"labels", 1};
  const tare_pad_value twice[] = {{"ids", 1}, {"ids", 2}};
  tarei_fit_options options = {TARE_FIT_PAD, TARE_OUTSIDE_ERROR, &unknown, 1};
  tare_error err = {0};
  assert_int_equal(tarei_fit_check(&options, text, 2, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "pad value 1: unknown input 'labels', the inputs are ids, mask");
  options.pad_values = twice;
  options.n_pad_values = 2;
  assert_int_equal(tarei_fit_check(&options, text, 2, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "duplicate pad value for input 'ids'");
  const tare_port untyped = {"ids", TARE_DTYPE_NONE, 0};
  options.n_pad_values = 1;
  assert_int_equal(tarei_fit_check(&options, &untyped, 1, &err), TARE_E_USAGE);
  assert_message(&err, "of unknown element type");
}

int fit_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fits_have_names),
      cmocka_unit_test(every_policy_at_every_length),
      cmocka_unit_test(padding_and_losses_are_counted),
      cmocka_unit_test(inner_axes_and_batches_are_padded),
      cmocka_unit_test(inputs_share_a_symbol_and_pad_by_name),
      cmocka_unit_test(the_bucket_comes_from_the_own_length),
      cmocka_unit_test(outside_every_profile_is_an_error_or_the_nearest),
      cmocka_unit_test(impossible_sizes_and_types_are_refused),
      cmocka_unit_test(pad_values_suit_their_type),
      cmocka_unit_test(pad_values_name_inputs_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
