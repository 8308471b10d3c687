/* QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear, exactly as ONNX defines them:
 * division by the scale, rounding half to even, saturation. NaN becomes the zero point. */
#include <math.h>

#include "base/mem.h"
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/operands.h"
#include "shapes/number.h"

/* --- where scales lie ------------------------------------------------------------------------- */

/* Element (o, a, i) of [outer][axis][inner] has scale 0, a, or that of its block. */
typedef struct spread {
  bool one;               /* scale and zero point for all elements */
  size_t axis, inner;     /* elements */
  size_t block, n_blocks; /* along the axis; block 0: each place has its own */
} spread;

static size_t quantize_linear_scale_of(const spread *const s, const size_t at) {
  const size_t a = at / s->inner % s->axis;
  if (s->one || !s->block) {
    return s->one ? 0 : a;
  }
  return (at / (s->inner * s->axis) * s->n_blocks + a / s->block) * s->inner + at % s->inner;
}

/* Elements from `at` on that share a scale, at most n. */
static size_t run_of(const spread *const s, const size_t at, const size_t n) {
  size_t same = n;
  if (!s->one && !s->block) {
    same = s->inner - at % s->inner;
  } else if (!s->one) {
    const size_t a = at % s->axis, to = s->block - a % s->block;
    same = s->inner > 1 ? 1 : to < s->axis - a ? to : s->axis - a;
  }
  return same < n ? same : n;
}

/* Reads the layout from the dims of a run and holds the sizes of scales and zero points against it.
 */
static tare_status read_spread(const tarei_step *const step, const tarei_run *const r,
                               spread *const s, tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const scale = r->in[1];
  const tare_tensor *const zero = step->node->n_in > 2 ? r->in[2] : NULL;
  const int64_t n_scales = tare_tensor_count(scale), n_zeros = zero ? tare_tensor_count(zero) : 1;
  const int64_t block = tarei_attr_int(step->node, "block_size", 0);
  int64_t axis = tarei_attr_int(step->node, "axis", 1), wanted = 1;
  *s = (spread){.one = block == 0 && n_scales == 1 && n_zeros == 1, .axis = 1, .inner = 1};
  axis += axis < 0 ? x->rank : 0;
  for (int d = 0; !s->one && d < x->rank; d++) {
    const int64_t blocks = d == axis && block ? (x->dims[d] + block - 1) / block : x->dims[d];
    wanted *= d == axis || block ? blocks : 1;
    s->n_blocks = d == axis ? (size_t)blocks : s->n_blocks;
    s->inner *= d > axis ? (size_t)x->dims[d] : 1;
  }
  if (!s->one) {
    s->axis = (size_t)x->dims[axis];
    s->block = (size_t)block;
  }
  const bool shared = block == 0; /* one of them may serve several of the other */
  TAREI_TRY(shared && n_scales == 1 ? TARE_OK : tarei_want_count(step, r, 1, wanted, err));
  return shared && n_zeros == 1 ? TARE_OK : tarei_want_count(step, r, 2, wanted, err);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Half to even, for magnitudes below 2^22: adding 1.5 * 2^23 leaves no bits for a fraction. Unlike
 * rintf it needs no instruction that every CPU has. */
static inline float round_small(const float f) {
  const float magic = 12582912.0f;
  return (f + magic) - magic;
}

static inline int32_t quantize_one(const float x, const float scale, const int32_t zero,
                                   const float low, const float high) {
  const float f = x / scale;
  const float below = f < high ? f : high; /* false for NaN */
  const float clamped = below > low ? below : low;
  return isnan(f) ? zero : (int32_t)round_small(clamped) + zero;
}

typedef struct quantize_linear_job {
  const tarei_run *run;
  const tare_tensor *x, *zero, *out;
  const float *scale;
  spread spread;
  bool one_scale, one_zero; /* for all places */
} quantize_linear_job;

static int32_t zero_of(const quantize_linear_job *const j, const size_t i) {
  return j->zero ? (int32_t)tarei_integer_at(j->zero, j->one_zero ? 0 : (int64_t)i) : 0;
}

#define QUANTIZE(name, from, to, lowest, highest)                                       \
  static void name(const quantize_linear_job *const j, const size_t at, const size_t n, \
                   const float scale, const int32_t zero) {                             \
    const from *const x = (const from *)j->x->data + at;                                \
    to *const out = (to *)j->out->data + at;                                            \
    const float low = (float)((lowest)-zero), high = (float)((highest)-zero);           \
    for (size_t i = 0; i < n; i++) {                                                    \
      out[i] = (to)quantize_one((float)x[i], scale, zero, low, high);                   \
    }                                                                                   \
  }
QUANTIZE(f32_to_i8, float, int8_t, INT8_MIN, INT8_MAX)
QUANTIZE(f32_to_u8, float, uint8_t, 0, UINT8_MAX)
QUANTIZE(f32_to_i16, float, int16_t, INT16_MIN, INT16_MAX)
QUANTIZE(f32_to_u16, float, uint16_t, 0, UINT16_MAX)
QUANTIZE(i32_to_i8, int32_t, int8_t, INT8_MIN, INT8_MAX)
QUANTIZE(i32_to_u8, int32_t, uint8_t, 0, UINT8_MAX)
QUANTIZE(i32_to_i16, int32_t, int16_t, INT16_MIN, INT16_MAX)
QUANTIZE(i32_to_u16, int32_t, uint16_t, 0, UINT16_MAX)

#define DEQUANTIZE(name, from)                                                          \
  static void name(const quantize_linear_job *const j, const size_t at, const size_t n, \
                   const float scale, const int32_t zero) {                             \
    const from *const x = (const from *)j->x->data + at;                                \
    float *const out = (float *)j->out->data + at;                                      \
    for (size_t i = 0; i < n; i++) {                                                    \
      out[i] = (float)((int64_t)x[i] - zero) * scale;                                   \
    }                                                                                   \
  }
DEQUANTIZE(f32_of_i8, int8_t)
DEQUANTIZE(f32_of_u8, uint8_t)
DEQUANTIZE(f32_of_i16, int16_t)
DEQUANTIZE(f32_of_u16, uint16_t)
DEQUANTIZE(f32_of_i32, int32_t)

/* Converts elements [at, at + n), which share a scale. */
typedef void convert_fn(const quantize_linear_job *j, size_t at, size_t n, float scale,
                        int32_t zero);

typedef struct conversion {
  tare_dtype from, to;
  convert_fn *convert;
} conversion;

static const conversion conversions[] = {
    {TARE_F32, TARE_I8, f32_to_i8},   {TARE_F32, TARE_U8, f32_to_u8},
    {TARE_F32, TARE_I16, f32_to_i16}, {TARE_F32, TARE_U16, f32_to_u16},
    {TARE_I32, TARE_I8, i32_to_i8},   {TARE_I32, TARE_U8, i32_to_u8},
    {TARE_I32, TARE_I16, i32_to_i16}, {TARE_I32, TARE_U16, i32_to_u16},
    {TARE_I8, TARE_F32, f32_of_i8},   {TARE_U8, TARE_F32, f32_of_u8},
    {TARE_I16, TARE_F32, f32_of_i16}, {TARE_U16, TARE_F32, f32_of_u16},
    {TARE_I32, TARE_F32, f32_of_i32},
};

static convert_fn *conversion_of(const tare_dtype from, const tare_dtype to) {
  for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++) {
    if (conversions[i].from == from && conversions[i].to == to) {
      return conversions[i].convert;
    }
  }
  return NULL;
}

