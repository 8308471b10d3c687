/* ConvLast along one axis whose constant weights are a Fourier transform under a window, as
 * exporters write spectra, says so: a float layer then runs as transforms. */
#include "graph/ir/internal_attrs.h"
#include "graph/ops/conv/fourier_basis.h"
#include "graph/passes/passes.h"

#define LEAST_GAIN 4 /* in operations; a product reaches more of them in a second */

/* Whether the taps of each output lie side by side, on one channel. w receives [outputs][taps]. */
static const float *spectrum_weights(const tarei_graph *const graph, const tarei_node *const node,
                                     size_t *const outputs, size_t *const taps) {
  const int value = node->op == &tarei_op_conv_last ? node->in[1] : -1;
  if (value < 0 || !tarei_value_is_const(graph, value) ||
      graph->values[value].dtype != TARE_F32 || graph->values[value].rank != 3 ||
      tarei_attr_int(node, "group", 1) != 1) {
    return NULL;
  }
  const tare_tensor w = tarei_value_tensor(graph, value);
  int n;
  const int64_t *const dilations = tarei_attr_ints(node, "dilations", &n);
  *outputs = (size_t)w.dims[0];
  *taps = (size_t)w.dims[1];
  return w.dims[2] == 1 && (!dilations || dilations[0] == 1) ? w.data : NULL;
}

/* The length of the transform that weights are, 0 if none or one that takes longer than products.
 */
static int64_t spectrum_length(const tarei_graph *const graph, const tarei_node *const node) {
  size_t outputs, taps;
  const float *const w = spectrum_weights(graph, node, &outputs, &taps);
  tarei_fourier_basis basis;
  if (!w || !tarei_fourier_basis_find(w, outputs, taps, &basis)) {
    return 0;
  }
  const size_t n = basis.n;
  tarei_fourier_basis_free(&basis);
  const double products = (double)outputs * (double)taps;
  return LEAST_GAIN * tarei_fourier_cost(n, outputs) < products ? (int64_t)n : 0;
}

static tare_status find_spectra_run(tarei_graph *const graph,
                                    const tarei_pass_options *const options, bool *const changed,
                                    tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    tarei_node *const node = &graph->nodes[i];
    const int64_t before = node->op ? tarei_attr_int(node, TAREI_ATTR_FOURIER, 0) : 0;
    const int64_t length = node->op ? spectrum_length(graph, node) : 0;
    if (length == before) {
      continue;
    }
    *changed = true;
    if (length == 0) {
      tarei_attr_remove(node, TAREI_ATTR_FOURIER);
    } else if (!tarei_attr_set_int(node, TAREI_ATTR_FOURIER, length)) {
      return tarei_fail_memory(err, "length of a transform", sizeof(tarei_attr));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_find_spectra = {
    .name = "find_spectra",
    .summary = "finds convolutions whose weights are a Fourier transform",
    .run = find_spectra_run,
};
