#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

static void reshape_targets(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Reshape", 13, "f32[batch, 96, frames]; i64{0, 96, -1}", "", "f32[batch, 96, frames]"},
      {"Reshape", 13, "f32[b, s, 96]; i64[4]{b, s, 4, -1}", "", "f32[b, s, 4, 24]"},
      {"Reshape", 13, "f32[b, s, 4, 24]; i64[3]{b, s, 96}", "", "f32[b, s, 96]"},
      {"Reshape", 5, "f32[b, s, 4, 24]; i64{0, 0, -1}", "", "f32[b, s, 96]"},
      {"Reshape", 13, "f32[b, s, 96]; i64{-1, 96}", "", "f32[b*s, 96]"},
      {"Reshape", 13, "f32[b*s, 96]; i64[3]{b, -1, 96}", "", "f32[b, s, 96]"},
      {"Reshape", 13, "f32[b, (t + 2) / 5 + 1, 96]; i64[3]{b, -1, 32}", "",
       "f32[b, 3*((t + 2) / 5) + 3, 32]"},
      {"Reshape", 13, "f32[b, t]; i64{-1}", "", "f32[b*t]"},
      {"Reshape", 13, "f32[1, 1]; i64{}", "", "f32[]"},
      {"Reshape", 13, "f32[b, t]; i64[2]{t, ?}", "", "f32[t, b]"},
      {"Reshape", 13, "f32[b, t]; i64{2, -1}", "", "f32[2, b*t / 2]"},
      {"Reshape", 14, "f32[0, 4]; i64{4, 0}", "allowzero=1", "f32[4, 0]"},
      {"Reshape", 14, "f32[2, 4]; i64{4, 0}", "", "MODEL: to [4, 4]"},
      {"Reshape", 13, "f32[2, 3]; i64{4, -1}", "", "MODEL: cannot reshape [2, 3] to [4, -1]"},
      {"Reshape", 13, "f32[2, 3]; i64{7}", "", "MODEL: cannot reshape"},
      {"Reshape", 13, "f32[0, 3]; i64{0, -1}", "", "MODEL: cannot reshape"},
      {"Reshape", 13, "f32[b, 3]; i64{-1, -1}", "", "MODEL: more than once"},
      {"Reshape", 13, "f32[b, 3]; i64{-2, 3}", "", "MODEL: -2 at 0"},
      {"Reshape", 13, "f32[b, 3]; i64{-1, 3, 0}", "", "MODEL: 0 at 2"},
      {"Reshape", 13, "f32[b, 3]; i64[2]", "", "f32[~1.0, ~1.1]"},
      {"Reshape", 13, "f32[b, 3]; i64[1]", "", "f32[3*b]"},
      {"Reshape", 13, "f32[b, 3]; i64[3]{b, ?, -1}", "", "f32[b, ~1.0, ~1.1]"},
      {"Reshape", 13, "f32[b, 3]; i64[n]", "", "UNSUPPORTED: at run time"},
      {"Reshape", 13, "f32[b]; i64{1, 1, 1, 1, 1, 1, 1, 1, -1}", "", "UNSUPPORTED: rank 9"},
      {"Reshape", 13, "f32[b, 4]; i64{9223372036854775807, 9223372036854775807}", "",
       "LIMIT: takes more than"},
      {"Reshape", 13, "i64[2]{n, 3}; i64{1, 2}", "", "i64[1, 2]{n, 3}"},
      {"Reshape", 13, "f32[b, s, 96]", "dims=<b*s,96>", "f32[b*s, 96]"},
      {"Reshape", 13, "f32[b, 4]", "dims=<b,5>", "MODEL: cannot reshape"},
      {"Reshape", 13, "f32[b, 4]", "dims=<~7.0,4>", "MODEL: uses a dim that no earlier node"},
      {"Reshape", 13, "f32[b, 4]", "dims='b;4'", "MODEL: neither a shape input nor"},
      {"Reshape", 13, "f32[b, 4]", "", "MODEL: shape"},
  };
  OPS_CHECK(cases);
}

