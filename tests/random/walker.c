#include "random/walker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/proto.h"
#include "random/random.h"

enum { MOST_TURNS = 64 };

/* ---- scopes ---- */

void scope_bind(scope *const s, const char *const name, const tare_tensor owned,
                const bool constant) {
  struct binding *const b = need(malloc(sizeof *b));
  *b = (struct binding){need(strdup(name)), owned, constant};
  s->bindings = need(realloc(s->bindings, (s->n + 1) * sizeof(struct binding *)));
  s->bindings[s->n++] = b;
}

static const struct binding *find(const scope *const s, const char *const name) {
  for (const scope *at = s; at; at = at->around) {
    for (size_t i = at->n; i-- > 0;) {
      if (strcmp(at->bindings[i]->name, name) == 0) {
        return at->bindings[i];
      }
    }
  }
  return NULL;
}

const tare_tensor *scope_find(const scope *const s, const char *const name) {
  const struct binding *const b = find(s, name);
  return b ? &b->tensor : NULL;
}

void scope_cut(scope *const s, const size_t n) {
  while (s->n > n) {
    struct binding *const b = s->bindings[--s->n];
    free(b->name);
    free(b->tensor.data);
    free(b);
  }
  if (n == 0) {
    free(s->bindings);
    s->bindings = NULL;
  }
}

static bool refuse(walker *const w, const char *const what, const char *const name) {
  snprintf(w->why, sizeof w->why, "%s '%s'", what, name);
  return false;
}

static bool as_bool(const tare_tensor *const t) {
  return *(const bool *)t->data;
}

/* ---- subgraphs ---- */

static const Onnx__GraphProto *graph_of(const Onnx__NodeProto *const node, const char *const name) {
  const Onnx__AttributeProto *const a = node_attribute(node, name);
  return a ? a->g : NULL;
}

static int64_t int_of(const Onnx__NodeProto *const node, const char *const name, const size_t i) {
  const Onnx__AttributeProto *const a = node_attribute(node, name);
  return !a ? 0 : a->has_i ? a->i : i < a->n_ints ? a->ints[i] : 0;
}

static bool walk_if(walker *const w, const Onnx__NodeProto *const node, scope *const s) {
  const tare_tensor *const condition = scope_find(s, node->input[0]);
  if (!condition || tare_tensor_count(condition) != 1) {
    return refuse(w, "no condition", node->input[0]);
  }
  const Onnx__GraphProto *const body =
      graph_of(node, as_bool(condition) ? "then_branch" : "else_branch");
  scope inner = {.around = s};
  bool ok = walk_graph(w, body, &inner);
  for (size_t o = 0; ok && o < node->n_output; o++) {
    const tare_tensor *const t = scope_find(&inner, body->output[o]->name);
    ok = t || refuse(w, "no output", body->output[o]->name);
    if (ok) {
      scope_bind(s, node->output[o], tensor_copy(t), false);
    }
  }
  scope_cut(&inner, 0);
  return ok;
}

static tare_tensor scalar(const tare_dtype dtype, const int64_t value) {
  tare_tensor t = tensor_new(dtype, 0, NULL);
  memcpy(t.data, &value, tare_dtype_size(dtype)); /* little-endian */
  return t;
}

/* A list of elements of one shape, joined along a new axis. */
typedef struct list {
  tare_tensor *items;
  size_t n;
} list;

static void list_add(list *const l, const tare_tensor *const t) {
  l->items = need(realloc(l->items, (l->n + 1) * sizeof *l->items));
  l->items[l->n++] = tensor_copy(t);
}

static void list_free(list *const l) {
  for (size_t i = 0; i < l->n; i++) {
    free(l->items[i].data);
  }
  free(l->items);
}

static bool list_join(const list *const l, const int axis, const bool backwards,
                      tare_tensor *const out) {
  const tare_tensor *const one = &l->items[0];
  int64_t dims[TARE_MAX_RANK + 1];
  size_t outer = 1, inner = tare_dtype_size(one->dtype);
  for (int d = 0, from = 0; d <= one->rank; d++) {
    dims[d] = d == axis ? (int64_t)l->n : one->dims[from++];
    outer *= d < axis ? (size_t)dims[d] : 1;
    inner *= d > axis ? (size_t)dims[d] : 1;
  }
  *out = tensor_new(one->dtype, one->rank + 1, dims);
  for (size_t i = 0; i < l->n; i++) {
    if (!same_dims(&l->items[i], one)) {
      return false;
    }
    const size_t at = backwards ? l->n - 1 - i : i;
    for (size_t o = 0; o < outer; o++) {
      memcpy((char *)out->data + (o * l->n + at) * inner, (char *)l->items[i].data + o * inner,
             inner);
    }
  }
  return true;
}

/* Body outputs from `first` on become elements of the lists. */
static bool collect(walker *const w, const Onnx__GraphProto *const body, const size_t first,
                    const scope *const inner, list *const lists) {
  for (size_t o = first; o < body->n_output; o++) {
    const tare_tensor *const t = scope_find(inner, body->output[o]->name);
    if (!t) {
      return refuse(w, "no output", body->output[o]->name);
    }
    list_add(&lists[o - first], t);
  }
  return true;
}

