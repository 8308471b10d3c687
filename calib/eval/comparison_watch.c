/*
 * Watches the runs of both plans: what the first one writes is kept until the second has it too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calib/eval/comparison.h"
#include "calib/eval/comparison_state.h"
#include "calib/metrics/rows.h"
#include "engine/context.h"
#include "engine/lower/fused.h"
#include "engine/observe/muted.h"

/* Values as numbers. */
static void load_numbers(const tarei_comparison_side *const side, const int value,
                         const tare_tensor *const t, const int64_t at, const int n,
                         double *const out) {
  if (t->dtype == TARE_F32) {
    for (int i = 0; i < n; i++) {
      out[i] = ((const float *)t->data)[at + i];
    }
    return;
  }
  const tarei_graph *const g = tarei_comparison_graph(side->plan);
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
  const int entry = c->plan.entries[value];
  if (entry == TAREI_NO_ENTRY) {
    return TARE_OK;
  }
  tarei_compared *const e = &c->items[entry];
  TAREI_TRY(tarei_kept_tensor_set(&e->kept, t, err));
  memcpy(e->valid, valid, (size_t)t->rank * sizeof *valid);
  e->is_kept = true;
  return TARE_OK;
}

static tare_status keep_muted(void *const user, const int value, const tare_tensor *const t,
                              const int64_t *const valid, tare_error *const err) {
  tare_comparison *const c = user;
  (void)valid; /* that of the plan counts */
  for (int i = c->against.entries[value]; i != TAREI_NO_ENTRY; i = c->items[i].next) {
    TAREI_TRY(tarei_kept_tensor_set(&c->items[i].muted, t, err));
    c->items[i].is_muted = true;
  }
  return TARE_OK;
}

/* --- a pair of tensors ------------------------------------------------------------------------ */

typedef void compare_take(tare_comparison *c, tarei_compared *e, const tarei_measured *block,
                          double bound);

static void see_values(tare_comparison *const c, tarei_compared *const e,
                       const tarei_measured *const block, const double bound) {
  (void)e;
  (void)bound;
  tarei_sizes_see(&c->seen, block);
}

static void sum_errors(tare_comparison *const c, tarei_compared *const e,
                       const tarei_measured *const block, const double bound) {
  (void)c;
  tarei_error_sums_take(&e->pending, &e->bounds, block, bound);
}

/* Elements from `from` on, with what takes them. */
typedef struct compare_part {
  compare_take *take;
  double bound;
  int64_t from, n;
} compare_part;

static void compare_run_of(tare_comparison *const c, tarei_compared *const e,
                           const tare_tensor *const want, const compare_part *const part) {
  double g[TAREI_MEASURE_BLOCK], w[TAREI_MEASURE_BLOCK], m[TAREI_MEASURE_BLOCK];
  for (int64_t at = 0; at < part->n; at += TAREI_MEASURE_BLOCK) {
    const int64_t first = part->from + at;
    const int n = part->n - at < TAREI_MEASURE_BLOCK ? (int)(part->n - at) : TAREI_MEASURE_BLOCK;
    load_numbers(&c->plan, e->value, &e->kept.tensor, first, n, g);
    load_numbers(&c->against, e->against, want, first, n, w);
    if (e->is_muted) {
      load_numbers(&c->against, e->against, &e->muted.tensor, first, n, m);
    }
    const tarei_measured block = {.got = g, .want = w, .muted = e->is_muted ? m : NULL, .n = n};
    part->take(c, e, &block, part->bound);
  }
}

static bool dims_fit(const tarei_compared *const e, const tare_tensor *const want) {
  const tare_tensor *const got = &e->kept.tensor;
  return e->viewed ? tare_tensor_count(got) == tare_tensor_count(want) : tarei_same_dims(got, want);
}

/* The valid part of the plan counts. */
static void compare_values(tare_comparison *const c, tarei_compared *const e,
                           const tare_tensor *const want, compare_take *const take,
                           const double bound) {
  const tare_tensor *const got = &e->kept.tensor;
  compare_part part = {.take = take, .bound = bound, .n = tare_tensor_count(got)};
  if (memcmp(e->valid, got->dims, (size_t)got->rank * sizeof *got->dims) == 0) {
    compare_run_of(c, e, want, &part);
    return;
  }
  tarei_rows rows;
  tarei_rows_begin(got, e->valid, &rows);
  part.n = rows.length;
  while (tarei_rows_next(&rows, &part.from)) {
    compare_run_of(c, e, want, &part);
  }
}

static void compare_entry(tare_comparison *const c, tarei_compared *const e,
                          const tare_tensor *const want) {
  if (!e->is_kept || !dims_fit(e, want)) {
    e->unlike = e->unlike || e->is_kept;
    return;
  }
  e->is_muted = e->is_muted && tarei_same_dims(&e->muted.tensor, want);
  tarei_sizes_forget(&c->seen);
  compare_values(c, e, want, see_values, INFINITY);
  const bool constants = e->is_muted || tarei_sizes_suspect(&c->seen);
  compare_values(c, e, want, sum_errors, constants ? tarei_sizes_bound(&c->seen) : INFINITY);
}

static tare_status compare_tensor(void *const user, const int value, const tare_tensor *const t,
                                  const int64_t *const valid, tare_error *const err) {
  tare_comparison *const c = user;
  (void)valid; /* that of the plan counts */
  (void)err;
  for (int i = c->against.entries[value]; i != TAREI_NO_ENTRY; i = c->items[i].next) {
    compare_entry(c, &c->items[i], t);
    c->items[i].is_kept = false;
  }
  return TARE_OK;
}

static tare_status make_levels(tare_comparison *const c, const int n, tare_error *const err) {
  c->n_levels = n;
  for (int i = 0; n && i < c->n; i++) {
    tarei_compared *const e = &c->items[i];
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

tare_status tarei_comparison_mute(tare_comparison *const c, tare_context *const against,
                                  const tarei_fitted *const fitted, tare_error *const err) {
  tare_error why = {0};
  if (!tarei_plan_is_mutable(c->against.plan)) {
    return TARE_OK;
  }
  tarei_context_set_watcher(against, keep_muted, c);
  const tare_status status =
      tarei_context_run_muted(against, fitted->tensors, fitted->valid, fitted->profile, NULL, &why);
  tarei_context_set_watcher(against, compare_tensor, c);
  for (int i = 0; status != TARE_OK && i < c->n; i++) {
    c->items[i].is_muted = false;
  }
  return status == TARE_E_MEMORY ? tarei_fail(err, status, "%s", why.message) : TARE_OK;
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
