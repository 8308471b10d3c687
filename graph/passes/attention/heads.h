/*
 * How the axes of a tensor are made of batch, rows, heads and the elements of a head, through
 * reshapes and transposes, through what repeats heads, and through what takes one of several
 * tensors that lie beside one another: what tells an attention's operands apart from other
 * products'.
 */
#ifndef TAREI_GRAPH_PASSES_ATTENTION_HEADS_H
#define TAREI_GRAPH_PASSES_ATTENTION_HEADS_H

#include "graph/passes/rewrite.h"

typedef enum tarei_heads_part {
  TAREI_HEADS_BATCH,
  TAREI_HEADS_ROWS,
  TAREI_HEADS_HEADS,
  TAREI_HEADS_REPEATS, /* heads beside one another, where an axis holds only some of them */
  TAREI_HEADS_WIDTH,   /* elements of one head */
  TAREI_HEADS_PICK,    /* tensors of which this is one, e.g. Q, K and V of one product */
  TAREI_HEADS_PARTS
} tarei_heads_part;

/* Axis a holds the parts at[first[a]] .. at[first[a + 1] - 1], the outermost first. Parts of size 1
 * are in none. */
typedef struct tarei_heads {
  tarei_expr size[TAREI_HEADS_PARTS];
  int rank, first[TARE_MAX_RANK + 1];
  tarei_heads_part at[TAREI_HEADS_PARTS];
  int64_t picked; /* which of the tensors */
} tarei_heads;

/* Number of parts in axes. */
static inline int tarei_heads_count(const tarei_heads *const heads) {
  return heads->first[heads->rank];
}

bool tarei_length_is_one(const tarei_graph *graph, tarei_expr length);

/* The better ones last. A pick may lie between. */
typedef enum tarei_heads_order {
  TAREI_HEADS_OTHER,
  TAREI_HEADS_ROWS_FIRST,  /* rows, batch, heads, width */
  TAREI_HEADS_BATCH_FIRST, /* batch, rows, heads, width */
} tarei_heads_order;

typedef struct tarei_heads_sizes {
  tarei_expr batch, rows, heads, width;
} tarei_heads_sizes;

/* The layout of an operand or result of a product of heads: [B, H.., x, y] or [B*H, x, y] with rows
 * and width as the last axes in this order, or `turned`. False where the parts' sizes do not make
 * the dims of the value. */
bool tarei_heads_of_product(const tarei_graph *graph, int value, const tarei_heads_sizes *sizes,
                            bool turned, tarei_heads *out);

/* From the output of a node that moves data to its input, and the other way. False where the node
 * is none or takes parts to pieces. */
bool tarei_heads_back(const tarei_graph *graph, const tarei_node *node, tarei_heads *heads);
bool tarei_heads_forth(const tarei_graph *graph, const tarei_node *node, tarei_heads *heads);

/* From the output of a node that repeats each head, or the only one, to its input, which has fewer
 * heads. False where the node does anything else. */
bool tarei_heads_back_repeats(const tarei_graph *graph, const tarei_node *node, tarei_heads *heads);
/* From `value`, an equal part or an entry of the input of a node, to that input. False where it is
 * neither, or was picked already. */
bool tarei_heads_back_pick(const tarei_graph *graph, const tarei_node *node, int value,
                           tarei_heads *heads);

/* In which order the parts lie in memory. */
tarei_heads_order tarei_heads_order_of(const tarei_heads *heads);

/* Whether a value is [batch, rows, heads * width]. */
bool tarei_heads_is_flat(const tarei_graph *graph, int value, const tarei_heads *heads);

/* `value` as [batch, rows, heads * width], by what reshapes, picks and transposes it, where it
 * needs that. */
tare_status tarei_heads_flatten(tarei_graph *graph, int value, const tarei_heads *heads, int *out,
                                tare_error *err);
/* The same from the other end: *out is a new value [batch, rows, heads * width] of which `value`
 * is made, and takes its name over. */
tare_status tarei_heads_unflatten(tarei_graph *graph, int value, const tarei_heads *heads, int *out,
                                  tare_error *err);
/* [batch, rows, few * width] with each head `repeats` times, neighbours alike. */
tare_status tarei_heads_repeat(tarei_graph *graph, int value, const tarei_heads *heads,
                               int64_t repeats, int *out, tare_error *err);

#endif
