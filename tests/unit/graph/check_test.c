/* Rules of tare check: a small model for each, and what is found for which target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>
#include <tare/check.h>

#define FIXTURES TARE_SOURCE_DIR "/tests/fixtures/onnx/"

enum { ORT, TENSORRT, OPENVINO, GENERIC };

/* What is expected of a model: the number of layers in int8, and one finding; "" for none at all.
 */
static const struct expectation {
  const char *file;
  int target, int8;
  const char *rule;
  tare_severity severity;
  const char *node, *text; /* how the text begins */
} expectations[] = {
    {"check_good", ORT, 1, ""},
    {"check_good", OPENVINO, 1, ""},
    {"check_good", GENERIC, 1, ""},
    {"check_good", TENSORRT, 0, "type", TARE_SEVERITY_ERROR, "b_DQ", "has int32 values"},
    {"check_good", TENSORRT, 0, "zero_point", TARE_SEVERITY_ERROR, "x_Q", "zero point is 128"},
    {"check_symmetric", TENSORRT, 1, ""},
    {"check_symmetric", ORT, 1, ""},
    {"check_zero_scale", GENERIC, 0, "scale", TARE_SEVERITY_ERROR, "x_Q", "scale 0 is 0 (0)"},
    {"check_nan_scale", GENERIC, 0, "scale", TARE_SEVERITY_ERROR, "w_DQ", "scale 1 is NaN"},
    {"check_negative_scale", ORT, 0, "scale", TARE_SEVERITY_ERROR, "x_Q", "scale 0 is negative"},
    {"check_subnormal_scale", ORT, 0, "scale", TARE_SEVERITY_ERROR, "w_DQ", "scale 1 is subnormal"},
    {"check_int8_zero_point", TENSORRT, 0, "zero_point", TARE_SEVERITY_ERROR, "x_Q",
     "zero point is 3, TensorRT takes 0 only"},
    {"check_int8_zero_point", ORT, 1, ""},
    {"check_weight_zero_points", ORT, 1, "zero_point", TARE_SEVERITY_ERROR, "w_DQ",
     "zero points of weights differ (0 and 1)"},
    {"check_zero_point_count", ORT, 1, "zero_point", TARE_SEVERITY_ERROR, "w_DQ",
     "has 3 scales and 2 zero points"},
    {"check_zero_point_type", ORT, 1, "zero_point", TARE_SEVERITY_ERROR, "z_DQ",
     "its zero point is int8, what it reads is uint8"},
    {"check_no_dequantize", ORT, 0, "pairs", TARE_SEVERITY_ERROR, "x_Q",
     "has no DequantizeLinear: MatMul 'layer' reads integers"},
    {"check_no_quantize", ORT, 1, "pairs", TARE_SEVERITY_ERROR, "x_DQ",
     "has no QuantizeLinear: Relu 'r' makes floats"},
    {"check_other_parameters", ORT, 1, "pairs", TARE_SEVERITY_WARNING, "z_DQ",
     "has another scale, zero point or type than QuantizeLinear 'x_Q'"},
    {"check_double", ORT, 1, "double", TARE_SEVERITY_WARNING, "again_Q",
     "quantizes again what DequantizeLinear 'x_DQ' restores, with other parameters"},
    {"check_axis", ORT, 0, "channels", TARE_SEVERITY_ERROR, "w_DQ",
     "has scales along axis 0, the outputs of MatMul 'layer' are along axis 1"},
    {"check_axis_count", ORT, 1, "channels", TARE_SEVERITY_ERROR, "w_DQ",
     "has 2 scales along axis 1 of 'w_int8', which has 3 elements there"},
    {"check_axis_range", ORT, 0, "channels", TARE_SEVERITY_ERROR, "w_DQ",
     "axis 5 is out of range: 'w_int8' has rank 2"},
    {"check_bias_scale", ORT, 1, "bias", TARE_SEVERITY_ERROR, "b_DQ", "scale 2 is 0.04, but input"},
    {"check_bias_scale", GENERIC, 1, "bias", TARE_SEVERITY_WARNING, "b_DQ", "scale 2 is 0.04"},
    {"check_opset_channels", ORT, 1, "opset", TARE_SEVERITY_ERROR, "w_DQ",
     "a scale for each channel needs opset 13, the model has 12"},
    {"check_opset_16_bits", ORT, 0, "opset", TARE_SEVERITY_ERROR, "x_Q",
     "16 bits needs opset 21, the model has 17"},
    {"check_opset_16_bits", TENSORRT, 0, "type", TARE_SEVERITY_ERROR, "x_Q",
     "has uint16 values, which TensorRT does not take"},
    {"check_opset_float16", ORT, 1, "opset", TARE_SEVERITY_ERROR, "x_Q",
     "scales that are not float32 needs opset 19, the model has 18"},
    {"check_domain", OPENVINO, 1, "opset", TARE_SEVERITY_ERROR, "x_Q",
     "is of operator set 'com.microsoft', which OpenVINO does not have"},
    {"check_domain", ORT, 1, "opset", TARE_SEVERITY_ERROR, "x_Q",
     "is of operator set 'com.microsoft', which the model does not import"},
    {"check_half_quantized", ORT, 0, "layer", TARE_SEVERITY_WARNING, "layer",
     "stays float: its input 'xd' is not quantized"},
    {"check_softmax", ORT, 1, "float_only", TARE_SEVERITY_WARNING, "soft",
     "its input is quantized by 's_DQ'"},
    {"check_mask", ORT, 1, "float_only", TARE_SEVERITY_WARNING, "add",
     "adds a mask that 'm_DQ' quantizes to steps of 39.2, before Softmax 'soft'"},
    {"check_unread", ORT, 0, "float_only", TARE_SEVERITY_NOTE, "x_DQ",
     "nothing reads its values as integers"},
    {"check_conv", ORT, 1, ""},
    {"check_conv_relu", ORT, 0, "layer", TARE_SEVERITY_WARNING, "layer",
     "stays float: its output is not read by QuantizeLinear alone, which ONNX Runtime needs behind "
     "Relu"},
    {"check_conv_relu", OPENVINO, 1, "float_only", TARE_SEVERITY_NOTE, "o_DQ", "restores"},
    {"check_split_conv", ORT, 1, "fusion", TARE_SEVERITY_WARNING, "m_Q",
     "separates Conv 'layer' from Relu 'r', which engines compute in one step"},
    {"check_conv_float_output", ORT, 0, "layer", TARE_SEVERITY_WARNING, "layer",
     "stays float: its output has no QuantizeLinear"},
    {"check_conv_float_output", GENERIC, 1, ""},
    {"check_residual_float", OPENVINO, 2, ""},
    {"check_residual_float", TENSORRT, 2, "residual", TARE_SEVERITY_NOTE, "add",
     "adds 'r' in float: convolution 'layer', which TensorRT fuses it with, then writes float"},
    {"check_residual_int8", TENSORRT, 2, ""},
    {"check_float_weights", ORT, 1, ""},
    {"check_float_weights", GENERIC, 0, "layer", TARE_SEVERITY_WARNING, "layer",
     "stays float: its input 'w' is not quantized"},
    {"check_float_bias", ORT, 0, "layer", TARE_SEVERITY_WARNING, "layer",
     "stays float: its bias 'b' is float, ONNX Runtime takes int32 where the output is float"},
    {"check_float_bias", GENERIC, 1, ""},
    {"check_int8_by_uint8", ORT, 0, "layer", TARE_SEVERITY_WARNING, "layer",
     "stays float: ONNX Runtime does not multiply int8 activations by uint8 weights"},
    {"check_int8_by_uint8", OPENVINO, 1, "zero_point", TARE_SEVERITY_NOTE, "w_DQ",
     "zero point of weights is 0"},
    {"check_integers", ORT, 1, ""},
    {"check_integers", OPENVINO, 0, "layer", TARE_SEVERITY_WARNING, "layer",
     "stays float: OpenVINO does not fuse MatMulInteger"},
    {"check_integers", TENSORRT, 0, "opset", TARE_SEVERITY_ERROR, "layer",
     "TensorRT has no operator MatMulInteger"},
};

