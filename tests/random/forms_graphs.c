/* If, Loop and Scan, with random graphs inside. */
#include <stdlib.h>
#include <string.h>

#include "random/operators.h"

static bool is_one(const value *const v, const void *const with) {
  (void)with;
  return is_one_element(v);
}

/* ---- graphs inside ---- */

static void grow(maker *const m, const int64_t n) {
  const int before = m->kept;
  for (int tries = 0; m->kept < before + n && tries < 8 * n; tries++) {
    (void)add_random(m);
  }
}

static bool is_output(const level *const l, const value *const v) {
  bool found = false;
  for (size_t i = 0; i < l->graph->n_output; i++) {
    found |= strcmp(l->graph->output[i]->name, v->name) == 0;
  }
  return found;
}

static bool is_here(const level *const l, const value *const v) {
  return v >= l->values && v < l->values + l->n;
}

/* v becomes an output of the graph inside, as a copy where it is of the graph around, or one
 * already. */
static bool give(maker *const m, value *const v) {
  value *out = v;
  if (!v || !is_here(m->level, v) || is_output(m->level, v)) {
    out = v ? apply(m, "Identity", v, NULL) : NULL;
  }
  if (!out) {
    return false;
  }
  out->uses++;
  graph_add_output(m->level->graph, out->name, out->dtype);
  return true;
}

typedef struct wanted {
  const value *like;
  const level *here;
  bool same_dims;
} wanted;

static bool is_wanted(const value *const v, const void *const with) {
  const wanted *const w = with;
  return v->dtype == w->like->dtype && v != w->like && is_here(w->here, v) &&
         (!w->same_dims || all_same_dims(v, w->like));
}

/* A value inside that has the type and rank of another (and its dims, if so wished), or that one.
 */
static value *successor(maker *const m, value *const like, const bool same) {
  const wanted w = {like, m->level, same};
  value *const v = choose(m, ALL, like->rank, like->rank, is_wanted, &w);
  return v ? v : like;
}

static Onnx__GraphProto *finish(maker *const m, const bool ok) {
  Onnx__GraphProto *const graph = m->level->graph;
  level_end(m);
  if (!ok) {
    onnx__graph_proto__free_unpacked(graph, NULL);
    return NULL;
  }
  graph_prune(graph);
  return graph;
}

/* ---- If ---- */

static value *condition_of(maker *const m) {
  value *const known = chance(m, 2) ? choose(m, BOOLS, 0, 1, is_one, NULL) : NULL;
  value *const v = known ? NULL : choose(m, FLOATS, 0, 4, NULL, NULL);
  if (!v) {
    return known;
  }
  Onnx__NodeProto *const largest = node_message("ReduceMax");
  add_operand(largest, v);
  node_set_int(largest, "keepdims", 0);
  add_results(m, largest, 1);
  value *const most = keep(m, largest, false);
  if (!most) {
    return NULL;
  }
  Onnx__NodeProto *const greater = node_message("Greater");
  add_operand(greater, most);
  node_add_input(greater, constant_floats(m, 0, NULL, 0, 2));
  add_results(m, greater, 1);
  return keep(m, greater, false);
}

static Onnx__GraphProto *branch(maker *const m, const char *const name, value *const *const like,
                                const int n) {
  level l;
  level_begin(m, &l, name);
  grow(m, 1 + pick(m, 4));
  bool ok = true;
  for (int i = 0; i < n && ok; i++) {
    ok = give(m, successor(m, like[i], chance(m, 2)));
  }
  return finish(m, ok);
}

