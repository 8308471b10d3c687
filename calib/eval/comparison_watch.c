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

enum { BLOCK = 512 };

/* Values as floats. */
static void load_floats(const tarei_comparison_side *const side, const int value,
                        const tare_tensor *const t, const int64_t at, const int n,
                        float *const out) {
  if (t->dtype == TARE_F32) {
    memcpy(out, (const float *)t->data + at, (size_t)n * sizeof *out);
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
  if (c->plan.entries[value] == TAREI_NO_ENTRY) {
    return TARE_OK;
  }
  tarei_kept_tensor *const kept = &c->items[c->plan.entries[value]].kept;
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

static void compare_run_of(tare_comparison *const c, tarei_compared *const e,
                           const tare_tensor *const want, const int64_t from, const int64_t n) {
  float g[BLOCK], w[BLOCK];
  for (int64_t at = 0; at < n; at += BLOCK) {
    const int length = n - at < BLOCK ? (int)(n - at) : BLOCK;
    load_floats(&c->plan, e->value, &e->kept.tensor, from + at, length, g);
    load_floats(&c->against, e->against, want, from + at, length, w);
    tarei_error_sums_take(&e->pending, &e->bounds, g, w, length);
  }
}

static bool dims_fit(const tarei_compared *const e, const tare_tensor *const want) {
  const tare_tensor *const got = &e->kept.tensor;
  if (e->viewed) {
    return tare_tensor_count(got) == tare_tensor_count(want);
  }
  return got->rank == want->rank &&
         memcmp(got->dims, want->dims, (size_t)got->rank * sizeof *got->dims) == 0;
}

static void compare_entry(tare_comparison *const c, tarei_compared *const e,
                          const tare_tensor *const want) {
  const tarei_kept_tensor *const kept = &e->kept;
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
  for (int i = c->against.entries[value]; i != TAREI_NO_ENTRY; i = c->items[i].next) {
    compare_entry(c, &c->items[i], t);
    c->items[i].kept.there = false;
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