static void transposes(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Transpose", 13, "f32[b, 3, t]", "perm=[0,2,1]", "f32[b, t, 3]"},
      {"Transpose", 13, "f32[b, 3, t]", "", "f32[t, 3, b]"},
      {"Transpose", 13, "f32[]", "", "f32[]"},
      {"Transpose", 13, "i64[2, 2]{a, b, 3, 4}", "", "i64[2, 2]{a, 3, b, 4}"},
      {"Transpose", 13, "f32[b, 3]", "perm=[0,0]", "MODEL: not a permutation"},
      {"Transpose", 13, "f32[b, 3]", "perm=[0,2]", "MODEL: not a permutation"},
      {"Transpose", 13, "f32[b, 3]", "perm=[-1,0]", "MODEL: not a permutation"},
      {"Transpose", 13, "f32[b, 3]", "perm=[0,1,2]", "MODEL: 3 elements, expected 2"},
      {"Flatten", 13, "f32[b, 3, t]", "", "f32[b, 3*t]"},
      {"Flatten", 13, "f32[b, 3, t]", "axis=0", "f32[1, 3*b*t]"},
      {"Flatten", 13, "f32[b, 3, t]", "axis=3", "f32[3*b*t, 1]"},
      {"Flatten", 11, "f32[b, 3, t]", "axis=-1", "f32[3*b, t]"},
      {"Flatten", 13, "f32[b]", "axis=2", "MODEL: axis 2"},
      {"Identity", 13, "i64[1]{n}", "", "i64[1]{n}"},
  };
  OPS_CHECK(cases);
}

static void squeezing(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Squeeze", 11, "f32[b, 1, t]", "axes=[1]", "f32[b, t]"},
      {"Squeeze", 13, "f32[b, 1, t]; i64{-2}", "", "f32[b, t]"},
      {"Squeeze", 13, "f32[1, 3, 1]", "", "f32[3]"},
      {"Squeeze", 13, "f32[b, t]; i64{0}", "", "f32[t]"},
      {"Squeeze", 13, "f32[b, 1]", "", "f32[~1.0]"},
      {"Squeeze", 13, "f32[b + 1, 1]", "", "f32[b + 1]"},
      {"Squeeze", 13, "f32[b, 2]; i64{1}", "", "MODEL: is not 1"},
      {"Squeeze", 13, "f32[1]; i64[1]", "", "f32[]"},
      {"Squeeze", 13, "f32[b, 1]; i64[1]", "", "f32[~1.0]"},
      {"Squeeze", 13, "f32[b]; i64[2]", "", "MODEL: removes 2 axes from a tensor of rank 1"},
      {"Squeeze", 13, "f32[b]; i64[n]", "", "UNSUPPORTED: at run time"},
      {"Squeeze", 13, "i64[1]{n}; i64{0}", "", "i64[]{n}"},
      {"Squeeze", 11, "f32[1]", "axes=[9223372036854775807]", "MODEL: out of range"},
      {"Unsqueeze", 11, "f32[b, t]", "axes=[1,3]", "f32[b, 1, t, 1]"},
      {"Unsqueeze", 13, "f32[b, t]; i64{-1, 0}", "", "f32[1, b, t, 1]"},
      {"Unsqueeze", 13, "i64[]{n}; i64{0}", "", "i64[1]{n}"},
      {"Unsqueeze", 13, "f32[b]; i64#0", "", "f32[1, b]"},
      {"Unsqueeze", 13, "f32[b]", "", "MODEL: axes are missing"},
      {"Unsqueeze", 13, "f32[b]; i64{2}", "", "MODEL: axis 2"},
      {"Unsqueeze", 13, "f32[b]; i64{0, 0}", "", "MODEL: duplicate axis"},
      {"Unsqueeze", 13, "f32[b]; i64[1]", "", "f32[~1.0, ~1.1]"},
      {"Unsqueeze", 13, "f32[b]; i64[8]", "", "UNSUPPORTED: rank of the output exceeds 8"},
      {"Unsqueeze", 13, "f32[b]; i64[k]", "", "UNSUPPORTED: at run time"},
      {"Unsqueeze", 11, "f32[b]", "axes=[0,1,2,3,4,5,6,7]",
       "UNSUPPORTED: rank of the output exceeds 8"},
      {"Unsqueeze", 11, "f32[b]", "axes=0", "MODEL: not a list"},
  };
  OPS_CHECK(cases);
}

