/* Operators of com.microsoft: the shapes of what they give, and what is refused with which
 * sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

static void norms_and_biases(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"BiasAdd", -1, "f32[b, s, 8]; f32[8]; f32[b, s, 8]", "", "f32[b, s, 8]"},
      {"BiasAdd", -1, "f32[b, s, 8]; f32[8]", "", "MODEL: has 2 inputs, needs 3"},
      {"BiasSplitGelu", -1, "f32[b, s, 8]; f32[8]", "", "f32[b, s, 4]"},
      {"BiasSplitGelu", -1, "f32[b, s, 7]; f32[7]", "", "MODEL: must be constant and even"},
      {"BiasSplitGelu", -1, "f32[b, 8, s]; f32[s]", "", "MODEL: must be constant and even"},
      {"GroupNorm", -1, "f32[b, h, w, 8]; f32[8]; f32[8]", "groups=4", "f32[b, h, w, 8]"},
      {"GroupNorm", -1, "f32[b, 8, t]; f32[8]; f32[8]", "groups=4 channels_last=0", "f32[b, 8, t]"},
      {"GroupNorm", -1, "f32[b, h, w, 8]; f32[8]; f32[8]", "",
       "MODEL: 'groups': expected 1 or more"},
      {"GroupNorm", -1, "f32[b, h, w, 8]; f32[8]; f32[8]", "groups=3", "MODEL: not a multiple"},
      {"GroupNorm", -1, "f32[b, t, 8]; f32[8]; f32[8]", "groups=4 activation=2",
       "MODEL: expected 0 (none) or 1 (Silu), got 2"},
      {"SkipGroupNorm", -1, "f32[b, h, w, 8]; f32[8]; f32[8]; f32[b, 8]", "groups=2",
       "f32[b, h, w, 8]"},
      {"SkipGroupNorm", -1, "f32[b, h, w, 8]; f32[8]; f32[8]; f32[b, w, 8]", "groups=2",
       "MODEL: has rank 3, expected 2 or 4"},
      {"GatedRMSNorm", -1, "f32[b, s, 12]; f32[4]; f32[b, s, 12]", "", "f32[b, s, 12]"},
      {"GatedRMSNorm", -1, "f32[b, s, 12]; f32[5]; f32[b, s, 12]", "", "MODEL: constant multiple"},
      {"FusedMatMulActivation", -1, "f32[b, s, 8]; f32[8, 5]", "activation='Relu'", "f32[b, s, 5]"},
      {"FusedMatMulActivation", -1, "f32[b, s, 8]; f32[8, 5]", "activation='Roar'",
       "UNSUPPORTED: activation 'Roar' is not supported"},
      {"QLinearWhere", -1, "bool[b]; u8[b]; f32#1; u8#0; u8[b]; f32#1; u8#0; f32#1; u8#0", "",
       "u8[b]"},
      {"QLinearWhere", -1, "bool[b]; u8[b]; -; u8#0; u8[b]; f32#1; u8#0; f32#1; u8#0", "",
       "MODEL: input 2 is missing"},
  };
  OPS_CHECK(cases);
}

static void positions(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"GatedRelativePositionBias", -1,
       "f32[b, s, 12]; f32[12]; f32[1, 3, s, s]; f32[4, 8]; f32[8]; f32[1, 3, 1, 1]", "num_heads=3",
       "f32[b, 3, s, s]"},
      {"GatedRelativePositionBias", -1,
       "f32[b, s, 12]; f32[12]; f32[1, 3, s, s]; f32[4, 8]; f32[8]; f32[1, 3, 1, 1]", "num_heads=5",
       "MODEL: constant multiple of 5 heads"},
      {"GatedRelativePositionBias", -1,
       "f32[b, s, 12]; f32[12]; f32[1, 3, s, s]; f32[4, 7]; f32[7]; f32[1, 3, 1, 1]", "num_heads=3",
       "MODEL: must be constant and even"},
      {"RelativePositionBias", -1, "f32[32, 6]; i64[1]{s}; i64[1]{t}", "max_distance=128",
       "f32[1, 6, s, t]"},
      {"RelativePositionBias", -1, "f32[2, 6]; i64[1]{s}; i64[1]{s}", "max_distance=128",
       "MODEL: at least 4 rows"},
      {"RelativePositionBias", -1, "f32[32, 6]; i64[1]{s}; i64[1]{s}", "max_distance=16",
       "MODEL: must be above the distances"},
  };
  OPS_CHECK(cases);
}

static void recurrences(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"CausalConvWithState", -1, "f32[b, 6, t]; f32[6, 1, 4]; -; f32[b, 6, 3]", "",
       "f32[b, 6, t]; f32[b, 6, 3]"},
      {"CausalConvWithState", -1, "f32[b, 6, t]; f32[6, 1, 4]", "activation='silu'",
       "f32[b, 6, t]"},
      {"CausalConvWithState", -1, "f32[b, t, 6]; f32[6, 1, 4]", "channels_last=1 dilation=2",
       "f32[b, t, 6]; f32[b, 6, 6]"},
      {"CausalConvWithState", -1, "f32[b, 6, t]; f32[6, 1, 4]", "activation='relu'",
       "MODEL: expected none, silu or swish, got 'relu'"},
      {"CausalConvWithState", -1, "f32[b, 6, t]; f32[6, 1, 4]", "dilation=0",
       "MODEL: 'dilation': expected 1 or more, got 0"},
      {"CausalConvWithState", -1, "f32[b, 6, t]; f32[6, 1, 4]", "ndim=2",
       "UNSUPPORTED: 'ndim': only 1 is supported, got 2"},
      {"CausalConvWithState", -1, "f32[b, 6, t]; f32[6, 1, 4]", "state_window=2",
       "UNSUPPORTED: export the model without speculative decoding"},
      {"LinearAttention", -1, "f32[b, t, 8]; f32[b, t, 8]; f32[b, t, 6]",
       "update_rule='linear' q_num_heads=2 kv_num_heads=2", "f32[b, t, 6]; f32[b, 2, 4, 3]"},
      {"LinearAttention", -1, "f32[b, t, 16]; f32[b, t, 8]; f32[b, t, 6]; f32[b, 2, 4, 3]",
       "update_rule='linear' q_num_heads=4 kv_num_heads=2", "f32[b, t, 12]; f32[b, 2, 4, 3]"},
      {"LinearAttention", -1, "f32[b, t, 8]; f32[b, t, 8]; f32[b, t, 6]",
       "q_num_heads=2 kv_num_heads=2",
       "MODEL: update rule 'gated_delta' needs input 4 (the decay)"},
      {"LinearAttention", -1, "f32[b, t, 8]; f32[b, t, 8]; f32[b, t, 6]",
       "update_rule='delta' q_num_heads=2 kv_num_heads=2", "MODEL: needs input 5 (the rate)"},
      {"LinearAttention", -1, "f32[b, t, 8]; f32[b, t, 8]; f32[b, t, 6]",
       "update_rule='other' q_num_heads=2 kv_num_heads=2", "MODEL: got 'other'"},
      {"LinearAttention", -1, "f32[b, t, 9]; f32[b, t, 8]; f32[b, t, 6]",
       "update_rule='linear' q_num_heads=2 kv_num_heads=2", "MODEL: must be multiples of 2"},
      {"LinearAttention", -1, "f32[b, t, 8]; f32[b, t, 8]; f32[b, t, 6]",
       "update_rule='linear' q_num_heads=0 kv_num_heads=2", "MODEL: must be 1 or more"},
      {"LinearAttention", -1, "f32[b, t, 8]; f32[b, t, 8]; f32[b, t, 6]; f32[b, 2, 3, 4]",
       "update_rule='linear' q_num_heads=2 kv_num_heads=2", "MODEL: does not have the shape"},
      {"LinearAttention", -1, "f32[b, 3, 8]; f32[b, 4, 8]; f32[b, 4, 6]",
       "update_rule='linear' q_num_heads=2 kv_num_heads=2", "MODEL: number of sequences or steps"},
      {"LinearAttention", 27, "f32[b, t, 8]; f32[b, t, 8]; f32[b, t, 6]; -; f32[b, t, 2]",
       "update_rule='gated' q_num_heads=2 kv_num_heads=2", "f32[b, t, 6]; f32[b, 2, 4, 3]"},
      {"LinearAttentionGate", -1, "f32[b, t, 3]; f32[3]; f32[3]", "", "f32[b, t, 3]"},
      {"LinearAttentionGate", -1, "f32[b, t, 3]; f32[3]; f32[3]; f32[b, t, 3]", "",
       "f32[b, t, 3]; f32[b, t, 3]"},
  };
  OPS_CHECK(cases);
}

#define EXPERTS "f32[n, 16]; f32[n, 4]; f32[4, 24, 16]; f32[4, 24]; f32[4, 16, 24]; f32[4, 16]"
#define BYTES(n) "f32[n, 16]; f32[n, 4]; u8[4, 24, " n "]; f32[4, 24]; -; u8[4, 16, 24]; f32[4, 16]"

static void experts(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"MoE", -1, EXPERTS, "k=2", "f32[n, 16]"},
      {"MoE", -1, "f32[b, s, 16]; f32[n, 4]; f32[4, 24, 16]; -; f32[4, 16, 24]", "",
       "f32[b, s, 16]"},
      {"MoE", -1, EXPERTS, "k=5", "MODEL: 'k': expected 1 to 4 (the experts), got 5"},
      {"MoE", -1, EXPERTS, "k=0", "MODEL: 'k': expected 1 to 4"},
      {"MoE", -1, EXPERTS, "activation_type='roar'", "MODEL: got 'roar'"},
      {"MoE", -1, EXPERTS, "activation_type='swiglu' swiglu_fusion=3", "MODEL: expected 0, 1 or 2"},
      {"MoE", -1, EXPERTS, "activation_type='swiglu'", "MODEL: needs a third product"},
      {"MoE", -1, EXPERTS, "activation_type='swiglu' swiglu_fusion=1", "MODEL: of 3072 elements"},
      {"MoE", -1, "f32[n, 16]; f32[n, 3]; f32[4, 24, 16]; -; f32[4, 16, 24]", "",
       "MODEL: as many as 'x1' has columns"},
      {"MoE", -1, "f32[n, 16]; f32[n, 4]; f32[4, 24, 15]; -; f32[4, 16, 24]", "",
       "MODEL: of 1536 elements"},
      {"MoE", -1, "f32[n, 16]; f32[n, 4]; f32[4, 24, 16]; -; -", "", "MODEL: input 4 (weights)"},
      {"QMoE", -1, BYTES("16"), "expert_weight_bits=8", "f32[n, 16]"},
      {"QMoE", -1, BYTES("16"), "expert_weight_bits=3", "MODEL: expected 2, 4 or 8, got 3"},
      {"QMoE", -1, BYTES("16"), "expert_weight_bits=8 block_size=7", "MODEL: of a byte or block"},
      {"QMoE", -1, BYTES("16"), "expert_weight_bits=8 quant_type='fp4'",
       "UNSUPPORTED: export the model with integer weights"},
      {"QMoE", -1, BYTES("16"), "expert_weight_bits=4", "MODEL: elements"},
  };
  OPS_CHECK(cases);
}

static void tokens(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"RestorePadding", -1, "f32[n, 8]; i32[b, s]", "", "f32[b, s, 8]"},
      {"RestorePadding", -1, "f32[n, 8]; i32[s]", "", "MODEL: has rank 1, expected 2"},
      {"PackedAttention", -1, "f32[n, 8]; f32[8, 24]; f32[24]; i32[b, s]; i32[c]", "num_heads=2",
       "f32[n, 8]"},
      {"PackedAttention", -1, "f32[b, s, 8]; f32[8, 24]; f32[24]; i32[b, s]; i32[c]", "num_heads=2",
       "MODEL: has rank 3, expected 2"},
      {"PackedAttention", -1, "f32[n, 8]; f32[8, 24]; f32[24]; i32[b, s]; i32[c]", "num_heads=3",
       "MODEL: multiples of 3 heads"},
      {"PackedMultiHeadAttention", -1, "f32[n, 2, 3, 4]; -; -; -; i32[b, s]; i32[c]", "num_heads=2",
       "f32[n, 8]"},
      {"PackedMultiHeadAttention", -1, "f32[n, 8]; f32[n, 8]; -; -; i32[b, s]; i32[c]",
       "num_heads=2", "MODEL: keys and values must both be there"},
      {"DecoderMaskedMultiHeadAttention", -1, "f32[b, 1, 8]; f32[b, 2, t, 4]; f32[b, 2, t, 4]",
       "num_heads=2", "f32[b, 1, 8]"},
      {"DecoderMaskedMultiHeadAttention", -1, "f32[b, 3, 8]; f32[b, 2, t, 4]; f32[b, 2, t, 4]",
       "num_heads=2", "MODEL: must have one token"},
      {"DecoderMaskedMultiHeadAttention", -1,
       "f32[b, 1, 8]; f32[b, 1, 8]; f32[b, 1, 8]; -; -; f32[b, 2, m, 4]; f32[b, 2, m, 4]; i32[1]",
       "num_heads=2 past_present_share_buffer=1", "f32[b, 1, 8]; f32[b, 2, m, 4]; f32[b, 2, m, 4]"},
      {"DecoderMaskedMultiHeadAttention", -1,
       "f32[b, 1, 8]; f32[b, 1, 8]; f32[b, 1, 8]; -; -; f32[b, 2, m, 4]; f32[b, 2, m, 4]",
       "num_heads=2", "MODEL: a cache must be a buffer"},
      {"DecoderMaskedMultiHeadAttention", -1,
       "f32[b, 1, 8]; f32[b, 2, t, 4]; f32[b, 2, t, 4]; -; -; -; -; -; i32#2; i32[b, 2, m]",
       "num_heads=2", "UNSUPPORTED: search outside of the model"},
  };
  OPS_CHECK(cases);
}

static void quantized(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"QAttention", -1, "u8[b, s, 8]; i8[8, 24]; f32[24]; f32#1; f32#1; -; u8#3; i8#0",
       "num_heads=2", "f32[b, s, 8]"},
      {"QAttention", -1, "u8[b, s, 8]; i8[8, 24]; f32[24]; f32#1; f32[24]; i32[b, s]; u8#3; i8[24]",
       "num_heads=2", "f32[b, s, 8]"},
      {"QAttention", -1, "u8[b, s, 8]; i8[8, 25]; f32[25]; f32#1; f32#1", "num_heads=2",
       "UNSUPPORTED: multiples of 2 heads"},
      {"QLinearReduceMean", -1, "u8[b, t, 4]; f32#1; u8#0; f32#1; u8#0", "axes=[1]", "u8[b, 1, 4]"},
      {"Unique", -1, "f32[b, 3]", "", "MODEL: has rank 2, expected 1"},
      {"Trilu", -1, "f32[b, s, s]", "upper=0", "f32[b, s, s]"},
      {"ExpandDims", -1, "f32[b, s]; i32#-1", "", "f32[b, s, 1]"},
      {"ExpandDims", -1, "f32[b, s]; i32[1]", "", "UNSUPPORTED: the axis must be constant"},
      {"Range", -1, "i64[1]{0}; i64[1]{s}", "", "i64[s]"},
      {"NhwcMaxPool", -1, "u8[b, t, 4]", "kernel_shape=[3]", "u8[b, t - 2, 4]"},
  };
  OPS_CHECK(cases);
}

int ops_contrib_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(norms_and_biases), cmocka_unit_test(positions),
      cmocka_unit_test(recurrences),      cmocka_unit_test(experts),
      cmocka_unit_test(tokens),           cmocka_unit_test(quantized),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
