#include "conformance/node_case.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/engine.h"
#include "conformance/proto.h"
#include "conformance/variant.h"

enum { MAX_SETS = 100, PATH_BYTES = 4096 };

static const tolerance limit = {.relative = 1e-3,
                                .absolute = 1e-7}; /* those of onnx's own runner */

/* ---- what a case is ---- */

static void add_type(char *const list, const size_t size, const char *const name) {
  const char *at = strstr(list, name);
  const size_t n = strlen(name);
  while (at && ((at != list && at[-1] != '+') || (at[n] && at[n] != '+'))) {
    at = strstr(at + 1, name);
  }
  if (!at) {
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used ? "+" : "", name);
  }
}

static void add_types(Onnx__ValueInfoProto *const *const list, const size_t n, char *const types,
                      const size_t size) {
  for (size_t i = 0; i < n; i++) {
    add_type(types, size, type_name(list[i]->type));
  }
}

bool node_case_describe(const char *const folder, node_case *const out) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/model.onnx", folder);
  Onnx__ModelProto *const model = read_model(path);
  *out = (node_case){.operator= "?" };
  if (!model || !model->graph) {
    return false;
  }
  const Onnx__GraphProto *const graph = model->graph;
  snprintf(out->operator, sizeof out->operator, "%s",
           graph->n_node == 1 ? graph->node[0]->op_type : "(several)");
  add_types(graph->input, graph->n_input, out->types, sizeof out->types);
  add_types(graph->output, graph->n_output, out->types, sizeof out->types);
  onnx__model_proto__free_unpacked(model, NULL);
  return true;
}

/* ---- its data ---- */

typedef struct pb_set {
  Onnx__TensorProto *in[MAX_PORTS];
  data_set tensors;
} pb_set;

static void free_pb_set(pb_set *const set) {
  for (int i = 0; i < MAX_PORTS; i++) {
    if (set->in[i]) {
      onnx__tensor_proto__free_unpacked(set->in[i], NULL);
    }
  }
  data_set_free(&set->tensors);
}

/* One tensor of a set: data and the name that the model gives it. */
static Onnx__TensorProto *read_part(const char *const folder, const int set, const char *const kind,
                                    const int i, const Onnx__ValueInfoProto *const port,
                                    char **const name, tare_tensor *const tensor, char *const why,
                                    const size_t size) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/test_data_set_%d/%s_%d.pb", folder, set, kind, i);
  Onnx__TensorProto *const proto = type_is_known(port->type) ? read_tensor(path) : NULL;
  *name = strdup(port->name);
  if (!proto) {
    snprintf(why, size, "%s_%d.pb holds no tensor", kind, i);
    return NULL;
  }
  if (!tensor_from_proto(proto, tensor, why, size)) {
    onnx__tensor_proto__free_unpacked(proto, NULL);
    return NULL;
  }
  return proto;
}

static bool read_set(const char *const folder, const int n, const Onnx__GraphProto *const graph,
                     pb_set *const set, char *const why, const size_t size) {
  data_set *const t = &set->tensors;
  if (graph->n_input > MAX_PORTS || graph->n_output > MAX_PORTS) {
    snprintf(why, size, "has more than %d inputs or outputs", MAX_PORTS);
    return false;
  }
  for (int i = 0; i < (int)graph->n_input; i++) {
    set->in[i] =
        read_part(folder, n, "input", i, graph->input[i], &t->in_names[i], &t->in[i], why, size);
    t->n_in++;
    if (!set->in[i]) {
      return false;
    }
  }
  for (int i = 0; i < (int)graph->n_output; i++) {
    Onnx__TensorProto *const proto = read_part(folder, n, "output", i, graph->output[i],
                                               &t->out_names[i], &t->out[i], why, size);
    t->n_out++;
    if (!proto) {
      return false;
    }
    onnx__tensor_proto__free_unpacked(proto, NULL);
  }
  return true;
}

static int count_sets(const char *const folder) {
  char path[PATH_BYTES];
  int n = 0;
  do {
    snprintf(path, sizeof path, "%s/test_data_set_%d", folder, n);
  } while (access(path, F_OK) == 0 && ++n < MAX_SETS);
  return n;
}

/* ---- trials ---- */

/* What is the same for all trials of a case. */
typedef struct attempt {
  const char *folder;
  bool reload;
} attempt;

static outcome try_spans(const attempt *const a, const char *const path, const data_set *const set,
                         const bool dynamic, char *const why) {
  outcome result = OUTCOME_REFUSED;
  *why = 0;
  for (span s = dynamic ? SPAN_WIDE : SPAN_EXACT; s < SPAN_COUNT && result == OUTCOME_REFUSED;
       s++) {
    const trial t = {
        .path = path, .span = s, .sets = set, .n_sets = 1, .limit = limit, .reload = a->reload};
    char last[REASON_BYTES];
    result = engine_try(&t, set, last, sizeof last);
    if (!*why || result != OUTCOME_REFUSED) {
      snprintf(why, REASON_BYTES, "%s", last);
    }
  }
  return result;
}

static void drop_first_output(data_set *const set) {
  free(set->out_names[0]);
  free(set->out[0].data);
  set->n_out--;
  memmove(set->out_names, set->out_names + 1, (size_t)set->n_out * sizeof *set->out_names);
  memmove(set->out, set->out + 1, (size_t)set->n_out * sizeof *set->out);
  set->out_names[set->n_out] = NULL;
  set->out[set->n_out] = (tare_tensor){0};
}

