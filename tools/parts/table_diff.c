#include "tools/parts/table_diff.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/json_out.h"
#include "tools/report.h"
#include "tools/show/show.h"

/* A tensor in a column of both. */
typedef struct amax_change {
  const char *tensor;
  int profile;
  double a, b;
} amax_change;

/* What is said of a whole table. */
typedef struct table_fact {
  const char *what;
  char *values[2];
} table_fact;

typedef struct table_pair {
  const char *const *paths;
  tare_table *tables[2];
  table_fact *facts; /* that differ */
  int n_facts;
  cli_list only[2]; /* names of tensors that the other does not have */
  amax_change *changes;
  int n_changes;
  int n_compared; /* tensors and columns */
} table_pair;

/* Some formats have scales in single precision. */
static bool same_amax(const double a, const double b) {
  return fabs(a - b) <= FLT_EPSILON * fmax(a, b);
}

static void add_fact(table_pair *const p, const char *const what, const char *const a,
                     const char *const b) {
  if (strcmp(a, b) != 0) {
    p->facts = cli_realloc(p->facts, (size_t)p->n_facts + 1, sizeof *p->facts);
    p->facts[p->n_facts++] =
        (table_fact){what, {cli_format("%s", *a ? a : "-"), cli_format("%s", *b ? b : "-")}};
  }
}

/* Of what not every format says: unknown is no difference. */
static void add_known(table_pair *const p, const char *const what, const char *const a,
                      const char *const b) {
  if (*a && *b) {
    add_fact(p, what, a, b);
  }
}

static char *hash_text(const tare_table *const table) {
  const uint64_t hash = tare_table_model_hash(table);
  return hash ? cli_format("%016llx", (unsigned long long)hash) : cli_format("%s", "");
}

static char *profiles_of(const tare_table *const table) {
  char *text = cli_format("%s", "");
  for (int i = 0; i < tare_table_n_specs(table); i++) {
    text = cli_append(text, "%s%s", i ? " | " : "", tare_table_spec(table, i));
  }
  return text;
}

static void compare_texts(table_pair *const p, const char *const what,
                          char *(*const text)(const tare_table *)) {
  char *const a = text(p->tables[0]), *const b = text(p->tables[1]);
  add_known(p, what, a, b);
  free(a);
  free(b);
}

static char *table_columns_text(const tare_table *const table) {
  return cli_format("%d", tare_table_n_profiles(table));
}

static void compare_tables(table_pair *const p) {
  const tare_table *const a = p->tables[0], *const b = p->tables[1];
  compare_texts(p, "model", hash_text);
  add_known(p, "method", tare_table_method(a), tare_table_method(b));
  compare_texts(p, "profiles", profiles_of);
  compare_texts(p, "columns", table_columns_text);
  add_fact(p, "gain range", tare_table_gain_range(a), tare_table_gain_range(b));
  add_fact(p, "raised", tare_table_layer_precisions(a), tare_table_layer_precisions(b));
}

static void compare_columns(table_pair *const p, const int a, const int b) {
  const int n = tare_table_n_profiles(p->tables[0]), m = tare_table_n_profiles(p->tables[1]);
  for (int i = 0; i < n && i < m; i++) {
    const tare_table_entry x = tare_table_get(p->tables[0], a, i);
    const double y = tare_table_get(p->tables[1], b, i).amax;
    p->n_compared++;
    if (!same_amax(x.amax, y)) {
      p->changes = cli_realloc(p->changes, (size_t)p->n_changes + 1, sizeof *p->changes);
      p->changes[p->n_changes++] = (amax_change){x.tensor, i, x.amax, y};
    }
  }
}

static void compare_thresholds(table_pair *const p) {
  for (int i = 0; i < 2; i++) {
    for (int t = 0; t < tare_table_n_tensors(p->tables[i]); t++) {
      const char *const name = tare_table_get(p->tables[i], t, 0).tensor;
      const int other = tare_table_find(p->tables[!i], name);
      if (other < 0) {
        cli_list_add(&p->only[i], name);
      } else if (i == 0) {
        compare_columns(p, t, other);
      }
    }
  }
}

/* How far a threshold moved, in either direction; tensors that are dead in one of them first. */
static double amax_distance(const amax_change *const c) {
  return c->a > 0 && c->b > 0 ? fabs(log(c->b / c->a)) : INFINITY;
}

static int by_amax_distance(const void *const x, const void *const y) {
  const double a = amax_distance(x), b = amax_distance(y);
  return a > b ? -1 : a < b;
}

