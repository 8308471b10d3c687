/* LSTM, GRU and RNN beside the formulas of ONNX, written out in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/lower/recurrent/recurrent.h"
#include "unit/engine/support/recurrent_layer.h"

static const char *const names[] = {[LSTM] = "LSTM", [GRU] = "GRU", [RNN] = "RNN"};

/* Runs the layer with symbols in place of time and batch, some outputs left out. */
static void check(recurrent_layer *const l, const tare_dtype dtype, const bool is_const) {
  int64_t dims[3];
  one_node t;
  recurrent_fill(l);
  recurrent_expect(l);
  recurrent_x_dims(l, dims);
  one_node_start(&t);
  recurrent_operand(&t, dtype, false, 3, dims, l->x);
  recurrent_operands(l, &t, dtype, is_const);
  if (one_node_bits() & 1) {
    one_node_symbol(&t, 0, l->batch_first, "time");
    one_node_symbol(&t, 0, !l->batch_first, "batch");
  }
  const int n_out = l->gates == LSTM ? 3 : 2;
  one_node_op(&t, names[l->gates], "", l->batch_first ? 14 : 7, n_out);
  recurrent_attributes(l, t.node);
  for (int o = 0; o < n_out; o++) {
    if (one_node_between(0, 3) == 0) {
      one_node_leave_out(&t, o);
    }
  }
  one_node_run_ok(&t);
  recurrent_expect_outputs(l, &t, dtype == TARE_F64 ? 1e-12 : 3e-5);
  one_node_end(&t);
  recurrent_drop(l);
}

static void test_floats(void **state) {
  (void)state;
  for (int round = 0; round < 90; round++) {
    recurrent_layer l = recurrent_any((const int[]){LSTM, GRU, RNN}[round % 3]);
    check(&l, TARE_F32, round % 5 != 0);
  }
}

static void test_doubles(void **state) {
  (void)state;
  for (int round = 0; round < 30; round++) {
    recurrent_layer l = recurrent_any((const int[]){LSTM, GRU, RNN}[round % 3]);
    check(&l, TARE_F64, round & 1);
  }
}

static void test_functions(void **state) {
  (void)state;
  static const recurrent_function all[] = {{"Affine", 0.7f, 0.1f, true, true},
                                           {"Elu", 0.8f, 0, true, false},
                                           {"HardSigmoid", 0.3f, 0.4f, true, true},
                                           {"LeakyRelu", 0.1f, 0, true, false},
                                           {"Relu", 0, 0, false, false},
                                           {"ScaledTanh", 0.9f, 0.6f, true, true},
                                           {"Sigmoid", 0, 0, false, false},
                                           {"Softplus", 0, 0, false, false},
                                           {"Softsign", 0, 0, false, false},
                                           {"Tanh", 0, 0, false, false},
                                           {"ThresholdedRelu", 0.2f, 0, true, false}};
  for (int round = 0; round < 60; round++) {
    recurrent_layer l = recurrent_any((const int[]){LSTM, GRU, RNN}[round % 3]);
    l.has_functions = true;
    l.t = (size_t)one_node_between(1, 2); /* some grow without bounds */
    l.clip = one_node_bits() & 1 ? 0.875 : INFINITY;
    for (int k = 0; k < 6; k++) {
      l.functions[k] = all[one_node_between(0, 10)];
    }
    l.functions[0] = all[round % 11];
    check(&l, one_node_bits() & 1 ? TARE_F32 : TARE_F64, round & 1);
  }
}

static void test_function_defaults(void **state) {
  (void)state;
  recurrent_layer l = recurrent_any(LSTM);
  l.d = 1;
  l.has_functions = true;
  l.functions[0] = (recurrent_function){"HardSigmoid", 0.2f, 0.5f, false, false};
  l.functions[1] = (recurrent_function){"LeakyRelu", 0.01f, 0, false, false};
  l.functions[2] = (recurrent_function){"Elu", 1, 0, false, false};
  check(&l, TARE_F32, true);
}

/* Large enough for the hidden units to be shared by threads, and for several chunks of steps. */
static void test_large(void **state) {
  (void)state;
  for (int gates = 0; gates < 6; gates++) {
    recurrent_layer l = recurrent_any((const int[]){LSTM, GRU, RNN}[gates % 3]);
    l.t = gates < 3 ? 5 : 70;
    l.b = gates < 3 ? 1 : 2;
    l.i = 40;
    l.h = gates < 3 ? 330 : 90;
    l.d = 1;
    l.before_reset = false;
    check(&l, TARE_F32, true);
  }
}

/* --- what is refused -------------------------------------------------------------------------- */

static void start_lstm(one_node *const t, const int32_t length) {
  one_node_start(t);
  (void)one_node_input(t, TARE_F32, 3, (int64_t[]){4, 1, 2}, NULL);
  (void)one_node_const(t, TARE_F32, 3, (int64_t[]){1, 12, 2}, NULL);
  (void)one_node_const(t, TARE_F32, 3, (int64_t[]){1, 12, 3}, NULL);
  (void)one_node_absent(t);
  (void)one_node_input(t, TARE_I32, 1, (int64_t[]){1}, &length);
  (void)one_node_input(t, TARE_F32, 3, (int64_t[]){1, 1, 3}, NULL);
}

static void test_refusals(void **state) {
  (void)state;
  one_node t;
  start_lstm(&t, 5);
  one_node_op(&t, "LSTM", "", 14, 1);
  one_node_refused(&t, TARE_E_INPUT, "sequence 0 has length 5, expected 0 to 4");
  start_lstm(&t, -1);
  one_node_op(&t, "LSTM", "", 14, 1);
  one_node_refused(&t, TARE_E_INPUT, "sequence 0 has length -1");
  start_lstm(&t, 4);
  one_node_symbol(&t, 5, 2, "width");
  one_node_op(&t, "LSTM", "", 14, 1);
  t.symbols[0] = 2;
  t.inputs[5].dims[2] = 2;
  one_node_refused(&t, TARE_E_SHAPE, "axis 2 of 'x5' has length 2, expected 3");
}

static size_t any_count(size_t most) {
  return 1 + (size_t)rand() % most;
}

/* A context has the memory of the largest shapes, and runs at smaller ones. */
static void test_scratch_grows_with_shapes(void **state) {
  (void)state;
  for (int round = 0; round < 2000; round++) {
    const tarei_recurrent s = {.form = {.gates = rand() % 2 ? LSTM : GRU,
                                        .dirs = 1 + rand() % 2,
                                        .linear_before_reset = rand() % 2}};
    tarei_recurrent_sizes large = {any_count(1000), any_count(9), any_count(40), any_count(200)};
    large.gate = tarei_recurrent_gate(&s.form, large.hidden);
    large.columns = ((size_t)s.form.gates * large.gate + 31) / 32 * 32;
    tarei_recurrent_sizes small = large;
    small.steps = any_count(large.steps);
    small.batch = any_count(large.batch);
    const int threads = 1 + rand() % 4;
    assert_true(tarei_recurrent_scratch(&s, &small, threads) <=
                tarei_recurrent_scratch(&s, &large, threads));
  }
}

static int seed(void **state) {
  (void)state;
  one_node_seed();
  return 0;
}

int recurrent_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_doubles),
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_function_defaults),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_scratch_grows_with_shapes),
  };
  return cmocka_run_group_tests_name("lower.recurrent", tests, seed, NULL);
}
