#include "graph/qdq/settle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/fix_input.h"
#include "graph/passes/passes.h"
#include "graph/qdq/edit_uses.h"
#include "graph/qdq/settle_message.h"

void tarei_settling_fini(tarei_settling *const s) {
  for (int i = 0; i < s->n_decisions; i++) {
    free(s->decisions[i].output);
  }
  free(s->decisions);
}

static bool is_if(const Onnx__NodeProto *const node) {
  return strcmp(tarei_onnx_text(node->op_type), "If") == 0 &&
         tarei_is_default_domain(tarei_onnx_text(node->domain)) && node->n_input == 1;
}

static const char *settle_first_output(const Onnx__NodeProto *const node) {
  for (size_t o = 0; o < node->n_output; o++) {
    if (*tarei_onnx_text(node->output[o])) {
      return node->output[o];
    }
  }
  return "";
}

static bool note_known(tarei_names *const known, const char *const name) {
  const bool is_new = *name && tarei_names_find(known, name) < 0;
  const bool good = !is_new || tarei_names_grow(known);
  if (is_new && good) {
    tarei_names_add(known, name, 0);
  }
  return good;
}

/* --- messages -------------------------------------------------------------------------------- */

static bool take_decision(Onnx__GraphProto *const graph, const tarei_decision *const d,
                          const tarei_names *const decided, tarei_settle_rest *const left) {
  for (size_t i = 0; i < graph->n_node; i++) {
    if (is_if(graph->node[i]) && strcmp(settle_first_output(graph->node[i]), d->output) == 0) {
      return tarei_message_take_branch(graph, i, d->then, decided, left);
    }
  }
  return true;
}

static tare_status settle_message(Onnx__ModelProto *const model, const tarei_settling *const s,
                                  tarei_settle_rest *const left, tare_error *const err) {
  tarei_names decided = {0};
  bool good = tarei_names_init(&decided, (size_t)s->n_decisions);
  for (int i = 0; good && i < s->n_sets; i++) {
    good = tarei_message_set(model->graph, &s->sets[i], left);
  }
  for (int i = 0; good && i < s->n_decisions; i++) {
    good = note_known(&decided, s->decisions[i].output);
  }
  for (int i = 0; good && i < s->n_decisions; i++) {
    good = take_decision(model->graph, &s->decisions[i], &decided, left);
  }
  tarei_names_fini(&decided);
  return good ? TARE_OK : tarei_fail_memory(err, "inputs that are set", sizeof *s);
}

static tare_status settle_loaded(Onnx__ModelProto *const model, void *const user,
                                 tare_error *const err) {
  tarei_settle_rest left = {0};
  const tare_status status = settle_message(model, user, &left, err);
  tarei_settle_rest_free(&left);
  return status;
}

tare_status tarei_settle_file(tarei_onnx_file *const file, const tarei_settling *const settling,
                              tare_error *const err) {
  tarei_settle_rest left = {0};
  tarei_names before = {0};
  tare_status status = tarei_uses_collect(file->model->graph, &before)
                           ? settle_message(file->model, settling, &left, err)
                           : tarei_fail_memory(err, "names", sizeof before);
  bool kept = true;
  for (size_t i = 0; i < left.n; i++) { /* constants of theirs may be mapped */
    kept = tarei_onnx_file_drop(file, left.items[i]) && kept;
  }
  free(left.items);
  if (status == TARE_OK && (!kept || !tarei_uses_drop(file, &before))) {
    status = tarei_fail_memory(err, "names", sizeof before);
  }
  tarei_names_fini(&before);
  return status;
}

tare_status tarei_settled_graph(const char *const path, const tare_export_options *const o,
                                const tarei_settling *const settling, tarei_graph **const out,
                                tare_error *const waits, tare_error *const err) {
  return tarei_onnx_load_changed(path, o->load, settle_loaded, (void *)settling, out, waits, err);
}

/* --- what is decided ------------------------------------------------------------------------- */

