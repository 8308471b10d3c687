/* Operators that move elements, against index arithmetic written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

static const tare_dtype sizes[] = {TARE_U8, TARE_F16, TARE_F32, TARE_I64};

static int random_dims(const int least, int64_t *const dims) {
  const int rank = (int)one_node_between(least, 5);
  const int64_t most = rank < 3 ? 300 : rank < 4 ? 40 : 9;
  for (int d = 0; d < rank; d++) {
    dims[d] = one_node_between(0, 3) ? one_node_between(1, most) : 1;
  }
  return rank;
}

static void split_index(const tare_tensor *const x, int64_t flat, int64_t *const at) {
  for (int d = x->rank - 1; d >= 0; d--) {
    at[d] = flat % x->dims[d];
    flat /= x->dims[d];
  }
}

static int64_t join_index(const tare_tensor *const x, const int64_t *const at) {
  int64_t flat = 0;
  for (int d = 0; d < x->rank; d++) {
    assert_true(at[d] >= 0 && at[d] < x->dims[d]);
    flat = flat * x->dims[d] + at[d];
  }
  return flat;
}

/* A vector that is a constant, or that only the run tells. */
static void add_numbers(one_node *const t, const bool late, const int n,
                        const int64_t *const values) {
  (void)(late ? one_node_input(t, TARE_I64, 1, (int64_t[]){n}, values)
              : one_node_ints(t, n, values));
}

static void test_transpose(void **state) {
  (void)state;
  for (int round = 0; round < 120; round++) {
    int64_t dims[TARE_MAX_RANK], perm[TARE_MAX_RANK], at[TARE_MAX_RANK], from[TARE_MAX_RANK];
    int rank = random_dims(0, dims);
    for (int d = 0; d < rank; d++) {
      const int64_t k = one_node_between(0, d);
      perm[d] = perm[k];
      perm[k] = d;
    }
    if (round < 4) { /* rows enough for tall strips, and a rest of rows and columns */
      rank = 3;
      memcpy(dims, (int64_t[]){2, 37, 701}, 3 * sizeof *dims);
      memcpy(perm, (int64_t[]){0, 2, 1}, 3 * sizeof *perm);
    }
    const int64_t page = 4096 / (int64_t)tare_dtype_size(sizes[round % 4]);
    if (round >= 4 && round < 8) { /* rows of the output that meet in caches */
      rank = 2;
      memcpy(dims, (int64_t[]){page, 37}, 2 * sizeof *dims);
      memcpy(perm, (int64_t[]){1, 0}, 2 * sizeof *perm);
    } else if (round == 11) { /* columns of the input too */
      rank = 2;
      memcpy(dims, (int64_t[]){page, page / 2}, 2 * sizeof *dims);
      memcpy(perm, (int64_t[]){1, 0}, 2 * sizeof *perm);
    } else if (round >= 12 && round < 20) { /* pairs that stay together */
      rank = 4;
      memcpy(dims, (int64_t[]){3, 21, 18, 2}, 4 * sizeof *dims);
      const int64_t inner[] = {0, 2, 1, 3}, outer[] = {2, 1, 0, 3};
      memcpy(perm, round < 16 ? inner : outer, 4 * sizeof *perm);
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, sizes[round % 4], rank, dims, NULL);
    one_node_op(&t, "Transpose", "", 13, 1);
    assert_true(tarei_attr_set_ints(t.node, "perm", perm, rank));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < tare_tensor_count(&t.outputs[0]); i++) {
      split_index(&t.outputs[0], i, at);
      for (int d = 0; d < rank; d++) {
        from[perm[d]] = at[d];
      }
      one_node_expect_element(&t.outputs[0], i, &t.inputs[0], join_index(&t.inputs[0], from));
    }
    one_node_end(&t);
  }
}

/* Elements start, start + step, ... of an axis as Python has them. */
static int64_t python_start(int64_t start, const int64_t step, const int64_t n) {
  start += start < 0 ? n : 0;
  start = start < 0 ? (step > 0 ? 0 : -1) : start;
  return start >= n ? (step > 0 ? n : n - 1) : start;
}

static int64_t python_count(const int64_t start, const int64_t end, const int64_t step,
                            const int64_t n) {
  const int64_t a = python_start(start, step, n), b = python_start(end, step, n);
  const int64_t distance = step > 0 ? b - a : a - b, size = step > 0 ? step : -step;
  return distance <= 0 ? 0 : (distance + size - 1) / size;
}

