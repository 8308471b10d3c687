/* Tables of ncnn: kept to the byte, made for a model, and brought back to its tensors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/table_model.h>

#include "graph/model.h"
#include "graph/table/annotate.h"
#include "graph/table/table.h"
#include "unit/tables/table_files.h"

static void assert_written(const tare_table *const table, const tare_model *const model,
                           const char *const expected) {
  const tare_table_write_options options = {.model = model};
  tare_error err = {0};
  if (tare_table_write(table, tare_table_format_of("x.table"), &options, table_path, &err) !=
      TARE_OK) {
    fail_msg("%s", err.message);
  }
  table_assert_file(expected);
}

static double amax_of(const tare_table *const table, const char *const tensor) {
  const int found = tare_table_find(table, tensor);
  assert_true(found >= 0);
  return tare_table_get(table, found, 0).amax;
}

#define TEXT                                           \
  "#conv1_param_0 156.639840536\n"                     \
  "conv2_1/dw_param_0 0 72.129143 149.919382 inf \r\n" \
  "mha_param_3 1.5 \n"                                 \
  "  conv1   49.466518 \n"                             \
  "conv2_1/dw\t123.720796\n"                           \
  "unused inf \n"                                      \
  "\n"

static void keeps_every_byte(void **const state) {
  (void)state;
  tare_table *table = table_read_text("x.table", TEXT);
  assert_int_equal(tare_table_n_tensors(table), 3);
  assert_true(tare_table_names_layers(table));
  assert_true(amax_of(table, "conv1") == 127 / 49.466518);
  assert_true(amax_of(table, "unused") == 0);
  assert_written(table, NULL, TEXT);
  /* through the native form */
  assert_int_equal(tare_table_write_json(table, table_path, NULL), TARE_OK);
  tare_table_free(&table);
  assert_int_equal(tare_table_read(table_path, &table, NULL), TARE_OK);
  assert_written(table, NULL, TEXT);
  tare_table_free(&table);
}

static void writes_thresholds_that_changed(void **const state) {
  (void)state;
  tare_table *table = table_read_text("x.table", TEXT);
  table->tensors[tare_table_find(table, "conv1")].cells[0].amax = 12.7;
  table->tensors[tare_table_find(table, "conv2_1/dw")].cells[0].amax = 0;
  table->tensors[tare_table_find(table, "unused")].cells[0].amax = 1e30;
  assert_written(table, NULL,
                 "#conv1_param_0 156.639840536\n"
                 "conv2_1/dw_param_0 0 72.129143 149.919382 inf \r\n"
                 "mha_param_3 1.5 \n"
                 "  conv1   10.000000 \n"
                 "unused 1.27e-28 \n"
                 "\n");
  tare_table_free(&table);
}

static void says_that_weights_are_lost(void **const state) {
  (void)state;
  tare_table *table = table_read_text("x.table", "conv_param_0 2 \nconv 127 \n");
  const char *lost[TARE_MAX_TABLE_PARTS];
  for (int i = 0; i < tare_n_table_formats(); i++) {
    const tare_table_format *const format = tare_table_format_at(i);
    const int n = tare_table_lost(table, i, NULL, lost);
    assert_int_equal(n, format->names_layers || !format->engine ? 0 : 1);
    assert_true(n == 0 || strcmp(lost[0], "scales of weights") == 0);
  }
  tare_table_free(&table);
}

