#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glob.h>

#include <cmocka.h>

#include "graph/pass.h"

#define FIXTURES TARE_SOURCE_DIR "/tests/fixtures/onnx/"

static tare_status load_refused(const char *const file, tarei_graph **const out,
                                tare_error *const err) {
  char path[1024];
  snprintf(path, sizeof path, FIXTURES "%s.onnx", file);
  *out = NULL;
  return tarei_onnx_load(path, NULL, out, NULL, err);
}

static const struct bad {
  const char *file;
  tare_status status;
  const char *sentence; /* after the file's name */
} bad_files[] = {
    {"bad_attribute_reserved", TARE_E_MODEL,
     "node 'r' (Relu): attribute 'dynamic' is reserved for internal use (the operator has none of "
     "this name: remove it)"},
    {"bad_attribute_twice", TARE_E_MODEL, "node 'r' (Relu): duplicate attribute 'k'"},
    {"bad_attribute_type", TARE_E_MODEL,
     "node 'r' (Relu): attribute 'k': attribute type 0 is not supported"},
    {"bad_bool_value", TARE_E_MODEL, "initializer 'w': element 1 is 2: expected 0 or 1 for bool"},
    {"bad_constant_of_shape_bomb", TARE_E_LIMIT,
     "node 'bomb' (ConstantOfShape): tensor 'y' takes 4.5 PB, more than the "},
    {"bad_constant_string", TARE_E_UNSUPPORTED,
     "node 'text' (Constant): the value form 'value_string' is not supported"},
    {"bad_constant_two_values", TARE_E_MODEL,
     "node 'two' (Constant): has 2 values and 0 inputs: expected one value, no inputs"},
    {"bad_contrib_kinds", TARE_E_UNSUPPORTED,
     "8 operators are not supported: com.microsoft.MatMulNBits (1 node: 'n0'), "
     "com.microsoft.Tokenizer (1 node: 'n1'), com.microsoft.WhisperBeamSearch (1 node: 'n2'), "
     "com.microsoft.EPContext (1 node: 'n3'), com.microsoft.BiasDropout (1 node: 'n4'), "
     "com.microsoft.GatherBlockQuantized (1 node: 'n5'), com.microsoft.SparseAttention (1 node: "
     "'n6'), "
     "com.microsoft.PagedAttention (1 node: 'n7'); MatMulNBits, GatherBlockQuantized: weights of a "
     "few bits in blocks are not read, take the float32 or float16 form of the model, which "
     "publishers keep beside it, and quantize that; WhisperBeamSearch: the search for an output "
     "does "
     "not run inside of a model, export encoder and decoder as models of their own, whose past "
     "keys "
     "and values are inputs and outputs (tare calibrate --generate feeds tokens back), and search "
     "outside of them; Tokenizer: texts are no tensors, save the model behind these nodes and give "
     "tare the tokenizer as tokenizer.json or SentencePiece model; BiasDropout: this is of "
     "training, "
     "export the model for inference; EPContext: this is compiled or laid out for one device, take "
     "the model that it was made from; PagedAttention: this packs the sequences of several users, "
     "export the model with one sequence in each row of a batch; SparseAttention: this has its "
     "mask "
     "as a list of blocks or a window of its own, export the model with the attention of its "
     "framework (eager), whose mask is a tensor"},
    {"bad_control_characters", TARE_E_MODEL,
     "node 'r??[2J' (Relu) reads tensor 'gho?st', which no node or input provides"},
    {"bad_cycle", TARE_E_MODEL, "node 'second' (Relu) and tensor 'a' are part of a cycle"},
    {"bad_duplicate_initializer", TARE_E_MODEL, "initializer 'w' redefines tensor 'w'"},
    {"bad_duplicate_input", TARE_E_MODEL, "the list of inputs redefines tensor 'x'"},
    {"bad_duplicate_output", TARE_E_MODEL, "node 'two' (Relu) redefines tensor 'y'"},
    {"bad_empty", TARE_E_INPUT, "not an ONNX model: the file is empty"},
    {"bad_external_absolute", TARE_E_INPUT,
     "initializer 'w': external data '/etc/passwd': the path leaves the model's folder"},
    {"bad_external_escaping", TARE_E_INPUT,
     "initializer 'w': external data 'sub/../../onnx/weights.bin': the path leaves the model's "
     "folder"},
    {"bad_external_length", TARE_E_MODEL,
     "initializer 'w': needs 16 bytes, but its external data has length 12"},
    {"bad_external_missing", TARE_E_INPUT,
     "initializer 'w': external data 'not_there.bin': cannot open "},
    {"bad_external_no_location", TARE_E_MODEL, "initializer 'w': external data without a location"},
    {"bad_external_number", TARE_E_MODEL,
     "initializer 'w': external data: expected a byte count as offset, got '-4'"},
    {"bad_external_out_of_range", TARE_E_INPUT,
     "initializer 'w': needs 16 bytes at offset 48 of 'weights.bin', which has 61 bytes"},
    {"bad_foreign_domains", TARE_E_UNSUPPORTED,
     "2 operators are not supported: ai.onnx.ml.Scaler (1 node: 'scaler'), com.microsoft.Tokenizer "
     "(1 node: 'tokenizer'); ai.onnx.ml prepares features and holds classical models: save the "
     "network without these steps; Tokenizer: texts are no tensors, save the model behind these "
     "nodes "
     "and give tare the tokenizer as tokenizer.json or SentencePiece model"},
    {"bad_garbage", TARE_E_INPUT, "not an ONNX model, or truncated: malformed at byte 0"},
    {"bad_input_count", TARE_E_LIMIT, "the graph has 1025 inputs, the limit is 1024"},
    {"bad_input_negative_dim", TARE_E_MODEL, "input 'x' has negative size -7 at axis 0"},
    {"bad_input_no_name", TARE_E_MODEL, "the list of inputs has no name"},
    {"bad_input_no_rank", TARE_E_UNSUPPORTED, "input 'x' has no rank"},
    {"bad_input_no_type", TARE_E_UNSUPPORTED, "input 'x' is not a tensor"},
    {"bad_input_rank_9", TARE_E_UNSUPPORTED, "input 'x' has rank 9, the limit is 8"},
    {"bad_input_sequence", TARE_E_UNSUPPORTED, "input 'x' is not a tensor"},
    {"bad_input_string", TARE_E_UNSUPPORTED, "input 'x': element type STRING is not supported"},
    {"bad_input_too_large", TARE_E_LIMIT, "tensor 'x' takes more than the "},
    {"bad_internal_operator", TARE_E_UNSUPPORTED,
     "1 operator is not supported: tare.Linear (1 node: 'l')"},
    {"bad_ir_2", TARE_E_UNSUPPORTED, "IR version 2 is not supported: expected 3 to 13"},
    {"bad_ir_99", TARE_E_UNSUPPORTED, "IR version 99 is not supported: expected 3 to 13"},
    {"bad_many_unknown", TARE_E_UNSUPPORTED,
     "24 or more operators are not supported: Mystery (9 nodes: 'Mystery_0', 'Mystery_1', "
     "'Mystery_2', 'Mystery_3' ... and 5 more), Op00 (1 node: 'Op00_9')"},
    {"bad_missing_tensor", TARE_E_MODEL,
     "node 'adder' (Add) reads tensor 'ghost', which no node or input provides"},
    {"bad_if_one_branch", TARE_E_MODEL, "node 'choose' (If): attribute 'else_branch' has no graph"},
    {"bad_if_outputs", TARE_E_MODEL,
     "node 'choose' (If): then_branch has 1 outputs, the node has 2"},
    {"bad_if_ranks", TARE_E_UNSUPPORTED,
     "node 'choose' (If): output 0 has rank 2 in one branch, 1 in the other, and the condition "
     "depends on data"},
    {"bad_if_unknown_operator", TARE_E_UNSUPPORTED,
     "node 'choose' (If): choose/then_branch: 1 operator is not supported: com.foo.Mystery (1 node: "
     "'who'); choose/else_branch: 1 operator is not supported: com.foo.Mystery (1 node: 'who')"},
    {"bad_loop_inputs", TARE_E_MODEL, "node 'turns' (Loop): body has 1 inputs, the node has 3"},
    {"bad_narrow_value", TARE_E_MODEL, "initializer 'w': element 1 is 300, out of range for int8"},
    {"bad_negative_dims", TARE_E_MODEL, "initializer 'w': dims [2, -4] contain a negative size"},
    {"bad_no_data", TARE_E_MODEL,
     "initializer 'w': dims [2, 4] of float32 need 8 elements, but float_data has 0"},
    {"bad_no_graph", TARE_E_MODEL, "has no graph"},
    {"bad_no_ir", TARE_E_INPUT, "not an ONNX model: no IR version"},
    {"bad_no_opset", TARE_E_MODEL, "no version of the default operator set"},
    {"bad_no_outputs", TARE_E_MODEL, "the graph has no outputs"},
    {"bad_opset_1", TARE_E_UNSUPPORTED,
     "opset 1 is not supported: before opset 7, 'Add' has another form"},
    {"bad_opset_6", TARE_E_UNSUPPORTED,
     "opset 6 is not supported: before opset 7, 'Dropout' has another form"},
    {"bad_opset_99", TARE_E_UNSUPPORTED, "opset 99 is not supported: expected 1 to 28"},
    {"bad_other_message", TARE_E_INPUT, "not an ONNX model, or truncated"},
    {"bad_output_is_input", TARE_E_MODEL, "node 'r' (Relu) redefines tensor 'x'"},
    {"bad_overflow_bytes", TARE_E_MODEL,
     "initializer 'w': dims [4611686018427387904] have a product that exceeds 64 bits"},
    {"bad_overflow_dims", TARE_E_MODEL,
     "initializer 'w': dims [4611686018427387904, 4, 4] have a product that exceeds 64 bits"},
    {"bad_rank_9", TARE_E_UNSUPPORTED,
     "initializer 'w': dims [1, 1, 1, 1, 1, 1, 1, 1, 1] have rank above 8"},
    {"bad_reference_attribute", TARE_E_MODEL,
     "node 'r' (Relu): attribute 'alpha': refers to attribute 'outer' outside of a function"},
    {"bad_self_loop", TARE_E_MODEL, "node 'self' (Add) and tensor 'y' are part of a cycle"},
    {"bad_short_raw", TARE_E_MODEL,
     "initializer 'w': dims [2, 4] of float32 need 32 bytes, but raw data has 28"},
    {"bad_short_typed", TARE_E_MODEL,
     "initializer 'w': dims [2, 4] of float32 need 8 elements, but float_data has 7"},
    {"bad_sparse_axes", TARE_E_MODEL,
     "sparse initializer 'w': indices are not int64 [3] or [3, 2], as its values and dims ask for"},
    {"bad_sparse_beyond", TARE_E_MODEL, "sparse initializer 'w': index 2 is outside of its dims"},
    {"bad_sparse_bomb", TARE_E_LIMIT, "sparse initializer 'w': with its zeros, it takes"},
    {"bad_sparse_indices", TARE_E_MODEL,
     "sparse initializer 'w': indices are not int64 [3] or [3, 1], as its values and dims ask for"},
    {"bad_sparse_negative", TARE_E_MODEL, "sparse initializer 'w': index 1 is outside of its dims"},
    {"bad_sparse_no_indices", TARE_E_MODEL, "sparse initializer 'w': has no indices"},
    {"bad_sparse_twice", TARE_E_MODEL, "sparse initializer 'w': index 2 does not ascend"},
    {"bad_sparse_values", TARE_E_MODEL, "sparse initializer 'w': values have rank 2, expected 1"},
    {"bad_string_tensor", TARE_E_UNSUPPORTED,
     "initializer 'w': element type STRING is not supported"},
    {"bad_too_few_inputs", TARE_E_MODEL, "node 'adder' (Add): has 1 inputs, needs 2"},
    {"bad_training_info", TARE_E_UNSUPPORTED, "training info is not supported"},
    {"bad_truncated", TARE_E_INPUT, "not an ONNX model, or truncated: malformed at byte 12"},
    {"bad_two_failures", TARE_E_MODEL, "node 'mm' (MatMul): "},
    {"bad_unknown_operators", TARE_E_UNSUPPORTED,
     "2 operators are not supported: ImageDecoder (1 node: 'image'), com.foo.Bar (3 nodes: "
     "'a', 'b', 'c')"},
    {"bad_unknown_output", TARE_E_MODEL, "no node produces output 'z'"},
};

