#include "engine/lower/elementwise/typed_unary.h"

#include <string.h>

#include "engine/lower/elementwise/typed.h"

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

/* --- integers ----------------------------------------------------------------------------------
 */
static double shrink(const double x, const double lambda, const double bias) {
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

#define INTEGER(dtype, type, wide)                                            \
  FUNCTION(erf_##dtype, type, erf((double)x))                                 \
  FUNCTION(shrink_##dtype, type, tarei_saturate_i64(shrink((double)x, a, b))) \
  CLIP(dtype, type, wide)
TAREI_INTEGER_TYPES(INTEGER)

/* --- float64 -----------------------------------------------------------------------------------
 */
CLIP(F64, double, double)

static double sigmoid(const double x) {
  return 1 / (1 + exp(-x));
}

static double typed_unary_softplus(const double x) {
  return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double typed_unary_gelu(const double x, const bool by_tanh) {
  const double inner = 0.79788456080286535588 * (x + 0.044715 * x * x * x); /* sqrt(2 / pi) */
  return 0.5 * x * (1 + (by_tanh ? tanh(inner) : erf(x * 0.70710678118654752440)));
}

static double sign(const double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double typed_unary_at_most_one(const double x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* X(ONNX name, name, expression in x, a, b) */
#define FLOAT64(X)                                                     \
  X("Abs", abs, fabs(x))                                               \
  X("Acos", acos, acos(x))                                             \
  X("Acosh", acosh, acosh(x))                                          \
  X("Asin", asin, asin(x))                                             \
  X("Asinh", asinh, asinh(x))                                          \
  X("Atan", atan, atan(x))                                             \
  X("Atanh", atanh, atanh(x))                                          \
  X("Ceil", ceil, ceil(x))                                             \
  X("Celu", celu, x < 0 ? a * expm1(x / a) : x)                        \
  X("Cos", cos, cos(x))                                                \
  X("Cosh", cosh, cosh(x))                                             \
  X("Elu", elu, x < 0 ? a * expm1(x) : x)                              \
  X("Erf", erf, erf(x))                                                \
  X("Exp", exp, exp(x))                                                \
  X("Floor", floor, floor(x))                                          \
  X("Gelu", gelu, typed_unary_gelu(x, p->f.op == TAREI_ACT_GELU_TANH)) \
  X("HardSigmoid", hard_sigmoid, typed_unary_at_most_one(a *x + b))    \
  X("HardSwish", hard_swish, x *typed_unary_at_most_one(x / 6 + 0.5))  \
  X("LeakyRelu", leaky_relu, x < 0 ? a * x : x)                        \
  X("Log", log, log(x))                                                \
  X("Mish", mish, x *tanh(typed_unary_softplus(x)))                    \
  X("Neg", neg, -x)                                                    \
  X("Reciprocal", reciprocal, 1 / x)                                   \
  X("Relu", relu, x < 0 ? 0 : x)                                       \
  X("Round", round, rint(x))                                           \
  X("Selu", selu, b *(x < 0 ? a * expm1(x) : x))                       \
  X("Shrink", shrink, shrink(x, a, b))                                 \
  X("Sigmoid", sigmoid, sigmoid(x))                                    \
  X("Sign", sign, sign(x))                                             \
  X("Sin", sin, sin(x))                                                \
  X("Sinh", sinh, sinh(x))                                             \
  X("Softplus", softplus, typed_unary_softplus(x))                     \
  X("Softsign", softsign, x / (1 + fabs(x)))                           \
  X("Sqrt", sqrt, sqrt(x))                                             \
  X("Swish", swish, x *sigmoid(a *x))                                  \
  X("Tan", tan, tan(x))                                                \
  X("Tanh", tanh, tanh(x))                                             \
  X("ThresholdedRelu", thresholded_relu, x > a ? x : 0)

#define FLOAT64_FUNCTION(onnx_name, name, expression) FUNCTION(f64_##name, double, expression)
FLOAT64(FLOAT64_FUNCTION)

/* --- the table ---------------------------------------------------------------------------------
 */
static const struct {
  const char *name;
  tarei_typed_unary_fn *of[TAREI_DTYPES];
} rows[] = {{"Abs", {TAREI_SIGNED_ROWS(abs), TAREI_UNSIGNED_ROWS(same)}},
            {"BitwiseNot", {TAREI_INTEGER_ROWS(not )}},
            {"Clip", {TAREI_SIGNED_ROWS(clip), TAREI_UNSIGNED_ROWS(clip), TAREI_ROW(clip, F64)}},
            {"Erf", {TAREI_SIGNED_ROWS(erf), TAREI_UNSIGNED_ROWS(erf)}},
            {"Neg", {TAREI_SIGNED_ROWS(neg)}},
            {"Relu", {TAREI_SIGNED_ROWS(relu), TAREI_UNSIGNED_ROWS(same)}},
            {"Shrink", {TAREI_SIGNED_ROWS(shrink), TAREI_UNSIGNED_ROWS(shrink)}},
            {"Sign", {TAREI_SIGNED_ROWS(sign), TAREI_UNSIGNED_ROWS(sign)}},
#define FLOAT64_ROW(onnx_name, function, expression) {onnx_name, {[TARE_F64] = f64_##function}},
            FLOAT64(FLOAT64_ROW)
#undef FLOAT64_ROW
};

tarei_typed_unary_fn *tarei_typed_unary_of(const char *const name, const tare_dtype dtype) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if ((unsigned)dtype < TAREI_DTYPES && rows[i].of[dtype] && strcmp(rows[i].name, name) == 0) {
      return rows[i].of[dtype];
    }
  }
  return NULL;
}
