#include "engine/lower/elementwise/typed_unary.h"

#include <string.h>

#include "kernels/typed.h"

/* `type` in, `type` out; a and b are the operator's parameters. */
#define FUNCTION(name, type, expression)                                                          \
  static void name(const tarei_typed_parameters *const p, const void *const from, const size_t n, \
                   void *const to) {                                                              \
    const double a = (double)p->f.a, b = (double)p->f.b;                                          \
    const type *const in = from;                                                                  \
    type *const out = to;                                                                         \
    (void)a;                                                                                      \
    (void)b;                                                                                      \
    for (size_t i = 0; i < n; i++) {                                                              \
      const type x = in[i];                                                                       \
      out[i] = (type)(expression);                                                                \
    }                                                                                             \
  }

/* Maximum of the lower bound, then minimum of the upper one; NaN goes through. Attributes are
 * bounds of floats alone. */
#define CLIP(dtype, type, wide)                                                           \
  static void clip_##dtype(const tarei_typed_parameters *const p, const void *const from, \
                           const size_t n, void *const to) {                              \
    const type *const in = from;                                                          \
    type *const out = to;                                                                 \
    const bool has_low = p->low != NULL, has_high = p->high != NULL;                      \
    const type low = has_low ? *(const type *)p->low : 0;                                 \
    const type high = has_high ? *(const type *)p->high : 0;                              \
    for (size_t i = 0; i < n; i++) {                                                      \
      const type above = has_low && in[i] < low ? low : in[i];                            \
      out[i] = has_high && high < above ? high : above;                                   \
    }                                                                                     \
  }

/* --- integers --------------------------------------------------------------------------------- */
static double f64_shrink(const double x, const double lambda, const double bias) {
  return x < -lambda ? x + bias : x > lambda ? x - bias : 0;
}

#define SIGNED(dtype, type, wide)                            \
  FUNCTION(abs_##dtype, type, x < 0 ? 0 - (wide)x : (wide)x) \
  FUNCTION(neg_##dtype, type, 0 - (wide)x)                   \
  FUNCTION(relu_##dtype, type, x < 0 ? 0 : x)                \
  FUNCTION(sign_##dtype, type, (x > 0) - (x < 0))
TAREI_SIGNED_TYPES(SIGNED)

#define UNSIGNED(dtype, type, wide)    \
  FUNCTION(same_##dtype, type, x)      \
  FUNCTION(sign_##dtype, type, x != 0) \
  FUNCTION(not_##dtype, type, ~(wide)x)
TAREI_UNSIGNED_TYPES(UNSIGNED)

#define INTEGER(dtype, type, wide)                                                \
  FUNCTION(erf_##dtype, type, erf((double)x))                                     \
  FUNCTION(shrink_##dtype, type, tarei_saturate_i64(f64_shrink((double)x, a, b))) \
  CLIP(dtype, type, wide)
TAREI_INTEGER_TYPES(INTEGER)

/* --- float64 ---------------------------------------------------------------------------------- */
static double f64_clip(const tarei_typed_parameters *const p, const double x) {
  const double *const low = p->low, *const high = p->high;
  const double above = low && x < *low ? *low : x;
  return high && *high < above ? *high : above;
}

static double f64_sigmoid(const double x) {
  return 1 / (1 + exp(-x));
}

static double f64_softplus(const double x) {
  return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double f64_gelu(const double x, const bool by_tanh) {
  const double inner = 0.79788456080286535588 * (x + 0.044715 * x * x * x); /* sqrt(2 / pi) */
  return 0.5 * x * (1 + (by_tanh ? tanh(inner) : erf(x * 0.70710678118654752440)));
}

static double f64_sign(const double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double f64_at_most_one(const double x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

#define TAREI_POINTWISE(id, onnx_name, inputs, infer, activation, growth, sign, kernel, a, b, \
                        form)                                                                 \
  FUNCTION(map_f64_##id, double, form)
#include "graph/pointwise.inc"
#undef TAREI_POINTWISE

/* --- the table -------------------------------------------------------------------------------- */
static const struct {
  const char *name;
  tarei_typed_unary_fn *of[TAREI_DTYPES];
} rows[] = {
    {"Abs", {TAREI_SIGNED_ROWS(abs), TAREI_UNSIGNED_ROWS(same)}},
    {"BitwiseNot", {TAREI_INTEGER_ROWS(not )}},
    {"Clip", {TAREI_SIGNED_ROWS(clip), TAREI_UNSIGNED_ROWS(clip)}},
    {"Erf", {TAREI_SIGNED_ROWS(erf), TAREI_UNSIGNED_ROWS(erf)}},
    {"Neg", {TAREI_SIGNED_ROWS(neg)}},
    {"Relu", {TAREI_SIGNED_ROWS(relu), TAREI_UNSIGNED_ROWS(same)}},
    {"Shrink", {TAREI_SIGNED_ROWS(shrink), TAREI_UNSIGNED_ROWS(shrink)}},
    {"Sign", {TAREI_SIGNED_ROWS(sign), TAREI_UNSIGNED_ROWS(sign)}},
#define TAREI_POINTWISE(id, onnx_name, ...) {onnx_name, {[TARE_F64] = map_f64_##id}},
#include "graph/pointwise.inc"
#undef TAREI_POINTWISE
};

tarei_typed_unary_fn *tarei_typed_unary_of(const char *const name, const tare_dtype dtype) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if ((unsigned)dtype < TAREI_DTYPES && rows[i].of[dtype] && strcmp(rows[i].name, name) == 0) {
      return rows[i].of[dtype];
    }
  }
  return NULL;
}
