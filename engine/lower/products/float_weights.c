#include "engine/lower/products/float_weights.h"

#include "base/mem.h"
#include "engine/lower/products/bf16_products.h"
#include "engine/lower/products/stored_weights.h"

tare_status tarei_float_weights_read(const tarei_step *const step, tarei_float_weights *const out,
                                     tare_error *const err) {
  const int64_t type = tarei_attr_int(step->node, TAREI_ATTR_WEIGHT_TYPE, TARE_F32);
  TAREI_TRY(tarei_bf16_read(step->node, &out->bf16, err));
  out->type = out->bf16 ? TARE_BF16 : (tare_dtype)type;
  return type == TARE_F32 || type == TARE_F16 || type == TARE_BF16 || type == TARE_I8
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "attribute '%s': %lld is no type of weights",
                          TAREI_ATTR_WEIGHT_TYPE, (long long)type);
}

/* --- packing ---------------------------------------------------------------------------------- */

/* Bytes of the first n columns of a group; those of whole panels where others follow. */
static size_t bytes_of_columns(const tarei_float_weights *const w, const size_t n) {
  return w->bf16 ? tarei_bf16_packed_size(w->k, n)
         : w->type == TARE_F32
             ? tarei_f32_packed_size(w->k, n)
             : w->k * tarei_round_up(n, TAREI_F32_PANEL) * tare_dtype_size(w->type);
}

const void *tarei_float_weights_at(const tarei_float_weights *const w, const size_t group,
                                   const size_t column) {
  return (const char *)w->packed + group * bytes_of_columns(w, w->n) + bytes_of_columns(w, column);
}

static void pack_groups_of(const tarei_float_weights *const w, const float *const values,
                           const bool transposed, const tarei_kernels *const kernels,
                           void *const panels) {
  const size_t ld = transposed ? w->k : w->n;
  for (size_t g = 0; g < w->groups; g++) {
    const float *const from = values + g * w->k * w->n;
    void *const to = (char *)panels + g * bytes_of_columns(w, w->n);
    if (w->bf16) {
      kernels->bf16_pack(from, ld, transposed, w->k, w->n, to);
    } else {
      kernels->f32_pack(from, ld, transposed, w->k, w->n, to);
    }
  }
}

tare_status tarei_float_weights_take(tarei_float_weights *const out, const tarei_step *const step,
                                     tarei_blobs *const blobs, const float *const w,
                                     const bool transposed, tare_error *const err) {
  const bool plain = out->bf16 || out->type == TARE_F32;
  const size_t bytes = out->groups * bytes_of_columns(out, out->n);
  void *panels, *scales = NULL;
  bool fresh;
  TAREI_TRY(tarei_blobs_take(blobs, bytes, &panels, &fresh, err));
  if (out->type == TARE_I8) {
    const size_t n = tarei_stored_scales(out);
    TAREI_TRY(tarei_blobs_take(blobs, n * sizeof(float), &scales, &fresh, err));
  }
  out->packed = panels;
  out->scales = scales;
  if (fresh && plain) {
    pack_groups_of(out, w, transposed, step->kernels, panels);
  }
  return fresh && !plain ? tarei_stored_pack(out, step, w, transposed, panels, scales, err)
                         : TARE_OK;
}

/* --- products --------------------------------------------------------------------------------- */

static size_t thread_bytes(const tarei_float_weights *const w) {
  return w->bf16 ? tarei_bf16_scratch(w->k) : w->type == TARE_F32 ? 0 : tarei_stored_scratch(w);
}

size_t tarei_float_weights_scratch(const tarei_float_weights *const w, const int threads) {
  return tarei_times(thread_bytes(w), (size_t)threads);
}

void tarei_float_weights_gemm(const tarei_float_weights *const w, const size_t group,
                              const size_t column, const tarei_f32_gemm *const g,
                              const tarei_kernels *const kernels, void *const scratch,
                              const int thread) {
  void *const own = (char *)scratch + (size_t)thread * thread_bytes(w);
  if (w->bf16) {
    tarei_bf16_multiply(g, tarei_float_weights_at(w, group, column), kernels, own);
  } else if (w->type != TARE_F32) {
    tarei_stored_gemm(w, group, column, g, kernels, own);
  } else {
    tarei_f32_gemm product = *g;
    product.b = tarei_float_weights_at(w, group, column);
    kernels->f32_gemm(&product);
  }
}

bool tarei_float_weights_are_plain(const tarei_float_weights *const w) {
  return !w->bf16 && w->type == TARE_F32;
}

const char *tarei_float_weights_kernel(const tarei_float_weights *const w,
                                       const tarei_kernels *const kernels) {
  return w->bf16 ? kernels->bf16_gemm_name : tarei_stored_kernel(w, kernels);
}

size_t tarei_float_weights_scales(const tarei_float_weights *const w, const int input,
                                  float *const out) {
  return input == 1 && w->scales ? tarei_stored_list_scales(w, out) : 0;
}