static void malformed_files_are_refused_by_name(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
    const struct bad *const bad = &bad_files[i];
    char expected[2048];
    snprintf(expected, sizeof expected, FIXTURES "%s.onnx: %s", bad->file, bad->sentence);
    tarei_graph *graph = NULL;
    tare_error err = {0};
    const tare_status status = load_refused(bad->file, &graph, &err);
    assert_null(graph);
    if (status != bad->status || strncmp(err.message, expected, strlen(expected)) != 0) {
      fail_msg("%s gave %s '%s'", bad->file, tare_status_name(status), err.message);
    }
    assert_int_equal(load_refused(bad->file, &graph, NULL), bad->status);
  }
}

static void every_malformed_file_is_in_the_list(void **state) {
  (void)state;
  glob_t files;
  assert_int_equal(glob(FIXTURES "bad_*.onnx", 0, NULL, &files), 0);
  assert_int_equal(files.gl_pathc, sizeof bad_files / sizeof *bad_files);
  globfree(&files);
}

static void all_failing_nodes_are_told_at_once(void **state) {
  (void)state;
  tarei_graph *graph;
  tare_error err = {0};
  assert_int_equal(load_refused("bad_two_failures", &graph, &err), TARE_E_MODEL);
  assert_non_null(strstr(err.message, "node 'cat' (Concat): "));
  assert_null(strstr(err.message, "'after'")); /* it only suffers from 'mm' */
}

