#include "graph/chains/form_chains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph/chains/chain_slice.h"
#include "graph/passes/const_data.h"
#include "graph/passes/rewrite.h"
#include "graph/pointwise.h"
#include "graph/quantize/output_types.h"

const tarei_pass tarei_pass_form_chains = {
    .name = "form_chains",
    .summary = "joins elementwise operators, so that what is between them stays in the cache"};

enum {
  MOST_READERS = 64 /* of a value that chains take in; with more, work would grow as a square */
};

typedef struct form_chains {
  tarei_graph *graph;
  bool *varies; /* per value: it does not follow from lengths alone */
  int *layers;  /* per node: how many nodes before it compute and are no links */
} form_chains;

/* Nodes that become one, the last one first; `root` makes the output. */
typedef struct chain_group {
  int root, n, n_links;
  int nodes[TAREI_CHAIN_LINKS];
} chain_group;

/* --- which nodes ------------------------------------------------------------------------------ */

/* Bodies run each time, whatever they read. */
static void find_varying(const form_chains *const f) {
  const tarei_graph *const graph = f->graph;
  for (int v = 0; v < graph->n_values; v++) {
    f->varies[v] = graph->is_body || graph->values[v].is_input;
  }
  for (int n = 0; n < graph->n_nodes; n++) {
    const tarei_node *const node = &graph->nodes[n];
    bool varies = tarei_node_body(node, 0) != NULL;
    for (int i = 0; i < node->n_in; i++) {
      varies |= node->in[i] >= 0 && f->varies[node->in[i]] && !node->op->reads_dims;
    }
    for (int o = 0; o < node->n_out; o++) {
      if (node->out[o] >= 0) {
        f->varies[node->out[o]] |= varies;
      }
    }
  }
}

static void count_layers(const form_chains *const f) {
  int n_layers = 0;
  for (int n = 0; n < f->graph->n_nodes; n++) {
    const tarei_op *const op = f->graph->nodes[n].op;
    f->layers[n] = n_layers;
    n_layers += !op->chain_operands && !op->movement && !op->selects && !op->reads_dims &&
                op != &tarei_op_split;
  }
}

static tare_status form_chains_init(form_chains *const f, tarei_graph *const graph,
                                    tare_error *const err) {
  *f = (form_chains){graph, tarei_calloc((size_t)graph->n_values, sizeof *f->varies),
                     tarei_calloc((size_t)graph->n_nodes, sizeof *f->layers)};
  if (!f->varies || !f->layers) {
    return tarei_fail_memory(err, "chains", (size_t)graph->n_values);
  }
  find_varying(f);
  count_layers(f);
  return TARE_OK;
}

static void form_chains_fini(const form_chains *const f) {
  free(f->varies);
  free(f->layers);
}

/* Links that a node becomes. Min and Max of many operands are several. */
static int chain_links_of(const tarei_node *const node) {
  return node->op->chain_operands > 1 ? node->n_in - 1 : 1;
}

static int chain_operands_of(const tarei_node *const node) {
  return node->op->chain_operands > 1 ? node->n_in : 1;
}

/* Inputs behind the operands of a function of one number are its parameters, and powers are
 * computed as they are by themselves: with one exponent for all. */
static bool has_constant_parameters(const tarei_graph *const graph, const tarei_node *const node) {
  float ignored;
  for (int i = node->op->chain_operands; node->op->chain_operands == 1 && i < node->n_in; i++) {
    if (node->in[i] >= 0 && !tarei_const_scalar(graph, node->in[i], &ignored)) {
      return false;
    }
  }
  return node->op != &tarei_op_pow || tarei_const_scalar(graph, node->in[1], &ignored);
}

static bool can_be_link(const form_chains *const f, const int index) {
  const tarei_graph *const graph = f->graph;
  const tarei_node *const node = &graph->nodes[index];
  if (!node->op || !node->op->chain_operands || node->n_in < node->op->chain_operands ||
      node->n_in > TAREI_CHAIN_INPUTS || !f->varies[node->out[0]]) {
    return false;
  }
  for (int i = 0; i < chain_operands_of(node); i++) {
    if (!tarei_value_is_f32(graph, node->in[i])) {
      return false;
    }
  }
  return has_constant_parameters(graph, node);
}

