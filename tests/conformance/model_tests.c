/*
 * Whole models with inputs and the outputs that another runtime made of them.
 *
 *   model_tests [options] FOLDER...
 *
 * Each FOLDER/<family> holds models <model>.onnx, inputs/<set>/<input>.npy (what cannot stand in a
 * file's name is '_') and reference/<model>/<set>/output_<i>.npy in the order of the graph's
 * outputs. A model is loaded, and runs each set that it has a reference for, under one profile that
 * spans all of them. The results are held against a table that may only improve.
 */
#include <argp.h>
#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/npy.h"
#include "conformance/pool.h"
#include "conformance/proto.h"
#include "conformance/run_options.h"
#include "conformance/refusal.h"
#include "conformance/table.h"

enum { PATH_BYTES = 4096, MAX_SETS = 100, EXIT_SKIPPED = 77 };

typedef struct options {
  run_options run;
  tolerance limit;
} options;

static const struct argp_option OPTIONS[] = {
    {"relative", 'r', "X", 0, "How far a number may be off, relative (1e-4)", 0},
    {"absolute", 'a', "X", 0, "... and absolute (1e-4)", 0},
    {0}};

static error_t parse(const int key, char *const arg, struct argp_state *const state) {
  options *const o = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &o->run;
      return 0;
    case 'r':
      o->limit.relative = atof(arg);
      return 0;
    case 'a':
      o->limit.absolute = atof(arg);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&run_options_argp, 0, NULL, 0}, {0}};

/* ---- what there is: a line for each model, and one for each of its sets ---- */

typedef struct line {
  char *family, *model; /* <folder>/<family>, <model> */
  char *set;            /* NULL: the model alone */
} line;

typedef struct session {
  const options *o;
  line *lines;
  int n;
  table results;
} session;

static char *copy(const char *const text) {
  char *const out = text ? strdup(text) : NULL;
  if (text && !out) {
    abort();
  }
  return out;
}

/* Paths that are too long are cut, and then not found. */
static void set_path(char *const out, const char *const format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(out, PATH_BYTES, format, args);
  va_end(args);
}

static const char *base_name(const char *const path) {
  const char *const slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void key_of(const line *const l, char *const out) {
  set_path(out, "%s/%s%s%s", base_name(l->family), l->model, l->set ? "/" : "",
           l->set ? l->set : "");
}

static void add_line(session *const s, const char *const family, const char *const model,
                     const char *const set) {
  char key[PATH_BYTES];
  const line l = {.family = copy(family), .model = copy(model), .set = copy(set)};
  key_of(&l, key);
  if (s->o->run.filter && fnmatch(s->o->run.filter, key, 0) != 0) {
    free(l.family);
    free(l.model);
    free(l.set);
    return;
  }
  s->lines = realloc(s->lines, ((size_t)s->n + 1) * sizeof *s->lines);
  if (!s->lines) {
    abort();
  }
  s->lines[s->n++] = l;
}

/* Names in a folder, sorted, without those that begin with a dot; free each and the list. */
static int list_folder(const char *const path, char ***const out) {
  struct dirent **entries = NULL;
  const int n = scandir(path, &entries, NULL, alphasort);
  int kept = 0;
  *out = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof **out);
  for (int i = 0; i < n; i++) {
    if (entries[i]->d_name[0] != '.') {
      (*out)[kept++] = copy(entries[i]->d_name);
    }
    free(entries[i]);
  }
  free(entries);
  return kept;
}

static void free_list(char **const list, const int n) {
  for (int i = 0; i < n; i++) {
    free(list[i]);
  }
  free(list);
}

static void add_model(session *const s, const char *const family, const char *const model) {
  char path[PATH_BYTES];
  char **sets;
  add_line(s, family, model, NULL);
  set_path(path, "%s/reference/%s", family, model);
  const int n = list_folder(path, &sets);
  for (int i = 0; i < n; i++) {
    add_line(s, family, model, sets[i]);
  }
  free_list(sets, n);
}

static void add_family(session *const s, const char *const family) {
  char **files;
  const int n = list_folder(family, &files);
  for (int i = 0; i < n; i++) {
    char *const end = strstr(files[i], ".onnx");
    if (end && !end[strlen(".onnx")]) {
      *end = 0;
      add_model(s, family, files[i]);
    }
  }
  free_list(files, n);
}

