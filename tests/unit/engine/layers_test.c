/* The layers of plans as users see them, of a built plan and of the same plan loaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <tare/tare.h>

#include "unit/engine/support/built.h"

#define QUANTIZED TARE_SOURCE_DIR "/tests/fixtures/onnx/good_quantized.onnx"
#define DIGITS TARE_SOURCE_DIR "/examples/digits-conv/digits-conv.onnx"
#define INTENTS TARE_SOURCE_DIR "/examples/intents-mini/intents-mini.onnx"

static tare_error err;

#define OK(call)                              \
  do {                                        \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)

static tare_plan *reloaded(const tare_plan *const plan) {
  char path[] = "/tmp/tare_layers_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  tare_plan *loaded = NULL;
  OK(tare_plan_save(plan, path, &err));
  OK(tare_plan_load(path, &loaded, &err));
  unlink(path);
  return loaded;
}

static tare_layer layer_of_op(const tare_plan *const plan, const char *const op) {
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (strcmp(layer.op, op) == 0) {
      return layer;
    }
  }
  fail_msg("no layer %s", op);
  return (tare_layer){0};
}

static void same_tensors(const tare_layer_tensor *const a, const tare_layer_tensor *const b,
                         const int n) {
  for (int i = 0; i < n; i++) {
    assert_string_equal(a[i].name, b[i].name);
    assert_string_equal(a[i].memory, b[i].memory);
    assert_string_equal(a[i].shape, b[i].shape);
    assert_int_equal(a[i].dtype, b[i].dtype);
    assert_int_equal(a[i].constant, b[i].constant);
    assert_int_equal(a[i].n_scales, b[i].n_scales);
    assert_int_equal(a[i].zero_point, b[i].zero_point);
    for (int s = 0; s < a[i].n_scales; s++) {
      assert_memory_equal(&a[i].scales[s], &b[i].scales[s], sizeof(float));
    }
  }
}

static void same_passes(const tare_plan *const a, const tare_plan *const b) {
  assert_int_equal(tare_plan_n_passes(a), tare_plan_n_passes(b));
  for (int i = 0; i < tare_plan_n_passes(a); i++) {
    const tare_pass x = tare_plan_pass(a, i), y = tare_plan_pass(b, i);
    assert_string_equal(x.name, y.name);
    assert_string_equal(x.summary, y.summary);
    assert_int_equal(x.n_changed, y.n_changed);
    assert_int_equal(x.n_removed, y.n_removed);
  }
}

/* Most of it is not in a plan file: both derive it from the same steps. */
static void a_loaded_plan_has_the_same_layers(void **const state) {
  (void)state;
  const char *const models[][2] = {{QUANTIZED, "batch=1,samples=100:1000:2000"},
                                   {DIGITS, "samples=1600:5000:20000"},
                                   {INTENTS, "sequence=4:16:32"}};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    tare_plan *built = built_plan(models[m][0], models[m][1]), *loaded = reloaded(built);
    int64_t bytes = 0;
    assert_int_equal(tare_plan_n_layers(built), tare_plan_n_layers(loaded));
    for (int i = 0; i < tare_plan_n_layers(built); i++) {
      const tare_layer a = tare_plan_layer(built, i), b = tare_plan_layer(loaded, i);
      assert_string_equal(a.name, b.name);
      assert_string_equal(a.precision, b.precision);
      assert_string_equal(a.reason, b.reason);
      assert_int_equal(a.weights, b.weights);
      assert_int_equal(a.weight_bytes, b.weight_bytes);
      assert_int_equal(a.output_bytes, b.output_bytes);
      assert_int_equal(a.scratch_bytes, b.scratch_bytes);
      assert_int_equal(a.n_origins, b.n_origins);
      assert_int_equal(a.n_passes, b.n_passes);
      for (int k = 0; k < a.n_passes; k++) {
        assert_string_equal(a.passes[k], b.passes[k]);
      }
      assert_int_equal(a.n_inputs, b.n_inputs);
      assert_int_equal(a.n_outputs, b.n_outputs);
      same_tensors(a.inputs, b.inputs, a.n_inputs);
      same_tensors(a.outputs, b.outputs, a.n_outputs);
      bytes += b.weight_bytes;
    }
    assert_int_equal(bytes, tare_plan_weight_bytes(built));
    same_passes(built, loaded);
    tare_plan_free(&built);
    tare_plan_free(&loaded);
  }
}