/* Whether a node inside a chain is as good as by itself: it writes floats, and was not asked for
 * bytes that it cannot write, which its layer reports. */
static bool can_be_inside(const form_chains *const f, const int index) {
  const tarei_node *const node = &f->graph->nodes[index];
  return can_be_link(f, index) && node->n_out == 1 && tarei_value_is_f32(f->graph, node->out[0]) &&
         tarei_output_asked(node) != TARE_PRECISION_INT8;
}

/* --- groups ----------------------------------------------------------------------------------- */

static bool group_has(const chain_group *const group, const int node) {
  for (int i = 0; i < group->n; i++) {
    if (group->nodes[i] == node) {
      return true;
    }
  }
  return false;
}

static bool is_read_only_inside(const tarei_graph *const graph, const chain_group *const group,
                                const int value) {
  int inside = 0;
  if (tarei_graph_count_uses(graph, value) > MOST_READERS) {
    return false;
  }
  for (tarei_use u = graph->values[value].first_use; u.node >= 0;
       u = tarei_graph_next_use(graph, u)) {
    inside += group_has(group, u.node);
  }
  return inside == tarei_graph_count_uses(graph, value);
}

/* Operands that come from outside, each counted once. */
static int group_count_inputs(const tarei_graph *const graph, const chain_group *const group) {
  int seen[TAREI_CHAIN_LINKS * TAREI_CHAIN_OPERANDS], n = 0;
  for (int i = 0; i < group->n; i++) {
    const tarei_node *const node = &graph->nodes[group->nodes[i]];
    for (int k = 0; k < chain_operands_of(node); k++) {
      bool known = group_has(group, graph->values[node->in[k]].producer);
      for (int s = 0; s < n; s++) {
        known |= seen[s] == node->in[k];
      }
      if (!known) {
        seen[n++] = node->in[k];
      }
    }
  }
  return n;
}

static bool group_fits(const tarei_graph *const graph, const chain_group *const group) {
  return group->n_links <= TAREI_CHAIN_LINKS &&
         group_count_inputs(graph, group) <= TAREI_CHAIN_INPUTS;
}

/* Whether a chain that reads `value` at its root keeps it for longer than others do. */
static bool group_prolongs(const form_chains *const f, const chain_group *const group,
                           const int value) {
  const tarei_graph *const graph = f->graph;
  const tarei_value *const v = &graph->values[value];
  if (v->data || v->is_output || v->n_uses > MOST_READERS ||
      !tarei_values_same_shape(graph, value, graph->nodes[group->root].out[0])) {
    return false;
  }
  for (tarei_use u = v->first_use; u.node >= 0; u = tarei_graph_next_use(graph, u)) {
    if (u.node >= group->root || group_has(group, u.node)) {
      return false;
    }
  }
  return true;
}

/* Whether more tensors are kept while layers run between a node and the root than without it in the
 * chain: its operands instead of what it makes. */
static bool group_takes_room(const form_chains *const f, const chain_group *const group,
                             const int index) {
  const tarei_node *const node = &f->graph->nodes[index];
  int kept = 0;
  if (f->layers[index] == f->layers[group->root]) {
    return false;
  }
  for (int k = 0; k < chain_operands_of(node); k++) {
    bool again = false;
    for (int i = 0; i < k; i++) {
      again |= node->in[i] == node->in[k];
    }
    kept += !again && group_prolongs(f, group, node->in[k]);
  }
  return kept > 1;
}

