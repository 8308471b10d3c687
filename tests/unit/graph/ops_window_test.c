#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

static void conv_lengths(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Conv", 11, "f32[batch, 3, samples]; f32[8, 3, 5]", "", "f32[batch, 8, samples - 4]"},
      {"Conv", 11, "f32[batch, 1, samples]; f32[8, 1, 10]; f32[8]",
       "kernel_shape=[10] strides=[5] pads=[3,3]", "f32[batch, 8, (samples + 1) / 5]"},
      {"Conv", 7, "f32[1, 4, 32, 30]; f32[8, 2, 3, 3]", "group=2 dilations=[2,1] pads=[0,1,0,1]",
       "f32[1, 8, 28, 30]"},
      {"Conv", 11, "f32[n, 4, t]; f32[4, 1, 3]", "group=4 auto_pad='SAME_UPPER' strides=[2]",
       "f32[n, 4, (t + 1) / 2]"},
      {"Conv", 11, "f32[n, 4, 7]; f32[4, 1, 3]", "group=4 auto_pad='SAME_LOWER' strides=[2]",
       "f32[n, 4, 4]"},
      {"Conv", 11, "f32[n, 4, t]; f32[4, 4, 3]", "auto_pad='VALID' pads=[7,7]", "f32[n, 4, t - 2]"},
      {"Conv", 11, "f32[n, c, t]; f32[4, 4, 3]", "", "f32[n, 4, t - 2]"},
      {"Conv", 11, "f32[n, 4, t]; f32[o, 4, k]", "kernel_shape=[3]", "f32[n, o, t - 2]"},
  };
  OPS_CHECK(cases);
}

static void conv_rules(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Conv", 11, "f32[n, 4, t]; f32[8, 3, 3]", "", "MODEL: [4, 3]"},
      {"Conv", 11, "f32[n, 4, t]; f32[7, 2, 3]", "group=2",
       "MODEL: 7 output channels are not a multiple of attribute 'group', 2"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 2, 3]", "group=0",
       "MODEL: 'group': expected 1 or more, got 0"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "group=-9223372036854775808",
       "MODEL: 'group': expected 1 or more, got -9223372036854775808"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 2, 3]", "group=9223372036854775807",
       "MODEL: output channels are not a multiple"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "kernel_shape=[5]",
       "MODEL: has 5 at 0, but the weights have 3"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "kernel_shape=[3,3]",
       "MODEL: has 2 elements, expected 1"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "kernel_shape=3", "MODEL: not a list of integers"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "strides=[0]", "MODEL: 'strides' holds 0"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "dilations=[-1]", "MODEL: 'dilations' holds -1"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "strides=[4294967296]",
       "MODEL: 'strides' holds 4294967296"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "dilations=[2147483648]",
       "MODEL: 'dilations' holds 2147483648"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "pads=[0]",
       "MODEL: 'pads' has 1 elements, expected 2"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "pads=[-1,0]", "MODEL: 'pads' holds -1"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "dilations=[9223372036854775807]",
       "MODEL: 'dilations' holds 9223372036854775807"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "pads=[9223372036854775807,9223372036854775807]",
       "MODEL: too large"},
      {"Conv", 11, "f32[n, 4, 5]; f32[8, 4, 3]", "pads=[9223372036854775807,0]",
       "MODEL: does not fit"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]", "auto_pad='SOME'", "MODEL: VALID, got 'SOME'"},
      {"Conv", 11, "f32[n, 4, 2]; f32[8, 4, 3]", "",
       "MODEL: a window of 3 does not fit into input length 2"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]; f32[7]", "", "MODEL: has shape [7], expected [8]"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 3]; f32[1, 8]", "", "MODEL: has rank 2, expected 1"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4]", "", "MODEL: has rank 2, expected 3"},
      {"Conv", 11, "f32[n, 4]; f32[8, 4]", "", "MODEL: has rank 2, expected 3 to 8"},
      {"Conv", 11, "f32[n, 4, t]; f16[8, 4, 3]", "", "MODEL: are float32 and float16"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, k]", "", "UNSUPPORTED: kernel size of the weights"},
      {"Conv", 11, "f32[n, 4, t]; f32[8, 4, 0]", "", "MODEL: 'kernel_shape' holds 0"},
      {"Conv", 11, "f32[n, 4, t]", "", "MODEL: 1 inputs"},
  };
  OPS_CHECK(cases);
}

