#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

static void matmul_shapes(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"MatMul", 13, "f32[b, t, 8]; f32[8, 5]", "", "f32[b, t, 5]"},
      {"MatMul", 9, "f32[b, 4, t, 8]; f32[b, 4, 8, t]", "", "f32[b, 4, t, t]"},
      {"MatMul", 9, "f32[8]; f32[8]", "", "f32[]"},
      {"MatMul", 9, "f32[8]; f32[b, 8, 3]", "", "f32[b, 3]"},
      {"MatMul", 9, "f32[b, 3, 8]; f32[8]", "", "f32[b, 3]"},
      {"MatMul", 9, "f32[4, 1, 2, 8]; f32[5, 8, 3]", "", "f32[4, 5, 2, 3]"},
      {"MatMul", 9, "f32[b, k]; f32[8, 3]", "", "f32[b, 3]"},
      {"MatMul", 9, "f32[b, 7]; f32[8, 3]", "", "MODEL: differ in their inner dim"},
      {"MatMul", 9, "f32[b, t]; f32[t + 1, 3]", "", "MODEL: [b, t]"},
      {"MatMul", 9, "f32[]; f32[8]", "", "MODEL: has rank 0"},
      {"MatMul", 9, "f32[2, 4, 8]; f32[3, 8, 4]", "", "MODEL: do not broadcast"},
      {"MatMul", 9, "f32[4, 8]; i64[8, 4]", "", "MODEL: are float32 and int64"},
  };
  OPS_CHECK(cases);
}

static void gemm_shapes(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Gemm", 13, "f32[n, 8]; f32[5, 8]; f32[5]", "transB=1", "f32[n, 5]"},
      {"Gemm", 7, "f32[8, n]; f32[8, 5]; f32[1, 5]", "transA=1", "f32[n, 5]"},
      {"Gemm", 11, "f32[n, 8]; f32[8, 5]", "", "f32[n, 5]"},
      {"Gemm", 11, "f32[n, 8]; f32[5, 8]", "", "MODEL: differ"},
      {"Gemm", 11, "f32[1, 8]; f32[8, 5]; f32[2, 5]", "", "MODEL: does not broadcast to [1, 5]"},
      {"Gemm", 11, "f32[1, 1, 8]; f32[8, 5]", "", "MODEL: has rank 3, expected 2"},
  };
  OPS_CHECK(cases);
}

static void linear_shapes(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Linear", 0, "f32[b, t, 8]; f32[8, 5]; f32[5]; f32[b, t, 5]", "", "f32[b, t, 5]"},
      {"Linear", 0, "f32[b, t, 8]; f32[8, 5]; f32[4]", "", "MODEL: has shape [4], expected [5]"},
      {"Linear", 0, "f32[b, t, 8]; f32[2, 8, 5]", "", "MODEL: has rank 3, expected 2"},
      {"QLinear", 0, "u8[b, t, 8]; i8[8, 5]; f32[5]", "outputs='f32'", "f32[b, t, 5]"},
      {"QLinear", 0, "u8[b, t, 8]; f32[8, 5]; -; f32[b, t, 5]", "outputs='both'",
       "f32[b, t, 5]; u8[b, t, 5]"},
      {"QLinear", 0, "u8[b, t, 8]; i8[8, 5]", "outputs='both'",
       "MODEL: has 1 outputs, expected 2 for 'both'"},
      {"QLinear", 0, "u8[b, t, 8]; i8[8, 5]", "outputs='s8'", "MODEL: got 's8'"},
      {"QLinear", 0, "u8[b, t, 8]; i8[7, 5]", "", "MODEL: differ"},
      {"QLinear", 0, "f32[b, t, 8]; i8[8, 5]", "row_scales=1", "f32[b, t, 5]"},
      {"QLinear", 0, "u8[b, t, 8]; i8[8, 5]; -; -; f32[b, t, 1]", "row_scales=1", "f32[b, t, 5]"},
      {"QLinear", 0, "f32[b, t, 8]; i8[8, 5]; -; -; f32[b, t, 1]", "row_scales=1",
       "MODEL: expected uint8"},
      {"QLinear", 0, "u8[b, t, 8]; i8[8, 5]; -; -; u8[b, t, 1]", "row_scales=1",
       "MODEL: expected float32"},
      {"QLinear", 0, "u8[b, t, 8]; i8[8, 5]; -; -; f32[b, t, 1]", "", "MODEL: has scales of rows"},
      {"QLinear", 0, "u8[b, t, 8]; i8[8, 5]", "outputs='rows'", "MODEL: expected 2 for 'rows'"},
      {"QMatMul", 0, "u8[b, t, 8]; u8[b, 8, 7]", "outputs='rows'", "MODEL: got 'rows'"},
      {"QMatMul", 0, "u8[b, 4, t, 8]; u8[b, 4, t, 8]", "trans_b=1 outputs='u8'", "u8[b, 4, t, t]"},
      {"QMatMul", 0, "u8[b, 4, t, s]; u8[b, 4, s, 8]", "", "f32[b, 4, t, 8]"},
      {"QMatMul", 0, "u8[b, t, 8]; u8[b, t, 7]", "trans_b=1", "MODEL: differ"},
      {"QMatMul", 0, "u8[b, t, 8]; i8[b, 8, 7]", "", "MODEL: expected uint8"},
      {"QMatMul", 0, "u8[8]; u8[8]", "", "MODEL: has rank 1"},
      {"Quantize", 0, "f32[b, t]", "", "u8[b, t]"},
      {"Dequantize", 0, "u8[b, t]", "", "f32[b, t]"},
      {"Quantize", 0, "u8[b, t]", "", "MODEL: expected float32"},
      {"QuantizeRows", 0, "f32[b, t, 8]", "", "u8[b, t, 8]; f32[b, t, 1]"},
  };
  OPS_CHECK(cases);
}

int ops_matrix_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matmul_shapes),
      cmocka_unit_test(gemm_shapes),
      cmocka_unit_test(linear_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
