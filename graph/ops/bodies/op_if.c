#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/closed.h"
#include "graph/ops/ops_common.h"
#include "graph/pass.h"

enum { N_BRANCHES = 2 };
static const char *const branch_names[N_BRANCHES] = {"then_branch", "else_branch"};

static tarei_graph *branch_itself(const tarei_node *const node, const int which) {
  return tarei_branch_itself(tarei_node_body_named(node, branch_names[which]));
}

/* The only node of a branch, constants aside, if it is of this operator. */
static const tarei_node *only_node(const tarei_graph *const branch, const tarei_op *const op) {
  const tarei_node *only = NULL;
  for (int n = 0; branch && n < branch->n_nodes; n++) {
    if (branch->nodes[n].op && branch->nodes[n].op != &tarei_op_constant) {
      if (only || branch->nodes[n].op != op) {
        return NULL;
      }
      only = &branch->nodes[n];
    }
  }
  return only;
}

/* "Squeeze if the axis is 1 long, else leave it", as PyTorch writes squeeze of an axis that it does
 * not know. What follows is made for one of the two ranks. Where the condition follows from
 * lengths, it is the squeeze that is taken: it refuses all lengths but those that it is made for.
 */
static bool is_squeeze_or_not(const tarei_node *const node) {
  return only_node(branch_itself(node, 0), &tarei_op_squeeze) &&
         only_node(branch_itself(node, 1), &tarei_op_identity);
}

/* The branch that is taken whatever the data are, or NULL. */
static tarei_graph *known_branch(const tarei_graph *const graph, const tarei_node *const node) {
  const int condition = node->n_in ? node->in[0] : -1;
  tarei_expr contents[TAREI_MAX_CONTENTS];
  int64_t known = 1;
  if (condition < 0 || tarei_ops_contents(graph, condition, contents) != 1 ||
      contents[0] == TAREI_EXPR_NONE ||
      (!tarei_expr_is_const(graph->exprs, contents[0], &known) && !is_squeeze_or_not(node))) {
    return NULL;
  }
  return branch_itself(node, known == 0);
}

static bool is_decided(const tarei_graph *const graph, const tarei_node *const node) {
  return known_branch(graph, node) != NULL;
}

static tare_status check_branch(const tarei_node *const node, const tarei_graph *const branch,
                                const char *const name, tare_error *const err) {
  if (branch->n_formal != 0) {
    return tarei_fail(err, TARE_E_MODEL, "%s has %d inputs, expected none", name, branch->n_formal);
  }
  if (branch->n_outputs != node->n_out) {
    return tarei_fail(err, TARE_E_MODEL, "%s has %d outputs, the node has %d", name,
                      branch->n_outputs, node->n_out);
  }
  return TARE_OK;
}

/* --- a branch that is known takes the place of the node --------------------------------------- */

typedef struct move {
  tarei_graph *from, *to;
  int *values; /* per value of the branch: its number outside, or -1 */
} move;

static tare_status move_value(const move *const m, const int v, tare_error *const err) {
  const tarei_value *const from = &m->from->values[v];
  const int made = tarei_graph_add_counted(m->to, from->name); /* as graph/qdq/settle.h has it */
  if (made < 0) {
    return tarei_fail_memory(err, from->name, sizeof *from);
  }
  tarei_value *const to = &m->to->values[made];
  to->observable = from->observable;
  to->dtype = from->data ? from->dtype : TARE_DTYPE_NONE;
  to->rank = from->data ? from->rank : -1;
  to->data = tarei_buffer_retain(from->data);
  for (int d = 0; d < to->rank; d++) {
    to->dims[d] = from->dims[d];
  }
  m->values[v] = made;
  return TARE_OK;
}

/* Of a node's operands, into room for as many. */
static void if_renumber(const move *const m, const int *const from, const int n, int *const to) {
  for (int i = 0; i < n; i++) {
    to[i] = from[i] < 0 ? -1 : m->values[from[i]];
  }
}

