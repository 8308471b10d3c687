/* Operators that read or write by indices, and that repeat or cut by numbers, against index
 * arithmetic written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

static const tare_dtype types[] = {TARE_U8, TARE_F16, TARE_F32, TARE_I64, TARE_BOOL};
enum { TYPES = sizeof types / sizeof *types, MOST = 4 * 4 * 4 * 4 };

static int random_dims(const int least, int64_t *const dims) {
  const int rank = (int)one_node_between(least, 4);
  for (int d = 0; d < rank; d++) {
    dims[d] = one_node_between(1, 4);
  }
  return rank;
}

static int64_t count(const int rank, const int64_t *const dims) {
  int64_t n = 1;
  for (int d = 0; d < rank; d++) {
    n *= dims[d];
  }
  return n;
}

static void split_index(const int rank, const int64_t *const dims, int64_t flat,
                        int64_t *const at) {
  for (int d = rank - 1; d >= 0; d--) {
    at[d] = flat % dims[d];
    flat /= dims[d];
  }
}

static int64_t join_index(const int rank, const int64_t *const dims, const int64_t *const at) {
  int64_t flat = 0;
  for (int d = 0; d < rank; d++) {
    flat = flat * dims[d] + (at[d] < 0 ? at[d] + dims[d] : at[d]);
  }
  return flat;
}

/* Indices as int64 or int32, which the operators take alike. */
static void add_indices(one_node *const t, const bool narrow, const int rank,
                        const int64_t *const dims, const int64_t *const indices) {
  int32_t small[MOST];
  for (int64_t i = 0; narrow && i < count(rank, dims); i++) {
    small[i] = (int32_t)indices[i];
  }
  (void)one_node_input(t, narrow ? TARE_I32 : TARE_I64, rank, dims,
                       narrow ? (const void *)small : indices);
}

static void test_gather_elements(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    int64_t dims[4], to[4], indices[MOST], at[4];
    const int rank = random_dims(1, dims), axis = (int)one_node_between(0, rank - 1);
    for (int d = 0; d < rank; d++) {
      to[d] = one_node_between(1, d == axis ? 4 : dims[d]);
    }
    for (int64_t i = 0; i < count(rank, to); i++) {
      indices[i] = one_node_between(-dims[axis], dims[axis] - 1);
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, types[round % TYPES], rank, dims, NULL);
    add_indices(&t, round & 1, rank, to, indices);
    one_node_op(&t, "GatherElements", "", 13, 1);
    assert_true(tarei_attr_set_int(t.node, "axis", axis - rank));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < count(rank, to); i++) {
      split_index(rank, to, i, at);
      at[axis] = indices[i];
      one_node_expect_element(&t.outputs[0], i, &t.inputs[0], join_index(rank, dims, at));
    }
    one_node_end(&t);
  }
}

static void test_gather_nd(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    int64_t dims[4], indices[3 * MOST];
    const int rank = random_dims(1, dims), batch = rank > 1 ? (int)one_node_between(0, 1) : 0;
    const int tuple = (int)one_node_between(1, rank - batch);
    const int64_t to[3] = {batch ? dims[0] : 3, 2, tuple};
    for (int64_t i = 0; i < to[0] * 2 * tuple; i++) {
      const int64_t size = dims[batch + i % tuple];
      indices[i] = one_node_between(-size, size - 1);
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, types[round % TYPES], rank, dims, NULL);
    add_indices(&t, round & 1, 3, to, indices);
    one_node_op(&t, "GatherND", "", 13, 1);
    assert_true(tarei_attr_set_int(t.node, "batch_dims", batch));
    one_node_run_ok(&t);
    const int64_t slice = count(rank - batch - tuple, dims + batch + tuple);
    for (int64_t i = 0; i < to[0] * 2 * slice; i++) {
      const int64_t k = i / slice, from = join_index(tuple, dims + batch, indices + k * tuple);
      const int64_t block = batch ? k / 2 * count(tuple, dims + 1) : 0;
      one_node_expect_element(&t.outputs[0], i, &t.inputs[0], (block + from) * slice + i % slice);
    }
    one_node_end(&t);
  }
}

static float combined(const char *const reduction, const float a, const float b) {
  return strcmp(reduction, "add") == 0   ? a + b
         : strcmp(reduction, "mul") == 0 ? a * b
         : strcmp(reduction, "max") == 0 ? (a > b ? a : b)
         : strcmp(reduction, "min") == 0 ? (a < b ? a : b)
                                         : b;
}

