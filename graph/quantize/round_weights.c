#include "graph/quantize/round_weights.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "graph/passes/rewrite.h"
#include "graph/quantize/weight_scale.h"
#include "graph/quantize/weight_types.h"

/* --- the roundings of a table ----------------------------------------------------------------- */

/* The next name in that of a layer "a + b", cut out of a copy of it; NULL behind the last. */
static const char *next_layer_name(const char *const layer, char *const copy,
                                   const char **const at) {
  size_t length;
  const char *const part = tarei_next_origin(at, &length);
  if (!part) {
    return NULL;
  }
  copy[part - layer + (ptrdiff_t)length] = '\0';
  return copy + (part - layer);
}

/* Adds the names of the nodes of which a layer "a + b" consists. The first layer with a name has
 * it. */
static tare_status add_layer_names(tarei_rounder *const r, const int rounding,
                                   tare_error *const err) {
  const char *const layer = r->table->roundings.items[rounding].layer;
  char *const text = r->texts[rounding] = tarei_strdup(layer);
  const char *name;
  bool ok = text != NULL;
  for (const char *at = layer; ok && (name = next_layer_name(layer, text, &at)) != NULL;) {
    if (tarei_names_find(&r->layers, name) < 0) {
      ok = tarei_names_grow(&r->layers);
      if (ok) {
        tarei_names_add(&r->layers, name, rounding);
      }
    }
  }
  return ok ? TARE_OK : tarei_fail_memory(err, "roundings of weights", strlen(layer));
}

tare_status tarei_rounder_init(tarei_rounder *const r, const tare_table *const table,
                               tare_error *const err) {
  const size_t n = (size_t)table->roundings.n;
  *r = (tarei_rounder){.table = table,
                       .texts = tarei_calloc(n, sizeof *r->texts),
                       .unused = tarei_calloc(n, sizeof *r->unused)};
  if (!r->texts || !r->unused || !tarei_names_init(&r->layers, n)) {
    return tarei_fail_memory(err, "roundings of weights", n * sizeof *r->texts);
  }
  for (int i = 0; i < table->roundings.n; i++) {
    r->unused[i] = true;
    TAREI_TRY(add_layer_names(r, i, err));
  }
  return TARE_OK;
}

void tarei_rounder_fini(tarei_rounder *const r) {
  for (int i = 0; r->texts && i < r->table->roundings.n; i++) {
    free(r->texts[i]);
  }
  tarei_names_fini(&r->layers);
  free(r->texts);
  free(r->unused);
}

static bool belongs_to(const tarei_rounding *const rounding, const tarei_graph *const g,
                       const tarei_weight_view *const view) {
  return rounding->n == view->n && rounding->k == view->k &&
         rounding->hash == tarei_weight_view_hash(g, view);
}

/* The rounding of a layer's weights, by the name of the layer or of one of its nodes; else one that
 * has the name but belongs to other weights; -1: none. */
static tare_status find_rounding(const tarei_rounder *const r, const tarei_graph *const g,
                                 const tarei_node *const node, const tarei_weight_view *const view,
                                 int *const found, bool *const fits, tare_error *const err) {
  char *const text = tarei_strdup(node->name);
  if (!text) {
    return tarei_fail_memory(err, "roundings of weights", strlen(node->name));
  }
  const char *name;
  for (const char *at = node->name; !*fits && (name = next_layer_name(node->name, text, &at));) {
    const int rounding = tarei_names_find(&r->layers, name);
    if (rounding >= 0 && rounding != *found) {
      *fits = belongs_to(&r->table->roundings.items[rounding], g, view);
      *found = *fits || *found < 0 ? rounding : *found;
    }
  }
  free(text);
  return TARE_OK;
}

tare_status tarei_rounder_find(const tarei_rounder *const r, const tarei_graph *const g,
                               const tarei_node *const node, const tarei_weight_view *const view,
                               const tarei_rounding **const out, tare_error *const err) {
  int found = -1;
  bool fits = false;
  *out = NULL;
  TAREI_TRY(find_rounding(r, g, node, view, &found, &fits, err));
  *out = fits ? &r->table->roundings.items[found] : NULL;
  return TARE_OK;
}

/* --- weights ---------------------------------------------------------------------------------- */

static void round_channel(const float *const w, const tarei_weight_view *const view,
                          const tarei_rounding *const rounding, const int64_t channel,
                          const float scale, float *const to) {
  for (int64_t i = 0; i < view->k; i++) {
    const int64_t at = tarei_weight_view_at(view, channel, i);
    to[at] =
        (float)tarei_weight_round(w[at], scale, tarei_rounding_is_up(rounding, channel, i)) * scale;
  }
}

/* The value that a layer reads alone has new contents; one that others read too stays. */
static bool give_weights(tarei_graph *const g, const int n, const int value,
                         tarei_buffer *const data) {
  int own = value;
  if (tarei_graph_count_uses(g, value) > 1) {
    tarei_str name = {0};
    tarei_str_add(&name, "%s__rounded", g->values[value].name);
    own = name.failed ? -1 : tarei_graph_add_value_like(g, tarei_str_get(&name), value);
    tarei_str_free(&name);
  }
  if (own < 0) {
    tarei_buffer_release(data);
    return false;
  }
  tarei_buffer_release(g->values[own].data);
  g->values[own].data = data;
  if (own != value) {
    tarei_graph_set_in(g, n, 1, own);
  }
  return true;
}

