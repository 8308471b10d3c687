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
 * lanes, lane i sums elements i, i+16, ..., then halves are added 8, 4, 2, 1; layer_norm and rms_norm:
 * four times 16) and no contraction is left to the compiler.
 */
#ifndef TAREI_KERNELS_KERNELS_H
#define TAREI_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tare/tensor.h>

/* --- CPU features ----------------------------------------------------------------------------- */
typedef enum tarei_isa {
  TAREI_ISA_SCALAR = 0,
  TAREI_ISA_AVX2 = 1u << 0,        /* with FMA */
  TAREI_ISA_AVXVNNI = 1u << 1,
  TAREI_ISA_AVX512 = 1u << 2,      /* F, BW, VL, DQ */
  TAREI_ISA_AVX512VNNI = 1u << 3,
  TAREI_ISA_AVX512VBMI = 1u << 4,
  TAREI_ISA_AMXBF16 = 1u << 5,
  TAREI_ISA_AMXINT8 = 1u << 6,
  TAREI_ISA_NEON = 1u << 7,
  TAREI_ISA_NEONDOT = 1u << 8,     /* sdot, udot */
  TAREI_ISA_NEONI8MM = 1u << 9,    /* usdot */
  TAREI_ISA_ALL = ~0u,
} tarei_isa;

unsigned tarei_isa_detect(void);               /* CPU and operating system; cached, thread-safe */
const char *tarei_isa_name(unsigned one_bit);  /* "avx512vnni"; "scalar" for 0 */
/* Mask for a list like "scalar", "avx2", "avx512vnni" or "native": the named ISA and all it
 * implies. False when a name is unknown. */
bool tarei_isa_parse(const char *text, unsigned *mask);
const char *tarei_isa_choices(void); /* "scalar, avx2, ...", what parse knows, for messages */

/* --- epilogue: what happens to an accumulator before it is stored ----------------------------- */
typedef enum tarei_act {
#define TAREI_ACTIVATION(id, expression) TAREI_ACT_##id,
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION
  TAREI_ACT_COUNT
} tarei_act;
const char *tarei_act_name(tarei_act act);     /* "none", "relu", "gelu", "gelu_tanh", ... */
bool tarei_act_parse(const char *text, tarei_act *act);

/* f = act(acc as float [+ 256 * upper[m][n], in one rounding] [* mult[n]] [* row_mult[m]] [+ bias[n]]) [+ residual[m][n]], or with act_last
 * act(... [+ residual[m][n]]);
 * out_f32 = f;  out_u8 = [table of] saturate_u8(round_half_even(f * inv_scale) + zero_point). Steps
 * in this order, each a single rounding. At least one output is set. A u8 residual r counts as
 * (r - residual_zero_point) * residual_scale. */
typedef struct tarei_epilogue {
  const float *upper;      /* [m][n] with stride ld_upper, within 2^31, or NULL: see tarei_i16_gemm */
  size_t ld_upper;         /* elements */
  const float *mult;       /* [n], NULL for float accumulators */
  const float *row_mult;   /* [m], or NULL */
  const float *bias;       /* [n], or NULL; added in float */
  tarei_act act;
  float act_a, act_b;
  bool act_last;
  const float *residual;   /* [m][n] with stride ld_residual, or NULL */
  const uint8_t *residual_u8; /* the same as bytes, or NULL; not both */
  size_t ld_residual;      /* elements */
  float residual_scale;
  int32_t residual_zero_point;
  float *out_f32;          /* [m][n] with stride ld_f32, or NULL */
  size_t ld_f32;
  uint8_t *out_u8;         /* [m][n] with stride ld_u8, or NULL */
  size_t ld_u8;
  float inv_scale;         /* 1 / scale of out_u8 */
  int32_t zero_point;      /* of out_u8, 0..255 */
  const uint8_t *table;    /* [256], what becomes of each byte of out_u8, or NULL */
} tarei_epilogue;

/* The same epilogue for the block that begins at a row and column. */
tarei_epilogue tarei_epilogue_at(const tarei_epilogue *epilogue, size_t row, size_t column);

/* --- int8 gemm: u8 x s8 -> s32 -> epilogue ---------------------------------------------------- */
/* Panels of 32 columns by 4 k: packed[p][k/4][32][4], zero-filled beyond K and N. One layout for
 * every ISA, so that plan files move between machines. */
#define TAREI_I8_PANEL 32
size_t tarei_i8_packed_size(size_t k, size_t n); /* bytes */
/* Packs w[k][n] (row stride ldw; `transposed`: w[n][k]) and gives the column sums for all padded
 * columns. */
void tarei_i8_pack(const int8_t *w, size_t ldw, bool transposed, size_t k, size_t n,
                   int8_t *packed, int32_t *column_sums);
/* The same from u8 activations of zero point zp: stores x - zp as s8 (zp 128), for products of two
 * activations. Values must lie in [zp-128, zp+127]. */
