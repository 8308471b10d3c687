/*
 * ONNX's node tests: single operators with inputs and the outputs that they must give.
 *
 *   node_tests [options] FOLDER...
 *
 * Each folder test_* in FOLDER is a case. It runs as it is, and with symbols for the sizes of its
 * inputs. The results are held against a table that may only improve.
 */
#include <argp.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/node_case.h"
#include "conformance/node_report.h"
#include "conformance/pool.h"
#include "conformance/run_options.h"

enum { PATH_BYTES = 4096, EXIT_SKIPPED = 77 };

typedef struct options {
  run_options run;
  bool all, fixed, list;
} options;

static const struct argp_option OPTIONS[] = {
    {"fixed", 'x', NULL, 0, "Leave the forms with symbols out", 0},
    {"list", 'l', NULL, 0, "A line for every case", 0},
    {"all", 'a', NULL, 0, "Show operators that pass in full, too", 0},
    {0}};

static error_t parse(const int key, char *const arg, struct argp_state *const state) {
  options *const o = state->input;
  (void)arg; /* own options take none */
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &o->run;
      return 0;
    case 'x':
      o->fixed = true;
      return 0;
    case 'l':
      o->list = true;
      return 0;
    case 'a':
      o->all = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&run_options_argp, 0, NULL, 0}, {0}};

/* ---- cases ---- */

typedef struct session {
  const options *o;
  char **folders; /* of the cases */
  int n;
  table results;
} session;

static void add_case(session *const s, const char *const folder, const char *const name) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/%s/model.onnx", folder, name);
  if (access(path, R_OK) != 0 || (s->o->run.filter && fnmatch(s->o->run.filter, name, 0) != 0)) {
    return;
  }
  s->folders = realloc(s->folders, ((size_t)s->n + 1) * sizeof *s->folders);
  path[strlen(path) - strlen("/model.onnx")] = 0;
  if (!s->folders || !(s->folders[s->n++] = strdup(path))) {
    abort();
  }
}

static int by_name(const void *const a, const void *const b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_cases(session *const s, const char *const folder) {
  DIR *const dir = opendir(folder);
  for (const struct dirent *entry; dir && (entry = readdir(dir));) {
    if (strncmp(entry->d_name, "test_", 5) == 0) {
      add_case(s, folder, entry->d_name);
    }
  }
  if (dir) {
    closedir(dir);
  }
}

static void run_case(void *const user, const int job, FILE *const to) {
  const session *const s = user;
  node_case_try(s->folders[job], !s->o->fixed, s->o->run.reload, to);
}

/* The next "<result>\t<reason>" of what a child wrote; what ended the child where there is none. */
static void next_line(char **const text, const char *const end, const char **const word,
                      const char **const why) {
  char *line = strsep(text, "\n");
  if (!line || !strchr(line, '\t')) {
    *word = "crashed";
    *why = end;
    return;
  }
  *word = strsep(&line, "\t");
  *why = line;
}

static void case_done(void *const user, const int job, char *text, const char *const end) {
  session *const s = user;
  node_case what;
  const char *fixed, *fixed_why, *dynamic, *dynamic_why;
  node_case_describe(s->folders[job], &what);
  next_line(&text, end, &fixed, &fixed_why);
  next_line(&text, end, &dynamic, &dynamic_why);
  if (*end) { /* also of a child that ended badly after all it had to say: leaks */
    dynamic = "crashed";
    dynamic_why = end;
  }
  const char *const name = strrchr(s->folders[job], '/') + 1;
  const char *const why = *fixed_why ? fixed_why : dynamic_why;
  const char *const fields[] = {name, what.operator, what.types, fixed, dynamic, why};
  table_add(&s->results, fields);
  if (s->o->list) {
    printf("%s: %s, %s%s%s\n", name, fixed, dynamic, *why ? ": " : "", why);
  }
}

int main(int argc, char **argv) {
  static const char *const heads[] = {"case", "operator", "types", "fixed", "dynamic", "reason"};
  static const struct argp parser = {.options = OPTIONS,
                                     .parser = parse,
                                     .args_doc = "FOLDER...",
                                     .doc = "Runs ONNX's node tests (folders test_* in FOLDER).",
                                     .children = CHILDREN};
  options o = {.run = {.jobs = 2, .seconds = 60}};
  argp_parse(&parser, argc, argv, 0, NULL, &o);
  session s = {.o = &o, .results = {.n_columns = 6, .heads = heads}};
  for (int i = 0; i < o.run.n_folders; i++) {
    find_cases(&s, o.run.folders[i]);
  }
  if (!s.n) {
    printf("skipped: no test_*/model.onnx in %s\n", o.run.folders[0]);
    return EXIT_SKIPPED;
  }
  qsort(s.folders, (size_t)s.n, sizeof *s.folders, by_name);
  const pool p = {.n = s.n,
                  .width = o.run.jobs < 1 ? 1 : o.run.jobs,
                  .seconds = o.run.seconds,
                  .run = run_case,
                  .done = case_done,
                  .user = &s};
  pool_run(&p);
  table_sort(&s.results);
  node_report(&s.results, o.all);
  const table_check check = {.path = o.run.table,
                             .update = o.run.update,
                             .complete = !o.run.filter,
                             .first_judged = 3,
                             .end_judged = o.fixed ? 4 : 5,
                             .reason = 5};
  const int code = table_finish(&s.results, &check);
  table_free(&s.results);
  for (int i = 0; i < s.n; i++) {
    free(s.folders[i]);
  }
  free(s.folders);
  return code;
}