static void pool_lengths(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"MaxPool", 8, "f32[n, 4, t]", "kernel_shape=[3] strides=[2]",
       "f32[n, 4, (t - 1) / 2]; i64[n, 4, (t - 1) / 2]"},
      {"MaxPool", 12, "u8[n, 4, 10]", "kernel_shape=[3] strides=[2] ceil_mode=1", "u8[n, 4, 5]"},
      {"MaxPool", 12, "f32[n, 4, t]", "kernel_shape=[3] strides=[2] ceil_mode=1",
       "f32[n, 4, t / 2]"},
      {"AveragePool", 19, "f32[1, 1, 4, 4]", "kernel_shape=[2,2] dilations=[2,2]",
       "f32[1, 1, 2, 2]"},
      {"AveragePool", 11, "f32[1, 1, 5]", "kernel_shape=[1] strides=[3] ceil_mode=1",
       "f32[1, 1, 2]"},
      {"AveragePool", 11, "f32[1, 1, 6]", "kernel_shape=[1] strides=[4] pads=[0,1] ceil_mode=1",
       "f32[1, 1, 2]"},
      {"AveragePool", 11, "f32[1, 1, t]", "kernel_shape=[3] strides=[2] auto_pad='SAME_UPPER'",
       "f32[1, 1, (t + 1) / 2]"},
      {"AveragePool", 11, "f32[1, 1, t]", "strides=[2]", "MODEL: 'kernel_shape' is missing"},
      {"AveragePool", 11, "f32[1, t]", "kernel_shape=[2]", "MODEL: has rank 2"},
      {"GlobalAveragePool", 7, "f32[n, 4, t, 7]", "", "f32[n, 4, 1, 1]"},
      {"GlobalMaxPool", 7, "f32[n, 4, t]", "", "f32[n, 4, 1]"},
      {"GlobalMaxPool", 7, "f32[4]", "", "MODEL: has rank 1"},
  };
  OPS_CHECK(cases);
}

static void channels_last(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"ConvLast", 0, "f32[batch, samples, 3]; f32[8, 5, 3]; f32[8]; f32[batch, samples - 4, 8]",
       "", "f32[batch, samples - 4, 8]"},
      {"ConvLast", 0, "f32[b, t, 32]; f32[32, 3, 1]", "group=32 pads=[1,1] strides=[2]",
       "f32[b, (t + 1) / 2, 32]"},
      {"ConvLast", 0, "f32[b, t, 32]; f32[32, 3, 2]", "group=32",
       "MODEL: does not match attribute 'group', 32"},
      {"ConvLast", 0, "f32[b, 9, 4]; f32[8, 3, 4]; -; f32[b, 8, 8]", "",
       "MODEL: does not broadcast to [b, 7, 8]"},
      {"ConvLast", 0, "u8[b, 9, 4]; i8[8, 3, 4]", "", "MODEL: expected a float"},
      {"QConvLast", 0, "u8[b, t, 4]; i8[8, 3, 4]; f32[8]", "outputs='u8'", "u8[b, t - 2, 8]"},
      {"QConvLast", 0, "u8[b, t, 4]; f32[8, 3, 4]", "outputs='both' pads=[1,1]",
       "f32[b, t, 8]; u8[b, t, 8]"},
      {"QConvLast", 0, "f32[b, t, 4]; i8[8, 3, 4]", "", "MODEL: expected uint8"},
      {"QConvLast", 0, "u8[b, t, 4]; i64[8, 3, 4]", "", "MODEL: expected a float type"},
  };
  OPS_CHECK(cases);
}