enum { N_EXPECTATIONS = sizeof expectations / sizeof *expectations };

static tare_status open_check(const char *const file, const int target, tare_check **const out,
                              tare_error *const err) {
  char path[1024];
  snprintf(path, sizeof path, FIXTURES "%s.onnx", file);
  return tare_check_new(path, target, NULL, out, err);
}

static int count_int8(const tare_check *const check) {
  int n = 0;
  for (int i = 0; i < tare_check_n_layers(check); i++) {
    const tare_checked_layer layer = tare_check_layer(check, i);
    assert_int_equal(layer.int8, !*layer.reason);
    n += layer.int8;
  }
  return n;
}

static bool meets(const tare_finding *const f, const struct expectation *const e) {
  return strcmp(f->rule, e->rule) == 0 && f->severity == e->severity &&
         strcmp(f->node, e->node) == 0 && strncmp(f->text, e->text, strlen(e->text)) == 0;
}

static bool is_found(const tare_check *const check, const struct expectation *const e) {
  for (int i = 0; i < tare_check_n_findings(check); i++) {
    const tare_finding f = tare_check_finding(check, i);
    if (meets(&f, e)) {
      return true;
    }
  }
  return !*e->rule && tare_check_n_findings(check) == 0;
}

static void print_findings(const tare_check *const check) {
  for (int i = 0; i < tare_check_n_findings(check); i++) {
    const tare_finding f = tare_check_finding(check, i);
    print_message("%s %s '%s': %s\n", f.rule, tare_severity_name((int)f.severity), f.node, f.text);
  }
}