static void slicing(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Slice", 9, "f32[b, t, 8]", "starts=[1] ends=[9223372036854775807] axes=[1]",
       "f32[b, t - 1, 8]"},
      {"Slice", 13, "f32[b, t, 8]; i64{0}; i64{-1}; i64{1}", "", "f32[b, t - 1, 8]"},
      {"Slice", 13, "f32[b, t, 8]; i64{-1}; i64{9223372036854775807}; i64{1}", "", "f32[b, 1, 8]"},
      {"Slice", 13, "f32[b, t]; i64{0}; i64{10}; i64{1}", "", "f32[b, min(t, 10)]"},
      {"Slice", 13, "f32[b, t]; i64{5}; i64{2147483647}; i64{1}", "", "f32[b, max(t - 5, 0)]"},
      {"Slice", 13, "f32[b, t]; i64{-5}; i64{2147483647}; i64{1}", "", "f32[b, min(t, 5)]"},
      {"Slice", 13, "f32[1, 512]; i64{0}; i64[1]{t}; i64{1}", "", "f32[1, min(t, 512)]"},
      {"Slice", 13, "f32[b, t]; i64{0}; i64[1]{t}; i64{1}", "", "f32[b, t]"},
      {"Slice", 13, "f32[t + 5]; i64[1]{t}; i64{9223372036854775807}; i64{0}", "", "f32[5]"},
      {"Slice", 13, "f32[t]; i64[1]{-n}; i64{9223372036854775807}", "", "f32[min(t, n)]"},
      {"Slice", 13, "f32[b, t]; i64{0}; i64{9223372036854775807}; i64{1}; i64{2}", "",
       "f32[b, (t + 1) / 2]"},
      {"Slice", 13, "f32[b, t]; i64{-1}; i64{-9223372036854775808}; i64{1}; i64{-1}", "",
       "f32[b, t]"},
      {"Slice", 13, "f32[10]; i64{8}; i64{1}; i64{0}; i64{-3}", "", "f32[3]"},
      {"Slice", 13, "f32[10]; i64{5}; i64{2}", "", "f32[0]"},
      {"Slice", 13, "f32[10]; i64{-100}; i64{100}", "", "f32[10]"},
      {"Slice", 13, "f32[10]; i64{-100}; i64{9223372036854775807}", "", "f32[10]"},
      {"Slice", 13, "f32[10]; i64{0}; i64{9223372036854775807}; -; i64{9223372036854775807}", "",
       "f32[1]"},
      {"Slice", 13, "i64[4]{b, 2, t, 9}; i64{1}; i64{3}", "", "i64[2]{2, t}"},
      {"Slice", 13, "i64[4]{b, 2, t, 9}; i64{-1}; i64{-9223372036854775808}; i64{0}; i64{-1}", "",
       "i64[4]{9, t, 2, b}"},
      {"Slice", 13, "i64[2, 2]{a, b, 3, 4}; i64{-1}; i64{-9223372036854775807}; i64{0}; i64{-1}",
       "", "i64[2, 2]{3, 4, a, b}"},
      {"Slice", 13, "i64[3]{a, b, c}; i64{7}; i64{9}", "", "i64[0]"},
      {"Slice", 13, "f32[t]; i64[1]; i64{5}", "", "f32[~1.0]"},
      {"Slice", 13, "f32[t, u]; i64[n]; i64{5}", "", "f32[~1.0, ~1.1]"},
      {"Slice", 13, "f32[t, u]; i64{1}; i64{5}; i64[1]", "", "f32[~1.0, ~1.1]"},
      {"Slice", 13, "f32[t, u]; i64[2]{0, ?}; i64{5, 6}", "", "f32[min(t, 5), ~1.0]"},
      {"Slice", 13, "f32[t]; i64{0}; i64{1}; i64{0}; i64{0}", "", "MODEL: step along axis 0 is 0"},
      {"Slice", 13, "f32[t]; i64{0}; i64{1}; i64{0}; i64{-9223372036854775808}", "", "f32[0]"},
      {"Slice", 13, "f32[t]; i64{0}; i64{1}; i64{0}; i64[1]{t}", "", "f32[~1.0]"},
      {"Slice", 13, "f32[t]; i64{0, 1}; i64{1}", "", "MODEL: 2 starts, 1 ends"},
      {"Slice", 13, "f32[t]; i64{0, 1}; i64{1, 2}", "",
       "MODEL: 2 starts, 2 ends, 2 steps and 1 axes"},
      {"Slice", 13, "f32[t]; i64{0}; i64{1}; i64{1}", "", "MODEL: axis 1"},
      {"Slice", 9, "f32[t]", "", "MODEL: no starts"},
      {"Slice", 9, "f32[t]", "starts=[0] ends=[1] axes=[0,0]", "MODEL: duplicate axis"},
      {"Slice", 9, "f32[t]", "starts=[0,0,0,0,0,0,0,0,0] ends=[1]", "MODEL: 9 starts, 1 ends"},
  };
  OPS_CHECK(cases);
}