/* Takes the node that makes `value` in, if nobody else reads that. */
static bool group_take(const form_chains *const f, chain_group *const group, const int value) {
  const tarei_graph *const graph = f->graph;
  const int node = graph->values[value].producer;
  if (node < 0 || group->n == TAREI_CHAIN_LINKS || group_has(group, node) ||
      !can_be_inside(f, node) ||
      !tarei_values_same_shape(graph, value, graph->nodes[group->root].out[0]) ||
      !is_read_only_inside(graph, group, value) || group_takes_room(f, group, node)) {
    return false;
  }
  const int links = chain_links_of(&graph->nodes[node]);
  if (group->n_links + links > TAREI_CHAIN_LINKS) {
    return false;
  }
  group->nodes[group->n++] = node;
  group->n_links += links;
  if (group_fits(graph, group)) {
    return true;
  }
  group->n--;
  group->n_links -= links;
  return false;
}

/* Until nothing more can be taken in: a value may be read by two nodes of which the second is found
 * later. */
static void group_grow(const form_chains *const f, chain_group *const group) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < group->n; i++) {
      const tarei_node *const node = &f->graph->nodes[group->nodes[i]];
      for (int k = 0; k < chain_operands_of(node); k++) {
        changed |= group_take(f, group, node->in[k]);
      }
    }
  }
}

static int compare_nodes(const void *const a, const void *const b) {
  return *(const int *)a - *(const int *)b;
}

/* --- slices ----------------------------------------------------------------------------------- */

/* Whether all that a Slice or Split makes is read by links before another layer runs: then chains
 * read its input instead. */
static bool chain_replaces_slice(const form_chains *const f, const int value, int *const whole,
                                 tarei_chain_slice *const slice) {
  const tarei_graph *const graph = f->graph;
  if (!tarei_chain_slice_of(graph, value, whole, slice)) {
    return false;
  }
  const tarei_node *const node = tarei_producer(graph, value);
  const int layers = f->layers[node - graph->nodes];
  for (int o = 0; o < node->n_out; o++) {
    const int out = node->out[o];
    tarei_chain_slice part;
    int of;
    if (out < 0 || graph->values[out].is_output ||
        tarei_graph_count_uses(graph, out) > MOST_READERS ||
        !tarei_chain_slice_of(graph, out, &of, &part)) {
      return false;
    }
    for (tarei_use u = graph->values[out].first_use; u.node >= 0;
         u = tarei_graph_next_use(graph, u)) {
      const tarei_node *const reader = &graph->nodes[u.node];
      if (!can_be_link(f, u.node) || u.input >= chain_operands_of(reader) ||
          f->layers[u.node] != layers) {
        return false;
      }
    }
  }
  return true;
}

static bool reads_slices(const form_chains *const f, const int index) {
  const tarei_node *const node = &f->graph->nodes[index];
  bool any = false;
  for (int k = 0; k < chain_operands_of(node); k++) {
    tarei_chain_slice slice;
    int whole;
    any |= chain_replaces_slice(f, node->in[k], &whole, &slice);
  }
  return any;
}

/* --- the chain of a group --------------------------------------------------------------------- */

typedef struct chain_draft {
  tarei_chain chain;
  int inputs[TAREI_CHAIN_INPUTS];
  int made[TAREI_CHAIN_LINKS]; /* per link: the value that it makes, or -1 between operands of one
                                  node */
} chain_draft;

/* The number of an operand: of what a link before makes, or else of an input. Links are numbered
 * behind TAREI_CHAIN_INPUTS until it is known how many inputs there are. */
static int chain_draft_operand(chain_draft *const d, const int value) {
  for (int k = 0; k < d->chain.n_links; k++) {
    if (d->made[k] == value) {
      return TAREI_CHAIN_INPUTS + k;
    }
  }
  int i = 0;
  while (i < d->chain.n_inputs && d->inputs[i] != value) {
    i++;
  }
  if (i == d->chain.n_inputs) {
    d->inputs[d->chain.n_inputs++] = value;
    d->chain.slices[i] = (tarei_chain_slice){.axis = -1};
  }
  return i;
}

