#include "engine/plan_ports.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "graph/quantize/output_types.h"
#include "graph/quantize/quantize.h"

/* Keeps a text with the plan; NULL when out of memory. */
static const char *keep(tare_plan *const plan, tarei_str *const text) {
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

static tare_status make_port(tare_plan *const plan, const tarei_graph *const g, const int value,
                             tare_port *const port, tare_error *const err) {
  const tarei_value *const v = &g->values[value];
  tarei_str name = {0};
  tarei_str_add(&name, "%s", v->name);
  *port = (tare_port){.name = keep(plan, &name), .dtype = v->dtype, .rank = v->rank};
  if (!port->name) {
    return tarei_fail_memory(err, "port", sizeof *port);
  }
  for (int d = 0; d < v->rank; d++) {
    if (tarei_expr_is_const(g->exprs, v->dims[d], &port->dims[d].value)) {
      continue;
    }
    tarei_str text = {0};
    tarei_value_print_dim(g, value, d, &text);
    port->dims[d] = (tare_dim){.value = -1, .symbol = keep(plan, &text)};
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

/* Constants that steps read as they are. */
static int64_t plain_constants(const tarei_part *const part) {
  int64_t bytes = 0;
  for (int s = 0; s < part->n_steps; s++) {
    const tarei_node *const node = part->steps[s].node;
    for (int i = 0; i < node->n_in; i++) {
      const tarei_buffer *const data =
          node->in[i] < 0 ? NULL : part->graph->values[node->in[i]].data;
      if (data && !tarei_node_packs(part->graph, node, i)) {
        bytes += (int64_t)data->size;
      }
    }
  }
  for (int i = 0; i < part->n_children; i++) {
    bytes += plain_constants(part->children[i]);
  }
  return bytes;
}

int64_t tare_plan_weight_bytes(const tare_plan *const plan) {
  int64_t bytes = plain_constants(&plan->root);
  for (int i = 0; i < plan->blobs.n; i++) {
    bytes += (int64_t)plan->blobs.buffers[i]->size;
  }
  return bytes;
}

int64_t tare_plan_context_bytes(const tare_plan *const plan) {
  const size_t bytes = tarei_plus(plan->arena_bytes, tarei_part_scratch_bytes(&plan->root, 1));
  return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

/* --- layers: shape and reasons are texts kept in three strings per step ----------------------- */

enum { LAYER_SHAPE, LAYER_REASON, LAYER_OUTPUT_REASON, LAYER_TEXTS };

static void plan_ports_print_shape(const tarei_graph *const g, const tarei_value *const v,
                                   tarei_str *const out) {
  tarei_str_add(out, "[");
  for (int d = 0; d < v->rank; d++) {
    tarei_str_add(out, "%s", d ? ", " : "");
    tarei_expr_print(g->exprs, v->dims[d], out);
  }
  tarei_str_add(out, "]");
}

static tare_status describe_layer(tare_plan *const plan, const struct tarei_layer *const layer,
                                  tare_error *const err) {
  const tarei_graph *const g = layer->part->graph;
  const tarei_node *const node = layer->part->steps[layer->step].node;
  const tarei_value *const v = &g->values[tarei_node_first_out(node)];
  const tarei_reason reason = tarei_record_reason(&node->record);
  const tarei_reason of_output = tarei_output_reason(g, node);
  tarei_str texts[LAYER_TEXTS] = {{0}};
  plan_ports_print_shape(g, v, &texts[LAYER_SHAPE]);
  tarei_reason_print(&reason, &texts[LAYER_REASON]);
  tarei_reason_print(&of_output, &texts[LAYER_OUTPUT_REASON]);
  bool ok = true;
  for (int i = 0; i < LAYER_TEXTS; i++) {
    ok &= keep(plan, &texts[i]) != NULL;
  }
  return ok ? TARE_OK : tarei_fail_memory(err, "layers", sizeof texts);
}

static tare_status list_layers(tare_plan *const plan, const tarei_part *const part,
                               tare_error *const err) {
  for (int s = 0; s < part->n_steps; s++) {
    if (!TAREI_GROW(plan->layers, plan->n_layers, plan->cap_layers)) {
      return tarei_fail_memory(err, "layers", sizeof *plan->layers);
    }
    part->steps[s].layer = plan->n_layers;
    plan->layers[plan->n_layers++] = (struct tarei_layer){part, s};
    const int end = s + 1 < part->n_steps ? part->steps[s + 1].first_child : part->n_children;
    for (int i = part->steps[s].first_child; i < end; i++) {
      TAREI_TRY(list_layers(plan, part->children[i], err));
    }
  }
  return TARE_OK;
}

tare_status tarei_plan_describe_layers(tare_plan *const plan, tare_error *const err) {
  TAREI_TRY(list_layers(plan, &plan->root, err));
  plan->first_layer_string = plan->n_strings;
  for (int i = 0; i < plan->n_layers; i++) {
    TAREI_TRY(describe_layer(plan, &plan->layers[i], err));
  }
  return TARE_OK;
}

int tare_plan_n_layers(const tare_plan *const plan) {
  return plan->n_layers;
}

/* A layer without an int8 form computes in what it makes. */
static const char *name_precision(const tarei_record *const record, const tare_dtype made) {
  return record->got        ? tare_precision_name(record->got)
         : made == TARE_F32 ? tare_precision_name(TARE_PRECISION_FP32)
                            : tare_dtype_name(made);
}

tare_layer tare_plan_layer(const tare_plan *const plan, const int i) {
  assert(i >= 0 && i < plan->n_layers);
  const tarei_part *const part = plan->layers[i].part;
  const tarei_step *const step = &part->steps[plan->layers[i].step];
  char *const *const texts = plan->strings + plan->first_layer_string + i * LAYER_TEXTS;
  const tarei_value *const made = &part->graph->values[tarei_node_first_out(step->node)];
  const tarei_record *const record = &step->node->record;
  return (tare_layer){
      .name = step->node->name,
      .op = step->node->op->name,
      .asked = record->asked,
      .got = record->got,
      .precision = name_precision(record, made->dtype),
      .why = record->why,
      .subject = record->subject ? record->subject : "",
      .number = record->number,
      .reason = texts[LAYER_REASON],
      .kernel = step->lowering->kernel ? step->lowering->kernel(step, &plan->kernels) : "",
      .output = made->name,
      .output_asked = tarei_output_asked(step->node),
      .output_type = tarei_output_type_name(part->graph, step->node),
      .output_reason = texts[LAYER_OUTPUT_REASON],
      .shape = texts[LAYER_SHAPE],
  };
}
