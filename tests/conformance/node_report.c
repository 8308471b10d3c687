#include "conformance/node_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATOR = 1, TYPES, FIXED, DYNAMIC };

static const struct {
  const char *part, *name;
  bool known;
} families[] = {
    {"sequence", "sequences", false},  {"optional", "optionals", false},
    {"string", "strings", false},      {"complex", "complex", false},
    {"float8", "8-bit floats", false}, {"float4", "4 or 2 bits", false},
    {"int4", "4 or 2 bits", false},    {"int2", "4 or 2 bits", false},
    {"other", "other", false},         {"bfloat16", "bfloat16", true},
    {"float16", "float16", true},      {"float64", "float64", true},
    {"float32", "float32", true},      {"int", "integers", true},
};
enum { N_FAMILIES = sizeof families / sizeof *families };

const char *family_of(const char *const types) {
  for (int i = 0; i < N_FAMILIES; i++) {
    if (strstr(types, families[i].part)) {
      return families[i].name;
    }
  }
  return "bool";
}

bool family_is_known(const char *const family) {
  for (int i = 0; i < N_FAMILIES; i++) {
    if (strcmp(families[i].name, family) == 0) {
      return families[i].known;
    }
  }
  return true;
}

typedef struct count {
  const char *name;
  int cases, passed, constant, refused, failed, crashed; /* as the file has it */
  int sized, dynamic, shared;                            /* with symbols */
} count;

typedef struct counts {
  count *at;
  int n;
} counts;

static count *find(counts *const list, const char *const name) {
  for (int i = 0; i < list->n; i++) {
    if (strcmp(list->at[i].name, name) == 0) {
      return &list->at[i];
    }
  }
  list->at = realloc(list->at, ((size_t)list->n + 1) * sizeof *list->at);
  if (!list->at) {
    abort();
  }
  list->at[list->n] = (count){.name = name};
  return &list->at[list->n++];
}

static bool is(const char *const a, const char *const b) {
  return strcmp(a, b) == 0;
}

static void add(count *const c, const table_row *const row) {
  const char *const fixed = row->fields[FIXED], *const dynamic = row->fields[DYNAMIC];
  c->cases++;
  c->passed += is(fixed, "passed");
  c->constant += is(fixed, "constant");
  c->refused += is(fixed, "refused");
  c->failed += is(fixed, "failed") || (is(dynamic, "failed") && !is(fixed, "failed"));
  c->crashed += is(fixed, "crashed") || is(dynamic, "crashed");
  c->sized += !is(dynamic, "-");
  c->dynamic += is(dynamic, "passed") || is(dynamic, "constant");
  c->shared += is(dynamic, "shared") || is(dynamic, "constant+shared");
}

static int by_name(const void *const a, const void *const b) {
  return strcmp(((const count *)a)->name, ((const count *)b)->name);
}

static void show_heads(const char *const what) {
  printf("\n%-27s %5s %6s %5s %6s %6s %5s   %s\n", what, "cases", "passed", "const", "refuse",
         "wrong", "crash", "dynamic");
}

static void show(const count *const c) {
  printf("%-27.27s %5d %6d %5d %6d %6d %5d   %d+%d of %d\n", c->name, c->cases, c->passed,
         c->constant, c->refused, c->failed, c->crashed, c->dynamic, c->shared, c->sized);
}

static bool is_full(const count *const c) {
  return c->passed == c->cases && c->dynamic == c->sized && !c->failed && !c->crashed;
}

static void show_operators(counts *const list, const bool all) {
  int full = 0;
  qsort(list->at, (size_t)list->n, sizeof *list->at, by_name);
  show_heads("operator");
  for (int i = 0; i < list->n; i++) {
    full += is_full(&list->at[i]);
    if (all || !is_full(&list->at[i])) {
      show(&list->at[i]);
    }
  }
  printf("%d of %d operators pass in full\n", full, list->n);
}

static void show_families(counts *const list) {
  qsort(list->at, (size_t)list->n, sizeof *list->at, by_name);
  count sum[2] = {{.name = "types that are known"}, {.name = "all"}};
  show_heads("types");
  for (int i = 0; i < list->n; i++) {
    const count *const c = &list->at[i];
    show(c);
    for (int s = family_is_known(c->name) ? 0 : 1; s < 2; s++) {
      sum[s].cases += c->cases;
      sum[s].passed += c->passed;
      sum[s].constant += c->constant;
      sum[s].refused += c->refused;
      sum[s].failed += c->failed;
      sum[s].crashed += c->crashed;
      sum[s].sized += c->sized;
      sum[s].dynamic += c->dynamic;
      sum[s].shared += c->shared;
    }
  }
  show(&sum[0]);
  show(&sum[1]);
}

void node_report(const table *const results, const bool all) {
  counts operators = {0}, types = {0};
  for (int i = 0; i < results->n; i++) {
    const table_row *const row = &results->rows[i];
    const char *const family = family_of(row->fields[TYPES]);
    add(find(&types, family), row);
    if (family_is_known(family)) {
      add(find(&operators, row->fields[OPERATOR]), row);
    }
  }
  show_operators(&operators, all);
  show_families(&types);
  printf(
      "\npassed: as the file has it; const: with parameters as constants; wrong: other numbers, "
      "in\n"
      "any form; dynamic a+b of n: n have sizes above 1, a pass with a symbol for each axis, b\n"
      "with one for each size\n");
  free(operators.at);
  free(types.at);
}
