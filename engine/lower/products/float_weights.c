#include "engine/lower/products/float_weights.h"

#include <string.h>

#include "base/mem.h"
#include "engine/lower/fused.h"
#include "engine/lower/products/stored_weights.h"
#include "engine/threads.h"

#define LEAST_ELEMENTS 16384             /* to be rounded: worth a thread's while */
#define BLOCK_BYTES ((size_t)256 * 1024) /* of rounded rows: they stay in L2 */
#define LEAST_ROWS 64
#define MOST_ROWS 1024

tare_status tarei_float_weights_read(const tarei_step *const step, tarei_float_weights *const out,
                                     tare_error *const err) {
  const char *const compute = tarei_attr_string(step->node, TAREI_ATTR_COMPUTE, "fp32");
  const int64_t type = tarei_attr_int(step->node, TAREI_ATTR_WEIGHT_TYPE, TARE_F32);
  out->bf16 = strcmp(compute, "bf16") == 0;
  out->type = out->bf16 ? TARE_BF16 : (tare_dtype)type;
  if (!out->bf16 && strcmp(compute, "fp32") != 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute '%s': expected fp32 or bf16, got '%s'",
                      TAREI_ATTR_COMPUTE, compute);
  }
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
      tarei_bf16_pack(from, ld, transposed, w->k, w->n, to);
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

/* --- rows ------------------------------------------------------------------------------------- */

typedef struct bf16_conversion {
  const tarei_run *run;
  const float *x;
  size_t k;
  uint16_t *to;
} bf16_conversion;

size_t tarei_bf16_row(const size_t k) {
  return tarei_round_up(k, 2);
}

static void convert_range(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  (void)thread;
  const bf16_conversion *const c = user;
  const size_t ld = tarei_bf16_row(c->k);
  c->run->kernels->to_bf16(c->x + first * c->k, c->k, end - first, c->k, c->to + first * ld, ld);
}

void tarei_bf16_rows(const tarei_run *const run, const float *const x, const size_t m,
                     const size_t k, uint16_t *const to) {
  const bf16_conversion c = {run, x, k, to};
  tarei_row_ranges(run, m, k, LEAST_ELEMENTS, convert_range, &c);
}

/* --- products --------------------------------------------------------------------------------- */

static size_t bf16_block_rows(const size_t k) {
  const size_t rows = BLOCK_BYTES / (tarei_bf16_row(k) * sizeof(uint16_t));
  return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static size_t bf16_thread_bytes(const size_t k) {
  const size_t rows = tarei_times(bf16_block_rows(k), tarei_bf16_row(k));
  return tarei_round_up(tarei_times(rows, sizeof(uint16_t)), TAREI_ALIGN);
}

static size_t thread_bytes(const tarei_float_weights *const w) {
  return w->bf16 ? bf16_thread_bytes(w->k) : w->type == TARE_F32 ? 0 : tarei_stored_scratch(w);
}

size_t tarei_float_weights_scratch(const tarei_float_weights *const w, const int threads) {
  return tarei_times(thread_bytes(w), (size_t)threads);
}

/* Blocks of nearly equal height. */
static void multiply_bf16(const tarei_f32_gemm *const g, const void *const packed,
                          const tarei_kernels *const kernels, uint16_t *const rows) {
  const size_t most = bf16_block_rows(g->k), blocks = (g->m + most - 1) / most;
  const size_t ld = tarei_bf16_row(g->k);
  for (size_t i = 0; i < blocks; i++) {
    const size_t first = g->m * i / blocks, m = g->m * (i + 1) / blocks - first;
    kernels->to_bf16(g->a + first * g->lda, g->lda, m, g->k, rows, ld);
    const tarei_bf16_gemm product = {.a = rows,
                                     .lda = ld,
                                     .m = m,
                                     .k = g->k,
                                     .n = g->n,
                                     .b = packed,
                                     .epilogue = tarei_epilogue_at(&g->epilogue, first, 0)};
    kernels->bf16_gemm(&product);
  }
}

void tarei_float_weights_gemm(const tarei_float_weights *const w, const size_t group,
                              const size_t column, const tarei_f32_gemm *const g,
                              const tarei_kernels *const kernels, void *const scratch,
                              const int thread) {
  void *const own = (char *)scratch + (size_t)thread * thread_bytes(w);
  if (w->bf16) {
    multiply_bf16(g, tarei_float_weights_at(w, group, column), kernels, own);
  } else if (w->type != TARE_F32) {
    tarei_stored_gemm(w, group, column, g, kernels, own);
  } else {
    tarei_f32_gemm product = *g;
    product.b = tarei_float_weights_at(w, group, column);
    kernels->f32_gemm(&product);
  }
}

const char *tarei_float_weights_kernel(const tarei_float_weights *const w,
                                       const tarei_kernels *const kernels) {
  return w->bf16 ? kernels->bf16_gemm_name : kernels->f32_gemm_name;
}

size_t tarei_float_weights_scales(const tarei_float_weights *const w, const int input,
                                  float *const out) {
  return input == 1 && w->scales ? tarei_stored_list_scales(w, out) : 0;
}
