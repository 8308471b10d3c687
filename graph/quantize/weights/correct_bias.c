#include "graph/quantize/weights/correct_bias.h"

#include "graph/passes/const_data.h"
#include "graph/passes/rewrite.h"

float tarei_bias_correction(const tarei_weight_choice *const choice, const float *const w,
                            const tarei_weight_view *const view, const float scale,
                            const int64_t j) {
  double sum = 0;
  for (int64_t i = 0; i < view->k; i++) {
    const double kept = (double)tarei_chosen_weight(choice, w, view, scale, j, i) * (double)scale;
    const double lost = (double)w[tarei_weight_view_at(view, j, i)] - kept;
    sum += (double)choice->means->values[i] * lost;
  }
  return (float)sum;
}

/* The bias of a layer, NULL without one; false where it is no constant of this size. */
static bool correctable_bias(const tarei_graph *const g, const tarei_node *const node,
                             const int64_t n, const float **const out) {
  const int bias = node->n_in > 2 ? node->in[2] : -1;
  *out = NULL;
  if (bias < 0) {
    return true;
  }
  const tare_tensor t = tarei_value_tensor(g, bias);
  if (!g->values[bias].data || t.dtype != TARE_F32 || tare_tensor_count(&t) != n) {
    return false;
  }
  *out = t.data;
  return true;
}

tare_status tarei_correct_bias(tarei_graph *const g, const int node,
                               const tarei_weight_view *const view,
                               const tarei_weight_choice *const choice, tare_error *const err) {
  const float *old;
  int value;
  float *to;
  if (!correctable_bias(g, &g->nodes[node], view->n, &old)) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_const_new(g, view->value, "__corrected_bias", 1, &view->n, &value, &to, err));
  const float *const w = g->values[view->value].data->data;
  for (int64_t j = 0; j < view->n; j++) {
    const float scale = tarei_chosen_scale(choice, w, view, j);
    to[j] = (old ? old[j] : 0) + tarei_bias_correction(choice, w, view, scale, j);
  }
  TAREI_TRY(tarei_node_set_in(g, node, 2, value, err));
  return tarei_attr_set_int(&g->nodes[node], TAREI_ATTR_BIAS_CORRECTED, 1)
             ? TARE_OK
             : tarei_fail_memory(err, "layer", sizeof(tarei_attr));
}

bool tarei_bias_is_corrected(const tarei_node *const node) {
  return tarei_attr_int(node, TAREI_ATTR_BIAS_CORRECTED, 0) == 1;
}
