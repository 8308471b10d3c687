/* Elementwise operators with broadcasting, against index arithmetic written out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

/* Dims of an operand that broadcast to `out`: some axes are 1, some leading ones are missing. */
static int narrow(const int64_t *const out, const int rank, int64_t *const dims) {
  const int lead = (int)one_node_between(0, rank);
  for (int d = lead; d < rank; d++) {
    dims[d - lead] = one_node_between(0, 2) ? out[d] : 1;
  }
  return rank - lead;
}

static int random_dims(int64_t *const dims) {
  const int rank = (int)one_node_between(0, 5);
  const int64_t most = rank < 3 ? 200 : rank < 4 ? 20 : 7;
  for (int d = 0; d < rank; d++) {
    dims[d] = one_node_between(1, most);
  }
  return rank;
}

/* Element of operand i that stands at element `flat` of the output. */
static size_t element_of(const one_node *const t, const int i, size_t flat) {
  const tare_tensor *const x = &t->inputs[i], *const y = &t->outputs[0];
  size_t at = 0, stride = 1;
  for (int d = y->rank - 1; d >= 0; d--) {
    const int own = d - (y->rank - x->rank);
    const size_t index = flat % (size_t)y->dims[d];
    flat /= (size_t)y->dims[d];
    if (own >= 0) {
      at += x->dims[own] == 1 ? 0 : index * stride;
      stride *= (size_t)x->dims[own];
    }
  }
  return at;
}

/* Operand 0 has the whole shape, the others broadcast to it. */
static void make(one_node *const t, const char *const op, const int opset, const int n,
                 const tare_dtype *const dtypes) {
  int64_t dims[TARE_MAX_RANK], part[TARE_MAX_RANK];
  const int rank = random_dims(dims);
  one_node_start(t);
  const int whole = (int)one_node_between(0, n - 1);
  for (int i = 0; i < n; i++) {
    const int r = i == whole ? rank : narrow(dims, rank, part);
    (void)one_node_input(t, dtypes[i], r, i == whole ? dims : part, NULL);
  }
  one_node_op(t, op, "", opset, 1);
}

static double number_at(const tare_tensor *const x, const size_t i) {
  return x->dtype == TARE_F32   ? (double)((const float *)x->data)[i]
         : x->dtype == TARE_I64 ? (double)((const int64_t *)x->data)[i]
         : x->dtype == TARE_I32 ? (double)((const int32_t *)x->data)[i]
                                : (double)((const uint8_t *)x->data)[i];
}

static double trunc_div(const double a, const double b) {
  return trunc(a / b);
}
static double float_div(const double a, const double b) {
  return a / b;
}
static double add(const double a, const double b) {
  return a + b;
}
static double sub(const double a, const double b) {
  return a - b;
}
static double mul(const double a, const double b) {
  return a * b;
}
static double python_mod(const double a, const double b) {
  return a - b * floor(a / b);
}
static double c_mod(const double a, const double b) {
  return fmod(a, b);
}
static double equal(const double a, const double b) {
  return a == b;
}
static double less(const double a, const double b) {
  return a < b;
}
static double less_equal(const double a, const double b) {
  return a <= b;
}
static double greater(const double a, const double b) {
  return a > b;
}
static double greater_equal(const double a, const double b) {
  return a >= b;
}
static double both(const double a, const double b) {
  return a != 0 && b != 0;
}
static double either(const double a, const double b) {
  return a != 0 || b != 0;
}
static double prelu(const double a, const double b) {
  return a < 0 ? a * b : a;
}

typedef struct binary_case {
  const char *op;
  int n, opset;
  tare_dtype a, b;
  double (*apply)(double a, double b);
} binary_case;

/* An integer is not divided by 0. */
static void avoid_zeros(const tare_tensor *const x) {
  for (size_t i = 0; i < (size_t)tare_tensor_count(x); i++) {
    if (x->dtype == TARE_I64) {
      ((int64_t *)x->data)[i] += ((int64_t *)x->data)[i] == 0;
    } else if (x->dtype == TARE_I32) {
      ((int32_t *)x->data)[i] += ((int32_t *)x->data)[i] == 0;
    }
  }
}