static tare_status move_node(const move *const m, const tarei_node *const from,
                             tare_error *const err) {
  int *const operands = tarei_calloc((size_t)(from->n_in + from->n_out), sizeof *operands);
  int made = -1;
  if (operands) {
    if_renumber(m, from->in, from->n_in, operands);
    if_renumber(m, from->out, from->n_out, operands + from->n_in);
    made = tarei_graph_add_node(m->to, from->op->name, from->op->domain, from->name, from->opset,
                                operands, from->n_in, operands + from->n_in, from->n_out);
  }
  free(operands);
  bool ok = made >= 0;
  for (int a = 0; ok && a < from->n_attrs; a++) {
    ok = tarei_attr_copy(&m->to->nodes[made], &from->attrs[a]);
  }
  return ok ? TARE_OK : tarei_fail_memory(err, from->name, sizeof *from);
}

static tare_status move_branch(const move *const m, const int *const captured,
                               const int *const outputs, tare_error *const err) {
  const tarei_graph *const from = m->from;
  for (int v = 0; v < from->n_values; v++) {
    m->values[v] = -1;
  }
  for (int i = 0; i < from->n_inputs; i++) {
    m->values[from->inputs[i]] = captured[i];
  }
  for (int v = 0; v < from->n_values; v++) {
    if (m->values[v] < 0) {
      TAREI_TRY(move_value(m, v, err));
    }
  }
  for (int n = 0; n < from->n_nodes; n++) {
    if (from->nodes[n].op) {
      TAREI_TRY(move_node(m, &from->nodes[n], err));
    }
  }
  for (int i = 0; i < from->n_outputs; i++) {
    if (outputs[i] >= 0 &&
        tarei_graph_add_node(m->to, "Identity", "", NULL, m->to->opset,
                             &m->values[from->outputs[i]], 1, &outputs[i], 1) < 0) {
      return tarei_fail_memory(err, "branch", sizeof(tarei_node));
    }
  }
  return TARE_OK;
}

static tare_status expand_if(tarei_graph *const graph, const int index, tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  tarei_graph *const branch = known_branch(graph, node);
  TAREI_TRY(check_branch(node, branch, "branch", err));
  tare_status why;
  const char *const reason = tarei_closed_reason(branch, &why);
  if (reason) {
    return tarei_fail(err, why, "%s", reason);
  }
  const move m = {.from = branch,
                  .to = graph,
                  .values = tarei_calloc((size_t)branch->n_values, sizeof *m.values)};
  const size_t n_in = (size_t)branch->n_inputs, n_out = (size_t)node->n_out;
  int *const operands = tarei_calloc(n_in + n_out, sizeof *operands);
  tare_status status = TARE_E_MEMORY;
  if (m.values && operands) {
    for (size_t i = 0; i < n_in; i++) {
      operands[i] = node->in[branch->captures[i]];
    }
    for (size_t i = 0; i < n_out; i++) {
      operands[n_in + i] = node->out[i];
    }
    status = move_branch(&m, operands, operands + n_in, err);
  } else {
    (void)tarei_fail_memory(err, node->name, (n_in + n_out) * sizeof *operands);
  }
  free(m.values);
  free(operands);
  return status;
}

/* --- a branch that data choose ---------------------------------------------------------------- */

static tare_status merge_output(tarei_graph *const graph, tarei_node *const node,
                                const tarei_graph *const *const branches, const int o,
                                tare_error *const err) {
  const tarei_value *const a = &branches[0]->values[branches[0]->outputs[o]],
                           *const b = &branches[1]->values[branches[1]->outputs[o]];
  if (a->dtype != b->dtype) {
    return tarei_fail(err, TARE_E_MODEL, "output %d is %s in one branch, %s in the other", o,
                      tare_dtype_name(a->dtype), tare_dtype_name(b->dtype));
  }
  if (a->rank != b->rank) {
    return tarei_fail(
        err, TARE_E_UNSUPPORTED,
        "output %d has rank %d in one branch, %d in the other, and the condition depends on data",
        o, a->rank, b->rank);
  }
  tarei_shape shape = tarei_ops_shape(a);
  for (int d = 0; d < shape.rank; d++) {
    if (a->dims[d] != b->dims[d]) {
      shape.dims[d] = tarei_ops_measured(graph, node, o * TARE_MAX_RANK + d);
    }
  }
  return tarei_ops_give(graph, node, o, a->dtype, &shape, err);
}

