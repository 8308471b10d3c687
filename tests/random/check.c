#include "random/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tare/plan.h>
#include <tare/table.h>
#include <unistd.h>

#include "conformance/compare.h"
#include "conformance/proto.h"
#include "random/peer.h"

enum { MOST_RUNS = 6, SECONDS = 60 };
static const tolerance limit = {.relative = 1e-4, .absolute = 1e-4};

typedef struct bench {
  const random_case *c;
  tare_model *model;
  tare_profiles *profiles;
  tare_plan *plan;
  tare_tensor alone[MAX_SETS][MAX_CASE_PORTS]; /* outputs of contexts that ran once */
  const char *form;                            /* of the plan, for messages */
  char *why;
} bench;

static verdict refuse(const bench *const b, const char *const what, const tare_error *const err) {
  snprintf(b->why, WHY_BYTES, "%s: %s: %.300s", b->form, what, err->message);
  return VERDICT_REFUSED;
}

static verdict fail(const bench *const b, const int set, const int output, const char *const what) {
  snprintf(b->why, WHY_BYTES, "%s, set %d: output '%s' %s", b->form, set, b->c->out_names[output],
           what);
  return VERDICT_FAILED;
}

/* ---- runs ---- */

static verdict run_set(const bench *const b, tare_context *const context, const int set,
                       tare_tensor *const out) {
  tare_error err = {0};
  tare_tensor in[MAX_CASE_PORTS];
  const tare_port *ports;
  const int n = tare_plan_inputs(b->plan, &ports);
  for (int p = 0; p < n; p++) {
    for (int i = 0; i < b->c->n_in; i++) {
      if (strcmp(ports[p].name, b->c->in_names[i]) == 0) {
        in[p] = b->c->in[set][i];
      }
    }
  }
  return tare_context_run(context, in, out, &err) == TARE_OK ? VERDICT_PASSED
                                                             : refuse(b, "run", &err);
}

static verdict new_context(const bench *const b, const int threads, tare_context **const out) {
  tare_error err = {0};
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  return tare_context_new(b->plan, &options, out, &err) == TARE_OK ? VERDICT_PASSED
                                                                   : refuse(b, "context", &err);
}

static verdict run_alone(bench *const b, const int set) {
  tare_context *context = NULL;
  tare_tensor out[MAX_CASE_PORTS];
  verdict v = new_context(b, 1, &context);
  v = v == VERDICT_PASSED ? run_set(b, context, set, out) : v;
  for (int o = 0; o < b->c->n_out && v == VERDICT_PASSED; o++) {
    b->alone[set][o] = tensor_copy(&out[o]);
  }
  tare_context_free(&context);
  return v;
}

static bool same_bits(const tare_tensor *const a, const tare_tensor *const b) {
  return a->dtype == b->dtype && same_dims(a, b) &&
         (!tensor_bytes(a) || memcmp(a->data, b->data, tensor_bytes(a)) == 0);
}

/* One context, several lengths in turn. */
static verdict run_in_turn(bench *const b, const char *const form, const int threads,
                           const int *const sets, const int n) {
  tare_context *context = NULL;
  tare_tensor out[MAX_CASE_PORTS];
  b->form = form;
  verdict v = new_context(b, threads, &context);
  for (int i = 0; i < n && v == VERDICT_PASSED; i++) {
    v = run_set(b, context, sets[i], out);
    if (v == VERDICT_REFUSED) {
      v = VERDICT_FAILED; /* alone it ran */
    }
    for (int o = 0; o < b->c->n_out && v == VERDICT_PASSED; o++) {
      if (!same_bits(&out[o], &b->alone[sets[i]][o])) {
        v = fail(b, sets[i], o, "has other bits than in a context of its own");
      }
    }
  }
  tare_context_free(&context);
  return v;
}