/* Graph in attribute in node in graph ... as lengths demand it, written from the inside. */
static void deep_nesting_is_refused(void **state) {
  (void)state;
  enum { LEVELS = 60001, MAX = 1 << 20 };
  uint8_t *const bytes = malloc(MAX);
  assert_non_null(bytes);
  size_t at = MAX; /* the message grows toward lower addresses */
  static const uint8_t tags[] = {0x32 /* Attribute.g */, 0x2a /* Node.attribute */,
                                 0x0a /* Graph.node */};
  for (int i = 0; i < LEVELS; i++) {
    const size_t length = MAX - at;
    bytes[--at] = (uint8_t)(length >> 14 & 0x7f);
    bytes[--at] = (uint8_t)(length >> 7 & 0x7f) | 0x80;
    bytes[--at] = (uint8_t)(length & 0x7f) | 0x80;
    bytes[--at] = tags[i % 3];
  }
  bytes[at] = 0x3a; /* Model.graph */
  tarei_source source;
  tarei_graph *graph = NULL;
  tare_error err = {0};
  assert_int_equal(tarei_source_memory("deep", bytes + at, MAX - at, &source, NULL), TARE_OK);
  assert_int_equal(tarei_onnx_load_source(&source, NULL, NULL, &graph, NULL, &err), TARE_E_LIMIT);
  assert_non_null(strstr(err.message, "more than the 30 levels that max-nesting allows"));
  tarei_source_close(&source);
  free(bytes);
}