static void refuses_malformed_tables(void **const state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"a_param_0 1 \nconv\n", "line 2: 'conv' must be '<layer> <scale>'"},
      {"a_param_0 1 \nconv abc\n", "line 2: 'abc' must be a scale: a positive number"},
      {"a_param_0 1 \nconv nan\n", "'nan' must be a scale"},
      {"a_param_0 1 \nconv -1\n", "'-1' must be a scale"},
      {"a_param_0 1 \nconv 0\n", "'0' must be a scale"},
      {"a_param_0 1 \nconv 1e-40\n", "'1e-40' is too small"},
      {"a_param_0 1 \nconv 1 2\n", "'1 2' must be one number, the scale of the layer's input"},
      {"conv 1 \na_param_0 1 2x\n", "line 2: '2x' must be a scale of weights"},
      {"conv 1 \na_param_0 1 nan\n", "'nan' must be a scale of weights"},
      {"a_param_0 1 -2 \nconv 1\n", "'-2' must be a scale of weights"},
      {"a_param_0 1 \nconv 1 \n\nmore 1 \n", "line 4: 'more 1 ' follows an empty line"},
      {"a_param_0 1 \nconv 1\nconv 1\n", "duplicate tensor 'conv'"},
      {"a_param_0 1 \n", "no scales of inputs in this file"},
      {"a_param_0 1 \nconv\xff 1 \n", "text that is not UTF-8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tare_error err = {0};
    assert_null(table_read_bytes("x.table", cases[i].text, strlen(cases[i].text), &err));
    assert_int_equal(err.status, TARE_E_INPUT);
    if (!strstr(err.message, cases[i].says)) {
      fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, err.message, cases[i].says);
    }
  }
  char text[400];
  (void)snprintf(text, sizeof text, "a_param_0 1 \n%0256d 1 \n", 0);
  tare_error err = {0};
  assert_null(table_read_bytes("x.table", text, strlen(text), &err));
  assert_non_null(strstr(err.message, "ncnn reads 255 characters"));
  assert_null(table_read_bytes("x.table", "a_param_0 1 \nb\0c 1 \n", 20, &err));
  assert_non_null(strstr(err.message, "NUL byte"));
}

/* Any prefix and any changed byte is a table or an error, and a table keeps its bytes. */
static void survives_every_damage(void **const state) {
  (void)state;
  static const char FILE_TEXT[] = "a_param_0 1.5 2 \n#b 3\na 4.25 \nb 7 \n";
  const size_t n = sizeof FILE_TEXT - 1;
  char text[sizeof FILE_TEXT];
  for (size_t at = 0; at < n; at++) {
    tare_table *table = table_read_bytes("x.table", FILE_TEXT, at, NULL);
    tare_table_free(&table);
    for (int value = 1; value < 256; value++) {
      memcpy(text, FILE_TEXT, sizeof text);
      text[at] = (char)value;
      table = table_read_bytes("x.table", text, n, NULL);
      if (table && tare_table_names_layers(table) && value % 16 == 1) {
        assert_written(table, NULL, text);
      }
      tare_table_free(&table);
    }
  }
}

/* A line of a megabyte, as layers with many channels have. */
static void reads_long_lines(void **const state) {
  (void)state;
  enum { N = 100000 };
  char *const text = calloc(N, 12);
  assert_non_null(text);
  size_t n = (size_t)sprintf(text, "conv_param_0 ");
  for (int i = 0; i < N - 10; i++) {
    n += (size_t)sprintf(text + n, "%d.500000 ", i % 100);
  }
  n += (size_t)sprintf(text + n, "\nconv 127.000000 \n");
  tare_table *table = table_read_bytes("x.table", text, n, NULL);
  assert_non_null(table);
  assert_true(amax_of(table, "conv") == 1);
  tare_table_free(&table);
  free(text);
}

/* --- with a model ----------------------------------------------------------------------------- */

static int add_input(tarei_graph *const g, const char *const name) {
  const int found = tarei_graph_find_value(g, name);
  const int value = found >= 0 ? found : tarei_graph_add_value(g, name);
  assert_true(value >= 0);
  g->values[value].dtype = TARE_F32;
  return value;
}