static tarei_chain_link link_of(const tarei_graph *const graph, const tarei_node *const node) {
  tarei_chain_link link = {
      .op = node->op, .operands = {-1, -1}, .by_tanh = tarei_gelu_by_tanh(node)};
  (void)tarei_pointwise_parameters(node, node->op->name, &link.a, &link.b);
  if (node->op == &tarei_op_clip) { /* bounds that are inputs are constant */
    (void)tarei_const_clip_bound(graph, node, 1, "min", &link.a);
    (void)tarei_const_clip_bound(graph, node, 2, "max", &link.b);
  }
  return link;
}

static void chain_draft_add(const tarei_graph *const graph, chain_draft *const d,
                            const tarei_node *const node) {
  const int n = chain_operands_of(node);
  int left = chain_draft_operand(d, node->in[0]);
  for (int i = 1; i < n || i == 1; i++) {
    tarei_chain_link link = link_of(graph, node);
    link.operands[0] = left;
    link.operands[1] = n > 1 ? chain_draft_operand(d, node->in[i]) : -1;
    left = TAREI_CHAIN_INPUTS + d->chain.n_links;
    d->made[d->chain.n_links] = i + 1 < n ? -1 : node->out[0];
    d->chain.links[d->chain.n_links++] = link;
  }
}

static void chain_draft_number_links(tarei_chain *const chain) {
  for (int k = 0; k < chain->n_links; k++) {
    for (int i = 0; i < TAREI_CHAIN_OPERANDS; i++) {
      int *const operand = &chain->links[k].operands[i];
      *operand -= *operand >= TAREI_CHAIN_INPUTS ? TAREI_CHAIN_INPUTS - chain->n_inputs : 0;
    }
  }
}

/* Inputs that are parts of others become these, in their place. */
static void chain_draft_read_slices(const form_chains *const f, chain_draft *const d,
                                    tarei_str *const name) {
  for (int i = 0; i < d->chain.n_inputs; i++) {
    tarei_chain_slice slice;
    int whole;
    if (chain_replaces_slice(f, d->inputs[i], &whole, &slice)) {
      tarei_str_add(name, "%s%s", name->length ? " + " : "",
                    tarei_producer(f->graph, d->inputs[i])->name);
      d->inputs[i] = whole;
      d->chain.slices[i] = slice;
    }
  }
}

/* What stays of the node that makes the output: what it writes, and what was asked of that. */
static void strip_root(tarei_graph *const graph, const int root) {
  tarei_node *const node = &graph->nodes[root];
  for (int i = node->n_attrs - 1; i >= 0; i--) {
    const char *const name = node->attrs[i].name;
    if (strcmp(name, TAREI_ATTR_OUTPUTS) != 0 && strcmp(name, TAREI_ATTR_OUTPUT_ASKED) != 0) {
      tarei_attr_remove(node, name);
    }
  }
  tarei_graph_cut_inputs(graph, root, 0);
}

/* In the place of that node, so that the order of the graph stays. */
static tare_status replace_group(tarei_graph *const graph, const chain_group *const group,
                                 const chain_draft *const d, const char *const name,
                                 tare_error *const err) {
  char *const copy = tarei_strdup(name);
  tarei_node *const root = &graph->nodes[group->root];
  if (!copy) {
    return tarei_fail_memory(err, "chains", strlen(name) + 1);
  }
  free(root->name);
  root->name = copy;
  strip_root(graph, group->root);
  root->op = &tarei_op_chain;
  bool ok = tarei_chain_write(root, &d->chain);
  for (int i = 0; ok && i < d->chain.n_inputs; i++) {
    ok = tarei_graph_append_in(graph, group->root, d->inputs[i]);
  }
  for (int i = 0; i < group->n; i++) {
    if (group->nodes[i] != group->root) {
      tarei_graph_remove_node(graph, group->nodes[i]);
    }
  }
  return ok ? TARE_OK : tarei_fail_memory(err, name, sizeof(tarei_node));
}