static void splitting(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Split", 11, "f32[b, 9]", "axis=1 split=[2,7]", "f32[b, 2]; f32[b, 7]"},
      {"Split", 13, "f32[b, t]; i64[2]{3, t - 3}", "axis=1", "f32[b, 3]; f32[b, t - 3]"},
      {"Split", 11, "f32[b, 9]", "axis=-1", "f32[b, 3]; f32[b, 3]; f32[b, 3]"},
      {"Split", 13, "f32[2*t]", "", "f32[t]; f32[t]"},
      {"Split", 18, "f32[7]", "num_outputs=3", "f32[3]; f32[3]; f32[1]"},
      {"Split", 13, "i64[3]{a, b, 4}; i64{1, 2}", "", "i64[1]{a}; i64[2]{b, 4}"},
      {"Split", 11, "f32[7]", "", "MODEL: does not split into 2 equal parts;"},
      {"Split", 11, "f32[7]", "split=[3,3]", "MODEL: axis: [6, 7];"},
      {"Split", 11, "f32[7]", "split=[7]", "MODEL: 1 sizes for 2 outputs;"},
      {"Split", 18, "f32[7]", "num_outputs=4", "MODEL: 2 outputs;"},
      {"Split", 11, "f32[7]", "split=[-1,8]", "MODEL: would be negative: -1;"},
      {"Split", 13, "f32[7]; i64[2]", "", "f32[~1.0]; f32[~1.1]"},
      {"Split", 13, "f32[b, t]; i64[2]{3, ?}", "axis=1", "f32[b, 3]; f32[b, ~1.0]"},
      {"Split", 18, "f32[5]", "num_outputs=4", "MODEL: would be negative: -1;;;"},
      {"Split", 11, "f32[7]", "axis=1", "MODEL: axis 1"},
      {"Split", 11, "f32[]", "", "MODEL: axis 0 is out of range for rank 0"},
  };
  OPS_CHECK(cases);
}

static void joining(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Concat", 13, "f32[b, 3, t]; f32[b, 4, t]", "axis=1", "f32[b, 7, t]"},
      {"Concat", 13, "f32[b, t]; f32[2, 5]", "axis=-1", "f32[2, t + 5]"},
      {"Concat", 13, "i64[1]{b}; i64{4}; i64[1]", "axis=0", "i64[3]{b, 4, ?}"},
      {"Concat", 13, "i64{}; i64{4}", "axis=0", "i64[1]{4}"},
      {"Concat", 13, "f32[2, t]; f32[3, t]", "axis=1",
       "MODEL: 'x1' of shape [3, t] cannot be concatenated"},
      {"Concat", 13, "f32[2]; i64[2]", "axis=0", "MODEL: are float32 and int64"},
      {"Concat", 13, "f32[2]; f32[2, 1]", "axis=0", "MODEL: has rank 2"},
      {"Concat", 13, "f32[2]", "axis=1", "MODEL: axis 1"},
      {"Concat", 13, "f32[]", "axis=0", "MODEL: has rank 0"},
      {"Concat", 13, "f32[9223372036854775807]; f32[1]", "axis=0", "MODEL: exceeds 64 bits"},
  };
  OPS_CHECK(cases);
}

