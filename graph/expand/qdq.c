#include "graph/expand/qdq.h"

#include <string.h>

tare_status tarei_qdq_need(const tarei_build *const b, const unsigned needed,
                           tare_error *const err) {
  for (int i = 0; needed >> i; i++) {
    if ((needed >> i & 1) && tarei_build_in(b, i) < 0) {
      return tarei_fail(err, TARE_E_MODEL, "input %d is missing", i);
    }
  }
  return TARE_OK;
}

tarei_qdq tarei_qdq_in(const tarei_build *const b, const int i) {
  return (tarei_qdq){tarei_build_in(b, i), tarei_build_in(b, i + 1), tarei_build_in(b, i + 2)};
}

tarei_qdq tarei_qdq_scale(const tarei_build *const b, const int i) {
  return (tarei_qdq){-1, tarei_build_in(b, i), tarei_build_in(b, i + 1)};
}

/* (x - zero) * scale by arithmetic, for scales that broadcast. */
static int read_broadcast(tarei_build *const b, const tarei_qdq x) {
  const int one = tarei_build_number(b, TARE_F32, 1);
  int real = tarei_build_binary(b, "DequantizeLinear", x.value, one);
  if (x.zero >= 0) {
    const int zero = tarei_build_binary(b, "DequantizeLinear", x.zero, one);
    real = tarei_build_binary(b, "Sub", real, zero);
  }
  return tarei_build_binary(b, "Mul", real, x.scale);
}

int tarei_qdq_read(tarei_build *const b, const tarei_qdq x, const int axis) {
  if (b->failed) { /* a scale may be no value then */
    return -1;
  }
  if (b->graph->values[x.scale].rank > 1) {
    return read_broadcast(b, x);
  }
  const int real = tarei_build_node(b, "DequantizeLinear", (const int[]){x.value, x.scale, x.zero},
                                    x.zero < 0 ? 2 : 3);
  tarei_build_int(b, "axis", axis);
  return real;
}

void tarei_qdq_write(tarei_build *const b, const int x, const tarei_qdq y, const int like) {
  const int in[] = {x, y.scale, y.zero};
  tarei_build_into(b, "QuantizeLinear", in, y.zero < 0 ? 2 : 3, b->graph->nodes[b->node].out[0]);
  tarei_build_int(b, "axis", -1);
  if (y.zero < 0) {
    tarei_build_int(b, "output_dtype", b->graph->values[like].dtype);
  }
}

int tarei_qdq_unary(tarei_build *const b, const char *const op) {
  const tarei_qdq x = tarei_qdq_in(b, 0);
  const int y = tarei_build_unary(b, op, tarei_qdq_read(b, x, -1));
  const int node = b->last;
  tarei_qdq_write(b, y, tarei_qdq_scale(b, 3), x.value);
  return b->failed ? -1 : node;
}

void tarei_qdq_attrs(tarei_build *const b, const int to) {
  for (int i = 0; !b->failed && i < b->graph->nodes[b->node].n_attrs; i++) {
    const tarei_attr *const a = &b->graph->nodes[b->node].attrs[i];
    const bool own = strcmp(a->name, "channels_last") == 0 || strcmp(a->name, "opset") == 0;
    b->failed = !own && !tarei_attr_copy(&b->graph->nodes[to], a);
  }
}

/* x, of as many axes as the node's input 0, with its channels moved to the last axis or to axis 1.
 */
static int move_channels(tarei_build *const b, const int x, const bool last) {
  const int rank = b->graph->values[tarei_build_in(b, 0)].rank;
  int64_t perm[TARE_MAX_RANK] = {0};
  for (int i = 1; i < rank; i++) {
    const int from = last ? i + 1 : i - 1;
    perm[i] = from == 0 ? rank - 1 : from == rank ? 1 : from;
  }
  const int moved = tarei_build_unary(b, "Transpose", x);
  tarei_build_ints(b, "perm", perm, rank);
  return moved;
}

int tarei_qdq_channels_first(tarei_build *const b, const int x, const bool yes) {
  return yes ? move_channels(b, x, false) : x;
}

int tarei_qdq_channels_last(tarei_build *const b, const int x, const bool yes) {
  return yes ? move_channels(b, x, true) : x;
}
