/* Models of thousands of nodes, built, exported and imported: work that grows with the square of
 * the nodes, or a recursion as deep as the model, does not end here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/export.h>
#include <tare/import.h>
#include <tare/plan.h>
#include <unistd.h>

#include "random/messages.h"

#ifdef __SANITIZE_ADDRESS__ /* the work is slower there, its growth is the same */
enum { WIDE = 6000 };
#else
enum { WIDE = 30000 };
#endif
enum { LENGTH = 20000, WIDTH = 8, OPSET = 17 };

static char path[64], written[64];

static void add_node(Onnx__GraphProto *const graph, const char *const op, const char *const a,
                     const char *const b, const char *const c, const char *const out) {
  Onnx__NodeProto *const node = node_message(op);
  const char *const in[] = {a, b, c};
  for (int i = 0; i < 3 && in[i]; i++) {
    node_add_input(node, in[i]);
  }
  node_add_output(node, out);
  graph_add_node(graph, node);
}

static void add_ones(Onnx__GraphProto *const graph, const char *const name, const int rank) {
  tare_tensor ones = tensor_new(TARE_F32, rank, (int64_t[]){WIDTH, WIDTH});
  for (int64_t i = 0; i < tare_tensor_count(&ones); i++) {
    ((float *)ones.data)[i] = 1;
  }
  graph_add_constant(graph, name, &ones);
  free(ones.data);
}

static void add_zero_point(Onnx__GraphProto *const graph) {
  tare_tensor zero = tensor_new(TARE_I8, 0, NULL);
  *(int8_t *)zero.data = 0;
  graph_add_constant(graph, "zero", &zero);
  free(zero.data);
}

/* LENGTH nodes "op" one behind the other, from `first` to what is returned. */
static const char *add_chain(Onnx__GraphProto *const graph, const char *const op,
                             const char *const first) {
  static char name[32];
  char before[32];
  snprintf(name, sizeof name, "%s", first);
  for (int i = 0; i < LENGTH; i++) {
    memcpy(before, name, sizeof before);
    snprintf(name, sizeof name, "%s%d", first, i);
    add_node(graph, op, before, NULL, NULL, name);
  }
  return name;
}