static void gathering(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Gather", 13, "f32[1000, 64]; i64[b, t]", "", "f32[b, t, 64]"},
      {"Gather", 13, "f32[b, t, 8]; i64#-1", "axis=1", "f32[b, 8]"},
      {"Gather", 13, "i64[3]{b, t, 8}; i64#1", "", "i64[]{t}"},
      {"Gather", 13, "i64[3]{b, t, 8}; i64{-1, 0}", "", "i64[2]{8, b}"},
      {"Gather", 13, "i64[3]{b, t, 8}; i64[1]", "", "i64[1]"},
      {"Gather", 13, "f32[4]; i64{4}", "", "MODEL: index 4 is out of range for an axis of 4"},
      {"Gather", 13, "i64[3]{b, t, 8}; i64#-4", "", "MODEL: index -4"},
      {"Gather", 13, "i64[2, 2]{a, b, c, d}; i64#1", "", "i64[2]{c, d}"},
      {"Gather", 13, "i64[2, 2]{a, b, c, d}; i64{-1}", "axis=1", "i64[2, 1]{b, d}"},
      {"Gather", 13, "f32[4]; f32[1]", "", "MODEL: expected int64 or int32"},
      {"Gather", 13, "f32[a, b, c, d, e]; i64[a, b, c, d, e]", "", "UNSUPPORTED: rank 9"},
      {"Gather", 13, "f32[]; i64#0", "", "MODEL: axis 0"},
  };
  OPS_CHECK(cases);
}

static void gathering_elements(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"GatherElements", 13, "f32[b, t]; i64[b, 3]", "axis=1", "f32[b, 3]"},
      {"GatherElements", 11, "i64[2, 2]{a, b, c, d}; i64[1, 2]{1, -2}", "", "i64[1, 2]{c, b}"},
      {"GatherElements", 11, "f32[2, 3]; i32[3, 1]", "axis=1", "MODEL: along axis 0"},
      {"GatherElements", 11, "f32[2, 3]; i64[2]", "", "MODEL: has rank 1, expected 2"},
      {"GatherElements", 11, "f32[2]; i64{2}", "", "MODEL: index 2 is out of range"},
      {"GatherND", 13, "f32[b, t, 8]; i64[n, 2]", "", "f32[n, 8]"},
      {"GatherND", 12, "f32[b, t, 8]; i64[b, 5, 1]", "batch_dims=1", "f32[b, 5, 8]"},
      {"GatherND", 12, "f32[b, t, 8]; i64[3]", "", "f32[]"},
      {"GatherND", 12, "i64[3]{a, b, c}; i64[2, 1]{2, -3}", "", "i64[2]{c, a}"},
      {"GatherND", 12, "i64[3]{a, b, c}; i64[1, 1]{3}", "", "MODEL: index 3 is out of range"},
      {"GatherND", 12, "f32[b, t]; i64[n, 3]", "", "MODEL: is 3, expected 1 to 2"},
      {"GatherND", 12, "f32[b, t]; i64[n, k]", "", "UNSUPPORTED: is not constant"},
      {"GatherND", 12, "f32[b, t]; i64[n, 1]", "batch_dims=2",
       "MODEL: is 2, out of range for inputs of rank"},
      {"GatherND", 12, "f32[3, t]; i64[4, 1]", "batch_dims=1", "MODEL: along batch axis 0"},
  };
  OPS_CHECK(cases);
}