static const char *const reductions[] = {"none", "add", "mul", "max", "min"};

static void test_scatter_elements(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    int64_t dims[4], to[4], indices[MOST], at[4];
    float expected[MOST];
    const char *const reduction = reductions[round % 5];
    const int rank = random_dims(1, dims), axis = (int)one_node_between(0, rank - 1);
    for (int d = 0; d < rank; d++) {
      to[d] = one_node_between(1, d == axis ? 4 : dims[d]);
    }
    for (int64_t i = 0; i < count(rank, to); i++) {
      indices[i] = one_node_between(-dims[axis], dims[axis] - 1);
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, rank, dims, NULL);
    add_indices(&t, round & 1, rank, to, indices);
    (void)one_node_input(&t, TARE_F32, rank, to, NULL);
    one_node_op(&t, round % 5 ? "ScatterElements" : "Scatter", "", round % 5 ? 18 : 9, 1);
    assert_true(tarei_attr_set_int(t.node, "axis", axis - rank));
    assert_true(tarei_attr_set_string(t.node, "reduction", reduction));
    one_node_run_ok(&t);
    memcpy(expected, t.inputs[0].data, (size_t)count(rank, dims) * sizeof *expected);
    for (int64_t i = 0; i < count(rank, to); i++) {
      split_index(rank, to, i, at);
      at[axis] = indices[i];
      float *const e = &expected[join_index(rank, dims, at)];
      *e = combined(reduction, *e, ((const float *)t.inputs[2].data)[i]);
    }
    one_node_expect_floats(&t, expected, (size_t)count(rank, dims), 0);
    one_node_end(&t);
  }
}

static void test_scatter_nd(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    int64_t dims[4], to[4] = {3}, indices[3 * 4];
    float expected[MOST];
    const char *const reduction = reductions[round % 5];
    const int rank = random_dims(1, dims), tuple = (int)one_node_between(1, rank);
    for (int i = 0; i < 3 * tuple; i++) {
      indices[i] = one_node_between(-dims[i % tuple], dims[i % tuple] - 1);
    }
    memcpy(to + 1, dims + tuple, (size_t)(rank - tuple) * sizeof *to);
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, rank, dims, NULL);
    add_indices(&t, round & 1, 2, (int64_t[]){3, tuple}, indices);
    (void)one_node_input(&t, TARE_F32, rank - tuple + 1, to, NULL);
    one_node_op(&t, "ScatterND", "", 18, 1);
    assert_true(tarei_attr_set_string(t.node, "reduction", reduction));
    one_node_run_ok(&t);
    memcpy(expected, t.inputs[0].data, (size_t)count(rank, dims) * sizeof *expected);
    const int64_t slice = count(rank - tuple, dims + tuple);
    for (int64_t i = 0; i < 3 * slice; i++) {
      const int64_t k = join_index(tuple, dims, indices + i / slice * tuple) * slice + i % slice;
      expected[k] = combined(reduction, expected[k], ((const float *)t.inputs[2].data)[i]);
    }
    one_node_expect_floats(&t, expected, (size_t)count(rank, dims), 0);
    one_node_end(&t);
  }
}

/* Constant indices of a box, or nearly one: as exporters write an assignment to a slice. */
static void test_scatter_box(void **state) {
  (void)state;
  for (int round = 0; round < 100; round++) {
    int64_t dims[4], first[4], to[5], indices[MOST * 4], at[4];
    float expected[MOST];
    const char *const reduction = reductions[round % 5];
    const int rank = random_dims(1, dims), tuple = (int)one_node_between(1, rank);
    for (int d = 0; d < rank; d++) {
      first[d] = d < tuple ? one_node_between(0, dims[d] - 1) : 0;
      to[d] = d < tuple ? one_node_between(1, dims[d] - first[d]) : dims[d];
    }
    const int64_t tuples = count(tuple, to), slice = count(rank - tuple, dims + tuple);
    for (int64_t i = 0; i < tuples; i++) {
      split_index(tuple, to, i, at);
      for (int d = 0; d < tuple; d++) {
        indices[i * tuple + d] = first[d] + at[d];
      }
    }
    if (round % 4 == 3) { /* one tuple is another */
      indices[one_node_between(0, tuples * tuple - 1)] = round % 8 == 3 ? 0 : -1;
    }
    int64_t shape[5];
    memcpy(shape, to, (size_t)tuple * sizeof *to);
    shape[tuple] = tuple;
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, rank, dims, NULL);
    (void)one_node_const(&t, TARE_I64, tuple + 1, shape, indices);
    (void)one_node_input(&t, TARE_F32, rank, to, NULL);
    one_node_op(&t, "ScatterND", "", 18, 1);
    assert_true(tarei_attr_set_string(t.node, "reduction", reduction));
    one_node_run_ok(&t);
    memcpy(expected, t.inputs[0].data, (size_t)count(rank, dims) * sizeof *expected);
    for (int64_t i = 0; i < tuples * slice; i++) {
      const int64_t k = join_index(tuple, dims, indices + i / slice * tuple) * slice + i % slice;
      expected[k] = combined(reduction, expected[k], ((const float *)t.inputs[2].data)[i]);
    }
    one_node_expect_floats(&t, expected, (size_t)count(rank, dims), 0);
    one_node_end(&t);
  }
}

