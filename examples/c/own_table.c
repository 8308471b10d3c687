/*
 * A table format of the program: lines of a threshold and the name of its tensor.
 *
 *   own_table TABLE LINES.txt      writes a table of any format of the library as such lines
 *   own_table LINES.txt TABLE      makes a table (JSON) of such lines
 *
 * Which way it goes follows from the extension .txt.
 *
 *   cc own_table.c $(pkg-config --cflags --libs tare) -o own_table
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

static tare_status fail(tare_error *const err, const char *const path, const char *const what) {
  snprintf(err->message, sizeof err->message, "%s: %s", path, what);
  return err->status = TARE_E_INPUT;
}

static tare_status write_lines(const char *const from, const char *const to,
                               tare_error *const err) {
  tare_table *table = NULL;
  char *text = NULL;
  size_t size = 0;
  tare_status status = tare_table_read(from, &table, err);
  FILE *const out = status == TARE_OK ? open_memstream(&text, &size) : NULL;
  for (int i = 0; out && i < tare_table_n_tensors(table); i++) {
    const tare_table_entry entry = tare_table_get(table, i, 0);
    fprintf(out, "%.9g %s\n", entry.amax, entry.tensor);
  }
  if (status == TARE_OK) {
    status = out && fclose(out) == 0 && text ? tare_write_file(to, text, size, err)
                                             : fail(err, to, "out of memory");
  }
  free(text);
  tare_table_free(&table);
  return status;
}

enum { MOST_TENSORS = 10000, MOST_NAME = 200 };

typedef struct lines {
  tare_table_entry entries[MOST_TENSORS];
  char names[MOST_TENSORS][MOST_NAME];
  int n;
} lines;

/* Returns false for a line that is not a threshold and a name. */
static int take_line(lines *const all, const char *const line) {
  double amax = 0;
  char *const name = all->names[all->n];
  if (all->n == MOST_TENSORS || sscanf(line, "%lf %199[^\n]", &amax, name) != 2) {
    return 0;
  }
  all->entries[all->n++] = tare_table_unknown(name, amax);
  return 1;
}

static tare_status read_lines(const char *const from, const char *const to, tare_error *const err) {
  static lines all;
  static char line[MOST_NAME + 64];
  FILE *const in = fopen(from, "r");
  if (!in) {
    return fail(err, from, "cannot be read");
  }
  int good = 1;
  while (good && fgets(line, sizeof line, in)) {
    good = take_line(&all, line);
  }
  fclose(in);
  if (!good) {
    return fail(err, from, "expected lines of a threshold and a name");
  }
  const tare_table_draft draft = {.method = "lines", .entries = all.entries, .n_tensors = all.n};
  tare_table *table = NULL;
  tare_status status = tare_table_make(&draft, &table, err);
  if (status == TARE_OK) {
    status = tare_table_write_json(table, to, err);
  }
  tare_table_free(&table);
  return status;
}

int main(const int argc, char **const argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s FROM TO (one of them ends in .txt)\n", argv[0]);
    return 2;
  }
  const char *const dot = strrchr(argv[1], '.');
  const int from_lines = dot && strcmp(dot, ".txt") == 0;
  tare_error err = {0};
  const tare_status status = (from_lines ? read_lines : write_lines)(argv[1], argv[2], &err);
  if (status != TARE_OK) {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  return tare_status_exit_code(status);
}
