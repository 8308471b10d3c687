/* LayerNormalization over the dims from an axis on, written as float, u8 or both. */
#include "engine/lower/fused.h"
#include "engine/threads.h"

static size_t row_length(const tarei_step *const step, const tare_tensor *const x) {
  int64_t axis = tarei_attr_int(step->node, "axis", -1);
  axis += axis < 0 ? x->rank : 0;
  size_t n = 1;
  for (int d = (int)axis; d < x->rank; d++) {
    n *= (size_t)x->dims[d];
  }
  return n;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  for (int i = 0; i < 3; i++) {
    TARE_TRY(tarei_want_float(step, i, err));
  }
  const bool writes_bytes = tarei_attr_find(step->node, "outputs") != NULL;
  for (int o = 1; !writes_bytes && o < step->node->n_out; o++) {
    if (step->node->out[o] >= 0 && tarei_graph_count_uses(step->graph, step->node->out[o]) > 0) {
      return tarei_fail(err, TARE_E_UNSUPPORTED,
                        "its outputs Mean and InvStdDev are not supported");
    }
  }
  return tarei_fused_prepare(step, err);
}

typedef struct job {
  const tarei_run *run;
  size_t n;
  float epsilon;
  const float *gain, *shift;
  tarei_epilogue to;
} job;

static void row_range(const void *const user, const size_t first, const size_t end,
                      const int thread) {
  (void)thread;
  const job *const j = user;
  const float *const x = j->run->in[0]->data;
  for (size_t i = first; i < end; i++) {
    const tarei_epilogue to = tarei_epilogue_at(&j->to, i, 0);
    j->run->kernels->layer_norm(x + i * j->n, NULL, j->n, j->epsilon, j->gain, j->shift, to.out_f32,
                                to.out_u8, to.inv_scale, to.zero_point);
  }
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const size_t n = row_length(step, x), rows = n ? (size_t)tare_tensor_count(x) / n : 0;
  TARE_TRY(tarei_want_count(step, r, 1, (int64_t)n, err));
  TARE_TRY(tarei_want_count(step, r, 2, (int64_t)n, err));
  const job j = {.run = r,
                 .n = n,
                 .epsilon = tarei_attr_float(step->node, "epsilon", 1e-5f),
                 .gain = r->in[1]->data,
                 .shift = step->node->n_in > 2 && r->in[2] ? r->in[2]->data : NULL,
                 .to = tarei_fused_epilogue(step->state, step, r, NULL, n)};
  tarei_row_ranges(r, rows, n, 4096, row_range, &j);
  return TARE_OK;
}

static const char *kernel(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->layer_norm_name;
}

const tarei_lowering tarei_lower_layer_normalization = {
    .prepare = prepare, .run = run, .kernel = kernel};
