/*
 * How the axes of a tensor are made of batch, rows, heads and the elements of a head, through
 * reshapes and transposes: what tells an attention's operands apart from other products'.
 */
#ifndef TAREI_GRAPH_HEADS_H
#define TAREI_GRAPH_HEADS_H

#include "graph/passes/rewrite.h"

typedef enum tarei_heads_part {
  TAREI_HEADS_BATCH,
  TAREI_HEADS_ROWS,
  TAREI_HEADS_HEADS,
  TAREI_HEADS_WIDTH, /* elements of one head */
  TAREI_HEADS_PARTS
} tarei_heads_part;

/* Axis a holds the parts at[first[a]] .. at[first[a + 1] - 1], the outermost first. Parts of size 1
 * are in none. */
typedef struct tarei_heads {
  tarei_expr size[TAREI_HEADS_PARTS];
  int rank, first[TARE_MAX_RANK + 1];
  tarei_heads_part at[TAREI_HEADS_PARTS];
} tarei_heads;

typedef enum tarei_heads_order {
  TAREI_HEADS_OTHER,
  TAREI_HEADS_BATCH_FIRST, /* batch, rows, heads, width */
  TAREI_HEADS_ROWS_FIRST,  /* rows, batch, heads, width */
} tarei_heads_order;

/* The layout of an operand or result of a product of heads: [B, H, x, y] or [B*H, x, y] with rows and
 * width as the last axes in this order, or `turned`. False where the parts' sizes do not make the dims
 * of the value. */
bool tarei_heads_of_product(const tarei_graph *graph, int value,
                            const tarei_expr size[TAREI_HEADS_PARTS], bool turned,
                            tarei_heads *out);

/* From the output of a node that moves data to its input, and the other way. False where the node is
 * none or takes parts to pieces. */
bool tarei_heads_back(const tarei_graph *graph, const tarei_node *node, tarei_heads *heads);
bool tarei_heads_forth(const tarei_graph *graph, const tarei_node *node, tarei_heads *heads);

/* In which order the parts lie in memory. */
tarei_heads_order tarei_heads_order_of(const tarei_heads *heads);

/* Whether a value has the three axes of an order: batch and rows, and all heads as the last. */
bool tarei_heads_is_flat(const tarei_graph *graph, int value, const tarei_heads *heads,
                         tarei_heads_order order);

/* `value` as [batch, rows, heads * width], by a Reshape and a Transpose where it needs them. */
tare_status tarei_heads_flatten(tarei_graph *graph, int value, const tarei_heads *heads,
                                tarei_heads_order order, int *out, tare_error *err);
/* The same from the other end: *out is a new value [batch, rows, heads * width] of which `value`
 * is made, and takes its name over. */
tare_status tarei_heads_unflatten(tarei_graph *graph, int value, const tarei_heads *heads,
                                  tarei_heads_order order, int *out, tare_error *err);

/* A Reshape of `from` to the dims of `to`. */
tare_status tarei_add_reshape(tarei_graph *graph, int from, int to, tare_error *err);

#endif
