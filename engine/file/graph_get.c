#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/file/graph_file.h"
#include "graph/ops/bodies/body_names.h"
#include "graph/pass.h"

enum { MAX_DEPTH = 100 }; /* of bodies in bodies */

typedef struct graph_get_numbers {
  int32_t *at;
  size_t n, capacity;
} graph_get_numbers;

static tare_status graph_get_broken(tare_error *const err, const char *const what) {
  return tarei_fail(err, TARE_E_INPUT, "the graph section is malformed at %s", what);
}

/* Node `n`, which was added unless its operator or operands are at fault. */
static tare_status broken_node(tare_error *const err, const tarei_graph *const g,
                               const uint32_t n) {
  const tarei_node *const node = n < (uint32_t)g->n_nodes ? &g->nodes[n] : NULL;
  return tarei_fail(err, TARE_E_INPUT, "the graph section is malformed at node %u%s%s%s", n,
                    node ? " (" : "", node ? node->op->name : "", node ? ")" : "");
}

static tarei_expr get_expr(tarei_reader *const r, const tarei_graph *const g) {
  char *const text = tarei_get_text(r);
  tarei_expr e = TAREI_EXPR_NONE;
  if (!text || tarei_expr_parse(g->exprs, text, &e, NULL) != TARE_OK) {
    r->failed = true;
  }
  free(text);
  return e;
}

/* What nodes measure is in no dims or contents that a file gives. */
static tarei_expr get_given(tarei_reader *const r, const tarei_graph *const g) {
  const tarei_expr e = get_expr(r, g);
  r->failed |= tarei_expr_uses_measured(g->exprs, e);
  return e;
}

/* An expression over symbols of the inputs and what nodes measure. */
static tarei_expr get_known(tarei_reader *const r, const tarei_graph *const g) {
  const int n = tarei_exprs_n_symbols(g->exprs);
  const tarei_expr e = get_expr(r, g);
  for (int s = n; s < tarei_exprs_n_symbols(g->exprs); s++) {
    r->failed |= !tarei_exprs_is_measured(g->exprs, s);
  }
  return e;
}

/* Definitions of names, which have the numbers of the file: none has been made yet. */
static void get_names(tarei_reader *const r, const tarei_graph *const g) {
  const uint32_t n = tarei_get_count(r, 4);
  for (uint32_t k = 0; !r->failed && k < n; k++) {
    const tarei_expr e = get_expr(r, g);
    r->failed |=
        tarei_expr_name(g->exprs, e) == e || (uint32_t)tarei_exprs_n_names(g->exprs) != k + 1;
  }
}

/* Whether the symbols in definitions are those of inputs, or measured. */
static bool names_are_of_inputs(const tarei_graph *const g, const int n_symbols) {
  for (int s = 0; s < n_symbols; s++) {
    bool found = tarei_exprs_is_measured(g->exprs, s);
    for (int i = 0; i < g->n_inputs; i++) {
      const tarei_value *const v = &g->values[g->inputs[i]];
      for (int d = 0; d < v->rank; d++) {
        found = found || tarei_expr_uses(g->exprs, v->dims[d], s);
      }
    }
    if (!found) {
      return false;
    }
  }
  return true;
}

static void get_quant(tarei_reader *const r, tarei_quant *const q) {
  q->granularity = (tarei_granularity)tarei_get_u8(r);
  const uint8_t form = tarei_get_u8(r);
  q->stated = form == TAREI_FORM_STATED;
  q->zero_point = form == TAREI_FORM_UNSIGNED    ? 0
                  : form == TAREI_FORM_SYMMETRIC ? TAREI_SYMMETRIC
                                                 : tarei_get_u8(r);
  const uint32_t n = tarei_get_count(r, 4);
  r->failed |= form == TAREI_FORM_UNEVEN && q->zero_point >= TAREI_SYMMETRIC;
  r->failed |= q->granularity > TAREI_PER_ROW || form > TAREI_FORM_UNEVEN || n > TARE_MAX_PROFILES;
  if (r->failed || !n) {
    return;
  }
  q->scales = tarei_calloc(n, sizeof *q->scales);
  r->failed |= !q->scales;
  for (uint32_t i = 0; !r->failed && i < n; i++) {
    q->scales[i] = tarei_get_f32(r);
    q->n_scales = (int)i + 1;
    r->failed |= !(q->scales[i] > 0) || !isnormal(q->scales[i]);
  }
}

