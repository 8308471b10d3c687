/* Rfft and Irfft of com.microsoft: DFT over the last signal_ndim axes, the last of which is one
 * side of the transform of real numbers. */
#include "graph/expand/attend.h"

typedef struct ms_fourier_form {
  int rank, signals; /* of what is real; axes that are transformed, the last ones */
  int x, out;
} ms_fourier_form;

static tare_status ms_fourier_want(const tarei_node *const node, const char *const name,
                                   const int64_t value, tare_error *const err) {
  const int64_t given = tarei_attr_int(node, name, value);
  return given == value
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "attribute '%s' is %lld: only %lld is supported",
                          name, (long long)given, (long long)value);
}

static tare_status ms_fourier_read(const tarei_graph *const graph, const int index,
                                   const bool complex, ms_fourier_form *const f,
                                   tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(ms_fourier_want(node, "normalized", 0, err));
  TAREI_TRY(ms_fourier_want(node, "onesided", 1, err));
  TAREI_TRY(tarei_ops_want_rank(x, 1 + complex, TARE_MAX_RANK - !complex, err));
  const int64_t signals = tarei_attr_int(node, "signal_ndim", 1);
  *f = (ms_fourier_form){.rank = x->rank - complex, .x = node->in[0], .out = node->out[0]};
  if (signals < 1 || signals > 3 || signals > f->rank) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'signal_ndim': expected 1..%d for '%s' of rank %d, got %lld",
                      f->rank < 3 ? f->rank : 3, x->name, x->rank, (long long)signals);
  }
  if (complex && tarei_ops_differ(graph, x->dims[x->rank - 1], tarei_expr_const(graph->exprs, 2))) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the last axis of '%s' must have length 2 (real and imaginary)", x->name);
  }
  f->signals = (int)signals;
  return TARE_OK;
}

/* A transform along an axis; `out` as in tarei_build_outputs. */
static int ms_fourier_transform(tarei_build *const b, const int x, const int axis,
                                const bool onesided, const bool inverse, const int out) {
  const int in[] = {x, -1, tarei_build_number(b, TARE_I64, axis)};
  int made = out;
  tarei_build_outputs(b, "DFT", in, 3, &made, 1);
  tarei_build_int(b, "onesided", onesided);
  tarei_build_int(b, "inverse", inverse);
  return made;
}

static tare_status expand_rfft(tarei_graph *const graph, const int index, tare_error *const err) {
  ms_fourier_form f;
  TAREI_TRY(ms_fourier_read(graph, index, false, &f, err));
  tarei_build b = tarei_build_at(graph, index);
  int x = tarei_attend_unsqueeze(&b, f.x, (const int64_t[]){f.rank}, 1);
  for (int i = 0; i < f.signals; i++) {
    x = ms_fourier_transform(&b, x, f.rank - 1 - i, i == 0, false, i == f.signals - 1 ? f.out : -2);
  }
  return tarei_build_done(&b, err);
}

static tare_status expand_irfft(tarei_graph *const graph, const int index, tare_error *const err) {
  ms_fourier_form f;
  TAREI_TRY(ms_fourier_read(graph, index, true, &f, err));
  tarei_build b = tarei_build_at(graph, index);
  int x = f.x;
  for (int i = f.signals - 1; i >= 0; i--) {
    x = ms_fourier_transform(&b, x, f.rank - 1 - i, i == 0, true, -2);
  }
  const int last = tarei_build_i64s(&b, (const int64_t[]){f.rank}, 1);
  tarei_build_into(&b, "Squeeze", (const int[]){x, last}, 2, f.out);
  return tarei_build_done(&b, err);
}

#define MS_FOURIER(id, onnx_name)     \
  const tarei_op tarei_op_ms_##id = { \
      .name = onnx_name,              \
      .domain = "com.microsoft",      \
      .min_in = 1,                    \
      .max_in = 1,                    \
      .min_out = 1,                   \
      .max_out = 1,                   \
      .expand = expand_##id,          \
  }
MS_FOURIER(rfft, "Rfft");
MS_FOURIER(irfft, "Irfft");
