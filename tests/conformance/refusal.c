#include "conformance/refusal.h"

#include <stdio.h>
#include <string.h>
#include <tare/model.h>
#include <time.h>
#include <unistd.h>

#include "conformance/proto.h"

static const double most_seconds = 1;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tare_status load(const char *const path, tare_error *const err) {
  tare_model *model = NULL;
  const tare_status status = tare_model_load(path, &model, err);
  tare_model_free(&model);
  return status;
}

/* Whether a model of nothing but this node is refused for its operator. */
static bool is_unknown(Onnx__ModelProto *const model, Onnx__NodeProto *node) {
  Onnx__GraphProto alone = ONNX__GRAPH_PROTO__INIT, *const graph = model->graph;
  alone.n_node = 1;
  alone.node = &node;
  model->graph = &alone;
  char path[60];
  const int fd = model_to_memory(model, path, sizeof path);
  model->graph = graph;
  tare_error err = {0};
  const bool refused = fd >= 0 && load(path, &err) == TARE_E_UNSUPPORTED;
  if (fd >= 0) {
    close(fd);
  }
  return refused && strstr(err.message, "not supported: ");
}

/* What is refused may stand in a body then. */
static bool has_body(const Onnx__NodeProto *const node) {
  for (size_t i = 0; i < node->n_attribute; i++) {
    if (node->attribute[i]->g) {
      return true;
    }
  }
  return false;
}

/* Every operator that is refused alone must stand in the message about the model. */
static bool names_all(Onnx__ModelProto *const model, const char *const message, char *const why,
                      const size_t size) {
  for (size_t i = 0; i < model->graph->n_node; i++) {
    Onnx__NodeProto *const node = model->graph->node[i];
    if (!strstr(message, node->op_type) && !has_body(node) && is_unknown(model, node)) {
      snprintf(why, size, "the refusal does not name %s", node->op_type);
      return false;
    }
  }
  return true;
}

static bool is_good(const char *const path, const tare_status status, const char *const message,
                    char *const why, const size_t size) {
  const int code = tare_status_exit_code(status);
  if (code != 3 && code != 4) {
    snprintf(why, size, "exit code %d: %s", code, message);
    return false;
  }
  Onnx__ModelProto *const model = read_model(path);
  const bool good = !model || !model->graph || !strstr(message, "not supported: ") ||
                    names_all(model, message, why, size);
  if (model) {
    onnx__model_proto__free_unpacked(model, NULL);
  }
  return good;
}

outcome try_load(const char *const path, char *const why, const size_t size) {
  tare_error err = {0};
  const double begin = now();
  const tare_status status = load(path, &err);
  const double seconds = now() - begin;
  if (status == TARE_OK) {
    return OUTCOME_PASSED;
  }
  if (!is_good(path, status, err.message, why, size)) {
    return OUTCOME_FAILED;
  }
  if (seconds > most_seconds) {
    snprintf(why, size, "is refused after %.1f s", seconds);
    return OUTCOME_FAILED;
  }
  copy_message(err.message, path, why, size);
  return OUTCOME_REFUSED;
}
