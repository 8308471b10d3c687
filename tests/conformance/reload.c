#include "conformance/reload.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tare/table.h>
#include <unistd.h>

#include "conformance/proto.h"

enum { PATH_BYTES = 200 };

static const char *const isas[] = {"scalar", "avx2", "avx2,avx512", NULL /* all there are */};
enum { N_ISAS = sizeof isas / sizeof *isas };

/* ---- a table that gives every tensor of a model the same scale ---- */

typedef struct names {
  const char **at;
  int n;
} names;

/* Branches of an If may give their outputs the same names. */
static void add_name(names *const list, const char *const name) {
  for (int i = 0; i < list->n; i++) {
    if (strcmp(list->at[i], name) == 0) {
      return;
    }
  }
  list->at = realloc(list->at, ((size_t)list->n + 1) * sizeof *list->at);
  if (!list->at) {
    abort();
  }
  list->at[list->n++] = name;
}

static void add_graph(names *const list, const Onnx__GraphProto *const graph) {
  for (size_t i = 0; i < graph->n_input; i++) {
    add_name(list, graph->input[i]->name);
  }
  for (size_t n = 0; n < graph->n_node; n++) {
    const Onnx__NodeProto *const node = graph->node[n];
    for (size_t i = 0; i < node->n_output; i++) {
      add_name(list, node->output[i]);
    }
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        add_graph(list, node->attribute[a]->g);
      }
    }
  }
}

static bool write_table(const char *const model_path, const char *const path) {
  Onnx__ModelProto *const model = read_model(model_path);
  FILE *const file = fopen(path, "w");
  names list = {0};
  if (!model || !file) {
    abort(); /* the model has just been run */
  }
  add_graph(&list, model->graph);
  fputs("TRT-10300-EntropyCalibration2\n", file);
  for (int i = 0; i < list.n; i++) {
    if (*list.at[i]) {
      fprintf(file, "%s: 3d010a14\n", list.at[i]); /* 4 / 127 */
    }
  }
  free(list.at);
  onnx__model_proto__free_unpacked(model, NULL);
  return fclose(file) == 0;
}

/* ---- plans and what they give ---- */

typedef struct session {
  const trial *t;
  const data_set *set;
  char folder[40];
  char paths[4 * N_ISAS][PATH_BYTES]; /* plan, case, plan, case, ... */
  int n_paths;
} session;

static void write_data(FILE *const file, const tare_tensor *const t) {
  const size_t n = (size_t)tare_tensor_count(t);
  if (n) {
    (void)fwrite(t->data, tare_dtype_size(t->dtype), n, file);
  }
}

static bool write_case(const char *const path, const reload_case *const c) {
  FILE *const file = fopen(path, "w");
  if (!file) {
    return false;
  }
  (void)fwrite(c, sizeof *c, 1, file);
  for (int i = 0; i < c->n_in; i++) {
    write_data(file, &c->in[i]);
  }
  for (int i = 0; i < c->n_out; i++) {
    write_data(file, &c->out[i]);
  }
  const bool good = !ferror(file);
  return fclose(file) == 0 && good;
}

static char *next_path(session *const s) {
  char *const path = s->paths[s->n_paths];
  snprintf(path, PATH_BYTES, "%s/%d", s->folder, s->n_paths++);
  return path;
}

/* Builds and runs one plan, and writes down what came of it. */
static tare_status keep(session *const s, const tare_build_options *const o,
                        tare_error *const err) {
  static reload_case c; /* large, and there is one at a time */
  char why[REASON_BYTES] = "";
  engine e = {0};
  tare_status status = engine_open(s->t, o, &e, err);
  if (status == TARE_OK) {
    c = (reload_case){.n_in = tare_plan_inputs(e.plan, &(const tare_port *){NULL}),
                      .n_out = tare_plan_outputs(e.plan, &(const tare_port *){NULL})};
    status = engine_inputs(e.plan, s->set, c.in, why, sizeof why)
                 ? tare_context_run(e.context, c.in, c.out, err)
                 : TARE_E_CHECK;
  }
  if (status == TARE_OK) {
    status = tare_plan_save(e.plan, next_path(s), err);
  }
  if (status == TARE_OK && !write_case(next_path(s), &c)) {
    status = TARE_E_IO;
  }
  engine_close(&e);
  return status;
}

static tare_status keep_all(session *const s, const tare_table *const table, const int isa,
                            tare_error *const err) {
  tare_build_options o;
  tare_build_options_init(&o);
  o.int8_when_small = true;
  o.isa = isas[isa];
  tare_status status = keep(s, &o, err);
  if (status == TARE_OK && table) {
    o.table = table;
    status = keep(s, &o, err);
    status = status == TARE_E_USAGE ? TARE_OK : status; /* the table has nothing for the model */
  }
  return status;
}

/* ---- the other program ---- */

/* What it prints goes to the file `said`. */
static bool run_other(session *const s, const char *const said) {
  char program[] = RELOAD_PLAN;
  char *args[4 * N_ISAS + 2] = {program};
  for (int i = 0; i < s->n_paths; i++) {
    args[i + 1] = s->paths[i];
  }
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int status = -1;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    return false;
  }
  const bool started = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, said,
                                                        O_WRONLY | O_CREAT, 0600) == 0 &&
                       posix_spawn(&pid, program, &actions, NULL, args, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return started && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool compare(session *const s, char *const why, const size_t size) {
  char said[PATH_BYTES], line[REASON_BYTES] = "";
  snprintf(said, sizeof said, "%s/said", s->folder);
  const bool equal = run_other(s, said);
  FILE *const file = fopen(said, "r");
  if (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
  }
  if (file) {
    fclose(file);
  }
  unlink(said);
  if (!equal) {
    snprintf(why, size, "from a file: %s", *line ? line : "the program crashed");
  }
  return equal;
}

bool reload_equal(const trial *const t, const data_set *const set, char *const why,
                  const size_t size) {
  session s = {.t = t, .set = set, .folder = "/dev/shm/tare_reload_XXXXXX"};
  char path[PATH_BYTES];
  tare_error err = {0};
  tare_table *table = NULL;
  if (!mkdtemp(s.folder)) { /* memory, where syncing costs nothing; else the disk */
    snprintf(s.folder, sizeof s.folder, "/tmp/tare_reload_XXXXXX");
    if (!mkdtemp(s.folder)) {
      snprintf(why, size, "cannot make a folder in /tmp");
      return false;
    }
  }
  snprintf(path, sizeof path, "%s/table", s.folder);
  tare_status status = write_table(t->path, path) ? tare_table_read(path, &table, &err) : TARE_E_IO;
  unlink(path);
  for (int i = 0; i < N_ISAS && status == TARE_OK; i++) {
    status = keep_all(&s, table, i, &err);
  }
  tare_table_free(&table);
  if (status != TARE_OK) {
    snprintf(why, size, "no plan file: %s", err.message);
  }
  const bool equal = status == TARE_OK && compare(&s, why, size);
  for (int i = 0; i < s.n_paths; i++) {
    unlink(s.paths[i]);
  }
  rmdir(s.folder);
  return equal;
}
