#include "engine/evaluate.h"

#include <stdlib.h>

#include "base/mem.h"
#include "engine/sizes.h"
#include "engine/step.h"

/* Operands of one evaluation; arrays of n_in + n_out. */
typedef struct evaluate_operands {
  tare_tensor *tensors;
  const tare_tensor **pointers;
} evaluate_operands;

static bool constant_dims(const tarei_graph *const g, const int value, tare_tensor *const t) {
  const tarei_value *const v = &g->values[value];
  *t = (tare_tensor){.dtype = v->dtype, .rank = v->rank};
  for (int d = 0; d < v->rank; d++) {
    if (!tarei_expr_is_const(g->exprs, v->dims[d], &t->dims[d])) {
      return false;
    }
  }
  return v->rank >= 0;
}

static tare_status make_outputs(const tarei_graph *const g, const tarei_node *const node,
                                const evaluate_operands *const o, tarei_buffer **const out,
                                tare_error *const err) {
  for (int i = 0; i < node->n_out; i++) {
    if (node->out[i] < 0) {
      continue;
    }
    tare_tensor *const t = &o->tensors[node->n_in + i];
    size_t bytes;
    if (!constant_dims(g, node->out[i], t) || !tarei_sizes_bytes(t, &bytes)) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "'%s' has no constant shape",
                        g->values[node->out[i]].name);
    }
    out[i] = tarei_buffer_new(bytes);
    if (!out[i]) {
      return tarei_fail_memory(err, g->values[node->out[i]].name, bytes);
    }
    t->data = out[i]->data;
    o->pointers[node->n_in + i] = t;
  }
  return TARE_OK;
}

static tare_status evaluate_compute(tarei_step *const step, tarei_blobs *const blobs,
                                    const evaluate_operands *const o, tare_error *const err) {
  const tarei_lowering *const lowering = step->lowering;
  const tare_tensor *const *const in = o->pointers, *const *const out = in + step->node->n_in;
  TAREI_TRY(tarei_step_prepare(step, blobs, err));
  const size_t bytes = lowering->scratch ? lowering->scratch(step, in, out, 1) : 0;
  void *const scratch = tarei_alloc_aligned(bytes, 1);
  if (!scratch) {
    return tarei_fail_memory(err, "scratch", bytes);
  }
  const tarei_run run = {
      .in = in, .out = out, .scratch = scratch, .threads = 1, .kernels = step->kernels};
  const tare_status status = lowering->run(step, &run, err);
  free(scratch);
  return status;
}

void tarei_evaluation_start(tarei_evaluation *const evaluation,
                            const tarei_kernels *const kernels) {
  evaluation->kernels = kernels;
  tarei_deadline_start(&evaluation->deadline);
}

tare_status tarei_evaluate(void *const user, const tarei_graph *const g,
                           const tarei_node *const node, tarei_buffer **const out,
                           tare_error *const err) {
  if (tarei_node_body(node, 0)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "a subgraph cannot be evaluated here");
  }
  tarei_evaluation *const evaluation = user;
  const size_t n = (size_t)(node->n_in + node->n_out);
  const evaluate_operands o = {.tensors = tarei_calloc(n, sizeof *o.tensors),
                               .pointers = tarei_calloc(n, sizeof *o.pointers)};
  tarei_blobs blobs = {0};
  tarei_step step = {.lowering = tarei_lowering_of(node->op),
                     .graph = g,
                     .node = node,
                     .kernels = evaluation->kernels,
                     .n_profiles = 1};
  tare_status status = TARE_OK;
  if (!o.tensors || !o.pointers) {
    status = tarei_fail_memory(err, "operands", n * sizeof *o.tensors);
    goto done;
  }
  for (int i = 0; i < node->n_in; i++) {
    if (node->in[i] >= 0) {
      o.tensors[i] = tarei_value_tensor(g, node->in[i]);
      o.pointers[i] = &o.tensors[i];
    }
  }
  TAREI_TRY_GOTO(make_outputs(g, node, &o, out, err), done);
  TAREI_TRY_GOTO(evaluate_compute(&step, &blobs, &o, err), done);
  status = tarei_deadline_check(&evaluation->deadline, &g->limits, "folding constants takes", err);
done:
  for (int i = 0; status != TARE_OK && i < node->n_out; i++) {
    tarei_buffer_release(out[i]);
    out[i] = NULL;
  }
  tarei_step_fini(&step);
  tarei_blobs_fini(&blobs);
  free(o.tensors);
  free(o.pointers);
  return status;
}