static bool give_lists(walker *const w, const Onnx__NodeProto *const node, const size_t first,
                       const size_t n, const list *const lists, scope *const s) {
  for (size_t i = 0; i < n && first + i < node->n_output; i++) {
    tare_tensor joined = {0};
    int64_t axis = int_of(node, "scan_output_axes", i);
    if (!lists[i].n) {
      return refuse(w, "a list without elements", node->output[first + i]);
    }
    axis += axis < 0 ? lists[i].items[0].rank + 1 : 0;
    const bool ok =
        list_join(&lists[i], (int)axis, int_of(node, "scan_output_directions", i) != 0, &joined);
    scope_bind(s, node->output[first + i], joined, false);
    if (!ok) {
      return refuse(w, "elements of different dims in", node->output[first + i]);
    }
  }
  return true;
}

/* The values that go from turn to turn. */
typedef struct carried {
  tare_tensor at[MAX_OPERANDS];
  size_t n;
} carried;

static bool carry_in(walker *const w, carried *const c, const Onnx__NodeProto *const node,
                     const size_t first, const size_t n, const scope *const s) {
  c->n = 0;
  for (size_t i = 0; i < n; i++) {
    const tare_tensor *const t = scope_find(s, node->input[first + i]);
    if (!t) {
      return refuse(w, "no value", node->input[first + i]);
    }
    c->at[c->n++] = tensor_copy(t);
  }
  return true;
}

static void carry_bind(const carried *const c, const Onnx__GraphProto *const body,
                       const size_t first, scope *const inner) {
  for (size_t i = 0; i < c->n; i++) {
    scope_bind(inner, body->input[first + i]->name, tensor_copy(&c->at[i]), false);
  }
}

static bool carry_on(walker *const w, carried *const c, const Onnx__GraphProto *const body,
                     const size_t first, const scope *const inner) {
  for (size_t i = 0; i < c->n; i++) {
    const tare_tensor *const t = scope_find(inner, body->output[first + i]->name);
    if (!t || t->dtype != c->at[i].dtype || t->rank != c->at[i].rank) {
      return refuse(w, "a carried value changes its type in", body->output[first + i]->name);
    }
    free(c->at[i].data);
    c->at[i] = tensor_copy(t);
  }
  return true;
}

/* Gives the carried values to the node's first outputs, or to nobody after a failure. */
static void carry_out(carried *const c, const Onnx__NodeProto *const node, const bool ok,
                      scope *const s) {
  for (size_t i = 0; i < c->n; i++) {
    if (ok && i < node->n_output) {
      scope_bind(s, node->output[i], c->at[i], false);
    } else {
      free(c->at[i].data);
    }
  }
}

static bool loop_turn(walker *const w, const Onnx__GraphProto *const body, const int64_t number,
                      bool *const go_on, carried *const c, list *const lists,
                      const scope *const s) {
  scope inner = {.around = s};
  scope_bind(&inner, body->input[0]->name, scalar(TARE_I64, number), false);
  scope_bind(&inner, body->input[1]->name, scalar(TARE_BOOL, *go_on), false);
  carry_bind(c, body, 2, &inner);
  bool ok = walk_graph(w, body, &inner);
  const tare_tensor *const next = ok ? scope_find(&inner, body->output[0]->name) : NULL;
  ok = ok && next && tare_tensor_count(next) == 1;
  if (ok) {
    *go_on = as_bool(next);
    ok = carry_on(w, c, body, 1, &inner) && collect(w, body, 1 + c->n, &inner, lists);
  }
  scope_cut(&inner, 0);
  return ok;
}

static bool walk_loop(walker *const w, const Onnx__NodeProto *const node, scope *const s) {
  const Onnx__GraphProto *const body = graph_of(node, "body");
  const tare_tensor *const trips = scope_find(s, node->input[0]);
  const tare_tensor *const condition = scope_find(s, node->input[1]);
  const int64_t most = trips ? *(const int64_t *)trips->data : INT64_MAX;
  bool go_on = condition ? as_bool(condition) : true;
  carried c;
  bool ok = carry_in(w, &c, node, 2, body->n_input - 2, s);
  const size_t n_lists = body->n_output - 1 - c.n;
  list *const lists = need(calloc(n_lists + 1, sizeof *lists));
  for (int64_t number = 0; ok && number < most && go_on; number++) {
    ok = number < MOST_TURNS ? loop_turn(w, body, number, &go_on, &c, lists, s)
                             : refuse(w, "too many turns of", node->output[0]);
  }
  const size_t n_carried = c.n;
  carry_out(&c, node, ok, s);
  ok = ok && give_lists(w, node, n_carried, n_lists, lists, s);
  for (size_t i = 0; i < n_lists; i++) {
    list_free(&lists[i]);
  }
  free(lists);
  return ok;
}