static verdict reload(bench *const b, const char *const form) {
  tare_error err = {0};
  char path[64];
  snprintf(path, sizeof path, "/tmp/tare_random_%d.plan", (int)getpid());
  b->form = form;
  tare_status status = tare_plan_save(b->plan, path, &err);
  if (status == TARE_OK) {
    tare_plan_free(&b->plan);
    status = tare_plan_load(path, &b->plan, &err);
  }
  (void)unlink(path);
  if (status == TARE_OK) {
    return VERDICT_PASSED;
  }
  (void)refuse(b, "plan file", &err);
  return VERDICT_FAILED;
}

void (*check_saw_layer)(const char *op);

/* However a plan is run, it gives what it gave alone. */
static verdict check_runs(bench *const b, const bool quantized) {
  static const int orders[2][MOST_RUNS] = {{1, 0, 2, 0, 1, 2}, {2, 1, 0}};
  for (int i = 0; check_saw_layer && i < tare_plan_n_layers(b->plan); i++) {
    check_saw_layer(tare_plan_layer(b->plan, i).op);
  }
  verdict v = run_in_turn(b, quantized ? "int8 in turn" : "float in turn", 1, orders[0], 6);
  if (v == VERDICT_PASSED) {
    v = run_in_turn(b, quantized ? "int8, two threads" : "float, two threads", 2, orders[1], 3);
  }
  if (v == VERDICT_PASSED) {
    v = reload(b, quantized ? "int8, loaded" : "float, loaded");
  }
  if (v == VERDICT_PASSED) {
    v = run_in_turn(b, quantized ? "int8, loaded" : "float, loaded", 1, orders[1], 3);
  }
  return v;
}

static void forget(bench *const b) {
  for (int s = 0; s < MAX_SETS; s++) {
    for (int o = 0; o < MAX_CASE_PORTS; o++) {
      free(b->alone[s][o].data);
      b->alone[s][o].data = NULL;
    }
  }
  tare_plan_free(&b->plan);
}

/* ---- float ---- */

static verdict check_float(bench *const b) {
  tare_error err = {0};
  char what[200];
  b->form = "float";
  if (tare_plan_build(b->model, b->profiles, NULL, &b->plan, &err) != TARE_OK) {
    return refuse(b, "build", &err);
  }
  verdict v = VERDICT_PASSED;
  for (int s = 0; s < b->c->n_sets && v == VERDICT_PASSED; s++) {
    v = run_alone(b, s);
    for (int o = 0; o < b->c->n_out && v == VERDICT_PASSED; o++) {
      if (!tensors_equal(&b->alone[s][o], &b->c->out[s][o], limit, what, sizeof what)) {
        v = fail(b, s, o, what);
      }
    }
  }
  return v == VERDICT_PASSED ? check_runs(b, false) : v;
}

/* ---- int8 ---- */

static void write_tensors(FILE *const file, const Onnx__GraphProto *const graph, int *const n) {
  for (size_t i = 0; i < graph->n_input; i++) {
    fprintf(file,
            "%s\n{\"name\": \"%s\", \"amax\": [2], \"min\": [-2], \"max\": [2], "
            "\"count\": [1], \"energy_lost\": [null]}",
            (*n)++ ? "," : "", graph->input[i]->name);
  }
  for (size_t i = 0; i < graph->n_node; i++) {
    for (size_t o = 0; o < graph->node[i]->n_output; o++) {
      const int amax = 1 + (*n) % 5, min = (*n) % 3 ? -amax : 0;
      fprintf(file,
              "%s\n{\"name\": \"%s\", \"amax\": [%d], \"min\": [%d], \"max\": [%d], "
              "\"count\": [1], \"energy_lost\": [null]}",
              (*n)++ ? "," : "", graph->node[i]->output[o], amax, min, amax);
    }
    for (size_t a = 0; a < graph->node[i]->n_attribute; a++) {
      if (graph->node[i]->attribute[a]->g) {
        write_tensors(file, graph->node[i]->attribute[a]->g, n);
      }
    }
  }
}