/* Bytes that constant dims ask for, or false. */
static bool constant_bytes(const tarei_graph *const g, const tarei_value *const v,
                           size_t *const bytes) {
  tare_tensor t = {.dtype = v->dtype, .rank = v->rank};
  for (int d = 0; d < v->rank; d++) {
    if (!tarei_expr_is_const(g->exprs, v->dims[d], &t.dims[d]) || t.dims[d] < 0) {
      return false;
    }
  }
  const int64_t count = tare_tensor_count(&t);
  return count >= 0 && tarei_mul_size((size_t)count, tare_dtype_size(v->dtype), bytes);
}

/* The contents of a value that follows from the symbols: one per element. */
static void get_contents(tarei_reader *const r, tarei_graph *const g, tarei_value *const v) {
  const uint32_t n = tarei_get_count(r, 4);
  size_t bytes;
  if (!n || r->failed) {
    return;
  }
  if ((v->dtype != TARE_I64 && v->dtype != TARE_I32) || v->is_input ||
      !constant_bytes(g, v, &bytes) || bytes != n * tare_dtype_size(v->dtype)) {
    r->failed = true;
    return;
  }
  v->contents = tarei_calloc(n, sizeof *v->contents);
  r->failed |= !v->contents;
  for (uint32_t i = 0; !r->failed && i < n; i++) {
    v->contents[i] = get_given(r, g);
    v->n_contents = (int)i + 1;
  }
}

static void get_constant(tarei_reader *const r, tarei_graph *const g, const int value,
                         const tarei_blobs *const constants) {
  tarei_value *const v = &g->values[value];
  const uint8_t kind = tarei_get_u8(r);
  size_t bytes;
  if (kind == TAREI_CONST_NONE) {
    return;
  }
  if (r->failed || kind > TAREI_CONST_PACKED || !constant_bytes(g, v, &bytes)) {
    r->failed = true;
    return;
  }
  if (kind == TAREI_CONST_PACKED) {
    v->data = tarei_buffer_new(0);
    r->failed |= !v->data || v->dtype != TARE_F32;
    return;
  }
  const uint32_t block = tarei_get_u32(r);
  if (r->failed || block >= (uint32_t)constants->n || constants->buffers[block]->size != bytes) {
    r->failed = true;
    return;
  }
  v->data = tarei_buffer_retain(constants->buffers[block]);
}

enum { DECLARED = 1 << 3 }; /* flag: names of axes follow the dims */

static void get_declared(tarei_reader *const r, tarei_value *const v) {
  v->declared = tarei_calloc(TARE_MAX_RANK, sizeof *v->declared);
  r->failed |= !v->declared || !v->is_input;
  for (int d = 0; v->declared && d < v->rank && !r->failed; d++) {
    char *const name = tarei_get_text(r);
    r->failed |= !name;
    if (name && *name) {
      v->declared[d] = name;
    } else {
      free(name);
    }
  }
}

static void get_value(tarei_reader *const r, tarei_graph *const g,
                      const tarei_blobs *const constants) {
  char *const name = tarei_get_text(r);
  const int value = name ? tarei_graph_add_value(g, name) : -1;
  free(name);
  if (value < 0) {
    r->failed = true;
    return;
  }
  tarei_value *const v = &g->values[value];
  v->dtype = (tare_dtype)tarei_get_u32(r);
  const uint8_t flags = tarei_get_u8(r);
  v->is_input = flags & 1;
  v->is_output = flags >> 1 & 1;
  v->observable = flags >> 2 & 1;
  const uint8_t rank = tarei_get_u8(r);
  r->failed |= rank > TARE_MAX_RANK || !tare_dtype_size(v->dtype);
  v->rank = r->failed ? -1 : rank;
  for (int d = 0; d < v->rank; d++) {
    v->dims[d] = get_given(r, g);
  }
  if (flags & DECLARED) {
    get_declared(r, v);
  }
  get_contents(r, g, v);
  get_quant(r, &v->quant);
  get_constant(r, g, value, constants);
}

