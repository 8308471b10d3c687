#include "graph/passes/attention/scores.h"

#include <math.h>

#include "graph/passes/const_data.h"

/* From here on down, a number chosen in place of scores keeps them from any row that has others;
 * from the second one on, adding it to a score that is not larger gives the same. */
static const float FAR_BELOW = -1e4f, BELOW_ALL = -1e30f;

/* Scores are what the last two axes hold. */
static bool same_last_axes(const tarei_graph *const graph, const int a, const int b) {
  const tarei_value *const x = &graph->values[a], *const y = &graph->values[b];
  return x->rank >= 2 && y->rank >= 2 && x->dims[x->rank - 1] == y->dims[y->rank - 1] &&
         x->dims[x->rank - 2] == y->dims[y->rank - 2];
}

/* A number that is all that a value has. */
static bool same_number(const tarei_graph *const graph, const int value, float *const out) {
  const tarei_node *const node = tarei_producer(graph, value);
  if (node && node->op == &tarei_op_expand) {
    return same_number(graph, node->in[0], out);
  }
  return tarei_value_const_float(graph, value, out);
}

/* What is tried at a node: a step (or none), and the input that the scores come from. */
typedef struct branch {
  int from;
  bool has_step;
  tarei_scores_step step;
} branch;

enum { MOST_BRANCHES = 2 };

static bool goes_on(const tarei_graph *const graph, const int input, const int output) {
  return tarei_value_is_f32(graph, input) && tarei_producer(graph, input) &&
         tarei_values_same_shape(graph, input, output);
}

static int factor_branches(const tarei_graph *const graph, const tarei_node *const node,
                           branch *const out) {
  const bool div = node->op == &tarei_op_div;
  for (int i = 0; i < (div ? 1 : 2); i++) {
    float c;
    if (tarei_value_const_float(graph, node->in[1 - i], &c) &&
        goes_on(graph, node->in[i], node->out[0])) {
      const float factor = div ? 1.0f / c : c;
      *out = (branch){node->in[i], true, {.kind = TAREI_SCORES_FACTOR, .number = factor}};
      return isnormal(factor) && factor > 0;
    }
  }
  return 0;
}

static int sum_branches(const tarei_graph *const graph, const tarei_node *const node,
                        branch *const out) {
  const bool sub = node->op == &tarei_op_sub;
  int n = 0;
  for (int i = 0; i < (sub ? 1 : 2); i++) {
    if (goes_on(graph, node->in[i], node->out[0]) && tarei_value_is_f32(graph, node->in[1 - i])) {
      out[n++] = (branch){node->in[i],
                          true,
                          {.kind = sub ? TAREI_SCORES_SUBTRACT : TAREI_SCORES_ADD,
                           .mask = node->in[1 - i],
                           .like = node->out[0]}};
    }
  }
  return n;
}

static int choice_branches(const tarei_graph *const graph, const tarei_node *const node,
                           branch *const out) {
  for (int i = 1; i < 3; i++) {
    float low;
    if (same_number(graph, node->in[3 - i], &low) && low <= FAR_BELOW &&
        goes_on(graph, node->in[i], node->out[0])) {
      *out = (branch){node->in[i],
                      true,
                      {.kind = TAREI_SCORES_CHOOSE,
                       .mask = node->in[0],
                       .masks = i == 2,
                       .number = fminf(low, BELOW_ALL),
                       .like = node->out[0]}};
      return 1;
    }
  }
  return 0;
}

static int bound_branches(const tarei_graph *const graph, const tarei_node *const node,
                          branch *const out) {
  float low = 0, high = INFINITY;
  if (!tarei_const_clip_bound(graph, node, 1, "min", &low) || low > BELOW_ALL ||
      !tarei_const_clip_bound(graph, node, 2, "max", &high) || high < -BELOW_ALL) {
    return 0;
  }
  *out = (branch){node->in[0], true, {.kind = TAREI_SCORES_BOUND, .number = low}};
  return goes_on(graph, node->in[0], node->out[0]);
}

