#include "engine/lower/bodies/branch.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "engine/call.h"
#include "engine/check/length_search.h"
#include "engine/context_parts.h"
#include "engine/sizes.h"
#include "graph/closed.h"
#include "shapes/profiles.h"

/* "; the plan has N=512 in every profile": lengths for which branches were closed. */
static void branch_add_fixed(const tare_plan *const plan, tarei_str *const out) {
  bool any = false;
  for (int s = 0; s < tare_profiles_n_symbols(plan->profiles); s++) {
    int64_t value;
    if (tarei_profiles_fix(plan->profiles, s, &value)) {
      tarei_str_add(out, "%s%s=%" PRId64, any ? ", " : "; the plan has ",
                    tare_profiles_symbol(plan->profiles, s), value);
      any = true;
    }
  }
  tarei_str_add(out, "%s", any ? " in every profile" : "");
}

static tare_status branch_refuse(const tare_plan *const plan, const char *const reason,
                                 const tare_status why, tare_error *const err) {
  tarei_str fixed = {0};
  if (why != TARE_E_UNSUPPORTED) {
    branch_add_fixed(plan, &fixed);
  }
  const tare_status status = why == TARE_E_UNSUPPORTED ? TARE_E_UNSUPPORTED : TARE_E_SHAPE;
  (void)tarei_fail(err, status, "the branch that is taken cannot run: %s%s", reason,
                   tarei_str_get(&fixed));
  tarei_str_free(&fixed);
  return status;
}

typedef struct branch_search {
  const tare_plan *plan;
  const tarei_part *part;
  const int64_t *now; /* the symbols of the run; measured ones stay as they are */
  int64_t *symbols;
} branch_search;

static bool branch_works(void *const user, const int64_t *const values) {
  const branch_search *const b = user;
  for (int s = 0; s < b->plan->n_symbols; s++) {
    const int symbol = b->plan->symbols[s];
    b->symbols[s] = symbol < 0 ? b->now[s] : values[symbol];
  }
  return tarei_part_check_dims(b->part, b->symbols, NULL) == TARE_OK;
}

/* Adds to a failure for sizes which lengths the branch would take. */
static void branch_suggest(const tarei_frame *const frame, const tarei_part *const part,
                           tare_error *const err) {
  const tare_plan *const plan = frame->context->plan;
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  branch_search b = {plan, part, frame->context->symbols,
                     tarei_calloc((size_t)plan->n_symbols, sizeof *b.symbols)};
  for (int s = 0; s < tare_profiles_n_symbols(plan->profiles); s++) {
    values[s] = tare_profiles_range(plan->profiles, 0, s).min; /* a constant of the graph */
  }
  for (int s = 0; s < plan->n_symbols; s++) {
    if (plan->symbols[s] >= 0) {
      values[plan->symbols[s]] = b.now[s];
    }
  }
  tarei_str text = {0};
  if (b.symbols && !branch_works(&b, values)) {
    const tarei_length_search search = {branch_works, &b, plan->profiles};
    const tare_length_near near = tarei_length_search_near(&search, values);
    tarei_length_near_print(&near, plan->profiles, &text);
  }
  if (err && text.length) {
    const tare_error at = *err;
    (void)tarei_fail(err, at.status, "%s; of this branch, %s", at.message, tarei_str_get(&text));
  }
  tarei_str_free(&text);
  free(b.symbols);
}

tare_status tarei_branch_call(const tarei_step *const step, const tarei_run *const run,
                              const int body, tare_error *const err) {
  tare_status why;
  const tarei_graph *const graph = tarei_node_body(step->node, body);
  const char *const reason = tarei_closed_reason(graph, &why);
  if (reason) {
    return branch_refuse(run->frame->context->plan, reason, why, err);
  }
  const tare_status status = tarei_call(step, run, body, NULL, err);
  if (status != TARE_E_SHAPE) {
    return status;
  }
  branch_suggest(run->frame, run->frame->children[step->first_child + body]->part, err);
  return tarei_fail_in(err, status, "branch '%s'", graph->name);
}
