#include "graph/quantize/weights/weight_view.h"

#include <math.h>
#include <xxhash.h>

#include "graph/quantize/weights/weight_scale.h"

#define HASHED_AT_ONCE 256

/* Axis of the output channels; -1 where the weights are not a matrix, as those of a product of many
 * matrices. */
static int output_axis_of(const tarei_node *const node, const int rank) {
  const tarei_int8_form *const form = tarei_op_int8_form(node->op);
  if (node->op->channel_axis) {
    const int axis = node->op->channel_axis(node, rank);
    return rank > 2 && axis > 0 ? -1 : axis;
  }
  if (!form || form->activations != 1 || form->weights != 1 || rank < 2) {
    return -1;
  }
  return form->sum_first == 1 ? 0 : rank - 1;
}

/* Axis of the input channels; those that are left are taps. */
static int channel_axis_of(const tarei_node *const node, const int rank, const int output_axis) {
  const tarei_int8_form *const form = tarei_op_int8_form(node->op);
  return rank == 2 ? 1 - output_axis : form && form->windows ? rank - 1 : 1;
}

static int64_t step_of(const tare_tensor *const t, const int axis) {
  int64_t step = 1;
  for (int d = axis + 1; d < t->rank; d++) {
    step *= t->dims[d];
  }
  return step;
}

bool tarei_weight_view_of(const tarei_graph *const g, const tarei_node *const node,
                          tarei_weight_view *const out) {
  const int value = node->n_in > 1 ? node->in[1] : -1;
  const tarei_value *const v = value >= 0 ? &g->values[value] : NULL;
  const int outputs = v && v->data && v->dtype == TARE_F32 ? output_axis_of(node, v->rank) : -1;
  if (outputs < 0) {
    return false;
  }
  const tare_tensor t = tarei_value_tensor(g, value);
  const int channels = channel_axis_of(node, t.rank, outputs);
  const int last_tap = channels == t.rank - 1 ? t.rank - 2 : t.rank - 1;
  const int64_t count = tare_tensor_count(&t);
  if (count == 0) {
    return false;
  }
  const int64_t n = t.dims[outputs], k = count / n;
  *out = (tarei_weight_view){.value = value,
                             .n = n,
                             .k = k,
                             .taps = k / t.dims[channels],
                             .step_n = step_of(&t, outputs),
                             .step_c = step_of(&t, channels),
                             .step_taps = step_of(&t, last_tap)};
  return true;
}

/* W [directions, gates * hidden, inputs] of a recurrent layer. */
static bool view_input_weights(const tarei_graph *const g, const tarei_node *const node,
                               tarei_weight_view *const out) {
  const tarei_int8_form *const form = tarei_op_int8_form(node->op);
  const bool recurrent = form && form->activations == 1 && form->weights == 2;
  const tarei_value *const v = recurrent ? &g->values[node->in[1]] : NULL;
  if (!v || !v->data || v->dtype != TARE_F32) {
    return false;
  }
  const tare_tensor t = tarei_value_tensor(g, node->in[1]);
  const int64_t k = t.dims[t.rank - 1], count = tare_tensor_count(&t);
  *out = (tarei_weight_view){.value = node->in[1],
                             .n = k > 0 ? count / k : 0,
                             .k = k,
                             .taps = 1,
                             .step_n = k,
                             .step_c = 1,
                             .step_taps = k};
  return count > 0;
}

bool tarei_row_weights_of(const tarei_graph *const g, const tarei_node *const node,
                          tarei_weight_view *const out) {
  return tarei_weight_view_of(g, node, out) || view_input_weights(g, node, out);
}

uint64_t tarei_weight_view_hash(const tarei_graph *const g, const tarei_weight_view *const view) {
  const float *const w = g->values[view->value].data->data;
  const int64_t dims[] = {view->n, view->k};
  uint64_t hash = XXH64(dims, sizeof dims, 0 /* seed */);
  float some[HASHED_AT_ONCE];
  for (int64_t j = 0; j < view->n; j++) {
    for (int64_t i = 0; i < view->k; i += HASHED_AT_ONCE) {
      const int64_t left = view->k - i, n = left < HASHED_AT_ONCE ? left : HASHED_AT_ONCE;
      for (int64_t at = 0; at < n; at++) {
        some[at] = w[tarei_weight_view_at(view, j, i + at)];
      }
      hash = XXH64(some, (size_t)n * sizeof *some, hash);
    }
  }
  return hash;
}

float tarei_weight_view_scale(const float *const w, const tarei_weight_view *const view,
                              const int64_t channel) {
  float amax = 0;
  for (int64_t i = 0; i < view->k; i++) {
    const float magnitude = fabsf(w[tarei_weight_view_at(view, channel, i)]);
    amax = magnitude > amax ? magnitude : amax;
  }
  return tarei_weight_scale_of(amax);
}