/* Ifs of the graph whose condition only constants decide; each has an output for it. */
typedef struct settle_probes {
  const tarei_settling *settling;
  char **outputs; /* of the Ifs */
  int n;
  size_t cap;
} settle_probes;

static void settle_probes_fini(settle_probes *const p) {
  for (int i = 0; i < p->n; i++) {
    free(p->outputs[i]);
  }
  free(p->outputs);
  p->outputs = NULL;
  p->n = 0;
  p->cap = 0;
}

static void probe_name(char *const text, const size_t size, const int i) {
  snprintf(text, size, "settle/condition/%d", i);
}

static bool is_random(const Onnx__NodeProto *const node) {
  const char *const op = tarei_onnx_text(node->op_type);
  return strncmp(op, "Random", 6) == 0 || strcmp(op, "Bernoulli") == 0 ||
         strcmp(op, "Multinomial") == 0;
}

/* Nodes in the order of the message, as ONNX wants it. */
static bool follows(const Onnx__NodeProto *const node, const tarei_names *const known) {
  bool all = !is_random(node);
  for (size_t i = 0; all && i < node->n_input; i++) {
    all = !*tarei_onnx_text(node->input[i]) || tarei_names_find(known, node->input[i]) >= 0;
  }
  for (size_t a = 0; all && a < node->n_attribute; a++) {
    all = !node->attribute[a]->g;
  }
  return all;
}

static bool add_probe(Onnx__GraphProto *const graph, settle_probes *const p,
                      const Onnx__NodeProto *const node) {
  char name[64];
  probe_name(name, sizeof name, p->n);
  const char *const made = name;
  const char *const condition = node->input[0];
  Onnx__NodeProto *const copy = tarei_onnx_new_node("Identity", "", name, &condition, 1, &made, 1);
  Onnx__ValueInfoProto *const port = tarei_calloc(1, sizeof *port);
  Onnx__NodeProto **const nodes = tarei_realloc(graph->node, (graph->n_node + 1) * sizeof *nodes);
  graph->node = nodes ? nodes : graph->node;
  Onnx__ValueInfoProto **const ports =
      tarei_realloc(graph->output, (graph->n_output + 1) * sizeof *ports);
  graph->output = ports ? ports : graph->output;
  char *const output = tarei_strdup(settle_first_output(node));
  if (!copy || !port || !nodes || !ports || !output || !TAREI_GROW(p->outputs, p->n, p->cap)) {
    onnx__node_proto__free_unpacked(copy, NULL);
    free(port);
    free(output);
    return false;
  }
  onnx__value_info_proto__init(port);
  port->name = tarei_strdup(name);
  graph->node[graph->n_node++] = copy;
  graph->output[graph->n_output++] = port;
  p->outputs[p->n++] = output;
  return port->name != NULL;
}

static tare_status settle_probe(Onnx__ModelProto *const model, void *const user,
                                tare_error *const err) {
  settle_probes *const p = user;
  Onnx__GraphProto *const graph = model->graph;
  TAREI_TRY(settle_loaded(model, (void *)p->settling, err));
  tarei_names known = {0};
  bool good = tarei_names_init(&known, graph->n_initializer);
  for (size_t i = 0; good && i < graph->n_initializer; i++) {
    good = note_known(&known, tarei_onnx_text(graph->initializer[i]->name));
  }
  const size_t n_nodes = graph->n_node;
  for (size_t i = 0; good && i < n_nodes; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    if (is_if(node) && tarei_names_find(&known, tarei_onnx_text(node->input[0])) >= 0) {
      good = add_probe(graph, p, node);
    } else if (follows(node, &known)) {
      for (size_t o = 0; good && o < node->n_output; o++) {
        good = note_known(&known, tarei_onnx_text(node->output[o]));
      }
    }
  }
  tarei_names_fini(&known);
  return good ? TARE_OK : tarei_fail_memory(err, "inputs that are set", sizeof known);
}

