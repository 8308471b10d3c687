/* Rotary position embeddings. */
#ifndef TAREI_GRAPH_EXPAND_ROTATE_H
#define TAREI_GRAPH_EXPAND_ROTATE_H

#include "graph/expand/attend.h"

typedef struct tarei_rotate {
  int x;            /* four axes, the last with the elements of a head */
  int cosine, sine; /* broadcast to x with `size / 2` elements in the last axis */
  int64_t size;     /* elements of a head that are turned */
  int64_t depth;    /* of a head */
  bool interleaved; /* pairs are neighbours, instead of halves apart */
} tarei_rotate;

int tarei_rotate_write(tarei_build *b, const tarei_rotate *r);

#endif
