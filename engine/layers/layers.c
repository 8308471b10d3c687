#include "engine/layers/layers.h"

#include <string.h>

#include "base/mem.h"
#include "engine/part.h"
#include "engine/plan_ports.h"
#include "engine/plan_profiles.h"
#include "graph/pass.h"
#include "graph/quantize/output_types.h"
#include "graph/quantize/weights/round_weights.h"
#include "graph/quantize/weights/correct_bias.h"
#include "graph/quantize/smooth.h"
#include "graph/quantize/weights/weight_types.h"
#include "graph/short_floats.h"

/* --- the list --------------------------------------------------------------------------------- */

static tare_status layers_list(tare_plan *const plan, const tarei_part *const part,
                               const int parent, tare_error *const err) {
  for (int s = 0; s < part->n_steps; s++) {
    if (!TAREI_GROW(plan->layers, plan->n_layers, plan->cap_layers)) {
      return tarei_fail_memory(err, "layers", sizeof *plan->layers);
    }
    const int layer = plan->n_layers++;
    part->steps[s].layer = layer;
    plan->layers[layer] = (tarei_layer){.part = part, .step = s, .facts.parent = parent};
    const int end = s + 1 < part->n_steps ? part->steps[s + 1].first_child : part->n_children;
    for (int i = part->steps[s].first_child; i < end; i++) {
      TAREI_TRY(layers_list(plan, part->children[i], layer, err));
    }
  }
  return TARE_OK;
}

/* A fused node is called "a + b". */
static tare_status split_name(tarei_layer *const layer, tare_error *const err) {
  const char *const name = tarei_layer_step(layer)->node->name;
  size_t n = 0, length;
  for (const char *at = name; tarei_next_origin(&at, &length);) {
    n++;
  }
  layer->names = tarei_strdup(name);
  layer->origins = tarei_calloc(n, sizeof *layer->origins);
  layer->origin_types = tarei_calloc(n, sizeof *layer->origin_types);
  if (!layer->names || !layer->origins || !layer->origin_types) {
    return tarei_fail_memory(err, "layers", n * sizeof *layer->origins);
  }
  const char *part;
  for (const char *at = name; (part = tarei_next_origin(&at, &length)) != NULL;) {
    char *const origin = layer->names + (part - name);
    origin[length] = '\0';
    const int i = layer->facts.n_origins++;
    layer->origins[i] = origin;
    layer->origin_types[i] = tarei_short_float_of(tarei_layer_step(layer)->node, i);
  }
  layer->facts.origins = layer->origins;
  layer->facts.origin_types = layer->origin_types;
  return TARE_OK;
}

