/* Which convolutions are known as Fourier transforms, and what they get. */
#include "graph/ir/internal_attrs.h"
#include "unit/graph/quantize_helpers.h"
#include "unit/spectra.h"

/* A convolution over one channel with these weights, of as many samples as `t` says. */
static tarei_graph *convolution_of(const char *const t, const float *const w, const int64_t outputs,
                                   const int64_t taps) {
  tarei_graph *const g = tarei_graph_new("test");
  const int x = add_input(g, "x", t);
  const int value = add_floats(g, "w", 3, (int64_t[]){outputs, 1, taps}, w);
  const int y = OP(g, "Conv", "y", x, value);
  assert_true(tarei_attr_set_ints(last_node(g), "strides", &(int64_t){taps / 4}, 1));
  end_graph(g, y);
  optimize(g, true);
  return g;
}

static tarei_graph *convolution(const float *const w, const int64_t outputs, const int64_t taps) {
  return convolution_of("1;1;t", w, outputs, taps);
}

/* The length that the only convolution of a graph has, 0 without one. */
static int64_t length_of(const tarei_graph *const g) {
  for (int n = 0; n < g->n_nodes; n++) {
    if (g->nodes[n].op == &tarei_op_conv_last) {
      return tarei_attr_int(&g->nodes[n], TAREI_ATTR_FOURIER, 0);
    }
  }
  fail_msg("there is no convolution");
  return -1;
}

static int64_t length_of_weights(const float *const w, const int64_t outputs, const int64_t taps) {
  tarei_graph *const g = convolution(w, outputs, taps);
  const int64_t length = length_of(g);
  tarei_graph_free(g);
  return length;
}

static void spectra_are_found(void **state) {
  (void)state;
  static const int64_t lengths[][2] = {{128, 128}, {400, 400}, {512, 400}, {240, 240}};
  for (int form = 0; form < SPECTRUM_FORMS; form++) {
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
      const int64_t n = lengths[i / 2][0], taps = lengths[i / 2][1];
      float *const w = spectrum_weights((spectrum_form)form, n, taps, i % 2);
      assert_non_null(w);
      assert_int_equal(length_of_weights(w, spectrum_outputs((spectrum_form)form, n), taps), n);
      free(w);
    }
  }
}

/* One weight beside its place; a spectrum that is short, or of a length without small factors; and
 * what was learned. */
static void other_weights_are_not(void **state) {
  (void)state;
  float *w = spectrum_weights(SPECTRUM_BOTH, 256, 256, false);
  const int64_t outputs = spectrum_outputs(SPECTRUM_BOTH, 256);
  for (int i = 0; i < 4; i++) {
    const size_t at = (size_t)(outputs * 256 / 5 * i + 100);
    const float was = w[at];
    w[at] = i == 3 ? NAN : was + 1e-6f;
    assert_int_equal(length_of_weights(w, outputs, 256), 0);
    w[at] = was;
  }
  assert_int_equal(length_of_weights(w, outputs, 256), 256);
  free(w);
  w = spectrum_weights(SPECTRUM_BOTH, 32, 32, false);
  assert_int_equal(length_of_weights(w, spectrum_outputs(SPECTRUM_BOTH, 32), 32), 0);
  free(w);
  w = spectrum_weights(SPECTRUM_BOTH, 254, 254, false);
  assert_int_equal(length_of_weights(w, spectrum_outputs(SPECTRUM_BOTH, 254), 254), 0);
  for (size_t i = 0; i < 256 * 254; i++) {
    w[i] = (float)((i * 2654435761u >> 7) % 1000) / 1000 - 0.5f;
  }
  assert_int_equal(length_of_weights(w, 256, 254), 0);
  memset(w, 0, 256 * 254 * sizeof *w);
  assert_int_equal(length_of_weights(w, 256, 254), 0);
  free(w);
}

static void quantize_spectrum(const char *const t, const char *const requests,
                              const tare_build_options *const build, const tare_precision expected,
                              const tare_reason why) {
  float *const w = spectrum_weights(SPECTRUM_BOTH, 256, 256, false);
  tarei_graph *const g = convolution_of(t, w, spectrum_outputs(SPECTRUM_BOTH, 256), 256);
  free(w);
  annotate(g);
  set_scale(g, g->values[node_called(g, "n_y")->in[0]].name, 1, false);
  tarei_requested requested;
  tarei_quantize_options options = {.build = *build, .requested = &requested, .int8 = true};
  options.build.layer_precisions = requests;
  assert_int_equal(tarei_requested_init(&options.build, &requested, NULL), TARE_OK);
  assert_int_equal(tarei_graph_quantize(g, &options, NULL), TARE_OK);
  assert_int_equal(tarei_graph_compact(g, NULL), TARE_OK);
  tarei_requested_fini(&requested);
  const tarei_record *const record = &node_called(g, "n_y")->record;
  assert_int_equal(record->got, expected);
  assert_int_equal(record->why, why);
  tarei_graph_free(g);
}

/* They stay float where there are frames enough; a request by name is met, and so are those who
 * want what other engines have. */
static void spectra_stay_float(void **state) {
  (void)state;
  const tare_build_options usual = {0}, small = {.int8_when_small = true};
  quantize_spectrum("1;1;t", NULL, &usual, TARE_PRECISION_FP32, TARE_REASON_SPECTRUM);
  quantize_spectrum("1;1;704", NULL, &usual, TARE_PRECISION_FP32, TARE_REASON_SPECTRUM);
  quantize_spectrum("1;1;703", NULL, &usual, TARE_PRECISION_INT8_ROWS, TARE_REASON_LEVEL);
  quantize_spectrum("1;1;t", "n_y:int8", &usual, TARE_PRECISION_INT8, TARE_REASON_NONE);
  quantize_spectrum("1;1;t", "n_y:bf16", &usual, TARE_PRECISION_BF16, TARE_REASON_NONE);
  quantize_spectrum("1;1;t", NULL, &small, TARE_PRECISION_INT8_ROWS, TARE_REASON_LEVEL);
}

int spectra_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spectra_are_found),
      cmocka_unit_test(other_weights_are_not),
      cmocka_unit_test(spectra_stay_float),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
