#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/ops/recurrent/recurrent.h"
#include "unit/graph/ops_case.h"

static void shapes(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"LSTM", 7, "f32[t, b, 5]; f32[1, 12, 5]; f32[1, 12, 3]", "", "f32[t, 1, b, 3]"},
      {"LSTM", 14, "f32[b, t, 5]; f32[2, 12, 5]; f32[2, 12, 3]",
       "layout=1 direction='bidirectional' hidden_size=3", "f32[b, t, 2, 3]"},
      {"LSTM", 22,
       "f64[t, b, 5]; f64[1, 12, 5]; f64[1, 12, 3]; f64[1, 24]; i32[b]; f64[1, b, 3]; f64[1, b, "
       "3]; "
       "f64[1, 9]",
       "clip=3.0f", "f64[t, 1, b, 3]"},
      {"GRU", 7, "f32[t, 1, 5]; f32[1, 9, 5]; f32[1, 9, 3]; f32[1, 18]; -; f32[1, 1, 3]",
       "direction='reverse' linear_before_reset=1", "f32[t, 1, 1, 3]"},
      {"GRU", 14, "f32[b, t, 5]; f32[1, 9, 5]; f32[1, 9, 3]; -; -; f32[b, 1, 3]", "layout=1",
       "f32[b, t, 1, 3]"},
      {"RNN", 7, "f32[t, b, 5]; f32[1, 3, 5]; f32[1, 3, 3]", "", "f32[t, 1, b, 3]"},
      {"GRU", 7, "f32[t, b, i]; f32[1, n, i]; f32[1, n, h]", "hidden_size=4", "f32[t, 1, b, 4]"},
      {"QLSTM", 0, "u8[t, b, 5]; f32[1, 12, 5]; f32[1, 12, 3]", "", "f32[t, 1, b, 3]"},
      {"QGRU", 0, "f32[t, b, 5]; f32[1, 9, 5]; f32[1, 9, 3]", "row_scales=1", "f32[t, 1, b, 3]"},
  };
  OPS_CHECK(cases);
}

static void bad_forms(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"LSTM", 7, "f32[t, b, 5]; f32[1, 12, 6]; f32[1, 12, 3]", "",
       "MODEL: has shape [1, 12, 6], expected [1, 12, 5]"},
      {"LSTM", 7, "f32[t, b, 5]; f32[1, 9, 5]; f32[1, 9, 3]", "", "MODEL: expected [1, 12, 5]"},
      {"LSTM", 7, "f32[t, b, 5]; f32[1, 12, 5]; f32[1, 12, 3]", "hidden_size=4",
       "MODEL: expected [1, 16, 5]"},
      {"LSTM", 7, "f32[t, b, 5]; f32[1, 12, 5]; f32[1, 12, 3]", "direction='bidirectional'",
       "MODEL: expected [2, 12, 5]"},
      {"LSTM", 7, "f32[t, b, 5]; f32[1, 12, 5]; f32[1, 12, 3]; f32[1, 12]", "",
       "MODEL: expected [1, 24]"},
      {"LSTM", 7, "f32[t, b, 5]; f32[1, 12, 5]; f32[1, 12, 3]; -; i64[b]", "",
       "MODEL: expected int32"},
      {"LSTM", 7, "f32[t, b, 5]; f64[1, 12, 5]; f64[1, 12, 3]", "",
       "MODEL: expected the same type"},
      {"LSTM", 7, "i32[t, b, 5]; i32[1, 12, 5]; i32[1, 12, 3]", "", "MODEL: expected a float type"},
      {"LSTM", 7, "f32[b, 5]; f32[1, 12, 5]; f32[1, 12, 3]", "", "MODEL: has rank 2, expected 3"},
      {"GRU", 7, "f32[t, b, 5]; f32[1, 9, 5]; f32[1, 9, 3]; -; -; f32[b, 1, 3]", "hidden_size=-1",
       "MODEL: attribute 'hidden_size' is negative: -1"},
      {"GRU", 14, "f32[t, 2, 5]; f32[1, 9, 5]; f32[1, 9, 3]; -; -; f32[1, 3, 3]", "",
       "MODEL: has shape [1, 3, 3], expected [1, 2, 3]"},
      {"RNN", 7, "f32[t, b, 5]; f32[1, 3, 5]; f32[1, 3, 3]", "direction='backward'",
       "MODEL: direction is 'backward'"},
      {"RNN", 14, "f32[t, b, 5]; f32[1, 3, 5]; f32[1, 3, 3]", "layout=2",
       "MODEL: layout is 2, expected 0 or 1"},
      {"RNN", 7, "f32[t, b, 5]; f32[1, 3, 5]; f32[1, 3, 3]", "clip=0.0f",
       "MODEL: clip is 0, expected a number above 0"},
      {"QRNN", 0, "f32[t, b, 5]; f32[1, 3, 5]; f32[1, 3, 3]", "", "MODEL: expected uint8"},
  };
  OPS_CHECK(cases);
}