typedef void tarei_i8_pack_u8_fn(const uint8_t *x, size_t ldx, bool transposed, size_t k, size_t n,
                                 int32_t zp, int8_t *packed, int32_t *column_sums);

typedef struct tarei_i8_gemm {
  const uint8_t *a;   /* [m][k], row stride lda bytes; up to 3 bytes beyond a row's k are read */
  size_t lda;
  size_t m, k, n;
  size_t parts;       /* of a row, of equal lengths in fours, part_step bytes apart; 0: one */
  size_t part_step;
  const int8_t *b;    /* packed, 64-byte aligned */
  const int32_t *add; /* [n rounded up to 32]: bias - zero_point(a) * column sum; never NULL */
  tarei_epilogue epilogue;
} tarei_i8_gemm;
/* i8_gemm takes rows of one part, i8_windows of any number. */
typedef void tarei_i8_gemm_fn(const tarei_i8_gemm *g);
static inline size_t tarei_i8_gemm_parts(const tarei_i8_gemm *g) {
  return g->parts ? g->parts : 1;
}

/* --- int16 gemm: s16 x s8, two int8 gemms ------------------------------------------------------ */
/* x + 32768 = 256 * upper + lower, both bytes. The sums of each are exact for as many k as those of
 * int8, and float; 256 * upper + lower is rounded once, and goes through the epilogue.
 *
 * `g` is the product of the upper bytes, with `add` for zero point 128 and the epilogue of the
 * result, whose `upper` is NULL; `lower` are the lower bytes, at the places of g->a. `sums` is for
 * TAREI_I16_SUMS floats. Both int8 products are those of `kernels`. */
enum { TAREI_I16_ROWS = 256, TAREI_I16_COLUMNS = 256 };
#define TAREI_I16_SUMS ((size_t)TAREI_I16_ROWS * TAREI_I16_COLUMNS)
struct tarei_kernels;
void tarei_i16_gemm(const struct tarei_kernels *kernels, const tarei_i8_gemm *g,
                    const uint8_t *lower, float *sums);

/* --- fp32 gemm -------------------------------------------------------------------------------- */
/* Panels of 32 columns: packed[p][k][32], zero-filled beyond N. */
#define TAREI_F32_PANEL 32
size_t tarei_f32_packed_size(size_t k, size_t n); /* bytes */
typedef void tarei_f32_pack_fn(const float *w, size_t ldw, bool transposed, size_t k, size_t n,
                               float *packed);

typedef struct tarei_f32_gemm {
  const float *a;     /* [m][k], row stride lda elements; nothing beyond k is read */
  size_t lda;
  size_t m, k, n;
  size_t parts;       /* of a row, equally long, part_step elements apart; 0: one */
  size_t part_step;
  const float *b;     /* packed, 64-byte aligned */
  tarei_epilogue epilogue; /* mult NULL */
} tarei_f32_gemm;
typedef void tarei_f32_gemm_fn(const tarei_f32_gemm *g);
static inline size_t tarei_f32_gemm_parts(const tarei_f32_gemm *g) {
  return g->parts ? g->parts : 1;
}
/* The k of one. */
static inline size_t tarei_f32_gemm_part(const tarei_f32_gemm *g) {
  return g->parts > 1 ? g->k / g->parts : g->k;
}

/* Weights that are stored in fewer bits: k rows of 32 columns, widened to those of one panel.
 * widen_i8: s8 times scale[32]; widen_f16, widen_bf16: finite float16 and bfloat16, scale NULL. */
typedef void tarei_widen_fn(const void *stored, size_t k, const float *scale, float *out);

/* The product of few rows with such bytes, widened in registers: the bits of the fp32 gemm with what
 * widen_i8 makes of them. */
typedef struct tarei_thin_gemm {
  const float *a;     /* [m][k], row stride lda elements */
  size_t lda;
  size_t m, k, n;
  const int8_t *b;    /* [panels][k][32] */
  const float *scale; /* of a column, for each `block` elements of k: [blocks], ld_scale apart */
  size_t ld_scale, block;
  tarei_epilogue epilogue; /* mult NULL */
} tarei_thin_gemm;
typedef void tarei_thin_gemm_fn(const tarei_thin_gemm *g);

/* --- bf16 gemm -------------------------------------------------------------------------------- */
/* Both factors as bfloat16, sums in float, in the order of the tiles of AMX. For each 32 k, with zeros
 * behind the last: one chain of fused multiply-adds over the even k and one over the odd ones, both
 * from 0; their sum is added to the result. Each operation rounds once to nearest even, and
 * subnormal factors and results count as zero. Panels of 32 columns by pairs of k:
 * packed[p][k/2][32][2], zero-filled beyond K and N. */
