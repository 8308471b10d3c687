/* act, unary and binary, instantiated once per ISA. */
#include <math.h>

#include "kernels/generic/act16.h"
#include "kernels/generic/math/hyperbolic16.h"
#include "kernels/generic/math/power16.h"
#include "kernels/generic/math/trig16.h"

typedef v16 pointwise16_fn(v16 x, v16 a, v16 b);
typedef void pointwise_row_fn(float a, float b, const float *x, size_t n, float *out);

TAREI_INLINE void map_row(pointwise16_fn *f, float a, float b, const float *x, size_t n,
                          float *out) {
  const v16 va = v_set1(a);
  const v16 vb = v_set1(b);
  size_t i = 0;
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    v_store(out + i, f(v_load(x + i), va, vb));
  }
  if (i < n) {
    v_store_part(out + i, f(v_load_part(x + i, n - i), va, vb), n - i);
  }
}

/* --- act -------------------------------------------------------------------------------------- */
#define TAREI_ACTIVATION(id, expression)                                                \
  static void TAREI_K(act_row_##id)(float a, float b, const float *x, size_t n,         \
                                    float *out) {                                       \
    map_row(act16_##id, a, b, x, n, out);                                               \
  }
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION

void TAREI_K(tarei_k_act_f32_16)(tarei_act act, float a, float b, const float *x, size_t n,
                                float *out) {
  static pointwise_row_fn *const rows[TAREI_ACT_COUNT] = {
#define TAREI_ACTIVATION(id, expression) TAREI_K(act_row_##id),
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION
  };
  rows[act](a, b, x, n, out);
}

/* --- unary ------------------------------------------------------------------------------------ */
/* x tanh(log(1 + e^x)) = x w / (w + 2) with w = e^x (e^x + 2); the bounds keep it finite. */
TAREI_INLINE v16 v_mish(v16 x) {
  const v16 two = v_set1(2.0f);
  const v16 e = v_exp(v_min(v_set1(30.0f), x));
  const v16 w = v_mul(e, v_add(e, two));
  return v_mul(v_max(v_set1(-200.0f), x), v_div(w, v_add(w, two)));
}

/* 0 where the sigmoid is: x may be infinite there. */
TAREI_INLINE v16 v_swish(v16 x, v16 a) {
  const v16 s = v_sigmoid(v_mul(a, x));
  return v_select(v_less(s, v_set1(0x1p-126f)), v_set1(0.0f), v_mul(x, s));
}

TAREI_INLINE v16 v_shrink(v16 x, v16 lambda, v16 bias) {
  const v16 above = v_select(v_less(lambda, x), v_sub(x, bias), v_set1(0.0f));
  return v_select(v_less(x, v_neg(lambda)), v_add(x, bias), above);
}

/* Zeros and NaN stay what they are. */
TAREI_INLINE v16 v_sign(v16 x) {
  const v16 above = v_select(v_less(v_set1(0.0f), x), v_set1(1.0f), x);
  return v_select(v_less(x, v_set1(0.0f)), v_set1(-1.0f), above);
}

#define TAREI_UNARY(name, expression)                                                       \
  TAREI_INLINE v16 unary16_##name(v16 x, v16 a, v16 b) {                                   \
    (void)a;                                                                               \
    (void)b;                                                                               \
    return expression;                                                                     \
  }                                                                                        \
  static void TAREI_K(unary_row_##name)(float a, float b, const float *x, size_t n, float *out) {   \
    map_row(unary16_##name, a, b, x, n, out);                                              \
  }
#include "kernels/unary.inc"
#undef TAREI_UNARY

void TAREI_K(tarei_k_unary_f32_16)(tarei_unary op, float a, float b, const float *x, size_t n,
                                  float *out) {
  static pointwise_row_fn *const rows[TAREI_UNARY_COUNT] = {
#define TAREI_UNARY(name, expression) [TAREI_UNARY_##name] = TAREI_K(unary_row_##name),
#include "kernels/unary.inc"
#undef TAREI_UNARY
  };
  rows[op](a, b, x, n, out);
}

/* --- binary ----------------------------------------------------------------------------------- */
typedef v16 binary16_fn(v16 x, v16 y);
typedef void binary_row_fn(const float *a, size_t a_step, const float *b, size_t b_step, size_t n,
                           float *out);

TAREI_INLINE v16 operand_at(const float *p, size_t step, size_t i, size_t n) {
  return step ? v_load_n(p + i, n) : v_set1(p[0]);
}

TAREI_INLINE void zip_row(binary16_fn *f, const float *a, size_t a_step, const float *b,
                          size_t b_step, size_t n, float *out) {
  /* a scalar operand may be overwritten by an in-place output */
  const float a0 = n ? a[0] : 0.0f;
  const float b0 = n ? b[0] : 0.0f;
  const float *const pa = a_step ? a : &a0;
  const float *const pb = b_step ? b : &b0;
  size_t i = 0;
  for (; i + TAREI_LANES <= n; i += TAREI_LANES) {
    const v16 x = operand_at(pa, a_step, i, TAREI_LANES);
    v_store(out + i, f(x, operand_at(pb, b_step, i, TAREI_LANES)));
  }
  if (i < n) {
    const v16 x = operand_at(pa, a_step, i, n - i);
    v_store_part(out + i, f(x, operand_at(pb, b_step, i, n - i)), n - i);
  }
}

/* The square root of x + y, for y = 0: that of -0 is 0 then, and of -inf inf. */
TAREI_INLINE v16 binary16_root(v16 x, v16 y) {
  const v16 least = v_set1(-INFINITY);
  const v16 root = v_sqrt(v_add(x, y));
  return v_select(v_less(least, x), root, v_select(v_less(x, v_set1(0.0f)), v_sub(y, least), root));
}

/* X(name, value, expression in x, y) */
#define BINARIES(X)                              \
  X(add, TAREI_BINARY_ADD, v_add(x, y))          \
  X(sub, TAREI_BINARY_SUB, v_sub(x, y))          \
  X(mul, TAREI_BINARY_MUL, v_mul(x, y))          \
  X(div, TAREI_BINARY_DIV, v_div(x, y))          \
  X(min, TAREI_BINARY_MIN, v_min(x, y))          \
  X(max, TAREI_BINARY_MAX, v_max(x, y))          \
  X(pow, TAREI_BINARY_POW, v_pow(x, y))          \
  X(prelu, TAREI_BINARY_PRELU, v_select(v_less(x, v_set1(0.0f)), v_mul(x, y), x))

#define DEFINE_BINARY(name, value, expression)                                                  \
  TAREI_INLINE v16 binary16_##name(v16 x, v16 y) { return expression; }                         \
  static void TAREI_K(binary_row_##name)(const float *a, size_t a_step, const float *b, size_t b_step,   \
                                size_t n, float *out) {                                         \
    zip_row(binary16_##name, a, a_step, b, b_step, n, out);                                     \
  }
BINARIES(DEFINE_BINARY)
#undef DEFINE_BINARY

TAREI_INLINE v16 binary16_cube(v16 x, v16 y) {
  (void)y;
  return v_cube(x);
}

/* Exponents that tarei_libm_pow reduces to a product or a root, for whole rows. */
static bool TAREI_K(power_row)(const float *a, size_t a_step, float exponent, size_t n,
                               float *out) {
  const float zero = 0.0f;
  if (exponent == 2.0f) {
    TAREI_K(binary_row_mul)(a, a_step, a, a_step, n, out);
  } else if (exponent == 3.0f) {
    zip_row(binary16_cube, a, a_step, &zero, 0, n, out);
  } else if (exponent == 0.5f) {
    zip_row(binary16_root, a, a_step, &zero, 0, n, out);
  } else {
    return false;
  }
  return true;
}

void TAREI_K(tarei_k_binary_f32_16)(tarei_binary op, const float *a, size_t a_step, const float *b,
                                   size_t b_step, size_t n, float *out) {
#define BINARY_ROW(name, value, expression) [value] = TAREI_K(binary_row_##name),
  static binary_row_fn *const rows[TAREI_BINARY_COUNT] = {BINARIES(BINARY_ROW)};
#undef BINARY_ROW
  if (op == TAREI_BINARY_POW && b_step == 0 && n && TAREI_K(power_row)(a, a_step, b[0], n, out)) {
    return;
  }
  rows[op](a, a_step, b, b_step, n, out);
}