static tare_status name_passes(const tare_plan *const plan, tarei_layer *const layer,
                               tare_error *const err) {
  const tarei_node *const node = tarei_layer_step(layer)->node;
  if ((uint64_t)node->passes >> plan->passes.n != 0) {
    return tarei_fail(err, TARE_E_INPUT, "layer '%s': passes %08x, expected those of %d",
                      node->name, (unsigned)node->passes, plan->passes.n);
  }
  layer->passes = tarei_calloc((size_t)plan->passes.n, sizeof *layer->passes);
  if (!layer->passes) {
    return tarei_fail_memory(err, "layers", (size_t)plan->passes.n * sizeof *layer->passes);
  }
  for (int p = 0; p < plan->passes.n; p++) {
    if (node->passes >> p & 1) {
      layer->passes[layer->facts.n_passes++] = plan->passes.passes[p].name;
    }
  }
  layer->facts.passes = layer->passes;
  return TARE_OK;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Constants that the step reads as they are, and what it packed. */
static int64_t layer_weight_bytes(const tare_plan *const plan, const tarei_layer *const layer) {
  const tarei_graph *const g = layer->part->graph;
  const tarei_step *const step = tarei_layer_step(layer);
  int64_t bytes = 0;
  for (int i = 0; i < step->node->n_in; i++) {
    const int value = step->node->in[i];
    const tarei_buffer *const data = value < 0 ? NULL : g->values[value].data;
    if (data && !tarei_node_packs(g, step->node, i)) {
      bytes += (int64_t)data->size;
    }
  }
  for (int i = 0; i < step->n_blobs; i++) {
    bytes += (int64_t)plan->blobs.buffers[step->first_blob + i]->size;
  }
  return bytes;
}

static int64_t layer_output_bytes(const tarei_layer *const layer) {
  size_t bytes = 0;
  for (int i = 0; i < layer->facts.n_outputs; i++) {
    const int value = layer->values[layer->facts.n_inputs + i];
    const tarei_value_slot *const slot = &layer->part->slots[value];
    bytes = tarei_plus(bytes, slot->storage == TAREI_STORE_ARENA ? slot->bytes : 0);
  }
  return bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
}

/* --- what users get --------------------------------------------------------------------------- */

static bool is_float(const tare_dtype dtype) {
  return dtype == TARE_F32 || dtype == TARE_F64;
}

/* A layer without an int8 form computes in floats if its first input or output has them: one that
 * reads floats and writes bytes rounds at its end. */
static const char *layer_precision(const tare_layer *const layer, const tare_precision got) {
  const tare_layer_tensor *const out = layer->outputs;
  const tare_layer_tensor *const in = layer->n_inputs ? layer->inputs : out;
  const tare_dtype dtype = is_float(in->dtype) && !is_float(out->dtype) ? in->dtype : out->dtype;
  if (got != TARE_PRECISION_ANY) {
    return tare_precision_name(got);
  }
  if (dtype == TARE_F32) {
    return tare_precision_name(TARE_PRECISION_FP32);
  }
  return out->n_scales && !is_float(dtype) ? tare_precision_name(TARE_PRECISION_INT8)
                                           : tare_dtype_name(dtype);
}

static const char *layers_keep_reason(tare_plan *const plan, const tarei_reason reason) {
  tarei_str text = {0};
  tarei_reason_print(&reason, &text);
  return tarei_plan_keep(plan, &text);
}

static tare_status layers_describe(tare_plan *const plan, tarei_layer *const layer,
                                   tare_error *const err) {
  const tarei_step *const step = tarei_layer_step(layer);
  const tarei_record *const record = &step->node->record;
  tare_layer *const facts = &layer->facts;
  TAREI_TRY(split_name(layer, err));
  TAREI_TRY(name_passes(plan, layer, err));
  TAREI_TRY(tarei_layer_find_tensors(plan, layer, err));
  facts->name = step->node->name;
  facts->op = step->node->op->name;
  facts->asked = record->asked;
  facts->got = record->got;
  facts->precision = layer_precision(facts, record->got);
  facts->why = record->why;
  facts->subject = record->subject ? record->subject : "";
  facts->number = record->number;
  facts->reason = layers_keep_reason(plan, tarei_record_reason(record));
  facts->kernel = step->lowering->kernel ? step->lowering->kernel(step, &plan->kernels) : "";
  facts->moves = step->node->op->movement || (step->node->op->selects && !*facts->kernel);
  facts->output = facts->outputs->name;
  facts->output_asked = tarei_output_asked(step->node);
  facts->output_type = tarei_output_type_name(step->graph, step->node);
  facts->output_reason = layers_keep_reason(plan, tarei_output_reason(step->graph, step->node));
  facts->weights_asked = tarei_weights_asked(step->node);
  facts->weights_reason = layers_keep_reason(plan, tarei_weights_reason(step->graph, step->node));
  facts->rounding = tarei_weights_rounding(step->graph, step->node);
  facts->corrected = tarei_bias_is_corrected(step->node);
  facts->clipped = tarei_weights_clipped(step->node);
  facts->smoothed = tarei_node_is_smoothed(step->node);
  facts->rounding_reason = layers_keep_reason(plan, tarei_rounding_reason(step->graph, step->node));
  facts->shape = facts->outputs->shape;
  facts->weight_bytes = layer_weight_bytes(plan, layer);
  facts->output_bytes = layer_output_bytes(layer);
  facts->scratch_bytes = (int64_t)tarei_part_step_scratch(layer->part, step, 1);
  return facts->reason && facts->output_reason && facts->weights_reason && facts->rounding_reason
             ? TARE_OK
             : tarei_fail_memory(err, "layers", sizeof *layer);
}

tare_status tarei_plan_describe_layers(tare_plan *const plan, tare_error *const err) {
  TAREI_TRY(layers_list(plan, &plan->root, -1, err));
  for (int i = 0; i < plan->n_layers; i++) {
    TAREI_TRY(layers_describe(plan, &plan->layers[i], err));
  }
  return tarei_plan_mark_lengths(plan, err);
}

void tarei_plan_free_layers(tare_plan *const plan) {
  for (int i = 0; i < plan->n_layers; i++) {
    const tarei_layer *const layer = &plan->layers[i];
    free(layer->names);
    free(layer->origins);
    free(layer->passes);
    free(layer->origin_types);
    free(layer->tensors);
    free(layer->values);
    free(layer->scales);
  }
  free(plan->layers);
}

int tare_plan_n_layers(const tare_plan *const plan) {
  return plan->n_layers;
}

int64_t tare_plan_weight_bytes(const tare_plan *const plan) {
  int64_t bytes = 0;
  for (int i = 0; i < plan->n_layers; i++) {
    bytes += plan->layers[i].facts.weight_bytes;
  }
  return bytes;
}

tare_layer tare_plan_layer(const tare_plan *const plan, const int i) {
  if (!tarei_has_number(i, plan->n_layers)) {
    return (tare_layer){0};
  }
  return plan->layers[i].facts;
}

int tare_plan_n_passes(const tare_plan *const plan) {
  return plan->passes.n;
}

tare_pass tare_plan_pass(const tare_plan *const plan, const int i) {
  if (!tarei_has_number(i, plan->passes.n)) {
    return (tare_pass){0};
  }
  const struct tarei_pass_count *const count = &plan->passes.passes[i];
  return (tare_pass){.name = count->name,
                     .summary = tarei_pass_summary(count->name),
                     .n_changed = count->changed,
                     .n_removed = count->removed};
}

int64_t tare_plan_weight_scales(const tare_plan *const plan, const int i, const int tensor,
                                float *const scales) {
  if (!tarei_has_number(i, plan->n_layers)) {
    return 0;
  }
  const tarei_layer *const layer = &plan->layers[i];
  if (!tarei_has_number(tensor, layer->facts.n_inputs)) {
    return 0;
  }
  const tarei_step *const step = tarei_layer_step(layer);
  int input = 0;
  for (int at = -1; input < step->node->n_in; input++) {
    at += step->node->in[input] >= 0;
    if (at == tensor) {
      break;
    }
  }
  return step->lowering->weight_scales ? (int64_t)step->lowering->weight_scales(step, input, scales)
                                       : 0;
}

static tare_status layers_eval_dims(const tare_plan *const plan, const tarei_graph *const g,
                                    const tarei_value *const v, const int64_t *const values,
                                    int64_t dims[TARE_MAX_RANK], tare_error *const err) {
  int64_t *const symbols = tarei_calloc((size_t)plan->n_symbols, sizeof *symbols);
  if (!symbols) {
    return tarei_fail_memory(err, "symbols", (size_t)plan->n_symbols * sizeof *symbols);
  }
  tarei_plan_symbols(plan, values, symbols);
  for (int d = 0; d < v->rank; d++) {
    const bool known = !tarei_expr_uses_measured(g->exprs, v->dims[d]) &&
                       tarei_expr_eval(g->exprs, v->dims[d], symbols, &dims[d]);
    dims[d] = known ? dims[d] : -1;
  }
  free(symbols);
  return TARE_OK;
}

tare_status tare_plan_layer_dims(const tare_plan *const plan, const int i, const int tensor,
                                 const int64_t *const values, int64_t dims[TARE_MAX_RANK],
                                 tare_error *const err) {
  TAREI_TRY(tarei_check_number("layer", i, plan->n_layers, err));
  const tarei_layer *const layer = &plan->layers[i];
  TAREI_TRY(
      tarei_check_number("tensor", tensor, layer->facts.n_inputs + layer->facts.n_outputs, err));
  const tarei_graph *const g = layer->part->graph;
  return layers_eval_dims(plan, g, &g->values[layer->values[tensor]], values, dims, err);
}

const char *tare_plan_memory_of(const tare_plan *const plan, const char *const port) {
  const tarei_graph *const g = plan->root.graph;
  const int value = tarei_graph_find_value(g, port);
  return value < 0 ? port : g->values[plan->root.slots[value].root].name;
}

tare_status tare_plan_port_dims(const tare_plan *const plan, const char *const port,
                                const int64_t *const values, int64_t dims[TARE_MAX_RANK],
                                tare_error *const err) {
  const tarei_graph *const g = plan->root.graph;
  const int value = tarei_graph_find_value(g, port);
  return value < 0 ? tarei_fail(err, TARE_E_USAGE, "the plan has no input or output '%s'", port)
                   : layers_eval_dims(plan, g, &g->values[value], values, dims, err);
}
