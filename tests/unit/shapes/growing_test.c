/* Symbols that are sums of others, and a sample carried through with a state that grows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shapes/fit.h"
#include "shapes/streaming.h"

static const tare_port inputs[] = {
    {"ids", TARE_I64, 2, {{-1, "batch"}, {-1, "seq"}}},
    {"mask", TARE_I64, 2, {{-1, "batch"}, {-1, "past + seq"}}},
    {"past_0", TARE_F32, 3, {{-1, "batch"}, {-1, "past"}, {2, NULL}}},
};
static const tare_port outputs[] = {
    {"logits", TARE_F32, 2, {{-1, "batch"}, {-1, "seq"}}},
    {"present_0", TARE_F32, 3, {{-1, "batch"}, {-1, "seq + past"}, {2, NULL}}},
};
enum { BATCH, SEQ, TOTAL, PAST }; /* symbols, in the order of the inputs */

static tare_profiles *profiles_of(const char *const spec) {
  tare_profiles *set = NULL;
  tare_error err = {0};
  assert_int_equal(tare_profiles_new(inputs, 3, &set, NULL), TARE_OK);
  if (tare_profiles_add(set, spec, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return set;
}

static void names_are_sums(void **state) {
  (void)state;
  static const char *const names[] = {"a", "b", "past_length"};
  static const struct {
    const char *text;
    bool is;
    int64_t value; /* at 3, 5 and 7 */
  } cases[] = {
      {"a + b", true, 8},
      {"b+a", true, 8},
      {"past_length + a", true, 10},
      {"a + 1", true, 4},
      {"1 + a", true, 4},
      {"a + b + past_length + 2", true, 17},
      {"2*a + b", true, 11},
      {"a + a", true, 6},
      {" 2 * a + 0 ", true, 6},
      {"a", false, 0},
      {"1 + 2", false, 0},
      {"a + c", false, 0},
      {"a +", false, 0},
      {"+", false, 0},
      {"", false, 0},
      {"a - b", false, 0},
      {"a*b + 1", false, 0},
      {"* + a", false, 0},
      {"9223372036854775807 + 9223372036854775807 + a", false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static const int64_t values[TARE_MAX_SYMBOLS] = {3, 5, 7};
    const tarei_symbol_sum sum = tarei_symbol_sum_read(cases[i].text, names, 3);
    int64_t value = 0;
    if (sum.is != cases[i].is ||
        (sum.is && (!tarei_symbol_sum_value(&sum, values, &value) || value != cases[i].value))) {
      fail_msg("'%s': %d, %lld", cases[i].text, sum.is, (long long)value);
    }
  }
}

static void ranges_of_sums_follow(void **state) {
  (void)state;
  tare_error err = {0};
  tare_profiles *set = profiles_of("past=0:16:40,seq=1:2:4");
  assert_true(tare_profiles_is_sum(set, TOTAL));
  assert_false(tare_profiles_is_sum(set, PAST));
  const tare_range r = tare_profiles_range(set, 0, TOTAL);
  assert_true(r.min == 1 && r.opt == 18 && r.max == 44);
  assert_int_equal(tare_profiles_add(set, "past=1,seq=2,'past + seq'=3", &err), TARE_OK);
  assert_int_equal(tare_profiles_add(set, "past=1,seq=2,'past + seq'=4", &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "follows from the other symbols: expected 3:3:3, got 4:4:4"));
  assert_int_equal(tare_profiles_add(set, "past=9223372036854775807", &err), TARE_E_LIMIT);
  assert_int_equal(tare_profiles_add_shapes(set, NULL, "ids:1x2,mask:1x5,past_0:1x3x2", NULL, &err),
                   TARE_OK);
  assert_int_equal(tare_profiles_add_shapes(set, NULL, "ids:1x2,mask:1x2,past_0:1x3x2", NULL, &err),
                   TARE_E_USAGE);
  const tare_tensor good[] = {
      {TARE_I64, 2, {1, 2}}, {TARE_I64, 2, {1, 2}}, {TARE_F32, 3, {1, 0, 2}}};
  const tare_tensor bad[] = {good[0], {TARE_I64, 2, {1, 3}}, good[2]};
  int64_t values[TARE_MAX_SYMBOLS];
  assert_int_equal(tare_profiles_bind(set, good, values, &err), TARE_OK);
  assert_int_equal(tare_profiles_find(set, values), 0);
  assert_int_equal(tare_profiles_bind(set, bad, values, &err), TARE_E_SHAPE);
  assert_non_null(strstr(err.message,
                         "axis 1 of input 'mask' (past + seq) is 3, which is not the "
                         "sum: seq is 2 and past is 0"));
  tare_profiles_free(&set);
}

/* Padding lies at the end of an axis, so that parts of a sum keep their lengths unless they are
 * alone. */
static void sums_are_fitted_alone(void **state) {
  (void)state;
  int64_t ids[] = {7, 8}, mask[] = {1, 1, 1};
  float past[2] = {0};
  const tarei_fit_options pad = {.fit = TARE_FIT_PAD};
  tarei_fitted fitted = {0};
  tare_error err = {0};
  tare_profiles *prompts = profiles_of("past=0:0:0,seq=1:2:4");
  const tare_tensor prompt[] = {
      {TARE_I64, 2, {1, 2}, ids}, {TARE_I64, 2, {1, 2}, mask}, {TARE_F32, 3, {1, 0, 2}, past}};
  assert_int_equal(tarei_fit_sample(prompts, &pad, "a", prompt, &fitted, &err), TARE_OK);
  assert_int_equal(fitted.tensors[1].dims[1], 4);
  const int64_t padded[] = {1, 1, 0, 0};
  assert_memory_equal(fitted.tensors[1].data, padded, sizeof padded);
  assert_int_equal(fitted.valid[TOTAL], 2);
  tare_profiles *steps = profiles_of("past=0:1:9,seq=1:2:4");
  const tare_tensor step[] = {
      prompt[0], {TARE_I64, 2, {1, 3}, mask}, {TARE_F32, 3, {1, 1, 2}, past}};
  assert_int_equal(tarei_fit_sample(steps, &pad, "a", step, &fitted, &err), TARE_E_USAGE);
  assert_non_null(
      strstr(err.message, "it cannot change 'past + seq', which joins several lengths"));
  const tarei_fit_options native = {.fit = TARE_FIT_NATIVE};
  assert_int_equal(tarei_fit_sample(steps, &native, "a", step, &fitted, &err), TARE_OK);
  tarei_fitted_fini(&fitted);
  tare_profiles_free(&prompts);
  tare_profiles_free(&steps);
}

static tare_streaming *streaming_in_chunks(const char *const chunk) {
  tare_streaming *s = NULL;
  assert_int_equal(tare_streaming_new(inputs, 3, outputs, 2, &s, NULL), TARE_OK);
  assert_int_equal(tare_streaming_find_states(s), 1);
  assert_true(!chunk || tare_streaming_set_chunk(s, chunk, 0, NULL) == TARE_OK);
  return s;
}

static void growth_is_known(void **state) {
  (void)state;
  static const struct {
    const char *chunk;
    int64_t growth;
  } cases[] = {{NULL, 0}, {"seq=1", 1}, {"seq=4", 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_streaming *s = streaming_in_chunks(cases[i].chunk);
    assert_int_equal(tare_streaming_growth(s, "past"), cases[i].growth);
    assert_int_equal(tare_streaming_growth(s, "seq"), -1);
    assert_int_equal(tare_streaming_growth(s, "batch"), -1);
    tare_streaming_free(&s);
  }
}

/* Five tokens in chunks of 2: the state is 0, 2 and 4 long, the mask of a chunk ends with it. */
static void a_state_grows(void **state) {
  (void)state;
  tare_streaming *s = streaming_in_chunks("seq=2");
  tare_profiles *profiles = profiles_of("past=0:2:4,seq=2");
  int64_t ids[5] = {1, 2, 3, 4, 5}, mask[5] = {11, 12, 13, 14, 15};
  float grown[12] = {0};
  const tare_tensor data[] = {{TARE_I64, 1, {5}, ids}, {TARE_I64, 1, {5}, mask}};
  tarei_utterance u = {0};
  assert_int_equal(tarei_utterance_init(&u, s, NULL), TARE_OK);
  for (int sample = 0; sample < 2; sample++) {
    static const int64_t masks[6] = {11, 12, 13, 14, 15, 0};
    const tare_tensor *t = NULL;
    assert_int_equal(tarei_utterance_begin(&u, profiles, data, NULL), TARE_OK);
    for (int chunk = 0; chunk < 3; chunk++) {
      assert_int_equal(tarei_utterance_next(&u, &t, NULL), TARE_OK);
      assert_non_null(t);
      assert_int_equal(t[0].dims[0], 2);
      assert_int_equal(((const int64_t *)t[0].data)[0], 2 * chunk + 1);
      assert_int_equal(t[1].dims[0], 2 * chunk + 2);
      assert_memory_equal(t[1].data, masks, (size_t)(2 * chunk + 2) * sizeof *masks);
      assert_int_equal(t[2].dims[1], 2 * chunk);
      const tare_tensor results[] = {{TARE_F32, 2, {1, 2}, grown},
                                     {TARE_F32, 3, {1, 2 * chunk + 2, 2}, grown}};
      assert_false(tare_streaming_fits(s, results, t));
      assert_int_equal(tarei_utterance_feed(&u, results, NULL), TARE_OK);
    }
    assert_int_equal(tarei_utterance_next(&u, &t, NULL), TARE_OK);
    assert_null(t);
  }
  tare_error err = {0};
  const tare_tensor shorter[] = {data[0], {TARE_I64, 1, {4}, mask}};
  assert_int_equal(tarei_utterance_begin(&u, profiles, shorter, &err), TARE_E_SHAPE);
  assert_non_null(strstr(err.message, "input 'mask' has length 4 along 'past + seq', expected 5"));
  tarei_utterance_fini(&u);
  tare_profiles_free(&profiles);
  tare_streaming_free(&s);
}

static void chunks_must_not_overlap(void **state) {
  (void)state;
  tare_streaming *s = streaming_in_chunks(NULL);
  tarei_utterance u = {0};
  tare_error err = {0};
  assert_int_equal(tare_streaming_set_chunk(s, "seq=4", 2, NULL), TARE_OK);
  assert_int_equal(tarei_utterance_init(&u, s, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "hop 2 for chunks of 4: a state grows along 'past'"));
  tarei_utterance_fini(&u);
  tare_streaming_free(&s);
}

/* A mask with an axis for the chunk and one for all that is visible. */
static void a_mask_is_cut_twice(void **state) {
  (void)state;
  const tare_port square[] = {
      {"mask", TARE_I64, 3, {{-1, "batch"}, {-1, "seq"}, {-1, "past + seq"}}}, inputs[2]};
  tare_streaming *s = NULL;
  tare_profiles *profiles = NULL;
  assert_int_equal(tare_streaming_new(square, 2, outputs, 2, &s, NULL), TARE_OK);
  assert_int_equal(tare_streaming_find_states(s), 1);
  assert_int_equal(tare_streaming_set_chunk(s, "seq=1", 0, NULL), TARE_OK);
  assert_int_equal(tare_profiles_new(square, 2, &profiles, NULL), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "past=0:1:2", NULL), TARE_OK);
  int64_t mask[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  float grown[6] = {0};
  const tare_tensor data[] = {{TARE_I64, 3, {1, 3, 3}, mask}};
  tarei_utterance u = {0};
  assert_int_equal(tarei_utterance_init(&u, s, NULL), TARE_OK);
  assert_int_equal(tarei_utterance_begin(&u, profiles, data, NULL), TARE_OK);
  for (int chunk = 0; chunk < 3; chunk++) {
    const tare_tensor *t = NULL;
    assert_int_equal(tarei_utterance_next(&u, &t, NULL), TARE_OK);
    assert_true(t[0].dims[1] == 1 && t[0].dims[2] == chunk + 1);
    assert_memory_equal(t[0].data, mask + (ptrdiff_t)3 * chunk, (size_t)(chunk + 1) * sizeof *mask);
    const tare_tensor results[] = {{TARE_F32, 2, {1, 1}, grown},
                                   {TARE_F32, 3, {1, chunk + 1, 2}, grown}};
    assert_int_equal(tarei_utterance_feed(&u, results, NULL), TARE_OK);
  }
  tarei_utterance_fini(&u);
  tare_profiles_free(&profiles);
  tare_streaming_free(&s);
}

/* Behind a prompt of one token come the indices of the largest logits; masks stay, positions go on.
 */
static void tokens_are_generated(void **state) {
  (void)state;
  const tare_port ports[] = {
      inputs[0], inputs[1], inputs[2], {"position_ids", TARE_I32, 2, {{-1, "batch"}, {-1, "seq"}}}};
  const tare_port results[] = {{"logits", TARE_F32, 3, {{-1, "batch"}, {-1, "seq"}, {3, NULL}}},
                               outputs[1]};
  tare_streaming *s = NULL;
  tare_profiles *profiles = NULL;
  tare_error err = {0};
  assert_int_equal(tare_streaming_new(ports, 4, results, 2, &s, NULL), TARE_OK);
  assert_int_equal(tare_streaming_find_states(s), 1);
  assert_int_equal(tare_streaming_set_generation(s, 2, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "chunks of 1 along a symbol"));
  assert_int_equal(tare_streaming_set_chunk(s, "seq=1", 0, NULL), TARE_OK);
  assert_int_equal(tare_streaming_set_generation(s, 0, &err), TARE_E_USAGE);
  assert_int_equal(tare_streaming_set_generation(s, 2, &err), TARE_OK);
  assert_int_equal(tare_streaming_generated(s), 2);
  assert_int_equal(tare_profiles_new(ports, 4, &profiles, NULL), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "past=0:1:2", NULL), TARE_OK);
  int64_t ids[] = {7}, mask[] = {1};
  int32_t positions[] = {4};
  float grown[6] = {0};
  const tare_tensor data[] = {
      {TARE_I64, 1, {1}, ids}, {TARE_I64, 1, {1}, mask}, {TARE_I32, 1, {1}, positions}};
  tarei_utterance u = {0};
  assert_int_equal(tarei_utterance_init(&u, s, NULL), TARE_OK);
  u.generates = 2;
  for (int sample = 0; sample < 2; sample++) {
    static const int64_t tokens[3] = {7, 1, 2}, masks[3] = {1, 1, 1};
    static float logits[3][3] = {{0, 2, 2}, {-3, -2, -1}, {0, 0, 0}};
    const tare_tensor *t = NULL;
    assert_int_equal(tarei_utterance_begin(&u, profiles, data, NULL), TARE_OK);
    for (int chunk = 0; chunk < 3; chunk++) {
      assert_int_equal(tarei_utterance_next(&u, &t, NULL), TARE_OK);
      assert_non_null(t);
      assert_int_equal(*(const int64_t *)t[0].data, tokens[chunk]);
      assert_int_equal(t[1].dims[0], chunk + 1);
      assert_memory_equal(t[1].data, masks, (size_t)(chunk + 1) * sizeof *masks);
      assert_int_equal(*(const int32_t *)t[3].data, 4 + chunk);
      const tare_tensor out[] = {{TARE_F32, 3, {1, 1, 3}, logits[chunk]},
                                 {TARE_F32, 3, {1, chunk + 1, 2}, grown}};
      assert_int_equal(tarei_utterance_feed(&u, out, NULL), TARE_OK);
    }
    assert_int_equal(tarei_utterance_next(&u, &t, NULL), TARE_OK);
    assert_null(t);
  }
  const tare_tensor *t = NULL;
  float logits[6] = {0};
  const tare_tensor two[] = {{TARE_F32, 3, {2, 1, 3}, logits}, {TARE_F32, 3, {1, 1, 2}, grown}};
  assert_int_equal(tarei_utterance_begin(&u, profiles, data, NULL), TARE_OK);
  assert_int_equal(tarei_utterance_next(&u, &t, NULL), TARE_OK);
  assert_int_equal(tarei_utterance_feed(&u, two, &err), TARE_E_SHAPE);
  assert_non_null(strstr(err.message, "output 'logits' has 6 values for one token"));
  tarei_utterance_fini(&u);
  tare_profiles_free(&profiles);
  tare_streaming_free(&s);
}

int growing_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_sums),          cmocka_unit_test(ranges_of_sums_follow),
      cmocka_unit_test(sums_are_fitted_alone),   cmocka_unit_test(growth_is_known),
      cmocka_unit_test(a_state_grows),           cmocka_unit_test(a_mask_is_cut_twice),
      cmocka_unit_test(chunks_must_not_overlap), cmocka_unit_test(tokens_are_generated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
