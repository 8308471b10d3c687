/* Models of early opsets, raised: the same outputs from the form that nodes have later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/plan.h>
#include <unistd.h>

#include "graph/pass.h"
#include "graph/qdq/raise.h"
#include "random/messages.h"

/* One node "op" with x [2, 3, 4] as its input, in an early opset. */
typedef struct early {
  const char *op;
  int opset;
  struct {
    const char *name;
    int n; /* 0: one integer; -1: a float; -2: a text; -3: three floats */
    int64_t ints[6];
    float real;
    const char *text;
  } attributes[3];
  int n_outputs;
  bool refused;    /* it has no later form */
  float scales[3]; /* a second input, a constant, unless they are zeros */
} early;

static const early cases[] = {
    {"Slice", 9, {{"starts", 2, {0, 1}}, {"ends", 2, {2, 3}}, {"axes", 2, {1, 2}}}, 1, false},
    {"Slice", 7, {{"starts", 1, {1}}, {"ends", 1, {9}}}, 1, false},
    {"TopK", 9, {{"k", 0, {2}}, {"axis", 0, {1}}}, 2, false},
    {"Clip", 10, {{"min", -1, {0}, -0.5f}, {"max", -1, {0}, 0.25f}}, 1, false},
    {"Clip", 10, {{"max", -1, {0}, 0.25f}}, 1, false},
    {"Clip", 6, {{NULL}}, 1, false},
    {"Pad", 10, {{"pads", 6, {0, 1, 0, 0, 0, 2}}, {"value", -1, {0}, 3}}, 1, false},
    {"Dropout", 11, {{"ratio", -1, {0}, 0.25f}}, 1, false},
    {"ReduceSum", 12, {{"axes", 2, {0, 2}}, {"keepdims", 0, {0}}}, 1, false},
    {"ReduceSum", 12, {{NULL}}, 1, false},
    {"Split", 12, {{"split", 2, {1, 2}}, {"axis", 0, {1}}}, 2, false},
    {"Split", 12, {{"axis", 0, {2}}}, 2, false},
    {"Split", 17, {{"axis", 0, {2}}}, 2, false},
    {"ReduceMean", 17, {{"axes", 1, {1}}}, 1, false},
    {"ReduceMax", 11, {{"axes", 1, {-1}}, {"keepdims", 0, {0}}}, 1, false},
    {"ReduceSumSquare", 17, {{NULL}}, 1, false},
    {"Unsqueeze", 12, {{"axes", 2, {0, 4}}}, 1, false},
    {"Squeeze", 12, {{NULL}}, 1, false},
    {"Softmax", 12, {{"axis", 0, {2}}}, 1, false},
    {"LogSoftmax", 12, {{"axis", 0, {-1}}}, 1, false},
    {"Softmax", 12, {{"axis", 0, {1}}}, 1, true}, /* over two axes */
    {"Hardmax", 12, {{NULL}}, 1, true},
    {"Upsample", 7, {{"scales", -3}}, 1, false},
    {"Upsample", 8, {{"scales", -3}, {"mode", -2, {0}, 0, "linear"}}, 1, false},
    {"Upsample", 9, {{"mode", -2, {0}, 0, "nearest"}}, 1, false, {1, 1, 2.5f}},
    {"Upsample", 9, {{"mode", -2, {0}, 0, "linear"}}, 1, false, {1, 1, 1.75f}},
    {"Resize", 10, {{NULL}}, 1, false, {1, 1, 2}},
    {"Resize", 10, {{NULL}}, 1, false, {1, 0.7f, 0.6f}},
    {"Resize", 10, {{NULL}}, 1, true, {1, 0.7f, 2}},
    {"Resize", 10, {{"mode", -2, {0}, 0, "linear"}}, 1, false, {1, 0.7f, 2}},
};

enum { N_CASES = sizeof cases / sizeof *cases, ELEMENTS = 24 };

