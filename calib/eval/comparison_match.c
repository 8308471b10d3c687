/*
 * Tensors of both plans that have the same name in the model.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "calib/eval/comparison_state.h"

static bool is_bytes(const tarei_value *const v) {
  return v->dtype == TARE_U8 && v->quant.n_scales > 0;
}

static bool is_shown_to_watchers(const tare_plan *const plan, const int v) {
  const tarei_storage storage = plan->root.slots[v].storage;
  const tarei_value *const value = &tarei_comparison_graph(plan)->values[v];
  return (storage == TAREI_STORE_ARENA || storage == TAREI_STORE_POOL ||
          storage == TAREI_STORE_INPUT) &&
         (is_bytes(value) || (value->observable && value->dtype == TARE_F32));
}

/* The tensor of the model that a value holds: for bytes that the build added, without the suffix.
 */
static char *model_name(const tarei_value *const v) {
  char *const name = tarei_strdup(v->name);
  char *end = NULL;
  for (char *at = name; name && is_bytes(v) && !v->observable && *at; at++) {
    if (strncmp(at, "__u8", 4) == 0 || strncmp(at, "__s8", 4) == 0) {
      end = at;
    }
  }
  if (end) {
    *end = '\0';
  }
  return name;
}

/* The value of the reference with this name, or TAREI_NO_ENTRY. */
static int find_shown(const tare_comparison *const c, const char *const name) {
  const int found = tarei_names_find(&c->names, name);
  return found >= 0 && is_shown_to_watchers(c->against.plan, found) ? found : TAREI_NO_ENTRY;
}

/* The value of the reference with this name in the model: float, or else bytes. */
static tare_status find_by_name(const tare_comparison *const c, const char *const name,
                                int *const out, tare_error *const err) {
  static const char *const suffixes[] = {"", "__u8", "__s8"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && *out == TAREI_NO_ENTRY; i++) {
    tarei_str text = {0};
    tarei_str_add(&text, "%s%s", name, suffixes[i]);
    if (text.failed) {
      tarei_str_free(&text);
      return tarei_fail_memory(err, "comparison", strlen(name));
    }
    *out = find_shown(c, tarei_str_get(&text));
    tarei_str_free(&text);
  }
  return TARE_OK;
}

/* What is stored alike goes first: bytes beside bytes. */
static tare_status find_against(const tare_comparison *const c, const tarei_value *const value,
                                const char *const name, int *const out, tare_error *const err) {
  *out = find_shown(c, value->name);
  return *out == TAREI_NO_ENTRY ? find_by_name(c, name, out, err) : TARE_OK;
}

/* Adds a value, if the reference has it. A view has the values of its root, in the same order. */
static tare_status add_entry(tare_comparison *const c, const int value, const int layer,
                             tare_error *const err) {
  const tarei_value *const own = &tarei_comparison_graph(c->plan.plan)->values[value];
  char *const name = model_name(own);
  int against = TAREI_NO_ENTRY;
  tare_status status = name ? TARE_OK : tarei_fail_memory(err, "comparison", sizeof *c->items);
  if (status == TARE_OK) {
    status = find_against(c, own, name, &against, err);
  }
  if (status != TARE_OK || against == TAREI_NO_ENTRY) {
    free(name);
    return status;
  }
  if (!TAREI_GROW(c->items, c->n, c->cap)) {
    free(name);
    return tarei_fail_memory(err, "comparison", sizeof *c->items);
  }
  const int root = c->against.plan->root.slots[against].root;
  c->items[c->n] = (tarei_compared){.name = name,
                                    .value = value,
                                    .against = root,
                                    .viewed = root != against,
                                    .next = c->against.entries[root],
                                    .layer = layer};
  c->plan.entries[value] = c->n;
  c->against.entries[root] = c->n++;
  return TARE_OK;
}

static tare_status comparison_add_step(tare_comparison *const c, const tarei_step *const step,
                                       tare_error *const err) {
  for (int o = 0; o < step->node->n_out; o++) {
    const int v = step->node->out[o];
    if (v >= 0 && is_shown_to_watchers(c->plan.plan, v) &&
        (!c->outputs_only || tarei_comparison_graph(c->plan.plan)->values[v].is_output)) {
      TAREI_TRY(add_entry(c, v, step->layer, err));
    }
  }
  return TARE_OK;
}

/* Outputs that are views belong to the layer that wrote their memory. */
static tare_status comparison_add_views(tare_comparison *const c, tare_error *const err) {
  const tarei_part *const part = &c->plan.plan->root;
  for (int i = 0; i < part->graph->n_outputs; i++) {
    const int v = part->graph->outputs[i], root = part->slots[v].root;
    if (root != v && c->plan.entries[v] == TAREI_NO_ENTRY &&
        is_shown_to_watchers(c->plan.plan, v)) {
      const int entry = c->plan.entries[root];
      TAREI_TRY(
          add_entry(c, v, entry == TAREI_NO_ENTRY ? TAREI_NO_ENTRY : c->items[entry].layer, err));
    }
  }
  return TARE_OK;
}

static tare_status comparison_side_init(tarei_comparison_side *const side,
                                        const tare_plan *const plan, tare_error *const err) {
  const int n = tarei_comparison_graph(plan)->n_values;
  side->plan = plan;
  side->entries = tarei_calloc((size_t)n, sizeof *side->entries);
  for (int v = 0; side->entries && v < n; v++) {
    side->entries[v] = TAREI_NO_ENTRY;
  }
  return side->entries ? TARE_OK : tarei_fail_memory(err, "comparison", (size_t)n * sizeof(int));
}

static tare_status add_entries(tare_comparison *const c, const tare_plan *const plan,
                               const tare_plan *const against, tare_error *const err) {
  TAREI_TRY(comparison_side_init(&c->plan, plan, err));
  TAREI_TRY(comparison_side_init(&c->against, against, err));
  const size_t n = (size_t)tarei_comparison_graph(plan)->n_values;
  c->sqnr = tarei_calloc(n, sizeof *c->sqnr);
  if (!c->sqnr) {
    return tarei_fail_memory(err, "comparison", n * sizeof *c->sqnr);
  }
  for (int s = 0; s < plan->root.n_steps; s++) {
    TAREI_TRY(comparison_add_step(c, &plan->root.steps[s], err));
  }
  return comparison_add_views(c, err);
}

tare_status tarei_comparison_match(tare_comparison *const c, const tare_plan *const plan,
                                   const tare_plan *const against, tare_error *const err) {
  tare_status status = tarei_graph_name_values(tarei_comparison_graph(against), &c->names, err);
  status = status == TARE_OK ? add_entries(c, plan, against, err) : status;
  tarei_names_fini(&c->names);
  return status;
}

/* Tensors that steps of a part write and that users would see in the root graph. */
static int count_shown(const tarei_part *const part) {
  int n = 0;
  for (int s = 0; s < part->n_steps; s++) {
    const tarei_node *const node = part->steps[s].node;
    for (int o = 0; o < node->n_out; o++) {
      const tarei_value *const value = node->out[o] < 0 ? NULL : &part->graph->values[node->out[o]];
      n += value && (is_bytes(value) || (value->observable && value->dtype == TARE_F32));
    }
  }
  for (int i = 0; i < part->n_children; i++) {
    n += count_shown(part->children[i]);
  }
  return n;
}

int tare_comparison_n_in_bodies(const tare_comparison *const c) {
  int n = 0;
  for (int i = 0; i < c->plan.plan->root.n_children; i++) {
    n += count_shown(c->plan.plan->root.children[i]);
  }
  return n;
}
