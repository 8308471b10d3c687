#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <tare/tare.h>

#define FIXTURES TARE_SOURCE_DIR "/tests/fixtures/onnx/"

static tare_model *load_small(void) {
  tare_model *model = NULL;
  tare_error err = {0};
  if (tare_model_load(FIXTURES "good_small.onnx", &model, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return model;
}

static void a_model_tells_what_it_is(void **state) {
  (void)state;
  tare_model *model = load_small();
  const tare_model_info info = tare_model_get_info(model);
  assert_string_equal(info.path, FIXTURES "good_small.onnx");
  assert_string_equal(info.producer, "fixtures");
  assert_int_equal(info.ir_version, 8);
  assert_int_equal(info.opset, 17);
  assert_int_equal(info.n_nodes, 4);
  assert_int_equal(info.n_parameters, 3);
  assert_int_equal(info.parameter_bytes, 48 + 12 + 16);
  assert_true(info.hash != 0);
  tare_model_free(&model);
  assert_null(model);
  tare_model_free(&model);
}

static void ports_carry_symbols_and_expressions(void **state) {
  (void)state;
  tare_model *model = load_small();
  const tare_port *ports = NULL;
  assert_int_equal(tare_model_inputs(model, &ports), 1);
  assert_string_equal(ports[0].name, "x");
  assert_int_equal(ports[0].dtype, TARE_F32);
  assert_int_equal(ports[0].rank, 3);
  assert_string_equal(ports[0].dims[1].symbol, "seq");
  assert_int_equal(ports[0].dims[1].value, -1);
  assert_null(ports[0].dims[2].symbol);
  assert_int_equal(ports[0].dims[2].value, 4);
  assert_int_equal(tare_model_outputs(model, &ports), 1);
  assert_int_equal(ports[0].rank, 2);
  assert_string_equal(ports[0].dims[0].symbol, "batch * seq");
  tare_model_free(&model);
}

static tare_model *load_judged(const char *const path) {
  tare_model *model = NULL, *judged = NULL;
  assert_int_equal(tare_model_load(path, &model, NULL), TARE_OK);
  assert_int_equal(tare_model_judged(model, &judged, NULL), TARE_OK);
  tare_model_free(&model);
  return judged;
}

/* Scores of the tags, and sums before they are rounded and bounded; the number of rows has none. */
static void integers_are_judged_by_what_decides_them(void **state) {
  (void)state;
  static const char *const names[] = {"tags", "lengths", "rows", "logits", "sums"};
  tare_model *judged = load_judged(FIXTURES "good_tags.onnx");
  assert_non_null(judged);
  const tare_port *ports = NULL;
  assert_int_equal(tare_model_outputs(judged, &ports), 5);
  for (int i = 0; i < 5; i++) {
    assert_string_equal(ports[i].name, names[i]);
  }
  assert_int_equal(ports[3].dtype, TARE_F32);
  assert_string_equal(ports[4].dims[1].symbol, "seq");
  tare_model_free(&judged);
  assert_null(load_judged(FIXTURES "good_small.onnx")); /* its output is float */
}

static void symbols_of_ports_are_bare_names(void **state) {
  (void)state;
  tare_model *model = NULL;
  assert_int_equal(tare_model_load(FIXTURES "good_odd_symbols.onnx", &model, NULL), TARE_OK);
  const tare_port *ports = NULL;
  assert_int_equal(tare_model_inputs(model, &ports), 1);
  assert_string_equal(ports[0].dims[0].symbol, "batch \"size\"");
  assert_string_equal(ports[0].dims[1].symbol, "a+b");
  assert_int_equal(tare_model_outputs(model, &ports), 1);
  assert_string_equal(ports[0].dims[0].symbol, "\"batch \\\"size\\\"\" * \"a+b\"");
  tare_model_free(&model);
}

static void operators_are_counted_by_name(void **state) {
  (void)state;
  static const char *const names[] = {"Add", "MatMul", "Reshape", "Softmax"};
  tare_model *model = load_small();
  assert_int_equal(tare_model_n_operators(model), 4);
  for (int i = 0; i < 4; i++) {
    const char *name = NULL;
    int count = 0;
    tare_model_operator(model, i, &name, &count);
    assert_string_equal(name, names[i]);
    assert_int_equal(count, 1);
  }
  tare_model_operator(model, 0, NULL, NULL);
  tare_model_free(&model);
}

static void listings_come_plain_and_optimized(void **state) {
  (void)state;
  tare_model *model = load_small();
  char *plain = NULL, *optimized = NULL, *again = NULL;
  assert_int_equal(tare_model_print(model, false, &plain, NULL), TARE_OK);
  assert_non_null(strstr(plain, "mm: MatMul(x, w)"));
  assert_int_equal(tare_model_print(model, true, &optimized, NULL), TARE_OK);
  assert_non_null(strstr(optimized, "output y float32[batch * seq, 3]"));
  assert_int_equal(tare_model_print(model, false, &again, NULL), TARE_OK);
  assert_string_equal(plain, again); /* the passes ran on a copy */
  tare_free(plain);
  tare_free(optimized);
  tare_free(again);
  tare_free(NULL);
  tare_model_free(&model);
}

static void a_missing_file_is_an_input_error(void **state) {
  (void)state;
  tare_model *model = NULL;
  tare_error err = {0};
  assert_int_equal(tare_model_load("/nonexistent/m.onnx", &model, &err), TARE_E_INPUT);
  assert_null(model);
  assert_non_null(strstr(err.message, "/nonexistent/m.onnx"));
  assert_int_equal(tare_model_load("/tmp", &model, NULL), TARE_E_INPUT);
}

static void the_library_tells_its_version(void **state) {
  (void)state;
  assert_string_equal(tare_version(), TARE_VERSION);
}

int model_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_tells_what_it_is),
      cmocka_unit_test(ports_carry_symbols_and_expressions),
      cmocka_unit_test(integers_are_judged_by_what_decides_them),
      cmocka_unit_test(symbols_of_ports_are_bare_names),
      cmocka_unit_test(operators_are_counted_by_name),
      cmocka_unit_test(listings_come_plain_and_optimized),
      cmocka_unit_test(a_missing_file_is_an_input_error),
      cmocka_unit_test(the_library_tells_its_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
