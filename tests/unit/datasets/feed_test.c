/* Samples that a program feeds: conversion, ends, faults, and beginning again. */
#include <float.h>
#include <math.h>

#include <tare/feed.h>

#include "datasets/dataset.h"
#include "data_helper.h"

enum { SAMPLES = 20, MOST_LENGTH = 32 };

/* A feed of n samples of x: sample i has i + 1 values i. */
typedef struct numbers {
  int n, at, rewinds;
  int bad;             /* number of a sample that is bad; -1: none */
  int broken;          /* number of the sample at which the feed fails; -1: none */
  tare_status failure; /* how */
  float values[MOST_LENGTH];
  tare_tensor tensor, label;
  int64_t number;
  bool labelled;
} numbers;

static tare_port x_port;
static tare_dataset_options options;

static tare_status numbers_next(void *const user, tare_fed_sample *const out,
                                tare_error *const err) {
  numbers *const f = user;
  assert_null(out->tensors);
  if (f->at == f->n) {
    return TARE_OK;
  }
  const int i = f->at++;
  if (i == f->broken || i == f->bad) {
    snprintf(err->message, sizeof err->message, "number %d is out of order", i);
    return i == f->bad ? TARE_E_INPUT : f->failure;
  }
  for (int k = 0; k <= i; k++) {
    f->values[k] = (float)i;
  }
  f->tensor = (tare_tensor){.dtype = TARE_F32, .rank = 1, .dims = {i + 1}, .data = f->values};
  f->number = i;
  f->label = (tare_tensor){.dtype = TARE_I64, .data = &f->number};
  out->tensors = &f->tensor;
  out->label = f->labelled ? &f->label : NULL;
  return TARE_OK;
}

static tare_status numbers_rewind(void *const user, tare_error *const err) {
  (void)err;
  numbers *const f = user;
  f->at = 0;
  f->rewinds++;
  return TARE_OK;
}

static int set_up(void **state) {
  (void)state;
  x_port = port("x", TARE_F32, 2);
  options = options_for(&x_port, 1);
  return 0;
}

static numbers numbers_of(const int n) {
  return (numbers){.n = n, .bad = -1, .broken = -1, .failure = TARE_E_IO};
}

static tare_feed feed_of(numbers *const f, const int64_t count) {
  return (tare_feed){
      .name = "numbers", .count = count, .next = numbers_next, .rewind = numbers_rewind, .user = f};
}