static void scattering(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"ScatterElements", 11, "f32[b, t]; i64[b, 3]; f32[b, 3]", "axis=1", "f32[b, t]"},
      {"Scatter", 9, "f32[b, t]; i32[1, 3]; f32[1, 3]", "", "f32[b, t]"},
      {"ScatterElements", 11, "i64[3]{a, b, c}; i64{-1, 0}; i64[2]{7, t}", "", "i64[3]{t, b, 7}"},
      {"ScatterElements", 16, "i64[1]{a}; i64{0}; i64{1}", "reduction='add'", "i64[1]"},
      {"ScatterElements", 11, "i64[1]{a}; i64{1}; i64{1}", "", "i64[1]"},
      {"ScatterElements", 16, "f32[2]; i64[1]; f32[1]", "reduction='max'",
       "MODEL: 'max', which opset"},
      {"ScatterElements", 18, "f32[2]; i64[1]; f32[2]", "", "MODEL: have shape [2], expected [1]"},
      {"ScatterElements", 18, "f32[2]; i64[1]; i64[1]", "", "MODEL: are float32 and int64"},
      {"ScatterND", 13, "f32[b, t, 8]; i64[n, 1]; f32[n, t, 8]", "", "f32[b, t, 8]"},
      {"ScatterND", 13, "i64[3]{a, b, c}; i64[2, 1]{0, 2}; i64[2]{7, t}", "", "i64[3]{7, b, t}"},
      {"ScatterND", 13, "i64[2, 2]{a, b, c, d}; i64[1, 1]{-1}; i64[1, 2]{7, t}", "",
       "i64[2, 2]{a, b, 7, t}"},
      {"ScatterND", 13, "f32[b, t]; i64[n, 3]; f32[n]", "", "MODEL: is 3 for data of rank 2"},
      {"ScatterND", 13, "f32[b, t]; i64[n, k]; f32[n]", "", "UNSUPPORTED: is not constant"},
      {"ScatterND", 13, "f32[4]; i64[3, 1]; f32[2]", "", "MODEL: expected [3]"},
  };
  OPS_CHECK(cases);
}

static void repeating(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Tile", 13, "f32[b, t]; i64{1, 3}", "", "f32[b, 3*t]"},
      {"Tile", 6, "f32[b, t]; i64[2]{t, ?}", "", "f32[b*t, ~1.0]"},
      {"Tile", 13, "f32[b, t]; i64[n]", "", "f32[~1.0, ~1.1]"},
      {"Tile", 13, "i64[2]{a, b}; i64{2}", "", "i64[4]{a, b, a, b}"},
      {"Tile", 13, "f32[b, t]; i64{0, 1}", "", "f32[0, t]"},
      {"Tile", 13, "f32[b, t]; i64{2}", "", "MODEL: 1 repeats for an input of rank 2"},
      {"Tile", 13, "f32[t]; i64{-1}", "", "MODEL: cannot repeat axis 0 -1 times"},
      {"Trilu", 14, "f32[b, t, t]", "", "f32[b, t, t]"},
      {"Trilu", 14, "bool[t, t]; i64#-1", "upper=0", "bool[t, t]"},
      {"Trilu", 14, "f32[t]", "", "MODEL: has rank 1, expected 2"},
      {"Trilu", 14, "f32[t, t]; i64{1, 2}", "", "MODEL: must be one number"},
      {"ReverseSequence", 10, "f32[t, b, 8]; i64[b]", "", "f32[t, b, 8]"},
      {"ReverseSequence", 10, "f32[4, 3]; i64[3]", "batch_axis=0 time_axis=1",
       "MODEL: has shape [3], expected [4]"},
      {"ReverseSequence", 10, "f32[4, 3]; i64[3]", "time_axis=1", "MODEL: in either order"},
  };
  OPS_CHECK(cases);
}

