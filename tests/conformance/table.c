#include "conformance/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 8192 };

static char *clean_copy(const char *const text) {
  char *const copy = strdup(text);
  if (!copy) {
    abort();
  }
  for (char *c = copy; *c; c++) {
    *c = (unsigned char)*c < ' ' ? ' ' : *c;
  }
  return copy;
}

void table_add(table *const t, const char *const *const fields) {
  if (t->n % 64 == 0) {
    t->rows = realloc(t->rows, ((size_t)t->n + 64) * sizeof *t->rows);
  }
  if (!t->rows) {
    abort();
  }
  table_row *const row = &t->rows[t->n++];
  *row = (table_row){0};
  for (int i = 0; i < t->n_columns; i++) {
    row->fields[i] = clean_copy(fields[i]);
  }
}

static int by_key(const void *const a, const void *const b) {
  return strcmp(((const table_row *)a)->fields[0], ((const table_row *)b)->fields[0]);
}

void table_sort(table *const t) {
  if (t->n) {
    qsort(t->rows, (size_t)t->n, sizeof *t->rows, by_key);
  }
}

const table_row *table_find(const table *const t, const char *const key) {
  const table_row wanted = {.fields = {(char *)key}};
  return t->n ? bsearch(&wanted, t->rows, (size_t)t->n, sizeof *t->rows, by_key) : NULL;
}

void table_free(table *const t) {
  for (int i = 0; i < t->n; i++) {
    for (int c = 0; c < t->n_columns; c++) {
      free(t->rows[i].fields[c]);
    }
  }
  free(t->rows);
  t->rows = NULL;
  t->n = 0;
}

/* Cuts a line at its tabs; false when it has not as many fields as the table has columns. */
static bool cut(const table *const t, char *line, const char **const fields) {
  line[strcspn(line, "\n")] = 0;
  for (int i = 0; i < t->n_columns; i++) {
    char *const field = strsep(&line, "\t");
    if (!field) {
      return false;
    }
    fields[i] = field;
  }
  return !line;
}

static bool read_rows(FILE *const file, table *const t) {
  char line[LINE_BYTES];
  const char *fields[MAX_COLUMNS];
  bool heads = true;
  while (fgets(line, sizeof line, file)) {
    if (!cut(t, line, fields)) {
      return false;
    }
    for (int i = 0; heads && i < t->n_columns; i++) {
      if (strcmp(fields[i], t->heads[i]) != 0) {
        return false;
      }
    }
    if (!heads) {
      table_add(t, fields);
    }
    heads = false;
  }
  return !heads && !ferror(file);
}

bool table_read(const char *const path, table *const t) {
  FILE *const file = fopen(path, "r");
  const bool good = file && read_rows(file, t);
  if (file) {
    fclose(file);
  }
  table_sort(t);
  return good;
}

static void write_line(FILE *const file, const char *const *const fields, const int n) {
  for (int i = 0; i < n; i++) {
    fprintf(file, "%s%c", fields[i], i + 1 < n ? '\t' : '\n');
  }
}

bool table_write(const char *const path, const table *const t) {
  FILE *const file = fopen(path, "w");
  if (!file) {
    return false;
  }
  write_line(file, t->heads, t->n_columns);
  for (int i = 0; i < t->n; i++) {
    write_line(file, (const char *const *)t->rows[i].fields, t->n_columns);
  }
  const bool written = !ferror(file);
  return fclose(file) == 0 && written;
}

int result_rank(const char *const word) {
  static const char *const order[] = {"crashed",  "failed", "refused", "constant+shared",
                                      "constant", "shared", "alone",   "passed"};
  for (int i = 0; i < (int)(sizeof order / sizeof *order); i++) {
    if (strcmp(order[i], word) == 0) {
      return i;
    }
  }
  return -1;
}

typedef struct tally {
  int better, worse, missing, fresh;
} tally;

static void judge_row(const table *const results, const table_row *const was,
                      const table_row *const is, const table_check *const check, tally *const sum) {
  for (int c = check->first_judged; c < check->end_judged; c++) {
    const int a = result_rank(was->fields[c]), b = result_rank(is->fields[c]);
    if (a < 0 || b < 0) {
      continue;
    }
    if (b < a) {
      printf("WORSE  %s, %s: was %s, is %s: %s\n", is->fields[0], results->heads[c], was->fields[c],
             is->fields[c], is->fields[check->reason]);
      sum->worse++;
    } else if (b > a) {
      printf("better %s, %s: was %s, is %s\n", is->fields[0], results->heads[c], was->fields[c],
             is->fields[c]);
      sum->better++;
    }
  }
}

static tally judge(const table *const results, const table *const committed,
                   const table_check *const check) {
  tally sum = {0};
  for (int i = 0; i < results->n; i++) {
    const table_row *const was = table_find(committed, results->rows[i].fields[0]);
    sum.fresh += !was;
    if (was) {
      judge_row(results, was, &results->rows[i], check, &sum);
    }
  }
  for (int i = 0; i < committed->n && check->complete; i++) {
    if (!table_find(results, committed->rows[i].fields[0])) {
      printf("MISSING %s\n", committed->rows[i].fields[0]);
      sum.missing++;
    }
  }
  return sum;
}

static int update(const table *const results, const char *const path) {
  const bool good = table_write(path, results);
  printf(good ? "%s: written\n" : "%s: cannot be written\n", path);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int table_finish(const table *const results, const table_check *const check) {
  table committed = {.n_columns = results->n_columns, .heads = results->heads};
  if (!check->path) {
    return EXIT_SUCCESS;
  }
  if (check->update) {
    return update(results, check->path);
  }
  if (!table_read(check->path, &committed)) {
    printf("%s: missing, or no such table; --update writes it\n", check->path);
    table_free(&committed);
    return EXIT_FAILURE;
  }
  const tally sum = judge(results, &committed, check);
  table_free(&committed);
  printf("against %s: %d better, %d worse, %d missing, %d new\n", check->path, sum.better,
         sum.worse, sum.missing, sum.fresh);
  if (sum.better + sum.fresh > 0) {
    printf("the table may only improve: run again with --update and commit it\n");
  }
  return sum.worse + sum.missing ? EXIT_FAILURE : EXIT_SUCCESS;
}
