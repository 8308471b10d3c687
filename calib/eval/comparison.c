#include "calib/eval/comparison.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "calib/eval/error_sums.h"
#include "calib/metrics/rows.h"
#include "engine/context.h"
#include "engine/lower/fused.h"
#include "engine/plan.h"

enum { NONE = -1, BLOCK = 512 };

/* A tensor of the last run of the plan. */
typedef struct kept_tensor {
  tare_tensor tensor; /* its data is a copy, owned */
  size_t capacity;
  int64_t valid[TARE_MAX_RANK];
  bool there; /* the run wrote it */
} kept_tensor;

/* Sums of squares at one level of the gain range. */
typedef struct level_sum {
  int64_t values;
  double signal, noise;
} level_sum;

typedef struct compared {
  char *name;         /* in the model; owned */
  int value, against; /* in the root graphs of both plans */
  int next;           /* entry with the same tensor of the reference, or NONE */
  int layer;
  bool viewed; /* the reference is a view of `against` */
  bool unlike; /* dims differ */
  tarei_error_bounds bounds;
  kept_tensor kept;
  tarei_error_sums pending, total;
  bool counted; /* the histogram was asked for */
  int64_t histogram[TARE_ERROR_BINS];
  double before; /* the lowest SQNR of what the layer reads */
  level_sum *levels;
  double *level_sqnr; /* of the levels */
} compared;

typedef struct comparison_side {
  const tare_plan *plan;
  const tare_context *context;
  int *entries; /* per value: the (first) entry, or NONE */
} comparison_side;

struct tare_comparison {
  comparison_side plan, against;
  double *sqnr; /* per value of the plan: its own, or that of what it is made of */
  bool outputs_only;
  int n_levels;      /* 0 without a gain range */
  tarei_names names; /* of the values of the reference, while tensors are matched */
  compared *items;
  int n;
  size_t cap;
};

static const tarei_graph *comparison_graph(const tare_plan *const plan) {
  return plan->root.graph;
}

/* --- matching --------------------------------------------------------------------------------- */

static bool is_bytes(const tarei_value *const v) {
  return v->dtype == TARE_U8 && v->quant.n_scales > 0;
}

