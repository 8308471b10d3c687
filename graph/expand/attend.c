#include "graph/expand/attend.h"

#include <math.h>

int tarei_attend_reshape(tarei_build *const b, const int x, const int64_t *const dims,
                         const int n) {
  return tarei_build_binary(b, "Reshape", x, tarei_build_i64s(b, dims, n));
}

int tarei_attend_transpose(tarei_build *const b, const int x, const int64_t *const perm,
                           const int n) {
  const int y = tarei_build_unary(b, "Transpose", x);
  tarei_build_ints(b, "perm", perm, n);
  return y;
}

static const int64_t SWAP[] = {0, 2, 1, 3}; /* rows and heads */

int tarei_attend_split_heads(tarei_build *const b, const int x, const int64_t heads,
                             const int64_t d) {
  const int split = tarei_attend_reshape(b, x, (const int64_t[]){0, 0, heads, d}, 4);
  return tarei_attend_transpose(b, split, SWAP, 4);
}

int tarei_attend_merge_heads(tarei_build *const b, const int x, const int64_t width) {
  const int turned = tarei_attend_transpose(b, x, SWAP, 4);
  return tarei_attend_reshape(b, turned, (const int64_t[]){0, 0, width}, 3);
}

int tarei_attend_length(tarei_build *const b, const int x, const int axis) {
  const int length = tarei_build_unary(b, "Shape", x);
  tarei_build_int(b, "start", axis);
  tarei_build_int(b, "end", axis + 1);
  return tarei_build_binary(b, "Squeeze", length, tarei_build_i64s(b, (const int64_t[]){0}, 1));
}

int tarei_attend_positions(tarei_build *const b, const int x, const int axis) {
  const int in[] = {tarei_build_number(b, TARE_I64, 0), tarei_attend_length(b, x, axis),
                    tarei_build_number(b, TARE_I64, 1)};
  return tarei_build_node(b, "Range", in, 3);
}

int tarei_attend_repeat_heads(tarei_build *const b, const int x, const int64_t few,
                              const int64_t heads) {
  int64_t from[64];
  if (few == heads) {
    return x;
  }
  if (heads <= 64) {
    for (int64_t h = 0; h < heads; h++) {
      from[h] = h / (heads / few);
    }
    const int y = tarei_build_binary(b, "Gather", x, tarei_build_i64s(b, from, (int)heads));
    tarei_build_int(b, "axis", 1);
    return y;
  }
  const int in[] = {tarei_build_number(b, TARE_I64, 0),
                    tarei_build_number(b, TARE_I64, (double)heads),
                    tarei_build_number(b, TARE_I64, 1)};
  const int all = tarei_build_node(b, "Range", in, 3);
  const int each = tarei_build_number(b, TARE_I64, (double)(heads / few));
  const int y = tarei_build_binary(b, "Gather", x, tarei_build_binary(b, "Div", all, each));
  tarei_build_int(b, "axis", 1);
  return y;
}

int tarei_attend_unsqueeze(tarei_build *const b, const int x, const int64_t *const axes,
                           const int n) {
  return tarei_build_binary(b, "Unsqueeze", x, tarei_build_i64s(b, axes, n));
}

int tarei_attend_concat(tarei_build *const b, const int *const parts, const int n,
                        const int64_t axis) {
  const int y = tarei_build_node(b, "Concat", parts, n);
  tarei_build_int(b, "axis", axis);
  return y;
}

int tarei_attend_slice(tarei_build *const b, const int x, const int64_t axis, const int64_t from,
                       const int64_t to, const int64_t step) {
  const int in[] = {x, tarei_build_i64s(b, &from, 1), tarei_build_i64s(b, &to, 1),
                    tarei_build_i64s(b, &axis, 1), tarei_build_i64s(b, &step, 1)};
  return tarei_build_node(b, "Slice", in, 5);
}

int tarei_attend_add(tarei_build *const b, const int x, const int y) {
  return x < 0 ? y : y < 0 ? x : tarei_build_binary(b, "Add", x, y);
}

int tarei_attend_and(tarei_build *const b, const int x, const int y) {
  return x < 0 ? y : y < 0 ? x : tarei_build_binary(b, "And", x, y);
}

int tarei_attend_bias_of(tarei_build *const b, const tare_dtype dtype, const int allowed,
                         const double otherwise) {
  const int in[] = {allowed, tarei_build_number(b, dtype, 0),
                    tarei_build_number(b, dtype, otherwise)};
  return tarei_build_node(b, "Where", in, 3);
}

int tarei_attend_causal(tarei_build *const b, const int q, const int k, const int offset) {
  const int row =
      tarei_attend_unsqueeze(b, tarei_attend_positions(b, q, 2), (const int64_t[]){1}, 1);
  const int last = offset < 0 ? row : tarei_build_binary(b, "Add", row, offset);
  return tarei_build_binary(b, "LessOrEqual", tarei_attend_positions(b, k, 2), last);
}

static int cap(tarei_build *const b, const tarei_attend *const a, const int scores) {
  if (a->softcap == 0) {
    return scores;
  }
  const int limit = tarei_build_number(b, a->dtype, a->softcap);
  const int part = tarei_build_binary(b, "Div", scores, limit);
  return tarei_build_binary(b, "Mul", tarei_build_unary(b, "Tanh", part), limit);
}

/* A row that is masked all over is NaN behind its softmax, which nothing equals. */
static int guard(tarei_build *const b, const tarei_attend *const a, const int probabilities) {
  const int in[] = {tarei_build_binary(b, "Equal", probabilities, probabilities), probabilities,
                    tarei_build_number(b, a->dtype, 0)};
  return tarei_build_node(b, "Where", in, 3);
}

/* Softmax along the keys; of a row with a sink one score more takes its share. */
static int attend_softmax(tarei_build *const b, const tarei_attend *const a) {
  int scores = a->biased;
  if (a->sinks) {
    const int rows = tarei_build_unary(b, "Shape", scores);
    tarei_build_int(b, "end", 3);
    const int one = tarei_build_i64s(b, (const int64_t[]){1}, 1);
    const int shape = tarei_attend_concat(b, (const int[]){rows, one}, 2, 0);
    const int column = tarei_build_binary(b, "Expand", a->sink, shape);
    scores = tarei_attend_concat(b, (const int[]){scores, column}, 2, 3);
  }
  const int odds = tarei_build_unary(b, "Softmax", scores);
  tarei_build_int(b, "axis", -1);
  return a->sinks ? tarei_attend_slice(b, odds, 3, 0, -1, 1) : odds;
}

int tarei_attend_write(tarei_build *const b, tarei_attend *const a) {
  const int keys = tarei_attend_transpose(b, a->k, (const int64_t[]){0, 1, 3, 2}, 4);
  const int product = tarei_build_binary(b, "MatMul", a->q, keys);
  a->scores = tarei_build_binary(b, "Mul", product, tarei_build_number(b, a->dtype, a->scale));
  a->capped = cap(b, a, a->scores);
  a->biased = tarei_attend_add(b, a->capped, a->bias);
  a->probabilities = attend_softmax(b, a);
  if (a->guard) {
    a->probabilities = guard(b, a, a->probabilities);
  }
  return tarei_build_binary(b, "MatMul", a->probabilities, a->v);
}
