#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/file/graph_file.h"
#include "engine/plan.h"

/* What is written, and by which numbers it calls names in expressions. */
typedef struct graph_put_file {
  tarei_writer *w;
  tarei_blobs *constants;
  int *names; /* per name of the pool: its number in the file, or -1 */
} graph_put_file;

/* A node that runs, or an output, takes this value. */
static bool graph_put_is_read(const tarei_part *const part, const int value) {
  const tarei_graph *const g = part->graph;
  for (tarei_use u = g->values[value].first_use; u.node >= 0; u = tarei_graph_next_use(g, u)) {
    if (part->runs[u.node]) {
      return true;
    }
  }
  return g->values[value].is_output;
}

/* Numbers of the values in the file; -1 for those that nothing uses. */
static int *number_values(const tarei_part *const part, int *const n) {
  const tarei_graph *const g = part->graph;
  int *const numbers = tarei_calloc((size_t)g->n_values, sizeof *numbers);
  *n = 0;
  for (int v = 0; numbers && v < g->n_values; v++) {
    const bool used =
        g->values[v].data ? graph_put_is_read(part, v) : part->slots[v].storage != TAREI_STORE_NONE;
    numbers[v] = used || g->values[v].is_input ? (*n)++ : -1;
  }
  return numbers;
}

/* True when every use of a constant is in packed form. */
static bool only_packed(const tarei_part *const part, const int value) {
  const tarei_graph *const g = part->graph;
  bool used = false;
  for (tarei_use u = g->values[value].first_use; u.node >= 0; u = tarei_graph_next_use(g, u)) {
    if (part->runs[u.node] && !tarei_node_packs(g, &g->nodes[u.node], u.input)) {
      return false;
    }
    used = used || part->runs[u.node];
  }
  return used && !g->values[value].is_output;
}

static void put_constant(const graph_put_file *const file, const tarei_part *const part,
                         const int value) {
  tarei_writer *const w = file->w;
  tarei_blobs *const constants = file->constants;
  tarei_buffer *const data = part->graph->values[value].data;
  if (!data) {
    tarei_put_u8(w, TAREI_CONST_NONE);
  } else if (only_packed(part, value)) {
    tarei_put_u8(w, TAREI_CONST_PACKED);
  } else {
    tarei_put_u8(w, TAREI_CONST_BLOCK);
    tarei_put_u32(w, (uint32_t)constants->n);
    if (!TAREI_GROW(constants->buffers, constants->n, constants->capacity)) {
      w->failed = true;
      return;
    }
    constants->buffers[constants->n++] = data;
  }
}

static void put_expr(const graph_put_file *const file, const tarei_exprs *const exprs,
                     const tarei_expr e) {
  tarei_str text = {0};
  tarei_expr_write(exprs, e, file->names, &text);
  file->w->failed |= text.failed;
  tarei_put_text(file->w, tarei_str_get(&text));
  tarei_str_free(&text);
}

/* What a node measures is inferred again, as all dims of what nodes make. */
static void put_inferred(const graph_put_file *const file, const tarei_exprs *const exprs,
                         const tarei_expr e) {
  put_expr(file, exprs, tarei_expr_uses_measured(exprs, e) ? TAREI_EXPR_NONE : e);
}

static void put_form(tarei_writer *const w, const tarei_quant *const q) {
  const bool none = !q->n_scales && q->granularity == TAREI_PER_TENSOR;
  const bool symmetric = none || q->zero_point == TAREI_SYMMETRIC;
  const int form = q->stated            ? TAREI_FORM_STATED
                   : symmetric          ? TAREI_FORM_SYMMETRIC
                   : q->zero_point == 0 ? TAREI_FORM_UNSIGNED
                                        : TAREI_FORM_UNEVEN;
  tarei_put_u8(w, (uint8_t)form);
  if (form == TAREI_FORM_STATED || form == TAREI_FORM_UNEVEN) {
    tarei_put_u8(w, (uint8_t)q->zero_point);
  }
}

/* A symbol, or where none has that name the sum of others that it says. */
static tarei_expr port_dim(tarei_exprs *const exprs, const char *const symbol) {
  tarei_expr sum = TAREI_EXPR_NONE;
  const bool is_sum = tarei_exprs_find_symbol(exprs, symbol) < 0 && strchr(symbol, '+') &&
                      tarei_expr_parse(exprs, symbol, &sum, NULL) == TARE_OK;
  return is_sum ? sum : tarei_expr_symbol(exprs, symbol);
}