/* Slices so long that threads divide them; the same one is written twice. */
static void test_scatter_long_slices(void **state) {
  (void)state;
  enum { ROWS = 3, LONG = 20011, UPDATES = 4 };
  const int64_t dims[] = {ROWS, LONG}, indices[UPDATES] = {2, 0, 2, -1}, to[] = {UPDATES, LONG};
  for (int r = 0; r < 2; r++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 2, dims, NULL);
    (void)one_node_input(&t, TARE_I64, 2, (int64_t[]){UPDATES, 1}, indices);
    (void)one_node_input(&t, TARE_F32, 2, to, NULL);
    one_node_op(&t, "ScatterND", "", 18, 1);
    assert_true(tarei_attr_set_string(t.node, "reduction", reductions[r]));
    one_node_run_ok(&t);
    const float *const x = t.inputs[0].data, *const u = t.inputs[2].data;
    const float *const y = t.outputs[0].data;
    for (int64_t i = 0; i < LONG; i++) {
      const float sum = x[2 * LONG + i] + u[i] + u[2 * LONG + i] + u[3 * LONG + i];
      assert_true(y[LONG + i] == x[LONG + i]);
      assert_true(y[i] == u[LONG + i] + (r ? x[i] : 0));
      assert_true(y[2 * LONG + i] == (r ? sum : u[3 * LONG + i]));
    }
    one_node_end(&t);
  }
}

/* Integers wrap around, in their own width. */
static void test_scatter_integers(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I16, 1, (int64_t[]){2}, (int16_t[]){32767, -3});
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){3}, (int64_t[]){0, 1, -1});
  (void)one_node_input(&t, TARE_I16, 1, (int64_t[]){3}, (int16_t[]){2, 5, 7});
  one_node_op(&t, "ScatterElements", "", 16, 1);
  assert_true(tarei_attr_set_string(t.node, "reduction", "add"));
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, ((int16_t[]){-32767, 9}), 4);
  one_node_end(&t);
  one_node_start(&t);
  (void)one_node_input(&t, TARE_U64, 1, (int64_t[]){1}, (uint64_t[]){UINT64_MAX});
  (void)one_node_input(&t, TARE_I64, 2, (int64_t[]){1, 1}, (int64_t[]){0});
  (void)one_node_input(&t, TARE_U64, 1, (int64_t[]){1}, (uint64_t[]){1});
  one_node_op(&t, "ScatterND", "", 18, 1);
  assert_true(tarei_attr_set_string(t.node, "reduction", "max"));
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, ((uint64_t[]){UINT64_MAX}), 8);
  one_node_end(&t);
}

static void test_tile(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    int64_t dims[4], repeats[4], at[4];
    const int rank = random_dims(1, dims);
    for (int d = 0; d < rank; d++) {
      repeats[d] = one_node_between(round % 8 ? 1 : 0, 3);
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, types[round % TYPES], rank, dims, NULL);
    if (round & 1) { /* what only the run tells */
      (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){rank}, repeats);
    } else {
      (void)one_node_ints(&t, rank, repeats);
    }
    one_node_op(&t, "Tile", "", 13, 1);
    one_node_run_ok(&t);
    for (int d = 0; d < rank; d++) {
      assert_int_equal(t.outputs[0].dims[d], dims[d] * repeats[d]);
    }
    for (int64_t i = 0; i < tare_tensor_count(&t.outputs[0]); i++) {
      split_index(rank, t.outputs[0].dims, i, at);
      for (int d = 0; d < rank; d++) {
        at[d] %= dims[d];
      }
      one_node_expect_element(&t.outputs[0], i, &t.inputs[0], join_index(rank, dims, at));
    }
    one_node_end(&t);
  }
}

