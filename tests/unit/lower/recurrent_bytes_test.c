/* LSTM, GRU and RNN in int8 beside the formulas of ONNX. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/recurrent_layer.h"

/* Rows that their bytes hold exactly: multiples of their scale, from 0 on or around it. */
static void make_exact_rows(double *const w, const size_t rows, const size_t k,
                            const bool from_zero) {
  const int64_t most = from_zero ? 255 : 127;
  for (size_t r = 0; r < rows; r++) {
    const double scale = (double)(float)(1.0 / (double)most / (1 + (double)(r % 5)));
    for (size_t j = 0; j < k; j++) {
      w[r * k + j] = scale * (double)one_node_between(from_zero ? 0 : -most, most);
    }
    w[r * k + r % k] = scale * (double)most;
  }
}

static void make_exact(double *const w, const size_t rows, const size_t k) {
  make_exact_rows(w, rows, k, false);
}

/* One step from a state that its bytes hold exactly: nothing is lost but in the last bits. */
static void check_exact(recurrent_layer *const l, const bool by_rows, const bool from_zero) {
  int64_t dims[3];
  one_node t;
  recurrent_fill(l);
  make_exact(l->w, l->d * (size_t)l->gates * l->h, l->i);
  make_exact(l->r, l->d * (size_t)l->gates * l->h, l->h);
  make_exact(l->first_h, l->d * l->b, l->h);
  uint8_t *const bytes = calloc(l->t * l->b * l->i + 4, 1);
  const float scale = 0.01f;
  make_exact_rows(l->x, l->t * l->b, l->i, from_zero);
  for (size_t k = 0; k < l->t * l->b * l->i; k++) {
    bytes[k] = (uint8_t)one_node_between(0, 255);
    l->x[k] = by_rows ? l->x[k] : ((double)bytes[k] - 128) * (double)scale;
  }
  recurrent_expect(l);
  recurrent_x_dims(l, dims);
  one_node_start(&t);
  if (by_rows) {
    recurrent_operand(&t, TARE_F32, false, 3, dims, l->x);
  } else {
    (void)one_node_input(&t, TARE_U8, 3, dims, bytes);
    one_node_scale(&t, t.in[0], scale, false);
  }
  recurrent_operands(l, &t, TARE_F32, true);
  one_node_op(&t,
              l->gates == LSTM  ? "QLSTM"
              : l->gates == GRU ? "QGRU"
                                : "QRNN",
              "tare", 1, l->gates == LSTM ? 3 : 2);
  recurrent_attributes(l, t.node);
  assert_true(tarei_attr_set_int(t.node, "row_scales", by_rows));
  assert_true(!from_zero || tarei_attr_set_int(t.node, "unsigned_rows", 1));
  one_node_run_ok(&t);
  recurrent_expect_outputs(l, &t, 3e-5);
  one_node_end(&t);
  free(bytes);
  recurrent_drop(l);
}

static void test_bytes(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    recurrent_layer l = recurrent_any((const int[]){LSTM, GRU, RNN}[round % 3]);
    l.t = 1;
    l.has_h = true;
    l.before_reset = l.gates == GRU; /* else the product of r * h rounds */
    check_exact(&l, round & 1, (round & 3) == 3);
  }
}

static double energy_of(const double *const v, const size_t n) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) {
    sum += v[k] * v[k];
  }
  return sum;
}

/* Long sequences: the error of bytes stays small and does not add up. */
static void test_long_sequences(void **state) {
  (void)state;
  for (int round = 0; round < 6; round++) {
    recurrent_layer l = recurrent_any((const int[]){LSTM, GRU}[round % 2]);
    int64_t dims[3];
    one_node t;
    l.t = 150;
    l.b = 2;
    l.i = 24;
    l.h = 48;
    l.clip = INFINITY;
    l.has_lengths = l.has_p = false;
    recurrent_fill(&l);
    recurrent_expect(&l);
    recurrent_x_dims(&l, dims);
    one_node_start(&t);
    recurrent_operand(&t, TARE_F32, false, 3, dims, l.x);
    recurrent_operands(&l, &t, TARE_F32, true);
    one_node_op(&t, l.gates == LSTM ? "QLSTM" : "QGRU", "tare", 1, l.gates == LSTM ? 3 : 2);
    recurrent_attributes(&l, t.node);
    assert_true(tarei_attr_set_int(t.node, "row_scales", 1));
    one_node_run_ok(&t);
    const size_t n = l.t * l.d * l.b * l.h;
    double *const error = recurrent_some(n, 0);
    for (size_t k = 0; k < n; k++) {
      error[k] = (double)((float *)t.outputs[0].data)[k] - l.y[k];
    }
    const double ratio = 10 * log10(energy_of(l.y, n) / energy_of(error, n));
    if (!(ratio > 25)) {
      fail_msg("%s: %.1f dB", t.node->op->name, ratio);
    }
    free(error);
    one_node_end(&t);
    recurrent_drop(&l);
  }
}

static int seed(void **state) {
  (void)state;
  one_node_seed();
  return 0;
}

int recurrent_bytes_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_long_sequences),
  };
  return cmocka_run_group_tests_name("lower.recurrent_bytes", tests, seed, NULL);
}