static void check_binary(const binary_case *const c) {
  one_node t;
  make(&t, c->op, c->opset, c->n, (tare_dtype[]){c->a, c->b, c->a});
  if (c->apply == trunc_div || c->apply == c_mod || c->apply == python_mod) {
    avoid_zeros(&t.inputs[1]);
  }
  if (c->apply == c_mod) {
    assert_true(tarei_attr_set_int(t.node, "fmod", 1));
  }
  if (c->apply == prelu) { /* its slope may not widen the input */
    one_node_end(&t);
    one_node_start(&t);
    (void)one_node_input(&t, c->a, 3, (int64_t[]){3, 5, 70}, NULL);
    (void)one_node_input(&t, c->a, 2, (int64_t[]){5, 1}, NULL);
    one_node_op(&t, c->op, "", c->opset, 1);
  }
  one_node_run_ok(&t);
  const size_t n = (size_t)tare_tensor_count(&t.outputs[0]);
  for (size_t i = 0; i < n; i++) {
    double expected = number_at(&t.inputs[0], element_of(&t, 0, i));
    for (int k = 1; k < c->n; k++) {
      expected = c->apply(expected, number_at(&t.inputs[k], element_of(&t, k, i)));
    }
    if (t.outputs[0].dtype == TARE_F32) {
      expected = (double)(float)expected; /* it may be beyond the floats */
    }
    const double got = number_at(&t.outputs[0], i);
    const double limit = t.outputs[0].dtype == TARE_F32 ? 1e-5 * fmax(1, fabs(expected)) : 0;
    if (got != expected && !(isnan(got) && isnan(expected)) && !(fabs(got - expected) <= limit)) {
      fail_msg("%s of %s, element %zu: %.9g instead of %.9g", c->op, tare_dtype_name(c->a), i, got,
               expected);
    }
  }
  one_node_end(&t);
}

static void test_binary(void **state) {
  (void)state;
  static const binary_case cases[] = {
      {"Add", 2, 14, TARE_F32, TARE_F32, add},
      {"Add", 2, 14, TARE_I64, TARE_I64, add},
      {"Sub", 2, 14, TARE_F32, TARE_F32, sub},
      {"Sub", 2, 14, TARE_I32, TARE_I32, sub},
      {"Mul", 2, 14, TARE_F32, TARE_F32, mul},
      {"Mul", 2, 14, TARE_I64, TARE_I64, mul},
      {"Div", 2, 14, TARE_F32, TARE_F32, float_div},
      {"Div", 2, 14, TARE_I64, TARE_I64, trunc_div},
      {"Div", 2, 14, TARE_I32, TARE_I32, trunc_div},
      {"Max", 3, 13, TARE_F32, TARE_F32, fmax},
      {"Min", 3, 13, TARE_F32, TARE_F32, fmin},
      {"Max", 2, 13, TARE_I64, TARE_I64, fmax},
      {"Min", 3, 13, TARE_I32, TARE_I32, fmin},
      {"Max", 1, 13, TARE_F32, TARE_F32, fmax},
      {"Pow", 2, 15, TARE_F32, TARE_F32, pow},
      {"Pow", 2, 15, TARE_F32, TARE_I64, pow},
      {"Pow", 2, 15, TARE_F32, TARE_I32, pow},
      {"PRelu", 2, 16, TARE_F32, TARE_F32, prelu},
      {"Mod", 2, 13, TARE_F32, TARE_F32, c_mod},
      {"Mod", 2, 13, TARE_I64, TARE_I64, python_mod},
      {"Mod", 2, 13, TARE_I32, TARE_I32, c_mod},
      {"Mod", 2, 13, TARE_I32, TARE_I32, python_mod},
      {"Equal", 2, 13, TARE_I64, TARE_I64, equal},
      {"Less", 2, 13, TARE_F32, TARE_F32, less},
      {"LessOrEqual", 2, 16, TARE_I32, TARE_I32, less_equal},
      {"Greater", 2, 13, TARE_F32, TARE_F32, greater},
      {"Equal", 2, 13, TARE_BOOL, TARE_BOOL, equal},
      {"GreaterOrEqual", 2, 16, TARE_I64, TARE_I64, greater_equal},
      {"And", 2, 7, TARE_BOOL, TARE_BOOL, both},
      {"Or", 2, 7, TARE_BOOL, TARE_BOOL, either},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int repeat = 0; repeat < 6; repeat++) {
      check_binary(&cases[i]);
    }
  }
}

