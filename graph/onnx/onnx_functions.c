#include "graph/onnx/onnx_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "graph/onnx/importer.h"
#include "graph/onnx/onnx_call.h"
#include "graph/op.h"

/* What a model's nodes become. */
typedef struct inlining {
  tarei_onnx_calls calls;
  Onnx__ModelProto *model;
  tarei_names functions; /* by "<domain>:<name>"; index: in the model */
  char **keys;           /* of the functions, owned */
  const tare_limits *limits;
  int64_t n_nodes, bytes;    /* that bodies have added */
  Onnx__NodeProto **dropped; /* calls that are replaced; names point to their texts */
  size_t n_dropped, cap_dropped;
  tare_error *err;
} inlining;

typedef struct node_list {
  Onnx__NodeProto **nodes;
  size_t n, cap;
} node_list;

static tare_status functions_no_memory(const inlining *const e) {
  return tarei_fail_memory(e->err, "functions", sizeof(Onnx__NodeProto));
}

static const char *domain_of(const char *const domain) {
  return tarei_op_domain(tarei_onnx_text(domain));
}

/* To be freed; NULL: out of memory. */
static char *key_of(const char *const domain, const char *const name) {
  tarei_str text = {0};
  tarei_str_add(&text, "%s:%s", domain_of(domain), tarei_onnx_text(name));
  if (text.failed) {
    tarei_str_free(&text);
  }
  return text.text;
}

static tare_status note_functions(inlining *const e) {
  const size_t n = e->model->n_functions;
  e->keys = tarei_calloc(n, sizeof *e->keys);
  if (!e->keys || !tarei_names_init(&e->functions, n)) {
    return functions_no_memory(e);
  }
  for (size_t i = 0; i < n; i++) {
    const Onnx__FunctionProto *const f = e->model->functions[i];
    e->keys[i] = key_of(f->domain, f->name);
    if (!e->keys[i]) {
      return functions_no_memory(e);
    }
    if (tarei_names_find(&e->functions, e->keys[i]) >= 0) {
      return tarei_fail(e->err, TARE_E_UNSUPPORTED,
                        "function '%s' is defined more than once: overloads are not supported",
                        tarei_onnx_text(f->name));
    }
    tarei_names_add(&e->functions, e->keys[i], (int)i);
  }
  return TARE_OK;
}

/* *out NULL: the node calls none. False: out of memory. */
static bool find_called(const inlining *const e, const Onnx__NodeProto *const node,
                        const Onnx__FunctionProto **const out) {
  char *const key = key_of(node->domain, node->op_type);
  const int i = key ? tarei_names_find(&e->functions, key) : -1;
  *out = i < 0 ? NULL : e->model->functions[i];
  free(key);
  return key != NULL;
}

/* A model lists the domains of its nodes, with those of the bodies then. */
static bool add_domain(Onnx__ModelProto *const model, const Onnx__OperatorSetIdProto *const set) {
  for (size_t i = 0; i < model->n_opset_import; i++) {
    if (strcmp(domain_of(model->opset_import[i]->domain), domain_of(set->domain)) == 0) {
      return true;
    }
  }
  Onnx__OperatorSetIdProto **const list =
      tarei_realloc(model->opset_import, (model->n_opset_import + 1) * sizeof *list);
  model->opset_import = list ? list : model->opset_import;
  Onnx__OperatorSetIdProto *const copy = list ? tarei_calloc(1, sizeof *copy) : NULL;
  if (!copy) {
    return false;
  }
  onnx__operator_set_id_proto__init(copy);
  list[model->n_opset_import++] = copy;
  copy->domain = tarei_strdup(tarei_onnx_text(set->domain));
  copy->has_version = true;
  copy->version = set->version;
  return copy->domain != NULL;
}

static bool add_domains(Onnx__ModelProto *const model, const Onnx__FunctionProto *const f) {
  bool ok = true;
  for (size_t i = 0; i < f->n_opset_import && ok; i++) {
    ok = add_domain(model, f->opset_import[i]);
  }
  return ok;
}

static int64_t default_opset(Onnx__OperatorSetIdProto *const *const sets, const size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (tarei_is_default_domain(tarei_onnx_text(sets[i]->domain))) {
      return sets[i]->version;
    }
  }
  return 0;
}

static tare_status check_call(const inlining *const e, const Onnx__NodeProto *const node,
                              const Onnx__FunctionProto *const f, const int depth) {
  const int64_t wanted = default_opset(f->opset_import, f->n_opset_import);
  const int64_t given = default_opset(e->model->opset_import, e->model->n_opset_import);
  const char *const name = tarei_onnx_text(f->name);
  if (depth > e->limits->nesting) {
    return tarei_fail_limit(e->err, e->limits, TAREI_LIMIT_nesting, depth,
                            "calls of functions down to '%s' nest", name);
  }
  if (wanted && wanted != given) {
    return tarei_fail(e->err, TARE_E_UNSUPPORTED,
                      "function '%s' is for opset %lld, the model for opset %lld: convert them to "
                      "one opset",
                      name, (long long)wanted, (long long)given);
  }
  if (node->n_input > f->n_input || node->n_output > f->n_output) {
    return tarei_fail(
        e->err, TARE_E_MODEL,
        "node '%s' has %zu inputs and %zu outputs, its function '%s' only %zu and %zu",
        tarei_onnx_text(node->name), node->n_input, node->n_output, name, f->n_input, f->n_output);
  }
  return TARE_OK;
}