static tare_status round_layer(tarei_graph *const g, const int n,
                               const tarei_weight_view *const view,
                               const tarei_rounding *const rounding, tare_error *const err) {
  const tarei_buffer *const old = g->values[view->value].data;
  const float *const w = old->data;
  const size_t size = old->size;
  float *const scales = tarei_calloc((size_t)view->n, sizeof *scales);
  tarei_buffer *const data = scales ? tarei_buffer_new(size) : NULL;
  for (int64_t j = 0; data && j < view->n; j++) {
    scales[j] = tarei_weight_view_scale(w, view, j);
    round_channel(w, view, rounding, j, scales[j], data->data);
  }
  const bool ok =
      data && give_weights(g, n, view->value, data) &&
      tarei_attr_set_floats(&g->nodes[n], TAREI_ATTR_WEIGHT_SCALES, scales, (int)view->n) &&
      tarei_attr_set_int(&g->nodes[n], TAREI_ATTR_WEIGHT_ROUNDING, TARE_ROUNDING_TABLE);
  free(scales);
  return ok ? TARE_OK : tarei_fail_memory(err, "rounded weights", size);
}

/* --- layers ----------------------------------------------------------------------------------- */

/* Why int8 weights are not rounded by a rounding of their layer. */
static tare_reason reason_against_rounding(const tarei_node *const node, const bool fits) {
  return tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES) ? TARE_REASON_STATED_WEIGHTS
         : !fits                                         ? TARE_REASON_OTHER_WEIGHTS
         : node->op->int8                                ? TARE_REASON_WEIGHT_BLOCKS
                                                         : TARE_REASON_NONE;
}

/* A rounding of a layer that stays float is not needed, but not unused. */
static tare_status apply_to_layer(tarei_rounder *const r, tarei_graph *const g, const int n,
                                  tare_error *const err) {
  tarei_weight_view view;
  int found = -1;
  bool fits = false;
  if (!tarei_weight_view_of(g, &g->nodes[n], &view)) {
    return TARE_OK;
  }
  TAREI_TRY(find_rounding(r, g, &g->nodes[n], &view, &found, &fits, err));
  if (found < 0) {
    return TARE_OK;
  }
  if (tarei_weights_dtype(&g->nodes[n]) != TARE_I8) {
    r->unused[found] &= !fits;
    return TARE_OK;
  }
  const tare_reason why = reason_against_rounding(&g->nodes[n], fits);
  if (!why) {
    r->unused[found] = false;
    return round_layer(g, n, &view, &r->table->roundings.items[found], err);
  }
  return tarei_attr_set_int(&g->nodes[n], TAREI_ATTR_ROUNDING_REFUSED, why)
             ? TARE_OK
             : tarei_fail_memory(err, "layer", sizeof(tarei_attr));
}

static tare_status apply_to_bodies(tarei_rounder *const r, const tarei_node *const node,
                                   tare_error *const err) {
  tarei_graph *body;
  for (int i = 0; (body = tarei_node_body(node, i)) != NULL; i++) {
    TAREI_TRY(tarei_rounder_apply(r, body, err));
  }
  return TARE_OK;
}

tare_status tarei_rounder_apply(tarei_rounder *const r, tarei_graph *const g,
                                tare_error *const err) {
  for (int n = 0; n < g->n_nodes; n++) {
    TAREI_TRY(apply_to_layer(r, g, n, err));
    TAREI_TRY(apply_to_bodies(r, &g->nodes[n], err));
  }
  return tarei_graph_compact(g, err);
}

/* --- records ---------------------------------------------------------------------------------- */

const char *tare_rounding_name(const tare_rounding rounding) {
  static const char *const NAMES[] = {[TARE_ROUNDING_NONE] = "none",
                                      [TARE_ROUNDING_NEAREST] = "nearest",
                                      [TARE_ROUNDING_TABLE] = "table"};
  return (size_t)rounding < sizeof NAMES / sizeof *NAMES ? NAMES[rounding] : "unknown";
}

tare_rounding tarei_weights_rounding(const tarei_graph *const g, const tarei_node *const node) {
  if (!tarei_has_weights(g, node) || tarei_weights_dtype(node) != TARE_I8) {
    return TARE_ROUNDING_NONE;
  }
  return tarei_attr_find(node, TAREI_ATTR_WEIGHT_ROUNDING) ? TARE_ROUNDING_TABLE
         : tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES) ? TARE_ROUNDING_NONE
                                                           : TARE_ROUNDING_NEAREST;
}

tarei_reason tarei_rounding_reason(const tarei_graph *const g, const tarei_node *const node) {
  const int64_t why = tarei_attr_int(node, TAREI_ATTR_ROUNDING_REFUSED, TARE_REASON_NONE);
  return why > TARE_REASON_NONE && why < TARE_REASON_COUNT && tarei_has_weights(g, node)
             ? (tarei_reason){.why = (tare_reason)why, .subject = g->values[node->in[1]].name}
             : (tarei_reason){0};
}