/* Factors of channels, channels last: a short row that meets many others, from either side. */
static void test_repeated_rows(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    const int64_t n = one_node_between(1, 300), rows = one_node_between(1, 1 + 9000 / n);
    const int64_t whole[] = {2, one_node_between(1, 3), rows, n};
    const int64_t part[] = {one_node_between(1, 2), whole[1], 1, n};
    const bool first = one_node_between(0, 1);
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 4, first ? part : whole, NULL);
    (void)one_node_input(&t, TARE_F32, 4, first ? whole : part, NULL);
    one_node_op(&t, "Sub", "", 14, 1);
    one_node_run_ok(&t);
    const float *const x = t.inputs[0].data, *const y = t.inputs[1].data;
    const float *const got = t.outputs[0].data;
    for (size_t i = 0; i < (size_t)tare_tensor_count(&t.outputs[0]); i++) {
      assert_true(got[i] == x[element_of(&t, 0, i)] - y[element_of(&t, 1, i)]);
    }
    one_node_end(&t);
  }
}

static void test_where(void **state) {
  (void)state;
  static const tare_dtype dtypes[] = {TARE_F32, TARE_U8, TARE_F16, TARE_I64};
  for (int i = 0; i < 40; i++) {
    const tare_dtype dtype = dtypes[i % 4];
    one_node t;
    make(&t, "Where", 16, 3, (tare_dtype[]){TARE_BOOL, dtype, dtype});
    one_node_run_ok(&t);
    const size_t size = tare_dtype_size(dtype), n = (size_t)tare_tensor_count(&t.outputs[0]);
    for (size_t e = 0; e < n; e++) {
      const bool yes = ((const uint8_t *)t.inputs[0].data)[element_of(&t, 0, e)];
      const int from = yes ? 1 : 2;
      assert_memory_equal((const char *)t.outputs[0].data + e * size,
                          (const char *)t.inputs[from].data + element_of(&t, from, e) * size, size);
    }
    one_node_end(&t);
  }
}

static void test_expand(void **state) {
  (void)state;
  static const tare_dtype dtypes[] = {TARE_F32, TARE_U8, TARE_F16, TARE_I64};
  for (int i = 0; i < 40; i++) {
    const tare_dtype dtype = dtypes[i % 4];
    int64_t dims[TARE_MAX_RANK], part[TARE_MAX_RANK];
    const int rank = random_dims(dims), own = narrow(dims, rank, part);
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, dtype, own, part, NULL);
    (void)one_node_ints(&t, rank, dims);
    one_node_op(&t, "Expand", "", 13, 1);
    one_node_run_ok(&t);
    const size_t size = tare_dtype_size(dtype), n = (size_t)tare_tensor_count(&t.outputs[0]);
    for (size_t e = 0; e < n; e++) {
      assert_memory_equal((const char *)t.outputs[0].data + e * size,
                          (const char *)t.inputs[0].data + element_of(&t, 0, e) * size, size);
    }
    one_node_end(&t);
  }
}

/* From float over the edges of every type, and between integers without loss. */
static void test_cast(void **state) {
  (void)state;
  const float from[] = {-1e30f, -129.5f, -1.5f, -0.5f, 0, 0.5f, 1.99f, 200, 3e9f, 1e30f, NAN};
  const int32_t expected[] = {INT32_MIN, -129, -1, 0, 0, 0, 1, 200, INT32_MAX, INT32_MAX, 0};
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){11}, from);
  one_node_op(&t, "Cast", "", 13, 1);
  assert_true(tarei_attr_set_int(t.node, "to", TARE_I32));
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, expected, sizeof expected);
  one_node_end(&t);
  const int64_t wide[] = {INT64_MIN, -3, 0, (int64_t)1 << 53 | 1, INT64_MAX};
  const int32_t low[] = {0, -3, 0, 1, -1};
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){5}, wide);
  one_node_op(&t, "Cast", "", 13, 1);
  assert_true(tarei_attr_set_int(t.node, "to", TARE_I32));
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, low, sizeof low);
  one_node_end(&t);
}