static bool get_tensor_attr(tarei_reader *const r, tarei_attr *const a) {
  a->tensor.dtype = (tare_dtype)tarei_get_u32(r);
  a->tensor.rank = tarei_get_u8(r);
  if (r->failed || a->tensor.rank > TARE_MAX_RANK) {
    return false;
  }
  for (int d = 0; d < a->tensor.rank; d++) {
    a->tensor.dims[d] = (int64_t)tarei_get_u64(r);
    if (a->tensor.dims[d] < 0) {
      return false;
    }
  }
  const uint64_t bytes = tarei_get_u64(r);
  const int64_t count = tare_tensor_count(&a->tensor);
  size_t wanted;
  if (r->failed || count < 0 ||
      !tarei_mul_size((size_t)count, tare_dtype_size(a->tensor.dtype), &wanted) ||
      wanted != bytes) {
    return false;
  }
  const void *const data = tarei_get_bytes(r, wanted);
  a->buffer = data ? tarei_buffer_new(wanted) : NULL;
  if (!a->buffer) {
    return false;
  }
  memcpy(a->buffer->data, data, wanted);
  a->tensor.data = a->buffer->data;
  return true;
}

static bool get_list(tarei_reader *const r, const tarei_graph *const g, tarei_attr *const a) {
  const uint32_t n = tarei_get_count(r, 4);
  a->ints = tarei_calloc(n, sizeof *a->ints);
  a->floats = tarei_calloc(n, sizeof *a->floats);
  a->exprs = tarei_calloc(n, sizeof *a->exprs);
  const bool texts = a->kind == TAREI_ATTR_STRINGS;
  a->strings = texts ? tarei_calloc(n, sizeof *a->strings) : NULL;
  if (!a->ints || !a->floats || !a->exprs || (texts && !a->strings)) {
    return false;
  }
  a->n = (int)n;
  for (uint32_t i = 0; i < n; i++) {
    if (texts) {
      a->strings[i] = tarei_get_text(r);
    } else if (a->kind == TAREI_ATTR_EXPRS) {
      a->exprs[i] = r->failed ? TAREI_EXPR_NONE : get_known(r, g);
    } else if (a->kind == TAREI_ATTR_INTS) {
      a->ints[i] = (int64_t)tarei_get_u64(r);
    } else {
      a->floats[i] = tarei_get_f32(r);
    }
  }
  return !r->failed;
}

/* What a body captures are inputs that the node has. */
static bool captures_fit(const tarei_graph *const body, const tarei_node *const node) {
  for (int i = 0; i < body->n_inputs - body->n_formal; i++) {
    if (body->captures[i] < 0 || body->captures[i] >= node->n_in ||
        node->in[body->captures[i]] < 0) {
      return false;
    }
  }
  return true;
}

static tarei_graph *get_body(tarei_reader *r, const tarei_graph *around,
                             const tarei_blobs *constants);

