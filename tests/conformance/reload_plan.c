/*
 * Loads plans in a process that has never seen their models, and holds what they give against what
 * the same plans gave when they were built.
 *
 *   reload_plan PLAN CASE [PLAN CASE]...
 *
 * Prints the first difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/reload.h"

static size_t bytes_of(const tare_tensor *const t) {
  return (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
}

static bool read_data(FILE *const file, tare_tensor *const t) {
  const size_t n = bytes_of(t);
  t->data = malloc(n + 1);
  return t->data && fread(t->data, 1, n, file) == n;
}

static bool read_case(const char *const path, reload_case *const c) {
  FILE *const file = fopen(path, "r");
  bool good = file && fread(c, sizeof *c, 1, file) == 1;
  for (int i = 0; i < c->n_in; i++) {
    c->in[i].data = NULL;
    good = good && read_data(file, &c->in[i]);
  }
  for (int i = 0; i < c->n_out; i++) {
    c->out[i].data = NULL;
    good = good && read_data(file, &c->out[i]);
  }
  if (file) {
    fclose(file);
  }
  return good;
}

static void free_case(const reload_case *const c) {
  for (int i = 0; i < c->n_in; i++) {
    free(c->in[i].data);
  }
  for (int i = 0; i < c->n_out; i++) {
    free(c->out[i].data);
  }
}

static bool is_same(const tare_tensor *const got, const tare_tensor *const want) {
  return got->dtype == want->dtype && got->rank == want->rank &&
         memcmp(got->dims, want->dims, (size_t)want->rank * sizeof *want->dims) == 0 &&
         (bytes_of(want) == 0 || memcmp(got->data, want->data, bytes_of(want)) == 0);
}

static bool outputs_are_same(const char *const path, const tare_plan *const plan,
                             const tare_tensor *const got, const reload_case *const c) {
  const tare_port *ports;
  if (tare_plan_outputs(plan, &ports) != c->n_out) {
    printf("%s has other outputs\n", path);
    return false;
  }
  for (int i = 0; i < c->n_out; i++) {
    if (!is_same(&got[i], &c->out[i])) {
      printf("output '%s' has other bits in %s\n", ports[i].name, path);
      return false;
    }
  }
  return true;
}

static bool reload(const char *const path, const reload_case *const c) {
  tare_plan *plan = NULL;
  tare_context *context = NULL;
  tare_context_options options;
  tare_error err = {0};
  tare_tensor out[MAX_PORTS];
  tare_context_options_init(&options);
  options.threads = 2; /* one where it was built */
  tare_status status = tare_plan_load(path, &plan, &err);
  if (status == TARE_OK) {
    status = tare_context_new(plan, &options, &context, &err);
  }
  if (status == TARE_OK) {
    status = tare_context_run(context, c->in, out, &err);
  }
  if (status != TARE_OK) {
    printf("%s\n", err.message);
  }
  const bool same = status == TARE_OK && outputs_are_same(path, plan, out, c);
  tare_context_free(&context);
  tare_plan_free(&plan);
  return same;
}

int main(const int argc, char **const argv) {
  static reload_case c;
  for (int i = 1; i + 1 < argc; i += 2) {
    c = (reload_case){0};
    const bool same = read_case(argv[i + 1], &c) && reload(argv[i], &c);
    free_case(&c);
    if (!same) {
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
