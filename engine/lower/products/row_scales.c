#include "engine/lower/products/row_scales.h"

#include "base/mem.h"
#include "engine/lower/fused.h"

/* Of a block: its bytes stay in L2 until the product reads them, and the weights are read anew for
 * each block. */
#define BLOCK_BYTES ((size_t)192 * 1024)
#define LEAST_ROWS 64
#define MOST_ROWS 1024

int32_t tarei_float_rows_zero_point(const tarei_node *const layer) {
  const bool wide = tarei_attr_int(layer, TAREI_ATTR_ACTIVATION_BITS, 8) == 16;
  return !wide && tarei_attr_int(layer, TAREI_ATTR_UNSIGNED_ROWS, 0) ? 0 : TAREI_SYMMETRIC;
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* Short rows lie closer: what a step of a kernel reads beyond them does not matter. */
size_t tarei_row_bytes_stride(const size_t k) {
  return tarei_round_up(k, k < TAREI_ALIGN ? TAREI_ALIGN / 4 : TAREI_ALIGN);
}

/* Of a plane, with what a product may read behind its last row. */
static size_t plane_size(const size_t m, const size_t lda) {
  return tarei_round_up(tarei_plus(tarei_times(m, lda), TAREI_ALIGN), TAREI_ALIGN);
}

size_t tarei_row_bytes_size(const tarei_row_form form, const size_t m, const size_t lda) {
  const size_t scales = form.scale > 0 ? 0 : tarei_times(m, sizeof(float));
  return tarei_plus(tarei_times(plane_size(m, lda), form.sixteen ? 2 : 1),
                    tarei_round_up(scales, TAREI_ALIGN));
}

tarei_row_bytes tarei_row_bytes_in(const tarei_row_form form, void *const memory, const size_t m,
                                   const size_t lda) {
  const size_t plane = plane_size(m, lda);
  tarei_row_bytes rows = {.upper = memory, .lda = lda};
  rows.lower = form.sixteen ? rows.upper + plane : NULL;
  rows.scales =
      form.scale > 0 ? NULL : (float *)(void *)(rows.upper + (form.sixteen ? 2 : 1) * plane);
  return rows;
}

tarei_row_bytes tarei_row_bytes_from(const tarei_row_bytes *const rows, const size_t first) {
  const size_t at = first * rows->lda;
  return (tarei_row_bytes){.upper = rows->upper + at,
                           .lower = rows->lower ? rows->lower + at : NULL,
                           .lda = rows->lda,
                           .scales = rows->scales ? rows->scales + first : NULL,
                           .add = rows->add};
}

/* Rows that overlap have magnitudes in common. */
static void fill_bytes(const tarei_row_bytes *const rows, const int32_t zero_point,
                       const float *const x, const size_t ldx, const size_t m, const size_t k,
                       const tarei_kernels *const kernels) {
  if (ldx >= k) {
    kernels->quantize_rows(x, ldx, m, k, rows->upper, rows->lda, rows->scales, zero_point);
    return;
  }
  const size_t first = 0;
  const tarei_window_rows windows = {.x = x,
                                     .ldx = ldx,
                                     .m = m,
                                     .parts = 1,
                                     .part = k,
                                     .at = &first,
                                     .out = rows->upper,
                                     .ldo = rows->lda,
                                     .scales = rows->scales,
                                     .zero_point = zero_point};
  kernels->quantize_windows(&windows);
}

void tarei_row_bytes_fill(const tarei_row_form form, const tarei_row_bytes *const rows,
                          const float *const x, const size_t ldx, const size_t m, const size_t k,
                          const tarei_kernels *const kernels) {
  if (!form.sixteen) {
    fill_bytes(rows, form.zero_point, x, ldx, m, k, kernels);
    return;
  }
  const tarei_i16_rows all = {.x = x,
                              .ldx = ldx,
                              .m = m,
                              .k = k,
                              .upper = rows->upper,
                              .lower = rows->lower,
                              .ldo = rows->lda,
                              .scales = rows->scales,
                              .inv_scale = rows->scales ? 0 : 1.0f / form.scale,
                              .offset = form.offset};
  kernels->quantize_i16(&all);
}

void tarei_row_bytes_gemm(const tarei_row_bytes *const rows, const tarei_i8_gemm *const product,
                          const tarei_kernels *const kernels, void *const sums) {
  tarei_i8_gemm g = *product;
  g.a = rows->upper;
  g.lda = rows->lda;
  g.epilogue.row_mult = rows->scales;
  if (rows->lower) {
    tarei_i16_gemm(kernels, &g, rows->lower, sums);
  } else {
    kernels->i8_gemm(&g);
  }
}

size_t tarei_row_sums_size(const tarei_row_form form) {
  return form.sixteen ? TAREI_I16_SUMS * sizeof(float) : 0;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static size_t row_scales_block_rows(const size_t k) {
  const size_t rows = BLOCK_BYTES / tarei_row_bytes_stride(k) / LEAST_ROWS * LEAST_ROWS;
  return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static size_t row_scales_thread_bytes(const tarei_row_form form, const size_t k) {
  return tarei_plus(tarei_row_bytes_size(form, row_scales_block_rows(k), tarei_row_bytes_stride(k)),
                    tarei_row_sums_size(form));
}

size_t tarei_row_scales_scratch(const tarei_row_form form, const size_t k, const int threads) {
  return tarei_times(row_scales_thread_bytes(form, k), (size_t)threads);
}

/* Blocks of nearly equal height. */
void tarei_row_scales_gemm(const tarei_row_form form, const tarei_i8_gemm *const product,
                           const float *const x, const size_t ldx, const size_t m,
                           const tarei_kernels *const kernels, void *const scratch,
                           const int thread) {
  const size_t k = product->k, lda = tarei_row_bytes_stride(k), most = row_scales_block_rows(k);
  const size_t blocks = (m + most - 1) / most;
  char *const sums = (char *)scratch + (size_t)thread * row_scales_thread_bytes(form, k);
  const tarei_row_bytes rows =
      tarei_row_bytes_in(form, sums + tarei_row_sums_size(form), most, lda);
  for (size_t i = 0; i < blocks; i++) {
    const size_t first = m * i / blocks;
    tarei_i8_gemm g = *product;
    g.m = m * (i + 1) / blocks - first;
    g.epilogue = tarei_epilogue_at(&product->epilogue, first, 0);
    tarei_row_bytes_fill(form, &rows, x + first * ldx, ldx, g.m, k, kernels);
    tarei_row_bytes_gemm(&rows, &g, kernels, sums);
  }
}
