#include "engine/step.h"

#include <stdlib.h>

#include "base/mem.h"

const tarei_lowering *tarei_lowering_of(const tarei_op *const op) {
  static const tarei_lowering *const table[TAREI_OP_COUNT] = {
#define TAREI_OP(id) [TAREI_OP_##id] = &tarei_lower_##id,
#include "graph/ops.inc"
#undef TAREI_OP
  };
  return table[tarei_op_id_of(op)];
}

bool tarei_node_packs(const tarei_graph *const graph, const tarei_node *const node, const int i) {
  const tarei_value *const v = node->in[i] < 0 ? NULL : &graph->values[node->in[i]];
  const tarei_lowering *const lowering = tarei_lowering_of(node->op);
  return v && v->data && v->dtype == TARE_F32 && i < 32 && lowering && (lowering->packs >> i & 1u);
}

tare_status tarei_step_prepare(tarei_step *const step, tarei_blobs *const blobs,
                               tare_error *const err) {
  const tarei_lowering *const lowering = step->lowering;
  const size_t bytes =
      tarei_plus(lowering->state_bytes,
                 tarei_times((size_t)step->n_profiles, lowering->state_bytes_per_profile));
  step->state = bytes ? tarei_calloc(1, bytes) : NULL;
  if (bytes && !step->state) {
    return tarei_fail_memory(err, step->node->name, bytes);
  }
  return lowering->prepare ? lowering->prepare(step, blobs, err) : TARE_OK;
}

void tarei_step_fini(tarei_step *const step) {
  free(step->state);
  free(step->measured);
}

size_t tarei_step_scratch_bytes(const tarei_step *const step,
                                const tare_tensor *const *const operands, const int threads) {
  return step->lowering->scratch
             ? step->lowering->scratch(step, operands, operands + step->node->n_in, threads)
             : 0;
}
