#include "graph/ir/ir.h"
#include "graph/op.h"

/* Names come from the model: what is not printable is shown as \xNN. */
static void ir_print_name(const char *const name, tarei_str *const out) {
  for (const char *c = name; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    if (byte < 0x20 || byte == 0x7f) {
      tarei_str_add(out, "\\x%02x", byte);
    } else {
      tarei_str_add(out, "%c", byte);
    }
  }
}

static void print_exprs(const tarei_graph *const graph, const tarei_expr *const exprs, const int n,
                        tarei_str *const out) {
  tarei_str_add(out, "[");
  for (int i = 0; i < n; i++) {
    tarei_str_add(out, "%s", i ? ", " : "");
    tarei_expr_print(graph->exprs, exprs[i], out);
  }
  tarei_str_add(out, "]");
}

static void print_type(const tarei_graph *const graph, const tarei_value *const value,
                       tarei_str *const out) {
  tarei_str_add(out, "%s", tare_dtype_name(value->dtype));
  if (value->rank < 0) {
    tarei_str_add(out, "[?]");
    return;
  }
  print_exprs(graph, value->dims, value->rank, out);
}

static void print_value(const tarei_graph *const graph, const int index, const bool with_type,
                        tarei_str *const out) {
  if (index < 0) {
    tarei_str_add(out, "-");
    return;
  }
  const tarei_value *const value = &graph->values[index];
  ir_print_name(value->name, out);
  if (with_type) {
    tarei_str_add(out, " ");
    print_type(graph, value, out);
  }
  if (with_type && value->quant.n_scales > 0) {
    tarei_str_add(out, " scale %.6g%s%s", value->quant.scales[0],
                  value->quant.n_scales > 1 ? "..." : "",
                  value->quant.granularity == TAREI_PER_ROW ? " per row" : "");
  }
}

static void print_attr(const tarei_graph *const graph, const tarei_attr *const attr,
                       tarei_str *const out) {
  ir_print_name(attr->name, out);
  tarei_str_add(out, "=");
  if (attr->kind == TAREI_ATTR_INT) {
    tarei_str_add(out, "%lld", (long long)attr->i);
  } else if (attr->kind == TAREI_ATTR_FLOAT) {
    tarei_str_add(out, "%.9g", (double)attr->f);
  } else if (attr->kind == TAREI_ATTR_STRING) {
    ir_print_name(attr->s, out);
  } else if (attr->kind == TAREI_ATTR_INTS || attr->kind == TAREI_ATTR_FLOATS) {
    tarei_str_add(out, "[");
    for (int i = 0; i < attr->n; i++) {
      tarei_str_add(out, "%s", i ? ", " : "");
      if (attr->kind == TAREI_ATTR_INTS) {
        tarei_str_add(out, "%lld", (long long)attr->ints[i]);
      } else {
        tarei_str_add(out, "%.9g", (double)attr->floats[i]);
      }
    }
    tarei_str_add(out, "]");
  } else if (attr->kind == TAREI_ATTR_EXPRS) {
    print_exprs(graph, attr->exprs, attr->n, out);
  } else {
    tarei_str_add(out, "...");
  }
}

static void print_node(const tarei_graph *const graph, const tarei_node *const node,
                       tarei_str *const out) {
  ir_print_name(node->name, out);
  tarei_str_add(out, ": %s(", node->op->name);
  for (int i = 0; i < node->n_in; i++) {
    tarei_str_add(out, "%s", i ? ", " : "");
    print_value(graph, node->in[i], false, out);
  }
  tarei_str_add(out, ")");
  for (int i = 0; i < node->n_attrs; i++) {
    tarei_str_add(out, " ");
    print_attr(graph, &node->attrs[i], out);
  }
  for (int i = 0; i < node->n_out; i++) {
    tarei_str_add(out, "%s", i ? ", " : " -> ");
    print_value(graph, node->out[i], true, out);
  }
  if (node->record.got) {
    const tarei_reason reason = tarei_record_reason(&node->record);
    tarei_str_add(out, " {%s%s", tare_precision_name(node->record.got), reason.why ? ": " : "");
    tarei_reason_print(&reason, out);
    tarei_str_add(out, "}");
  }
  tarei_str_add(out, "\n");
}

void tarei_value_print_dim(const tarei_graph *const graph, const int value, const int axis,
                           tarei_str *const out) {
  const tarei_value *const v = &graph->values[value];
  const int symbol = v->is_input ? tarei_expr_is_symbol(graph->exprs, v->dims[axis]) : -1;
  if (symbol >= 0) {
    tarei_str_add(out, "%s", tarei_exprs_symbol_name(graph->exprs, symbol));
  } else {
    tarei_expr_print(graph->exprs, v->dims[axis], out);
  }
}

void tarei_graph_print(const tarei_graph *const graph, tarei_str *const out) {
  for (int i = 0; i < graph->n_inputs; i++) {
    tarei_str_add(out, "input ");
    print_value(graph, graph->inputs[i], true, out);
    tarei_str_add(out, "\n");
  }
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op) {
      print_node(graph, &graph->nodes[i], out);
    }
  }
  for (int i = 0; i < graph->n_outputs; i++) {
    tarei_str_add(out, "output ");
    print_value(graph, graph->outputs[i], true, out);
    tarei_str_add(out, "\n");
  }
}