tare_tensor tensor_element(const tare_tensor *const t, const int axis, const int64_t at) {
  int64_t dims[TARE_MAX_RANK];
  size_t outer = 1, inner = tare_dtype_size(t->dtype);
  for (int d = 0, to = 0; d < t->rank; d++) {
    if (d != axis) {
      dims[to++] = t->dims[d];
      *(d < axis ? &outer : &inner) *= (size_t)t->dims[d];
    }
  }
  const tare_tensor out = tensor_new(t->dtype, t->rank - 1, dims);
  for (size_t o = 0; o < outer; o++) {
    memcpy((char *)out.data + o * inner,
           (const char *)t->data + (o * (size_t)t->dims[axis] + (size_t)at) * inner, inner);
  }
  return out;
}

static bool walk_scan(walker *const w, const Onnx__NodeProto *const node, scope *const s) {
  const Onnx__GraphProto *const body = graph_of(node, "body");
  const size_t n_scanned = (size_t)int_of(node, "num_scan_inputs", 0);
  carried c;
  bool ok = carry_in(w, &c, node, 0, body->n_input - n_scanned, s);
  const size_t n_lists = body->n_output - c.n;
  list *const lists = need(calloc(n_lists + 1, sizeof *lists));
  int64_t length = 1;
  for (int64_t number = 0; ok && number < length; number++) {
    scope inner = {.around = s};
    carry_bind(&c, body, 0, &inner);
    for (size_t i = 0; i < n_scanned; i++) {
      const tare_tensor *const t = scope_find(s, node->input[c.n + i]);
      const int64_t axis = int_of(node, "scan_input_axes", i);
      const int at = (int)(axis < 0 ? axis + t->rank : axis);
      length = t->dims[at];
      const bool backwards = int_of(node, "scan_input_directions", i) != 0;
      scope_bind(&inner, body->input[c.n + i]->name,
                 tensor_element(t, at, backwards ? length - 1 - number : number), false);
    }
    ok = walk_graph(w, body, &inner) && carry_on(w, &c, body, 0, &inner) &&
         collect(w, body, c.n, &inner, lists);
    scope_cut(&inner, 0);
  }
  const size_t n_carried = c.n;
  carry_out(&c, node, ok, s);
  ok = ok && give_lists(w, node, n_carried, n_lists, lists, s);
  for (size_t i = 0; i < n_lists; i++) {
    list_free(&lists[i]);
  }
  free(lists);
  return ok;
}

/* ---- nodes ---- */

static void add_noise(walker *const w, const tare_tensor *const t) {
  const int64_t n = t->dtype == TARE_F32 ? tare_tensor_count(t) : 0;
  for (int64_t i = 0; w->noise && i < n; i++) {
    ((float *)t->data)[i] *= 1 + 2e-6f * (float)(random_unit(&w->noise) - 0.5);
  }
}

static bool walk_alone(walker *const w, const Onnx__NodeProto *const node, scope *const s) {
  const tare_tensor *in[MAX_OPERANDS] = {NULL};
  bool constant[MAX_OPERANDS] = {false};
  tare_tensor out[MAX_OPERANDS];
  if (node->n_input > MAX_OPERANDS || node->n_output > MAX_OPERANDS) {
    return refuse(w, "too many operands of", node->op_type);
  }
  for (size_t i = 0; i < node->n_input; i++) {
    const struct binding *const b = *node->input[i] ? find(s, node->input[i]) : NULL;
    if (*node->input[i] && !b) {
      return refuse(w, "no value", node->input[i]);
    }
    in[i] = b ? &b->tensor : NULL;
    constant[i] = b && b->constant;
  }
  if (!one_node_run(node, w->opset, in, constant, out, w->why)) {
    return false;
  }
  for (size_t o = 0; o < node->n_output; o++) {
    if (*node->output[o]) {
      add_noise(w, &out[o]);
      scope_bind(s, node->output[o], out[o], false);
    }
  }
  return true;
}

bool walk_node(walker *const w, const Onnx__NodeProto *const node, scope *const s) {
  static const struct {
    const char *op;
    bool (*walk)(walker *, const Onnx__NodeProto *, scope *);
  } around[] = {{"If", walk_if}, {"Loop", walk_loop}, {"Scan", walk_scan}};
  for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
    if (strcmp(node->op_type, around[i].op) == 0) {
      return around[i].walk(w, node, s);
    }
  }
  return walk_alone(w, node, s);
}

bool walk_graph(walker *const w, const Onnx__GraphProto *const graph, scope *const s) {
  bool ok = true;
  for (size_t i = 0; i < graph->n_initializer && ok; i++) {
    tare_tensor t;
    ok = tensor_from_proto(graph->initializer[i], &t, w->why, sizeof w->why);
    if (ok) {
      scope_bind(s, graph->initializer[i]->name, t, true);
    }
  }
  for (size_t i = 0; i < graph->n_node && ok; i++) {
    ok = walk_node(w, graph->node[i], s);
  }
  return ok;
}
