#include "graph/quantize/weights/round_weights.h"

#include <xxhash.h>

#include "base/mem.h"
#include "graph/passes/rewrite.h"
#include "graph/quantize/weights/correct_bias.h"
#include "graph/quantize/weights/weight_scale.h"
#include "graph/quantize/weights/weight_types.h"
#include "graph/table/table.h"

/* --- the choices of a table ------------------------------------------------------------------- */

uint64_t tarei_clipped_hash(const uint64_t weights, const tarei_layer_numbers *const clipping) {
  return clipping ? XXH64(clipping->values, (size_t)clipping->n * sizeof *clipping->values, weights)
                  : weights;
}

tare_status tarei_rounder_init(tarei_rounder *const r, const tare_table *const table,
                               const bool to_nearest, tare_error *const err) {
  const tarei_roundings none = {0};
  *r = (tarei_rounder){.table = table};
  TAREI_TRY(tarei_layer_index_init(&r->roundings,
                                   TAREI_NAMED(to_nearest ? &none : &table->roundings), err));
  TAREI_TRY(tarei_layer_index_init(&r->clippings,
                                   TAREI_NAMED(&table->numbers[TAREI_NUMBERS_CLIPPING]), err));
  return tarei_layer_index_init(&r->means, TAREI_NAMED(&table->numbers[TAREI_NUMBERS_MEANS]), err);
}

void tarei_rounder_fini(tarei_rounder *const r) {
  tarei_layer_index_fini(&r->roundings);
  tarei_layer_index_fini(&r->clippings);
  tarei_layer_index_fini(&r->means);
}

/* The weights of a layer, and the scales that the table has for them. */
typedef struct layer_weights {
  const tarei_weight_view *view;
  uint64_t hash;
  const tarei_layer_numbers *clipping;
} layer_weights;

static bool clipping_belongs_to(const void *const item, const void *const user) {
  const tarei_layer_numbers *const clipping = item;
  const layer_weights *const w = user;
  return clipping->n == w->view->n && clipping->hash == w->hash;
}

static bool means_belong_to(const void *const item, const void *const user) {
  const tarei_layer_numbers *const means = item;
  const layer_weights *const w = user;
  return means->n == w->view->k && means->hash == w->hash;
}

static bool rounding_belongs_to(const void *const item, const void *const user) {
  const tarei_rounding *const rounding = item;
  const layer_weights *const w = user;
  return rounding->n == w->view->n && rounding->k == w->view->k &&
         rounding->hash == tarei_clipped_hash(w->hash, w->clipping);
}

/* Items of a layer in the lists, -1 for none, and whether they belong to its weights. */
typedef struct found_choices {
  int rounding, clipping, means;
  bool rounded, clipped, has_means;
  tarei_weight_choice choice;
} found_choices;

static tare_status find_choices(const tarei_rounder *const r, const tarei_graph *const g,
                                const tarei_node *const node, const tarei_weight_view *const view,
                                found_choices *const f, tare_error *const err) {
  layer_weights w = {.view = view, .hash = tarei_weight_view_hash(g, view)};
  *f = (found_choices){0};
  TAREI_TRY(tarei_layer_index_find(&r->clippings, node, clipping_belongs_to, &w, &f->clipping,
                                   &f->clipped, err));
  if (f->clipped) {
    w.clipping = f->choice.clipping = &r->table->numbers[TAREI_NUMBERS_CLIPPING].items[f->clipping];
  }
  TAREI_TRY(tarei_layer_index_find(&r->roundings, node, rounding_belongs_to, &w, &f->rounding,
                                   &f->rounded, err));
  TAREI_TRY(
      tarei_layer_index_find(&r->means, node, means_belong_to, &w, &f->means, &f->has_means, err));
  if (f->has_means) {
    f->choice.means = &r->table->numbers[TAREI_NUMBERS_MEANS].items[f->means];
  }
  if (f->rounded) {
    f->choice.rounding = &r->table->roundings.items[f->rounding];
  }
  return TARE_OK;
}

tare_status tarei_rounder_find(const tarei_rounder *const r, const tarei_graph *const g,
                               const tarei_node *const node, const tarei_weight_view *const view,
                               tarei_weight_choice *const out, tare_error *const err) {
  found_choices found;
  *out = (tarei_weight_choice){0};
  TAREI_TRY(find_choices(r, g, node, view, &found, err));
  *out = found.choice;
  return TARE_OK;
}

/* --- weights ---------------------------------------------------------------------------------- */

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

static void round_channel(const float *const w, const tarei_weight_view *const view,
                          const tarei_weight_choice *const choice, const int64_t channel,
                          const float scale, float *const to) {
  for (int64_t i = 0; i < view->k; i++) {
    to[tarei_weight_view_at(view, channel, i)] =
        (float)tarei_chosen_weight(choice, w, view, scale, channel, i) * scale;
  }
}

