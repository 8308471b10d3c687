/*
 * Kernels: pointers, sizes, strides. No heap, threads, logging or tensors in here.
 *
 * Families are function types; each variant is a row in kernels/kernels.inc with the ISA it
 * needs. tarei_kernels_select fills a table with the first row of each family whose ISA mask lies
 * within the allowed features; scalar rows always exist and are the oracle.
 *
 * Every kernel of a family gives the same bits on every ISA: integer kernels because integers are
 * exact and rounding is defined once (kernels/requant.h), float kernels because the order of every
 * sum is fixed (gemm: one fused multiply-add chain over k ascending per output; reductions: 16
 * lanes, lane i sums elements i, i+16, ..., then halves are added 8, 4, 2, 1; layer_norm and
 * rms_norm: four times 16) and no contraction is left to the compiler.
 */
#ifndef TAREI_KERNELS_KERNELS_H
#define TAREI_KERNELS_KERNELS_H

#include "kernels/families/depthwise.h"
#include "kernels/families/elementwise.h"
#include "kernels/families/epilogue.h"
#include "kernels/families/fourier.h"
#include "kernels/families/gemm.h"
#include "kernels/families/isa.h"
#include "kernels/families/noise.h"
#include "kernels/families/observing.h"
#include "kernels/families/planes.h"
#include "kernels/families/recurrent.h"
#include "kernels/families/reductions.h"
#include "kernels/families/rows.h"
#include "kernels/families/winograd.h"

/* X(family, function type) */
#define TAREI_KERNEL_FAMILIES(X)                 \
  X(i8_gemm, tarei_i8_gemm_fn)                   \
  X(i8_windows, tarei_i8_gemm_fn)                \
  X(i8_pack_u8, tarei_i8_pack_u8_fn)             \
  X(f32_gemm, tarei_f32_gemm_fn)                 \
  X(f32_pack, tarei_f32_pack_fn)                 \
  X(thin_i8, tarei_thin_gemm_fn)                 \
  X(widen_i8, tarei_widen_fn)                    \
  X(widen_f16, tarei_widen_fn)                   \
  X(widen_bf16, tarei_widen_fn)                  \
  X(bf16_gemm, tarei_bf16_gemm_fn)               \
  X(to_bf16, tarei_to_bf16_fn)                   \
  X(bf16_pack, tarei_bf16_pack_fn)               \
  X(split_rows, tarei_split_rows_fn)             \
  X(split_i8, tarei_split_gemm_fn)               \
  X(split_bf16, tarei_split_gemm_fn)             \
  X(dw_conv_i8, tarei_dw_conv_fn)                \
  X(dw_conv_f32, tarei_dw_conv_fn)               \
  X(dw_planes_i8, tarei_dw_planes_fn)            \
  X(dw_planes_f32, tarei_dw_planes_fn)           \
  X(winograd_in, tarei_winograd_in_fn)           \
  X(winograd_out, tarei_winograd_out_fn)         \
  X(fourier, tarei_fourier_fn)                   \
  X(softmax, tarei_softmax_fn)                   \
  X(softmax_fused, tarei_softmax_fused_fn)       \
  X(softmax_u8, tarei_softmax_u8_fn)             \
  X(softmax_bf16, tarei_softmax_bf16_fn)         \
  X(log_softmax, tarei_log_softmax_fn)           \
  X(layer_norm, tarei_layer_norm_fn)             \
  X(rms_norm, tarei_rms_norm_fn)                 \
  X(quantize, tarei_quantize_fn)                 \
  X(quantize_lut, tarei_quantize_lut_fn)         \
  X(row_top, tarei_row_top_fn)                   \
  X(quantize_rows, tarei_quantize_rows_fn)       \
  X(quantize_windows, tarei_quantize_windows_fn) \
  X(quantize_i16, tarei_quantize_i16_fn)         \
  X(pool_max, tarei_pool_max_fn)                 \
  X(pool_max_u8, tarei_pool_max_u8_fn)           \
  X(pool_mean, tarei_pool_mean_fn)               \
  X(pool_planes_max, tarei_pool_planes_max_fn)   \
  X(pool_planes_mean, tarei_pool_planes_mean_fn) \
  X(channel_moments, tarei_channel_moments_fn)   \
  X(channel_scale, tarei_channel_scale_fn)       \
  X(direct_product, tarei_direct_product_fn)     \
  X(dots, tarei_dots_fn)                         \
  X(plane_conv, tarei_plane_conv_fn)             \
  X(plane_moments, tarei_plane_moments_fn)       \
  X(plane_scale, tarei_plane_scale_fn)           \
  X(lut_u8, tarei_lut_u8_fn)                     \
  X(dequantize, tarei_dequantize_fn)             \
  X(cast, tarei_cast_fn)                         \
  X(transpose, tarei_turn_fn)                    \
  X(places, tarei_places_fn)                     \
  X(reduce, tarei_reduce_fn)                     \
  X(arg_row, tarei_arg_row_fn)                   \
  X(arg_columns, tarei_arg_columns_fn)           \
  X(arg_beyond, tarei_arg_beyond_fn)             \
  X(act, tarei_act_fn)                           \
  X(unary, tarei_unary_fn)                       \
  X(binary, tarei_binary_fn)                     \
  X(pair, tarei_pair_fn)                         \
  X(gru_reset, tarei_gru_gates_fn)               \
  X(gru_steps, tarei_gru_steps_fn)               \
  X(gru_steps_i8, tarei_gru_steps_fn)            \
  X(gru_update, tarei_gru_gates_fn)              \
  X(lstm_update, tarei_lstm_gates_fn)            \
  X(linear_step, tarei_linear_step_fn)           \
  X(noise, tarei_noise_fn)                       \
  X(minmax, tarei_minmax_fn)                     \
  X(observe, tarei_observe_fn)

typedef struct tarei_kernels {
#define TAREI_KERNEL_SLOT(family, type) type *family;
  TAREI_KERNEL_FAMILIES(TAREI_KERNEL_SLOT)
#undef TAREI_KERNEL_SLOT
#define TAREI_KERNEL_NAME(family, type) const char *family##_name; /* of the winning row */
  TAREI_KERNEL_FAMILIES(TAREI_KERNEL_NAME)
#undef TAREI_KERNEL_NAME
#define TAREI_KERNEL_ISA(family, type) unsigned family##_isa; /* features that row needs */
  TAREI_KERNEL_FAMILIES(TAREI_KERNEL_ISA)
#undef TAREI_KERNEL_ISA
} tarei_kernels;

/* Fills the table for the features in `allowed & tarei_isa_detect()`. Never fails. */
void tarei_kernels_select(unsigned allowed, tarei_kernels *out);

/* Rows, for tests, benches and doctor. */
typedef struct tarei_kernel_row {
  const char *family, *name;
  unsigned isa; /* features it needs */
  void (*function)(void);
} tarei_kernel_row;
int tarei_kernel_rows(const tarei_kernel_row **rows); /* their number */

#endif
