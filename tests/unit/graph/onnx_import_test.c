#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glob.h>

#include <cmocka.h>

#include "graph/op.h"
#include "graph/pass.h"

#define FIXTURES TARE_SOURCE_DIR "/tests/fixtures/onnx/"

static tare_status load(const char *const file, tarei_graph **const out, tare_error *const err) {
  char path[1024];
  snprintf(path, sizeof path, FIXTURES "%s.onnx", file);
  *out = NULL;
  return tarei_onnx_load(path, NULL, out, NULL, err);
}

static tarei_graph *load_good(const char *const file) {
  tare_error err = {0};
  tarei_graph *graph = NULL;
  if (load(file, &graph, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tarei_graph_check(graph);
  return graph;
}

/* What comes behind a repeated output keeps its own declaration. */
static void names_outputs_once(void **const state) {
  (void)state;
  tarei_graph *const graph = load_good("good_output_twice");
  assert_int_equal(graph->n_outputs, 2);
  assert_string_equal(graph->values[graph->outputs[0]].name, "y");
  assert_int_equal(graph->values[graph->outputs[0]].dtype, TARE_F32);
  assert_string_equal(graph->values[graph->outputs[1]].name, "z");
  assert_int_equal(graph->values[graph->outputs[1]].dtype, TARE_F16);
  tarei_graph_free(graph);
}

static const float *data_of(const tarei_graph *const graph, const char *const name) {
  for (int v = 0; v < graph->n_values; v++) {
    if (strcmp(graph->values[v].name, name) == 0) {
      assert_non_null(graph->values[v].data);
      return graph->values[v].data->data;
    }
  }
  fail_msg("no value '%s'", name);
  return NULL;
}

static void sparse_tensors_are_filled_with_zeros(void **state) {
  (void)state;
  static const float w[] = {0, 1, 0, -2, 0, 0, 0, 0, 3}, b[] = {0, 0, 1, -2, 3, 0},
                     c[] = {1, 0, -2};
  tarei_graph *const graph = load_good("good_sparse");
  assert_memory_equal(data_of(graph, "w"), w, sizeof w);
  assert_memory_equal(data_of(graph, "b"), b, sizeof b);
  assert_memory_equal(data_of(graph, "c"), c, sizeof c);
  tarei_graph_free(graph);
}

static void a_small_model_comes_in_whole(void **state) {
  (void)state;
  tarei_graph *const graph = load_good("good_small");
  assert_int_equal(graph->ir_version, 8);
  assert_int_equal(graph->opset, 17);
  assert_string_equal(graph->producer, "fixtures");
  assert_true(graph->model_hash != 0);
  tarei_str text = {0};
  tarei_graph_print(graph, &text);
  assert_string_equal(tarei_str_get(&text),
                      "input x float32[batch, seq, 4]\n"
                      "mm: MatMul(x, w) -> xw float32[batch, seq, 3]\n"
                      "Add_1: Add(xw, b) -> s float32[batch, seq, 3]\n"
                      "flat: Reshape(s, shape) -> t float32[batch * seq, 3]\n"
                      "soft: Softmax(t) axis=-1 -> y float32[batch * seq, 3]\n"
                      "output y float32[batch * seq, 3]\n");
  tarei_str_free(&text);
  const int w = tarei_graph_find_value(graph, "w");
  const tare_tensor tensor = tarei_value_tensor(graph, w);
  assert_int_equal(tensor.dims[0], 4);
  assert_int_equal(tensor.dims[1], 3);
  assert_true(((const float *)tensor.data)[11] == 11.0f);
  assert_true(graph->values[w].observable);
  int64_t shape[4];
  int n = 0;
  assert_true(tarei_value_ints(graph, tarei_graph_find_value(graph, "shape"), shape, 4, &n));
  assert_int_equal(n, 2);
  assert_int_equal(shape[0], -1);
  tarei_graph_free(graph);
}

static double element(const tare_tensor *const t, const int i) {
  const int64_t wide[] = {[TARE_U8] = ((const uint8_t *)t->data)[i],
                          [TARE_I8] = ((const int8_t *)t->data)[i],
                          [TARE_BOOL] = ((const uint8_t *)t->data)[i]};
  if (tare_dtype_size(t->dtype) == 1) {
    return (double)wide[t->dtype];
  }
  if (t->dtype == TARE_F32) {
    return (double)((const float *)t->data)[i];
  }
  if (t->dtype == TARE_F64) {
    return ((const double *)t->data)[i];
  }
  if (tare_dtype_size(t->dtype) == 8) {
    return (double)((const int64_t *)t->data)[i];
  }
  if (tare_dtype_size(t->dtype) == 4) {
    return (double)((const int32_t *)t->data)[i];
  }
  return (double)((const uint16_t *)t->data)[i];
}

static void every_type_comes_in_from_every_field(void **state) {
  (void)state;
  static const struct {
    const char *name;
    tare_dtype dtype;
    double values[3];
  } kinds[] = {
      {"f32", TARE_F32, {0, 1, 100}},  {"f64", TARE_F64, {0, 1, 100}},
      {"i8", TARE_I8, {0, 1, 100}},    {"i16", TARE_I16, {0, 1, 100}},
      {"i32", TARE_I32, {0, 1, 100}},  {"i64", TARE_I64, {0, 1, 100}},
      {"u8", TARE_U8, {0, 1, 100}},    {"u16", TARE_U16, {0, 1, 100}},
      {"u32", TARE_U32, {0, 1, 100}},  {"u64", TARE_U64, {0, 1, 100}},
      {"bool", TARE_BOOL, {0, 1, 1}},  {"f16", TARE_F32, {0, 1, 100}}, /* widened */
      {"bf16", TARE_F32, {0, 1, 100}},
  };
  tarei_graph *const graph = load_good("good_types");
  for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s_%s", i % 2 ? "raw" : "typed", kinds[i / 2].name);
    const int value = tarei_graph_find_value(graph, name);
    assert_true(value >= 0);
    const tare_tensor tensor = tarei_value_tensor(graph, value);
    assert_int_equal(tensor.dtype, kinds[i / 2].dtype);
    for (int k = 0; k < 3; k++) {
      assert_true(element(&tensor, k) == kinds[i / 2].values[k]);
    }
  }
  tarei_graph_free(graph);
}

static void constants_of_every_form_become_values(void **state) {
  (void)state;
  tarei_graph *const graph = load_good("good_constants");
  assert_int_equal(graph->n_nodes, 0);
  float f = 0;
  int64_t ints[3];
  int n = 0;
  assert_true(tarei_value_const_float(graph, tarei_graph_find_value(graph, "c_value_float"), &f));
  assert_true(f == 2.5f);
  assert_true(tarei_value_const_float(graph, tarei_graph_find_value(graph, "c_value"), &f));
  assert_true(f == 1.5f);
  const int scalar = tarei_graph_find_value(graph, "c_value_int");
  assert_int_equal(graph->values[scalar].rank, 0);
  assert_true(tarei_value_ints(graph, scalar, ints, 3, &n));
  assert_int_equal(ints[0], 7);
  const int list = tarei_graph_find_value(graph, "c_value_ints");
  assert_true(tarei_value_ints(graph, list, ints, 3, &n));
  assert_int_equal(n, 3);
  assert_int_equal(ints[2], 5);
  assert_false(tarei_value_ints(graph, list, ints, 2, &n));
  const tare_tensor floats =
      tarei_value_tensor(graph, tarei_graph_find_value(graph, "c_value_floats"));
  assert_int_equal(floats.dims[0], 2);
  assert_true(((const float *)floats.data)[1] == 2.0f);
  tarei_graph_free(graph);
}

static void dims_without_name_are_all_different(void **state) {
  (void)state;
  tarei_graph *const graph = load_good("good_dims");
  tarei_str text = {0};
  tarei_graph_print(graph, &text);
  assert_string_equal(tarei_str_get(&text),
                      "input a float32[n, a_d1_]\n"
                      "input b float32[n, a_d1]\n"
                      "input c float32[n, c_d1]\n"
                      "Concat_0: Concat(a, b, c) axis=1 -> y float32[n, a_d1 + a_d1_ + c_d1]\n"
                      "output y float32[n, a_d1 + a_d1_ + c_d1]\n");
  tarei_str_free(&text);
  tarei_graph_free(graph);
}

static void half_floats_are_widened_and_casts_stay(void **state) {
  (void)state;
  tarei_graph *const graph = load_good("good_half");
  tarei_str text = {0};
  tarei_graph_print(graph, &text);
  assert_string_equal(tarei_str_get(&text),
                      "input x float16[batch, 4]\n"
                      "x/Cast: Cast(x) to=1 -> x_f32 float32[batch, 4]\n"
                      "Mul_0: Mul(x_f32, w) -> m float32[batch, 4]\n"
                      "Cast_1: Cast(m) to=10 -> r_f32 float16[batch, 4]\n"
                      "Cast_1/Cast: Cast(r_f32) to=1 -> r float32[batch, 4]\n"
                      "Add_2: Add(r, w) -> y_f32 float32[batch, 4]\n"
                      "y/Cast: Cast(y_f32) to=10 -> y float16[batch, 4]\n"
                      "output y float16[batch, 4]\n");
  tarei_str_free(&text);
  tarei_graph_free(graph);
}

/* What a Cast of a body is split into stands in order when the body takes the place of its node. */
static void casts_of_a_known_branch_stay_in_order(void **state) {
  (void)state;
  tarei_graph *const graph = load_good("good_half_branch");
  assert_int_equal(graph->values[graph->outputs[0]].rank, 2);
  bool seen = false;
  for (int i = 0; i < graph->n_nodes; i++) {
    seen |= graph->nodes[i].op == &tarei_op_add;
  }
  assert_true(seen);
  tarei_graph_free(graph);
}

static void external_data_is_mapped_and_aligned(void **state) {
  (void)state;
  tarei_graph *const graph = load_good("good_external");
  const tarei_value *const w = &graph->values[tarei_graph_find_value(graph, "w")];
  const tarei_value *const b = &graph->values[tarei_graph_find_value(graph, "b")];
  assert_non_null(w->data->mapped);
  assert_true(((const float *)w->data->data)[11] == 11.0f);
  assert_int_equal((uintptr_t)b->data->data % sizeof(float), 0); /* at offset 49: copied */
  assert_true(((const float *)b->data->data)[1] == -2.0f);
  tarei_graph *copy = NULL;
  assert_int_equal(tarei_graph_clone(graph, &copy, NULL), TARE_OK);
  tarei_graph_free(graph);
  assert_true(((const float *)copy->values[tarei_graph_find_value(copy, "w")].data->data)[11] ==
              11.0f);
  tarei_graph_free(copy);
}

static void nodes_are_sorted_and_named(void **state) {
  (void)state;
  tarei_graph *graph = load_good("good_unsorted");
  assert_int_equal(graph->n_nodes, 3);
  assert_string_equal(graph->nodes[0].name, "a");
  assert_string_equal(graph->nodes[2].name, "c");
  tarei_graph_free(graph);
  graph = load_good("good_opset_1"); /* where the operators have not changed since */
  tarei_graph_free(graph);
  graph = load_good("good_same_node_names");
  assert_string_equal(graph->nodes[0].name, "r");
  assert_string_equal(graph->nodes[1].name, "r_1");
  tarei_graph_free(graph);
}

static void an_input_with_initializer_is_a_constant(void **state) {
  (void)state;
  tarei_graph *const graph = load_good("good_initializer_input");
  assert_int_equal(graph->n_inputs, 1);
  assert_true(tarei_value_is_const(graph, tarei_graph_find_value(graph, "w")));
  tarei_graph_free(graph);
}

static void shared_models_load_or_say_why(void **state) {
  (void)state;
  glob_t ours, wild;
  if (glob(TARE_SHARED_DIR "/models/*.onnx", 0, NULL, &ours) != 0) {
    print_message("skipped: no models in " TARE_SHARED_DIR "\n");
    skip();
  }
  tare_error err = {0};
  for (size_t i = 0; i < ours.gl_pathc; i++) {
    tarei_graph *graph = NULL;
    if (tarei_onnx_load(ours.gl_pathv[i], NULL, &graph, NULL, &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    tarei_graph_check(graph);
    tarei_graph_free(graph);
  }
  globfree(&ours);
  if (glob(TARE_SHARED_DIR "/models/wild/*/*.onnx", 0, NULL, &wild) == 0) {
    for (size_t i = 0; i < wild.gl_pathc; i++) {
      tarei_graph *graph = NULL;
      if (tarei_onnx_load(wild.gl_pathv[i], NULL, &graph, NULL, &err) == TARE_OK) {
        tarei_graph_check(graph);
        tarei_graph_free(graph);
      } else {
        assert_int_equal(strncmp(err.message, wild.gl_pathv[i], strlen(wild.gl_pathv[i])), 0);
      }
    }
    globfree(&wild);
  }
}

int onnx_import_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sparse_tensors_are_filled_with_zeros),
      cmocka_unit_test(a_small_model_comes_in_whole),
      cmocka_unit_test(every_type_comes_in_from_every_field),
      cmocka_unit_test(constants_of_every_form_become_values),
      cmocka_unit_test(dims_without_name_are_all_different),
      cmocka_unit_test(half_floats_are_widened_and_casts_stay),
      cmocka_unit_test(casts_of_a_known_branch_stay_in_order),
      cmocka_unit_test(external_data_is_mapped_and_aligned),
      cmocka_unit_test(nodes_are_sorted_and_named),
      cmocka_unit_test(an_input_with_initializer_is_a_constant),
      cmocka_unit_test(names_outputs_once),
      cmocka_unit_test(shared_models_load_or_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
