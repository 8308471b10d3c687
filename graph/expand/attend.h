/*
 * Attention as products, masks and softmax: what the expansions of the operators for it share.
 * Written so that the pass fuse_attention makes one step of it again where heads lie side by side.
 */
#ifndef TAREI_GRAPH_EXPAND_ATTEND_H
#define TAREI_GRAPH_EXPAND_ATTEND_H

#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

/* [B, S, heads * d] as [B, heads, S, d], and back. d is the width of a head, or -1 where it is not
 * known. */
int tarei_attend_split_heads(tarei_build *b, int x, int64_t heads, int64_t d);
int tarei_attend_merge_heads(tarei_build *b, int x, int64_t width);

/* Length of an axis as an int64 scalar. */
int tarei_attend_length(tarei_build *b, int x, int axis);
/* The whole numbers below the length of an axis, [length]. */
int tarei_attend_positions(tarei_build *b, int x, int axis);

/* One of a few of heads for each of `heads`: [B, few, T, d] as [B, heads, T, d], neighbours alike.
 */
int tarei_attend_repeat_heads(tarei_build *b, int x, int64_t few, int64_t heads);

int tarei_attend_unsqueeze(tarei_build *b, int x, const int64_t *axes, int n);
int tarei_attend_transpose(tarei_build *b, int x, const int64_t *perm, int n);
int tarei_attend_reshape(tarei_build *b, int x, const int64_t *dims, int n);
int tarei_attend_concat(tarei_build *b, const int *parts, int n, int64_t axis);
/* Elements [from, to) along an axis; `step` apart. */
int tarei_attend_slice(tarei_build *b, int x, int64_t axis, int64_t from, int64_t to, int64_t step);

/* Both where both are there, else the one that is, else -1. */
int tarei_attend_add(tarei_build *b, int x, int y);
int tarei_attend_and(tarei_build *b, int x, int y);
/* 0 where `allowed`, else `otherwise`. */
int tarei_attend_bias_of(tarei_build *b, tare_dtype dtype, int allowed, double otherwise);

/* Keys that queries may meet, [.., S, T]: those up to their own position and `offset` (a value that
 * is broadcast, or -1) further. q, k: [.., S, d] and [.., T, d] with four axes. */
int tarei_attend_causal(tarei_build *b, int q, int k, int offset);

typedef struct tarei_attend {
  tare_dtype dtype;
  int q, k, v; /* [B, H, S, d], [B, H, T, d], [B, H, T, dv] */
  int bias;    /* added to the scores, or -1 */
  double scale;
  double softcap;                            /* 0: none */
  bool guard;                                /* rows that the bias masks all over give zeros */
  bool sinks;                                /* one more score, of no key, takes part in each row */
  int sink;                                  /* with `sinks`: broadcast to [B, H, S, 1] */
  int scores, capped, biased, probabilities; /* what comes between, for those who show it */
} tarei_attend;

/* softmax(cap(Q . K^T * scale) + bias) . V, [B, H, S, dv]. */
int tarei_attend_write(tarei_build *b, tarei_attend *a);

#endif