static void get_attr(tarei_reader *const r, const tarei_graph *const g, tarei_node *const node,
                     const tarei_blobs *const constants) {
  tarei_attr a = {.name = tarei_get_text(r)};
  a.kind = (tarei_attr_kind)tarei_get_u8(r);
  a.i = (int64_t)tarei_get_u64(r);
  a.f = tarei_get_f32(r);
  a.s = tarei_get_text(r);
  const bool known =
      a.kind == TAREI_ATTR_FLOAT || a.kind == TAREI_ATTR_INT || a.kind == TAREI_ATTR_STRING ||
      a.kind == TAREI_ATTR_TENSOR || a.kind == TAREI_ATTR_FLOATS || a.kind == TAREI_ATTR_INTS ||
      a.kind == TAREI_ATTR_GRAPH || a.kind == TAREI_ATTR_STRINGS || a.kind == TAREI_ATTR_EXPRS;
  bool ok = a.name && a.s && known && get_list(r, g, &a) &&
            (a.kind != TAREI_ATTR_TENSOR || get_tensor_attr(r, &a));
  if (ok && a.kind == TAREI_ATTR_GRAPH) {
    ok = tarei_op_has_body(node->op, a.name);
    a.graph = ok ? get_body(r, g, constants) : NULL;
    ok = a.graph && captures_fit(a.graph, node);
  }
  ok = ok && tarei_attr_copy(node, &a);
  r->failed |= !ok;
  free(a.name);
  free(a.s);
  free(a.ints);
  free(a.floats);
  free(a.exprs);
  for (int i = 0; a.strings && i < a.n; i++) {
    free(a.strings[i]);
  }
  free(a.strings);
  tarei_buffer_release(a.buffer);
  tarei_graph_free(a.graph);
}

/* A list of value numbers, UINT32_MAX for absent ones; NULL on failure. */
static int *get_operands(tarei_reader *const r, const tarei_graph *const g, int *const n) {
  *n = (int)tarei_get_count(r, 4);
  int *const list = tarei_calloc((size_t)*n, sizeof *list);
  r->failed |= !list;
  for (int i = 0; !r->failed && i < *n; i++) {
    const uint32_t x = tarei_get_u32(r);
    r->failed |= x != UINT32_MAX && x >= (uint32_t)g->n_values;
    list[i] = x == UINT32_MAX ? -1 : (int)x;
  }
  return list;
}

/* Somebody before has made the value. */
static bool is_made(const tarei_value *const v) {
  return v->producer >= 0 || v->data || v->is_input || v->contents;
}

/* Nodes stand in the order in which they run. Constants that stand in packed form are read by
 * nobody else. */
static bool operands_are_there(const tarei_graph *const g, const tarei_node *const node) {
  for (int i = 0; i < node->n_in; i++) {
    const tarei_value *const v = node->in[i] < 0 ? NULL : &g->values[node->in[i]];
    size_t bytes;
    const bool is_short = v && v->data && constant_bytes(g, v, &bytes) && v->data->size < bytes;
    if (v && (!is_made(v) || (is_short && !tarei_node_packs(g, node, i)))) {
      return false;
    }
  }
  return true;
}

static bool outputs_are_free(const tarei_graph *const g, const int *const out, const int n) {
  for (int i = 0; i < n; i++) {
    const tarei_value *const v = out[i] < 0 ? NULL : &g->values[out[i]];
    if (v && (v->producer >= 0 || v->data || v->is_input || v->contents)) {
      return false;
    }
  }
  return true;
}

static void get_record(tarei_reader *const r, tarei_record *const out) {
  const uint8_t asked = tarei_get_u8(r), got = tarei_get_u8(r), why = tarei_get_u8(r);
  char *const subject = tarei_get_text(r);
  const int64_t number = (int64_t)tarei_get_u64(r);
  r->failed |=
      asked >= TARE_PRECISION_COUNT || got >= TARE_PRECISION_COUNT || why >= TARE_REASON_COUNT;
  const tarei_reason reason = {(tare_reason)why, subject && *subject ? subject : NULL, number};
  r->failed |= !tarei_record_set(out, (tare_precision)asked, (tare_precision)got, &reason);
  free(subject);
}