static void test_trilu(void **state) {
  (void)state;
  static const uint64_t zero = 0;
  for (int round = 0; round < 60; round++) {
    int64_t dims[4], at[4];
    const int rank = random_dims(2, dims);
    const int64_t k = round % 3 ? one_node_between(-5, 5) : 0;
    const bool upper = round & 1;
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, types[round % TYPES], rank, dims, NULL);
    if (round % 3) {
      (void)one_node_input(&t, TARE_I64, 0, NULL, &k);
    }
    one_node_op(&t, "Trilu", "", 14, 1);
    assert_true(tarei_attr_set_int(t.node, "upper", upper));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < tare_tensor_count(&t.outputs[0]); i++) {
      split_index(rank, dims, i, at);
      const int64_t distance = at[rank - 1] - at[rank - 2];
      if (upper ? distance >= k : distance <= k) {
        one_node_expect_element(&t.outputs[0], i, &t.inputs[0], i);
      } else {
        const size_t size = tare_dtype_size(t.inputs[0].dtype);
        assert_memory_equal((const char *)t.outputs[0].data + (size_t)i * size, &zero, size);
      }
    }
    one_node_end(&t);
  }
}

static void test_reverse_sequence(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    int64_t dims[4], lengths[4], at[4];
    const int rank = random_dims(2, dims), time = round & 1;
    for (int64_t b = 0; b < dims[!time]; b++) {
      lengths[b] = one_node_between(0, dims[time]);
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, types[round % TYPES], rank, dims, NULL);
    (void)one_node_input(&t, TARE_I64, 1, &dims[!time], lengths);
    one_node_op(&t, "ReverseSequence", "", 10, 1);
    assert_true(tarei_attr_set_int(t.node, "time_axis", time));
    assert_true(tarei_attr_set_int(t.node, "batch_axis", !time));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < tare_tensor_count(&t.outputs[0]); i++) {
      split_index(rank, dims, i, at);
      const int64_t length = lengths[at[!time]];
      at[time] = at[time] < length ? length - 1 - at[time] : at[time];
      one_node_expect_element(&t.outputs[0], i, &t.inputs[0], join_index(rank, dims, at));
    }
    one_node_end(&t);
  }
}

static void refuse(const char *const op, const int opset, const int64_t index, const int rank,
                   const char *const text) {
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){4, 3}, NULL);
  (void)one_node_input(&t, TARE_I64, rank, (int64_t[]){1, 1}, &index);
  if (strncmp(op, "Scatter", 7) == 0) {
    (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){1, strcmp(op, "ScatterND") ? 1 : 3}, NULL);
  }
  one_node_op(&t, op, "", opset, 1);
  one_node_refused(&t, TARE_E_INPUT, text);
}

static void test_refused(void **state) {
  (void)state;
  refuse("GatherElements", 13, 4, 2,
         "index 4 in 'x1' is out of range: expected -4..3 along axis 0");
  refuse("GatherND", 13, -5, 2, "index -5 in 'x1' is out of range: expected -4..3 along axis 0");
  refuse("ScatterElements", 13, INT64_MIN, 2,
         "in 'x1' is out of range: expected -4..3 along axis 0");
  refuse("ScatterND", 13, INT64_MAX, 2, "in 'x1' is out of range: expected -4..3 along axis 0");
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){4}, NULL);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, (int64_t[]){-1});
  one_node_op(&t, "Tile", "", 13, 1);
  one_node_refused(&t, TARE_E_INPUT, "'x1' repeats axis 0 of length 4 -1 times");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){4, 1}, NULL);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, (int64_t[]){5});
  one_node_op(&t, "ReverseSequence", "", 10, 1);
  one_node_refused(&t, TARE_E_INPUT, "length 5 in 'x1' is out of range: expected 0..4");
}

int indices_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gather_elements),
      cmocka_unit_test(test_gather_nd),
      cmocka_unit_test(test_scatter_elements),
      cmocka_unit_test(test_scatter_nd), cmocka_unit_test(test_scatter_box),
      cmocka_unit_test(test_scatter_long_slices),
      cmocka_unit_test(test_scatter_integers),
      cmocka_unit_test(test_tile),
      cmocka_unit_test(test_trilu),
      cmocka_unit_test(test_reverse_sequence),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
