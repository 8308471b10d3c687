/* A failing graph is made smaller as long as it fails. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random/check.h"

/* Takes the smaller model, which it owns then, where that fails too. */
static bool try_smaller(random_case *const c, Onnx__ModelProto *const model, char *const why) {
  random_case smaller;
  char reason[WHY_BYTES] = "";
  graph_prune(model->graph);
  const bool fails = random_case_derive(c, model, &smaller, reason) &&
                     check_apart(&smaller, reason) == VERDICT_FAILED;
  if (fails) {
    random_case_free(c);
    *c = smaller;
    snprintf(why, WHY_BYTES, "%s", reason);
  } else {
    random_case_free(&smaller);
  }
  return fails;
}

static bool drop_output(random_case *const c, const size_t o, char *const why) {
  Onnx__ModelProto *const model = model_clone(c->model);
  Onnx__GraphProto *const g = model->graph;
  onnx__value_info_proto__free_unpacked(g->output[o], NULL);
  memmove(&g->output[o], &g->output[o + 1], (g->n_output - o - 1) * sizeof(void *));
  g->n_output--;
  return try_smaller(c, model, why);
}

static void rename_inputs(Onnx__GraphProto *const g, const char *const from, const char *const to) {
  for (size_t n = 0; n < g->n_node; n++) {
    Onnx__NodeProto *const node = g->node[n];
    for (size_t i = 0; i < node->n_input; i++) {
      if (strcmp(node->input[i], from) == 0) {
        free(node->input[i]);
        node->input[i] = need(strdup(to));
      }
    }
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        rename_inputs(node->attribute[a]->g, from, to);
      }
    }
  }
}

/* Who reads node n reads its input i. */
static bool bypass(random_case *const c, const size_t n, const size_t i, char *const why) {
  Onnx__ModelProto *const model = model_clone(c->model);
  Onnx__NodeProto *const node = model->graph->node[n];
  char *const to = need(strdup(node->input[i])), *const from = need(strdup(node->output[0]));
  if (*to) {
    rename_inputs(model->graph, from, to);
  }
  free(to);
  free(from);
  return try_smaller(c, model, why);
}

static bool drop_some(random_case *const c, char *const why) {
  const Onnx__GraphProto *const g = c->model->graph;
  for (size_t o = 0; g->n_output > 1 && o < g->n_output; o++) {
    if (drop_output(c, o, why)) {
      return true;
    }
  }
  for (size_t n = g->n_node; n-- > 0;) {
    const size_t before = g->n_node;
    for (size_t i = 0; i < g->node[n]->n_input && i < 3; i++) {
      if (bypass(c, n, i, why) && c->model->graph->n_node < before) {
        return true;
      }
      if (c->model->graph != g) {
        return true; /* as many nodes, but another graph: begin again with it */
      }
    }
  }
  return false;
}

void shrink_case(random_case *const c, char *const why) {
  enum { MOST_STEPS = 60 };
  for (int step = 0; step < MOST_STEPS && drop_some(c, why); step++) {
  }
}

static void print_attribute(const Onnx__AttributeProto *const a) {
  if (a->has_i) {
    printf(" %s=%" PRId64, a->name, a->i);
  } else if (a->has_f) {
    printf(" %s=%g", a->name, a->f);
  } else if (a->has_s) {
    printf(" %s=%.*s", a->name, (int)a->s.len, (const char *)a->s.data);
  } else if (a->n_ints) {
    printf(" %s=[", a->name);
    for (size_t i = 0; i < a->n_ints; i++) {
      printf("%s%" PRId64, i ? " " : "", a->ints[i]);
    }
    printf("]");
  }
}

static void print_constant(const Onnx__TensorProto *const t, const int indent) {
  printf("%*s%s: type %d [", indent, "", t->name, t->data_type);
  size_t count = 1;
  for (size_t d = 0; d < t->n_dims; d++) {
    printf("%s%" PRId64, d ? " " : "", t->dims[d]);
    count *= (size_t)t->dims[d];
  }
  printf("]");
  for (size_t i = 0; i < count && i < 8 && t->data_type == TARE_I64; i++) {
    int64_t number;
    memcpy(&number, t->raw_data.data + i * sizeof number, sizeof number);
    printf(" %" PRId64, number);
  }
  printf("\n");
}

static void print_dims(const Onnx__TensorShapeProto *const shape) {
  for (size_t d = 0; shape && d < shape->n_dim; d++) {
    if (shape->dim[d]->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM) {
      printf(" %s", shape->dim[d]->dim_param);
    } else {
      printf(" %" PRId64, shape->dim[d]->dim_value);
    }
  }
}

void print_graph(const Onnx__GraphProto *const graph, const int indent) {
  for (size_t i = 0; i < graph->n_input; i++) {
    printf("%*sinput %s: type %d", indent, "", graph->input[i]->name,
           graph->input[i]->type->tensor_type->elem_type);
    print_dims(graph->input[i]->type->tensor_type->shape);
    printf("\n");
  }
  for (size_t i = 0; i < graph->n_initializer; i++) {
    print_constant(graph->initializer[i], indent);
  }
  for (size_t n = 0; n < graph->n_node; n++) {
    const Onnx__NodeProto *const node = graph->node[n];
    printf("%*s", indent, "");
    for (size_t o = 0; o < node->n_output; o++) {
      printf("%s%s", o ? ", " : "", node->output[o]);
    }
    printf(" = %s(", node->op_type);
    for (size_t i = 0; i < node->n_input; i++) {
      printf("%s%s", i ? ", " : "", node->input[i]);
    }
    printf(")");
    for (size_t a = 0; a < node->n_attribute; a++) {
      print_attribute(node->attribute[a]);
    }
    printf("\n");
    for (size_t a = 0; a < node->n_attribute; a++) {
      if (node->attribute[a]->g) {
        printf("%*s%s:\n", indent + 2, "", node->attribute[a]->name);
        print_graph(node->attribute[a]->g, indent + 4);
      }
    }
  }
  for (size_t i = 0; i < graph->n_output; i++) {
    printf("%*soutput %s\n", indent, "", graph->output[i]->name);
  }
}