/* -1 where the variant does not apply. */
static int try_variant(const attempt *const a, const char *const file, const variant v,
                       pb_set *const set, char *const why) {
  char path[60];
  Onnx__ModelProto *const model = read_model(file);
  int result = -1;
  if (model && model->graph && variant_apply(model, v, set->in)) {
    const int fd = model_to_memory(model, path, sizeof path);
    if (v.unnamed) {
      drop_first_output(&set->tensors);
    }
    if (fd >= 0) {
      result = try_spans(a, path, &set->tensors, v.dims != DIMS_AS_THEY_ARE, why);
      close(fd);
    }
  }
  if (model) {
    onnx__model_proto__free_unpacked(model, NULL);
  }
  return result;
}

/* The worst over the sets; -1 where the variant does not apply. */
static int try_sets(const attempt *const a, const variant v, char *const why) {
  char file[PATH_BYTES];
  const int n = count_sets(a->folder);
  int worst = n ? OUTCOME_PASSED : OUTCOME_FAILED;
  snprintf(file, sizeof file, "%s/model.onnx", a->folder);
  snprintf(why, REASON_BYTES, "there is no test_data_set_0");
  Onnx__ModelProto *const model = read_model(file);
  for (int i = 0; i < n && worst == OUTCOME_PASSED; i++) {
    pb_set *const set = calloc(1, sizeof *set);
    if (!set || !read_set(a->folder, i, model->graph, set, why, REASON_BYTES)) {
      worst = OUTCOME_FAILED;
    } else {
      worst = try_variant(a, file, v, set, why);
    }
    free_pb_set(set);
    free(set);
  }
  onnx__model_proto__free_unpacked(model, NULL);
  return worst;
}

typedef struct form {
  variant v;
  const char *word;
  bool bold; /* it may be refused */
} form;

/* The first form that is not refused decides. `why` is the first refusal, or what failed. */
static const char *try_forms(const attempt *const a, const form *const forms, const int n,
                             char *const why) {
  const char *result = "-";
  char last[REASON_BYTES];
  for (int i = 0; i < n; i++) {
    const int got = try_sets(a, forms[i].v, last);
    if (got == OUTCOME_PASSED) {
      return forms[i].word;
    }
    if (got == OUTCOME_FAILED || (got == OUTCOME_REFUSED && *result == '-' && !forms[i].bold)) {
      snprintf(why, REASON_BYTES, "%s", last);
      result = got == OUTCOME_FAILED ? "failed" : "refused";
    }
    if (got == OUTCOME_FAILED) {
      break;
    }
  }
  return result;
}

static const form static_forms[] = {
    {{.dims = DIMS_AS_THEY_ARE}, "passed"},
    {{.dims = DIMS_AS_THEY_ARE, .constants = true}, "constant"},
};

static const form dynamic_forms[] = {
    {{.dims = DIMS_OWN}, "passed", .bold = true},
    {{.dims = DIMS_OWN, .fix_parameters = true}, "passed"},
    {{.dims = DIMS_SHARED, .fix_parameters = true}, "shared"},
    {{.dims = DIMS_OWN, .constants = true}, "constant"},
    {{.dims = DIMS_SHARED, .constants = true}, "constant+shared"},
};

/* A model with values that tare has no tensors of must be refused; there is nothing to compare. */
static const char *try_unknown(const char *const folder, char *const why) {
  char path[PATH_BYTES];
  static const data_set none;
  snprintf(path, sizeof path, "%s/model.onnx", folder);
  const trial t = {.path = path, .span = SPAN_EXACT, .sets = &none, .n_sets = 1, .limit = limit};
  if (engine_try(&t, &none, why, REASON_BYTES) == OUTCOME_REFUSED) {
    return "refused";
  }
  snprintf(why, REASON_BYTES, "is taken, though its types are not known");
  return "failed";
}

static bool types_are_known(const char *const folder) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/model.onnx", folder);
  Onnx__ModelProto *const model = read_model(path);
  bool known = model && model->graph;
  for (size_t i = 0; known && i < model->graph->n_input; i++) {
    known = type_is_known(model->graph->input[i]->type);
  }
  for (size_t i = 0; known && i < model->graph->n_output; i++) {
    known = type_is_known(model->graph->output[i]->type);
  }
  if (model) {
    onnx__model_proto__free_unpacked(model, NULL);
  }
  return known;
}

/* Outputs do not depend on whether the first one is wanted. */
static const char *try_unnamed(const attempt *const a, const char *const word, char *const why) {
  char last[REASON_BYTES];
  const int got = try_sets(a, (variant){.unnamed = true}, last);
  if (got < 0 || got == OUTCOME_PASSED) {
    return word;
  }
  snprintf(why, REASON_BYTES, "without the first output: %.130s", last);
  return got == OUTCOME_FAILED ? "failed" : "refused";
}

void node_case_try(const char *const folder, const bool dynamic, const bool reload,
                   FILE *const to) {
  const attempt a = {folder, reload};
  char why[REASON_BYTES] = "";
  const int n_static = (int)(sizeof static_forms / sizeof *static_forms);
  const int n_dynamic = (int)(sizeof dynamic_forms / sizeof *dynamic_forms);
  const char *word = types_are_known(folder) ? try_forms(&a, static_forms, n_static, why)
                                             : try_unknown(folder, why);
  word = strcmp(word, "passed") == 0 ? try_unnamed(&a, word, why) : word;
  fprintf(to, "%s\t%s\n", word, why);
  const bool runs = strcmp(word, "passed") == 0 || strcmp(word, "constant") == 0;
  *why = runs ? 0 : *why;
  const char *const second = !dynamic ? "-"
                             : runs   ? try_forms(&a, dynamic_forms, n_dynamic, why)
                                      : word;
  fprintf(to, "%s\t%s\n", second, why);
}