#define TAREI_BF16_STEP 32
size_t tarei_bf16_packed_size(size_t k, size_t n); /* bytes */
/* Rounds w[k][n] (row stride ldw; `transposed`: w[n][k]) as to_bf16 does, and packs it. */
typedef void tarei_bf16_pack_fn(const float *w, size_t ldw, bool transposed, size_t k, size_t n,
                                uint16_t *packed);
/* m rows of k floats, ldx elements apart, to nearest even; subnormal ones to zero. Rows of `out` are
 * ldo elements apart; a zero follows an odd k. */
typedef void tarei_to_bf16_fn(const float *x, size_t ldx, size_t m, size_t k, uint16_t *out,
                              size_t ldo);

typedef struct tarei_bf16_gemm {
  const uint16_t *a;  /* [m][k], row stride lda elements; a zero follows an odd k */
  size_t lda;
  size_t m, k, n;
  const uint16_t *b;  /* packed, 64-byte aligned */
  tarei_epilogue epilogue; /* mult NULL */
} tarei_bf16_gemm;
typedef void tarei_bf16_gemm_fn(const tarei_bf16_gemm *g);

/* --- short weights by floats in three pieces --------------------------------------------------- */
/* A float32 is the sum of three bfloat16: its leading 8 bits, the next 8 of the rest, and what is
 * left (lo, mid and hi below, each cut off, not rounded). Products of a piece with a byte or a bfloat16
 * are exact, so that bf16 products sum up what fp32 products with such weights round.
 *
 * Rows are in blocks of one height; steps are of TAREI_BF16_STEP k, with zeros behind the last:
 * [block][step][piece: lo, mid, hi][height][16 pairs of k and k + 16]. */
#define TAREI_SPLIT_PIECES 3
#define TAREI_SPLIT_HEIGHT 32
/* The height of the blocks of m rows, all nearly full. */
size_t tarei_split_height(size_t m);
size_t tarei_split_rows_size(size_t m, size_t k); /* bytes */
typedef struct tarei_split_rows {
  const float *x;  /* [m][k], row stride ldx elements */
  size_t ldx;
  size_t m, k;
  uint16_t *out;   /* 64-byte aligned */
  size_t height;
} tarei_split_rows;
/* Splits rows up to the first that does not qualify, and gives their number. Rows of zeros qualify, and
 * those whose largest magnitude is within TAREI_SPLIT_LEAST and TAREI_SPLIT_MOST: no sum of a block
 * overflows, and pieces that are subnormal, which count as zero, are far below that magnitude. */
#define TAREI_SPLIT_LEAST 0x1p-78f
#define TAREI_SPLIT_MOST 0x1p114f
typedef size_t tarei_split_rows_fn(const tarei_split_rows *r);

/* With total = 0, for each block of k: sum = 0; for each step of the block and each piece, as a step
 * of bf16 products does: sum += (chain over k 0..15 of the step) + (chain over k 16..31); then total
 * = fma(sum, scale, total), which goes to the epilogue. */
typedef struct tarei_split_gemm {
  const uint16_t *a;  /* as split_rows writes them */
  size_t height;
  size_t m, k, n;
  const void *b;      /* [panels][k][32]; split_i8: s8, split_bf16: finite bfloat16 */
  const float *scale; /* as in thin_i8, with ld_scale; split_bf16: NULL, 1 */
  size_t ld_scale;
  size_t block;       /* a multiple of TAREI_BF16_STEP, TAREI_SPLIT_BLOCK at most */
  uint16_t *widened;  /* scratch of tarei_split_panel_size bytes, 64-byte aligned */
  tarei_epilogue epilogue; /* mult NULL */
} tarei_split_gemm;
#define TAREI_SPLIT_BLOCK 256
size_t tarei_split_panel_size(size_t k); /* bytes */
typedef void tarei_split_gemm_fn(const tarei_split_gemm *g);

/* --- depthwise convolution, channels-last, along one axis ------------------------------------- */
/* Output t, channel c: sum over j of x[t * stride + j * dilation - pad][c] * w[j][c]; taps outside
 * [0, in_length) take the zero point. Rows of x and of the outputs are `channels` long at their
 * strides. Outputs [t0, t1) are computed; epilogue row 0 is output t0, column 0 channel 0. */
typedef struct tarei_dw_conv {
  const void *x;      /* u8 or float */
  size_t ldx;         /* elements between time steps */
  int64_t in_length;
  int64_t t0, t1;
  int64_t kernel, stride, dilation, pad;
  size_t channels;
  const void *w;      /* s8 or float, [kernel][channels] */
  const int32_t *add; /* int8: [channels] bias - zero_point * tap sum; NULL for float */
  int32_t zero_point; /* int8: of x */
  tarei_epilogue epilogue;
} tarei_dw_conv;
typedef void tarei_dw_conv_fn(const tarei_dw_conv *c);

