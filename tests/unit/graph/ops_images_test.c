/* Operators of images, signals and decoders: shapes, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

static void columns(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Col2Im", 18, "f32[b, 5, l]; i64{5, 5}; i64{1, 5}", "", "f32[b, 1, 5, 5]"},
      {"Col2Im", 18, "f32[b, 12, l]; i64[2]{h, w}; i64{2, 2}", "strides=[2,2]", "f32[b, 3, h, w]"},
      {"Col2Im", 18, "f32[b, c, l]; i64{9}; i64{3}", "", "f32[b, c / 3, 9]"},
      {"Col2Im", 18, "f32[b, 12, l]; i64[2]; i64{2, 2}", "", "f32[b, 3, ~1.2, ~1.3]"},
      {"Col2Im", 18, "f32[b, 12, l]; i64[n]; i64{2, 2}", "", "f32[b, 3, ~1.2, ~1.3]"},
      {"Col2Im", 18, "f32[b, 12, l]; i64{4, 4}; i64[2]", "", "f32[b, ~1.1, 4, 4]"},
      {"Col2Im", 18, "f32[b, 12, l]; i64[n]; i64[m]", "", "UNSUPPORTED: x1"},
      {"Col2Im", 18, "f32[b, 5, 4]; i64{5, 5}; i64{1, 5}", "", "MODEL: the image has 5 blocks"},
      {"Col2Im", 18, "f32[b, 5, 4]; i64{2, 2}; i64{1, 5}", "", "MODEL: the image has 0 blocks"},
      {"Col2Im", 18, "f32[b, 7, l]; i64{5, 5}; i64{1, 5}", "",
       "MODEL: no multiple of the block's 5"},
      {"Col2Im", 18, "f32[b, 5, l]; i64{5, 5}; i64{0, 5}", "",
       "MODEL: the block has 0 along axis 0"},
      {"Col2Im", 18, "f32[b, 5, l]; i64{5, 5}; i64{5}", "", "MODEL: shape [1], expected [2]"},
      {"Col2Im", 18, "f32[b, 5]; i64{5, 5}; i64{1, 5}", "", "MODEL: rank"},
      {"Col2Im", 18, "f32[b, 5, l]; i64{5, 5}; i64{1, 5}", "strides=[0,1]",
       "MODEL: attribute 'strides' holds 0, expected 1"},
      {"Col2Im", 18, "f32[b, 5, l]; i64{5, 5}; i64{1, 5}", "pads=[0,0,0,-1]",
       "MODEL: attribute 'pads' holds -1"},
      {"MaxUnpool", 11, "f32[b, c, t]; i64[b, c, t]", "kernel_shape=[2] strides=[2]",
       "f32[b, c, 2*t]"},
      {"MaxUnpool", 11, "f32[b, c, t, 4]; i64[b, c, t, 4]",
       "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]", "f32[b, c, 2*t - 1, 7]"},
      {"MaxUnpool", 11, "f32[b, c, t]; i64[b, c, t]; i64[3]{b, c, n}",
       "kernel_shape=[2] strides=[2]", "f32[b, c, n]"},
      {"MaxUnpool", 11, "f32[b, c, t]; i64[b, c, t]; i64[3]", "kernel_shape=[2] strides=[2]",
       "f32[b, c, ~1.2]"},
      {"MaxUnpool", 11, "f32[b, c, 4]; i64[b, c, 4]; i64[3]{b, c, 7}",
       "kernel_shape=[2] strides=[2]", "MODEL: less than the 8 that the windows span"},
      {"MaxUnpool", 11, "f32[b, c, 4]; i64[b, c, 4]; i64{1, 8}", "kernel_shape=[2] strides=[2]",
       "MODEL: shape [2], expected [3]"},
      {"MaxUnpool", 11, "f32[b, 3, 4]; i64[b, 2, 4]", "kernel_shape=[2]", "MODEL: axis 1"},
      {"MaxUnpool", 11, "f32[b, 3, 4]; f32[b, 3, 4]", "kernel_shape=[2]", "MODEL: expected int64"},
      {"MaxUnpool", 11, "f32[b, 3, 4]; i64[b, 3, 4]", "", "MODEL: 'kernel_shape' is missing"},
  };
  OPS_CHECK(cases);
}

static void places(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"GridSample", 20, "f32[b, 3, h, w]; f32[b, n, m, 2]", "", "f32[b, 3, n, m]"},
      {"GridSample", 16, "f32[b, 3, h, w]; f32[b, n, m, 2]", "mode='bicubic'", "f32[b, 3, n, m]"},
      {"GridSample", 20, "f64[b, c, d, h, w]; f64[b, k, n, m, 3]",
       "mode='cubic' padding_mode='reflection'", "f64[b, c, k, n, m]"},
      {"GridSample", 20, "f32[b, c, t]; f32[b, n, 1]", "mode='nearest'", "f32[b, c, n]"},
      {"GridSample", 20, "f32[b, 3, h, w]; f32[b, n, m, 3]", "", "MODEL: has length 3"},
      {"GridSample", 20, "f32[b, 3, h, w]; f32[b, n, 2]", "", "MODEL: rank"},
      {"GridSample", 20, "f32[2, 3, h, w]; f32[1, n, m, 2]", "", "MODEL: another batch"},
      {"GridSample", 20, "f32[b, 3, h, w]; f32[b, n, m, 2]", "mode='area'", "MODEL: mode 'area'"},
      {"GridSample", 20, "f32[b, 3, h, w]; f32[b, n, m, 2]", "padding_mode='wrap'",
       "MODEL: padding_mode 'wrap'"},
      {"GridSample", 20, "u8[b, 3, h, w]; f32[b, n, m, 2]", "", "MODEL: float"},
      {"TensorScatter", 24, "f32[b, 4, m, 16]; f32[b, 4, s, 16]; i64[b]", "", "f32[b, 4, m, 16]"},
      {"TensorScatter", 24, "i8[b, m, 16]; i8[b, s, 16]", "axis=1 mode='circular'", "i8[b, m, 16]"},
      {"TensorScatter", 24, "f32[b, 4, 16]; f32[b, 5, 16]", "", "MODEL: does not fit"},
      {"TensorScatter", 24, "f32[b, 4, 16]; f32[b, 4, 15]", "", "MODEL: does not fit"},
      {"TensorScatter", 24, "f32[b, 4, 16]; f64[b, 4, 16]", "", "MODEL: float64"},
      {"TensorScatter", 24, "f32[b, 4, 16]; f32[b, 1, 16]; i64[2, 1]", "", "MODEL: has rank 2"},
      {"TensorScatter", 24, "f32[b, 4, 16]; f32[b, 1, 16]", "axis=0", "MODEL: that of the batch"},
      {"TensorScatter", 24, "f32[b, 4, 16]; f32[b, 1, 16]", "axis=3", "MODEL: axis 3"},
      {"TensorScatter", 24, "f32[b, 4, 16]; f32[b, 1, 16]", "mode='ring'", "MODEL: got 'ring'"},
      {"NonMaxSuppression", 11, "f32[b, n, 4]; f32[b, c, n]; i64{3}; f64[1]", "",
       "MODEL: expected float32"},
      {"NonMaxSuppression", 11, "f32[b, n, 4]; f32[b, c, n]", "", "i64[~1.0, 3]"},
      {"NonMaxSuppression", 11, "f32[b, n, 4]; f32[b, c, n]; i64[1]", "center_point_box=1",
       "i64[~1.0, 3]"},
      {"NonMaxSuppression", 11, "f32[b, n, 5]; f32[b, c, n]", "", "MODEL: has not length 4"},
      {"NonMaxSuppression", 11, "f32[b, 7, 4]; f32[b, c, 8]", "", "MODEL: [batch, classes, boxes]"},
      {"NonMaxSuppression", 11, "f32[b, n, 4]; f32[b, c, n]; i64[2]", "", "MODEL: has 2 elements"},
      {"NonMaxSuppression", 11, "f32[b, n, 4]; f32[b, c, n]", "center_point_box=2", "MODEL: got 2"},
  };
  OPS_CHECK(cases);
}

static void regions(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"RoiAlign", 16, "f32[b, c, h, w]; f32[r, 4]; i64[r]", "output_height=3 output_width=2",
       "f32[r, c, 3, 2]"},
      {"RoiAlign", 10, "f64[b, c, h, w]; f64[r, 4]; i64[r]", "mode='max'", "f64[r, c, 1, 1]"},
      {"RoiAlign", 16, "f32[b, c, h, w]; f32[r, 5]; i64[r]", "", "MODEL: has not length 4"},
      {"RoiAlign", 16, "f32[b, c, h, w]; f32[2, 4]; i64[3]", "", "MODEL: [3], expected [2]"},
      {"RoiAlign", 16, "f32[b, c, h]; f32[r, 4]; i64[r]", "", "MODEL: rank 3"},
      {"RoiAlign", 16, "f32[b, c, h, w]; f32[r, 4]; i64[r]", "mode='min'", "MODEL: got 'min'"},
      {"RoiAlign", 16, "f32[b, c, h, w]; f32[r, 4]; i64[r]", "output_width=0", "MODEL: 1 x 0"},
      {"RoiAlign", 16, "f32[b, c, h, w]; f32[r, 4]; i64[r]", "sampling_ratio=-1", "MODEL: got -1"},
      {"MaxRoiPool", 1, "f32[b, c, h, w]; f32[r, 5]", "pooled_shape=[2,3]", "f32[r, c, 2, 3]"},
      {"MaxRoiPool", 1, "f32[b, c, h, w]; f32[r, 5]", "", "MODEL: 'pooled_shape' is missing"},
      {"MaxRoiPool", 1, "f32[b, c, h, w]; f32[r, 4]", "pooled_shape=[2,3]", "MODEL: length 5"},
      {"MaxRoiPool", 1, "f32[b, c, h, w]; f32[r, 5]", "pooled_shape=[2,-3]", "MODEL: 2 x -3"},
      {"AffineGrid", 20, "f32[b, 2, 4]; i64[4]", "", "MODEL: must be [N, 2, 3]"},
      {"AffineGrid", 20, "f32[b, 2, 3]; i64{1, 1, 1}", "", "MODEL: grids over 1 axes"},
      {"AffineGrid", 20, "f32[2, 2, 3]; i64[4]{3, 1, h, w}", "", "MODEL: another batch"},
      {"AffineGrid", 20, "f32[b, n, m]; i64[k]", "", "UNSUPPORTED: x1"},
      {"CenterCropPad", 18, "f32[b, t]; i64{3}", "", "MODEL: [1], expected [2]"},
      {"CenterCropPad", 18, "f32[b, t]; i64{3}", "axes=[2]", "MODEL: axis 2"},
      {"CenterCropPad", 18, "f32[b, t]; f32[2]", "", "MODEL: expected int64"},
  };
  OPS_CHECK(cases);
}

static void matrices(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Det", 11, "f32[b, n, n]", "", "f32[b]"},
      {"Det", 11, "f64[4, 4]", "", "f64[]"},
      {"Det", 11, "f32[b, 3, 4]", "", "MODEL: not square"},
      {"Det", 11, "f32[b]", "", "MODEL: rank"},
      {"Det", 11, "i64[3, 3]", "", "MODEL: float"},
      {"Inverse", 1, "f32[b, c, 4, 4]", "", "f32[b, c, 4, 4]"},
      {"Inverse", 1, "f32[4, 5]", "", "MODEL: not square"},
      {"CDist", 1, "f32[n, 64]; f32[m, 64]", "metric='euclidean'", "f32[n, m]"},
      {"CDist", 1, "f32[n, 64]; f32[m, 63]", "metric='euclidean'", "MODEL: 63"},
      {"CDist", 1, "f32[n, 64]; f32[m, 64]", "metric='cosine'", "MODEL: got 'cosine'"},
      {"CDist", 1, "f32[b, n, 64]; f32[m, 64]", "", "MODEL: rank"},
      {"DynamicTimeWarping", 1, "f32[1, n, m]", "", "i32[2, ~1.0]"},
      {"DynamicTimeWarping", 1, "f32[2, n, m]", "", "MODEL: several matrices"},
      {"DynamicTimeWarping", 1, "f64[n, m]", "", "MODEL: expected float32"},
      {"NGramRepeatBlock", 1, "i64[b, s]; f32[b, v]", "ngram_size=3", "f32[b, v]"},
      {"NGramRepeatBlock", 1, "i64[b, s]; f32[b, v]", "", "MODEL: got 0"},
      {"NGramRepeatBlock", 1, "i64[2, s]; f32[3, v]", "ngram_size=3", "MODEL: another batch"},
  };
  OPS_CHECK(cases);
}

/* Expansions: what is refused before they are written. */
static void signals(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Irfft", 1, "f32[b, f, 1]", "signal_ndim=1", "MODEL: must have length 2"},
      {"Rfft", 1, "f32[b, s, 64]", "signal_ndim=4", "MODEL: expected 1..3"},
      {"Rfft", 1, "f32[64]", "signal_ndim=2", "MODEL: expected 1..1"},
      {"Rfft", 1, "f32[64]", "normalized=1", "UNSUPPORTED: attribute 'normalized' is 1"},
      {"Irfft", 1, "f32[64, 2]", "onesided=0", "UNSUPPORTED: attribute 'onesided' is 0"},
      {"Rfft", 1, "i32[64]", "", "MODEL: float"},
      {"UnfoldTensor", 1, "f32[b, 2]", "size=3", "MODEL: less than a window of 3"},
      {"UnfoldTensor", 1, "f32[b, 2]", "", "MODEL: got 0 and 1"},
      {"UnfoldTensor", 1, "f32[b, 2]", "size=1 step=0", "MODEL: got 1 and 0"},
      {"UnfoldTensor", 1, "f32[b, 2]", "size=1 dim=2", "MODEL: axis 2"},
  };
  OPS_CHECK(cases);
}

int ops_images_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns),  cmocka_unit_test(places),  cmocka_unit_test(regions),
      cmocka_unit_test(matrices), cmocka_unit_test(signals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
