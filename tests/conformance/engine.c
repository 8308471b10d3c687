#include "conformance/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/reload.h"

void data_set_free(data_set *const set) {
  for (int i = 0; i < MAX_PORTS; i++) {
    free(set->in_names[i]);
    free(set->out_names[i]);
    free(set->in[i].data);
    free(set->out[i].data);
  }
  *set = (data_set){0};
}

/* The input of that name, or NULL. */
static const tare_tensor *find_in(const data_set *const set, const char *const name) {
  for (int i = 0; i < set->n_in; i++) {
    if (strcmp(set->in_names[i], name) == 0) {
      return &set->in[i];
    }
  }
  return NULL;
}

/* ---- profiles ---- */

/* Least and largest size that a symbol has over the sets. */
static void span_symbol(const trial *const t, const tare_port *const ports, const int n,
                        const char *const symbol, int64_t *const least, int64_t *const most) {
  *least = INT64_MAX;
  *most = 0;
  for (int s = 0; s < t->n_sets; s++) {
    for (int p = 0; p < n; p++) {
      const tare_tensor *const tensor = find_in(&t->sets[s], ports[p].name);
      for (int d = 0; tensor && d < ports[p].rank && d < tensor->rank; d++) {
        if (ports[p].dims[d].symbol && strcmp(ports[p].dims[d].symbol, symbol) == 0) {
          *least = tensor->dims[d] < *least ? tensor->dims[d] : *least;
          *most = tensor->dims[d] > *most ? tensor->dims[d] : *most;
        }
      }
    }
  }
  *least = *least > *most ? *most : *least;
}

static void write_profile(const trial *const t, const tare_port *const ports, const int n,
                          const tare_profiles *const profiles, char *const out, const size_t size) {
  size_t used = 0;
  *out = 0;
  for (int i = 0; i < tare_profiles_n_symbols(profiles) && used < size; i++) {
    int64_t least, most;
    const char *const symbol = tare_profiles_symbol(profiles, i);
    span_symbol(t, ports, n, symbol, &least, &most);
    const int64_t min = t->span == SPAN_WIDE && least > 1 ? 1 : least;
    const int64_t max = t->span == SPAN_EXACT ? most : most + 3;
    used += (size_t)snprintf(out + used, size - used, "%s%s=%" PRId64 ":%" PRId64 ":%" PRId64,
                             i ? "," : "", symbol, min, most, max);
  }
}

static tare_status make_profiles(const trial *const t, const tare_model *const model,
                                 tare_profiles **const out, tare_error *const err) {
  char spec[8192];
  const tare_port *ports;
  const int n = tare_model_inputs(model, &ports);
  const tare_status status = tare_profiles_new(ports, n, out, err);
  if (status != TARE_OK) {
    return status;
  }
  write_profile(t, ports, n, *out, spec, sizeof spec);
  return tare_profiles_add(*out, spec, err);
}

/* ---- runs ---- */

tare_status engine_open(const trial *const t, const tare_build_options *const o, engine *const e,
                        tare_error *const err) {
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = 1;
  tare_status status = tare_model_load(t->path, &e->model, err);
  if (status == TARE_OK) {
    status = make_profiles(t, e->model, &e->profiles, err);
  }
  if (status == TARE_OK) {
    status = tare_plan_build(e->model, e->profiles, o, &e->plan, err);
  }
  return status == TARE_OK ? tare_context_new(e->plan, &options, &e->context, err) : status;
}

void engine_close(engine *const e) {
  tare_context_free(&e->context);
  tare_plan_free(&e->plan);
  tare_profiles_free(&e->profiles);
  tare_model_free(&e->model);
}

/* Index of the wanted output that belongs to output `i` of the plan, or -1. */
static int find_out(const data_set *const set, const char *const name, const int i) {
  for (int o = 0; o < set->n_out; o++) {
    if (set->out_names[o] ? strcmp(set->out_names[o], name) == 0 : o == i) {
      return o;
    }
  }
  return -1;
}