/* What an element becomes, by long double, which holds every element of every type. */
static void expect_cast(const tare_tensor *const y, const size_t i, const long double x) {
  const char *const at = (const char *)y->data + i * tare_dtype_size(y->dtype);
#define INTEGER(dtype, type, lowest, highest)                                           \
  case TARE_##dtype: {                                                                  \
    const type expected = isnan(x)                     ? 0                              \
                          : x <= (long double)lowest  ? (type)lowest                    \
                          : x >= (long double)highest ? (type)highest                   \
                                                      : (type)x;                        \
    assert_memory_equal(at, &expected, sizeof expected);                                \
  } break;
#define REAL(dtype, type)                                \
  case TARE_##dtype: {                                   \
    const type expected = (type)x;                       \
    assert_memory_equal(at, &expected, sizeof expected); \
  } break;
  switch (y->dtype) {
    INTEGER(U8, uint8_t, 0, UINT8_MAX)
    INTEGER(I8, int8_t, INT8_MIN, INT8_MAX)
    INTEGER(U16, uint16_t, 0, UINT16_MAX)
    INTEGER(I16, int16_t, INT16_MIN, INT16_MAX)
    INTEGER(U32, uint32_t, 0, UINT32_MAX)
    INTEGER(I32, int32_t, INT32_MIN, INT32_MAX)
    INTEGER(U64, uint64_t, 0, UINT64_MAX)
    INTEGER(I64, int64_t, INT64_MIN, INT64_MAX)
    REAL(F32, float)
    REAL(F64, double)
    default: {
      const uint8_t expected = x != 0;
      assert_memory_equal(at, &expected, 1);
    }
  }
}

/* Integers that a shorter type does not hold lose their upper bits. */
static long double wrapped(const tare_dtype to, const int64_t x) {
  switch (to) {
    case TARE_U8:
      return (uint8_t)x;
    case TARE_I8:
      return (int8_t)x;
    case TARE_U16:
      return (uint16_t)x;
    case TARE_I16:
      return (int16_t)x;
    case TARE_U32:
      return (uint32_t)x;
    case TARE_I32:
      return (int32_t)x;
    case TARE_U64:
      return (uint64_t)x;
    default:
      return x;
  }
}

static void cast_pair(const tare_dtype from, const tare_dtype to) {
  enum { N = 203 };
  static const double edges[] = {0, -0.0, -1, 1, 127.5, -128.5, 255.5, 65536, -32769, 2147483648.0,
                                 -2147483649.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19, 1e30, -1e30};
  uint64_t bytes[N];
  for (int i = 0; i < N; i++) {
    const uint64_t bits = (uint64_t)one_node_bits() << 32 | one_node_bits();
    const double x = i < 17 ? edges[i] : i == 17 ? NAN : (double)one_node_float() * pow(2, i % 70);
    const uint8_t truth = (uint8_t)(bits & 1);
    const float single = (float)x;
    const size_t size = tare_dtype_size(from);
    char *const at = (char *)bytes + (size_t)i * size;
    memcpy(at, from == TARE_F32   ? (const void *)&single
               : from == TARE_F64 ? (const void *)&x
               : from == TARE_BOOL ? (const void *)&truth : (const void *)&bits, size);
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, from, 1, (int64_t[]){N}, bytes);
  one_node_op(&t, "Cast", "", 13, 1);
  assert_true(tarei_attr_set_int(t.node, "to", to));
  one_node_run_ok(&t);
  const bool real = from == TARE_F32 || from == TARE_F64;
  for (size_t i = 0; i < N; i++) {
    if (real) {
      const long double x = from == TARE_F32 ? (long double)((const float *)t.inputs[0].data)[i]
                                             : (long double)((const double *)t.inputs[0].data)[i];
      if (!isnan(x) || (to != TARE_F32 && to != TARE_F64)) {
        expect_cast(&t.outputs[0], i, x);
      }
    } else if (from == TARE_U64) {
      const uint64_t x = ((const uint64_t *)t.inputs[0].data)[i];
      const bool keeps = to == TARE_F32 || to == TARE_F64 || to == TARE_U64 || to == TARE_BOOL;
      expect_cast(&t.outputs[0], i, keeps ? (long double)x : wrapped(to, (int64_t)x));
    } else {
      int64_t x = 0;
      switch (from) {
#define READ(dtype, type)                                 \
  case TARE_##dtype:                                      \
    x = (int64_t)((const type *)t.inputs[0].data)[i]; \
    break;
        READ(U8, uint8_t)
        READ(BOOL, uint8_t)
        READ(I8, int8_t)
        READ(U16, uint16_t)
        READ(I16, int16_t)
        READ(U32, uint32_t)
        READ(I32, int32_t)
        READ(I64, int64_t)
        default:
          fail();
      }
      expect_cast(&t.outputs[0], i, wrapped(to, x));
    }
  }
  one_node_end(&t);
}

