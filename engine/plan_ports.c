#include "engine/plan_ports.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "engine/lengths.h"
#include "engine/part.h"
#include "graph/closed.h"

const char *tarei_plan_keep(tare_plan *const plan, tarei_str *const text) {
  if (text->failed || !TAREI_GROW(plan->strings, plan->n_strings, plan->cap_strings)) {
    tarei_str_free(text);
    return NULL;
  }
  char *const kept = text->text ? text->text : tarei_strdup("");
  if (kept) {
    plan->strings[plan->n_strings++] = kept;
  }
  return kept;
}

static tare_status keep_axis_name(tare_plan *const plan, const tarei_value *const v, const int axis,
                                 const char **const out, tare_error *const err) {
  tarei_str name = {0};
  if (!v->declared || !v->declared[axis]) {
    return TARE_OK;
  }
  tarei_str_add(&name, "%s", v->declared[axis]);
  *out = tarei_plan_keep(plan, &name);
  return *out ? TARE_OK : tarei_fail_memory(err, "port", sizeof(tare_port));
}

static tare_status make_port(tare_plan *const plan, const tarei_graph *const g, const int value,
                             tare_port *const port, tare_error *const err) {
  const tarei_value *const v = &g->values[value];
  tarei_str name = {0};
  tarei_str_add(&name, "%s", v->name);
  *port = (tare_port){.name = tarei_plan_keep(plan, &name), .dtype = v->dtype, .rank = v->rank};
  if (!port->name) {
    return tarei_fail_memory(err, "port", sizeof *port);
  }
  for (int d = 0; d < v->rank; d++) {
    TAREI_TRY(keep_axis_name(plan, v, d, &port->dims[d].declared, err));
    if (tarei_expr_is_const(g->exprs, v->dims[d], &port->dims[d].value)) {
      continue;
    }
    tarei_str text = {0};
    tarei_value_print_dim(g, value, d, &text);
    port->dims[d].value = -1;
    port->dims[d].symbol = tarei_plan_keep(plan, &text);
    if (!port->dims[d].symbol) {
      return tarei_fail_memory(err, "port", sizeof *port);
    }
  }
  return TARE_OK;
}

static tare_status plan_ports_make(tare_plan *const plan, const tarei_graph *const g,
                                   const int *const values, const int n, tare_port **const out,
                                   tare_error *const err) {
  *out = tarei_calloc((size_t)n, sizeof **out);
  if (!*out) {
    return tarei_fail_memory(err, "ports", (size_t)n * sizeof **out);
  }
  for (int i = 0; i < n; i++) {
    TAREI_TRY(make_port(plan, g, values[i], &(*out)[i], err));
  }
  return TARE_OK;
}

tare_status tarei_plan_make_inputs(tare_plan *const plan, const tarei_graph *const graph,
                                   tare_error *const err) {
  return plan_ports_make(plan, graph, graph->inputs, graph->n_inputs, &plan->inputs, err);
}

tare_status tarei_plan_make_outputs(tare_plan *const plan, tare_error *const err) {
  const tarei_graph *const g = plan->root.graph;
  return plan_ports_make(plan, g, g->outputs, g->n_outputs, &plan->outputs, err);
}

int tare_plan_inputs(const tare_plan *const plan, const tare_port **const ports) {
  *ports = plan->inputs;
  return plan->root.graph->n_inputs;
}

int tare_plan_outputs(const tare_plan *const plan, const tare_port **const ports) {
  *ports = plan->outputs;
  return plan->root.graph->n_outputs;
}

const tare_profiles *tare_plan_profiles(const tare_plan *const plan) {
  return plan->profiles;
}

const char *tare_plan_model_name(const tare_plan *const plan) {
  return plan->root.graph->name;
}

int64_t tare_plan_context_bytes(const tare_plan *const plan) {
  const size_t run = tarei_plus(plan->arena_bytes, tarei_part_scratch_bytes(&plan->root, 1));
  const size_t bytes = tarei_plus(run, tarei_lengths_bytes(plan, 0));
  return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

bool tarei_plan_measures_output(const tare_plan *const plan, const int output, const int axis) {
  const tarei_graph *const g = plan->root.graph;
  return tarei_expr_uses_measured(g->exprs, g->values[g->outputs[output]].dims[axis]);
}

int tare_plan_n_closed_branches(const tare_plan *const plan) {
  return tarei_graph_n_closed(plan->root.graph);
}

const char *tare_plan_closed_branch(const tare_plan *const plan, const int i) {
  return tarei_closed_reason(tarei_graph_closed_branch(plan->root.graph, i), NULL);
}
