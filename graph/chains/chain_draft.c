/* The node that a group of nodes becomes. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph/chains/chain_group.h"
#include "graph/passes/const_data.h"
#include "graph/passes/rewrite.h"
#include "graph/pointwise.h"

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
  const int n = tarei_chain_operands_of(node);
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
static void chain_draft_read_slices(const tarei_chain_nodes *const f, chain_draft *const d,
                                    tarei_str *const name) {
  for (int i = 0; i < d->chain.n_inputs; i++) {
    tarei_chain_slice slice;
    int whole;
    if (tarei_chain_replaces_slice(f, d->inputs[i], &whole, &slice)) {
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
static tare_status replace_group(tarei_graph *const graph, const tarei_chain_group *const group,
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

static int compare_nodes(const void *const a, const void *const b) {
  return *(const int *)a - *(const int *)b;
}

tare_status tarei_chain_group_replace(const tarei_chain_nodes *const f,
                                      tarei_chain_group *const group, tare_error *const err) {
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
  return status;
}