/* --- depthwise convolution, channels-last, along two axes ------------------------------------- */
/* Pairs are those of the lines and of the columns. Output (y, x) of a sample, channel c: sum over ky
 * and kx, in this order, of x[y * stride[0] + ky * dilation[0] - pad[0]][x * stride[1] + kx *
 * dilation[1] - pad[1]][c] * w[kx][ky][c]; taps outside take what `padding` has. Lines [line0, line1)
 * of the outputs of all samples are computed; epilogue row 0 is the first output of line0. */
typedef struct tarei_dw_planes {
  const void *x;       /* u8 or float, [samples][in[0]][in[1]][channels] */
  const void *padding; /* [in[1]][channels], one position at least: zero points or zeros */
  int64_t in[2], out[2];
  int64_t line0, line1;
  int64_t kernel[2], stride[2], dilation[2], pad[2];
  size_t channels;
  const void *w;      /* s8 or float, [kernel[1]][kernel[0]][channels] */
  const int32_t *add; /* int8: [channels] bias - zero point * tap sum; NULL for float */
  tarei_epilogue epilogue;
} tarei_dw_planes;
typedef void tarei_dw_planes_fn(const tarei_dw_planes *p);

/* --- Winograd convolution, channels-last ---------------------------------------------------------
 */
/* F(2x2, 3x3), a square: a tile of 2 by 2 outputs takes 16 multiplications a pair of channels in
 * place of
 * 36. Its 4 by 4 inputs d become the 16 elements of B'dB, of each of which there is one product
 * with the weights GgG', and the sums m become the outputs A'mA. With d, m by rows: B'd = d0 - d2,
 * d1 + d2, d2 - d1, d1 - d3    A'm = (m0 + m1) + m2, (m1 - m2) - m3 The product from the left (of
 * the lines) comes first.
 *
 * F(2, 3), along one axis: two outputs in a row take 4 in place of 6; their four inputs d become B'd, and
 * the sums A'm. Either way no output depends on an input outside its window. */
#define TAREI_WINOGRAD_SQUARE 16 /* elements */
#define TAREI_WINOGRAD_AXIS 4
#define TAREI_WINOGRAD_OUTPUTS 4 /* of a tile, at most */
#define TAREI_WINOGRAD_TILES 32  /* of a call, at most */
typedef struct tarei_winograd_in {
  size_t elements;            /* of either form */
  const float *const *inputs; /* [tiles][elements], each of `channels` floats */
  size_t channels, tiles;
  float *out; /* [tiles][channels] of each element, `step` floats apart */
  size_t step;
} tarei_winograd_in;
typedef void tarei_winograd_in_fn(const tarei_winograd_in *w);
typedef struct tarei_winograd_out {
  size_t elements;
  const float *sums; /* [tiles][n] of each element, `step` floats apart */
  size_t step, tiles, n;
  size_t columns;      /* outputs of a tile side by side in a line: 2, or 1 along lines */
  size_t width, lines; /* outputs of a line, which may end within a tile, and lines to write */
  size_t rows[TAREI_WINOGRAD_OUTPUTS]; /* of the epilogue, where the lines begin */
  tarei_epilogue epilogue;
} tarei_winograd_out;
typedef void tarei_winograd_out_fn(const tarei_winograd_out *w);

/* --- rows ------------------------------------------------------------------------------------- */
/* In-place allowed (out == x) for all of these. */
typedef void tarei_softmax_fn(const float *x, size_t n, float *out);  /* one row */
/* softmax(x * scale + mask) quantized as saturate_u8(round(p * inv_scale) + zero_point); mask may
 * be NULL; out_f32 or out_u8 may be NULL, not both. */
typedef void tarei_softmax_fused_fn(const float *x, float scale, const float *mask, size_t n,
                                    float *out_f32, uint8_t *out_u8, float inv_scale,
                                    int32_t zero_point);
typedef struct tarei_logits {
  size_t m, n;       /* rows and their length */
  const float *x;    /* row stride ldx */
  size_t ldx;
  float scale;
  const float *mask; /* or NULL; rows mask_step apart, 0: one for all */
  size_t mask_step;
} tarei_logits;
typedef struct tarei_softmax_u8 {
  tarei_logits logits;
  uint8_t *out;      /* row stride ld_out */
  size_t ld_out;
  uint32_t *sums;    /* [m] */
} tarei_softmax_u8;
/* e = exp(x * scale + mask - the row's largest such value) as bytes, and the sum of each row's
 * bytes: out[i] / sum is the softmax, with a scale of its own for each row. Byte i is round(255 e +
 * carry), half to even; carry is what is left of that for byte i + 16, and 0 for the first 16. */
