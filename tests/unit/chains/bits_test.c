/* Random groups of elementwise operators, with random broadcasts and parts of other tensors, as
 * chains and operator by operator: the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/plan.h"
#include "random/messages.h"
#include "unit/engine/support/isas.h"
#include "unit/seed.h"

enum { OPSET = 17, MOST_RANK = 4, MOST_VALUES = 64, CASES = 60, WIDTH = 8 };

static uint64_t state_of_random;

static int64_t between(const int64_t least, const int64_t most) {
  state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
  return least + (int64_t)((state_of_random >> 33) % (uint64_t)(most - least + 1));
}

/* --- graphs ----------------------------------------------------------------------------------- */

/* A tensor that has the shape of the whole along some axes and one element along the others. */
typedef struct value {
  char name[16];
  int rank;
  bool full[MOST_RANK]; /* per axis of the whole */
} value;

/* Axis 0 of the whole is the length "n" of a run; `dims` are those of a run at length 1. */
typedef struct maker {
  Onnx__GraphProto *graph;
  int rank, n_inputs, n_values, number;
  int64_t dims[MOST_RANK];
  value values[MOST_VALUES];
} maker;

static value *new_value(maker *const m, const int rank) {
  value *const v = &m->values[m->n_values++];
  *v = (value){.rank = rank};
  snprintf(v->name, sizeof v->name, "v%d", m->number++);
  return v;
}

static void name_constant(maker *const m, char *const name) {
  snprintf(name, 16, "c%d", m->number++);
}

static void add_integers(maker *const m, const char *const name, const int64_t *const numbers,
                         const int n) {
  tare_tensor t = tensor_new(TARE_I64, 1, (int64_t[]){n});
  memcpy(t.data, numbers, (size_t)n * sizeof *numbers);
  graph_add_constant(m->graph, name, &t);
  free(t.data);
}

static void add_number(maker *const m, const char *const name, const float x) {
  tare_tensor t = tensor_new(TARE_F32, 0, NULL);
  *(float *)t.data = x;
  graph_add_constant(m->graph, name, &t);
  free(t.data);
}

/* An input of the model, or a constant where it does not depend on the length. */
static void add_operand(maker *const m) {
  value *const v = new_value(m, m->n_values ? (int)between(0, m->rank) : m->rank);
  int64_t dims[MOST_RANK];
  const char *symbols[MOST_RANK] = {NULL};
  const int lead = m->rank - v->rank;
  for (int d = lead; d < m->rank; d++) {
    v->full[d] = m->n_values == 1 || between(0, 2) > 0;
    dims[d - lead] = v->full[d] ? m->dims[d] : 1;
    symbols[d - lead] = v->full[d] && d == 0 ? "n" : NULL;
  }
  if (between(0, 1) && !(v->rank == m->rank && v->full[0])) {
    tare_tensor t = tensor_new(TARE_F32, v->rank, dims);
    for (int64_t i = 0; i < tare_tensor_count(&t); i++) {
      ((float *)t.data)[i] = (float)between(-300, 300) / 128;
    }
    graph_add_constant(m->graph, v->name, &t);
    free(t.data);
    return;
  }
  graph_add_input(m->graph, v->name, TARE_F32, v->rank, dims, symbols);
  m->n_inputs++;
}

/* Two parts of an input along a constant axis, by Split or by Slice. */
static void add_parts(maker *const m) {
  const int axis = (int)between(1, m->rank - 1);
  char wide[16], numbers[3][16];
  int64_t dims[MOST_RANK];
  const char *symbols[MOST_RANK] = {"n"};
  const bool splits = between(0, 1) > 0;
  const int64_t gap = splits ? 0 : between(0, 2), length = m->dims[axis];
  memcpy(dims, m->dims, sizeof dims);
  dims[axis] = 2 * length + gap;
  snprintf(wide, sizeof wide, "w%d", m->number++);
  graph_add_input(m->graph, wide, TARE_F32, m->rank, dims, symbols);
  m->n_inputs++;
  value *const parts[2] = {new_value(m, m->rank), new_value(m, m->rank)};
  for (int i = 0; i < 2; i++) {
    memset(parts[i]->full, true, sizeof parts[i]->full);
  }
  if (splits) {
    Onnx__NodeProto *const node = node_message("Split");
    node_add_input(node, wide);
    node_set_int(node, "axis", between(0, 1) ? axis : axis - m->rank);
    node_add_output(node, parts[0]->name);
    node_add_output(node, parts[1]->name);
    graph_add_node(m->graph, node);
    return;
  }
  for (int i = 0; i < 2; i++) {
    const int64_t start = i ? length + gap : 0, end = i ? INT64_MAX : length;
    const int64_t lists[] = {start, end, axis};
    Onnx__NodeProto *const node = node_message("Slice");
    node_add_input(node, wide);
    for (int k = 0; k < 3; k++) {
      name_constant(m, numbers[k]);
      add_integers(m, numbers[k], &lists[k], 1);
      node_add_input(node, numbers[k]);
    }
    node_add_output(node, parts[i]->name);
    graph_add_node(m->graph, node);
  }
}