value *form_if(maker *const m, const operator_row *const row) {
  value *const condition = m->depth < MAX_DEPTH ? condition_of(m) : NULL;
  value *const like[] = {choose(m, row->types, 0, 4, NULL, NULL),
                         choose(m, row->types, 0, 4, NULL, NULL)};
  const int n = 1 + (int)pick(m, 2);
  if (!condition || !like[0]) {
    return NULL;
  }
  Onnx__GraphProto *const then = branch(m, "then", like, n);
  Onnx__GraphProto *const other = then ? branch(m, "else", like, n) : NULL;
  if (!other) {
    if (then) {
      onnx__graph_proto__free_unpacked(then, NULL);
    }
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_operand(node, condition);
  node_set_graph(node, "then_branch", then);
  node_set_graph(node, "else_branch", other);
  add_results(m, node, n);
  return keep(m, node, true);
}

/* ---- Loop ---- */

static value *formal_scalar(maker *const m, const tare_dtype dtype, const int64_t number) {
  int64_t storage = number;
  const tare_tensor t = {.dtype = dtype, .data = &storage};
  const tare_tensor *at[ALL_SCOPES];
  for (int i = 0; i < ALL_SCOPES; i++) {
    at[i] = &t;
  }
  value *const v = level_input(m, dtype, at, false);
  graph_set_scalar(m->level->graph->input[m->level->graph->n_input - 1]);
  return v;
}

static value *next_condition(maker *const m, value *const turn, value *const condition) {
  const int64_t last = pick(m, 3);
  if (chance(m, 2)) {
    return condition;
  }
  Onnx__NodeProto *const node = node_message("Less");
  add_operand(node, turn);
  node_add_input(node, constant_ints(m, 0, 1, &last));
  add_results(m, node, 1);
  return keep(m, node, false);
}

static Onnx__GraphProto *turn_of(maker *const m, value *const *const carried, const int n) {
  level l;
  value *formal[2];
  level_begin(m, &l, "turn");
  value *const turn = formal_scalar(m, TARE_I64, 0);
  value *const condition = formal_scalar(m, TARE_BOOL, 1);
  for (int i = 0; i < n; i++) {
    formal[i] = level_input(m, carried[i]->dtype, carried[i]->at, true);
  }
  grow(m, 1 + pick(m, 5));
  bool ok = give(m, next_condition(m, turn, condition));
  for (int i = 0; i < n && ok; i++) {
    value *const next = n == 2 && chance(m, 4) && all_same_dims(formal[0], formal[1]) &&
                                formal[0]->dtype == formal[1]->dtype
                            ? formal[1 - i]
                            : successor(m, formal[i], !chance(m, 4));
    ok = give(m, next);
  }
  for (int64_t lists = pick(m, 3); lists > 0 && ok; lists--) {
    ok = give(m, choose(m, ALL, 0, 4, NULL, NULL));
  }
  return finish(m, ok);
}

static void add_trips(maker *const m, Onnx__NodeProto *const node) {
  value *const trips = chance(m, 3) ? choose(m, INTS, 0, 0, is_one, NULL) : NULL;
  const int64_t fixed = pick(m, 4);
  if (trips) {
    add_operand(node, trips);
  } else {
    node_add_input(node, chance(m, 6) ? "" : constant_ints(m, 0, 1, &fixed));
  }
}

static void add_condition(maker *const m, Onnx__NodeProto *const node) {
  value *const condition = chance(m, 3) ? choose(m, BOOLS, 0, 0, is_one, NULL) : NULL;
  bool fixed = !chance(m, 6);
  const tare_tensor t = {.dtype = TARE_BOOL, .data = &fixed};
  if (condition) {
    add_operand(node, condition);
  } else {
    node_add_input(node, chance(m, 2) ? "" : constant_of(m, &t));
  }
}

value *form_loop(maker *const m, const operator_row *const row) {
  value *const carried[] = {choose(m, row->types, 0, 3, NULL, NULL),
                            choose(m, row->types, 0, 3, NULL, NULL)};
  const int n = 1 + (int)pick(m, 2);
  Onnx__GraphProto *const body = carried[0] && m->depth < MAX_DEPTH ? turn_of(m, carried, n) : NULL;
  if (!body) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  add_trips(m, node);
  add_condition(m, node);
  for (int i = 0; i < n; i++) {
    add_operand(node, carried[i]);
  }
  const int results = (int)body->n_output - 1;
  node_set_graph(node, "body", body);
  add_results(m, node, results);
  return keep(m, node, true);
}

/* ---- Scan ---- */

static value *formal_element(maker *const m, const value *const scanned) {
  tare_tensor elements[ALL_SCOPES];
  const tare_tensor *at[ALL_SCOPES];
  for (int i = 0; i < ALL_SCOPES; i++) {
    elements[i] = tensor_element(scanned->at[i], 0, 0);
    at[i] = &elements[i];
  }
  value *const v = level_input(m, scanned->dtype, at, scanned->measured);
  for (int i = 0; i < ALL_SCOPES; i++) {
    free(elements[i].data);
  }
  return v;
}

static bool has_elements(const value *const v, const void *const with) {
  const value *const other = with;
  bool ok = least_dim(v, 0) > 0;
  for (int l = 0; other && l < MAX_LENGTHS; l++) {
    ok &= v->at[l]->dims[0] == other->at[l]->dims[0];
  }
  return ok;
}

static Onnx__GraphProto *scan_body(maker *const m, value *const state, value *const *const scanned,
                                   const int n) {
  level l;
  level_begin(m, &l, "step");
  value *const formal = state ? level_input(m, state->dtype, state->at, state->measured) : NULL;
  for (int i = 0; i < n; i++) {
    (void)formal_element(m, scanned[i]);
  }
  grow(m, 1 + pick(m, 5));
  bool ok = !formal || give(m, successor(m, formal, true));
  for (int64_t lists = 1 + pick(m, 2); lists > 0 && ok; lists--) {
    ok = give(m, choose(m, ALL, 0, 4, NULL, NULL));
  }
  return finish(m, ok);
}

static void set_lists(maker *const m, Onnx__NodeProto *const node, const char *const name,
                      const int n, const int64_t below) {
  int64_t values[4];
  for (int i = 0; i < n; i++) {
    values[i] = pick(m, below);
  }
  if (chance(m, 2) && n > 0) {
    node_set_ints(node, name, values, n);
  }
}

value *form_scan(maker *const m, const operator_row *const row) {
  value *const state = chance(m, 4) ? NULL : choose(m, row->types, 0, 3, NULL, NULL);
  value *const first = choose(m, row->types, 1, 4, has_elements, NULL);
  const int n = 1 + (int)pick(m, 2);
  if (!first || m->depth >= MAX_DEPTH) {
    return NULL;
  }
  value *const scanned[] = {first, choose(m, row->types, 1, 4, has_elements, first)};
  Onnx__GraphProto *const body = scan_body(m, state, scanned, n);
  if (!body) {
    return NULL;
  }
  Onnx__NodeProto *const node = node_message(row->op);
  if (state) {
    add_operand(node, state);
  }
  for (int i = 0; i < n; i++) {
    add_operand(node, scanned[i]);
  }
  const int results = (int)body->n_output, lists = results - (state != NULL);
  node_set_graph(node, "body", body);
  node_set_int(node, "num_scan_inputs", n);
  set_lists(m, node, "scan_input_directions", n, 2);
  set_lists(m, node, "scan_output_directions", lists, 2);
  set_lists(m, node, "scan_output_axes", lists, 1);
  add_results(m, node, results);
  return keep(m, node, true);
}