/* Dims of the plan's inputs have the symbols that profiles fix, which a reader fixes again. */
static void put_dims(const graph_put_file *const file, const tarei_part *const part,
                     const int value) {
  const tarei_graph *const g = part->graph;
  const tare_port *port = NULL;
  for (int i = 0; !g->is_body && i < g->n_inputs; i++) {
    port = g->inputs[i] == value ? &part->plan->inputs[i] : port;
  }
  for (int d = 0; d < g->values[value].rank; d++) {
    const char *const symbol = port ? port->dims[d].symbol : NULL;
    const tarei_expr dim = symbol ? port_dim(g->exprs, symbol) : g->values[value].dims[d];
    put_inferred(file, g->exprs, tarei_expr_has_names(g->exprs, dim) ? TAREI_EXPR_NONE : dim);
  }
}

static void put_value(const graph_put_file *const file, const tarei_part *const part,
                      const int value) {
  tarei_writer *const w = file->w;
  const tarei_graph *const g = part->graph;
  const tarei_value *const v = &g->values[value];
  tarei_put_text(w, v->name);
  tarei_put_u32(w, (uint32_t)v->dtype);
  const bool declared = v->declared && v->is_input;
  tarei_put_u8(w, (uint8_t)(v->is_input | v->is_output << 1 | v->observable << 2 | declared << 3));
  tarei_put_u8(w, (uint8_t)v->rank);
  put_dims(file, part, value);
  for (int d = 0; declared && d < v->rank; d++) {
    tarei_put_text(w, v->declared[d] ? v->declared[d] : "");
  }
  const bool contents = part->slots[value].from_shape;
  tarei_put_u32(w, contents ? (uint32_t)v->n_contents : 0);
  for (int i = 0; contents && i < v->n_contents; i++) {
    put_inferred(file, g->exprs, v->contents[i]);
  }
  tarei_put_u8(w, (uint8_t)v->quant.granularity);
  put_form(w, &v->quant);
  tarei_put_u32(w, (uint32_t)v->quant.n_scales);
  for (int i = 0; i < v->quant.n_scales; i++) {
    tarei_put_f32(w, v->quant.scales[i]);
  }
  put_constant(file, part, value);
}

static void put_title(tarei_writer *const w, const tarei_graph *const g) {
  const char *const slash = strrchr(g->name, '/'); /* where a model lies is nobody's business */
  tarei_put_text(w, slash ? slash + 1 : g->name);
}

static void put_graph(const graph_put_file *file, const tarei_part *part);

/* `body`: the part that runs the graph of a GRAPH attribute. */
static void put_attr(const graph_put_file *const file, const tarei_exprs *const exprs,
                     const tarei_attr *const a, const tarei_part *const body) {
  tarei_writer *const w = file->w;
  tarei_put_text(w, a->name);
  tarei_put_u8(w, (uint8_t)a->kind);
  tarei_put_u64(w, (uint64_t)a->i);
  tarei_put_f32(w, a->f);
  tarei_put_text(w, a->s);
  const bool ints = a->kind == TAREI_ATTR_INTS, floats = a->kind == TAREI_ATTR_FLOATS;
  const bool texts = a->kind == TAREI_ATTR_STRINGS, dims = a->kind == TAREI_ATTR_EXPRS;
  tarei_put_u32(w, ints || floats || texts || dims ? (uint32_t)a->n : 0);
  for (int i = 0; ints && i < a->n; i++) {
    tarei_put_u64(w, (uint64_t)a->ints[i]);
  }
  for (int i = 0; floats && i < a->n; i++) {
    tarei_put_f32(w, a->floats[i]);
  }
  for (int i = 0; texts && i < a->n; i++) {
    tarei_put_text(w, a->strings[i]);
  }
  for (int i = 0; dims && i < a->n; i++) {
    put_expr(file, exprs, a->exprs[i]);
  }
  if (a->kind == TAREI_ATTR_TENSOR) {
    tarei_put_u32(w, (uint32_t)a->tensor.dtype);
    tarei_put_u8(w, (uint8_t)a->tensor.rank);
    for (int d = 0; d < a->tensor.rank; d++) {
      tarei_put_u64(w, (uint64_t)a->tensor.dims[d]);
    }
    const size_t bytes = (size_t)tare_tensor_count(&a->tensor) * tare_dtype_size(a->tensor.dtype);
    tarei_put_u64(w, bytes);
    tarei_put_bytes(w, a->tensor.data, bytes);
  }
  if (a->kind == TAREI_ATTR_GRAPH) {
    put_title(w, body->graph);
    put_graph(file, body);
  }
}

static void put_operands(tarei_writer *const w, const int *const operands, const int n,
                         const int *const numbers) {
  tarei_put_u32(w, (uint32_t)n);
  for (int i = 0; i < n; i++) {
    tarei_put_u32(w, operands[i] < 0 ? UINT32_MAX : (uint32_t)numbers[operands[i]]);
  }
}

static void put_record(tarei_writer *const w, const tarei_record *const record) {
  tarei_put_u8(w, (uint8_t)record->asked);
  tarei_put_u8(w, (uint8_t)record->got);
  tarei_put_u8(w, (uint8_t)record->why);
  tarei_put_text(w, record->subject);
  tarei_put_u64(w, (uint64_t)record->number);
}