static const value *any_value(const maker *const m) {
  const int recent = m->n_values < 6 ? m->n_values : 6;
  return &m->values[between(0, 2) ? m->n_values - 1 - between(0, recent - 1)
                                  : between(0, m->n_values - 1)];
}

static void add_unary(maker *const m) {
  static const char *const ops[] = {"Relu", "Tanh",        "Sigmoid", "Exp",      "Sin",
                                    "Abs",  "Neg",         "Erf",     "Softplus", "LeakyRelu",
                                    "Elu",  "HardSigmoid", "Floor"};
  const value from = *any_value(m);
  value *const to = new_value(m, from.rank);
  memcpy(to->full, from.full, sizeof to->full);
  const int64_t which = between(0, (int64_t)(sizeof ops / sizeof *ops) + 1);
  const int64_t n_ops = (int64_t)(sizeof ops / sizeof *ops);
  const bool clips = which == n_ops, powers = which > n_ops;
  Onnx__NodeProto *const node = node_message(clips ? "Clip" : powers ? "Pow" : ops[which]);
  node_add_input(node, from.name);
  for (int i = 0; i < (clips ? 2 : powers ? 1 : 0); i++) {
    char name[16];
    name_constant(m, name);
    add_number(m, name, clips ? (float)(2 * i - 1) : (float)between(1, 3));
    node_add_input(node, name);
  }
  if (!clips && !powers && strcmp(ops[which], "LeakyRelu") == 0) {
    node_set_float(node, "alpha", 0.25f);
  }
  node_add_output(node, to->name);
  graph_add_node(m->graph, node);
}

static void add_binary(maker *const m) {
  static const char *const ops[] = {"Add", "Sub", "Mul", "Div", "Add", "Mul", "Min", "Max", "Max"};
  const int which = (int)between(0, (int64_t)(sizeof ops / sizeof *ops) - 1);
  const int n = which == 8 ? 3 : 2;
  value to = {.rank = 0};
  Onnx__NodeProto *const node = node_message(ops[which]);
  for (int i = 0; i < n; i++) {
    const value *const from = any_value(m);
    node_add_input(node, from->name);
    to.rank = from->rank > to.rank ? from->rank : to.rank;
    for (int d = 0; d < MOST_RANK; d++) {
      to.full[d] |= from->full[d];
    }
  }
  value *const kept = new_value(m, to.rank);
  memcpy(kept->full, to.full, sizeof to.full);
  node_add_output(node, kept->name);
  graph_add_node(m->graph, node);
}

/* The whole, again, so that the output has its shape, and what a layer makes of it. */
static void add_end(maker *const m, const bool with_layer) {
  Onnx__NodeProto *const sum = node_message("Add");
  node_add_input(sum, m->values[0].name);
  node_add_input(sum, m->values[m->n_values - 1].name);
  node_add_output(sum, "sum");
  graph_add_node(m->graph, sum);
  graph_add_output(m->graph, "sum", TARE_F32);
  if (with_layer) {
    Onnx__NodeProto *const layer = node_message("MatMul");
    tare_tensor t = tensor_new(TARE_F32, 2, (int64_t[]){m->dims[m->rank - 1], WIDTH});
    for (int64_t i = 0; i < tare_tensor_count(&t); i++) {
      ((float *)t.data)[i] = (float)between(-100, 100) / 100;
    }
    graph_add_constant(m->graph, "weights", &t);
    free(t.data);
    node_add_input(layer, "sum");
    node_add_input(layer, "weights");
    node_add_output(layer, "y");
    graph_add_node(m->graph, layer);
    graph_add_output(m->graph, "y", TARE_F32);
  }
}