static void resizing(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Resize", 10, "f32[b, 3, t]; f32{1, 1, 2}", "", "f32[b, 3, 2*t]"},
      {"Resize", 11, "f32[b, 3, t]; f32{}; f32{1, 1, 0.5}", "", "f32[b, 3, t / 2]"},
      {"Resize", 13, "f32[b, t]; -; f32{1, 0.7}", "", "f32[b, 7*t / 10]"},
      {"Resize", 13, "f32[10]; -; f32{0.7}", "", "f32[7]"},
      {"Resize", 13, "f32[b, 3, t]; -; f32{}; i64[3]{b, 3, n}", "", "f32[b, 3, n]"},
      {"Resize", 18, "f32[b, 3, t]; -; f32{1.5}", "axes=[-1]", "f32[b, 3, 3*t / 2]"},
      {"Resize", 13, "f32[b, t]; -; f32[2]", "", "f32[~1.0, ~1.1]"},
      {"Resize", 13, "f32[b, t]; -; -; i64[2]{b, ?}", "", "f32[b, ~1.0]"},
      {"Resize", 18, "f32[4, 6]; -; -; i64{2, 2}", "keep_aspect_ratio_policy='not_larger'",
       "f32[1, 2]"},
      {"Resize", 18, "f32[4, 6]; -; -; i64{2, 2}", "keep_aspect_ratio_policy='not_smaller'",
       "f32[2, 3]"},
      {"Resize", 13, "f32[b, t]", "", "MODEL: neither scales nor sizes"},
      {"Resize", 13, "f32[b]; -; f32{1}; i64{1}", "", "MODEL: both scales and sizes"},
      {"Resize", 13, "f32[b]; -; f32{1, 2}", "", "MODEL: has shape [2], expected [1]"},
      {"Resize", 13, "f32[b]; -; f32{1}", "mode='area'", "MODEL: 'area'"},
      {"Upsample", 9, "f32[b, t]", "", "MODEL: no scales"},
      {"DepthToSpace", 1, "f32[b, 6, 2, 2]", "blocksize=2",
       "MODEL: axis 1 has length 6, which is not a multiple"},
      {"DepthToSpace", 1, "f32[b, 8, 2, 2]", "", "MODEL: expected 1 to 32767, got 0"},
      {"SpaceToDepth", 13, "f32[b, 3, 5, 4]", "blocksize=2",
       "MODEL: axis 2 has length 5, which is not a multiple"},
  };
  OPS_CHECK(cases);
}

static void expanding(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Expand", 13, "f32[1, t]; i64[3]{b, 1, t}", "", "f32[b, 1, t]"},
      {"Expand", 13, "f32[b, 1]; i64{4}", "", "f32[b, 4]"},
      {"Expand", 13, "i64[1]{n}; i64{2}", "", "i64[2]{n, n}"},
      {"Expand", 13, "f32[b, t]", "dims=<b,t>", "f32[b, t]"},
      {"Expand", 13, "f32[3]; i64{4}", "", "MODEL: do not broadcast"},
      {"Expand", 13, "f32[3]; i64{-1}", "", "MODEL: dim of -1"},
      {"Expand", 13, "f32[3]; i64[1]", "", "f32[3]"},
      {"Expand", 13, "f32[1]; i64[2]{?, 4}", "", "f32[~1.0, 4]"},
      {"Expand", 13, "f32[b, 3]; i64[3]", "", "f32[~1.0, ~1.1, 3]"},
      {"Expand", 13, "f32[b, 3]; i64[3]{?, 4, ?}", "", "f32[~1.0, 4, 3]"},
      {"Expand", 13, "f32[3]; i64[k]", "", "UNSUPPORTED: at run time"},
      {"Expand", 13, "f32[3]; i64{1, 1, 1, 1, 1, 1, 1, 1, 1}", "", "UNSUPPORTED: rank 9"},
      {"ConstantOfShape", 9, "i64[2]{b, 4}", "", "f32[b, 4]"},
      {"ConstantOfShape", 9, "i64{}", "", "f32[]"},
      {"ConstantOfShape", 9, "i64[2]{?, b}", "", "f32[~1.0, b]"},
      {"ConstantOfShape", 9, "i64[n]", "", "UNSUPPORTED: at run time"},
      {"ConstantOfShape", 9, "i64{-3}", "", "MODEL: dim of -3"},
      {"Range", 11, "i64#0; i64[]{t}; i64#1", "", "i64[t]"},
      {"Range", 11, "i64#0; i64[]{t}; i64#3", "", "i64[(t + 2) / 3]"},
      {"Range", 11, "i64#5; i64#0; i64#-2", "", "i64[3]{5, 3, 1}"},
      {"Range", 11, "i64[]{t}; i64[]{t + 3}; i64#1", "", "i64[3]{t, t + 1, t + 2}"},
      {"Range", 11, "f32#0; f32#3; f32#1", "", "f32[3]"},
      {"Range", 11, "i64#3; i64#0; i64#1", "", "i64[0]"},
      {"Range", 11, "i64#0; i64[]; i64#1", "", "i64[~1.0]"},
      {"Range", 11, "i64#0; i64#5; i64#0", "", "MODEL: delta is 0"},
      {"Range", 11, "f32#0.5; f32#3; f32#1", "", "f32[3]"},
      {"Range", 11, "f32#3; f32#0; f32#-0.75", "", "f32[4]"},
      {"Range", 11, "f32#0; f32#3; f32#0", "", "MODEL: delta 0 describe no range"},
      {"Range", 11, "f32#0; f32#nan; f32#1", "", "MODEL: describe no range"},
      {"Range", 11, "i64#-9223372036854775808; i64#9223372036854775807; i64#1", "",
       "MODEL: exceeds 64 bits"},
      {"Shape", 13, "f32[b, t, 8]", "", "i64[3]{b, t, 8}"},
      {"Shape", 15, "f32[b, t, 8]", "start=1", "i64[2]{t, 8}"},
      {"Shape", 15, "f32[b, t, 8]", "start=-9 end=-1", "i64[2]{b, t}"},
      {"Shape", 15, "f32[b]", "start=1 end=0", "i64[0]"},
      {"Shape", 15, "f32[b, t]", "start=-9223372036854775808 end=9223372036854775807",
       "i64[2]{b, t}"},
      {"Shape", 13, "f32[]", "", "i64[0]"},
      {"Size", 13, "f32[b, t, 8]", "", "i64[]{8*b*t}"},
      {"Size", 13, "f32[]", "", "i64[]{1}"},
  };
  OPS_CHECK(cases);
}