static void write_model(Onnx__GraphProto *const graph) {
  graph_add_input(graph, "x", TARE_F32, 2, (int64_t[]){0, WIDTH}, (const char *const[]){"n", NULL});
  graph_add_output(graph, "y", TARE_F32);
  Onnx__ModelProto *const model = model_message(graph, OPSET);
  const size_t n = onnx__model_proto__get_packed_size(model);
  uint8_t *const bytes = need(malloc(n));
  FILE *const file = need(fopen(path, "wb"));
  assert_int_equal(onnx__model_proto__pack(model, bytes), n);
  assert_int_equal(fwrite(bytes, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
  free(bytes);
  onnx__model_proto__free_unpacked(model, NULL);
}

static tare_table *table_of(const char *const scaled) {
  char table_path[] = "tare-chain-XXXXXX.cache";
  const int fd = mkstemps(table_path, 6);
  assert_true(fd >= 0);
  dprintf(fd, "TRT-8601-EntropyCalibration2\n%s: 3c010204\n", scaled);
  close(fd);
  tare_table *table = NULL;
  assert_int_equal(tare_table_read(table_path, &table, NULL), TARE_OK);
  unlink(table_path);
  return table;
}

static tare_status make_profiles(const tare_model *const model, tare_profiles **const out,
                                 tare_error *const err) {
  const tare_port *ports = NULL;
  const int n = tare_model_inputs(model, &ports);
  return tare_profiles_new(ports, n, out, err);
}

/* The number of int8 layers of a plan of the model, which is written. NULL: a float plan. */
static int build_with(const char *const scaled, const char *const profile) {
  tare_error err = {0};
  tare_model *model = NULL;
  tare_profiles *profiles = NULL;
  tare_plan *plan = NULL;
  tare_table *table = scaled ? table_of(scaled) : NULL;
  tare_build_options o;
  tare_build_options_init(&o);
  o.int8_when_small = true;
  o.table = table;
  o.any_table = true;
  if (tare_model_load(path, &model, &err) != TARE_OK ||
      make_profiles(model, &profiles, &err) != TARE_OK ||
      tare_profiles_add(profiles, profile, &err) != TARE_OK ||
      tare_plan_build(model, profiles, &o, &plan, &err) != TARE_OK ||
      tare_plan_save(plan, written, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    n += tare_plan_layer(plan, i).got == TARE_PRECISION_INT8;
  }
  tare_plan_free(&plan);
  tare_profiles_free(&profiles);
  tare_model_free(&model);
  tare_table_free(&table);
  return n;
}

/* The number of int8 layers of the export, which is written; its nodes are counted. */
static int export_with(const char *const scaled, size_t *const n_nodes, size_t *const n_constants) {
  tare_error err = {0};
  tare_table *table = table_of(scaled);
  tare_export *out = NULL;
  bool external = false;
  tare_export_options o;
  tare_export_options_init(&o);
  o.table = table;
  if (tare_export_new(path, &o, &out, &err) != TARE_OK ||
      tare_export_save(out, written, 0, &external, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  int n = 0;
  for (int i = 0; i < tare_export_n_layers(out); i++) {
    n += strcmp(tare_export_layer(out, i).form, "int8") == 0;
  }
  tare_export_free(&out);
  tare_table_free(&table);

  static uint8_t bytes[8 << 20];
  FILE *const file = need(fopen(written, "rb"));
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  Onnx__ModelProto *const model = need(onnx__model_proto__unpack(NULL, size, bytes));
  *n_nodes = model->graph->n_node;
  *n_constants = model->graph->n_initializer;
  onnx__model_proto__free_unpacked(model, NULL);
  return n;
}

static void a_layer_behind_a_long_chain_is_exported(void **const state) {
  (void)state;
  size_t nodes, constants;
  Onnx__GraphProto *const graph = graph_message("chain");
  const char *const last = add_chain(graph, "Relu", "x");
  char name[32];
  snprintf(name, sizeof name, "%s", last);
  add_node(graph, "MatMul", name, "w", NULL, "y");
  add_ones(graph, "w", 2);
  write_model(graph);
  assert_int_equal(export_with(name, &nodes, &constants), 1);
  assert_int_equal(nodes, LENGTH + 4); /* MatMul, a pair, DequantizeLinear of the weights */
}

static void a_long_chain_in_front_of_weights_is_dropped(void **const state) {
  (void)state;
  size_t nodes, constants;
  Onnx__GraphProto *const graph = graph_message("weights");
  const char *const last = add_chain(graph, "Identity", "w");
  add_node(graph, "MatMul", "x", last, NULL, "y");
  add_ones(graph, "w", 2);
  write_model(graph);
  assert_int_equal(export_with("x", &nodes, &constants), 1);
  assert_int_equal(nodes, 4);
  assert_int_equal(constants, 5); /* weights, their scales and zero points; scale, zero point */
}

static void many_layers_with_weights_that_are_inputs_too_are_exported(void **const state) {
  (void)state;
  enum { N = 5000 };
  size_t nodes, constants;
  Onnx__GraphProto *const graph = graph_message("wide");
  Onnx__NodeProto *const sum = node_message("Sum");
  for (int i = 0; i < N; i++) {
    char weights[32], out[32];
    snprintf(weights, sizeof weights, "w%d", i);
    snprintf(out, sizeof out, "y%d", i);
    add_ones(graph, weights, 2);
    graph_add_input(graph, weights, TARE_F32, 2, (int64_t[]){WIDTH, WIDTH}, NULL);
    add_node(graph, "MatMul", "x", weights, NULL, out);
    node_add_input(sum, out);
  }
  node_add_output(sum, "y");
  graph_add_node(graph, sum);
  write_model(graph);
  assert_int_equal(export_with("x", &nodes, &constants), N);
  assert_int_equal(nodes, 2 * N + 3);
}

static void a_long_chain_of_pairs_is_imported(void **const state) {
  (void)state;
  enum { N = 6000 };
  Onnx__GraphProto *const graph = graph_message("pairs");
  char in[32] = "x", bytes[32], real[32];
  for (int i = 0; i < N; i++) {
    snprintf(bytes, sizeof bytes, "q%d", i);
    snprintf(real, sizeof real, "d%d", i);
    add_node(graph, "QuantizeLinear", in, "scale", "zero", bytes);
    add_node(graph, "DequantizeLinear", bytes, "scale", "zero", real);
    snprintf(in, sizeof in, "r%d", i);
    add_node(graph, "Neg", real, NULL, NULL, in);
  }
  add_node(graph, "MatMul", in, "w", NULL, "y");
  add_ones(graph, "w", 2);
  add_ones(graph, "scale", 0);
  add_zero_point(graph);
  write_model(graph);
  tare_error err = {0};
  tare_import *out = NULL;
  if (tare_import_new(path, NULL, &out, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  assert_int_equal(tare_import_count(out).activations, N);
  assert_int_equal(tare_table_n_tensors(tare_import_table(out)), N);
  tare_import_free(&out);
}

static void many_readers_of_one_tensor_are_built(void **const state) {
  (void)state;
  Onnx__GraphProto *const graph = graph_message("readers");
  Onnx__NodeProto *const sum = node_message("Sum");
  add_ones(graph, "w", 2);
  for (int i = 0; i < WIDE; i++) {
    char out[32];
    snprintf(out, sizeof out, "y%d", i);
    add_node(graph, "MatMul", "x", "w", NULL, out);
    node_add_input(sum, out);
  }
  node_add_output(sum, "y");
  graph_add_node(graph, sum);
  write_model(graph);
  assert_int_equal(build_with(NULL, "n=1"), 0);
  assert_int_equal(build_with("x", "n=1"), WIDE);
}

static void a_quantize_moves_over_a_long_chain(void **const state) {
  (void)state;
  Onnx__GraphProto *const graph = graph_message("moves");
  char name[32] = "x", before[32];
  for (int i = 0; i < WIDE; i++) {
    memcpy(before, name, sizeof before);
    snprintf(name, sizeof name, "x%d", i);
    Onnx__NodeProto *const pad = node_message("Pad");
    node_add_input(pad, before);
    node_add_input(pad, "pads");
    node_add_output(pad, name);
    graph_add_node(graph, pad);
  }
  add_node(graph, "MatMul", name, "w", NULL, "y");
  add_ones(graph, "w", 2);
  tare_tensor pads = tensor_new(TARE_I64, 1, (int64_t[]){4});
  memcpy(pads.data, (int64_t[]){0, 0, 1, 0}, 4 * sizeof(int64_t));
  graph_add_constant(graph, "pads", &pads);
  free(pads.data);
  write_model(graph);
  assert_int_equal(build_with(name, "n=1"), 1);
}

static int open_files(void **const state) {
  (void)state;
  strcpy(path, "tare-chain-XXXXXX");
  strcpy(written, "tare-chain-XXXXXX");
  const int a = mkstemp(path), b = mkstemp(written);
  return a < 0 || b < 0 || close(a) != 0 || close(b) != 0;
}

static int drop_files(void **const state) {
  (void)state;
  return unlink(path) != 0 || unlink(written) != 0;
}

int qdq_chains_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_layer_behind_a_long_chain_is_exported),
      cmocka_unit_test(a_long_chain_in_front_of_weights_is_dropped),
      cmocka_unit_test(many_layers_with_weights_that_are_inputs_too_are_exported),
      cmocka_unit_test(a_long_chain_of_pairs_is_imported),
      cmocka_unit_test(many_readers_of_one_tensor_are_built),
      cmocka_unit_test(a_quantize_moves_over_a_long_chain),
  };
  return cmocka_run_group_tests(tests, open_files, drop_files);
}