typedef void tarei_softmax_u8_fn(const tarei_softmax_u8 *s);
typedef struct tarei_softmax_bf16 {
  tarei_logits logits;
  uint16_t *out;     /* row stride ld_out; a zero follows an odd n */
  size_t ld_out;
  float *sums;       /* [m] */
} tarei_softmax_bf16;
/* The same e in bfloat16, half to even, and the sum of each row's rounded values. */
typedef void tarei_softmax_bf16_fn(const tarei_softmax_bf16 *s);
typedef void tarei_log_softmax_fn(const float *x, size_t n, float *out);
/* y = (x - mean) / sqrt(variance + epsilon) * gain + shift; gain, shift may be NULL; residual (NULL
 * or n floats) is added to x first. Outputs as above. */
typedef void tarei_layer_norm_fn(const float *x, const float *residual, size_t n, float epsilon,
                                 const float *gain, const float *shift, float *out_f32,
                                 uint8_t *out_u8, float inv_scale, int32_t zero_point);
/* y = x / sqrt(mean square + epsilon) * gain; gain may be NULL. Outputs as above. */
typedef void tarei_rms_norm_fn(const float *x, size_t n, float epsilon, const float *gain,
                               float *out_f32, uint8_t *out_u8, float inv_scale,
                               int32_t zero_point);
typedef void tarei_quantize_fn(const float *x, size_t n, float inv_scale, int32_t zero_point,
                               uint8_t *out);
/* out[i] = table[what quantize makes of x[i]]; NaN counts as the lowest number. No x[i] * inv_scale
 * may reach 2^31. */
typedef void tarei_quantize_lut_fn(const float *x, size_t n, float inv_scale, int32_t zero_point,
                                   const uint8_t *table, uint8_t *out);
/* The largest element but NaN; -INFINITY without one. */
typedef float tarei_row_top_fn(const float *x, size_t n);
/* m rows of k floats, ldx elements apart, each quantized symmetrically around 128 by its own largest
 * magnitude: scales[i] = amax / 127, or 1 if that is not normal; NaN and infinite values do not
 * count. Rows of `out` are ldo bytes apart. */
typedef void tarei_quantize_rows_fn(const float *x, size_t ldx, size_t m, size_t k, uint8_t *out,
                                    size_t ldo, float *scales);
/* The same for rows of several parts, which are windows over lines: row i begins at x + i * ldx, and
 * consists of as many parts of `part` floats, part_step apart, whose bytes follow each other. */
typedef struct tarei_window_rows {
  const float *x;
  size_t ldx, m;
  size_t parts, part, part_step; /* elements */
  uint8_t *out;
  size_t ldo;      /* bytes */
  float *scales;   /* [m] */
} tarei_window_rows;
typedef void tarei_quantize_windows_fn(const tarei_window_rows *w);
typedef struct tarei_i16_rows {
  const float *x;          /* [m][k], rows ldx elements apart */
  size_t ldx, m, k;
  uint8_t *upper, *lower;  /* [m][k] bytes of q + 32768, rows ldo bytes apart */
  size_t ldo;
  float *scales;           /* [m], out: amax of each row / 32767 as above; or NULL */
  float inv_scale;         /* of all rows, if scales is NULL */
} tarei_i16_rows;
/* q = round_half_even(x * inv_scale) within -32768..32767; NaN gives 0. */
typedef void tarei_quantize_i16_fn(const tarei_i16_rows *r);
/* out[i] = the largest of rows[0..n_rows)[i], or their sum, from the first row on, over count; n_rows
 * >= 1. NaN comes out where one goes in. */
typedef void tarei_pool_max_fn(const float *const *rows, size_t n_rows, size_t n, float *out);
typedef void tarei_pool_max_u8_fn(const uint8_t *const *rows, size_t n_rows, size_t n,
                                  uint8_t *out);
typedef void tarei_pool_mean_fn(const float *const *rows, size_t n_rows, size_t n, float count,
                                float *out);
/* Of m rows of channels: the mean of each channel, its sum row by row times 1 / m, and the sum of its
 * squared distances from that mean, likewise; in float. */
typedef void tarei_channel_moments_fn(const float *x, size_t m, size_t channels, float *mean,
                                      float *squares);
/* m rows: act(x * factor + offset) of each channel, in two roundings. Outputs have the rows of x, and
 * either may be NULL; bytes as of the epilogue. */
typedef struct tarei_channel_scale {
  const float *x;               /* [m][channels] */
  size_t m, channels;
  const float *factor, *offset; /* [channels] */
  tarei_act act;
  float act_a, act_b;
  float *out_f32;
  uint8_t *out_u8;
  float inv_scale;
  int32_t zero_point;
} tarei_channel_scale;
typedef void tarei_channel_scale_fn(const tarei_channel_scale *s);
/* out[i] = table[x[i]]; out == x allowed */
typedef void tarei_lut_u8_fn(const uint8_t *table, const uint8_t *x, size_t n, uint8_t *out);
typedef void tarei_dequantize_fn(const uint8_t *x, size_t n, float scale, int32_t zero_point,
                                 float *out);