/* A graph of n empty nodes, two bytes each. */
static void too_many_nodes_are_refused(void **state) {
  (void)state;
  enum { NODES = 65537, GRAPH = 2 * NODES };
  static const uint8_t head[] = {0x08,
                                 8 /* IR */,
                                 0x42,
                                 2,
                                 0x10,
                                 17 /* opset */,
                                 0x3a /* graph */,
                                 (GRAPH & 0x7f) | 0x80,
                                 (GRAPH >> 7 & 0x7f) | 0x80,
                                 GRAPH >> 14};
  uint8_t *const bytes = calloc(1, sizeof head + GRAPH);
  assert_non_null(bytes);
  memcpy(bytes, head, sizeof head);
  for (size_t i = 0; i < NODES; i++) {
    bytes[sizeof head + 2 * i] = 0x0a;
  }
  tarei_source source;
  tarei_graph *graph = NULL;
  tare_error err = {0};
  assert_int_equal(tarei_source_memory("wide", bytes, sizeof head + GRAPH, &source, NULL), 0);
  assert_int_equal(tarei_onnx_load_source(&source, NULL, NULL, &graph, NULL, &err), TARE_E_LIMIT);
  assert_string_equal(
      err.message,
      "wide: the graph has 65537 nodes, more than the 65536 nodes that max-nodes allows");
  tarei_source_close(&source);
  free(bytes);
}