static tarei_node *add_layer(tarei_graph *const g, const char *const op, const char *const name,
                             const char *const input, const char *const output, const int rank,
                             const int64_t *const dims, const float *const weights) {
  const int in = add_input(g, input), out = add_input(g, output);
  const int constant = tarei_graph_add_const(g, "w", TARE_F32, rank, dims, weights);
  assert_true(constant >= 0);
  g->values[constant].name[0] = (char)('A' + g->n_nodes); /* unique */
  const int inputs[] = {in, constant};
  const int node = tarei_graph_add_node(g, op, "", name, 13, inputs, 2, &out, 1);
  assert_true(node >= 0);
  return &g->nodes[node];
}

/* Convolutions of 3x3, of 1x1 and by groups; products of both orders; and what ncnn leaves float.
 */
static tarei_graph *make_graph(void) {
  static float nine[2 * 9];
  nine[3] = -31, nine[12] = 15.5f;
  static const float four[] = {1, -2, 0, 0}, eight[] = {127, 1, 0, 254, -254, 3, 2, 1};
  tarei_graph *const g = tarei_graph_new("model.onnx");
  assert_non_null(g);
  (void)add_layer(g, "Conv", "winograd", "x", "a", 4, (const int64_t[]){2, 1, 3, 3}, nine);
  tarei_node *const strided =
      add_layer(g, "Conv", "strided", "x", "b", 4, (const int64_t[]){2, 1, 3, 3}, nine);
  assert_true(tarei_attr_set_ints(strided, "strides", (const int64_t[]){2, 2}, 2));
  (void)add_layer(g, "Conv", "", "b", "unnamed", 4, (const int64_t[]){2, 2, 1, 1}, four);
  tarei_node *const depthwise =
      add_layer(g, "Conv", "dw", "b", "c", 4, (const int64_t[]){4, 1, 1, 2}, eight);
  assert_true(tarei_attr_set_int(depthwise, "group", 2));
  (void)add_layer(g, "MatMul", "mm", "c", "d", 2, (const int64_t[]){4, 2}, eight);
  tarei_node *const gemm = add_layer(g, "Gemm", "fc", "d", "e", 2, (const int64_t[]){2, 4}, eight);
  assert_true(tarei_attr_set_int(gemm, "transB", 1));
  (void)add_layer(g, "Conv", "conv1d", "e", "f", 3, (const int64_t[]){2, 1, 3}, nine);
  (void)add_layer(g, "MatMul", "dead", "zeros", "h", 2, (const int64_t[]){4, 2}, eight);
  return g;
}

static tare_table *make_table(void) {
  static const struct {
    const char *name;
    double amax;
  } tensors[] = {{"x", 1}, {"b", 12.7}, {"c", 254}, {"d", 3}, {"f", 5}, {"zeros", 0}};
  tare_table *table = NULL;
  assert_int_equal(tarei_table_new("minmax", 1, &table, NULL), TARE_OK);
  for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
    const tarei_cell cell = tarei_cell_unknown(tensors[i].amax);
    assert_int_equal(tarei_table_add_tensor(table, tensors[i].name, NULL, &cell, NULL), TARE_OK);
  }
  assert_int_equal(tarei_table_finish(table, "test", NULL), TARE_OK);
  return table;
}

#define FROM_MODEL                        \
  "winograd_param_0 1.000000 2.000000 \n" \
  "strided_param_0 4.096774 8.193548 \n"  \
  "unnamed_param_0 63.500000 1.000000 \n" \
  "dw_param_0 0.500000 0.500000 \n"       \
  "mm_param_0 0.500000 0.500000 \n"       \
  "fc_param_0 0.500000 0.500000 \n"       \
  "winograd 127.000000 \n"                \
  "strided 127.000000 \n"                 \
  "unnamed 10.000000 \n"                  \
  "dw 10.000000 \n"                       \
  "mm 0.500000 \n"                        \
  "fc 42.333332 \n"

