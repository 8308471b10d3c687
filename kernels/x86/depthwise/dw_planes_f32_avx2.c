/* Depthwise convolution of floats by windows of 3 by 3: up to eight outputs of a line by eight
 * channels in registers. What is read of the input once serves all outputs that meet it. */
#if !defined(__AVX2__) || !defined(__FMA__)
#error "needs AVX2 and FMA"
#endif
#include <immintrin.h>
#include <math.h>

#include "kernels/registry.h"

#define TAREI_ISA_SUFFIX avx2

enum { TAPS = 3, LANES = 8, MAX_OUTPUTS = 8, MAX_STRIDE = 2 };
enum { MAX_INPUTS = (MAX_OUTPUTS - 1) * MAX_STRIDE + TAPS };

/* What a block of outputs reads of each line. Positions beyond its ends are replaced by one that
 * is there, and masked. */
typedef struct planes_inputs {
  _Alignas(32) float mask[MAX_INPUTS][LANES];
  size_t at[MAX_INPUTS]; /* elements from the beginning of the line */
} planes_inputs;

/* A block of outputs in one line. */
typedef struct planes_block {
  const float *lines[TAPS]; /* that the rows of the window meet */
  const planes_inputs *inputs;
  const float *w, *bias; /* bias: or NULL */
  size_t channels, ld;
  float low, high;
  float *out;
} planes_block;

typedef void planes_block_fn(const planes_block *b);

/* Else the compiler loads so much ahead that it runs out of registers. */
#define KEEP(v) __asm__("" : "+x"(v))

/* Input i of a line, of the channels from which `line` counts; `inside`, all inputs are there, side
 * by side, and the first of them is `*next`. */
TAREI_INLINE __m256 planes_input(const planes_block *b, const float *line, const float **next,
                                 size_t i, const bool inside) {
  if (!inside) {
    __m256 x = _mm256_loadu_ps(line + b->inputs->at[i]);
    x = _mm256_and_ps(x, _mm256_load_ps(b->inputs->mask[i]));
    KEEP(x);
    return x;
  }
  __m256 x = _mm256_loadu_ps(*next);
  KEEP(x);
  *next += b->channels;
  return x;
}

/* Adds a row of the window to the sums. An input meets later outputs with earlier taps, so that the
 * taps of each come in their order. */
TAREI_INLINE void planes_add_row(__m256 *sum, const planes_block *b, const float *line,
                                 const __m256 *tap, const size_t n, const size_t stride,
                                 const bool inside) {
  const float *next = line + b->inputs->at[0];
#pragma GCC unroll 17
  for (size_t i = 0; i < (n - 1) * stride + TAPS; i++) {
    const __m256 x = planes_input(b, line, &next, i, inside);
#pragma GCC unroll 3
    for (size_t k = 0; k < TAPS; k++) {
      if (i >= k && (i - k) % stride == 0 && (i - k) / stride < n) {
        sum[(i - k) / stride] = _mm256_fmadd_ps(x, tap[k], sum[(i - k) / stride]);
      }
    }
  }
}

TAREI_INLINE void planes_channels(const planes_block *b, size_t channel, const size_t n,
                                  const size_t stride, const bool inside) {
  __m256 sum[MAX_OUTPUTS];
#pragma GCC unroll 8
  for (size_t i = 0; i < n; i++) {
    sum[i] = _mm256_setzero_ps();
  }
#pragma GCC unroll 3
  for (size_t ky = 0; ky < TAPS; ky++) {
    __m256 tap[TAPS];
#pragma GCC unroll 3
    for (size_t kx = 0; kx < TAPS; kx++) {
      tap[kx] = _mm256_loadu_ps(b->w + (kx * TAPS + ky) * b->channels + channel);
    }
    planes_add_row(sum, b, b->lines[ky] + channel, tap, n, stride, inside);
  }
  const __m256 bias = b->bias ? _mm256_loadu_ps(b->bias + channel) : _mm256_set1_ps(-0.0f);
  const __m256 low = _mm256_set1_ps(b->low), high = _mm256_set1_ps(b->high);
#pragma GCC unroll 8
  for (size_t i = 0; i < n; i++) {
    const __m256 f = _mm256_min_ps(high, _mm256_max_ps(low, _mm256_add_ps(sum[i], bias)));
    _mm256_storeu_ps(b->out + i * b->ld + channel, f);
  }
}

#define DEFINE_BLOCK(n, stride, inside)                                               \
  static void planes_block_##n##_##stride##_##inside##__avx2(const planes_block *b) { \
    for (size_t channel = 0; channel < b->channels; channel += LANES) {               \
      planes_channels(b, channel, n, stride, inside);                                 \
    }                                                                                 \
  }