/* A table of made-up thresholds: bits are compared with bits here. */
static tare_table *make_table(const random_case *const c, tare_error *const err) {
  char path[64];
  tare_table *table = NULL;
  const int fd = memfd_create("random.json", MFD_CLOEXEC);
  FILE *const file = need(fdopen(fd, "w"));
  int n = 0;
  fprintf(file,
          "{\"format\": \"tare.calib\", \"version\": {\"major\": 1, \"minor\": 0},"
          "\"method\": \"max\", \"parameters\": {}, \"model\": {\"name\": \"m\", \"hash\": "
          "\"0000000000000000\"}, \"fit\": \"native\", \"pad_stats\": \"skip\","
          "\"per_profile\": false, \"profiles\": [], \"warnings\": [], \"tensors\": [");
  write_tensors(file, c->model->graph, &n);
  fprintf(file, "]}\n");
  fflush(file);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  (void)tare_table_read(path, &table, err); /* NULL says it */
  fclose(file);
  return table;
}

static verdict check_int8(bench *const b) {
  tare_error err = {0};
  tare_build_options options;
  tare_build_options_init(&options);
  options.int8_when_small = true;
  tare_table *table = make_table(b->c, &err);
  options.table = table;
  b->form = "int8";
  const tare_status status =
      table ? tare_plan_build(b->model, b->profiles, &options, &b->plan, &err) : TARE_E_INPUT;
  tare_table_free(&table);
  if (status != TARE_OK) {
    (void)refuse(b, "build", &err);
    return VERDICT_FAILED; /* in float it was built */
  }
  verdict v = VERDICT_PASSED;
  for (int s = 0; s < b->c->n_sets && v == VERDICT_PASSED; s++) {
    v = run_alone(b, s);
  }
  /* Bytes decide indices, which may leave their range then. */
  return v == VERDICT_PASSED ? check_runs(b, true) : VERDICT_PASSED;
}

/* ---- all ---- */

static verdict open_case(bench *const b) {
  char path[64];
  tare_error err = {0};
  const tare_port *ports;
  b->form = "model";
  const int file = model_to_memory(b->c->model, path, sizeof path);
  tare_status status = tare_model_load(path, &b->model, &err);
  close(file);
  if (status == TARE_OK) {
    const int n = tare_model_inputs(b->model, &ports);
    status = tare_profiles_new(ports, n, &b->profiles, &err);
  }
  for (int p = 0; p < b->c->n_specs && status == TARE_OK; p++) {
    char spec[SPEC_BYTES] = "";
    for (int s = 0; s < tare_profiles_n_symbols(b->profiles); s++) {
      const char *const name = tare_profiles_symbol(b->profiles, s);
      const char *const at = strstr(b->c->specs[p], name);
      const size_t used = strlen(spec);
      snprintf(spec + used, sizeof spec - used, "%s%.*s", s ? "," : "",
               at ? (int)strcspn(at, ",") : 0, at ? at : "");
    }
    if (*spec || p == 0) {
      status = tare_profiles_add(b->profiles, spec, &err);
    }
  }
  return status == TARE_OK ? VERDICT_PASSED : refuse(b, "load", &err);
}

verdict check_case(const random_case *const c, char *const why) {
  bench b = {.c = c, .why = why};
  verdict v = open_case(&b);
  v = v == VERDICT_PASSED ? check_float(&b) : v;
  forget(&b);
  v = v == VERDICT_PASSED ? check_int8(&b) : v;
  forget(&b);
  v = v == VERDICT_PASSED && peer_library ? peer_check(c, why) : v;
  tare_profiles_free(&b.profiles);
  tare_model_free(&b.model);
  return v;
}

verdict check_apart(const random_case *const c, char *const why) {
  char *const shared =
      mmap(NULL, WHY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    return check_case(c, why);
  }
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    (void)alarm(SECONDS);
    _exit((int)check_case(c, shared));
  }
  int status = 0;
  (void)waitpid(child, &status, 0);
  snprintf(why, WHY_BYTES, "%s", shared);
  if (WIFSIGNALED(status)) {
    snprintf(why, WHY_BYTES, "ends by signal %d", WTERMSIG(status));
  }
  (void)munmap(shared, WHY_BYTES);
  return !WIFEXITED(status) || WEXITSTATUS(status) >= VERDICT_COUNT ? VERDICT_FAILED
                                                                    : (verdict)WEXITSTATUS(status);
}
