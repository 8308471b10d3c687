/* Asks the graph of a model about lengths. The graph as it was read is there at once; where it says
 * no, that of a plan decides, in which less may be left to fail. */
#include "engine/check/length_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/refusals.h"
#include "engine/check/length_search.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/plan_limits.h"
#include "engine/plan_profiles.h"
#include "engine/sizes.h"
#include "graph/model.h"
#include "shapes/profiles.h"

enum { SURELY = 2 }; /* so many times the tensors that are live hold what a run needs beside them */

struct tare_length_check {
  const tare_model *model;
  tare_profiles *profiles;
  tare_plan *read;      /* as it was read; no steps */
  tare_plan *optimized; /* NULL until it is needed */
  bool has_steps;
  int64_t *symbols; /* of the graphs */
  size_t n_symbols;
  tare_length_near near; /* the last one, of these values */
  tarei_str near_text;
  int64_t near_values[TARE_MAX_SYMBOLS];
};

static tare_status length_check_make(tare_length_check *const c,
                                     const tare_profiles *const profiles, tare_error *const err) {
  c->near.symbol = -1;
  TAREI_TRY(tarei_profiles_clone(profiles, &c->profiles, err));
  return tarei_plan_build_graph(c->model, profiles, false, &c->read, err);
}

tare_status tare_length_check_new(const tare_model *const model,
                                  const tare_profiles *const profiles,
                                  tare_length_check **const out, tare_error *const err) {
  *out = NULL;
  tare_length_check *c = tarei_calloc(1, sizeof *c);
  if (!c) {
    return tarei_fail_memory(err, "length check", sizeof *c);
  }
  c->model = model;
  const unsigned refusals = tarei_refusals();
  const tare_status made = length_check_make(c, profiles, err);
  const tare_status status = tarei_settle(refusals, made, model->graph->name, err);
  if (status != TARE_OK) {
    tare_length_check_free(&c);
    return status;
  }
  *out = c;
  return TARE_OK;
}

void tare_length_check_free(tare_length_check **const handle) {
  tare_length_check *const c = *handle;
  if (c) {
    tare_plan_free(&c->read);
    tare_plan_free(&c->optimized);
    tare_profiles_free(&c->profiles);
    free(c->symbols);
    tarei_str_free(&c->near_text);
    free(c);
    *handle = NULL;
  }
}

const tare_profiles *tarei_length_check_profiles(const tare_length_check *const check) {
  return check->profiles;
}

/* The values of the symbols of a graph. */
static tare_status length_check_set(tare_length_check *const c, const tare_plan *const plan,
                                    const int64_t *const values, tare_error *const err) {
  const size_t n = (size_t)plan->n_symbols;
  if (n > c->n_symbols || !c->symbols) {
    free(c->symbols);
    c->symbols = tarei_calloc(n, sizeof *c->symbols);
    c->n_symbols = c->symbols ? n : 0;
  }
  if (!c->symbols) {
    return tarei_fail_memory(err, "symbols", n * sizeof *c->symbols);
  }
  tarei_plan_symbols(plan, values, c->symbols);
  return TARE_OK;
}

static tare_status length_check_optimize(tare_length_check *const c, tare_error *const err) {
  return c->optimized ? TARE_OK
                      : tarei_plan_build_graph(c->model, c->profiles, true, &c->optimized, err);
}

/* Where both graphs fail, that of the model has the names that its user knows. */
static tare_status length_check_shapes(tare_length_check *const c, const int64_t *const values,
                                       tare_error *const err) {
  tare_error read = {0}, optimized = {0};
  TAREI_TRY(length_check_set(c, c->read, values, err));
  TAREI_TRY(tarei_plan_check_operands(c->read, c->symbols, err));
  if (tarei_plan_check_dims(c->read, c->symbols, &read) == TARE_OK) {
    return TARE_OK;
  }
  TAREI_TRY(length_check_optimize(c, err));
  TAREI_TRY(length_check_set(c, c->optimized, values, err));
  return tarei_plan_check_dims(c->optimized, c->symbols, &optimized) == TARE_OK
             ? TARE_OK
             : tarei_fail(err, optimized.status, "%s", read.message);
}