static void writes_what_ncnn2table_would(void **const state) {
  (void)state;
  const tare_model model = {.graph = make_graph()};
  tare_table *table = make_table();
  assert_written(table, &model, FROM_MODEL);
  tare_table_layers layers = {0};
  const tare_table_write_options options = {.model = &model, .layers = &layers};
  const int format = tare_table_format_of("x.table");
  assert_int_equal(tare_table_write(table, format, &options, table_path, NULL), TARE_OK);
  assert_int_equal(layers.written, 6);
  assert_int_equal(layers.without, 1); /* dead */
  assert_int_equal(layers.other, 1);   /* conv1d */
  assert_int_equal(layers.unread, 1);  /* f */
  tare_table_free(&table);
  tarei_graph_free(model.graph);
}

static void finds_the_tensors_of_layers(void **const state) {
  (void)state;
  const tare_model model = {.graph = make_graph()};
  tare_table *table = table_read_text("x.table", FROM_MODEL "gone 3 \n");
  tare_resolved resolved = {0};
  assert_int_equal(tare_table_resolve_layers(&table, &model, &resolved, NULL), TARE_OK);
  assert_int_equal(resolved.layers, 6);
  assert_int_equal(resolved.unknown, 1);
  assert_int_equal(resolved.tensors, 4);
  assert_int_equal(resolved.differ, 0);
  assert_true(!tare_table_names_layers(table));
  assert_int_equal(tare_table_n_tensors(table), 4);
  assert_true(amax_of(table, "x") == 1 && amax_of(table, "c") == 254);
  assert_written(table, &model, FROM_MODEL);
  tare_table_free(&table);
  table = table_read_text("x.table", "dw 10 \nunnamed 5 \n");
  assert_int_equal(tare_table_resolve_layers(&table, &model, &resolved, NULL), TARE_OK);
  assert_int_equal(resolved.differ, 1);
  assert_true(amax_of(table, "b") == 127. / 5);
  tare_table_free(&table);
  table = table_read_text("x.table", "conv_12 10 \n");
  tare_error err = {0};
  assert_int_equal(tare_table_resolve_layers(&table, &model, &resolved, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "none of the table's 1 layers is a node"));
  assert_true(tare_table_names_layers(table)); /* as it was */
  tare_table_free(&table);
  tarei_graph_free(model.graph);
}

/* "b" is a tensor, too, but not that which layer "b" reads. */
static void scales_of_layers_annotate_nothing(void **const state) {
  (void)state;
  tarei_graph *const graph = make_graph();
  tare_table *table = table_read_text("x.table", "b 10 \n");
  tare_error err = {0};
  assert_int_equal(tarei_table_annotate(table, graph, NULL, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "scales of layers"));
  tare_table_free(&table);
  tarei_graph_free(graph);
}

static void refuses_names_that_ncnn_cannot_read(void **const state) {
  (void)state;
  static const char *const names[] = {"a b", "#a", "a_param_0"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const tare_model model = {.graph = tarei_graph_new("model.onnx")};
    (void)add_layer(model.graph, "MatMul", names[i], "x", "y", 2, (const int64_t[]){1, 1},
                    (const float[]){1});
    tare_table *table = make_table();
    const tare_table_write_options options = {.model = &model};
    tare_error err = {0};
    const int format = tare_table_format_of("x.table");
    assert_int_equal(tare_table_write(table, format, &options, table_path, &err),
                     TARE_E_UNSUPPORTED);
    assert_non_null(strstr(err.message, "ncnn's table needs names"));
    tare_table_free(&table);
    tarei_graph_free(model.graph);
  }
}

int table_ncnn_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_every_byte),
      cmocka_unit_test(writes_thresholds_that_changed),
      cmocka_unit_test(says_that_weights_are_lost),
      cmocka_unit_test(refuses_malformed_tables),
      cmocka_unit_test(survives_every_damage),
      cmocka_unit_test(reads_long_lines),
      cmocka_unit_test(writes_what_ncnn2table_would),
      cmocka_unit_test(finds_the_tensors_of_layers),
      cmocka_unit_test(scales_of_layers_annotate_nothing),
      cmocka_unit_test(refuses_names_that_ncnn_cannot_read),
  };
  return cmocka_run_group_tests(tests, table_make_path, table_remove_path);
}