static bool round_note(tarei_node *const node, const tarei_weight_choice *const choice) {
  const tare_rounding how = choice->rounding ? TARE_ROUNDING_TABLE : TARE_ROUNDING_NEAREST;
  return tarei_attr_set_int(node, TAREI_ATTR_WEIGHT_ROUNDING, how) &&
         (!choice->clipping || tarei_attr_set_int(node, TAREI_ATTR_WEIGHTS_CLIPPED, 1));
}

static tare_status round_layer(tarei_graph *const g, const int n,
                               const tarei_weight_view *const view,
                               const tarei_weight_choice *const choice, tare_error *const err) {
  const tarei_buffer *const old = g->values[view->value].data;
  const float *const w = old->data;
  const size_t size = old->size;
  float *const scales = tarei_calloc((size_t)view->n, sizeof *scales);
  tarei_buffer *const data = scales ? tarei_buffer_new(size) : NULL;
  for (int64_t j = 0; data && j < view->n; j++) {
    scales[j] = tarei_chosen_scale(choice, w, view, j);
    round_channel(w, view, choice, j, scales[j], data->data);
  }
  const bool ok =
      data && give_weights(g, n, view->value, data) &&
      tarei_attr_set_floats(&g->nodes[n], TAREI_ATTR_WEIGHT_SCALES, scales, (int)view->n) &&
      round_note(&g->nodes[n], choice);
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

/* Weights that can have scales of the table and be rounded to them. */
static bool takes_choices(const tarei_node *const node) {
  return tarei_weights_dtype(node) == TARE_I8 && !node->op->int8 &&
         !tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES);
}

/* What is said of a layer that stays float is not needed, but not unused. */
static void mark_used(tarei_rounder *const r, const found_choices *const f, const bool taken) {
  if (f->rounding >= 0 && f->rounded) {
    r->roundings.unused[f->rounding] = r->roundings.unused[f->rounding] && !taken;
  }
  if (f->clipping >= 0 && f->clipped) {
    r->clippings.unused[f->clipping] = r->clippings.unused[f->clipping] && !taken;
  }
  if (f->means >= 0 && f->has_means) {
    r->means.unused[f->means] = r->means.unused[f->means] && !taken;
  }
}

static tare_status apply_to_layer(tarei_rounder *const r, tarei_graph *const g, const int n,
                                  tare_error *const err) {
  tarei_weight_view view;
  found_choices f;
  if (!tarei_row_weights_of(g, &g->nodes[n], &view)) {
    return TARE_OK;
  }
  TAREI_TRY(find_choices(r, g, &g->nodes[n], &view, &f, err));
  const bool int8 = tarei_weights_dtype(&g->nodes[n]) == TARE_I8;
  const bool takes = takes_choices(&g->nodes[n]);
  mark_used(r, &f, !int8 || takes);
  const tare_reason why =
      int8 && f.rounding >= 0 ? reason_against_rounding(&g->nodes[n], f.rounded) : TARE_REASON_NONE;
  if (why && !tarei_attr_set_int(&g->nodes[n], TAREI_ATTR_ROUNDING_REFUSED, why)) {
    return tarei_fail_memory(err, "layer", sizeof(tarei_attr));
  }
  TAREI_TRY(takes && f.has_means ? tarei_correct_bias(g, n, &view, &f.choice, err) : TARE_OK);
  return takes && (f.rounded || f.clipped) ? round_layer(g, n, &view, &f.choice, err) : TARE_OK;
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
  return (size_t)rounding < sizeof NAMES / sizeof *NAMES ? NAMES[rounding] : NULL;
}

tare_rounding tarei_weights_rounding(const tarei_graph *const g, const tarei_node *const node) {
  if (!tarei_has_weights(g, node) || tarei_weights_dtype(node) != TARE_I8) {
    return TARE_ROUNDING_NONE;
  }
  const bool stated = tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES) != NULL;
  return (tare_rounding)tarei_attr_int(node, TAREI_ATTR_WEIGHT_ROUNDING,
                                       stated ? TARE_ROUNDING_NONE : TARE_ROUNDING_NEAREST);
}

bool tarei_weights_clipped(const tarei_node *const node) {
  return tarei_attr_int(node, TAREI_ATTR_WEIGHTS_CLIPPED, 0) == 1;
}

tarei_reason tarei_rounding_reason(const tarei_graph *const g, const tarei_node *const node) {
  const int64_t why = tarei_attr_int(node, TAREI_ATTR_ROUNDING_REFUSED, TARE_REASON_NONE);
  return why > TARE_REASON_NONE && why < TARE_REASON_COUNT && tarei_has_weights(g, node)
             ? (tarei_reason){.why = (tare_reason)why, .subject = g->values[node->in[1]].name}
             : (tarei_reason){0};
}