static bool is_shown_to_watchers(const tare_plan *const plan, const int v) {
  const tarei_storage storage = plan->root.slots[v].storage;
  const tarei_value *const value = &comparison_graph(plan)->values[v];
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

/* The value of the reference with this name, or NONE. */
static int find_shown(const tare_comparison *const c, const char *const name) {
  const int found = tarei_names_find(&c->names, name);
  return found >= 0 && is_shown_to_watchers(c->against.plan, found) ? found : NONE;
}

/* The value of the reference with this name in the model: float, or else bytes. */
static tare_status find_by_name(const tare_comparison *const c, const char *const name,
                                int *const out, tare_error *const err) {
  static const char *const suffixes[] = {"", "__u8", "__s8"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && *out == NONE; i++) {
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
  return *out == NONE ? find_by_name(c, name, out, err) : TARE_OK;
}

/* Adds a value, if the reference has it. A view has the values of its root, in the same order. */
static tare_status add_entry(tare_comparison *const c, const int value, const int layer,
                             tare_error *const err) {
  const tarei_value *const own = &comparison_graph(c->plan.plan)->values[value];
  char *const name = model_name(own);
  int against = NONE;
  tare_status status = name ? TARE_OK : tarei_fail_memory(err, "comparison", sizeof *c->items);
  if (status == TARE_OK) {
    status = find_against(c, own, name, &against, err);
  }
  if (status != TARE_OK || against == NONE) {
    free(name);
    return status;
  }
  if (!TAREI_GROW(c->items, c->n, c->cap)) {
    free(name);
    return tarei_fail_memory(err, "comparison", sizeof *c->items);
  }
  const int root = c->against.plan->root.slots[against].root;
  c->items[c->n] = (compared){.name = name,
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
        (!c->outputs_only || comparison_graph(c->plan.plan)->values[v].is_output)) {
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
    if (root != v && c->plan.entries[v] == NONE && is_shown_to_watchers(c->plan.plan, v)) {
      const int entry = c->plan.entries[root];
      TAREI_TRY(add_entry(c, v, entry == NONE ? NONE : c->items[entry].layer, err));
    }
  }
  return TARE_OK;
}

static tare_status comparison_side_init(comparison_side *const side, const tare_plan *const plan,
                                        tare_error *const err) {
  const int n = comparison_graph(plan)->n_values;
  side->plan = plan;
  side->entries = tarei_calloc((size_t)n, sizeof *side->entries);
  for (int v = 0; side->entries && v < n; v++) {
    side->entries[v] = NONE;
  }
  return side->entries ? TARE_OK : tarei_fail_memory(err, "comparison", (size_t)n * sizeof(int));
}

static tare_status comparison_match(tare_comparison *const c, const tare_plan *const plan,
                                    const tare_plan *const against, tare_error *const err) {
  TAREI_TRY(comparison_side_init(&c->plan, plan, err));
  TAREI_TRY(comparison_side_init(&c->against, against, err));
  const size_t n = (size_t)comparison_graph(plan)->n_values;
  c->sqnr = tarei_calloc(n, sizeof *c->sqnr);
  if (!c->sqnr) {
    return tarei_fail_memory(err, "comparison", n * sizeof *c->sqnr);
  }
  for (int s = 0; s < plan->root.n_steps; s++) {
    TAREI_TRY(comparison_add_step(c, &plan->root.steps[s], err));
  }
  return comparison_add_views(c, err);
}

tare_status tare_comparison_new(const tare_plan *const plan, const tare_plan *const against,
                                const bool outputs_only, tare_comparison **const out,
                                tare_error *const err) {
  tare_comparison *c = tarei_calloc(1, sizeof *c);
  *out = NULL;
  if (!c) {
    return tarei_fail_memory(err, "comparison", sizeof *c);
  }
  c->outputs_only = outputs_only;
  tare_status status = tarei_graph_name_values(comparison_graph(against), &c->names, err);
  status = status == TARE_OK ? comparison_match(c, plan, against, err) : status;
  tarei_names_fini(&c->names);
  if (status != TARE_OK) {
    tare_comparison_free(&c);
    return status;
  }
  *out = c;
  return TARE_OK;
}

void tare_comparison_free(tare_comparison **const comparison) {
  tare_comparison *const c = *comparison;
  for (int i = 0; c && i < c->n; i++) {
    free(c->items[i].name);
    free(c->items[i].kept.tensor.data);
    free(c->items[i].levels);
    free(c->items[i].level_sqnr);
  }
  if (c) {
    free(c->items);
    free(c->plan.entries);
    free(c->against.entries);
    free(c->sqnr);
    free(c);
    *comparison = NULL;
  }
}

/* --- during runs ------------------------------------------------------------------------------ */

/* Values as floats. */
static void load_floats(const comparison_side *const side, const int value,
                        const tare_tensor *const t, const int64_t at, const int n,
                        float *const out) {
  if (t->dtype == TARE_F32) {
    memcpy(out, (const float *)t->data + at, (size_t)n * sizeof *out);
    return;
  }
  const tarei_graph *const g = comparison_graph(side->plan);
  const int profile = g->values[value].quant.n_scales > 1 ? tare_context_profile(side->context) : 0;
  const float scale = tarei_u8_scale(g, value, profile);
  const int32_t zero = tarei_u8_zero_point(g, value);
  for (int i = 0; i < n; i++) {
    out[i] = (float)(((const uint8_t *)t->data)[at + i] - zero) * scale;
  }
}

static tare_status keep_tensor(void *const user, const int value, const tare_tensor *const t,
                               const int64_t *const valid, tare_error *const err) {
  tare_comparison *const c = user;
  if (c->plan.entries[value] == NONE) {
    return TARE_OK;
  }
  kept_tensor *const kept = &c->items[c->plan.entries[value]].kept;
  const size_t bytes = (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
  void *data = kept->tensor.data;
  if (bytes > kept->capacity) {
    data = tarei_realloc(data, bytes);
    if (!data) {
      return tarei_fail_memory(err, "tensor to compare", bytes);
    }
    kept->capacity = bytes;
  }
  kept->tensor = *t;
  kept->tensor.data = data;
  kept->there = true;
  if (bytes) {
    memcpy(data, t->data, bytes);
  }
  memcpy(kept->valid, valid, (size_t)t->rank * sizeof *valid);
  return TARE_OK;
}

static void compare_run_of(tare_comparison *const c, compared *const e,
                           const tare_tensor *const want, const int64_t from, const int64_t n) {
  float g[BLOCK], w[BLOCK];
  for (int64_t at = 0; at < n; at += BLOCK) {
    const int length = n - at < BLOCK ? (int)(n - at) : BLOCK;
    load_floats(&c->plan, e->value, &e->kept.tensor, from + at, length, g);
    load_floats(&c->against, e->against, want, from + at, length, w);
    tarei_error_sums_take(&e->pending, &e->bounds, g, w, length);
  }
}

static bool dims_fit(const compared *const e, const tare_tensor *const want) {
  const tare_tensor *const got = &e->kept.tensor;
  if (e->viewed) {
    return tare_tensor_count(got) == tare_tensor_count(want);
  }
  return got->rank == want->rank &&
         memcmp(got->dims, want->dims, (size_t)got->rank * sizeof *got->dims) == 0;
}

static void compare_entry(tare_comparison *const c, compared *const e,
                          const tare_tensor *const want) {
  const kept_tensor *const kept = &e->kept;
  if (!kept->there || !dims_fit(e, want)) {
    e->unlike = e->unlike || kept->there;
    return;
  }
  const tare_tensor *const got = &kept->tensor;
  if (memcmp(kept->valid, got->dims, (size_t)got->rank * sizeof *got->dims) == 0) {
    compare_run_of(c, e, want, 0, tare_tensor_count(got));
    return;
  }
  tarei_rows rows;
  tarei_rows_begin(got, kept->valid, &rows);
  for (int64_t offset = 0; tarei_rows_next(&rows, &offset);) {
    compare_run_of(c, e, want, offset, rows.length);
  }
}

static tare_status compare_tensor(void *const user, const int value, const tare_tensor *const t,
                                  const int64_t *const valid, tare_error *const err) {
  tare_comparison *const c = user;
  (void)valid; /* that of the plan counts */
  (void)err;
  for (int i = c->against.entries[value]; i != NONE; i = c->items[i].next) {
    compare_entry(c, &c->items[i], t);
    c->items[i].kept.there = false;
  }
  return TARE_OK;
}

static tare_status make_levels(tare_comparison *const c, const int n, tare_error *const err) {
  c->n_levels = n;
  for (int i = 0; n && i < c->n; i++) {
    compared *const e = &c->items[i];
    free(e->levels);
    free(e->level_sqnr);
    e->levels = tarei_calloc((size_t)n, sizeof *e->levels);
    e->level_sqnr = tarei_calloc((size_t)n, sizeof *e->level_sqnr);
    if (!e->levels || !e->level_sqnr) {
      return tarei_fail_memory(err, "comparison", (size_t)n * sizeof *e->levels);
    }
    for (int l = 0; l < n; l++) {
      e->level_sqnr[l] = NAN;
    }
  }
  return TARE_OK;
}

tare_status tarei_comparison_attach(tare_comparison *const c, tare_context *const plan,
                                    tare_context *const against, const int n_levels,
                                    tare_error *const err) {
  TAREI_TRY(make_levels(c, n_levels, err));
  c->plan.context = plan;
  c->against.context = against;
  tarei_context_set_watcher(plan, keep_tensor, c);
  tarei_context_set_watcher(against, compare_tensor, c);
  return TARE_OK;
}

bool tarei_comparison_is_of(const tare_comparison *const c, const tare_plan *const plan,
                            const tare_plan *const against) {
  return c->plan.plan == plan && c->against.plan == against;
}

void tarei_comparison_begin(tare_comparison *const c) {
  for (int i = 0; i < c->n; i++) {
    c->items[i].pending = (tarei_error_sums){0};
    c->items[i].kept.there = false;
  }
}

/* Of all levels; NAN where nothing was compared. */
static double lowest_sqnr(const tare_comparison *const c, const compared *const e) {
  if (!c->n_levels) {
    return e->total.values ? tarei_sqnr_db(e->total.want2, e->total.diff2) : NAN;
  }
  double lowest = NAN;
  for (int l = 0; l < c->n_levels; l++) {
    lowest = fmin(lowest, e->level_sqnr[l]);
  }
  return lowest;
}

static double lowest_input(const tare_comparison *const c, const tarei_node *const node) {
  double lowest = INFINITY;
  for (int i = 0; i < node->n_in; i++) {
    lowest = node->in[i] < 0 ? lowest : fmin(lowest, c->sqnr[node->in[i]]);
  }
  return lowest;
}

/* Carries the SQNR of the compared tensors along the nodes, which stand in the order of runs. */
static void carry_sqnr(tare_comparison *const c) {
  const tarei_graph *const g = comparison_graph(c->plan.plan);
  for (int v = 0; v < g->n_values; v++) {
    c->sqnr[v] = INFINITY;
  }
  for (int n = 0; n < g->n_nodes; n++) {
    const double before = lowest_input(c, &g->nodes[n]);
    for (int o = 0; o < g->nodes[n].n_out; o++) {
      const int v = g->nodes[n].out[o];
      compared *const e =
          v < 0 || c->plan.entries[v] == NONE ? NULL : &c->items[c->plan.entries[v]];
      if (e) {
        e->before = before;
      }
      if (v >= 0) {
        c->sqnr[v] = e && e->total.values ? lowest_sqnr(c, e) : before;
      }
    }
  }
}

static void add_to_level(compared *const e, const int level) {
  level_sum *const sum = &e->levels[level];
  sum->values += e->pending.values;
  sum->signal += e->pending.want2;
  sum->noise += e->pending.diff2;
  if (sum->values) {
    e->level_sqnr[level] = tarei_sqnr_db(sum->signal, sum->noise);
  }
}

void tarei_comparison_commit(tare_comparison *const c, const int level) {
  for (int i = 0; i < c->n; i++) {
    compared *const e = &c->items[i];
    tarei_error_sums_add(&e->total, &e->pending);
    if (c->n_levels) {
      add_to_level(e, level);
    }
    if (e->counted) {
      tarei_error_sums_histogram(&e->total, e->histogram);
    }
  }
  carry_sqnr(c);
}

/* --- results ---------------------------------------------------------------------------------- */

int tare_comparison_count(const tare_comparison *const c) {
  return c->n;
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

void tare_comparison_set_bounds(tare_comparison *const c, const int i, const double atol,
                                const double rtol) {
  if (!tarei_has_number(i, c->n)) {
    return;
  }
  c->items[i].bounds.set = true;
  c->items[i].bounds.atol = atol;
  c->items[i].bounds.rtol = rtol;
}

void tare_comparison_set_histogram(tare_comparison *const c, const int i) {
  if (!tarei_has_number(i, c->n)) {
    return;
  }
  c->items[i].counted = true;
}

tare_tensor_error tare_comparison_tensor(const tare_comparison *const c, const int i) {
  if (!tarei_has_number(i, c->n)) {
    return (tare_tensor_error){0};
  }
  const compared *const e = &c->items[i];
  const tarei_value *const value = &comparison_graph(c->plan.plan)->values[e->value];
  tare_tensor_error out = {.name = e->name,
                           .stored = value->name,
                           .dtype = value->dtype,
                           .layer = e->layer,
                           .is_output = value->is_output,
                           .comparable = !e->unlike,
                           .input_sqnr_db = e->before,
                           .level_sqnr_db = c->n_levels ? e->level_sqnr : NULL,
                           .histogram = e->counted ? e->histogram : NULL};
  tarei_error_sums_conclude(&e->total, &out);
  out.lowest_sqnr_db = lowest_sqnr(c, e);
  return out;
}
