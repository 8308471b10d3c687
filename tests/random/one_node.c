#include "random/one_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/plan.h>
#include <unistd.h>

#include "conformance/proto.h"

/* A carried value that doubles with each turn of a Loop is not made. */
enum { LARGEST_TENSOR = 16000000 };

static bool is_number(const tare_dtype dtype) {
  return dtype == TARE_I64 || dtype == TARE_I32;
}

static bool is_repeated(const Onnx__NodeProto *const node, const size_t i) {
  bool repeated = false;
  for (size_t k = 0; k < i; k++) {
    repeated |= strcmp(node->input[k], node->input[i]) == 0;
  }
  return repeated;
}

static Onnx__ModelProto *make_model(const Onnx__NodeProto *const node, const int opset,
                                    const tare_tensor *const *const in,
                                    const bool *const constant) {
  Onnx__GraphProto *const graph = graph_message("one");
  for (size_t i = 0; i < node->n_input; i++) {
    if (!in[i] || is_repeated(node, i)) {
      continue;
    }
    if (constant[i] || is_number(in[i]->dtype)) {
      graph_add_constant(graph, node->input[i], in[i]);
    } else {
      graph_add_input(graph, node->input[i], in[i]->dtype, in[i]->rank, in[i]->dims, NULL);
    }
  }
  for (size_t o = 0; o < node->n_output; o++) {
    if (*node->output[o]) {
      graph_add_output(graph, node->output[o], TARE_F32);
      onnx__type_proto__free_unpacked(graph->output[graph->n_output - 1]->type, NULL);
      graph->output[graph->n_output - 1]->type = NULL;
    }
  }
  graph_add_node(graph, (Onnx__NodeProto *)node); /* lent: taken out again below */
  return model_message(graph, opset);
}

typedef struct engine {
  tare_model *model;
  tare_profiles *profiles;
  tare_plan *plan;
  tare_context *context;
} engine;

static tare_status open_engine(engine *const e, const char *const path, tare_error *const err) {
  tare_limits limits;
  tare_load_options load;
  tare_context_options options;
  tare_limits_init(&limits);
  limits.tensor = LARGEST_TENSOR;
  tare_load_options_init(&load);
  load.limits = &limits;
  tare_context_options_init(&options);
  options.threads = 1;
  tare_status status = tare_model_load_with(path, &load, &e->model, err);
  if (status == TARE_OK) {
    const tare_port *ports;
    const int n = tare_model_inputs(e->model, &ports);
    status = tare_profiles_new(ports, n, &e->profiles, err);
  }
  if (status == TARE_OK) {
    status = tare_profiles_add(e->profiles, "", err);
  }
  if (status == TARE_OK) {
    status = tare_plan_build(e->model, e->profiles, NULL, &e->plan, err);
  }
  return status == TARE_OK ? tare_context_new(e->plan, &options, &e->context, err) : status;
}

static void close_engine(engine *const e) {
  tare_context_free(&e->context);
  tare_plan_free(&e->plan);
  tare_profiles_free(&e->profiles);
  tare_model_free(&e->model);
}

static tare_status run(const engine *const e, const Onnx__NodeProto *const node,
                       const tare_tensor *const *const in, tare_tensor *const out,
                       tare_error *const err) {
  const tare_port *ports;
  const int n = tare_plan_inputs(e->plan, &ports);
  tare_tensor given[MAX_OPERANDS], made[MAX_OPERANDS];
  for (int p = 0; p < n; p++) {
    for (size_t i = 0; i < node->n_input; i++) {
      if (strcmp(node->input[i], ports[p].name) == 0) {
        given[p] = *in[i];
      }
    }
  }
  const tare_status status = tare_context_run(e->context, given, made, err);
  for (size_t o = 0, k = 0; status == TARE_OK && o < node->n_output; o++) {
    if (*node->output[o]) {
      out[o] = tensor_copy(&made[k++]);
    }
  }
  return status;
}

bool one_node_run(const Onnx__NodeProto *const node, const int opset,
                  const tare_tensor *const *const in, const bool *const constant,
                  tare_tensor *const out, char *const why) {
  char path[64];
  memset(out, 0, node->n_output * sizeof *out);
  Onnx__ModelProto *const model = make_model(node, opset, in, constant);
  const int file = model_to_memory(model, path, sizeof path);
  model->graph->n_node = 0;
  onnx__model_proto__free_unpacked(model, NULL);
  engine e = {0};
  tare_error err = {0};
  tare_status status = file < 0 ? TARE_E_IO : open_engine(&e, path, &err);
  if (status == TARE_OK) {
    status = run(&e, node, in, out, &err);
  }
  if (status != TARE_OK) {
    snprintf(why, WHY_BYTES, "%.40s alone: %.300s", node->op_type, err.message);
  }
  close_engine(&e);
  close(file);
  return status == TARE_OK;
}