static void each_fault_is_found(void **const state) {
  (void)state;
  for (int i = 0; i < N_EXPECTATIONS; i++) {
    const struct expectation *const e = &expectations[i];
    tare_error err = {0};
    tare_check *check = NULL;
    if (open_check(e->file, e->target, &check, &err) != TARE_OK) {
      fail_msg("%s", err.message);
    }
    if (!is_found(check, e) || count_int8(check) != e->int8) {
      print_findings(check);
      fail_msg("%s for %s: %d layers in int8, expected %d and %s '%s'", e->file,
               tare_export_target_at(e->target)->name, count_int8(check), e->int8,
               *e->rule ? e->text : "nothing", *e->rule ? e->node : "");
    }
    tare_check_free(&check);
    assert_null(check);
  }
}

static bool is_expected(const char *const path) {
  for (int i = 0; i < N_EXPECTATIONS; i++) {
    char expected[1024];
    snprintf(expected, sizeof expected, FIXTURES "%s.onnx", expectations[i].file);
    if (strcmp(path, expected) == 0) {
      return true;
    }
  }
  return strcmp(path, FIXTURES "check_broken_scale.onnx") == 0;
}

static void each_fixture_is_expected(void **const state) {
  (void)state;
  glob_t files;
  assert_int_equal(glob(FIXTURES "check_*.onnx", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    if (!is_expected(files.gl_pathv[i])) {
      fail_msg("no expectation names %s", files.gl_pathv[i]);
    }
  }
  globfree(&files);
}

/* Any file gives a status, not a crash: the importer's fixtures too. */
static void malformed_files_are_refused_or_checked(void **const state) {
  (void)state;
  glob_t files;
  assert_int_equal(glob(FIXTURES "*.onnx", 0, NULL, &files), 0);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    for (int target = 0; target < tare_n_export_targets(); target++) {
      tare_error err = {0};
      tare_check *check = NULL;
      const tare_status status = tare_check_new(files.gl_pathv[i], target, NULL, &check, &err);
      assert_int_equal(status == TARE_OK, check != NULL);
      assert_int_equal(status == TARE_OK, !*err.message);
      tare_check_free(&check);
    }
  }
  globfree(&files);
}

static void refusals_name_what_is_wrong(void **const state) {
  (void)state;
  tare_error err = {0};
  tare_check *check = NULL;
  assert_int_equal(open_check("check_broken_scale", ORT, &check, &err), TARE_E_MODEL);
  assert_non_null(strstr(err.message, "node 'x_Q' (QuantizeLinear): the data of tensor 'x_scale'"));
  assert_int_equal(open_check("check_good", 99, &check, &err), TARE_E_USAGE);
  assert_int_equal(open_check("no_such", ORT, &check, &err), TARE_E_INPUT);
  assert_null(check);
}

int check_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_fault_is_found),
      cmocka_unit_test(each_fixture_is_expected),
      cmocka_unit_test(malformed_files_are_refused_or_checked),
      cmocka_unit_test(refusals_name_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
