/* Inputs that hold the length of another, declared and fitted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shapes/fit.h"
#include "shapes/profiles.h"

enum { INPUTS = 6, WIDTH = 12 };

static const tare_port ports[INPUTS] = {
    {"ids", TARE_I64, 2, {{-1, "batch"}, {-1, "len"}}},  {"lengths", TARE_I64, 1, {{-1, "batch"}}},
    {"column", TARE_I32, 2, {{-1, "batch"}, {1, NULL}}}, {"shares", TARE_F32, 1, {{-1, "batch"}}},
    {"a=b:c", TARE_U8, 2, {{-1, "batch"}, {4, NULL}}},   {"longest", TARE_I64, 0},
};
static const tare_length_input items[] = {
    {"lengths", "len"}, {"column", "len"}, {"shares", "len"}, {"longest", "len"}};
enum { ITEMS = sizeof items / sizeof *items };

/* Two rows of `own` ids, of which the second has `second`. */
typedef struct sample {
  int64_t ids[2 * WIDTH], lengths[2], longest;
  int32_t column[2];
  float shares[2];
  uint8_t rest[8];
  tare_tensor tensors[INPUTS];
} sample;

static sample *new_sample(const int64_t own, const int64_t second) {
  sample *const s = calloc(1, sizeof *s);
  assert_non_null(s);
  const int64_t lengths[] = {own, second};
  for (int i = 0; i < 2; i++) {
    s->lengths[i] = lengths[i];
    s->column[i] = (int32_t)lengths[i];
    s->shares[i] = (float)lengths[i] / (float)own;
  }
  s->longest = own;
  s->tensors[0] = (tare_tensor){.dtype = TARE_I64, .rank = 2, .dims = {2, own}, .data = s->ids};
  s->tensors[1] = (tare_tensor){.dtype = TARE_I64, .rank = 1, .dims = {2}, .data = s->lengths};
  s->tensors[2] = (tare_tensor){.dtype = TARE_I32, .rank = 2, .dims = {2, 1}, .data = s->column};
  s->tensors[3] = (tare_tensor){.dtype = TARE_F32, .rank = 1, .dims = {2}, .data = s->shares};
  s->tensors[4] = (tare_tensor){.dtype = TARE_U8, .rank = 2, .dims = {2, 4}, .data = s->rest};
  s->tensors[5] = (tare_tensor){.dtype = TARE_I64, .data = &s->longest};
  return s;
}

static tare_profiles *profiles(void) {
  tare_profiles *set;
  assert_int_equal(tare_profiles_new(ports, INPUTS, &set, NULL), TARE_OK);
  assert_int_equal(tare_profiles_add(set, "batch=2,len=4:6:8", NULL), TARE_OK);
  return set;
}

/* At 4:6:8: counts end where the axis does, padding leaves them; shares are of what there is. */
static void lengths_follow_every_policy(void **state) {
  (void)state;
  static const struct {
    tare_fit fit;
    int64_t own, second, run, first_left, second_left;
  } rows[] = {{TARE_FIT_NATIVE, 7, 5, 7, 7, 5},   {TARE_FIT_PAD, 7, 5, 8, 7, 5},
              {TARE_FIT_TRUNCATE, 5, 3, 5, 5, 3}, {TARE_FIT_TRUNCATE, 8, 3, 6, 6, 3},
              {TARE_FIT_OPT, 4, 1, 6, 4, 1},      {TARE_FIT_OPT, 8, 7, 6, 6, 6},
              {TARE_FIT_NATIVE, 12, 9, 8, 8, 8},  {TARE_FIT_NATIVE, 2, 0, 4, 2, 0}};
  tare_profiles *set = profiles();
  tarei_fitted fitted = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tarei_fit_options options = {.fit = rows[i].fit,
                                 .outside = TARE_OUTSIDE_NEAREST,
                                 .length_inputs = items,
                                 .n_length_inputs = ITEMS};
    sample *const s = new_sample(rows[i].own, rows[i].second);
    const int64_t left[] = {rows[i].first_left, rows[i].second_left};
    assert_int_equal(tarei_fit_check(&options, ports, INPUTS, NULL), TARE_OK);
    assert_int_equal(tarei_fit_sample(set, &options, "s", s->tensors, &fitted, NULL), TARE_OK);
    assert_int_equal(fitted.tensors[0].dims[1], rows[i].run);
    for (int k = 0; k < 2; k++) {
      const double share = (double)left[k] / (double)rows[i].run;
      assert_int_equal(((const int64_t *)fitted.tensors[1].data)[k], left[k]);
      assert_int_equal(((const int32_t *)fitted.tensors[2].data)[k], left[k]);
      assert_float_equal(((const float *)fitted.tensors[3].data)[k], share, 1e-6);
    }
    assert_int_equal(*(const int64_t *)fitted.tensors[5].data, rows[i].first_left);
    assert_int_equal(s->lengths[0], rows[i].own); /* the sample's own are as they were */
    free(s);
  }
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
}

