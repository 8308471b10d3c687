#include "bench/ort.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ort_api.h"
#include "tools/cli.h"

enum { MOST_PORTS = 16 };

struct ort {
  void *library;
  ort_calls call;
  ort_handle env, memory, allocator;
};

struct ort_session {
  ort *ort;
  const char *model;
  ort_handle session;
  size_t n_in, n_out;
  char *in_names[MOST_PORTS], *out_names[MOST_PORTS];
  int in_types[MOST_PORTS]; /* as in ONNX, and so as a tare_dtype */
  ort_handle in[MOST_PORTS], out[MOST_PORTS];
  void *made[MOST_PORTS]; /* bytes made up for an input, or NULL */
};

/* Turns a status of the library into ours. */
static tare_status ort_check(const ort *const o, const ort_result result, tare_error *const err) {
  if (!result) {
    return TARE_OK;
  }
  (void)cli_fail(err, TARE_E_UNSUPPORTED, "ONNX Runtime: %s", o->call.error_message(result));
  o->call.free_status(result);
  return TARE_E_UNSUPPORTED;
}

static tare_status open_library(ort *const o, const char *const path, tare_error *const err) {
  o->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!o->library) {
    return cli_fail(err, TARE_E_INPUT, "%s: %s", path, dlerror());
  }
  const ort_base *(*base)(void) = NULL;
  *(void **)&base = dlsym(o->library, "OrtGetApiBase");
  void *const *const table = base ? base()->table(ORT_VERSION) : NULL;
  if (!table) {
    return cli_fail(err, TARE_E_INPUT, "%s is not an ONNX Runtime with version %d of its interface",
                    path, ORT_VERSION);
  }
#define ORT_CALL(name, place, result, parameters) *(void **)&o->call.name = table[place];
  ORT_CALLS(ORT_CALL)
#undef ORT_CALL
  return TARE_OK;
}

tare_status ort_open(const char *const library, ort **const out, tare_error *const err) {
  ort *const o = *out = cli_realloc(NULL, 1, sizeof *o);
  *o = (ort){0};
  tare_status status = open_library(o, library, err);
  if (status == TARE_OK) {
    status = ort_check(o, o->call.new_env(ORT_LOG_ERRORS, "bench", &o->env), err);
  }
  if (status == TARE_OK) {
    status = ort_check(o, o->call.cpu_memory(ORT_ARENA, ORT_DEFAULT_MEMORY, &o->memory), err);
  }
  if (status == TARE_OK) {
    status = ort_check(o, o->call.default_allocator(&o->allocator), err);
  }
  if (status != TARE_OK) {
    ort_close(out);
  }
  return status;
}

void ort_close(ort **const library) {
  ort *const o = *library;
  if (!o) {
    return;
  }
  if (o->memory) {
    o->call.free_memory(o->memory);
  }
  if (o->env) {
    o->call.free_env(o->env);
  }
  free(o); /* the library stays: its threads may not be gone yet */
  *library = NULL;
}

static tare_status set_options(const ort *const o, const ort_handle options, const int threads,
                               tare_error *const err) {
  CLI_TRY(ort_check(o, o->call.set_threads(options, threads), err));
  CLI_TRY(ort_check(o, o->call.set_parallel_nodes(options, 1), err));
  CLI_TRY(ort_check(o, o->call.set_optimization(options, ORT_ALL_OPTIMIZATIONS), err));
  if (threads == 2) { /* the worker on the second core, counted from 1 */
    CLI_TRY(
        ort_check(o, o->call.set_entry(options, "session.intra_op_thread_affinities", "2"), err));
  }
  return ort_check(o, o->call.set_entry(options, "session.qdqisint8allowed", "1"), err);
}