static tare_status count_node(inlining *const e, const size_t bytes) {
  e->bytes += (int64_t)bytes;
  if (++e->n_nodes > e->limits->nodes) {
    return tarei_fail_limit(e->err, e->limits, TAREI_LIMIT_nodes, e->n_nodes,
                            "the functions of the model expand to");
  }
  return e->bytes <= e->limits->memory
             ? TARE_OK
             : tarei_fail_limit(e->err, e->limits, TAREI_LIMIT_memory, e->bytes,
                                "the functions of the model expand to");
}

static tare_status lay_inlined(inlining *const e, node_list *const list,
                               Onnx__NodeProto *const node) {
  if (!TAREI_GROW(list->nodes, list->n, list->cap)) {
    onnx__node_proto__free_unpacked(node, NULL);
    return functions_no_memory(e);
  }
  list->nodes[list->n++] = node;
  return TARE_OK;
}

static tare_status drop_call(inlining *const e, Onnx__NodeProto *const node) {
  if (!TAREI_GROW(e->dropped, e->n_dropped, e->cap_dropped)) {
    onnx__node_proto__free_unpacked(node, NULL);
    return functions_no_memory(e);
  }
  e->dropped[e->n_dropped++] = node;
  return TARE_OK;
}

static tare_status inline_graph(inlining *e, Onnx__GraphProto *graph, int depth);
static tare_status inline_node(inlining *e, node_list *list, Onnx__NodeProto *node, int depth);

/* The body's nodes; a call that is one of them is expanded in turn. */
static tare_status lay_body(inlining *const e, node_list *const list,
                            const Onnx__FunctionProto *const f, tarei_onnx_call *const call,
                            const int depth) {
  for (size_t i = 0; i < f->n_node; i++) {
    TAREI_TRY(count_node(e, onnx__node_proto__get_packed_size(f->node[i])));
    Onnx__NodeProto *const node = tarei_onnx_call_node(call, i);
    if (!node) {
      return functions_no_memory(e);
    }
    TAREI_TRY(inline_node(e, list, node, depth + 1));
  }
  for (size_t i = 0; i < f->n_output; i++) {
    Onnx__NodeProto *node = NULL;
    if (!tarei_onnx_call_hand_through(call, i, &node)) {
      return functions_no_memory(e);
    }
    TAREI_TRY(node ? lay_inlined(e, list, node) : TARE_OK);
  }
  return TARE_OK;
}

/* Takes the node over, also after a failure. */
static tare_status inline_node(inlining *const e, node_list *const list,
                               Onnx__NodeProto *const node, const int depth) {
  const Onnx__FunctionProto *f;
  tare_status status = find_called(e, node, &f) ? TARE_OK : functions_no_memory(e);
  for (size_t a = 0; a < node->n_attribute && status == TARE_OK; a++) {
    status = node->attribute[a]->g ? inline_graph(e, node->attribute[a]->g, depth) : TARE_OK;
  }
  if (!f || status != TARE_OK) {
    const tare_status laid = lay_inlined(e, list, node);
    return status == TARE_OK ? laid : status;
  }
  TAREI_TRY(drop_call(e, node));
  TAREI_TRY(check_call(e, node, f, depth));
  TAREI_TRY(count_node(e, 0));
  TAREI_TRY(add_domains(e->model, f) ? TARE_OK : functions_no_memory(e));
  tarei_onnx_call call;
  status = tarei_onnx_call_begin(&e->calls, node, f, &call) ? lay_body(e, list, f, &call, depth)
                                                            : functions_no_memory(e);
  tarei_onnx_call_end(&call);
  return status;
}

/* After a failure the graph has the nodes that came so far. */
static tare_status inline_graph(inlining *const e, Onnx__GraphProto *const graph, const int depth) {
  node_list list = {0};
  tare_status status = TARE_OK;
  for (size_t i = 0; i < graph->n_node; i++) {
    if (status == TARE_OK) {
      status = inline_node(e, &list, graph->node[i], depth);
    } else {
      onnx__node_proto__free_unpacked(graph->node[i], NULL);
    }
  }
  free(graph->node);
  graph->node = list.nodes;
  graph->n_node = list.n;
  return status;
}

static void inlining_end(inlining *const e) {
  tarei_onnx_calls_end(&e->calls);
  for (size_t i = 0; i < e->n_dropped; i++) {
    onnx__node_proto__free_unpacked(e->dropped[i], NULL);
  }
  free(e->dropped);
  for (size_t i = 0; i < e->model->n_functions; i++) {
    free(e->keys ? e->keys[i] : NULL);
    onnx__function_proto__free_unpacked(e->model->functions[i], NULL);
  }
  free(e->keys);
  tarei_names_fini(&e->functions);
  free(e->model->functions);
  e->model->functions = NULL;
  e->model->n_functions = 0;
}

tare_status tarei_onnx_inline_functions(Onnx__ModelProto *const model,
                                        const tare_limits *const limits, tare_error *const err) {
  if (!model->n_functions || !model->graph) {
    return TARE_OK;
  }
  inlining e = {.model = model, .limits = limits, .err = err};
  tare_status status = note_functions(&e);
  if (status == TARE_OK) {
    status = tarei_onnx_calls_begin(&e.calls, model->graph) ? inline_graph(&e, model->graph, 0)
                                                            : functions_no_memory(&e);
  }
  inlining_end(&e);
  return status;
}