static void get_node(tarei_reader *const r, tarei_graph *const g,
                     const tarei_blobs *const constants) {
  char *const op = tarei_get_text(r), *const domain = tarei_get_text(r);
  char *const name = tarei_get_text(r);
  const uint32_t number = tarei_get_u32(r), passes = tarei_get_u32(r);
  tarei_record record = {0};
  get_record(r, &record);
  const uint32_t opset = tarei_get_u32(r);
  int n_in = 0, n_out = 0, node = -1;
  int *const in = get_operands(r, g, &n_in), *const out = get_operands(r, g, &n_out);
  if (!r->failed && tarei_op_find(op, domain) && outputs_are_free(g, out, n_out)) {
    node = tarei_graph_add_node(g, op, domain, name, (int)opset, in, n_in, out, n_out);
  }
  r->failed |= node < 0 || number > INT32_MAX || !tarei_exprs_keep_owner(g->exprs, (int32_t)number);
  if (node >= 0) {
    g->nodes[node].number = (int32_t)number;
    g->nodes[node].passes = passes;
    g->nodes[node].record = record;
    record = (tarei_record){0};
    const uint32_t n_attrs = tarei_get_count(r, 8);
    for (uint32_t a = 0; !r->failed && a < n_attrs; a++) {
      get_attr(r, g, &g->nodes[node], constants);
    }
    r->failed |= !operands_are_there(g, &g->nodes[node]);
  }
  free(op);
  free(domain);
  free(name);
  tarei_record_fini(&record);
  free(in);
  free(out);
}

/* The list of outputs has every value that is marked so, and no other; a value may be there twice.
 */
static bool outputs_are_marked(tarei_graph *const g) {
  int marked = 0, listed = 0;
  for (int v = 0; v < g->n_values; v++) {
    marked += g->values[v].is_output;
  }
  for (int i = 0; i < g->n_outputs; i++) {
    if (g->outputs[i] < 0 || !g->values[g->outputs[i]].is_output) {
      return false;
    }
  }
  for (int i = 0; i < g->n_outputs; i++) {
    listed += g->values[g->outputs[i]].is_output;
    g->values[g->outputs[i]].is_output = false; /* counted */
  }
  for (int i = 0; i < g->n_outputs; i++) {
    g->values[g->outputs[i]].is_output = true;
  }
  return marked == listed;
}

/* Every output is made, and the list of inputs is that of the values marked so, each once. */
static bool ends_fit(const tarei_graph *const g) {
  int marked = 0;
  for (int v = 0; v < g->n_values; v++) {
    marked += g->values[v].is_input;
  }
  for (int i = 0; i < g->n_inputs; i++) {
    if (g->inputs[i] < 0 || !g->values[g->inputs[i]].is_input || g->values[g->inputs[i]].data) {
      return false;
    }
    for (int k = 0; k < i; k++) {
      if (g->inputs[k] == g->inputs[i]) {
        return false;
      }
    }
  }
  for (int i = 0; i < g->n_outputs; i++) {
    const tarei_value *const v = &g->values[g->outputs[i]];
    size_t bytes;
    if (!is_made(v) || (v->data && (!constant_bytes(g, v, &bytes) || v->data->size < bytes))) {
      return false;
    }
  }
  return marked == g->n_inputs && g->n_outputs > 0;
}

static tare_status get_graph(tarei_reader *const r, const tarei_blobs *const constants,
                             tarei_graph *const g, tare_error *const err) {
  free(g->producer);
  g->producer = tarei_get_text(r);
  g->ir_version = (int64_t)tarei_get_u64(r);
  g->opset = (int)tarei_get_u32(r);
  g->model_hash = tarei_get_u64(r);
  const uint32_t n_values = tarei_get_count(r, 16);
  for (uint32_t v = 0; !r->failed && v < n_values; v++) {
    get_value(r, g, constants);
  }
  if (r->failed) {
    return graph_get_broken(err, "values");
  }
  const uint32_t n_nodes = tarei_get_count(r, 16);
  for (uint32_t n = 0; !r->failed && n < n_nodes; n++) {
    get_node(r, g, constants);
    if (r->failed) {
      return broken_node(err, g, n);
    }
  }
  if (r->failed) {
    return graph_get_broken(err, "nodes");
  }
  g->inputs = get_operands(r, g, &g->n_inputs);
  g->outputs = get_operands(r, g, &g->n_outputs);
  if (r->failed || !outputs_are_marked(g) || !ends_fit(g)) {
    return graph_get_broken(err, "inputs and outputs");
  }
  return TARE_OK;
}

