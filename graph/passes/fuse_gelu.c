/*
 * GELU written out by exporters becomes one Gelu. The whole is a product of 0.5, x and 1 + f(u) in
 * any order and nesting, where f is Erf and u = x / sqrt 2, or f is Tanh and
 * u = sqrt(2 / pi) * (x + 0.044715 x^3). u is compared as a polynomial in x, so that it does not
 * matter how it was written. The values between disappear.
 */
#include <math.h>

#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/pattern.h"

enum { DEGREE = 3, MAX_DEPTH = 6 };

typedef struct fuse_gelu_match {
  const tarei_graph *graph;
  tarei_pattern nodes;
  int x;
} fuse_gelu_match;

typedef struct polynomial {
  double c[DEGREE + 1];
} polynomial;

static bool fuse_gelu_multiply(const polynomial *const a, const polynomial *const b,
                               polynomial *const out) {
  polynomial product = {0};
  for (int i = 0; i <= DEGREE; i++) {
    for (int k = 0; k <= DEGREE; k++) {
      const double term = a->c[i] * b->c[k];
      if (i + k <= DEGREE) {
        product.c[i + k] += term;
      } else if (term != 0) {
        return false;
      }
    }
  }
  *out = product;
  return true;
}

static bool power(const polynomial *const base, const float exponent, polynomial *const out) {
  polynomial result = {.c = {1}};
  if (exponent != 1 && exponent != 2 && exponent != 3) {
    return false;
  }
  for (int i = 0; i < (int)exponent; i++) {
    if (!fuse_gelu_multiply(&result, base, &result)) {
      return false;
    }
  }
  *out = result;
  return true;
}

static bool fuse_gelu_combine(const tarei_op *const op, const polynomial *const a,
                              const polynomial *const b, polynomial *const out) {
  if (op == &tarei_op_mul) {
    return fuse_gelu_multiply(a, b, out);
  }
  for (int i = 0; i <= DEGREE; i++) {
    out->c[i] = a->c[i] + b->c[i];
  }
  return op == &tarei_op_add;
}

/* Reads a value as a polynomial in x and notes the nodes on the way. */
static bool read_polynomial(fuse_gelu_match *const m, const int value, const int depth,
                            polynomial *const out) {
  const tarei_node *const node = tarei_producer(m->graph, value);
  float k;
  *out = (polynomial){0};
  if (value == m->x) {
    out->c[1] = 1;
    return true;
  }
  if (tarei_const_scalar(m->graph, value, &k)) {
    out->c[0] = (double)k;
    return true;
  }
  polynomial a, b;
  if (!node || node->n_in != 2 || depth == MAX_DEPTH ||
      !tarei_pattern_add(m->graph, &m->nodes, value) ||
      !read_polynomial(m, node->in[0], depth + 1, &a)) {
    return false;
  }
  if (node->op == &tarei_op_pow) {
    return tarei_const_scalar(m->graph, node->in[1], &k) && power(&a, k, out);
  }
  if (node->op == &tarei_op_div) {
    const bool is_const = tarei_const_scalar(m->graph, node->in[1], &k) && k != 0;
    return is_const && fuse_gelu_multiply(&a, &(polynomial){.c = {1.0 / (double)k}}, out);
  }
  return read_polynomial(m, node->in[1], depth + 1, &b) && fuse_gelu_combine(node->op, &a, &b, out);
}

static bool is_near(const polynomial *const p, const double linear, const double cubic) {
  const double expected[DEGREE + 1] = {0, linear, 0, cubic};
  for (int i = 0; i <= DEGREE; i++) {
    const double tolerance = expected[i] == 0 ? 1e-6 : 1e-4 * expected[i];
    if (fabs(p->c[i] - expected[i]) > tolerance) {
      return false;
    }
  }
  return true;
}

/* 1 + f(u); *form receives the attribute "approximate". */
static bool read_one_plus(fuse_gelu_match *const m, const int value, const char **const form) {
  const tarei_node *const add = tarei_producer_is(m->graph, value, &tarei_op_add);
  if (!add) {
    return false;
  }
  const bool first = tarei_const_near(m->graph, add->in[0], 1);
  const tarei_node *const f = tarei_producer(m->graph, add->in[first]);
  polynomial u;
  if (!f || !tarei_const_near(m->graph, add->in[!first], 1) ||
      (f->op != &tarei_op_erf && f->op != &tarei_op_tanh) ||
      !tarei_pattern_add(m->graph, &m->nodes, value) ||
      !tarei_pattern_add(m->graph, &m->nodes, f->out[0]) || !read_polynomial(m, f->in[0], 0, &u)) {
    return false;
  }
  *form = f->op == &tarei_op_erf ? "none" : "tanh";
  return f->op == &tarei_op_erf ? is_near(&u, M_SQRT1_2, 0)
                                : is_near(&u, 0.7978845608, 0.7978845608 * 0.044715);
}