/* From the lengths that were given, or what is shorter, to the values. */
static tare_status length_check_bound(const tare_length_check *const c, tare_plan *const plan,
                                      const int64_t *const values, tare_error *const err) {
  int64_t least[TARE_MAX_SYMBOLS] = {0};
  for (int s = 0; s < tare_profiles_n_symbols(c->profiles); s++) {
    const int64_t min = tare_profiles_range(c->profiles, 0, s).min;
    least[s] = min < values[s] ? min : values[s];
  }
  return tarei_profiles_replace(plan->profiles, least, values, err);
}

static size_t length_check_bytes(const tarei_part *const root, const int v) {
  return v < 0 || root->slots[v].storage == TAREI_STORE_CONST ? 0 : root->slots[v].bytes;
}

/* The most that is live at a time, where every value has memory of its own from its node to its
 * last reader. `last` has room for a node of each value. */
static size_t length_check_peak(const tarei_part *const root, int *const last) {
  const tarei_graph *const g = root->graph;
  size_t live = 0, peak = 0;
  for (int n = 0; n < g->n_nodes; n++) {
    for (int i = 0; i < g->nodes[n].n_in; i++) {
      if (g->nodes[n].in[i] >= 0) {
        last[g->nodes[n].in[i]] = n;
      }
    }
  }
  for (int i = 0; i < g->n_inputs; i++) {
    live = tarei_plus(live, length_check_bytes(root, g->inputs[i]));
  }
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    for (int o = 0; o < node->n_out; o++) {
      live = tarei_plus(live, length_check_bytes(root, node->out[o]));
    }
    peak = live > peak ? live : peak;
    for (int i = 0; i < node->n_in; i++) {
      const int v = node->in[i];
      const bool ends = v >= 0 && last[v] == n && !g->values[v].is_input && !g->values[v].is_output;
      const size_t bytes = ends ? length_check_bytes(root, v) : 0;
      live -= bytes < live ? bytes : live;
      if (ends) {
        last[v] = -1; /* a node may read it twice */
      }
    }
  }
  return peak;
}

/* Whether the tensors that are live together are far below the limit, so that nothing has to be
 * planned. */
static bool length_check_is_small(tare_length_check *const c, const int64_t *const values) {
  const tarei_part *const root = &c->read->root;
  if (length_check_bound(c, c->read, values, NULL) != TARE_OK ||
      tarei_part_bound(root, NULL) != TARE_OK) {
    return false;
  }
  int *const last = tarei_calloc((size_t)root->graph->n_values, sizeof *last);
  const size_t peak = last ? length_check_peak(root, last) : SIZE_MAX;
  free(last);
  return peak <= (size_t)root->graph->limits.memory / SURELY;
}

/* Once, since what steps need depends on bounds only when they are asked. */
static tare_status length_check_make_steps(tare_length_check *const c, tare_error *const err) {
  if (c->has_steps) {
    return TARE_OK;
  }
  const tare_status status = tarei_part_make_steps(&c->optimized->root, err);
  if (status != TARE_OK) {
    tare_plan_free(&c->optimized);
  }
  c->has_steps = status == TARE_OK;
  return status;
}

static tare_status length_check_memory(tare_length_check *const c, const int64_t *const values,
                                       tare_error *const err) {
  if (length_check_is_small(c, values)) {
    return TARE_OK;
  }
  TAREI_TRY(length_check_optimize(c, err));
  TAREI_TRY(length_check_bound(c, c->optimized, values, err));
  TAREI_TRY(tarei_part_bound(&c->optimized->root, err));
  TAREI_TRY(length_check_make_steps(c, err));
  TAREI_TRY(tarei_plan_memory(c->optimized, err));
  const int64_t bytes = tarei_plan_run_bytes(c->optimized, 1 /* thread */);
  const tare_limits *const limits = &c->optimized->root.graph->limits;
  return bytes <= limits->memory ? TARE_OK
                                 : tarei_fail_limit(err, limits, TAREI_LIMIT_memory, bytes,
                                                    "a run at this length needs");
}