static void what_is_no_length_is_refused(void **state) {
  (void)state;
  tare_profiles *set = profiles();
  tarei_fitted fitted = {0};
  tare_error err = {0};
  tarei_fit_options options = {.length_inputs = items, .n_length_inputs = ITEMS};
  sample *const s = new_sample(5, 5);
  s->lengths[1] = 6;
  assert_int_equal(tarei_fit_sample(set, &options, "s3", s->tensors, &fitted, &err), TARE_E_INPUT);
  assert_string_equal(
      err.message,
      "s3: length input 'lengths' holds 6: expected a length of 'len', which has length 5: 0..5");
  s->lengths[1] = 5;
  s->column[0] = -1;
  assert_int_equal(tarei_fit_sample(set, &options, "s3", s->tensors, &fitted, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "'column' holds -1"));
  s->column[0] = 5;
  s->shares[0] = 5;
  assert_int_equal(tarei_fit_sample(set, &options, "s3", s->tensors, &fitted, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "'shares' holds 5: expected a share of 'len'"));
  free(s);
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&set);
}

static void declarations_name_axes(void **state) {
  (void)state;
  static const char *const good[] = {"lengths=len", "lengths=ids", "lengths=ids:1",
                                     "lengths=ids:-1"};
  tare_length_input item;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    assert_int_equal(tare_length_input_parse(good[i], ports, INPUTS, &item, NULL), TARE_OK);
    assert_ptr_equal(item.input, ports[1].name);
    assert_string_equal(item.symbol, "len");
  }
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"lengths", "expected INPUT=AXIS"},
      {"other=len", "expected INPUT=AXIS"},
      {"lengths=other", "'other' is neither a symbol nor an input"},
      {"lengths=ids:2", "input 'ids' has rank 2"},
      {"lengths=ids:x", "'ids:x' is neither"},
      {"lengths=a=b:c:1", "axis 1 of 'a=b:c' is fixed"},
      {"ids=len", "has axis 'len' itself"},
      {"lengths=batch", "has axis 'batch' itself"},
      {"a=b:c=len", "is uint8: expected int32 or int64 for lengths"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tare_error err = {0};
    assert_int_equal(tare_length_input_parse(bad[i].text, ports, INPUTS, &item, &err),
                     TARE_E_USAGE);
    if (!strstr(err.message, bad[i].message)) {
      fail_msg("expected \"%s\" in: %s", bad[i].message, err.message);
    }
  }
}

static void options_are_checked(void **state) {
  (void)state;
  const tare_length_input twice[] = {{"lengths", "len"}, {"lengths", "len"}};
  const tare_length_input unknown[] = {{"lengths", "samples"}};
  tarei_fit_options options = {.length_inputs = twice, .n_length_inputs = 2};
  tare_error err = {0};
  assert_int_equal(tarei_fit_check(&options, ports, INPUTS, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "duplicate length input 'lengths'");
  options = (tarei_fit_options){.length_inputs = unknown, .n_length_inputs = 1};
  assert_int_equal(tarei_fit_check(&options, ports, INPUTS, &err), TARE_E_USAGE);
  assert_string_equal(err.message, "length input 'lengths': no input has an axis 'samples'");
  tare_streaming *streaming = NULL;
  assert_int_equal(tare_streaming_new(ports, INPUTS, ports, 0, &streaming, NULL), TARE_OK);
  options =
      (tarei_fit_options){.length_inputs = items, .n_length_inputs = 1, .streaming = streaming};
  assert_int_equal(tarei_fit_check(&options, ports, INPUTS, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "and streaming are mutually exclusive"));
  tare_streaming_free(&streaming);
}

int length_input_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_follow_every_policy),
      cmocka_unit_test(what_is_no_length_is_refused),
      cmocka_unit_test(declarations_name_axes),
      cmocka_unit_test(options_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