static tare_status make_chain(const form_chains *const f, chain_group *const group,
                              bool *const changed, tare_error *const err) {
  chain_draft d = {.chain.n_links = 0};
  tarei_str nodes = {0}, name = {0};
  qsort(group->nodes, (size_t)group->n, sizeof *group->nodes, compare_nodes);
  for (int i = 0; i < group->n; i++) {
    chain_draft_add(f->graph, &d, &f->graph->nodes[group->nodes[i]]);
    tarei_str_add(&nodes, "%s%s", i ? " + " : "", f->graph->nodes[group->nodes[i]].name);
  }
  chain_draft_number_links(&d.chain);
  chain_draft_read_slices(f, &d, &name);
  tarei_str_add(&name, "%s%s", name.length ? " + " : "", tarei_str_get(&nodes));
  const tare_status status = nodes.failed || name.failed
                                 ? tarei_fail_memory(err, "chains", name.length)
                                 : replace_group(f->graph, group, &d, tarei_str_get(&name), err);
  tarei_str_free(&nodes);
  tarei_str_free(&name);
  *changed = true;
  return status;
}

/* --- Expand ----------------------------------------------------------------------------------- */

/* Whether a node with several operands makes the same without the Expand before operand k, because
 * another one has the whole shape. */
static bool needs_no_expand(const tarei_graph *const graph, const tarei_node *const node,
                            const int k) {
  const tarei_node *const expand = tarei_producer_is(graph, node->in[k], &tarei_op_expand);
  if (!expand || tarei_node_measures(graph, expand) ||
      (node->op == &tarei_op_prelu && k == 0 /* whose shape is that of the output */)) {
    return false;
  }
  for (int i = 0; i < node->n_in; i++) {
    if (i != k && tarei_values_same_shape(graph, node->in[i], node->out[0])) {
      return true;
    }
  }
  return false;
}

/* Operators that broadcast their operands read what is before an Expand. */
static void skip_expands(const form_chains *const f, bool *const changed) {
  tarei_graph *const graph = f->graph;
  for (int n = 0; n < graph->n_nodes; n++) {
    const tarei_node *const node = &graph->nodes[n];
    for (int k = 0; can_be_link(f, n) && k < chain_operands_of(node); k++) {
      if (needs_no_expand(graph, node, k)) {
        tarei_graph_set_in(graph, n, k, tarei_producer(graph, node->in[k])->in[0]);
        *changed = true;
      }
    }
  }
}

/* --- all of them ------------------------------------------------------------------------------ */

static tare_status form_chains_in(tarei_graph *const graph, bool *const changed,
                                  tare_error *const err) {
  form_chains f;
  tare_status status = form_chains_init(&f, graph, err);
  if (status == TARE_OK) {
    skip_expands(&f, changed);
  }
  for (int n = graph->n_nodes - 1; status == TARE_OK && n >= 0; n--) {
    if (!can_be_link(&f, n)) {
      continue;
    }
    chain_group group = {n, 1, chain_links_of(&graph->nodes[n]), {n}};
    group_grow(&f, &group);
    if (group.n > 1 || reads_slices(&f, n)) {
      status = make_chain(&f, &group, changed, err);
    }
  }
  form_chains_fini(&f);
  return status;
}

static tare_status form_chains_and_tidy(tarei_graph *const graph, tarei_pass_log *const log,
                                        tare_error *const err) {
  tarei_pass_notes notes = {0};
  bool changed = false;
  tare_status status;
  TAREI_TRY_GOTO(tarei_pass_notes_take(&notes, graph, err), done);
  TAREI_TRY_GOTO(form_chains_in(graph, &changed, err), done);
  if (changed) {
    TAREI_TRY_GOTO(tarei_graph_compact(graph, err), done);
    TAREI_TRY_GOTO(tarei_graph_infer(graph, err), done);
    status = tarei_pass_notes_enter(&notes, graph, tarei_pass_form_chains.name, log, err);
  }
done:
  tarei_pass_notes_fini(&notes);
  return status;
}

tare_status tarei_graph_form_chains(tarei_graph *const graph, tarei_pass_log *const log,
                                    tare_error *const err) {
  TAREI_TRY(form_chains_and_tidy(graph, log, err));
  for (int n = 0; n < graph->n_nodes; n++) {
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      TAREI_TRY(tarei_graph_form_chains(body, log, err));
    }
  }
  return TARE_OK;
}
