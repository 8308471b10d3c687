/* Multinomial: for each number drawn, the first class at which the sum of the probabilities of a
 * row exceeds it. Input: logits. */
#include <math.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/lower/random/draw.h"
#include "graph/noise_name.h"

static tare_status multinomial_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                       tare_error *const err) {
  (void)blobs;
  const tare_dtype in = step->graph->values[step->node->in[0]].dtype,
                   out = step->graph->values[step->node->out[0]].dtype;
  *(tarei_draw *)step->state = (tarei_draw){
      .kind = TAREI_NOISE_WORDS, .name = (uint64_t)tarei_noise_name_of(step->graph, step->node)};
  if (in != TARE_F32 && in != TARE_F64) {
    return tarei_refuse_dtype(in, err);
  }
  return out == TARE_I32 || out == TARE_I64 ? TARE_OK : tarei_refuse_dtype(out, err);
}

/* Sums of a row, its probabilities, and all words. */
static size_t multinomial_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                                  const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)threads;
  const size_t row = tarei_times((size_t)in[0]->dims[1], sizeof(double) + sizeof(float));
  return tarei_plus(row, tarei_times((size_t)tare_tensor_count(out[0]), sizeof(uint32_t)));
}

static double logit_at(const tare_tensor *const x, const size_t i) {
  return x->dtype == TARE_F64 ? ((const double *)x->data)[i] : (double)((const float *)x->data)[i];
}

/* The sums of e^(x - max) up to each class; false if there is no largest logit, or no finite one.
 */
static bool multinomial_sums(const tarei_run *const r, const size_t row, const size_t n,
                             double *const sums) {
  float *const p = (float *)(sums + n);
  double most = -INFINITY, sum = 0;
  for (size_t i = 0; i < n; i++) {
    const double x = logit_at(r->in[0], row * n + i);
    if (isnan(x)) {
      return false;
    }
    most = x > most ? x : most;
  }
  if (isinf(most)) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    p[i] = (float)(logit_at(r->in[0], row * n + i) - most);
  }
  r->kernels->unary(TAREI_UNARY_exp, 0, 0, p, n, p);
  for (size_t i = 0; i < n; i++) {
    sum += (double)p[i];
    sums[i] = sum;
  }
  return true;
}

/* The first class whose sum exceeds x, which is below the last sum. */
static size_t class_of(const double *const sums, const size_t n, const double x) {
  size_t first = 0, end = n - 1;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (sums[middle] > x) {
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

static tare_status multinomial_run(const tarei_step *const step, const tarei_run *const r,
                                   tare_error *const err) {
  const size_t rows = (size_t)r->out[0]->dims[0], columns = (size_t)r->out[0]->dims[1];
  const size_t n = (size_t)r->in[0]->dims[1];
  double *const sums = r->scratch;
  uint32_t *const words = (uint32_t *)((float *)(sums + n) + n);
  tarei_draw_rows(step->state, r, rows, columns, words);
  for (size_t row = 0; row < rows && columns; row++) {
    if (!multinomial_sums(r, row, n, sums)) {
      return tarei_fail(
          err, TARE_E_INPUT,
          "row %zu of the logits has no class to draw: expected no NaN, and a largest "
          "one that is finite",
          row);
    }
    for (size_t i = row * columns; i < (row + 1) * columns; i++) {
      const size_t drawn = class_of(sums, n, ((double)words[i] + 0.5) * 0x1p-32 * sums[n - 1]);
      if (r->out[0]->dtype == TARE_I64) {
        ((int64_t *)r->out[0]->data)[i] = (int64_t)drawn;
      } else {
        ((int32_t *)r->out[0]->data)[i] = (int32_t)drawn;
      }
    }
  }
  return TARE_OK;
}

TAREI_KERNEL_OF(multinomial_kernel, noise)

const tarei_lowering tarei_lower_multinomial = {.state_bytes = sizeof(tarei_draw),
                                                .prepare = multinomial_prepare,
                                                .scratch = multinomial_scratch,
                                                .run = multinomial_run,
                                                .kernel = multinomial_kernel};
