/* Products of matrices, by element types, and the packing of their weights. */
#ifndef TAREI_KERNELS_FAMILIES_GEMM_H
#define TAREI_KERNELS_FAMILIES_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/families/epilogue.h"

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

/* out[i][j] = the sum of a[i][k] * b[k][j], each in the order that f32_gemm has: B is read where it
 * lies, which is faster than packing it where it is small or A has few rows. */
typedef struct tarei_direct_product {
  const float *a, *b;
  size_t lda, ldb, ld_out, m, k, n;
  float *out;
} tarei_direct_product;
typedef void tarei_direct_product_fn(const tarei_direct_product *p);

/* out[i] = the sum of a[i][k] * b[i][k], in the same order. */
typedef struct tarei_dots {
  const float *a, *b; /* rows lda and ldb elements apart; 0: the same row for all */
  size_t lda, ldb, m, k;
  float *out;
} tarei_dots;
typedef void tarei_dots_fn(const tarei_dots *d);

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

#endif