static void add_folder(session *const s, const char *const folder) {
  char path[PATH_BYTES];
  char **families;
  const int n = list_folder(folder, &families);
  for (int i = 0; i < n; i++) {
    set_path(path, "%s/%s", folder, families[i]);
    add_family(s, path);
  }
  free_list(families, n);
}

/* ---- one line ---- */

/* "serving_default_input:0" lies in "serving_default_input_0.npy". */
static void file_name(const char *const input, char *const out, const size_t size) {
  snprintf(out, size, "%s", input);
  for (char *c = out; *c; c++) {
    *c = strchr(":/\\ ", *c) ? '_' : *c;
  }
}

static bool read_inputs(const line *const l, const char *const set,
                        const Onnx__GraphProto *const graph, data_set *const out) {
  char path[PATH_BYTES], name[PATH_BYTES];
  for (size_t i = 0; i < graph->n_input; i++) {
    file_name(graph->input[i]->name, name, sizeof name);
    set_path(path, "%s/inputs/%s/%s.npy", l->family, set, name);
    if (out->n_in < MAX_PORTS && read_npy(path, &out->in[out->n_in])) {
      out->in_names[out->n_in++] = copy(graph->input[i]->name);
    }
  }
  return out->n_in > 0;
}

static bool read_outputs(const line *const l, data_set *const out) {
  char path[PATH_BYTES];
  do {
    set_path(path, "%s/reference/%s/%s/output_%d.npy", l->family, l->model, l->set, out->n_out);
  } while (out->n_out < MAX_PORTS && read_npy(path, &out->out[out->n_out]) && ++out->n_out);
  return out->n_out > 0;
}

typedef struct all_sets {
  data_set *at;
  int n, own; /* which of them is the line's */
} all_sets;

static all_sets read_sets(const line *const l, const Onnx__GraphProto *const graph) {
  char path[PATH_BYTES];
  char **names;
  set_path(path, "%s/reference/%s", l->family, l->model);
  const int n = list_folder(path, &names);
  all_sets sets = {.at = calloc((size_t)n + 1, sizeof *sets.at), .own = -1};
  for (int i = 0; i < n && sets.at; i++) {
    if (read_inputs(l, names[i], graph, &sets.at[sets.n])) {
      sets.own = strcmp(names[i], l->set) == 0 ? sets.n : sets.own;
      sets.n++;
    }
  }
  free_list(names, n);
  if (sets.own >= 0 && !read_outputs(l, &sets.at[sets.own])) {
    sets.own = -1;
  }
  return sets;
}

static const char *try_set(const char *const path, const all_sets *const sets,
                           const tolerance limit, const bool reload, char *const why) {
  static const char *const words[] = {"failed", "refused", "passed"};
  trial t = {.path = path,
             .span = SPAN_EXACT,
             .sets = sets->at,
             .n_sets = sets->n,
             .limit = limit,
             .reload = reload};
  const outcome together = engine_try(&t, &sets->at[sets->own], why, REASON_BYTES);
  if (together != OUTCOME_REFUSED || sets->n == 1) {
    return words[together];
  }
  char last[REASON_BYTES];
  t.sets = &sets->at[sets->own];
  t.n_sets = 1;
  const outcome alone = engine_try(&t, t.sets, last, sizeof last);
  return alone == OUTCOME_PASSED ? "alone" : words[alone];
}

static float scale_named(const Onnx__GraphProto *const graph, const char *const name) {
  float scale = 0;
  for (size_t i = 0; i < graph->n_initializer; i++) {
    const Onnx__TensorProto *const t = graph->initializer[i];
    if (strcmp(t->name, name) != 0) {
      continue;
    }
    if (t->n_float_data == 1) {
      scale = t->float_data[0];
    } else if (t->raw_data.len == sizeof scale) {
      memcpy(&scale, t->raw_data.data, sizeof scale);
    }
  }
  return scale;
}

/* Outputs that are quantized last may be two steps off: which way a tie inside the model falls
 * depends on the order of sums. */
