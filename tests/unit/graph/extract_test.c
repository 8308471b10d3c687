/* Parts of every model among the fixtures: each must be a model, and say what the whole says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glob.h>
#include <unistd.h>

#include <cmocka.h>
#include <tare/extract.h>
#include <tare/plan.h>
#include <tare/table_model.h>

#include "graph/table/table.h"

#define FIXTURES TARE_SOURCE_DIR "/tests/fixtures/onnx/"

static char folder[] = "/tmp/tare-extract-XXXXXX", part_path[64], prefix_path[64];

static int make_folder(void **const state) {
  (void)state;
  if (!mkdtemp(folder)) {
    return -1;
  }
  snprintf(part_path, sizeof part_path, "%s/part.onnx", folder);
  snprintf(prefix_path, sizeof prefix_path, "%s/prefix.onnx", folder);
  return 0;
}

static int remove_folder(void **const state) {
  (void)state;
  (void)unlink(part_path);
  (void)unlink(prefix_path);
  return rmdir(folder);
}

static tare_extract *open_model(const char *const path) {
  tare_error err = {0};
  tare_extract *e = NULL;
  if (tare_extract_new(path, NULL, &e, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  return e;
}

static tare_model *load_model(const char *const path, const char *const what) {
  tare_error err = {0};
  tare_model *model = NULL;
  if (tare_model_load(path, &model, &err) != TARE_OK) {
    fail_msg("%s: %s", what, err.message);
  }
  return model;
}

static void save_good(tare_extract *const e, const tare_extract_part *const part,
                      const char *const path) {
  tare_error err = {0};
  if (tare_extract_save(e, part, path, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
}

/* A tensor alone, back to the inputs of the model: its type is that in the whole. */
static void check_prefix(tare_extract *const e, const tare_model *const whole,
                         const char *const tensor) {
  const tare_port out = {.name = tensor};
  save_good(e, &(tare_extract_part){.outputs = &out, .n_outputs = 1}, prefix_path);
  tare_model *model = load_model(prefix_path, tensor);
  const tare_port *outputs = NULL;
  assert_int_equal(tare_model_outputs(model, &outputs), 1);
  assert_string_equal(outputs[0].name, tensor);
  assert_int_equal(tare_model_tensor_type(model, tensor), tare_model_tensor_type(whole, tensor));
  tare_model_free(&model);
}

/* A node alone, all float tensors that it reads being inputs: it has its name, its inputs keep
 * their types, and its output the type that it has in the whole. */
static void check_node(tare_extract *const e, const tare_model *const whole, const int i) {
  const tare_extract_node node = tare_extract_node_at(e, i);
  tare_port cut[16];
  int n = 0;
  for (int r = 0; r < node.n_inputs && n < 16; r++) {
    const bool may = tare_extract_maker(e, node.inputs[r]) >= 0 &&
                     tare_model_tensor_type(whole, node.inputs[r]) == TARE_F32;
    if (may) {
      cut[n++] = (tare_port){.name = node.inputs[r]};
    }
  }
  if (n == 0) {
    return;
  }
  save_good(e, &(tare_extract_part){.outputs = cut, .n_outputs = n}, prefix_path);
  tare_model *before = load_model(prefix_path, node.name);
  tare_extract_part part = {.outputs = &(tare_port){.name = node.outputs[0]}, .n_outputs = 1};
  part.n_inputs = tare_model_outputs(before, &part.inputs);
  save_good(e, &part, part_path);
  tare_model *model = load_model(part_path, node.name);
  assert_int_equal(tare_model_tensor_type(model, node.outputs[0]),
                   tare_model_tensor_type(whole, node.outputs[0]));
  tare_extract *again = open_model(part_path);
  const int last = tare_extract_n_nodes(again) - 1;
  assert_string_equal(tare_extract_node_at(again, last).name, node.name);
  for (int r = 0; r < n; r++) {
    assert_int_equal(tare_extract_maker(again, cut[r].name), -1);
  }
  tare_extract_free(&again);
  tare_model_free(&model);
  tare_model_free(&before);
}

static void check_model(const char *const path) {
  tare_model *whole = load_model(path, path);
  tare_extract *e = open_model(path);
  for (int i = 0; i < tare_extract_n_nodes(e); i++) {
    const tare_extract_node node = tare_extract_node_at(e, i);
    const bool known = node.n_outputs && *node.outputs[0] &&
                       tare_model_tensor_type(whole, node.outputs[0]) != TARE_DTYPE_NONE;
    for (int r = 0; r < node.n_inputs; r++) {
      assert_true(tare_extract_maker(e, node.inputs[r]) < i); /* in the order of execution */
    }
    if (known) {
      check_prefix(e, whole, node.outputs[0]);
      check_node(e, whole, i);
    }
  }
  tare_extract_free(&e);
  tare_model_free(&whole);
}