static void padding(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Pad", 2, "f32[b, 3, t]", "pads=[0,0,2,0,1,3]", "f32[b, 4, t + 5]"},
      {"Pad", 13, "f32[b, t]; i64{0, 2, 0, -1}; f32#0", "", "f32[b, t + 1]"},
      {"Pad", 18, "f32[b, 3, t]; i64{1, 1}; -; i64{-1}", "mode='edge'", "f32[b, 3, t + 2]"},
      {"Pad", 13, "f32[b, t]; i64[4]{0, 0, 0, n}", "", "f32[b, n + t]"},
      {"Pad", 13, "f32[2, 4]; i64{0, 3, 0, 3}", "mode='reflect'", "f32[2, 10]"},
      {"Pad", 13, "f32[2, 4]; i64{0, 4, 0, 0}", "mode='reflect'",
       "MODEL: reflection needs pads shorter than the axis"},
      {"Pad", 13, "f32[2, 4]; i64{0, 4, 0}", "", "MODEL: 3 pads for 2 axes, expected 4"},
      {"Pad", 13, "f32[4]; i64{-3, -3}", "", "MODEL: would be negative: -2"},
      {"Pad", 13, "f32[4]; i64{0, 0}", "mode='some'", "MODEL: 'some'"},
      {"Pad", 2, "f32[4]", "", "MODEL: no list of pads"},
      {"Pad", 13, "f32[4]; i64[2]", "", "f32[~1.0]"},
      {"Pad", 13, "f32[b, t]; i64[4]{0, ?, 1, 2}", "", "f32[b + 1, ~1.0]"},
      {"Pad", 18, "f32[b, t]; i64{1, 1}; -; i64[1]", "", "f32[~1.0, ~1.1]"},
      {"Pad", 13, "i64[2]{b, t}; i64{1, 0}; i64#7", "", "i64[3]{7, b, t}"},
      {"Pad", 13, "i64[2]{b, t}; i64{-1, 1}", "", "i64[2]{t, 0}"},
      {"Pad", 13, "i64[2]{b, t}; i64{-9223372036854775807, 9223372036854775807}", "", "i64[2]"},
      {"Pad", 13, "f32[4]; i64{0, 1}; i64#0", "", "MODEL: are float32 and int64"},
      {"Pad", 13, "f32[4]; i64{9223372036854775807, 9223372036854775807}", "",
       "MODEL: exceeds 64 bits"},
  };
  OPS_CHECK(cases);
}

int ops_movement_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reshape_targets), cmocka_unit_test(transposes),
      cmocka_unit_test(squeezing),       cmocka_unit_test(slicing),
      cmocka_unit_test(splitting),       cmocka_unit_test(joining),
      cmocka_unit_test(gathering),       cmocka_unit_test(gathering_elements),
      cmocka_unit_test(scattering),      cmocka_unit_test(repeating),
      cmocka_unit_test(resizing),        cmocka_unit_test(expanding),
      cmocka_unit_test(padding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