/* Dims, types and contents of a body's inputs come from the node, by inference. */
static bool get_captures(tarei_reader *const r, tarei_graph *const body) {
  const uint32_t n_formal = tarei_get_u32(r);
  if (r->failed || n_formal > (uint32_t)body->n_inputs) {
    return false;
  }
  body->n_formal = (int)n_formal;
  const int n = body->n_inputs - body->n_formal;
  body->captures = tarei_calloc((size_t)n, sizeof *body->captures);
  for (int i = 0; body->captures && i < n; i++) {
    body->captures[i] = (int)tarei_get_u32(r);
  }
  return body->captures && !r->failed;
}

static tarei_graph *get_body(tarei_reader *const r, const tarei_graph *const around,
                             const tarei_blobs *const constants) {
  char *const name = tarei_get_text(r);
  tarei_graph *const body =
      name && ++r->depth < MAX_DEPTH ? tarei_graph_new_body(around, name) : NULL;
  free(name);
  if (body && (get_graph(r, constants, body, NULL) != TARE_OK || !get_captures(r, body))) {
    tarei_graph_free(body);
    return NULL;
  }
  r->depth--;
  return body;
}

/* Numbers of the nodes of a graph and of its bodies; false when out of memory. */
static bool add_numbers(const tarei_graph *const g, graph_get_numbers *const out) {
  for (int n = 0; n < g->n_nodes; n++) {
    if (!TAREI_GROW(out->at, out->n, out->capacity)) {
      return false;
    }
    out->at[out->n++] = g->nodes[n].number;
    const tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&g->nodes[n], i)) != NULL; i++) {
      if (!add_numbers(body, out)) {
        return false;
      }
    }
  }
  return true;
}

static int by_number(const void *const a, const void *const b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

/* Two nodes of one number would measure one dim, of which each believes that it is its own. */
static tare_status check_numbers(const tarei_graph *const g, tare_error *const err) {
  graph_get_numbers all = {0};
  tare_status status =
      add_numbers(g, &all) ? TARE_OK : tarei_fail_memory(err, g->name, all.n * sizeof *all.at);
  if (status == TARE_OK && all.n > 0) {
    qsort(all.at, all.n, sizeof *all.at, by_number);
  }
  for (size_t i = 1; status == TARE_OK && i < all.n; i++) {
    if (all.at[i] == all.at[i - 1]) {
      status = tarei_fail(err, TARE_E_INPUT, "duplicate node number %d", (int)all.at[i]);
    }
  }
  free(all.at);
  return status;
}

tare_status tarei_graph_get(tarei_reader *const r, const tarei_blobs *const constants,
                            const tare_limits *const limits, tarei_graph **const out,
                            tare_error *const err) {
  char *const name = tarei_get_text(r);
  *out = name ? tarei_graph_new(name) : NULL;
  free(name);
  if (!*out) {
    return graph_get_broken(err, "name");
  }
  (*out)->limits = *limits;
  tarei_exprs_set_reading((*out)->exprs, true);
  get_names(r, *out);
  const int n_symbols = tarei_exprs_n_symbols((*out)->exprs);
  tare_status status =
      r->failed ? graph_get_broken(err, "sizes") : get_graph(r, constants, *out, err);
  if (status == TARE_OK && !names_are_of_inputs(*out, n_symbols)) {
    status = graph_get_broken(err, "sizes");
  }
  tarei_exprs_set_reading((*out)->exprs, false);
  if (status == TARE_OK) {
    (void)tarei_get_u32(r); /* formal inputs: those of bodies only */
    status = r->failed ? graph_get_broken(err, "end") : check_numbers(*out, err);
  }
  if (status != TARE_OK) {
    tarei_graph_free(*out);
    *out = NULL;
  }
  return status == TARE_OK || status == TARE_E_MEMORY || status == TARE_E_LIMIT
             ? status
             : tarei_fail_in(err, TARE_E_INPUT, "graph");
}