static void test_slice(void **state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    int64_t dims[TARE_MAX_RANK], starts[TARE_MAX_RANK], ends[TARE_MAX_RANK], axes[TARE_MAX_RANK];
    int64_t steps[TARE_MAX_RANK], at[TARE_MAX_RANK];
    const int rank = random_dims(1, dims);
    for (int d = 0; d < rank; d++) {
      const int64_t n = dims[d];
      do {
        steps[d] = one_node_between(1, 3) * (one_node_bits() & 1 ? 1 : -1);
        starts[d] = one_node_between(-n, n - 1); /* beyond, clamping is the shape tests' matter */
        ends[d] = one_node_between(-n - 2, n + 2);
        ends[d] = one_node_between(0, 4) ? ends[d] : steps[d] > 0 ? INT64_MAX : INT64_MIN + 1;
      } while (python_count(starts[d], ends[d], steps[d], n) < 1);
      axes[d] = one_node_bits() & 1 ? d : d - rank;
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, sizes[round % 4], rank, dims, NULL);
    add_numbers(&t, round % 3 == 0, rank, starts);
    add_numbers(&t, round % 3 == 0, rank, ends);
    add_numbers(&t, round % 3 == 0, rank, axes);
    add_numbers(&t, round % 3 == 0, rank, steps);
    one_node_op(&t, "Slice", "", 13, 1);
    one_node_run_ok(&t);
    for (int d = 0; d < rank; d++) {
      assert_int_equal(t.outputs[0].dims[d], python_count(starts[d], ends[d], steps[d], dims[d]));
    }
    for (int64_t i = 0; i < tare_tensor_count(&t.outputs[0]); i++) {
      split_index(&t.outputs[0], i, at);
      for (int d = 0; d < rank; d++) {
        at[d] = python_start(starts[d], steps[d], dims[d]) + at[d] * steps[d];
      }
      one_node_expect_element(&t.outputs[0], i, &t.inputs[0], join_index(&t.inputs[0], at));
    }
    one_node_end(&t);
  }
}

static void test_concat_and_split(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    int64_t dims[TARE_MAX_RANK], at[TARE_MAX_RANK];
    const int rank = random_dims(1, dims), axis = (int)one_node_between(0, rank - 1);
    const int64_t lengths[2] = {one_node_between(1, 9), one_node_between(1, 9)};
    one_node t, s;
    one_node_start(&t);
    for (int k = 0; k < 2; k++) {
      dims[axis] = lengths[k];
      (void)one_node_input(&t, sizes[round % 4], rank, dims, NULL);
    }
    one_node_op(&t, "Concat", "", 13, 1);
    assert_true(tarei_attr_set_int(t.node, "axis", axis - rank));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < tare_tensor_count(&t.outputs[0]); i++) {
      split_index(&t.outputs[0], i, at);
      const int k = at[axis] >= lengths[0];
      at[axis] -= k ? lengths[0] : 0;
      one_node_expect_element(&t.outputs[0], i, &t.inputs[k], join_index(&t.inputs[k], at));
    }
    one_node_start(&s); /* and apart again */
    (void)one_node_input(&s, sizes[round % 4], rank, t.outputs[0].dims, t.outputs[0].data);
    add_numbers(&s, round % 3 == 0, 2, lengths);
    one_node_op(&s, "Split", "", 13, 2);
    assert_true(tarei_attr_set_int(s.node, "axis", axis));
    one_node_run_ok(&s);
    for (int k = 0; k < 2; k++) {
      assert_memory_equal(
          s.outputs[k].data, t.inputs[k].data,
          (size_t)tare_tensor_count(&t.inputs[k]) * tare_dtype_size(t.inputs[k].dtype));
    }
    one_node_end(&s);
    one_node_end(&t);
  }
}

static void test_gather(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    int64_t dims[TARE_MAX_RANK], indices[12], at[TARE_MAX_RANK];
    const int rank = random_dims(1, dims), axis = (int)one_node_between(0, rank - 1);
    for (int i = 0; i < 12; i++) {
      indices[i] = one_node_between(-dims[axis], dims[axis] - 1);
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, sizes[round % 4], rank, dims, NULL);
    (void)one_node_input(&t, TARE_I64, 2, (int64_t[]){3, 4}, indices);
    one_node_op(&t, "Gather", "", 13, 1);
    assert_true(tarei_attr_set_int(t.node, "axis", axis - rank));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < tare_tensor_count(&t.outputs[0]); i++) {
      split_index(&t.outputs[0], i, at);
      const int64_t index = indices[at[axis] * 4 + at[axis + 1]];
      at[axis] = index < 0 ? index + dims[axis] : index;
      memmove(at + axis + 1, at + axis + 2, (size_t)(rank - axis - 1) * sizeof *at);
      one_node_expect_element(&t.outputs[0], i, &t.inputs[0], join_index(&t.inputs[0], at));
    }
    one_node_end(&t);
  }
}