tare_status ort_write_optimized(ort *const library, const char *const model, const char *const path,
                                tare_error *const err) {
  ort_handle options = NULL, session = NULL;
  const ort_calls *const call = &library->call;
  tare_status status = ort_check(library, call->new_options(&options), err);
  if (status == TARE_OK) {
    status = set_options(library, options, 1 /* thread */, err);
  }
  if (status == TARE_OK) {
    status = ort_check(library, call->set_optimization(options, ORT_PORTABLE_OPTIMIZATIONS), err);
  }
  if (status == TARE_OK) {
    status = ort_check(library, call->set_optimized_path(options, path), err);
  }
  if (status == TARE_OK) {
    status = ort_check(library, call->new_session(library->env, model, options, &session), err);
  }
  if (session) {
    call->free_session(session);
  }
  if (options) {
    call->free_options(options);
  }
  return status;
}

static tare_status read_input(ort_session *const s, const size_t i, tare_error *const err) {
  const ort *const o = s->ort;
  ort_handle type = NULL, info = NULL;
  CLI_TRY(ort_check(o, o->call.input_name(s->session, i, o->allocator, &s->in_names[i]), err));
  CLI_TRY(ort_check(o, o->call.input_type(s->session, i, &type), err));
  tare_status status = ort_check(o, o->call.tensor_info(type, &info), err);
  if (status == TARE_OK) {
    status = info ? ort_check(o, o->call.element_type(info, &s->in_types[i]), err)
                  : cli_fail(err, TARE_E_UNSUPPORTED, "input %zu is not a tensor", i);
  }
  o->call.free_type(type);
  return status;
}

static tare_status read_ports(ort_session *const s, tare_error *const err) {
  const ort *const o = s->ort;
  size_t n_in = 0, n_out = 0;
  CLI_TRY(ort_check(o, o->call.count_inputs(s->session, &n_in), err));
  CLI_TRY(ort_check(o, o->call.count_outputs(s->session, &n_out), err));
  if (n_in > MOST_PORTS || n_out > MOST_PORTS) {
    return cli_fail(err, TARE_E_LIMIT, "%s has more than %d inputs or outputs", s->model,
                    MOST_PORTS);
  }
  for (s->n_in = 0; s->n_in < n_in; s->n_in++) {
    CLI_TRY(read_input(s, s->n_in, err));
  }
  for (s->n_out = 0; s->n_out < n_out; s->n_out++) {
    CLI_TRY(ort_check(
        o, o->call.output_name(s->session, s->n_out, o->allocator, &s->out_names[s->n_out]), err));
  }
  return TARE_OK;
}

tare_status ort_session_new(ort *const library, const char *const model, const int threads,
                            ort_session **const out, tare_error *const err) {
  ort_session *const s = *out = cli_realloc(NULL, 1, sizeof *s);
  *s = (ort_session){.ort = library, .model = model};
  ort_handle options = NULL;
  tare_status status = ort_check(library, library->call.new_options(&options), err);
  if (status == TARE_OK) {
    status = set_options(library, options, threads, err);
  }
  if (status == TARE_OK) {
    status = ort_check(library,
                       library->call.new_session(library->env, model, options, &s->session), err);
  }
  if (status == TARE_OK) {
    status = read_ports(s, err);
  }
  if (options) {
    library->call.free_options(options);
  }
  if (status != TARE_OK) {
    (void)cli_fail_in(err, status, model); /* the status is returned below */
    ort_session_free(out);
  }
  return status;
}

static void forget_inputs(ort_session *const s) {
  for (size_t i = 0; i < MOST_PORTS; i++) {
    if (s->in[i]) {
      s->ort->call.free_value(s->in[i]);
    }
    free(s->made[i]);
    s->in[i] = s->made[i] = NULL;
  }
}

static void ort_forget_outputs(ort_session *const s) {
  for (size_t i = 0; i < MOST_PORTS; i++) {
    if (s->out[i]) {
      s->ort->call.free_value(s->out[i]);
    }
    s->out[i] = NULL;
  }
}

static void free_names(const ort *const o, char *const *const names) {
  for (int i = 0; i < MOST_PORTS; i++) {
    if (names[i]) {
      (void)o->call.free_text(o->allocator, names[i]); /* freeing cannot fail in a useful way */
    }
  }
}

