/*
 * What happens to the scores of an attention between the product that makes them and their softmax:
 * factors, and masks that are added, subtracted or chosen by conditions, in any number and order.
 * One factor and one mask give the same.
 */
#ifndef TAREI_GRAPH_PASSES_ATTENTION_SCORES_H
#define TAREI_GRAPH_PASSES_ATTENTION_SCORES_H

#include "graph/passes/attention/heads.h"
#include "graph/passes/pattern.h"

typedef enum tarei_scores_kind {
  TAREI_SCORES_FACTOR,
  TAREI_SCORES_ADD,
  TAREI_SCORES_SUBTRACT,
  TAREI_SCORES_CHOOSE, /* by a condition, between the scores and a number far below them */
  TAREI_SCORES_BOUND   /* the larger one of the scores and such a number */
} tarei_scores_kind;

typedef struct tarei_scores_step {
  tarei_scores_kind kind;
  int mask;     /* what is added or subtracted, or the condition */
  bool masks;   /* the value of the condition where the number is chosen */
  float number; /* a factor, what is chosen, or the bound */
  int like;     /* a value with the dims of the scores here */
} tarei_scores_step;

enum { TAREI_SCORES_STEPS = 8 };

typedef struct tarei_scores {
  int product;         /* the value with which they begin */
  tarei_pattern nodes; /* from the softmax to the product */
  int n;
  tarei_scores_step steps[TAREI_SCORES_STEPS]; /* the last one first */
} tarei_scores;

/* Follows probabilities, the output of a softmax, back to the product; `nodes` are kept. */
bool tarei_scores_find(const tarei_graph *graph, int probabilities, tarei_scores *scores);

/* Whether the mask is that of scores [batch, heads, rows, keys], whatever axes they have where the
 * parts of the mask come to them. sizes->width is not read. */
bool tarei_scores_fit(const tarei_graph *graph, const tarei_scores *scores,
                      const tarei_heads_sizes *sizes, tarei_expr keys);

/* Product of all factors. */
float tarei_scores_factor(const tarei_scores *scores);

/* Whether the last thing that happens to them is that a condition masks them; rows that it masks
 * all over get nothing but minus infinity then. */
bool tarei_scores_empty_by(const tarei_graph *graph, tarei_scores *scores, int condition);

/* The mask for scores times their factor, which can be broadcast to [batch, heads, rows, keys], or
 * -1 where there is none. New nodes are named after `node`. */
tare_status tarei_scores_mask(tarei_graph *graph, const tarei_scores *scores,
                              const tarei_heads_sizes *sizes, tarei_expr keys, int node, int *out,
                              tare_error *err);

#endif