/* Every element rounded once; floats become integers by truncation, saturated, and NaN 0. */
typedef void tarei_cast_fn(tare_dtype from, tare_dtype to, const void *x, size_t n, void *out);
/* --- reductions ------------------------------------------------------------------------------- */
/* Neighbouring outputs that are computed together: so many where their elements lie side by side,
 * or so many rows that each have their own chain of sums. */
#define TAREI_REDUCTION_LANES 512
#define TAREI_REDUCTION_ROWS 8

/* Axes, outermost first, with neighbours of a kind merged. */
typedef struct tarei_reduction_axes {
  int n;
  size_t size[TARE_MAX_RANK], stride[TARE_MAX_RANK]; /* strides in elements */
} tarei_reduction_axes;

typedef struct tarei_reduction {
  tarei_reduction_axes kept, cut; /* cut: without the innermost of its axes */
  size_t n, stride;               /* the innermost axis that is cut */
  size_t rows;                    /* of n elements for one output */
  size_t count;                   /* elements of one output */
  size_t outputs;
} tarei_reduction;

static inline size_t tarei_reduction_offset(const tarei_reduction_axes *axes, size_t index) {
  size_t offset = 0;
  for (int a = axes->n - 1; a >= 0; a--) {
    offset += index % axes->size[a] * axes->stride[a];
    index /= axes->size[a];
  }
  return offset;
}
/* Where row i of the elements of one output begins, in elements from its first. */
static inline size_t tarei_reduction_row(const tarei_reduction *r, size_t i) {
  return tarei_reduction_offset(&r->cut, i);
}

typedef enum tarei_reduce_kind {
  TAREI_REDUCE_L1, TAREI_REDUCE_L2, TAREI_REDUCE_LOG_SUM, TAREI_REDUCE_LOG_SUM_EXP,
  TAREI_REDUCE_MAX, TAREI_REDUCE_MEAN, TAREI_REDUCE_MIN, TAREI_REDUCE_PROD, TAREI_REDUCE_SUM,
  TAREI_REDUCE_SUM_SQUARE, TAREI_REDUCE_COUNT
} tarei_reduce_kind;

/* Several threads share one output by parts: FIRST gives the result so far of a block, LAST joins n
 * of these, `step` apart. Max and Min have results so far of the type of the elements, others of 64
 * bits; LOG_SUM_EXP has none. */
typedef enum tarei_reduce_part {
  TAREI_REDUCE_WHOLE, TAREI_REDUCE_FIRST, TAREI_REDUCE_LAST
} tarei_reduce_part;

/* Computes `lanes` outputs whose first elements lie `step` elements apart from x on: at most
 * TAREI_REDUCTION_LANES with step 1, or TAREI_REDUCTION_ROWS. Max and Min take any type, others
 * floats and integers of 32 and 64 bits. Floats are summed up in double: in the order in which they
 * lie; but at least 32 that lie side by side as blocks of TAREI_REDUCE_BLOCK in their order, with
 * sixteen sums each, of every sixteenth element, whose halves are added 8, 4, 2, 1. */
#define TAREI_REDUCE_BLOCK ((size_t)1 << 15)
typedef void tarei_reduce_fn(tarei_reduce_kind kind, tare_dtype dtype, tarei_reduce_part part,
                             const tarei_reduction *r, const void *x, size_t lanes, size_t step,
                             void *out);

/* out[i * to_step + j] = x[j * from_step + i] for i < rows, j < columns, of elements of 1, 2, 4 or 8
 * bytes; steps in elements. The two do not overlap. */
typedef void tarei_turn_fn(size_t element, const void *from, size_t from_step, void *to,
                           size_t to_step, size_t rows, size_t columns);
typedef void tarei_act_fn(tarei_act act, float a, float b, const float *x, size_t n, float *out);

typedef enum tarei_unary {
#define TAREI_UNARY(id, expression) TAREI_UNARY_##id,
#include "kernels/unary.inc"
#undef TAREI_UNARY
  TAREI_UNARY_COUNT
} tarei_unary;
/* a and b are the operator's parameters: alpha; alpha and beta of HardSigmoid, alpha and gamma of Selu,
 * lambd and bias of Shrink. */
typedef void tarei_unary_fn(tarei_unary op, float a, float b, const float *x, size_t n,
                            float *out);
typedef enum tarei_binary {
  TAREI_BINARY_ADD, TAREI_BINARY_SUB, TAREI_BINARY_MUL, TAREI_BINARY_DIV, TAREI_BINARY_MIN,
  TAREI_BINARY_MAX, TAREI_BINARY_POW, TAREI_BINARY_PRELU, TAREI_BINARY_COUNT
} tarei_binary;
/* step 1: element by element; step 0: that operand is one scalar for the whole row */
typedef void tarei_binary_fn(tarei_binary op, const float *a, size_t a_step, const float *b,
                             size_t b_step, size_t n, float *out);

