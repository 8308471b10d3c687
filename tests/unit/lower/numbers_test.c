/* Numbers that a run brings: of every operator that takes some, each is given in other types, in
 * other numbers and at the ends of its range. The step refuses in a sentence, or computes; it never
 * reads or writes beyond its operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

enum { MOST = 5, ABSENT = -1 };

/* Numbers are vectors of int64, n[i] of them at values[i]; n ABSENT leaves the operand out. */
typedef struct form {
  const char *op;
  int opset, n_out;
  int rank; /* of operand 0, float32 with 4 elements along each axis; ABSENT: it is a number too */
  int64_t last; /* elements along the last axis where it is not 4 */
  int n[MOST];
  int64_t values[MOST][4];
} form;

static const form forms[] = {
    {"CumSum", 14, 1, 2, 4, {1}, {{1}}},
    {"TopK", 11, 2, 2, 4, {1}, {{2}}},
    {"Trilu", 14, 1, 2, 4, {1}, {{1}}},
    {"DFT", 20, 1, 3, 1, {1, 1}, {{4}, {1}}},
    {"STFT", 17, 1, 3, 1, {1, ABSENT, 1}, {{1}, {0}, {2}}},
    {"Slice", 13, 1, 2, 4, {2, 2, 2, 2}, {{0, 1}, {2, 3}, {0, 1}, {1, 1}}},
    {"Pad", 18, 1, 2, 4, {4, ABSENT, 2}, {{1, 0, 1, 0}, {0}, {0, 1}}},
    {"Reshape", 13, 1, 2, 4, {2}, {{2, 8}}},
    {"Expand", 13, 1, 2, 4, {2}, {{4, 4}}},
    {"Tile", 13, 1, 2, 4, {2}, {{2, 1}}},
    {"Squeeze", 13, 1, 3, 1, {1}, {{2}}},
    {"Unsqueeze", 13, 1, 2, 4, {1}, {{1}}},
    {"ReduceSum", 13, 1, 2, 4, {1}, {{1}}},
    {"Split", 13, 2, 2, 4, {2}, {{1, 3}}},
    {"Resize", 13, 1, 2, 4, {ABSENT, ABSENT, 2}, {{0}, {0}, {2, 3}}},
    {"Range", 11, 1, ABSENT, 0, {1, 1, 1}, {{0}, {5}, {2}}},
    {"ConstantOfShape", 9, 1, ABSENT, 0, {2}, {{2, 3}}},
    {"MelWeightMatrix", 17, 1, ABSENT, 0, {1, 1, 1, 1, 1}, {{4}, {16}, {100}, {0}, {50}}},
};

/* What one operand is instead. */
typedef struct change {
  int operand;
  tare_dtype dtype;
  int n;
  int64_t value; /* of all elements, where `same` is off */
  bool same;
} change;

/* Numbers as a vector of any type; a symbol hides its length from inference. */
static void add_numbers(one_node *const t, const tare_dtype dtype, const int n,
                        const int64_t *const values, const bool hides) {
  enum { ROOM = 32 };
  union {
    int64_t i64[ROOM];
    int32_t i32[ROOM];
    int16_t i16[ROOM];
    uint8_t u8[ROOM];
    float f32[ROOM];
    double f64[ROOM];
  } data = {{0}};
  for (int i = 0; i < n; i++) {
    switch (dtype) {
      case TARE_I64:
        data.i64[i] = values[i];
        break;
      case TARE_I32:
        data.i32[i] = (int32_t)values[i];
        break;
      case TARE_I16:
        data.i16[i] = (int16_t)values[i];
        break;
      case TARE_F32:
        data.f32[i] = (float)values[i];
        break;
      case TARE_F64:
        data.f64[i] = (double)values[i];
        break;
      default:
        data.u8[i] = (uint8_t)values[i];
        break;
    }
  }
  const int input = one_node_input(t, dtype, 1, (int64_t[]){n}, &data);
  if (hides) {
    char name[16];
    snprintf(name, sizeof name, "n%d", input);
    one_node_symbol(t, input, 0, name);
  }
}

static void start(one_node *const t, const form *const f, const change *const c) {
  one_node_start(t);
  if (f->rank != ABSENT) {
    int64_t dims[TARE_MAX_RANK];
    for (int d = 0; d < f->rank; d++) {
      dims[d] = d + 1 < f->rank ? 4 : f->last;
    }
    (void)one_node_input(t, TARE_F32, f->rank, dims, NULL);
  }
  for (int i = 0; i < MOST && f->n[i]; i++) {
    int64_t values[32];
    const bool changed = c && c->operand == i;
    const int n = changed ? c->n : f->n[i];
    if (n == ABSENT) {
      (void)one_node_absent(t);
      continue;
    }
    for (int k = 0; k < n; k++) {
      values[k] = changed && !c->same ? c->value : f->values[i][k % 4];
    }
    add_numbers(t, changed ? c->dtype : TARE_I64, n, values, changed && n != f->n[i]);
  }
  one_node_op(t, f->op, "", f->opset, f->n_out);
}

static void try(const form *const f, const change *const c) {
  one_node t;
  tare_error err = {0};
  start(&t, f, c);
  if (one_node_run(&t, &err) != TARE_OK && !err.message[0]) {
    fail_msg("%s: no sentence for operand %d", f->op, c->operand);
  }
  one_node_end(&t);
}

static void forms_run_as_they_are(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    one_node t;
    start(&t, &forms[i], NULL);
    one_node_run_ok(&t);
    one_node_end(&t);
  }
}

static void numbers_are_checked(void **state) {
  (void)state;
  static const tare_dtype dtypes[] = {TARE_F32, TARE_F64, TARE_U8, TARE_I16, TARE_I32, TARE_BOOL};
  static const int counts[] = {1, 2, 3, 5, 16, 17, 30};
  static const int64_t values[] = {INT64_MIN, INT64_MIN + 1, -1000000,  -9,       -1, 0,
                                   9,         1000000,       1ll << 40, INT64_MAX};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const form *const f = &forms[i];
    for (int o = 0; o < MOST && f->n[o]; o++) {
      for (size_t k = 0; f->n[o] != ABSENT && k < sizeof dtypes / sizeof *dtypes; k++) {
        try(f, &(change){o, dtypes[k], f->n[o], 0, true});
      }
      for (size_t k = 0; f->n[o] != ABSENT && k < sizeof counts / sizeof *counts; k++) {
        try(f, &(change){o, TARE_I64, counts[k], 0, true});
      }
      for (size_t k = 0; f->n[o] != ABSENT && k < sizeof values / sizeof *values; k++) {
        try(f, &(change){o, TARE_I64, f->n[o], values[k], false});
      }
    }
  }
}

int numbers_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_run_as_they_are),
      cmocka_unit_test(numbers_are_checked),
  };
  one_node_seed();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