static void parts_are_models(void **const state) {
  static const char *const patterns[] = {FIXTURES "good_*.onnx", FIXTURES "check_good.onnx",
                                         FIXTURES "if_products.onnx"};
  (void)state;
  for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
    glob_t found;
    assert_int_equal(glob(patterns[p], 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
      check_model(found.gl_pathv[i]);
    }
    globfree(&found);
  }
}

static void bad_files_are_refused(void **const state) {
  glob_t found;
  (void)state;
  assert_int_equal(glob(FIXTURES "bad_*.onnx", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    tare_error err = {0};
    tare_extract *e = NULL;
    if (tare_extract_new(found.gl_pathv[i], NULL, &e, &err) != TARE_OK) {
      assert_null(e);
      assert_non_null(strstr(err.message, found.gl_pathv[i]));
    }
    tare_extract_free(&e);
  }
  globfree(&found);
}

static void unknown_tensors_are_refused(void **const state) {
  tare_error err = {0};
  tare_extract *e = open_model(FIXTURES "good_small.onnx");
  const tare_port port = {.name = "nowhere"};
  (void)state;
  assert_int_equal(
      tare_extract_save(e, &(tare_extract_part){.outputs = &port, .n_outputs = 1}, part_path, &err),
      TARE_E_USAGE);
  assert_string_equal(err.message, "no node writes a tensor 'nowhere'");
  tare_extract_free(&e);
}

/* --- requests --------------------------------------------------------------------------------- */

static void requests_of_nodes_stay(void **const state) {
  (void)state;
  tare_extract *e = open_model(FIXTURES "good_small.onnx");
  const int n = tare_extract_n_nodes(e);
  bool *const all = calloc((size_t)n, sizeof *all), *const one = calloc((size_t)n, sizeof *one);
  const tare_extract_node first = tare_extract_node_at(e, 0), last = tare_extract_node_at(e, n - 1);
  char *text = NULL, given[256], kept[128];
  one[0] = true;
  snprintf(given, sizeof given, "%s:int8,%s + x:fp32,gone:int8,a\\,b:fp32,@%s:int8,*:fp32",
           first.name, last.name, first.op);
  snprintf(kept, sizeof kept, "%s:int8,@%s:int8,*:fp32", first.name, first.op);
  assert_int_equal(tare_extract_requests(e, one, given, &text, NULL), TARE_OK);
  assert_string_equal(text, kept);
  tare_free(text);
  assert_int_equal(tare_extract_requests(e, all, given, &text, NULL), TARE_OK);
  assert_string_equal(text, "");
  tare_free(text);
  assert_int_equal(tare_extract_requests(e, all, NULL, &text, NULL), TARE_OK);
  assert_null(text);
  free(all);
  free(one);
  tare_extract_free(&e);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void tables_keep_the_tensors_of_a_part(void **const state) {
  (void)state;
  tare_extract *e = open_model(FIXTURES "good_small.onnx");
  const tare_extract_node first = tare_extract_node_at(e, 0);
  const tare_extract_node last = tare_extract_node_at(e, tare_extract_n_nodes(e) - 1);
  const tare_port port = {.name = first.outputs[0]};
  save_good(e, &(tare_extract_part){.outputs = &port, .n_outputs = 1}, part_path);
  tare_model *part = load_model(part_path, "part");
  tare_table *table = NULL, *cut = NULL;
  const tarei_cell cell = tarei_cell_unknown(3);
  assert_int_equal(tarei_table_new("minmax", 1, &table, NULL), TARE_OK);
  assert_int_equal(tarei_table_add_tensor(table, port.name, last.outputs[0], &cell, NULL), TARE_OK);
  assert_int_equal(tarei_table_add_tensor(table, last.outputs[0], NULL, &cell, NULL), TARE_OK);
  assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
  assert_int_equal(tare_table_restrict(table, part, &cut, NULL), TARE_OK);
  assert_int_equal(tare_table_n_tensors(cut), 1);
  assert_int_equal(tare_table_find(cut, port.name), 0);
  assert_null(cut->tensors[0].same_as);
  assert_true(tare_table_get(cut, 0, 0).amax == 3);
  assert_true(tare_table_model_hash(cut) == tare_model_get_info(part).hash);
  tare_table_free(&table);
  tare_table_free(&cut);
  tare_model_free(&part);
  tare_extract_free(&e);
}

int extract_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_models),
      cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(unknown_tensors_are_refused),
      cmocka_unit_test(requests_of_nodes_stay),
      cmocka_unit_test(tables_keep_the_tensors_of_a_part),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