/* --- recurrent layers ------------------------------------------------------------------------- */
/* One time step of one direction, for m sequences and n hidden units, after ONNX with sigmoid and
 * tanh. The input's share of all steps is one product made beforehand, x = X W' + Wb. A step is then
 *
 *   GRU, linear_before_reset:  rec = h R' + Rb, all three gates           by i8_gemm or f32_gemm
 *                              gru_update                                 makes the next h
 *   GRU, else:                 rec = h R' + Rb of z and r; gru_reset      makes r * h
 *                              rec = (r * h) R' + Rb of the third gate    columns from 2 n on
 *                              gru_update
 *   LSTM:                      rec = h R' + Rb, all four gates; lstm_update
 *
 * with R' packed once (for the second kind of GRU its last n columns apart). `out.u8` is the `a` of
 * the next step's i8_gemm: states that begin within -1..1 stay there, so that inv_scale 127 and zero
 * point 128 serve every layer. With T steps, `out` may be row t of the layer's output and `h` its row
 * t - 1; the state may also be updated in place. */
typedef struct tarei_state_out { /* one of the two at least */
  float *f32;                    /* [m][n] with stride ld_f32, or NULL */
  size_t ld_f32;
  uint8_t *u8;                   /* [m][n] with stride ld_u8, or NULL */
  size_t ld_u8;
  float inv_scale;
  int32_t zero_point;
} tarei_state_out;

typedef struct tarei_gru_gates {
  size_t m, n;
  size_t gate_step;         /* floats from a gate to the next in x and rec, n or more */
  const float *x;           /* [m][3][n]: z, r, h, rows ldx apart */
  size_t ldx;
  const float *rec;         /* the same of the recurrent product */
  size_t ldrec;
  const float *h;           /* [m][n], state before the step */
  size_t ldh;
  float clip;               /* bound of what goes into sigmoid and tanh; INFINITY without */
  bool linear_before_reset; /* the reset gate works on the product instead of the state */
  tarei_state_out out;      /* of gru_reset r * h, of gru_update the new state */
} tarei_gru_gates;
typedef void tarei_gru_gates_fn(const tarei_gru_gates *g);

/* Steps of a small GRU, linear_before_reset, product and gates of each: one call for a chunk of
 * steps. Gates are `gate` columns apart: n, if that is at most 8 or a multiple of 16, or a panel
 * (TAREI_F32_PANEL); x, bias, add and mult are padded to whole panels.
 * gru_steps_i8 multiplies as i8_gemm does what quantize_rows makes of the state of each sequence at
 * each step; its weights are within -127..127. */
#define TAREI_GRU_STEPS_UNITS TAREI_F32_PANEL
typedef struct tarei_gru_steps {
  size_t steps, m, n;     /* n <= TAREI_GRU_STEPS_UNITS hidden units */
  size_t gate;
  const float *x;         /* [m][3][gate] of the first step, rows ldx apart */
  size_t ldx;
  ptrdiff_t x_step;       /* floats from a step to the next; below zero backwards */
  const void *r;          /* packed by f32_pack, or by tarei_i8_pack */
  const int32_t *add;     /* of gru_steps_i8: [3][gate], -128 * column sum, */
  const float *mult;      /* and the scales of the weights */
  const float *bias;      /* [3][gate] of the recurrent product, or NULL */
  float *h;               /* [m][n], rows n apart: the state before, and after the last step */
  float clip;             /* as above */
  float *y;               /* [m][n] of the first step, rows ldy apart; or NULL */
  size_t ldy;
  ptrdiff_t y_step;
} tarei_gru_steps;
/* n: 1, or 2 directions of a layer, of as many steps, sequences and units. */
typedef void tarei_gru_steps_fn(const tarei_gru_steps *g, size_t n);

typedef struct tarei_lstm_gates {
  size_t m, n;
  size_t gate_step;         /* as above; for the peepholes too */
  const float *x;           /* [m][4][n]: i, o, f, c, rows ldx apart */
  size_t ldx;
  const float *rec;         /* the same of the recurrent product */
  size_t ldrec;
  const float *peephole;    /* [3][n]: i, o, f, or NULL */
  float clip;               /* as above */
  bool input_forget;        /* f = 1 - i */
  const float *c;           /* [m][n], cell before the step */
  size_t ldc;
  float *out_c;             /* [m][n]; may be c */
  size_t ld_out_c;
  tarei_state_out out;
} tarei_lstm_gates;
typedef void tarei_lstm_gates_fn(const tarei_lstm_gates *g);

/* --- observing -------------------------------------------------------------------------------- */
typedef struct tarei_minmax {
  float min, max;        /* over finite values; start with +INFINITY, -INFINITY */
  uint64_t n_nan, n_inf; /* added to */
} tarei_minmax;
typedef void tarei_minmax_fn(const float *x, size_t n, tarei_minmax *m);