static void quantize_linear_chunk(const void *const user, const size_t first, const size_t n) {
  const quantize_linear_job *const j = user;
  convert_fn *const convert = conversion_of(j->x->dtype, j->out->dtype);
  for (size_t at = first; at < first + n;) {
    const size_t same = run_of(&j->spread, at, first + n - at);
    const size_t i = quantize_linear_scale_of(&j->spread, at);
    convert(j, at, same, j->scale[j->one_scale ? 0 : i], zero_of(j, i));
    at += same;
  }
}

/* What a plan file says about types is not trusted. */
static tare_status quantize_linear_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                           tare_error *const err) {
  (void)blobs;
  const tarei_node *const node = step->node;
  const tarei_value *const values = step->graph->values;
  const tare_dtype from = values[node->in[0]].dtype, to = values[node->out[0]].dtype;
  return conversion_of(from, to) ? TARE_OK : tarei_refuse_dtype(from, err);
}

static tare_status quantize_linear_run(const tarei_step *const step, const tarei_run *const r,
                                       tare_error *const err) {
  quantize_linear_job j = {.run = r,
                           .x = r->in[0],
                           .zero = step->node->n_in > 2 ? r->in[2] : NULL,
                           .out = r->out[0],
                           .scale = r->in[1]->data};
  j.one_scale = tare_tensor_count(r->in[1]) == 1;
  j.one_zero = j.zero && tare_tensor_count(j.zero) == 1;
  TAREI_TRY(read_spread(step, r, &j.spread, err));
  tarei_chunks(r, (size_t)tare_tensor_count(j.x), quantize_linear_chunk, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_dequantize_linear = {.prepare = quantize_linear_prepare,
                                                      .run = quantize_linear_run};
const tarei_lowering tarei_lower_quantize_linear = {.prepare = quantize_linear_prepare,
                                                    .run = quantize_linear_run};

/* --- scales taken at run time ----------------------------------------------------------------- */

/* The range holds zero; data of zeros alone have scale 1. */
static void choose_scale(const tarei_run *const r, float *const scale, uint8_t *const zero) {
  tarei_minmax m = {.min = INFINITY, .max = -INFINITY};
  r->kernels->minmax(r->in[0]->data, (size_t)tare_tensor_count(r->in[0]), &m);
  const float low = m.min < 0 ? m.min : 0, high = m.max > 0 ? m.max : 0;
  *scale = high > low ? (high - low) / 255.0f : 1.0f;
  const float place = rintf(-low / *scale);
  *zero = (uint8_t)(place > 255 ? 255 : place);
}

static tare_status run_dynamic(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  (void)err;
  float scale;
  uint8_t zero;
  choose_scale(r, &scale, &zero);
  const tare_tensor zeros = {.dtype = TARE_U8, .data = &zero};
  const quantize_linear_job j = {.run = r,
                                 .x = r->in[0],
                                 .zero = &zeros,
                                 .out = r->out[0],
                                 .scale = &scale,
                                 .spread = {.one = true, .axis = 1, .inner = 1}};
  tarei_chunks(r, (size_t)tare_tensor_count(j.x), quantize_linear_chunk, &j);
  if (step->node->n_out > 1 && step->node->out[1] >= 0) {
    *(float *)r->out[1]->data = scale;
  }
  if (step->node->n_out > 2 && step->node->out[2] >= 0) {
    *(uint8_t *)r->out[2]->data = zero;
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_dynamic_quantize_linear = {.run = run_dynamic};