static tare_dataset *open_feed(const tare_feed *const feed) {
  tare_dataset *data = NULL;
  tare_error err = {0};
  if (tare_dataset_open_feed(feed, &options, &data, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return data;
}

static void refuse_next(tare_dataset *const data, const tare_status status,
                        const char *const part) {
  const tare_sample *sample = NULL;
  tare_error err = {0};
  assert_int_equal(tare_dataset_next(data, &sample, &err), status);
  assert_null(sample);
  assert_contains(err.message, part);
}

static void expect_numbers(tare_dataset *const data, const int from, const int to) {
  for (int i = from; i < to; i++) {
    const tare_sample *const sample = next_sample(data);
    assert_non_null(sample);
    assert_int_equal(sample->index, i);
    assert_int_equal(sample->tensors[0].dims[0], i + 1);
    assert_true(((const float *)sample->tensors[0].data)[i] == (float)i);
  }
}

static void gives_all_and_begins_again(void **state) {
  (void)state;
  for (int known = 0; known < 2; known++) {
    numbers f = numbers_of(SAMPLES);
    const tare_feed feed = feed_of(&f, known ? SAMPLES : -1);
    tare_dataset *data = open_feed(&feed);
    assert_int_equal(tare_dataset_count(data), known ? SAMPLES : -1);
    for (int round = 0; round < 3; round++) {
      expect_numbers(data, 0, SAMPLES);
      assert_null(next_sample(data));
      assert_null(next_sample(data));
      assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
    }
    assert_int_equal(f.rewinds, 2); /* only where samples were taken, and more are wanted */
    tare_dataset_close(&data);
  }
}

static void stops_in_the_middle(void **state) {
  (void)state;
  numbers f = numbers_of(SAMPLES);
  const tare_feed feed = feed_of(&f, -1);
  tare_dataset *data = open_feed(&feed);
  for (int n = 0; n < SAMPLES; n++) {
    expect_numbers(data, 0, n);
    assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
  }
  expect_numbers(data, 0, 3);
  tare_dataset_close(&data);
}

static void once_is_once(void **state) {
  (void)state;
  for (int skip_bad = 0; skip_bad < 2; skip_bad++) {
    numbers f = numbers_of(SAMPLES);
    tare_feed feed = feed_of(&f, -1);
    feed.rewind = NULL;
    options.skip_bad = skip_bad;
    tare_dataset *data = open_feed(&feed);
    assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK); /* nothing is taken yet */
    expect_numbers(data, 0, SAMPLES);
    assert_int_equal(tare_dataset_rewind(data, NULL), TARE_OK);
    refuse_next(data, TARE_E_USAGE, "numbers: the samples are needed again");
    tare_dataset_close(&data);
  }
}

static void takes_part_of_it(void **state) {
  (void)state;
  numbers f = numbers_of(SAMPLES);
  const tare_feed feed = feed_of(&f, -1);
  options.limit = 5;
  tare_dataset *data = open_feed(&feed);
  expect_numbers(data, 0, 5);
  assert_null(next_sample(data));
  tare_dataset_close(&data);
  options.limit = 0;
  options.shard = 1;
  options.n_shards = 3;
  f = numbers_of(SAMPLES);
  data = open_feed(&feed);
  for (int i = 1; i < SAMPLES; i += 3) {
    expect_numbers(data, i, i + 1);
  }
  assert_null(next_sample(data));
  tare_dataset_close(&data);
}

static void ends_behind_the_last_choice(void **state) {
  (void)state;
  numbers f = numbers_of(SAMPLES);
  const tare_feed feed = feed_of(&f, -1);
  int64_t *const chosen = calloc(2, sizeof *chosen);
  chosen[0] = 3;
  chosen[1] = 7;
  const tare_choice how = {.samples = 2};
  tare_dataset *data = open_feed(&feed);
  assert_int_equal(tarei_dataset_keep(data, chosen, 2, &how, NULL), TARE_OK);
  assert_int_equal(tare_dataset_count(data), 2);
  expect_numbers(data, 3, 4);
  expect_numbers(data, 7, 8);
  assert_null(next_sample(data));
  tare_dataset_close(&data);
}

static bool want_none(void *const user, const int64_t index) {
  (void)user, (void)index;
  return false;
}

static void wanted_samples_need_a_count(void **state) {
  (void)state;
  numbers f = numbers_of(SAMPLES);
  tare_feed feed = feed_of(&f, -1);
  tare_dataset *data = NULL;
  options.wants = want_none;
  assert_int_equal(tare_dataset_open_feed(&feed, &options, &data, NULL), TARE_E_USAGE);
  feed.count = SAMPLES;
  data = open_feed(&feed);
  assert_null(next_sample(data));
  tare_dataset_close(&data);
}

static void bad_samples_are_skipped(void **state) {
  (void)state;
  numbers f = numbers_of(SAMPLES);
  f.bad = 4;
  const tare_feed feed = feed_of(&f, -1);
  tare_dataset *data = open_feed(&feed);
  expect_numbers(data, 0, 4);
  refuse_next(data, TARE_E_INPUT, "numbers[4]: number 4 is out of order");
  tare_dataset_close(&data);
  options.skip_bad = true;
  f.at = 0;
  data = open_feed(&feed);
  expect_numbers(data, 0, 4);
  expect_numbers(data, 5, SAMPLES);
  assert_null(next_sample(data));
  assert_int_equal(tare_dataset_n_bad(data), 1);
  tare_dataset_close(&data);
}

static void failures_end_it(void **state) {
  (void)state;
  options.skip_bad = true;
  numbers f = numbers_of(SAMPLES);
  f.broken = 4;
  const tare_feed feed = feed_of(&f, -1);
  tare_dataset *data = open_feed(&feed);
  expect_numbers(data, 0, 4);
  refuse_next(data, TARE_E_IO, "number 4 is out of order");
  assert_null(next_sample(data)); /* and no more */
  assert_int_equal(f.at, 5);
  tare_dataset_close(&data);
}

static void counts_are_checked(void **state) {
  (void)state;
  numbers f = numbers_of(3);
  tare_feed feed = feed_of(&f, 5);
  tare_dataset *data = open_feed(&feed);
  expect_numbers(data, 0, 3);
  refuse_next(data, TARE_E_INPUT, "numbers: ends after 3 samples, expected 5");
  tare_dataset_close(&data);
  f = numbers_of(3);
  feed.count = 2; /* a part */
  data = open_feed(&feed);
  expect_numbers(data, 0, 2);
  assert_null(next_sample(data));
  tare_dataset_close(&data);
  feed.count = 0;
  tare_error err = {0};
  assert_int_equal(tare_dataset_open_feed(&feed, &options, &data, &err), TARE_E_INPUT);
  assert_contains(err.message, "numbers: holds no samples");
}

static void labels_and_levels(void **state) {
  (void)state;
  const char *const waveforms[] = {"x"};
  numbers f = numbers_of(4);
  f.labelled = true;
  const tare_feed feed = feed_of(&f, -1);
  options.gain_range = "-20:0";
  options.waveforms = waveforms;
  options.n_waveforms = 1;
  tare_dataset *data = open_feed(&feed);
  const int levels = tare_dataset_n_levels(data);
  for (int i = 0; i < 4; i++) {
    for (int l = 0; l < levels; l++) {
      const tare_sample *const sample = next_sample(data);
      assert_int_equal(sample->index, i);
      assert_int_equal(*(const int64_t *)sample->label->data, i);
      const float factor = (float)pow(10, sample->gain_db / 20);
      assert_true(fabsf(((const float *)sample->tensors[0].data)[0] - factor * (float)i) < 1e-6F);
    }
  }
  assert_null(next_sample(data));
  tare_dataset_close(&data);
}

/* One tensor as the only sample. */
typedef struct single {
  tare_tensor tensor;
  tare_fed_sample sample;
  bool given;
} single;

static tare_status single_next(void *const user, tare_fed_sample *const out,
                               tare_error *const err) {
  (void)err;
  single *const s = user;
  if (!s->given) {
    s->given = true;
    *out = s->sample;
    out->tensors = &s->tensor;
  }
  return TARE_OK;
}

static tare_dataset *open_single(single *const s) {
  const tare_feed feed = {.name = "one", .count = -1, .next = single_next, .user = s};
  s->given = false;
  return open_feed(&feed);
}

static void refuse_single(const tare_tensor tensor, const char *const part) {
  single s = {.tensor = tensor};
  tare_dataset *data = open_single(&s);
  refuse_next(data, TARE_E_INPUT, part);
  tare_dataset_close(&data);
}

static void converts_element_types(void **state) {
  (void)state;
  const int8_t i8[] = {-3, 5};
  const uint8_t u8[] = {3, 250};
  const int16_t i16[] = {-300, 5};
  const uint16_t f16[] = {0x3c00, 0xc000}; /* 1, -2 */
  const int32_t i32[] = {-70000, 5};
  const int64_t i64[] = {-70000, 5};
  const uint64_t u64[] = {7, 1};
  const double f64[] = {-0.5, 2};
  const struct {
    tare_dtype dtype;
    const void *data;
    float first, second;
  } cases[] = {{TARE_I8, i8, -3, 5},   {TARE_U8, u8, 3, 250},      {TARE_I16, i16, -300, 5},
               {TARE_F16, f16, 1, -2}, {TARE_I32, i32, -70000, 5}, {TARE_I64, i64, -70000, 5},
               {TARE_U64, u64, 7, 1},  {TARE_F64, f64, -0.5F, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    single s = {.tensor = {.dtype = cases[i].dtype, .rank = 1, .dims = {2}}};
    s.tensor.data = (void *)cases[i].data;
    tare_dataset *data = open_single(&s);
    const tare_tensor *const got = next_sample(data)->tensors;
    assert_int_equal(got->dtype, TARE_F32);
    assert_true(((const float *)got->data)[0] == cases[i].first);
    assert_true(((const float *)got->data)[1] == cases[i].second);
    tare_dataset_close(&data);
  }
}

static void checks_elements_and_shapes(void **state) {
  (void)state;
  float x[] = {1, NAN};
  double huge[] = {DBL_MAX};
  double half[] = {0.5};
  refuse_single((tare_tensor){.dtype = TARE_F32, .rank = 1, .dims = {2}, .data = x},
                "one[0]: input 'x': value nan at element 1 is not finite");
  refuse_single((tare_tensor){.dtype = TARE_F64, .rank = 1, .dims = {1}, .data = huge},
                "does not fit float32");
  refuse_single((tare_tensor){.dtype = TARE_F32, .rank = 3, .dims = {1, 1, 2}, .data = x},
                "data of rank 3 does not match an input of rank 2");
  refuse_single((tare_tensor){.dtype = TARE_F32, .rank = 1, .dims = {0}, .data = x}, "is empty");
  refuse_single((tare_tensor){.dtype = TARE_F32, .rank = 1, .dims = {-2}, .data = x},
                "dim 0 is -2, below 0");
  refuse_single((tare_tensor){.dtype = TARE_F32, .rank = 1, .dims = {2}}, "but no data");
  refuse_single((tare_tensor){.dtype = 99, .rank = 1, .dims = {2}, .data = x}, "element type 99");
  refuse_single((tare_tensor){.dtype = TARE_F32, .rank = 99, .data = x}, "rank 99");
  x_port.dtype = TARE_I32;
  refuse_single((tare_tensor){.dtype = TARE_F64, .rank = 1, .dims = {1}, .data = half},
                "is not an integer, as needed by int32");
}

static void text_labels(void **state) {
  (void)state;
  float x[] = {1};
  single s = {.tensor = {.dtype = TARE_F32, .rank = 1, .dims = {1}, .data = x}};
  s.sample.label_text = "seven eight";
  tare_dataset *data = open_single(&s);
  const tare_sample *sample = next_sample(data);
  assert_string_equal(sample->label_text, "seven eight");
  assert_null(sample->label);
  tare_dataset_close(&data);
  s.sample.label_text = "7 8";
  data = open_single(&s);
  sample = next_sample(data);
  assert_int_equal(((const int64_t *)sample->label->data)[1], 8);
  tare_dataset_close(&data);
}

int feed_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(gives_all_and_begins_again, set_up),
      cmocka_unit_test_setup(stops_in_the_middle, set_up),
      cmocka_unit_test_setup(once_is_once, set_up),
      cmocka_unit_test_setup(takes_part_of_it, set_up),
      cmocka_unit_test_setup(ends_behind_the_last_choice, set_up),
      cmocka_unit_test_setup(wanted_samples_need_a_count, set_up),
      cmocka_unit_test_setup(bad_samples_are_skipped, set_up),
      cmocka_unit_test_setup(failures_end_it, set_up),
      cmocka_unit_test_setup(counts_are_checked, set_up),
      cmocka_unit_test_setup(labels_and_levels, set_up),
      cmocka_unit_test_setup(converts_element_types, set_up),
      cmocka_unit_test_setup(checks_elements_and_shapes, set_up),
      cmocka_unit_test_setup(text_labels, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