static void make_graph(maker *const m, const bool with_layer) {
  *m = (maker){.graph = graph_message("chains"), .rank = (int)between(2, MOST_RANK)};
  const int64_t most = m->rank < 3 ? 400 : m->rank < 4 ? 40 : 12;
  for (int d = 0; d < m->rank; d++) {
    m->dims[d] = between(0, 60) || with_layer ? between(1, most) : d ? 0 : 1;
  }
  add_operand(m);
  for (int i = (int)between(1, 3); i > 0; i--) {
    add_operand(m);
  }
  if (between(0, 1)) {
    add_parts(m);
  }
  for (int i = (int)between(2, 24); i > 0; i--) {
    (between(0, 2) ? add_binary : add_unary)(m);
  }
  add_end(m, with_layer);
}

/* --- plans ------------------------------------------------------------------------------------ */

static char path[64];
static tare_error err;
#define OK(call)                   \
  do {                             \
    if ((call) != TARE_OK) {       \
      fail_msg("%s", err.message); \
    }                              \
  } while (0)

static void write_model(Onnx__GraphProto *const graph) {
  Onnx__ModelProto *const model = model_message(graph, OPSET);
  const size_t n = onnx__model_proto__get_packed_size(model);
  uint8_t *const bytes = need(malloc(n));
  FILE *const file = need(fopen(path, "wb"));
  assert_int_equal(onnx__model_proto__pack(model, bytes), n);
  assert_int_equal(fwrite(bytes, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
  free(bytes);
  onnx__model_proto__free_unpacked(model, NULL);
}

/* Scales of everything, all different. */
static tare_table *make_table(const maker *const m) {
  char table_path[] = "tare-chains-XXXXXX.cache";
  const int fd = mkstemps(table_path, 6);
  assert_true(fd >= 0);
  dprintf(fd, "TRT-8601-EntropyCalibration2\n");
  for (int i = 0; i <= m->n_values; i++) {
    const float scale = 0.01f + 0.001f * (float)i;
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    dprintf(fd, "%s: %08x\n", i < m->n_values ? m->values[i].name : "sum", (unsigned)bits);
  }
  close(fd);
  tare_table *table = NULL;
  OK(tare_table_read(table_path, &table, &err));
  unlink(table_path);
  return table;
}

typedef struct plans {
  tare_model *model;
  tare_profiles *profiles;
  tare_table *table;
  tare_plan *chains, *apart;
} plans;

static void build_plans(const maker *const m, const bool with_layer, const char *const isa,
                        plans *const p) {
  const tare_port *ports;
  *p = (plans){0};
  OK(tare_model_load(path, &p->model, &err));
  const int n = tare_model_inputs(p->model, &ports);
  OK(tare_profiles_new(ports, n, &p->profiles, &err));
  OK(tare_profiles_add(p->profiles, "n=1:3:9", &err));
  p->table = with_layer ? make_table(m) : NULL;
  tare_build_options o;
  tare_build_options_init(&o);
  o.table = p->table;
  o.any_table = o.int8_when_small = true;
  o.isa = isa;
  OK(tare_plan_build(p->model, p->profiles, &o, &p->chains, &err));
  OK(tarei_plan_build_observed(p->model, p->profiles, &o, &p->apart, &err));
}

static void free_plans(plans *const p) {
  tare_plan_free(&p->chains);
  tare_plan_free(&p->apart);
  tare_table_free(&p->table);
  tare_profiles_free(&p->profiles);
  tare_model_free(&p->model);
}

static int count_chains(const tare_plan *const plan) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    n += strcmp(tare_plan_layer(plan, i).op, "Chain") == 0;
  }
  return n;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Inputs of a run, with numbers of all kinds among them. */
static tare_tensor random_input(const tare_port *const port, const int64_t length) {
  int64_t dims[TARE_MAX_RANK];
  for (int d = 0; d < port->rank; d++) {
    dims[d] = port->dims[d].symbol ? length : port->dims[d].value;
  }
  tare_tensor t = tensor_new(TARE_F32, port->rank, dims);
  static const float odd[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 1e-42f, 3e38f};
  for (int64_t i = 0; i < tare_tensor_count(&t); i++) {
    const bool is_odd = between(0, 200) == 0;
    ((float *)t.data)[i] = is_odd ? odd[between(0, 6)] : (float)between(-4000, 4000) / 1024;
  }
  return t;
}

enum { MOST_PORTS = 16 };

static void run(tare_context *const context, const tare_tensor *const in, const int n_out,
                tare_tensor *const out) {
  tare_tensor views[MOST_PORTS];
  OK(tare_context_run(context, in, views, &err));
  for (int o = 0; o < n_out; o++) {
    out[o] = tensor_copy(&views[o]);
  }
}

/* Which NaN an operation gives that gets two of them is the choice of the compiler. */
static void expect_same_bits(const tare_tensor *const a, const tare_tensor *const b) {
  const float *const x = a->data, *const y = b->data;
  for (int64_t i = 0; i < tare_tensor_count(a); i++) {
    if (!(isnan(x[i]) && isnan(y[i])) && memcmp(&x[i], &y[i], sizeof *x) != 0) {
      fail_msg("element %lld is %a, expected %a", (long long)i, (double)x[i], (double)y[i]);
    }
  }
}

static void compare_at(tare_context *const chains, tare_context *const apart,
                       const tare_plan *const plan, const int64_t length) {
  const tare_port *ports, *outs;
  tare_tensor in[MOST_PORTS], a[MOST_PORTS], b[MOST_PORTS];
  const int n = tare_plan_inputs(plan, &ports), n_out = tare_plan_outputs(plan, &outs);
  assert_true(n <= MOST_PORTS && n_out <= MOST_PORTS);
  for (int i = 0; i < n; i++) {
    in[i] = random_input(&ports[i], length);
  }
  run(chains, in, n_out, a);
  run(apart, in, n_out, b);
  for (int o = 0; o < n_out; o++) {
    assert_true(same_dims(&a[o], &b[o]));
    assert_int_equal(tensor_bytes(&a[o]), tensor_bytes(&b[o]));
    expect_same_bits(&a[o], &b[o]);
    free(a[o].data);
    free(b[o].data);
  }
  for (int i = 0; i < n; i++) {
    free(in[i].data);
  }
}

static void compare_plans(const plans *const p, const int threads) {
  tare_context *chains = NULL, *apart = NULL;
  tare_context_options o;
  tare_context_options_init(&o);
  o.threads = threads;
  OK(tare_context_new(p->chains, &o, &chains, &err));
  OK(tare_context_new(p->apart, &o, &apart, &err));
  static const int64_t lengths[] = {3, 9, 1, 8};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    compare_at(chains, apart, p->chains, lengths[i]);
  }
  tare_context_free(&chains);
  tare_context_free(&apart);
}

static void check_cases(const bool with_layer) {
  const isas known = isas_of_this_cpu();
  int chains = 0;
  for (int i = 0; i < CASES; i++) {
    maker m;
    plans p;
    make_graph(&m, with_layer);
    write_model(m.graph);
    build_plans(&m, with_layer, known.name[i % known.n], &p);
    chains += count_chains(p.chains);
    assert_int_equal(count_chains(p.apart), 0);
    compare_plans(&p, 1 + i % 2);
    free_plans(&p);
  }
  assert_true(chains > CASES / 4);
}

static void chains_of_floats_give_the_same_bits(void **const state) {
  (void)state;
  check_cases(false);
}

static void chains_before_int8_layers_give_the_same_bits(void **const state) {
  (void)state;
  check_cases(true);
}

static int open_file(void **const state) {
  (void)state;
  strcpy(path, "tare-chains-XXXXXX");
  const int fd = mkstemp(path);
  state_of_random = test_seed();
  return fd < 0 || close(fd) != 0;
}

static int drop_file(void **const state) {
  (void)state;
  return unlink(path);
}

int bits_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_of_floats_give_the_same_bits),
      cmocka_unit_test(chains_before_int8_layers_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, open_file, drop_file);
}