static void put_node(const graph_put_file *const file, const tarei_part *const part,
                     const tarei_node *const node, const int *const numbers, int *const child) {
  tarei_writer *const w = file->w;
  tarei_put_text(w, node->op->name);
  tarei_put_text(w, node->op->domain);
  tarei_put_text(w, node->name);
  tarei_put_u32(w, (uint32_t)node->number);
  tarei_put_u32(w, node->passes);
  put_record(w, &node->record);
  tarei_put_u32(w, (uint32_t)node->opset);
  put_operands(w, node->in, node->n_in, numbers);
  put_operands(w, node->out, node->n_out, numbers);
  tarei_put_u32(w, (uint32_t)node->n_attrs);
  for (int a = 0; a < node->n_attrs; a++) {
    const bool has_body = node->attrs[a].kind == TAREI_ATTR_GRAPH;
    put_attr(file, part->graph->exprs, &node->attrs[a],
             has_body ? part->children[(*child)++] : NULL);
  }
}

/* Marks the names in the expressions that are read from a file, not inferred. */
static void mark_names_of(const tarei_part *const part, bool *const marks) {
  const tarei_graph *const g = part->graph;
  for (int v = 0; v < g->n_values; v++) {
    for (int i = 0; part->slots[v].from_shape && i < g->values[v].n_contents; i++) {
      tarei_expr_mark_names(g->exprs, g->values[v].contents[i], marks);
    }
  }
  for (int n = 0; n < g->n_nodes; n++) {
    for (int a = 0; part->runs[n] && a < g->nodes[n].n_attrs; a++) {
      const tarei_attr *const attr = &g->nodes[n].attrs[a];
      for (int i = 0; attr->kind == TAREI_ATTR_EXPRS && i < attr->n; i++) {
        tarei_expr_mark_names(g->exprs, attr->exprs[i], marks);
      }
    }
  }
  for (int c = 0; c < part->n_children; c++) {
    mark_names_of(part->children[c], marks);
  }
}

/* The definitions that the rest of the section needs, in order. */
static void put_names(graph_put_file *const file, const tarei_part *const part) {
  const tarei_exprs *const exprs = part->graph->exprs;
  const int n = tarei_exprs_n_names(exprs);
  bool *const marks = tarei_calloc((size_t)n + 1, sizeof *marks);
  uint32_t n_marked = 0;
  if (!marks) {
    file->w->failed = true;
    return;
  }
  mark_names_of(part, marks);
  for (int k = 0; k < n; k++) {
    file->names[k] = marks[k] ? (int)n_marked++ : -1;
  }
  tarei_put_u32(file->w, n_marked);
  for (int k = 0; k < n; k++) {
    if (marks[k]) {
      put_expr(file, exprs, tarei_exprs_definition(exprs, k));
    }
  }
  free(marks);
}

static void put_graph(const graph_put_file *const file, const tarei_part *const part) {
  tarei_writer *const w = file->w;
  const tarei_graph *const g = part->graph;
  int n_values;
  int *const numbers = number_values(part, &n_values);
  if (!numbers) {
    w->failed = true;
    return;
  }
  tarei_put_text(w, g->producer);
  tarei_put_u64(w, (uint64_t)g->ir_version);
  tarei_put_u32(w, (uint32_t)g->opset);
  tarei_put_u64(w, g->model_hash);
  tarei_put_u32(w, (uint32_t)n_values);
  for (int v = 0; v < g->n_values; v++) {
    if (numbers[v] >= 0) {
      put_value(file, part, v);
    }
  }
  uint32_t n_nodes = 0;
  for (int n = 0; n < g->n_nodes; n++) {
    n_nodes += part->runs[n];
  }
  tarei_put_u32(w, n_nodes);
  int child = 0; /* parts stand in the order of the nodes they belong to */
  for (int n = 0; n < g->n_nodes; n++) {
    if (part->runs[n]) {
      put_node(file, part, &g->nodes[n], numbers, &child);
    }
  }
  put_operands(w, g->inputs, g->n_inputs, numbers);
  put_operands(w, g->outputs, g->n_outputs, numbers);
  tarei_put_u32(w, (uint32_t)g->n_formal);
  for (int i = 0; g->is_body && i < g->n_inputs - g->n_formal; i++) {
    tarei_put_u32(w, (uint32_t)g->captures[i]);
  }
  free(numbers);
}

void tarei_graph_put(tarei_writer *const w, const tarei_part *const part,
                     tarei_blobs *const constants) {
  const size_t n = (size_t)tarei_exprs_n_names(part->graph->exprs);
  graph_put_file file = {w, constants, tarei_calloc(n + 1, sizeof *file.names)};
  if (!file.names) {
    w->failed = true;
    return;
  }
  put_title(w, part->graph);
  put_names(&file, part);
  put_graph(&file, part);
  free(file.names);
}