void ort_session_free(ort_session **const session) {
  ort_session *const s = *session;
  if (!s) {
    return;
  }
  forget_inputs(s);
  ort_forget_outputs(s);
  free_names(s->ort, s->in_names);
  free_names(s->ort, s->out_names);
  if (s->session) {
    s->ort->call.free_session(s->session);
  }
  free(s);
  *session = NULL;
}

static int find_port(const ort_session *const s, const size_t input, const tare_port *const ports,
                     const int n) {
  for (int i = 0; i < n; i++) {
    if (strcmp(ports[i].name, s->in_names[input]) == 0) {
      return i;
    }
  }
  return n == 1 && s->n_in == 1 ? 0 : -1;
}

static void *make_bytes(const size_t n) {
  uint8_t *const bytes = cli_realloc(NULL, n, 1);
  for (size_t i = 0; i < n; i++) {
    bytes[i] = (uint8_t)((uint32_t)i * 2654435761u >> 24);
  }
  return bytes;
}

static tare_status feed_input(ort_session *const s, const size_t i, const tare_tensor *const t,
                              tare_error *const err) {
  const ort *const o = s->ort;
  const tare_dtype type = (tare_dtype)s->in_types[i];
  const size_t bytes = (size_t)tare_tensor_count(t) * tare_dtype_size(type);
  if (type != t->dtype && type != TARE_U8) {
    return cli_fail(err, TARE_E_UNSUPPORTED, "%s: input '%s' takes %s, not %s", s->model,
                    s->in_names[i], tare_dtype_name(type), tare_dtype_name(t->dtype));
  }
  if (type != t->dtype) {
    s->made[i] = make_bytes(bytes);
  }
  void *const data = s->made[i] ? s->made[i] : t->data;
  return ort_check(
      o, o->call.new_tensor(o->memory, data, bytes, t->dims, (size_t)t->rank, type, &s->in[i]),
      err);
}

tare_status ort_session_feed(ort_session *const s, const tare_port *const ports,
                             const tare_tensor *const tensors, const int n, tare_error *const err) {
  forget_inputs(s);
  for (size_t i = 0; i < s->n_in; i++) {
    const int port = find_port(s, i, ports, n);
    if (port < 0) {
      return cli_fail(err, TARE_E_INPUT, "%s: nothing is given for input '%s'", s->model,
                      s->in_names[i]);
    }
    CLI_TRY(feed_input(s, i, &tensors[port], err));
  }
  return TARE_OK;
}

tare_status ort_session_run(ort_session *const s, tare_error *const err) {
  const ort *const o = s->ort;
  ort_forget_outputs(s);
  return ort_check(o,
                   o->call.run(s->session, NULL, (const char *const *)s->in_names, s->in, s->n_in,
                               (const char *const *)s->out_names, s->n_out, s->out),
                   err);
}

static tare_status ort_read_shape(const ort *const o, const ort_handle info, tare_tensor *const out,
                                  tare_error *const err) {
  size_t rank = 0;
  int type = 0;
  CLI_TRY(ort_check(o, o->call.element_type(info, &type), err));
  CLI_TRY(ort_check(o, o->call.count_dims(info, &rank), err));
  if (rank > TARE_MAX_RANK) {
    return cli_fail(err, TARE_E_LIMIT, "an output has rank %zu", rank);
  }
  out->dtype = (tare_dtype)type;
  out->rank = (int)rank;
  return ort_check(o, o->call.get_dims(info, out->dims, rank), err);
}

tare_status ort_session_output(const ort_session *const s, const int i, tare_tensor *const out,
                               tare_error *const err) {
  const ort *const o = s->ort;
  ort_handle info = NULL;
  *out = (tare_tensor){0};
  CLI_TRY(ort_check(o, o->call.value_info(s->out[i], &info), err));
  const tare_status status = ort_read_shape(o, info, out, err);
  o->call.free_tensor_info(info);
  return status == TARE_OK ? ort_check(o, o->call.tensor_data(s->out[i], &out->data), err) : status;
}

int ort_session_find_output(const ort_session *const s, const char *const name) {
  for (size_t i = 0; i < s->n_out; i++) {
    if (strcmp(s->out_names[i], name) == 0) {
      return (int)i;
    }
  }
  return -1;
}