/* Whether the condition of an If is known; *then: what it is. */
static bool read_probe(tarei_graph *const graph, const int i, bool *const then) {
  char name[64];
  probe_name(name, sizeof name, i);
  const int output = tarei_graph_find_value(graph, name);
  const int producer = output < 0 ? -1 : graph->values[output].producer;
  const int condition = producer < 0 ? -1 : graph->nodes[producer].in[0];
  int n = 0;
  int64_t truth = 0;
  const tarei_expr *const contents =
      condition < 0 ? NULL : tarei_value_contents(graph, condition, &n);
  const tarei_value *const value = condition < 0 ? NULL : &graph->values[condition];
  if (value && value->data && value->dtype == TARE_BOOL && value->data->size == 1) {
    *then = *(const uint8_t *)value->data->data != 0;
    return true;
  }
  const bool known = contents && n == 1 && contents[0] != TAREI_EXPR_NONE &&
                     tarei_expr_is_const(graph->exprs, contents[0], &truth);
  *then = truth != 0;
  return known;
}

static tare_status note_decisions(tarei_graph *const graph, settle_probes *const p,
                                  tarei_settling *const s, tare_error *const err) {
  for (int i = 0; i < p->n; i++) {
    bool then;
    if (!read_probe(graph, i, &then)) {
      continue;
    }
    if (!TAREI_GROW(s->decisions, s->n_decisions, s->cap_decisions)) {
      return tarei_fail_memory(err, "decisions", sizeof *s->decisions);
    }
    s->decisions[s->n_decisions++] = (tarei_decision){.output = p->outputs[i], .then = then};
    p->outputs[i] = NULL;
  }
  return TARE_OK;
}

/* The model with one more level of Ifs taken away; *more: whether there were any. */
static tare_status settle_level(const char *const path, const tare_export_options *const o,
                                const tarei_pass_options *const passes, tarei_settling *const s,
                                bool *const more, tare_error *const err) {
  settle_probes p = {.settling = s};
  tarei_graph *graph = NULL;
  tare_error waits = {0};
  bool changed;
  const int before = s->n_decisions;
  tare_status status =
      tarei_onnx_load_changed(path, o->load, settle_probe, &p, &graph, &waits, err);
  if (status == TARE_OK && p.n && waits.status == TARE_OK) {
    status = tarei_pass_run(graph, &tarei_pass_fold_constants, passes, &changed, err);
  }
  status = status == TARE_OK ? note_decisions(graph, &p, s, err) : status;
  *more = s->n_decisions > before;
  tarei_graph_free(graph);
  settle_probes_fini(&p);
  return status;
}

/* The inputs, as for a model that runs. */
static tare_status check_sets(const char *const path, const tare_export_options *const o,
                              tare_error *const err) {
  tarei_graph *graph = NULL;
  tare_error waits = {0};
  TAREI_TRY(tarei_onnx_load(path, o->load, &graph, &waits, err));
  tare_status status = TARE_OK;
  for (int i = 0; status == TARE_OK && i < o->n_sets; i++) {
    int input = 0;
    while (input < graph->n_inputs &&
           strcmp(graph->values[graph->inputs[input]].name, o->sets[i].input) != 0) {
      input++;
    }
    status =
        input == graph->n_inputs
            ? tarei_fail(err, TARE_E_USAGE, "the model has no input '%s'", o->sets[i].input)
        : o->sets[i].n_values < 1
            ? tarei_fail(err, TARE_E_USAGE, "cannot set input '%s' to no value", o->sets[i].input)
            : tarei_graph_fix_input(graph, input, o->sets[i].values, o->sets[i].n_values, err);
  }
  tarei_graph_free(graph);
  return status;
}

tare_status tarei_settling_find(const char *const path, const tare_export_options *const o,
                                const tarei_pass_options *const passes, tarei_settling *const out,
                                tare_error *const err) {
  *out = (tarei_settling){.sets = o->sets, .n_sets = o->n_sets};
  TAREI_TRY(check_sets(path, o, err));
  bool more = o->n_sets > 0;
  while (more) { /* at most once for each level of bodies */
    TAREI_TRY(settle_level(path, o, passes, out, &more, err));
  }
  return TARE_OK;
}