static int branches_of(const tarei_graph *const graph, const tarei_node *const node,
                       branch out[MOST_BRANCHES]) {
  if (tarei_is_reshape(graph, node)) {
    *out = (branch){.from = node->in[0]};
    return same_last_axes(graph, node->in[0], node->out[0]);
  }
  return node->op == &tarei_op_mul || node->op == &tarei_op_div ? factor_branches(graph, node, out)
         : node->op == &tarei_op_add || node->op == &tarei_op_sub ? sum_branches(graph, node, out)
         : node->op == &tarei_op_where ? choice_branches(graph, node, out)
         : node->op == &tarei_op_clip  ? bound_branches(graph, node, out)
                                       : 0;
}

static bool add_step(tarei_scores *const s, const tarei_scores_step step) {
  if (s->n == TAREI_SCORES_STEPS) {
    return false;
  }
  s->steps[s->n++] = step;
  return true;
}

/* Tries one operand of a sum after the other: the first one that leads to a product has scores. No
 * more than TAREI_PATTERN_MAX deep, as the pattern grows with every call. */
static bool find_product(const tarei_graph *const graph, const int value, tarei_scores *const s) {
  branch ways[MOST_BRANCHES];
  if (!tarei_pattern_add(graph, &s->nodes, value)) {
    return false;
  }
  const tarei_node *const node = tarei_producer(graph, value);
  s->product = value;
  if (node->op == &tarei_op_matmul) {
    return true;
  }
  const int n = branches_of(graph, node, ways), steps = s->n, nodes = s->nodes.n;
  for (int i = 0; i < n; i++) {
    s->n = steps;
    s->nodes.n = nodes;
    if ((!ways[i].has_step || add_step(s, ways[i].step)) && find_product(graph, ways[i].from, s)) {
      return true;
    }
  }
  return false;
}

bool tarei_scores_find(const tarei_graph *const graph, const int probabilities,
                       tarei_scores *const scores) {
  const tarei_node *const node = tarei_producer(graph, probabilities);
  if (!node) {
    return false;
  }
  const bool scaled = node->op == &tarei_op_scaled_softmax;
  const int64_t axis = tarei_attr_int(node, "axis", node->opset < 13 ? 1 : -1);
  if ((!scaled && (node->op != &tarei_op_softmax ||
                   (axis != -1 && axis != graph->values[node->in[0]].rank - 1))) ||
      !tarei_pattern_add(graph, &scores->nodes, probabilities)) {
    return false;
  }
  scores->n = 0;
  if (scaled && node->n_in > 1) {
    (void)add_step(
        scores,
        (tarei_scores_step){.kind = TAREI_SCORES_ADD, .mask = node->in[1], .like = probabilities});
  }
  if (scaled) {
    (void)add_step(scores, (tarei_scores_step){.kind = TAREI_SCORES_FACTOR,
                                               .number = tarei_attr_float(node, "scale", 1)});
  }
  return find_product(graph, node->in[0], scores);
}

float tarei_scores_factor(const tarei_scores *const scores) {
  float factor = 1;
  for (int i = 0; i < scores->n; i++) {
    factor *= scores->steps[i].kind == TAREI_SCORES_FACTOR ? scores->steps[i].number : 1;
  }
  return factor;
}

/* A mask that is a Where is as good as its condition. */
static bool scores_chosen_by(const tarei_graph *const graph, const tarei_scores_step *const step,
                             const int condition) {
  if (step->kind == TAREI_SCORES_CHOOSE) {
    return step->masks && step->mask == condition;
  }
  const tarei_node *const where =
      step->kind == TAREI_SCORES_ADD ? tarei_producer_is(graph, step->mask, &tarei_op_where) : NULL;
  float low, kept;
  return where && where->in[0] == condition && same_number(graph, where->in[1], &low) &&
         same_number(graph, where->in[2], &kept) && low <= FAR_BELOW && kept == 0;
}

bool tarei_scores_empty_by(const tarei_graph *const graph, tarei_scores *const scores,
                           const int condition) {
  if (scores->n == 0 || !scores_chosen_by(graph, &scores->steps[0], condition)) {
    return false;
  }
  scores->steps[0] = (tarei_scores_step){.kind = TAREI_SCORES_CHOOSE,
                                         .mask = condition,
                                         .masks = true,
                                         .number = -INFINITY,
                                         .like = scores->steps[0].like};
  return true;
}