static tolerance of_quantized(const Onnx__GraphProto *const graph, tolerance limit) {
  for (size_t i = 0; i < graph->n_node; i++) {
    const Onnx__NodeProto *const node = graph->node[i];
    for (size_t o = 0; o < graph->n_output; o++) {
      const bool last = node->n_output > 0 && strcmp(node->output[0], graph->output[o]->name) == 0;
      if (last && node->n_input > 1 && strcmp(node->op_type, "DequantizeLinear") == 0) {
        limit.absolute = fmax(limit.absolute, 2.001 * scale_named(graph, node->input[1]));
      }
    }
  }
  return limit;
}

static const char *run_set(const char *const path, const line *const l, const options *const o,
                           char *const why) {
  Onnx__ModelProto *const model = read_model(path);
  if (!model || !model->graph) {
    snprintf(why, REASON_BYTES, "the model cannot be read");
    return "failed";
  }
  const all_sets sets = read_sets(l, model->graph);
  const char *word = "failed";
  snprintf(why, REASON_BYTES, "inputs or reference cannot be read");
  if (sets.own >= 0) {
    *why = 0;
    word = try_set(path, &sets, of_quantized(model->graph, o->limit),
                   o->run.reload && sets.own == 0, why); /* one set tells */
  }
  for (int i = 0; i < sets.n; i++) {
    data_set_free(&sets.at[i]);
  }
  free(sets.at);
  onnx__model_proto__free_unpacked(model, NULL);
  return word;
}

static void run_line(void *const user, const int job, FILE *const to) {
  static const char *const words[] = {"failed", "refused", "passed"};
  const session *const s = user;
  const line *const l = &s->lines[job];
  char path[PATH_BYTES], why[REASON_BYTES] = "";
  set_path(path, "%s/%s.onnx", l->family, l->model);
  const char *const word =
      l->set ? run_set(path, l, s->o, why) : words[try_load(path, why, sizeof why)];
  fprintf(to, "%s\t%s\n", word, why);
}

static void line_done(void *const user, const int job, char *text, const char *const end) {
  session *const s = user;
  char key[PATH_BYTES];
  key_of(&s->lines[job], key);
  char *rest = strsep(&text, "\n");
  const char *word = strsep(&rest, "\t");
  if (*end || !rest) {
    word = "crashed";
  }
  const char *const fields[] = {key, word, *end ? end : rest ? rest : ""};
  table_add(&s->results, fields);
}

static void report(const table *const results) {
  int passed = 0;
  for (int i = 0; i < results->n; i++) {
    char *const *const f = results->rows[i].fields;
    passed += strcmp(f[1], "passed") == 0;
    printf("%-8s %s%s%s\n", f[1], f[0], *f[2] ? ": " : "", f[2]);
  }
  printf("%d of %d passed\n", passed, results->n);
}

int main(int argc, char **argv) {
  static const char *const heads[] = {"model", "result", "reason"};
  static const struct argp parser = {.options = OPTIONS,
                                     .parser = parse,
                                     .args_doc = "FOLDER...",
                                     .doc = "Runs models against the outputs of another runtime.",
                                     .children = CHILDREN};
  options o = {.run = {.jobs = 2, .seconds = 120}, .limit = {1e-4, 1e-4}};
  argp_parse(&parser, argc, argv, 0, NULL, &o);
  session s = {.o = &o, .results = {.n_columns = 3, .heads = heads}};
  for (int i = 0; i < o.run.n_folders; i++) {
    add_folder(&s, o.run.folders[i]);
  }
  if (!s.n) {
    printf("skipped: no models in %s\n", o.run.folders[0]);
    return EXIT_SKIPPED;
  }
  const pool p = {.n = s.n,
                  .width = o.run.jobs < 1 ? 1 : o.run.jobs,
                  .seconds = o.run.seconds,
                  .run = run_line,
                  .done = line_done,
                  .user = &s};
  pool_run(&p);
  table_sort(&s.results);
  report(&s.results);
  const table_check check = {.path = o.run.table,
                             .update = o.run.update,
                             .complete = !o.run.filter,
                             .first_judged = 1,
                             .end_judged = 2,
                             .reason = 2};
  const int code = table_finish(&s.results, &check);
  table_free(&s.results);
  for (int i = 0; i < s.n; i++) {
    free(s.lines[i].family);
    free(s.lines[i].model);
    free(s.lines[i].set);
  }
  free(s.lines);
  return code;
}
