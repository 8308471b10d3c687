/* A drawing of the layers: Graphviz, in the colours that TensorRT's engine explorer gives to
 * precisions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/layer_facts.h"
#include "tools/show/layers.h"

static const char *dot_fill_of(const char *const precision) {
  static const struct {
    const char *precision, *fill;
  } FILLS[] = {{"int8", "#76b900"},       {"int8-rows", "#76b900"}, {"int16", "#b8d97a"},
               {"int16-rows", "#b8d97a"}, {"fp32", "red"},          {"float64", "red"},
               {"bf16", "orange"},        {"fp16", "orange"},       {"int64", "lightgray"},
               {"int32", "lightgray"}};
  for (size_t i = 0; i < sizeof FILLS / sizeof *FILLS; i++) {
    if (strcmp(FILLS[i].precision, precision) == 0) {
      return FILLS[i].fill;
    }
  }
  return "gray";
}

/* Inside a quoted string of Graphviz. */
static void dot_escaped(const char *const text) {
  for (const char *c = text; *c; c++) {
    if (*c == '"' || *c == '\\') {
      putchar('\\');
    }
    putchar((unsigned char)*c < ' ' ? ' ' : *c);
  }
}

/* What the layers make, by graph (the layer around it) and name. */
typedef struct dot_made {
  int parent, layer;
  const tare_layer_tensor *tensor;
} dot_made;

typedef struct dot_graph {
  const tare_plan *plan;
  dot_made *made; /* sorted */
  size_t n_made;
} dot_graph;

static int dot_made_order(const void *const a, const void *const b) {
  const dot_made *const x = a, *const y = b;
  return x->parent != y->parent ? x->parent - y->parent : strcmp(x->tensor->name, y->tensor->name);
}

static void dot_index(dot_graph *const g) {
  for (int i = 0; i < tare_plan_n_layers(g->plan); i++) {
    const tare_layer layer = tare_plan_layer(g->plan, i);
    g->made = cli_realloc(g->made, g->n_made + (size_t)layer.n_outputs, sizeof *g->made);
    for (int o = 0; o < layer.n_outputs; o++) {
      g->made[g->n_made++] = (dot_made){layer.parent, i, &layer.outputs[o]};
    }
  }
  qsort(g->made, g->n_made, sizeof *g->made, dot_made_order);
}

/* The layer that makes a tensor which is read in the graph of layer `parent`, or taken there from a
 * graph around it; -1: an input. */
static int dot_maker_of(const dot_graph *const g, int parent, const char *const memory) {
  const tare_layer_tensor named = {.name = memory};
  for (;; parent = tare_plan_layer(g->plan, parent).parent) {
    const dot_made key = {.parent = parent, .tensor = &named};
    const dot_made *const made = bsearch(&key, g->made, g->n_made, sizeof key, dot_made_order);
    if (made || parent < 0) {
      return made ? made->layer : -1;
    }
  }
}

static void dot_edge_label(const tare_layer_tensor *const t) {
  printf(" [label=\"%s ", tensor_is_quantized(t) ? "int8" : tare_dtype_name(t->dtype));
  dot_escaped(t->shape);
  puts("\"];");
}

static int port_of(const tare_port *const ports, const int n, const char *const name) {
  for (int i = 0; i < n; i++) {
    if (strcmp(ports[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static void dot_inputs(const dot_graph *const g, const int reader) {
  const tare_layer layer = tare_plan_layer(g->plan, reader);
  const tare_port *ports = NULL;
  const int n_ports = tare_plan_inputs(g->plan, &ports);
  for (int i = 0; i < layer.n_inputs; i++) {
    const tare_layer_tensor *const t = &layer.inputs[i];
    const int maker = t->constant ? -1 : dot_maker_of(g, layer.parent, t->memory);
    const int port = t->constant || maker >= 0 ? -1 : port_of(ports, n_ports, t->memory);
    if (maker >= 0) {
      printf("  l%d -> l%d", maker, reader);
      dot_edge_label(t);
    } else if (port >= 0) {
      printf("  i%d -> l%d", port, reader);
      dot_edge_label(t);
    }
  }
  if (layer.parent >= 0) {
    printf("  l%d -> l%d [style=dotted, arrowhead=none];\n", layer.parent, reader);
  }
}

static void dot_ports(const char kind, const tare_port *const ports, const int n) {
  for (int i = 0; i < n; i++) {
    printf("  %c%d [shape=ellipse, label=\"", kind, i);
    dot_escaped(ports[i].name);
    printf("\\n%s\"];\n", tare_dtype_name(ports[i].dtype));
  }
}

static void dot_layer(const tare_plan *const plan, const int i) {
  const tare_layer layer = tare_plan_layer(plan, i);
  char *const why = layer_why(&layer);
  printf("  l%d [label=\"", i);
  dot_escaped(layer.name);
  printf("\\n%s %s\", fillcolor=\"%s\", tooltip=\"", layer.op, layer.precision,
         dot_fill_of(layer.precision));
  dot_escaped(why);
  puts("\"];");
  free(why);
}

static void dot_outputs(const dot_graph *const g, const tare_port *const ports, const int n) {
  for (int i = 0; i < n; i++) {
    const int maker = dot_maker_of(g, -1, tare_plan_memory_of(g->plan, ports[i].name));
    if (maker >= 0) {
      printf("  l%d -> o%d;\n", maker, i);
    }
  }
}

void layers_dot(const tare_plan *const plan) {
  dot_graph g = {.plan = plan};
  const tare_port *inputs = NULL, *outputs = NULL;
  const int n_inputs = tare_plan_inputs(plan, &inputs);
  const int n_outputs = tare_plan_outputs(plan, &outputs);
  printf("digraph \"");
  dot_escaped(tare_plan_model_name(plan));
  puts(
      "\" {\n  node [shape=box, style=filled, fillcolor=white, fontname=Helvetica];\n"
      "  edge [fontname=Helvetica, fontsize=10];");
  dot_ports('i', inputs, n_inputs);
  dot_ports('o', outputs, n_outputs);
  dot_index(&g);
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    dot_layer(plan, i);
  }
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    dot_inputs(&g, i);
  }
  dot_outputs(&g, outputs, n_outputs);
  puts("}");
  free(g.made);
}