/* Bins of one sign and bins of rows at most, and elements of one call at most: none of the small
 * counters overflows. */
#define TAREI_OBSERVE_BINS (1 << 14)
#define TAREI_OBSERVE_PAGE 256 /* bins */
#define TAREI_OBSERVE_ROW_BINS 256
#define TAREI_OBSERVE_MOST UINT16_MAX

typedef struct tarei_observe {
  const float *x;             /* [n_rows][n_columns], contiguous */
  size_t n_rows, n_columns;
  int exponent;               /* -126..114; bins are 2^exponent wide */
  int bins;                   /* of one sign, a power of two */
  uint16_t *counts;           /* [2][TAREI_OBSERVE_BINS]: x >= 0, x < 0; by floor(|x| * 2^-exponent) */
  uint64_t pages[2];          /* of both signs, a bit a page: out, where counts may have changed */
  int64_t *rows;              /* [256] rows by the exponent field of their largest magnitude, or NULL */
  float min, max;             /* start with +INFINITY, -INFINITY */
} tarei_observe;
/* Adds all elements to the counts and extremes. False when one of them is not finite or no |x| < bins *
 * 2^exponent: counts are then spoiled, and the rest is unchanged. */
typedef bool tarei_observe_fn(tarei_observe *o);

/* --- the table -------------------------------------------------------------------------------- */
/* X(family, function type) */
#define TAREI_KERNEL_FAMILIES(X)               \
  X(i8_gemm, tarei_i8_gemm_fn)                 \
  X(i8_windows, tarei_i8_gemm_fn)              \
  X(i8_pack_u8, tarei_i8_pack_u8_fn)           \
  X(f32_gemm, tarei_f32_gemm_fn)               \
  X(f32_pack, tarei_f32_pack_fn)               \
  X(thin_i8, tarei_thin_gemm_fn)               \
  X(widen_i8, tarei_widen_fn)                  \
  X(widen_f16, tarei_widen_fn)                 \
  X(widen_bf16, tarei_widen_fn)                \
  X(bf16_gemm, tarei_bf16_gemm_fn)             \
  X(to_bf16, tarei_to_bf16_fn)                 \
  X(bf16_pack, tarei_bf16_pack_fn)             \
  X(split_rows, tarei_split_rows_fn)           \
  X(split_i8, tarei_split_gemm_fn)             \
  X(split_bf16, tarei_split_gemm_fn)           \
  X(dw_conv_i8, tarei_dw_conv_fn)              \
  X(dw_conv_f32, tarei_dw_conv_fn)             \
  X(dw_planes_i8, tarei_dw_planes_fn)          \
  X(dw_planes_f32, tarei_dw_planes_fn)         \
  X(winograd_in, tarei_winograd_in_fn)         \
  X(winograd_out, tarei_winograd_out_fn)       \
  X(softmax, tarei_softmax_fn)                 \
  X(softmax_fused, tarei_softmax_fused_fn)     \
  X(softmax_u8, tarei_softmax_u8_fn)           \
  X(softmax_bf16, tarei_softmax_bf16_fn)       \
  X(log_softmax, tarei_log_softmax_fn)         \
  X(layer_norm, tarei_layer_norm_fn)           \
  X(rms_norm, tarei_rms_norm_fn)               \
  X(quantize, tarei_quantize_fn)               \
  X(quantize_lut, tarei_quantize_lut_fn)       \
  X(row_top, tarei_row_top_fn)                 \
  X(quantize_rows, tarei_quantize_rows_fn)     \
  X(quantize_windows, tarei_quantize_windows_fn) \
  X(quantize_i16, tarei_quantize_i16_fn)       \
  X(pool_max, tarei_pool_max_fn)               \
  X(pool_max_u8, tarei_pool_max_u8_fn)         \
  X(pool_mean, tarei_pool_mean_fn)             \
  X(channel_moments, tarei_channel_moments_fn) \
  X(channel_scale, tarei_channel_scale_fn)     \
  X(lut_u8, tarei_lut_u8_fn)                   \
  X(dequantize, tarei_dequantize_fn)           \
  X(cast, tarei_cast_fn)                       \
  X(transpose, tarei_turn_fn)                  \
  X(reduce, tarei_reduce_fn)                   \
  X(act, tarei_act_fn)                         \
  X(unary, tarei_unary_fn)                     \
  X(binary, tarei_binary_fn)                   \
  X(gru_reset, tarei_gru_gates_fn)             \
  X(gru_steps, tarei_gru_steps_fn)             \
  X(gru_steps_i8, tarei_gru_steps_fn)          \
  X(gru_update, tarei_gru_gates_fn)            \
  X(lstm_update, tarei_lstm_gates_fn)          \
  X(minmax, tarei_minmax_fn)                   \
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