static tare_status table_diff_load(table_pair *const p, tare_error *const err) {
  for (int i = 0; i < 2; i++) {
    CLI_TRY(show_want(p->paths[i], &show_table, "a calibration table", err));
    CLI_TRY(tare_table_read(p->paths[i], &p->tables[i], err));
  }
  compare_tables(p);
  compare_thresholds(p);
  if (p->n_changes) {
    qsort(p->changes, (size_t)p->n_changes, sizeof *p->changes, by_amax_distance);
  }
  return TARE_OK;
}

static bool tables_differ(const table_pair *const p) {
  return p->n_facts || p->only[0].n || p->only[1].n || p->n_changes;
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_facts(const table_pair *const p) {
  report *const r = report_new("table<,A<,B<");
  report_cell(r, "file");
  report_cell(r, "%s", p->paths[0]);
  report_cell(r, "%s", p->paths[1]);
  for (int i = 0; i < p->n_facts; i++) {
    report_cell(r, "%s", p->facts[i].what);
    report_cell(r, "%s", p->facts[i].values[0]);
    report_cell(r, "%s", p->facts[i].values[1]);
  }
  report_print(r, stdout);
}

static void report_amax(report *const r, const double amax) {
  report_cell(r, amax > 0 ? "%.6g" : "dead", amax);
}

static void table_diff_print(const table_pair *const p) {
  print_facts(p);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < p->only[i].n; k++) {
      printf("only in %c  %s\n", 'A' + i, p->only[i].items[k]);
    }
  }
  printf("different  %d of %d thresholds\n", p->n_changes, p->n_compared);
  report *const r = report_new("tensor~,prof>,A amax>,B amax>,B/A>");
  for (int i = 0; i < p->n_changes; i++) {
    const amax_change *const c = &p->changes[i];
    report_cell(r, "%s", c->tensor);
    report_cell(r, "%d", c->profile);
    report_amax(r, c->a);
    report_amax(r, c->b);
    report_number(r, 3, c->a > 0 ? c->b / c->a : NAN);
  }
  report_print(r, stdout);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void table_side_json(cJSON *const item, const table_pair *const p, const int i) {
  json_text(item, "file", p->paths[i]);
  json_int(item, "tensors", tare_table_n_tensors(p->tables[i]));
  cJSON *const only = json_add(item, "only", json_array());
  for (int k = 0; k < p->only[i].n; k++) {
    json_text(only, NULL, p->only[i].items[k]);
  }
}

static void table_diff_json(const table_pair *const p) {
  cJSON *const object = json_begin("diff");
  json_text(object, "kind", "table");
  table_side_json(json_add(object, "a", json_object()), p, 0);
  table_side_json(json_add(object, "b", json_object()), p, 1);
  json_bool(object, "equal", !tables_differ(p));
  cJSON *const settings = json_add(object, "settings", json_array());
  for (int i = 0; i < p->n_facts; i++) {
    cJSON *const item = json_add(settings, NULL, json_object());
    json_text(item, "what", p->facts[i].what);
    json_text(item, "a", p->facts[i].values[0]);
    json_text(item, "b", p->facts[i].values[1]);
  }
  json_int(object, "compared", p->n_compared);
  cJSON *const tensors = json_add(object, "tensors", json_array());
  for (int i = 0; i < p->n_changes; i++) {
    const amax_change *const c = &p->changes[i];
    cJSON *const item = json_add(tensors, NULL, json_object());
    json_text(item, "name", c->tensor);
    json_int(item, "profile", c->profile);
    json_real(item, "a_amax", c->a);
    json_real(item, "b_amax", c->b);
    json_real(item, "ratio", c->a > 0 ? c->b / c->a : NAN);
  }
  json_print(object);
}

static void table_pair_fini(table_pair *const p) {
  for (int i = 0; i < p->n_facts; i++) {
    free(p->facts[i].values[0]);
    free(p->facts[i].values[1]);
  }
  for (int i = 0; i < 2; i++) {
    cli_list_fini(&p->only[i]);
    tare_table_free(&p->tables[i]);
  }
  free(p->facts);
  free(p->changes);
}

tare_status table_diff(const opt_common *const common, const char *const *const paths,
                       bool *const differ, tare_error *const err) {
  table_pair p = {.paths = paths};
  const tare_status status = table_diff_load(&p, err);
  if (status == TARE_OK) {
    *differ = tables_differ(&p);
    (common->json ? table_diff_json : table_diff_print)(&p);
  }
  table_pair_fini(&p);
  return status;
}