static void files_beyond_2_gib_are_refused_unread(void **state) {
  (void)state;
  const tarei_source source = {.data = NULL, .size = (size_t)1 << 31, .name = (char *)"big.onnx"};
  tarei_graph *graph = NULL;
  tare_error err = {0};
  assert_int_equal(tarei_onnx_load_source((tarei_source *)&source, NULL, NULL, &graph, NULL, &err),
                   TARE_E_LIMIT);
  assert_non_null(strstr(err.message, "external data"));
}

static uint64_t next_random(uint64_t *const seed) { /* splitmix64 */
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Any status will do, as long as it comes with a sentence and without a crash. */
static bool survives(const uint8_t *const bytes, const size_t size) {
  tarei_source source;
  tarei_graph *graph = NULL;
  tare_error err = {0};
  assert_int_equal(tarei_source_memory("mutant", bytes, size, &source, NULL), TARE_OK);
  const tare_status status = tarei_onnx_load_source(&source, NULL, NULL, &graph, NULL, &err);
  if (status == TARE_OK) {
    tarei_graph_check(graph);
    tarei_graph_free(graph);
  } else {
    assert_int_equal(err.status, status);
    assert_int_equal(strncmp(err.message, "mutant: ", 8), 0);
  }
  tarei_source_close(&source);
  return status == TARE_OK;
}

static void mutate(const char *const file, const int rounds, uint64_t seed) {
  char path[1024];
  snprintf(path, sizeof path, FIXTURES "%s.onnx", file);
  printf("%s: %d mutations, seed %llu\n", file, rounds, (unsigned long long)seed);
  tarei_source source;
  assert_int_equal(tarei_source_open(path, &source, NULL), TARE_OK);
  const size_t size = source.size;
  uint8_t *const bytes = malloc(size);
  assert_non_null(bytes);
  int loaded = 0;
  for (int i = 0; i < rounds; i++) {
    memcpy(bytes, source.data, size);
    const int changes = 1 + (int)(next_random(&seed) % 4);
    for (int k = 0; k < changes; k++) {
      const uint64_t r = next_random(&seed);
      uint8_t *const byte = &bytes[(r >> 16) % size];
      *byte = r & 0x100 ? (uint8_t)r : (uint8_t)(*byte ^ 1u << (r & 7));
    }
    loaded += survives(bytes, size);
  }
  memcpy(bytes, source.data, size);
  for (size_t n = 1; n < size; n++) {
    uint8_t *const cut = malloc(n); /* its own block, so that reading past the end shows */
    assert_non_null(cut);
    memcpy(cut, source.data, n);
    (void)survives(cut, n);
    free(cut);
  }
  printf("%s: %d of %d mutants loaded\n", file, loaded, rounds);
  free(bytes);
  tarei_source_close(&source);
}

static void mutants_never_crash(void **state) {
  (void)state;
  mutate("good_small", 4000, 1);
  mutate("good_dims", 1500, 2);
  mutate("good_constants", 1500, 3);
  mutate("good_types", 1500, 4);
  mutate("good_output_twice", 500, 6);
  mutate("bad_external_missing", 500, 5);
}

int onnx_refused_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(malformed_files_are_refused_by_name),
      cmocka_unit_test(every_malformed_file_is_in_the_list),
      cmocka_unit_test(all_failing_nodes_are_told_at_once),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(too_many_nodes_are_refused),
      cmocka_unit_test(files_beyond_2_gib_are_refused_unread),
      cmocka_unit_test(mutants_never_crash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
