/* What Attention, MultiHeadAttention and QAttention of com.microsoft have in common: masks of
 * several forms, and keys and values of earlier calls. */
#ifndef TAREI_GRAPH_EXPAND_MS_ATTENTION_FORM_H
#define TAREI_GRAPH_EXPAND_MS_ATTENTION_FORM_H

#include "graph/expand/attend.h"

/* What they have in common, as values. */
typedef struct tarei_ms_attention {
  tare_dtype dtype;
  int q, k, v;        /* four axes each */
  int past_k, past_v; /* or -1 */
  int mask, bias;     /* or -1 */
  int mask_rank;
  int64_t mask_parts; /* of a vector: 1 ends, 2 ends and starts of sequences, 3 ends and sums */
  int64_t heads, depth, width;
  double scale, masked;
  bool causal;
  int out, present_k, present_v; /* present ones: values that exist, or -2 */
} tarei_ms_attention;

tare_status tarei_ms_attention_read(const tarei_node *node, tarei_ms_attention *a, tare_error *err);

tare_status tarei_ms_attention_widths(const tarei_node *node, tarei_ms_attention *a, int64_t q,
                                      int64_t v, tare_error *err);

/* batch: that of the queries. */
tare_status tarei_ms_attention_mask(const tarei_graph *graph, const tarei_node *node, int i,
                                    tarei_expr batch, tarei_ms_attention *a, tare_error *err);

int64_t tarei_ms_attention_dim(const tarei_graph *graph, const tarei_value *v, int axis);

void tarei_ms_attention_write(tarei_build *b, tarei_ms_attention *a);

/* Half 0 or 1 of a cache [2, B, H, P, d]. */
int tarei_ms_attention_half(tarei_build *b, int cache, int64_t half);

void tarei_ms_attention_present(tarei_build *b, const tarei_ms_attention *a, int out);

#endif