static void test_cast_every_pair(void **state) {
  (void)state;
  static const tare_dtype all[] = {TARE_U8,  TARE_I8,  TARE_U16, TARE_I16, TARE_U32, TARE_I32,
                                   TARE_U64, TARE_I64, TARE_F32, TARE_F64, TARE_BOOL};
  for (size_t from = 0; from < sizeof all / sizeof *all; from++) {
    for (size_t to = 0; to < sizeof all / sizeof *all; to++) {
      cast_pair(all[from], all[to]);
    }
  }
}

/* Casts round once: these become something else by way of double, or of float. */
static void test_cast_rounds_once(void **state) {
  (void)state;
  const int64_t integer = ((int64_t)1 << 54) + ((int64_t)1 << 30) + 1;
  const uint64_t beyond = ((uint64_t)1 << 63) + ((uint64_t)1 << 39) + 1;
  const double real[] = {1 + 0x1p-11 + 0x1p-40, -1 - 0x1p-11 - 0x1p-40, 1e300, -0.0};
  const uint16_t halves[] = {0x3c01, 0xbc01, 0x7c00, 0x8000};
  const struct {
    tare_dtype from, to;
    int n;
    const void *x, *expected;
  } cases[] = {{TARE_I64, TARE_F32, 1, &integer, &(float){0x1p54f + 0x1p31f}},
               {TARE_U64, TARE_F32, 1, &beyond, &(float){0x1p63f + 0x1p40f}},
               {TARE_F64, TARE_F16, 4, real, halves}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, cases[i].from, 1, (int64_t[]){cases[i].n}, cases[i].x);
    one_node_op(&t, "Cast", "", 13, 1);
    assert_true(tarei_attr_set_int(t.node, "to", cases[i].to));
    one_node_run_ok(&t);
    assert_memory_equal(t.outputs[0].data, cases[i].expected,
                        (size_t)cases[i].n * tare_dtype_size(cases[i].to));
    one_node_end(&t);
  }
}

static void test_refused(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t); /* two symbols that differ when it runs */
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){300}, NULL);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){200}, NULL);
  one_node_symbol(&t, 0, 0, "a");
  one_node_symbol(&t, 1, 0, "b");
  one_node_op(&t, "Add", "", 14, 1);
  one_node_refused(&t, TARE_E_SHAPE, "has length 200, which does not broadcast to 300");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F16, 1, (int64_t[]){3}, NULL);
  one_node_op(&t, "Relu", "", 14, 1);
  one_node_refused(&t, TARE_E_UNSUPPORTED, "float16");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){3}, NULL);
  (void)one_node_input(&t, TARE_I64, 0, NULL, NULL);
  one_node_op(&t, "Clip", "", 13, 1);
  one_node_refused(&t, TARE_E_MODEL, "are float32 and int64");
}

int elementwise_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_binary),
      cmocka_unit_test(test_repeated_rows),           cmocka_unit_test(test_where),
      cmocka_unit_test(test_expand),           cmocka_unit_test(test_cast),
      cmocka_unit_test(test_cast_every_pair),
      cmocka_unit_test(test_cast_rounds_once), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
