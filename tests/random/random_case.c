#include "random/random_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "random/operators.h"

/* ---- lengths and inputs ---- */

enum { BATCH, TIME, N_SYMBOLS, LONGEST = 12, LONGEST_WIDE = 70 };

static const char *const symbol_names[] = {"batch", "time"};

typedef struct lengths {
  int64_t at[N_SYMBOLS][MAX_LENGTHS]; /* the least, the most, one between */
} lengths;

static lengths choose_lengths(maker *const m) {
  lengths n;
  m->empties = chance(m, 4);
  n.at[BATCH][0] = m->empties && chance(m, 3) ? 0 : 1 + pick(m, 2);
  n.at[BATCH][1] = n.at[BATCH][0] + 1 + pick(m, 2);
  n.at[TIME][0] = m->empties && chance(m, 2) ? 0 : chance(m, 4) ? 1 : 4 + pick(m, 2);
  n.at[TIME][1] = 7 + pick(m, (m->wide ? LONGEST_WIDE : LONGEST) - 6);
  for (int s = 0; s < N_SYMBOLS; s++) {
    n.at[s][2] = n.at[s][0] + pick(m, n.at[s][1] - n.at[s][0] + 1);
  }
  return n;
}

static void write_specs(maker *const m, const lengths *const n, random_case *const c) {
  const bool exact = chance(m, 3);
  c->n_specs = exact ? MAX_LENGTHS : 1 + (int)pick(m, 2);
  for (int p = 0; p < c->n_specs; p++) {
    const int low = exact ? p : 0, opt = exact ? p : 2, high = exact ? p : p == 0 ? 1 : 2;
    snprintf(c->specs[p], SPEC_BYTES,
             "batch=%" PRId64 ":%" PRId64 ":%" PRId64 ",time=%" PRId64 ":%" PRId64 ":%" PRId64,
             n->at[BATCH][low], n->at[BATCH][opt], n->at[BATCH][high], n->at[TIME][low],
             n->at[TIME][opt], n->at[TIME][high]);
  }
}

static void fill(maker *const m, const tare_tensor *const t, const bool positive) {
  for (int64_t i = 0; i < tare_tensor_count(t); i++) {
    if (t->dtype == TARE_F32) {
      ((float *)t->data)[i] = between(m, positive ? 0.3f : -2, 2);
    } else if (t->dtype == TARE_I64) {
      ((int64_t *)t->data)[i] = pick(m, 5);
    } else {
      ((bool *)t->data)[i] = chance(m, 2);
    }
  }
}

/* One input: rank 0 to 4, the first two dims often symbols. */
static void add_input(maker *const m, const lengths *const n, const bool first) {
  static const int64_t sizes[] = {1, 2, 3, 4, 4, 6, 8};
  const tare_dtype dtype = first || !chance(m, 3) ? TARE_F32 : chance(m, 2) ? TARE_I64 : TARE_BOOL;
  const int rank = first ? 2 + (int)pick(m, 3) : (int)pick(m, 4);
  const int symbols[] = {chance(m, 4) ? -1 : BATCH, rank > 2 && chance(m, 2) ? TIME : -1,
                         chance(m, 3) ? -1 : TIME, rank == 4 && chance(m, 2) ? TIME : -1};
  const char *names[4];
  int64_t fixed[4];
  tare_tensor tensors[ALL_SCOPES];
  const tare_tensor *at[ALL_SCOPES];
  for (int d = 0; d < rank; d++) {
    fixed[d] = d > 0 ? pick_width(m, 8) : sizes[pick(m, 7)];
    names[d] = symbols[d] >= 0 && (d < 2 || symbols[1] < 0) ? symbol_names[symbols[d]] : NULL;
  }
  const bool positive = chance(m, 4);
  for (int i = 0; i < ALL_SCOPES; i++) {
    int64_t dims[4];
    for (int d = 0; d < rank; d++) {
      dims[d] = names[d] ? n->at[symbols[d]][i % MAX_LENGTHS] : fixed[d];
    }
    tensors[i] =
        i < MAX_LENGTHS ? tensor_new(dtype, rank, dims) : tensor_copy(&tensors[i - MAX_LENGTHS]);
    at[i] = &tensors[i];
    if (i < MAX_LENGTHS) {
      fill(m, &tensors[i], positive);
    }
  }
  const value *const v = level_input(m, dtype, at, false);
  graph_add_input(m->level->graph, v->name, dtype, rank, fixed, names);
  for (int i = 0; i < ALL_SCOPES; i++) {
    free(tensors[i].data);
  }
}

/* ---- the graph ---- */

static void choose_outputs(maker *const m, const int n_inputs) {
  level *const l = m->level;
  for (int i = n_inputs; i < l->n && l->graph->n_output < MAX_CASE_PORTS - 2; i++) {
    if (l->values[i].uses == 0 ? !chance(m, 3) : chance(m, 6)) {
      graph_add_output(l->graph, l->values[i].name, l->values[i].dtype);
    }
  }
  if (l->graph->n_output == 0 && l->n > n_inputs) {
    const value *const last = &l->values[l->n - 1];
    graph_add_output(l->graph, last->name, last->dtype);
  }
}

static void take_ports(const level *const l, random_case *const c) {
  for (size_t i = 0; i < l->graph->n_input; i++) {
    c->in_names[c->n_in] = need(strdup(l->graph->input[i]->name));
    for (int s = 0; s < c->n_sets; s++) {
      c->in[s][c->n_in] = tensor_copy(scope_find(&l->scopes[s], l->graph->input[i]->name));
    }
    c->n_in++;
  }
  for (size_t o = 0; o < l->graph->n_output; o++) {
    c->out_names[c->n_out] = need(strdup(l->graph->output[o]->name));
    for (int s = 0; s < c->n_sets; s++) {
      c->out[s][c->n_out] = tensor_copy(scope_find(&l->scopes[s], l->graph->output[o]->name));
    }
    c->n_out++;
  }
}