static void int8_layers_have_types_and_scales(void **const state) {
  (void)state;
  tare_plan *plan = built_plan(QUANTIZED, "batch=1,samples=100:1000:2000");
  const tare_layer layer = layer_of_op(plan, "QConvLast");
  assert_string_equal(layer.precision, "int8");
  assert_int_equal(layer.weights, TARE_I8);
  assert_int_equal(layer.inputs[0].dtype, TARE_U8);
  assert_int_equal(layer.inputs[0].n_scales, 1);
  assert_true(layer.inputs[0].stated && layer.inputs[0].scales[0] > 0);
  assert_int_equal(layer.inputs[1].dtype, TARE_I8);
  assert_true(layer.inputs[1].constant && !layer.inputs[0].constant);
  float scales[4] = {0};
  assert_int_equal(tare_plan_weight_scales(plan, 1, 0, NULL), 0);
  assert_int_equal(tare_plan_weight_scales(plan, 1, 1, NULL), 4);
  assert_int_equal(tare_plan_weight_scales(plan, 1, 1, scales), 4);
  for (int i = 0; i < 4; i++) {
    assert_true(scales[i] > 0);
  }
  tare_plan_free(&plan);
}

static void float_layers_have_their_nodes(void **const state) {
  (void)state;
  tare_plan *plan = built_plan(DIGITS, "samples=1600:5000:20000");
  const tare_layer layer = tare_plan_layer(plan, 0);
  assert_string_equal(layer.name, "/front/front.0/Conv + /front/front.2/Relu");
  assert_int_equal(layer.n_origins, 2);
  assert_string_equal(layer.origins[0], "/front/front.0/Conv");
  assert_int_equal(layer.n_passes, 2);
  assert_string_equal(layer.passes[0], "channels_last");
  assert_string_equal(layer.passes[1], "fuse_activation");
  assert_string_equal(layer.origins[1], "/front/front.2/Relu");
  assert_int_equal(layer.parent, -1);
  assert_int_equal(layer.weights, TARE_F32);
  assert_string_equal(layer.precision, "fp32");
  assert_string_equal(layer.inputs[0].memory, "audio"); /* a view of it */
  assert_string_not_equal(layer.inputs[0].name, "audio");
  tare_plan_free(&plan);
}

static void dims_follow_the_lengths(void **const state) {
  (void)state;
  tare_plan *plan = built_plan(DIGITS, "samples=1600:5000:20000");
  const tare_profiles *const profiles = tare_plan_profiles(plan);
  const tare_layer layer = tare_plan_layer(plan, 0);
  int64_t values[TARE_MAX_SYMBOLS], dims[TARE_MAX_RANK];
  for (int64_t samples = 1600; samples <= 20000; samples += 1111) {
    for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
      values[s] = strcmp(tare_profiles_symbol(profiles, s), "samples") == 0 ? samples : 1;
    }
    OK(tare_plan_layer_dims(plan, 0, 0, values, dims, &err));
    assert_int_equal(dims[1], samples);
    OK(tare_plan_layer_dims(plan, 0, layer.n_inputs, values, dims, &err));
    assert_int_equal(dims[1], (samples + 9) / 10);
    assert_int_equal(dims[2], 64);
  }
  assert_int_equal(layer.output_bytes, (20000 + 9) / 10 * 64 * 4);
  assert_string_equal(tare_plan_memory_of(plan, "logits"),
                      tare_plan_layer(plan, tare_plan_n_layers(plan) - 1).outputs->memory);
  tare_plan_free(&plan);
}

/* Events of a run of one context. */
typedef struct timer_events {
  int n, layers[64];
  double last;
} timer_events;

static void take_event(void *const user, const int layer, const double begin, const double end) {
  timer_events *const e = user;
  assert_true(e->n < 64);
  assert_true(begin <= end && begin >= e->last);
  e->layers[e->n++] = layer;
  e->last = end;
}

static void timers_see_each_layer(void **const state) {
  (void)state;
  tare_plan *plan = built_plan(DIGITS, "samples=1600:5000:20000");
  tare_context *context = NULL;
  timer_events events = {0};
  static float audio[5000];
  const tare_tensor in = {.dtype = TARE_F32, .rank = 2, .dims = {1, 5000}, .data = audio};
  tare_tensor out;
  OK(tare_context_new(plan, NULL, &context, &err));
  tare_context_set_timer(context, take_event, &events);
  OK(tare_context_run(context, &in, &out, &err));
  assert_int_equal(events.n, 0); /* only while profiling */
  tare_context_set_profiling(context, true);
  OK(tare_context_run(context, &in, &out, &err));
  assert_int_equal(events.n, tare_plan_n_layers(plan));
  for (int i = 0; i < events.n; i++) {
    assert_int_equal(events.layers[i], i);
  }
  tare_context_set_timer(context, NULL, NULL);
  OK(tare_context_run(context, &in, &out, &err));
  assert_int_equal(events.n, tare_plan_n_layers(plan));
  tare_context_free(&context);
  tare_plan_free(&plan);
}

int layers_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loaded_plan_has_the_same_layers),
      cmocka_unit_test(int8_layers_have_types_and_scales),
      cmocka_unit_test(float_layers_have_their_nodes),
      cmocka_unit_test(dims_follow_the_lengths),
      cmocka_unit_test(timers_see_each_layer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
