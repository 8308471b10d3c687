#include "tools/parts/stats_diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/json_out.h"
#include "tools/parts/scale_moves.h"
#include "tools/report.h"
#include "tools/show/show.h"

/* A tensor in a profile of both. */
typedef struct range_change {
  tare_stats_entry a, b;
  int profile;
  double ratio; /* of the larger magnitude of B to that of A; NAN without */
} range_change;

typedef struct stats_pair {
  const char *const *paths;
  tare_stats *stats[2];
  tare_stats_differences *settings;
  cli_list only[2]; /* names of tensors that the other does not have */
  range_change *changes;
  int n_changes;
  int64_t n_common;
  scale_moves moves;
} stats_pair;

static double stats_diff_amax(const tare_stats_entry *const e) {
  return fmax(fabs(e->min), fabs(e->max));
}

static bool stats_diff_same_number(const double a, const double b) {
  return a == b || (isnan(a) && isnan(b));
}

static bool same_entry(const tare_stats_entry *const a, const tare_stats_entry *const b) {
  return a->count == b->count && a->n_nan == b->n_nan && a->n_inf == b->n_inf &&
         stats_diff_same_number(a->min, b->min) && stats_diff_same_number(a->max, b->max) &&
         stats_diff_same_number(a->static_loss, b->static_loss) &&
         stats_diff_same_number(a->row_loss, b->row_loss);
}

static void stats_diff_tensor(stats_pair *const p, const int a, const int b) {
  const int n = tare_stats_n_profiles(p->stats[0]), m = tare_stats_n_profiles(p->stats[1]);
  for (int i = 0; i < n && i < m; i++) {
    const range_change c = {.a = tare_stats_get(p->stats[0], a, i),
                            .b = tare_stats_get(p->stats[1], b, i),
                            .profile = i};
    if (!same_entry(&c.a, &c.b)) {
      p->changes = cli_realloc(p->changes, (size_t)p->n_changes + 1, sizeof c);
      p->changes[p->n_changes] = c;
      p->changes[p->n_changes++].ratio = stats_diff_amax(&c.b) / stats_diff_amax(&c.a);
    }
  }
}

/* Both are sorted by name. */
static void compare_tensors(stats_pair *const p) {
  const int n = tare_stats_n_tensors(p->stats[0]), m = tare_stats_n_tensors(p->stats[1]);
  for (int i = 0, k = 0; i < n || k < m;) {
    const char *const a = i < n ? tare_stats_get(p->stats[0], i, 0).tensor : NULL;
    const char *const b = k < m ? tare_stats_get(p->stats[1], k, 0).tensor : NULL;
    const int order = !a ? 1 : !b ? -1 : strcmp(a, b);
    if (order == 0) {
      stats_diff_tensor(p, i, k);
    } else {
      cli_list_add(&p->only[order > 0], order > 0 ? b : a);
    }
    i += order <= 0;
    k += order >= 0;
  }
}

/* How far a range moved, in either direction. */
static double stats_diff_distance(const range_change *const c) {
  return isfinite(c->ratio) && c->ratio > 0 ? fabs(log(c->ratio)) : INFINITY;
}

static int by_distance(const void *const x, const void *const y) {
  const double a = stats_diff_distance(x), b = stats_diff_distance(y);
  return a > b ? -1 : a < b;
}

static tare_status stats_diff_load(stats_pair *const p, tare_error *const err) {
  for (int i = 0; i < 2; i++) {
    CLI_TRY(show_want(p->paths[i], &show_stats, "statistics", err));
    CLI_TRY(tare_stats_load(p->paths[i], &p->stats[i], err));
  }
  CLI_TRY(tare_stats_compare(p->stats[0], p->stats[1], &p->settings, err));
  p->n_common = tare_stats_n_common(p->stats[0], p->stats[1]);
  CLI_TRY(scale_moves_find(p->stats[0], p->stats[1], &p->moves, err));
  compare_tensors(p);
  if (p->n_changes) {
    qsort(p->changes, (size_t)p->n_changes, sizeof *p->changes, by_distance);
  }
  return TARE_OK;
}

static bool stats_pair_differs(const stats_pair *const p) {
  const int64_t n = tare_stats_n_counted(p->stats[0]), m = tare_stats_n_counted(p->stats[1]);
  return tare_stats_differences_count(p->settings) || p->only[0].n || p->only[1].n ||
         p->n_changes || n != m || (n >= 0 && p->n_common != n);
}

/* --- text ------------------------------------------------------------------------------------- */