tare_status tare_length_check_at(tare_length_check *const c, const int64_t *const values,
                                 tare_error *const err) {
  const unsigned refusals = tarei_refusals();
  tare_status status = length_check_shapes(c, values, err);
  status = status == TARE_OK ? length_check_memory(c, values, err) : status;
  return tarei_settle(refusals, status, c->model->graph->name, err);
}

/* A search that runs out of memory. */
typedef struct near_search {
  tare_length_check *check;
  tare_error err;
} near_search;

static bool near_works(void *const user, const int64_t *const values) {
  near_search *const n = user;
  tare_error why = {0};
  const tare_status status = tare_length_check_at(n->check, values, &why);
  n->err = status == TARE_E_MEMORY ? why : n->err;
  return status == TARE_OK;
}

/* Whether values fail for what the last ones failed for: below the same bound, all else equal. */
static bool near_is_known(const tare_length_check *const c, const int64_t *const values) {
  const tare_length_near *const near = &c->near;
  bool known = near->symbol >= 0 && near->ends;
  for (int s = 0; known && s < tare_profiles_n_symbols(c->profiles); s++) {
    const int64_t v = values[s];
    known = s != near->symbol  ? v == c->near_values[s] || tare_profiles_is_sum(c->profiles, s)
            : near->above >= 0 ? v < near->above
                               : v > near->below;
  }
  return known;
}

tare_status tare_length_check_near(tare_length_check *const c, const int64_t *const values,
                                   tare_length_near *const out, tare_error *const err) {
  if (!near_is_known(c, values)) {
    near_search n = {.check = c};
    const tarei_length_search search = {near_works, &n, c->profiles};
    c->near = tarei_length_search_near(&search, values);
    memcpy(c->near_values, values,
           (size_t)tare_profiles_n_symbols(c->profiles) * sizeof *c->near_values);
    if (n.err.status != TARE_OK) {
      c->near.symbol = -1;
      return tarei_fail(err, n.err.status, "%s", n.err.message);
    }
    tarei_str_free(&c->near_text);
    tarei_length_near_print(&c->near, c->profiles, &c->near_text);
  }
  *out = c->near;
  out->text = tarei_str_get(&c->near_text);
  return TARE_OK;
}

/* "S=300", with all lengths that are not 1. */
static void explain_values(const tare_length_check *const c, const int64_t *const values,
                           const int symbol, tarei_str *const out) {
  for (int s = 0; s < tare_profiles_n_symbols(c->profiles); s++) {
    if (s == symbol || (values[s] != 1 && !tare_profiles_is_sum(c->profiles, s))) {
      tarei_str_add(out, "%s%s=%lld", out->length ? ", " : "", tare_profiles_symbol(c->profiles, s),
                    (long long)values[s]);
    }
  }
}

static tare_status explain_failure(const tare_length_check *const c, const int64_t *const values,
                                   const tare_length_near *const near, const tare_error *const why,
                                   tare_error *const err) {
  const bool is_short = near->above > 0 && near->below < 0;
  const bool is_long = near->below > 0 && near->above < 0;
  tarei_str lengths = {0};
  explain_values(c, values, near->symbol, &lengths);
  const char *const text = tarei_str_get(&lengths);
  const tare_status status = tarei_fail(err, why->status, "%s %s %s the model: %s%s%s", text,
                                        strchr(text, ',') ? "are" : "is",
                                        is_short  ? "too short for"
                                        : is_long ? "too long for"
                                                  : "no length of",
                                        why->message, *near->text ? "; " : "", near->text);
  tarei_str_free(&lengths);
  return status;
}

tare_status tare_length_check_explain(tare_length_check *const c, const int64_t *const values,
                                      tare_length_near *const near, tare_error *const err) {
  tare_error why = {0};
  tare_length_near found = {.symbol = -1, .below = -1, .above = -1, .text = ""};
  const tare_status status = tare_length_check_at(c, values, &why);
  if (status != TARE_E_SHAPE && status != TARE_E_LIMIT) {
    return status == TARE_OK ? status : tarei_fail(err, status, "%s", why.message);
  }
  TAREI_TRY(tare_length_check_near(c, values, &found, err));
  if (near) {
    *near = found;
  }
  return explain_failure(c, values, &found, &why, err);
}