/* Reads the attributes of a GRU with these activations. */
static tare_status read_gru(const char **const names, const int n, const float *const alphas,
                            const int n_alphas, tarei_recurrent_form *const form,
                            tare_error *const err) {
  tarei_node node = {.op = &tarei_op_gru};
  const tarei_attr functions = {
      .name = (char *)"activations", .kind = TAREI_ATTR_STRINGS, .n = n, .strings = (char **)names};
  const tarei_attr numbers = {.name = (char *)"activation_alpha",
                              .kind = TAREI_ATTR_FLOATS,
                              .n = n_alphas,
                              .floats = (float *)alphas};
  assert_true(tarei_attr_copy(&node, &functions) && tarei_attr_copy(&node, &numbers));
  const tare_status status = tarei_recurrent_read(&node, form, err);
  tarei_attr_remove(&node, "activations");
  tarei_attr_remove(&node, "activation_alpha");
  free(node.attrs);
  return status;
}

static void numbers_of_functions(void **state) {
  (void)state;
  tarei_recurrent_form form;
  tare_error err = {0};
  /* taken by those that have one, in their order */
  assert_int_equal(
      read_gru((const char *[]){"sigmoid", "LeakyRelu"}, 2, (float[]){0.5f}, 1, &form, &err),
      TARE_OK);
  assert_int_equal(form.functions[0][1].act, TAREI_RECURRENT_LEAKY_RELU);
  assert_float_equal(form.functions[0][1].alpha, 0.5f, 0);
  assert_false(tarei_recurrent_is_plain(&form, 0));
  /* one for each function */
  assert_int_equal(
      read_gru((const char *[]){"Sigmoid", "Elu"}, 2, (float[]){0.25f, 0.75f}, 2, &form, &err),
      TARE_OK);
  assert_float_equal(form.functions[0][1].alpha, 0.75f, 0);
  /* as the operator of that name has it */
  assert_int_equal(read_gru((const char *[]){"HardSigmoid", "Tanh"}, 2, NULL, 0, &form, &err),
                   TARE_OK);
  assert_float_equal(form.functions[0][0].alpha, 0.2f, 0);
  assert_float_equal(form.functions[0][0].beta, 0.5f, 0);
  assert_true(isinf(form.clip));
  assert_int_equal(read_gru((const char *[]){"Sigmoid"}, 1, NULL, 0, &form, &err), TARE_E_MODEL);
  assert_non_null(strstr(err.message, "1 activations, expected 2"));
  assert_int_equal(read_gru((const char *[]){"Sigmoid", "Swish"}, 2, NULL, 0, &form, &err),
                   TARE_E_UNSUPPORTED);
  assert_non_null(strstr(err.message, "'Swish'"));
}

int ops_recurrent_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes),
      cmocka_unit_test(bad_forms),
      cmocka_unit_test(numbers_of_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