static void report_samples(report *const r, const stats_pair *const p) {
  report_cell(r, "samples");
  for (int i = 0; i < 2; i++) {
    const int64_t n = tare_stats_n_counted(p->stats[i]);
    if (n < 0) {
      report_cell(r, "not listed");
    } else {
      report_cell(r, "%" PRId64 ", %" PRId64 " of them in both", n, p->n_common);
    }
  }
}

static void print_settings(const stats_pair *const p) {
  report *const r = report_new("setting<,A<,B<");
  report_cell(r, "file");
  report_cell(r, "%s", p->paths[0]);
  report_cell(r, "%s", p->paths[1]);
  report_samples(r, p);
  for (int i = 0; i < tare_stats_differences_count(p->settings); i++) {
    const char *a, *b;
    report_cell(r, "%s", tare_stats_difference(p->settings, i, &a, &b));
    report_cell(r, "%s", *a ? a : "-");
    report_cell(r, "%s", *b ? b : "-");
  }
  report_print(r, stdout);
}

static void stats_diff_print_changes(const stats_pair *const p) {
  report *const r = report_new("tensor~,prof>,A min>,A max>,B min>,B max>,B/A>");
  for (int i = 0; i < p->n_changes; i++) {
    const range_change *const c = &p->changes[i];
    report_cell(r, "%s", c->a.tensor);
    report_cell(r, "%d", c->profile);
    report_cell(r, "%.6g", c->a.min);
    report_cell(r, "%.6g", c->a.max);
    report_cell(r, "%.6g", c->b.min);
    report_cell(r, "%.6g", c->b.max);
    report_number(r, 3, c->ratio);
  }
  report_print(r, stdout);
}

static void stats_diff_print(const stats_pair *const p) {
  print_settings(p);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < p->only[i].n; k++) {
      printf("only in %c  %s\n", 'A' + i, p->only[i].items[k]);
    }
  }
  printf("different  %d of %d tensors and profiles\n", p->n_changes,
         (tare_stats_n_tensors(p->stats[0]) - p->only[0].n) * tare_stats_n_profiles(p->stats[0]));
  stats_diff_print_changes(p);
  if (p->n_changes) {
    scale_moves_print(&p->moves);
  }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void side_json(cJSON *const item, const stats_pair *const p, const int i) {
  json_text(item, "file", p->paths[i]);
  json_int(item, "counted", tare_stats_n_counted(p->stats[i]));
  json_int(item, "tensors", tare_stats_n_tensors(p->stats[i]));
  cJSON *const only = json_add(item, "only", json_array());
  for (int k = 0; k < p->only[i].n; k++) {
    json_text(only, NULL, p->only[i].items[k]);
  }
}

static void stats_diff_json(const stats_pair *const p) {
  cJSON *const object = json_begin("diff");
  json_text(object, "kind", "statistics");
  side_json(json_add(object, "a", json_object()), p, 0);
  side_json(json_add(object, "b", json_object()), p, 1);
  json_bool(object, "equal", !stats_pair_differs(p));
  json_int(object, "common", p->n_common);
  cJSON *const settings = json_add(object, "settings", json_array());
  for (int i = 0; i < tare_stats_differences_count(p->settings); i++) {
    const char *a, *b;
    cJSON *const item = json_add(settings, NULL, json_object());
    json_text(item, "what", tare_stats_difference(p->settings, i, &a, &b));
    json_text(item, "a", a);
    json_text(item, "b", b);
  }
  cJSON *const tensors = json_add(object, "tensors", json_array());
  for (int i = 0; i < p->n_changes; i++) {
    const range_change *const c = &p->changes[i];
    cJSON *const item = json_add(tensors, NULL, json_object());
    json_text(item, "name", c->a.tensor);
    json_int(item, "profile", c->profile);
    json_real(item, "a_min", c->a.min);
    json_real(item, "a_max", c->a.max);
    json_real(item, "b_min", c->b.min);
    json_real(item, "b_max", c->b.max);
    json_real(item, "ratio", c->ratio);
  }
  scale_moves_json(object, &p->moves);
  json_print(object);
}

tare_status stats_diff(const opt_common *const common, const char *const *const paths,
                       bool *const differ, tare_error *const err) {
  stats_pair p = {.paths = paths};
  const tare_status status = stats_diff_load(&p, err);
  if (status == TARE_OK) {
    *differ = stats_pair_differs(&p);
    (common->json ? stats_diff_json : stats_diff_print)(&p);
  }
  for (int i = 0; i < 2; i++) {
    cli_list_fini(&p.only[i]);
    tare_stats_free(&p.stats[i]);
  }
  tare_stats_differences_free(&p.settings);
  scale_moves_fini(&p.moves);
  free(p.changes);
  return status;
}
