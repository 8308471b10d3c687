/* What nodes draw: by the sample, not by the run, the shape around it or the plan. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/context.h"
#include "unit/engine/support/built.h"

#define MODEL TARE_SOURCE_DIR "/tests/fixtures/random/noise.onnx"

enum { BATCH = 32, CHANNELS = 4, MOST = 256, OUTPUTS = 16 };

static float x[BATCH * CHANNELS * MOST];
static uint8_t training = 1;

static tare_plan *plan;

static tare_context *noise_context(const uint64_t seed, const int threads) {
  tare_context *context = NULL;
  tare_error err = {0};
  const tare_context_options options = {.threads = threads, .profile = -1, .seed = seed};
  assert_int_equal(tare_context_new(plan, &options, &context, &err), TARE_OK);
  return context;
}

static tare_status noise_run(tare_context *const context, const int64_t batch, const int64_t n,
                             tare_tensor *const out, tare_error *const err) {
  const tare_tensor in[] = {{.dtype = TARE_F32, .rank = 3, .dims = {batch, CHANNELS, n}, .data = x},
                            {.dtype = TARE_BOOL, .rank = 0, .data = &training}};
  return tare_context_run(context, in, out, err);
}

/* Output of a run that succeeds. */
static tare_tensor noise_drawn(tare_context *const context, const char *const name,
                               const int64_t batch, const int64_t n) {
  const tare_port *ports = NULL;
  tare_tensor out[OUTPUTS];
  tare_error err = {0};
  if (noise_run(context, batch, n, out, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  int o = 0;
  for (const int count = tare_plan_outputs(plan, &ports); strcmp(ports[o].name, name) != 0; o++) {
    assert_true(o < count);
  }
  return out[o];
}

/* Whether the first elements of all rows of two outputs are the same; frees `before`. */
static bool noise_same(float *const before, const int64_t n_before, const tare_tensor *const now,
                       const int64_t n) {
  bool same = true;
  for (int64_t r = 0; r < CHANNELS; r++) {
    same &= memcmp(before + r * n_before, (const float *)now->data + r * now->dims[2],
                   (size_t)n * sizeof *before) == 0;
  }
  free(before);
  return same;
}

static float *noise_copy(const tare_tensor *const t) {
  float *const copy = malloc((size_t)tare_tensor_count(t) * sizeof *copy);
  assert_non_null(copy);
  return memcpy(copy, t->data, (size_t)tare_tensor_count(t) * sizeof *copy);
}

/* A sample is what is said to be one, however long it is made; its runs differ. */
static void samples_draw_the_same_in_other_shapes(void **state) {
  (void)state;
  static const char *const names[] = {"normal", "uniform"};
  const tarei_sample_hash one = {1, 2}, other = {2, 1};
  tare_context *context = noise_context(0, 2), *alone = noise_context(0, 1);
  for (int i = 0; i < 2; i++) {
    tarei_context_set_sample(context, &one, 0);
    tare_tensor t = noise_drawn(context, names[i], 1, 20);
    float *first = noise_copy(&t);
    t = noise_drawn(context, names[i], 1, 33);
    assert_true(noise_same(first, 20, &t, 20));
    first = noise_copy(&t);
    tarei_context_set_sample(alone, &one, 0);
    t = noise_drawn(alone, names[i], 1, 33);
    assert_true(noise_same(first, 33, &t, 33));
    first = noise_copy(&t);
    tarei_context_set_sample(context, &one, 1);
    t = noise_drawn(context, names[i], 1, 33);
    assert_false(noise_same(first, 33, &t, 1));
    first = noise_copy(&t);
    tarei_context_set_sample(context, &other, 1);
    t = noise_drawn(context, names[i], 1, 33);
    assert_false(noise_same(first, 33, &t, 1));
  }
  tare_context_free(&context);
  tare_context_free(&alone);
}

static void inputs_are_samples_by_themselves(void **state) {
  (void)state;
  tare_context *context = noise_context(3, 1);
  tare_tensor t = noise_drawn(context, "normal", 1, 20);
  float *first = noise_copy(&t);
  x[7] += 1;
  t = noise_drawn(context, "normal", 1, 20);
  assert_false(noise_same(first, 20, &t, 1));
  x[7] -= 1;
  t = noise_drawn(context, "normal", 1, 20);
  first = noise_copy(&t);
  tare_context_set_seed(context, 4);
  t = noise_drawn(context, "normal", 1, 20);
  assert_false(noise_same(first, 20, &t, 1));
  tare_context_free(&context);
}

/* Within five standard errors of a share of n draws. */
static void check_share(const double count, const double n, const double share) {
  if (fabs(count / n - share) > 5 * sqrt(share * (1 - share) / n)) {
    fail_msg("%g of %g, expected %g", count, n, share);
  }
}

/* Logits of classes along the last axis: their shares are 0.1 to 0.4. */
static void classes_and_coins_have_their_shares(void **state) {
  (void)state;
  const double n = BATCH * CHANNELS * MOST;
  double counts[CHANNELS] = {0}, heads[CHANNELS] = {0}, stay = 0;
  tare_context *context = noise_context(0, 2);
  for (size_t i = 0; i < BATCH * CHANNELS * MOST; i++) {
    x[i] = logf(0.1F * (float)(i % CHANNELS + 1));
  }
  const tare_tensor classes = noise_drawn(context, "classes", BATCH, MOST);
  assert_int_equal(tare_tensor_count(&classes), n / CHANNELS * 7);
  for (int64_t i = 0; i < tare_tensor_count(&classes); i++) {
    const int64_t drawn = ((const int64_t *)classes.data)[i];
    assert_true(drawn >= 0 && drawn < CHANNELS);
    counts[drawn]++;
  }
  const tare_tensor coins = noise_drawn(context, "coins", BATCH, MOST);
  for (int64_t i = 0; i < tare_tensor_count(&coins); i++) {
    heads[i % CHANNELS] += (double)((const int64_t *)coins.data)[i];
  }
  for (int c = 0; c < CHANNELS; c++) {
    const double share = 0.1 * (c + 1);
    check_share(counts[c], n / CHANNELS * 7, share);
    check_share(heads[c], n / CHANNELS, share / (1 + share));
  }
  const tare_tensor dropped = noise_drawn(context, "dropped", BATCH, MOST);
  for (int64_t i = 0; i < tare_tensor_count(&dropped); i++) {
    const float y = ((const float *)dropped.data)[i], scale = 1.0F / (1.0F - 0.3F);
    assert_true(y == 0 || y == x[i] * scale);
    stay += y != 0;
  }
  check_share(stay, n, 0.7);
  tare_context_free(&context);
}

static void rows_without_a_class_are_refused(void **state) {
  (void)state;
  static const float bad[] = {NAN, INFINITY};
  tare_context *context = noise_context(0, 1);
  tare_tensor out[OUTPUTS];
  for (size_t i = 0; i < 2; i++) {
    tare_error err = {0};
    x[5] = bad[i];
    assert_int_equal(noise_run(context, 1, 20, out, &err), TARE_E_INPUT);
    assert_non_null(strstr(err.message, "row 1 of the logits"));
  }
  x[5] = -INFINITY; /* a class that is never drawn */
  const tare_tensor classes = noise_drawn(context, "classes", 1, 20);
  for (int i = 7; i < 14; i++) {
    assert_true(((const int64_t *)classes.data)[i] != 1);
  }
  x[5] = 0;
  tare_context_free(&context);
}

int noise_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_draw_the_same_in_other_shapes),
      cmocka_unit_test(inputs_are_samples_by_themselves),
      cmocka_unit_test(classes_and_coins_have_their_shares),
      cmocka_unit_test(rows_without_a_class_are_refused),
  };
  plan = built_plan(MODEL, "batch=1:1:32,n=4:20:256");
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  tare_plan_free(&plan);
  return failed;
}