static bool outputs_equal(const tare_plan *const plan, const tare_tensor *const got,
                          const data_set *const set, const tolerance limit, char *const why,
                          const size_t size) {
  const tare_port *ports;
  const int n = tare_plan_outputs(plan, &ports);
  char what[200];
  if (n != set->n_out) {
    snprintf(why, size, "there are %d outputs instead of %d", n, set->n_out);
    return false;
  }
  for (int i = 0; i < n; i++) {
    const int o = find_out(set, ports[i].name, i);
    if (o < 0) {
      snprintf(why, size, "output '%s' is not one of the model's", ports[i].name);
      return false;
    }
    if (!tensors_equal(&got[i], &set->out[o], limit, what, sizeof what)) {
      snprintf(why, size, "output '%s' %s", ports[i].name, what);
      return false;
    }
  }
  return true;
}

void copy_message(const char *const message, const char *const model, char *const out,
                  const size_t size) {
  const char *const slash = strrchr(model, '/');
  const size_t folder = slash ? (size_t)(slash + 1 - model) : 0;
  size_t n = 0;
  for (const char *from = message; *from && n + 1 < size;) {
    if (folder && strncmp(from, model, folder) == 0) {
      from += folder;
    } else {
      out[n++] = *from++;
    }
  }
  out[n] = 0;
}

/* Also without the model's own name, with which most messages begin. */
static outcome refuse(const tare_error *const err, const char *const path, char *const why,
                      const size_t size) {
  const size_t n = strlen(path);
  const bool named = strncmp(err->message, path, n) == 0 && strncmp(err->message + n, ": ", 2) == 0;
  copy_message(err->message + (named ? n + 2 : 0), path, why, size);
  if (!*why) {
    snprintf(why, size, "is refused without a word");
    return OUTCOME_FAILED;
  }
  return OUTCOME_REFUSED;
}

bool engine_inputs(const tare_plan *const plan, const data_set *const set, tare_tensor *const in,
                   char *const why, const size_t size) {
  const tare_port *ports;
  const int n = tare_plan_inputs(plan, &ports);
  if (n > MAX_PORTS || tare_plan_outputs(plan, &(const tare_port *){NULL}) > MAX_PORTS) {
    snprintf(why, size, "has more than %d inputs or outputs", MAX_PORTS);
    return false;
  }
  for (int i = 0; i < n; i++) {
    const tare_tensor *const given = find_in(set, ports[i].name);
    if (!given) {
      snprintf(why, size, "asks for an input '%s', for which there is no data", ports[i].name);
      return false;
    }
    in[i] = *given;
  }
  return true;
}

static outcome run(const trial *const t, const engine *const e, const data_set *const set,
                   char *const why, const size_t size) {
  tare_tensor in[MAX_PORTS], out[MAX_PORTS];
  if (!engine_inputs(e->plan, set, in, why, size)) {
    return OUTCOME_FAILED;
  }
  for (int turn = 0; turn < 2; turn++) { /* the second finds what the first left behind */
    tare_error err = {0};
    if (tare_context_run(e->context, in, out, &err) != TARE_OK) {
      return refuse(&err, t->path, why, size);
    }
    if (!outputs_equal(e->plan, out, set, t->limit, why, size)) {
      return OUTCOME_FAILED;
    }
  }
  return OUTCOME_PASSED;
}

outcome engine_try(const trial *const t, const data_set *const set, char *const why,
                   const size_t size) {
  engine e = {0};
  tare_error err = {0};
  const tare_status status = engine_open(t, NULL, &e, &err);
  const outcome result =
      status == TARE_OK ? run(t, &e, set, why, size) : refuse(&err, t->path, why, size);
  engine_close(&e);
  return result == OUTCOME_PASSED && t->reload && !reload_equal(t, set, why, size) ? OUTCOME_FAILED
                                                                                   : result;
}