/* Puts `body` in the place of a branch; what was there is the caller's. */
static void put_branch(tarei_node *const node, const int which, tarei_graph *const body) {
  for (int a = 0; a < node->n_attrs; a++) {
    if (strcmp(node->attrs[a].name, branch_names[which]) == 0) {
      node->attrs[a].graph = body;
    }
  }
}

static tare_status close_branch(const tarei_graph *const graph, tarei_node *const node,
                                const int which, const tare_error *const why,
                                tare_error *const err) {
  tarei_graph *const body = tarei_node_body_named(node, branch_names[which]);
  if (body->closed) {
    return tarei_closed_explain(body, why) ? TARE_OK
                                           : tarei_fail_memory(err, node->name, sizeof *why);
  }
  tarei_graph *const stand_in = tarei_closed_new(graph, body->name, body->n_outputs, why);
  if (!stand_in) {
    return tarei_fail_memory(err, node->name, sizeof *stand_in);
  }
  stand_in->closed = body;
  put_branch(node, which, stand_in);
  return TARE_OK;
}

/* What an earlier inference took apart is still there. */
static tare_status open_branch(tarei_node *const node, const int which, tare_error *const err) {
  tarei_graph *const stand_in = tarei_node_body_named(node, branch_names[which]);
  tarei_graph *const body = stand_in->closed;
  if (!body) {
    return TARE_OK;
  }
  put_branch(node, which, body);
  stand_in->closed = NULL;
  tarei_graph_free(stand_in);
  return tarei_graph_compact(body, err);
}

/* A branch that cannot be inferred is closed, with *why: that refuses only runs that take it. */
static tare_status infer_branch(tarei_graph *const graph, tarei_node *const node, const int which,
                                tare_error *const why, tare_error *const err) {
  tarei_graph *given;
  TAREI_TRY(tarei_ops_body(node, branch_names[which], &given, err));
  TAREI_TRY(check_branch(node, given, branch_names[which], err));
  tarei_graph *const body = tarei_branch_itself(given);
  tare_status closed;
  const char *const reason = tarei_closed_reason(body, &closed);
  if (reason) {
    (void)tarei_fail(why, closed, "%s", reason);
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_hand_captures(graph, node, body, err));
  const tare_status status = tarei_graph_infer(body, why);
  if (status == TARE_E_MEMORY) {
    return tarei_fail(err, status, "%s", why->message);
  }
  return status == TARE_OK ? open_branch(node, which, err)
                           : close_branch(graph, node, which, why, err);
}

/* One closed branch gets the types of the other. */
static tare_status type_closed(const tarei_node *const node,
                               const tarei_graph *const *const branches,
                               const tare_error *const why, tare_error *const err) {
  for (int i = 0; i < N_BRANCHES; i++) {
    tarei_graph *const body = tarei_node_body_named(node, branch_names[i]);
    if (why[i].status == TARE_OK) {
      continue;
    }
    if (!tarei_closed_give(body, branches[!i])) {
      return tarei_fail_memory(err, node->name, sizeof *body);
    }
    TAREI_TRY(tarei_graph_infer(body, err));
  }
  return TARE_OK;
}

static tare_status infer_if(tarei_graph *const graph, tarei_node *const node,
                            tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  TAREI_TRY(tarei_ops_want_dtype(tarei_ops_in(graph, node, 0), TARE_BOOL, err));
  const tarei_graph *branches[N_BRANCHES];
  tare_error why[N_BRANCHES] = {0};
  for (int i = 0; i < N_BRANCHES; i++) {
    TAREI_TRY(infer_branch(graph, node, i, &why[i], err));
    branches[i] = tarei_node_body_named(node, branch_names[i]);
  }
  if (why[0].status != TARE_OK && why[1].status != TARE_OK) {
    return tarei_fail(err, why[0].status, "%s; %s", why[0].message, why[1].message);
  }
  TAREI_TRY(type_closed(node, branches, why, err));
  for (int o = 0; o < node->n_out; o++) {
    TAREI_TRY(merge_output(graph, node, branches, o, err));
  }
  return TARE_OK;
}

const tarei_op tarei_op_if = {
    .name = "If",
    .domain = "",
    .min_in = 1,
    .max_in = -1, /* captures stand behind the condition */
    .min_out = 1,
    .max_out = -1,
    .infer = infer_if,
    .expands = is_decided,
    .expand = expand_if,
};