typedef struct fuse_gelu_product {
  double k;    /* all constant factors */
  int n_x;     /* how often x is a factor */
  int n_terms; /* other factors */
  int term;    /* the last of them */
} fuse_gelu_product;

/* Takes a product apart; what is neither x nor a constant nor a product is a term. */
static bool read_product(fuse_gelu_match *const m, const int value, const int depth,
                         fuse_gelu_product *const p) {
  const tarei_node *const node = tarei_producer(m->graph, value);
  float k;
  if (value == m->x) {
    p->n_x++;
    return true;
  }
  if (tarei_const_scalar(m->graph, value, &k)) {
    p->k *= (double)k;
    return true;
  }
  if (node && node->op == &tarei_op_mul && depth < MAX_DEPTH) {
    return tarei_pattern_add(m->graph, &m->nodes, value) &&
           read_product(m, node->in[0], depth + 1, p) && read_product(m, node->in[1], depth + 1, p);
  }
  if (node && node->op == &tarei_op_div && depth < MAX_DEPTH &&
      tarei_const_scalar(m->graph, node->in[1], &k) && k != 0) {
    p->k /= (double)k;
    return tarei_pattern_add(m->graph, &m->nodes, value) &&
           read_product(m, node->in[0], depth + 1, p);
  }
  p->n_terms++;
  p->term = value;
  return true;
}

static bool fuse_gelu_matches(fuse_gelu_match *const m, const int root, const char **const form) {
  fuse_gelu_product p = {.k = 1, .term = -1};
  return read_product(m, root, 0, &p) && p.n_x == 1 && p.n_terms == 1 && fabs(p.k - 0.5) < 5e-5 &&
         read_one_plus(m, p.term, form) && tarei_values_same_shape(m->graph, m->x, root) &&
         tarei_pattern_is_closed(m->graph, &m->nodes, root);
}

/* Values that may be x: the factors of the product, products themselves as well. */
static int list_factors(const tarei_graph *const graph, const int value, const int depth,
                        int *const list, int n, const int max) {
  const tarei_node *const node = tarei_producer(graph, value);
  const bool splits = node && (node->op == &tarei_op_mul || node->op == &tarei_op_div);
  for (int i = 0; splits && depth < 3 && i < 2; i++) {
    const int factor = node->in[i];
    if (!tarei_value_is_const(graph, factor) && n < max) {
      list[n++] = factor;
      n = list_factors(graph, factor, depth + 1, list, n, max);
    }
  }
  return n;
}

static tare_status fuse_gelu_at(tarei_graph *const graph, const int root, bool *const changed,
                                tare_error *const err) {
  int candidates[TAREI_PATTERN_MAX];
  const int n = list_factors(graph, root, 0, candidates, 0, TAREI_PATTERN_MAX);
  for (int i = 0; i < n; i++) {
    fuse_gelu_match m = {.graph = graph, .x = candidates[i]};
    const char *form;
    int node;
    if (!tarei_value_is_f32(graph, m.x) || !fuse_gelu_matches(&m, root, &form)) {
      continue;
    }
    TAREI_TRY(
        tarei_pattern_replace(graph, &m.nodes, root, &tarei_op_gelu, 20, &m.x, 1, &node, err));
    if (!tarei_attr_set_string(&graph->nodes[node], "approximate", form)) {
      return tarei_fail_memory(err, "approximate", sizeof(tarei_attr));
    }
    *changed = true;
    return TARE_OK;
  }
  return TARE_OK;
}

static tare_status fuse_gelu_run(tarei_graph *const graph, const tarei_pass_options *const options,
                                 bool *const changed, tare_error *const err) {
  (void)options;
  const int n = graph->n_nodes;
  for (int i = 0; i < n; i++) {
    const tarei_op *const op = graph->nodes[i].op;
    if (op == &tarei_op_mul || op == &tarei_op_div) {
      TAREI_TRY(fuse_gelu_at(graph, graph->nodes[i].out[0], changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_gelu = {
    .name = "fuse_gelu",
    .summary = "finds GELU written as Erf or Tanh arithmetic",
    .removes_tensors = true,
    .run = fuse_gelu_run,
};