static void normalizations(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"BatchNormalization", 9, "f32[n, 4, t]; f32[4]; f32[4]; f32[4]; f32[4]", "", "f32[n, 4, t]"},
      {"BatchNormalization", 9, "f32[n, 4]; f32[4]; f32[4]; f32[4]; f32[3]", "",
       "MODEL: has shape [3], expected [4]"},
      {"BatchNormalization", 15, "f32[n, 4]; f32[4]; f32[4]; f32[4]; f32[4]", "training_mode=1",
       "f32[n, 4]"},
      {"BatchNormalization", 9, "f32[n, 4]; f32[4]; f32[4]; f32[4]; f32[4]", "training_mode=1",
       "UNSUPPORTED: training mode"},
      {"BatchNormalization", 7, "f32[n, 4, t]; f32[4, t]; f32[4, t]; f32[4, t]; f32[4, t]",
       "spatial=0", "f32[n, 4, t]"},
      {"BatchNormalization", 7, "f32[n, 4, 2]; f32[4]; f32[4]; f32[4]; f32[4]", "spatial=0",
       "MODEL: has rank 1, expected 2"},
      {"BatchNormalization", 9, "f32[n, 4]; f32[4]; f32[4]; f32[4]; f32[4]", "",
       "f32[n, 4]; f32[4]"},
      {"InstanceNormalization", 6, "f32[n, 4, t]; f32[4]; f32[4]", "", "f32[n, 4, t]"},
      {"InstanceNormalization", 6, "f32[n, 4, t]; f32[5]; f32[4]", "",
       "MODEL: has shape [5], expected [4]"},
      {"InstanceNormLast", 0, "f32[n, t, 4]; f32[4]; f32[4]", "", "f32[n, t, 4]"},
      {"GlobalNormLast", 0, "f32[n, t, 4]; f32[4]; f32[4]", "", "f32[n, t, 4]"},
      {"GroupNorm", 0, "f32[n, 4, t]; f32[4]; f32[4]", "norm_groups=2", "f32[n, 4, t]"},
      {"GroupNormLast", 0, "f32[n, t, 4]; f32[4]; f32[4]", "norm_groups=4", "f32[n, t, 4]"},
      {"GroupNormLast", 0, "f32[n, t, 4]; f32[4]; f32[4]", "norm_groups=3",
       "MODEL: attribute 'norm_groups': expected a divisor of the channels, got 3"},
      {"GroupNorm", 0, "f32[n, 4, t]; f32[4]; f32[4]", "",
       "MODEL: attribute 'norm_groups': expected a divisor of the channels, got 0"},
      {"InstanceNormLast", 0, "f32[n, 4, t + 1, 3]; f32[4]; f32[4]", "", "MODEL: expected [3]"},
      {"LayerNormalization", 17, "f32[b, t, 8]; f32[8]; f32[8]", "", "f32[b, t, 8]"},
      {"LayerNormalization", 17, "f32[b, t, 8]; f32[8]", "axis=1",
       "f32[b, t, 8]; f32[b, 1, 1]; f32[b, 1, 1]"},
      {"LayerNormalization", 17, "f32[b, t, 8]; f32[8]", "outputs='rows'",
       "u8[b, t, 8]; f32[b, t, 1]"},
      {"LayerNormalization", 17, "f32[b, t, 8]; f32[8]", "outputs='f32+rows'",
       "f32[b, t, 8]; u8[b, t, 8]; f32[b, t, 1]"},
      {"LayerNormalization", 17, "f32[b, t, 8]; f32[7]", "", "MODEL: does not broadcast"},
      {"LayerNormalization", 17, "f32[b, t, 8]; f32[8]", "axis=3", "MODEL: axis 3 is out of range"},
      {"Softmax", 11, "f32[b, t, 8]", "", "f32[b, t, 8]"},
      {"Softmax", 13, "f32[8]", "", "f32[8]"},
      {"Softmax", 11, "f32[8]", "", "MODEL: axis 1 is out of range for rank 1"},
      {"LogSoftmax", 13, "f32[b, t]", "axis=-3", "MODEL: axis -3"},
      {"Dropout", 7, "f32[b, t]", "ratio=0.5f", "f32[b, t]; f32[b, t]"},
      {"Dropout", 10, "f32[b, t]", "ratio=0.5f", "f32[b, t]; bool[b, t]"},
  };
  OPS_CHECK(cases);
}

int ops_window_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conv_lengths),   cmocka_unit_test(conv_rules),
      cmocka_unit_test(pool_lengths),   cmocka_unit_test(channels_last),
      cmocka_unit_test(normalizations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
