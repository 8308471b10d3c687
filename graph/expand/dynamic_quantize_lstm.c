/* com.microsoft DynamicQuantizeLSTM: an LSTM whose weights W [D, I, 4H] and R [D, H, 4H] are bytes;
 * X and the state are quantized when it runs, which the int8 form does with finer scales. */
#include "graph/expand/qdq.h"

enum { LSTM_INPUTS = 8, W_SCALE = 8, R_SCALE = 10 };

/* [D] or [D, 4H] as something that broadcasts to [D, K, 4H]. */
static int dynamic_quantize_lstm_spread(tarei_build *const b, const int x) {
  const int rank = x < 0 ? 0 : b->graph->values[x].rank;
  if (rank != 1 && rank != 2) {
    return x;
  }
  const int axes = tarei_build_i64s(b, (const int64_t[]){1, 2}, rank == 1 ? 2 : 1);
  return tarei_build_binary(b, "Unsqueeze", x, axes);
}

/* (weights - zero point) * scale, as LSTM has them: [D, 4H, K]. */
static int weights_of(tarei_build *const b, const int weights, const int scale) {
  const int zero = tarei_build_in(b, scale + 1);
  int w = tarei_build_cast(b, tarei_build_in(b, weights), TARE_F32);
  if (zero >= 0) {
    w = tarei_build_binary(b, "Sub", w,
                           tarei_build_cast(b, dynamic_quantize_lstm_spread(b, zero), TARE_F32));
  }
  w = tarei_build_binary(b, "Mul", w, dynamic_quantize_lstm_spread(b, tarei_build_in(b, scale)));
  w = tarei_build_unary(b, "Transpose", w);
  tarei_build_ints(b, "perm", (const int64_t[]){0, 2, 1}, 3);
  return w;
}

static tare_status dynamic_quantize_lstm_expand(tarei_graph *const graph, const int node,
                                                tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  int in[LSTM_INPUTS], out[3] = {-1, -1, -1};
  TAREI_TRY(tarei_qdq_need(&b, 07 | 1u << W_SCALE | 1u << R_SCALE, err));
  for (int i = 0; i < LSTM_INPUTS; i++) {
    in[i] = tarei_build_in(&b, i);
  }
  for (int i = 0; i < graph->nodes[node].n_out; i++) {
    out[i] = graph->nodes[node].out[i];
  }
  in[1] = weights_of(&b, 1, W_SCALE);
  in[2] = weights_of(&b, 2, R_SCALE);
  tarei_build_outputs(&b, "LSTM", in, LSTM_INPUTS, out, 3);
  if (!b.failed) {
    tarei_qdq_attrs(&b, b.last);
  }
  tarei_build_int(&b, TAREI_ATTR_DYNAMIC, 1);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_dynamic_quantize_lstm = {
    .name = "DynamicQuantizeLSTM",
    .domain = "com.microsoft",
    .min_in = 3, /* those between may be absent */
    .max_in = 12,
    .min_out = 0,
    .max_out = 3,
    .expand = dynamic_quantize_lstm_expand,
};