bool random_case_make(random_case *const c, const uint64_t seed) {
  static const int opsets[] = {13, 16, 17, 18, 21};
  *c = (random_case){.n_sets = MAX_LENGTHS};
  maker m = {.random = seed * 0x2545f4914f6cdd1du + 1};
  level l;
  m.opset = c->opset = opsets[pick(&m, 5)];
  m.wide = chance(&m, 5);
  m.names = chance(&m, 4) ? 4 : 0;
  level_begin(&m, &l, "random");
  const lengths n = choose_lengths(&m);
  write_specs(&m, &n, c);
  const int n_inputs = 1 + (int)pick(&m, 3), n_nodes = 3 + (int)pick(&m, 22);
  for (int i = 0; i < n_inputs; i++) {
    add_input(&m, &n, i == 0);
  }
  for (int tries = 0; m.kept < n_nodes && tries < 10 * n_nodes; tries++) {
    (void)add_random(&m);
  }
  choose_outputs(&m, n_inputs);
  graph_prune(l.graph);
  const bool made = l.graph->n_output > 0;
  if (made) {
    take_ports(&l, c);
    c->model = model_message(l.graph, c->opset);
  } else {
    onnx__graph_proto__free_unpacked(l.graph, NULL);
  }
  level_end(&m);
  return made;
}

void random_case_free(random_case *const c) {
  if (c->model) {
    onnx__model_proto__free_unpacked(c->model, NULL);
  }
  for (int i = 0; i < MAX_CASE_PORTS; i++) {
    free(c->in_names[i]);
    free(c->out_names[i]);
    for (int s = 0; s < MAX_SETS; s++) {
      free(c->in[s][i].data);
      free(c->out[s][i].data);
    }
  }
  *c = (random_case){0};
}

/* ---- other models with the same inputs ---- */

bool random_case_derive(const random_case *const c, Onnx__ModelProto *const model,
                        random_case *const out, char *const why) {
  *out =
      (random_case){.model = model, .opset = c->opset, .n_sets = c->n_sets, .n_specs = c->n_specs};
  memcpy(out->specs, c->specs, sizeof c->specs);
  bool ok = true;
  for (int i = 0; i < c->n_in; i++) {
    out->in_names[out->n_in++] = need(strdup(c->in_names[i]));
  }
  for (size_t o = 0; o < model->graph->n_output; o++) {
    out->out_names[out->n_out++] = need(strdup(model->graph->output[o]->name));
  }
  for (int s = 0; s < c->n_sets && ok; s++) {
    walker w = {.opset = c->opset};
    scope values = {0};
    for (int i = 0; i < c->n_in; i++) {
      out->in[s][i] = tensor_copy(&c->in[s][i]);
      scope_bind(&values, c->in_names[i], tensor_copy(&c->in[s][i]), false);
    }
    ok = walk_graph(&w, model->graph, &values);
    for (int o = 0; o < out->n_out && ok; o++) {
      const tare_tensor *const t = scope_find(&values, out->out_names[o]);
      ok = t != NULL;
      if (ok) {
        out->out[s][o] = tensor_copy(t);
      }
    }
    snprintf(why, WHY_BYTES, "%s", w.why);
    scope_cut(&values, 0);
  }
  return ok;
}

/* ---- files ---- */

static bool write_file(const char *const path, const uint8_t *const data, const size_t size) {
  FILE *const file = fopen(path, "wb");
  const bool ok = file && fwrite(data, 1, size, file) == size;
  return file && fclose(file) == 0 && ok;
}

static bool write_tensor(const char *const path, const char *const name,
                         const tare_tensor *const t) {
  Onnx__GraphProto *const carrier = graph_message("carrier");
  graph_add_constant(carrier, name, t);
  const size_t size = onnx__tensor_proto__get_packed_size(carrier->initializer[0]);
  uint8_t *const data = need(malloc(size + 1));
  onnx__tensor_proto__pack(carrier->initializer[0], data);
  const bool ok = write_file(path, data, size);
  free(data);
  onnx__graph_proto__free_unpacked(carrier, NULL);
  return ok;
}

bool random_case_write(const random_case *const c, const char *const folder) {
  char path[600];
  (void)mkdir(folder, 0777); /* it may be there */
  const size_t size = onnx__model_proto__get_packed_size(c->model);
  uint8_t *const data = need(malloc(size + 1));
  onnx__model_proto__pack(c->model, data);
  snprintf(path, sizeof path, "%s/model.onnx", folder);
  bool ok = write_file(path, data, size);
  free(data);
  for (int s = 0; s < c->n_sets && ok; s++) {
    snprintf(path, sizeof path, "%s/test_data_set_%d", folder, s);
    (void)mkdir(path, 0777);
    for (int i = 0; i < c->n_in && ok; i++) {
      snprintf(path, sizeof path, "%s/test_data_set_%d/input_%d.pb", folder, s, i);
      ok = write_tensor(path, c->in_names[i], &c->in[s][i]);
    }
    for (int o = 0; o < c->n_out && ok; o++) {
      snprintf(path, sizeof path, "%s/test_data_set_%d/output_%d.pb", folder, s, o);
      ok = write_tensor(path, c->out_names[o], &c->out[s][o]);
    }
  }
  return ok;
}