#define EACH_BLOCK(X, stride, inside)                                                 \
  X(1, stride, inside)                                                                \
  X(2, stride, inside)                                                                \
  X(3, stride, inside) X(4, stride, inside) X(5, stride, inside) X(6, stride, inside) \
      X(7, stride, inside) X(8, stride, inside)
EACH_BLOCK(DEFINE_BLOCK, 1, 0)
EACH_BLOCK(DEFINE_BLOCK, 1, 1)
EACH_BLOCK(DEFINE_BLOCK, 2, 0)
EACH_BLOCK(DEFINE_BLOCK, 2, 1)
#undef DEFINE_BLOCK

#define BLOCK_OF(n, stride, inside) planes_block_##n##_##stride##_##inside##__avx2,
static planes_block_fn *const blocks[MAX_STRIDE][2][MAX_OUTPUTS] = {
    {{EACH_BLOCK(BLOCK_OF, 1, 0)}, {EACH_BLOCK(BLOCK_OF, 1, 1)}},
    {{EACH_BLOCK(BLOCK_OF, 2, 0)}, {EACH_BLOCK(BLOCK_OF, 2, 1)}}};
#undef BLOCK_OF

/* Whether all inputs of n outputs from ox on lie between the ends of a line. */
static bool planes_inputs_of(const tarei_dw_planes *p, int64_t ox, int64_t n, planes_inputs *in) {
  const int64_t first = ox * p->stride[1] - p->pad[1];
  bool inside = true;
  for (int64_t i = 0; i < (n - 1) * p->stride[1] + TAPS; i++) {
    const bool known = first + i >= 0 && first + i < p->in[1];
    in->at[i] = known ? (size_t)(first + i) * p->channels : 0;
    _mm256_store_ps(in->mask[i], _mm256_castsi256_ps(_mm256_set1_epi32(known ? -1 : 0)));
    inside = inside && known;
  }
  return inside;
}

static void planes_set_lines(const tarei_dw_planes *p, int64_t line, planes_block *b) {
  const int64_t batch = line / p->out[0], y = line % p->out[0] * p->stride[0] - p->pad[0];
  for (int64_t ky = 0; ky < TAPS; ky++) {
    const int64_t at = batch * p->in[0] + y + ky;
    b->lines[ky] = y + ky < 0 || y + ky >= p->in[0]
                       ? p->padding
                       : (const float *)p->x + (size_t)(at * p->in[1]) * p->channels;
  }
}

/* Outputs [ox, ox + n) of all lines. */
static void planes_column(const tarei_dw_planes *p, int64_t ox, int64_t n) {
  const tarei_epilogue *const e = &p->epilogue;
  const bool relu = e->act == TAREI_ACT_relu, clip = e->act == TAREI_ACT_clip;
  planes_inputs inputs;
  const bool inside = planes_inputs_of(p, ox, n, &inputs);
  planes_block b = {.inputs = &inputs,
                    .w = p->w,
                    .bias = e->bias,
                    .channels = p->channels,
                    .ld = e->ld_f32,
                    .low = clip   ? e->act_a
                           : relu ? 0.0f
                                  : -INFINITY,
                    .high = clip ? e->act_b : INFINITY};
  for (int64_t line = p->line0; line < p->line1; line++) {
    planes_set_lines(p, line, &b);
    b.out = e->out_f32 + (size_t)((line - p->line0) * p->out[1] + ox) * e->ld_f32;
    blocks[p->stride[1] - 1][inside][n - 1](&b);
  }
}

static bool planes_are_few(const tarei_dw_planes *p) {
  return p->kernel[0] == TAPS && p->kernel[1] == TAPS && p->dilation[0] == 1 &&
         p->dilation[1] == 1 && p->stride[1] <= MAX_STRIDE && p->channels % LANES == 0;
}

static bool planes_finish_in_registers(const tarei_epilogue *e) {
  return e->out_f32 && !e->out_u8 && !e->upper && !e->mult && !e->row_mult && !e->residual &&
         !e->residual_u8 &&
         (e->act == TAREI_ACT_none || e->act == TAREI_ACT_relu || e->act == TAREI_ACT_clip);
}

void tarei_k_dw_planes_f32_f32_8x8__avx2(const tarei_dw_planes *p) {
  if (!planes_are_few(p) || !planes_finish_in_registers(&p->epilogue)) {
    tarei_k_dw_planes_f32_f32_9x16__avx2(p);
    return;
  }
  const int64_t width = p->out[1], parts = (width + MAX_OUTPUTS - 1) / MAX_OUTPUTS;
  for (int64_t i = 0; i < parts; i++) {
    const int64_t first = width * i / parts;
    planes_column(p, first, width * (i + 1) / parts - first);
  }
}
