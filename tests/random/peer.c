#include "random/peer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/ort.h"
#include "conformance/compare.h"
#include "conformance/proto.h"

static const tolerance limit = {.relative = 1e-4, .absolute = 1e-4};

const char *peer_library;

static tare_status run(ort_session *const session, const random_case *const c, const int set,
                       tare_error *const err) {
  tare_port ports[MAX_CASE_PORTS];
  for (int i = 0; i < c->n_in; i++) {
    ports[i] = (tare_port){.name = c->in_names[i]};
  }
  const tare_status status = ort_session_feed(session, ports, c->in[set], c->n_in, err);
  return status == TARE_OK ? ort_session_run(session, err) : status;
}

static verdict compare(const ort_session *const session, const random_case *const c, const int set,
                       char *const why) {
  for (int o = 0; o < c->n_out; o++) {
    tare_error err = {0};
    tare_tensor got;
    char what[200];
    const int at = ort_session_find_output(session, c->out_names[o]);
    if (at < 0 || ort_session_output(session, at, &got, &err) != TARE_OK) {
      snprintf(why, WHY_BYTES, "ONNX Runtime: output '%s': %.300s", c->out_names[o], err.message);
      return VERDICT_FAILED;
    }
    if (!tensors_equal(&got, &c->out[set][o], limit, what, sizeof what)) {
      snprintf(why, WHY_BYTES, "ONNX Runtime, set %d: output '%s' %s", set, c->out_names[o], what);
      return VERDICT_FAILED;
    }
  }
  return VERDICT_PASSED;
}

static verdict check_session(ort_session *const session, const random_case *const c,
                             char *const why) {
  verdict v = VERDICT_PASSED;
  for (int s = 0; s < c->n_sets && v == VERDICT_PASSED; s++) {
    tare_error err = {0};
    if (run(session, c, s, &err) != TARE_OK) {
      snprintf(why, WHY_BYTES, "ONNX Runtime: %.300s", err.message);
      return VERDICT_UNPAIRED;
    }
    v = compare(session, c, s, why);
  }
  return v;
}

/* The peer refuses names that stand twice. */
static void forget_names(const Onnx__GraphProto *const graph) {
  for (size_t n = 0; n < graph->n_node; n++) {
    Onnx__NodeProto *const node = graph->node[n];
    if (node->name && *node->name) {
      *node->name = 0;
    }
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        forget_names(node->attribute[a]->g);
      }
    }
  }
}

static bool has_input(const Onnx__GraphProto *const graph, const char *const name) {
  bool has = false;
  for (size_t i = 0; i < graph->n_input; i++) {
    has |= strcmp(graph->input[i]->name, name) == 0;
  }
  return has;
}

/* A graph inside gives its inputs back as they are: the peer writes the next turn's over them. */
static bool gives_inputs_back(const Onnx__GraphProto *const graph) {
  bool back = false;
  for (size_t o = 0; o < graph->n_output; o++) {
    back |= has_input(graph, graph->output[o]->name);
  }
  return back;
}

static int64_t entry(const Onnx__NodeProto *const node, const char *const name, const size_t i) {
  const Onnx__AttributeProto *const a = node_attribute(node, name);
  return a && i < a->n_ints ? a->ints[i] : 1;
}

/* SAME pads a ConvTranspose to its input's length times the stride. Where the kernel spans less
 * than a stride, so that padding is below 0, the peer takes 0 and gives fewer elements. */
static bool pads_below_zero(const Onnx__NodeProto *const node) {
  const Onnx__AttributeProto *const pad = node_attribute(node, "auto_pad"), *const kernel =
                                                                                node_attribute(
                                                                                    node,
                                                                                    "kernel_shape");
  bool below = false;
  for (size_t i = 0; kernel && i < kernel->n_ints; i++) {
    const int64_t span = (kernel->ints[i] - 1) * entry(node, "dilations", i) + 1;
    below |= span < entry(node, "strides", i);
  }
  return below && pad && pad->s.len > 4 && memcmp(pad->s.data, "SAME", 4) == 0 &&
         strcmp(node->op_type, "ConvTranspose") == 0;
}

/* Whether the graph has a form in which the peer does not do what ONNX says. */
static bool departs(const Onnx__GraphProto *const graph) {
  bool found = gives_inputs_back(graph);
  for (size_t n = 0; n < graph->n_node && !found; n++) {
    const Onnx__NodeProto *const node = graph->node[n];
    found = pads_below_zero(node);
    for (size_t a = 0; a < node->n_attribute; a++) {
      found |= node->attribute[a]->g && departs(node->attribute[a]->g);
    }
  }
  return found;
}

verdict peer_check(const random_case *const c, char *const why) {
  static ort *library; /* of this process, until its end */
  static pid_t owner;
  char path[64];
  tare_error err = {0};
  if (owner != getpid()) {
    owner = getpid();
    library = NULL;
    if (ort_open(peer_library, &library, &err) != TARE_OK) {
      fprintf(stderr, "random_graphs: %s\n", err.message);
      _exit(2);
    }
  }
  if (departs(c->model->graph)) {
    snprintf(why, WHY_BYTES, "ONNX Runtime departs from ONNX here");
    return VERDICT_UNPAIRED;
  }
  ort_session *session = NULL;
  Onnx__ModelProto *const model = model_clone(c->model);
  forget_names(model->graph);
  const int file = model_to_memory(model, path, sizeof path);
  onnx__model_proto__free_unpacked(model, NULL);
  verdict v = VERDICT_UNPAIRED;
  if (ort_session_new(library, path, 1 /* thread */, &session, &err) == TARE_OK) {
    v = check_session(session, c, why);
  } else {
    snprintf(why, WHY_BYTES, "ONNX Runtime: %.300s", err.message);
  }
  ort_session_free(&session);
  close(file);
  return v;
}