/* Position along an axis by walking, one step at a time; -1 for the fill value. */
static int64_t walk(const char *const mode, int64_t at, const int64_t n) {
  while (at < 0 || at >= n) {
    if (strcmp(mode, "constant") == 0) {
      return -1;
    }
    if (strcmp(mode, "wrap") == 0) {
      at += at < 0 ? n : -n;
    } else if (strcmp(mode, "edge") == 0 || n == 1) {
      at = at < 0 ? 0 : n - 1;
    } else {
      at = at < 0 ? -at : 2 * (n - 1) - at;
    }
  }
  return at;
}

static void test_pad(void **state) {
  (void)state;
  static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
  static const uint8_t fill[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int round = 0; round < 120; round++) {
    int64_t dims[TARE_MAX_RANK], pads[2 * TARE_MAX_RANK], at[TARE_MAX_RANK];
    const char *const mode = modes[one_node_between(0, 3)];
    const int rank = random_dims(1, dims);
    const int padded = one_node_between(0, 1) ? rank : (int)one_node_between(0, rank);
    memset(pads, 0, sizeof pads); /* of the axes behind */
    for (int d = 0; d < padded; d++) {
      const int64_t cut = (dims[d] - 1) / 3 > 3 ? 3 : (dims[d] - 1) / 3;
      const int64_t most =
          dims[d] - cut > 4 ? 4 : dims[d] - cut - 1; /* reflection needs one more */
      pads[d] = one_node_between(-cut, most);
      pads[rank + d] = one_node_between(-cut, most);
    }
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, sizes[round % 4], rank, dims, NULL);
    add_numbers(&t, round % 3 == 0, 2 * rank, pads);
    (void)one_node_const(&t, sizes[round % 4], 0, NULL, fill);
    one_node_op(&t, "Pad", "", 13, 1);
    assert_true(tarei_attr_set_string(t.node, "mode", mode));
    one_node_run_ok(&t);
    for (int64_t i = 0; i < tare_tensor_count(&t.outputs[0]); i++) {
      split_index(&t.outputs[0], i, at);
      bool filled = false;
      for (int d = 0; d < rank; d++) {
        const int64_t cut = pads[d] < 0 ? -pads[d] : 0, tail = pads[rank + d];
        const int64_t kept = dims[d] - cut + (tail < 0 ? tail : 0);
        const int64_t from = walk(mode, at[d] - pads[d] - cut, kept);
        at[d] = from < 0 ? -1 : from + cut;
        filled |= from < 0;
      }
      one_node_expect_element(&t.outputs[0], i, &t.inputs[filled ? 2 : 0],
                              filled ? 0 : join_index(&t.inputs[0], at));
    }
    one_node_end(&t);
  }
}

static void test_refused(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){4, 3}, NULL);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){2}, (int64_t[]){0, 4});
  one_node_op(&t, "Gather", "", 13, 1);
  one_node_refused(&t, TARE_E_INPUT,
                   "index 4 in 'x1' is out of range: expected -4..3 along axis 0");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){2, 4}, NULL);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){2, 7}, NULL);
  one_node_symbol(&t, 0, 1, "a");
  one_node_symbol(&t, 1, 1, "b");
  one_node_op(&t, "Concat", "", 13, 1);
  assert_true(tarei_attr_set_int(t.node, "axis", 0));
  one_node_refused(&t, TARE_E_SHAPE, "axis 1 of 'x1' has length 7, expected 4");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){6}, NULL);
  (void)one_node_ints(&t, 2, (int64_t[]){2, 9});
  one_node_symbol(&t, 0, 0, "a");
  one_node_op(&t, "Split", "", 13, 2);
  one_node_refused(&t, TARE_E_SHAPE, "the outputs leave -5 of axis 0");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){6}, NULL);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){2}, (int64_t[]){2, 9});
  one_node_op(&t, "Split", "", 13, 2);
  one_node_refused(&t, TARE_E_INPUT,
                   "size 9 in 'x1' is out of range: expected 0..4, the rest of axis 0");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){6}, NULL);
  (void)one_node_ints(&t, 2, (int64_t[]){0, 6});
  one_node_symbol(&t, 0, 0, "a");
  one_node_op(&t, "Pad", "", 13, 1);
  assert_true(tarei_attr_set_string(t.node, "mode", "reflect"));
  one_node_refused(&t, TARE_E_SHAPE,
                   "axis 0 of length 6 is too short for 6 pads in mode 'reflect'");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){6}, NULL);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, (int64_t[]){0});
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, (int64_t[]){2});
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, (int64_t[]){1});
  one_node_op(&t, "Slice", "", 13, 1);
  one_node_refused(&t, TARE_E_INPUT, "cannot slice axis 1 of rank 1");
}

int movement_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transpose),
      cmocka_unit_test(test_slice),
      cmocka_unit_test(test_concat_and_split),
      cmocka_unit_test(test_gather),
      cmocka_unit_test(test_pad),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