static void write_case(const early *const c, const char *const path) {
  Onnx__GraphProto *const graph = graph_message("early");
  Onnx__NodeProto *const node = node_message(c->op);
  node_add_input(node, "x");
  for (int o = 0; o < c->n_outputs; o++) {
    char name[16];
    snprintf(name, sizeof name, "y%d", o);
    node_add_output(node, name);
  }
  if (c->scales[0] != 0) {
    node_add_input(node, "scales");
    tare_tensor scales = tensor_new(TARE_F32, 1, (int64_t[]){3});
    memcpy(scales.data, c->scales, sizeof c->scales);
    graph_add_constant(graph, "scales", &scales);
    free(scales.data);
  }
  for (int a = 0; a < 3 && c->attributes[a].name; a++) {
    if (c->attributes[a].n == -3) {
      node_set_floats(node, c->attributes[a].name, (const float[]){1, 1, 2.5f}, 3);
    } else if (c->attributes[a].n == -2) {
      node_set_text(node, c->attributes[a].name, c->attributes[a].text);
    } else if (c->attributes[a].n < 0) {
      node_set_float(node, c->attributes[a].name, c->attributes[a].real);
    } else if (c->attributes[a].n == 0) {
      node_set_int(node, c->attributes[a].name, c->attributes[a].ints[0]);
    } else {
      node_set_ints(node, c->attributes[a].name, c->attributes[a].ints, c->attributes[a].n);
    }
  }
  graph_add_node(graph, node);
  graph_add_input(graph, "x", TARE_F32, 3, (int64_t[]){2, 3, 4}, NULL);
  for (int o = 0; o < c->n_outputs; o++) {
    graph_add_output(graph, node->output[o],
                     o == 1 && strcmp(c->op, "TopK") == 0 ? TARE_I64 : TARE_F32);
  }
  Onnx__ModelProto *const model = model_message(graph, c->opset);
  const size_t n = onnx__model_proto__get_packed_size(model);
  uint8_t *const bytes = malloc(n);
  FILE *const file = fopen(path, "wb");
  assert_true(bytes && file && onnx__model_proto__pack(model, bytes) == n &&
              fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
  free(bytes);
  onnx__model_proto__free_unpacked(model, NULL);
}

/* Raises the file in its place. */
static tare_status raise_file(const char *const path, tare_error *const err) {
  tarei_onnx_file file;
  tarei_graph *graph = NULL;
  bool external = false;
  tare_status status = tarei_onnx_file_open(path, NULL, &file, err);
  if (status == TARE_OK) {
    status = tarei_onnx_load(path, NULL, &graph, NULL, err);
  }
  if (status == TARE_OK) {
    status = tarei_onnx_raise(&file, graph, TAREI_RAISE_MOST, err);
  }
  if (status == TARE_OK) {
    assert_int_equal(tarei_onnx_file_opset(&file, ""), TAREI_RAISE_MOST);
    status = tarei_onnx_file_save(&file, path, 0, &external, err);
  }
  tarei_graph_free(graph);
  tarei_onnx_file_close(&file);
  return status;
}

/* Appends the dims and bytes of all outputs. */
static size_t run_file(const char *const path, uint8_t *const to) {
  static float x[ELEMENTS];
  for (int i = 0; i < ELEMENTS; i++) {
    x[i] = (float)((i * 7 + 3) % 11 - 5) / 4;
  }
  const tare_tensor input = {.dtype = TARE_F32, .rank = 3, .dims = {2, 3, 4}, .data = x};
  tare_tensor out[2];
  tare_error err = {0};
  tare_model *model = NULL;
  tare_profiles *profiles = NULL;
  tare_plan *plan = NULL;
  tare_context *context = NULL;
  const tare_port *ports = NULL;
  size_t n = 0;
  if (tare_model_load(path, &model, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  const int n_in = tare_model_inputs(model, &ports);
  assert_int_equal(tare_profiles_new(ports, n_in, &profiles, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "", &err), TARE_OK);
  if (tare_plan_build(model, profiles, NULL, &plan, &err) != TARE_OK ||
      tare_context_new(plan, NULL, &context, &err) != TARE_OK ||
      tare_context_run(context, &input, out, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  for (int o = 0; o < tare_plan_outputs(plan, &ports); o++) {
    const size_t bytes = (size_t)tare_tensor_count(&out[o]) * tare_dtype_size(out[o].dtype);
    memcpy(to + n, out[o].dims, (size_t)out[o].rank * sizeof *out[o].dims);
    n += (size_t)out[o].rank * sizeof *out[o].dims;
    memcpy(to + n, out[o].data, bytes);
    n += bytes;
  }
  tare_context_free(&context);
  tare_plan_free(&plan);
  tare_profiles_free(&profiles);
  tare_model_free(&model);
  return n;
}

static void raised_nodes_compute_the_same(void **const state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    char path[] = "tare-raise-XXXXXX";
    static uint8_t before[4096], after[4096];
    tare_error err = {0};
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    write_case(&cases[i], path);
    const size_t n = run_file(path, before);
    const tare_status status = raise_file(path, &err);
    if (cases[i].refused) {
      assert_int_equal(status, TARE_E_UNSUPPORTED);
    } else if (status != TARE_OK) {
      fail_msg("%s %d: %s", cases[i].op, cases[i].opset, err.message);
    } else {
      const size_t m = run_file(path, after);
      if (n != m || memcmp(before, after, n) != 0) {
        fail_msg("%s %d: other outputs", cases[i].op, cases[i].opset);
      }
    }
    unlink(path);
  }
}

int raise_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(raised_nodes_compute_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
