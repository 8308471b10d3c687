/* Which layers are faster in float where bytes are multiplied as words. */
#include "graph/quantize/widened_bytes.h"

#include "quantize_helpers.h"

static float weights[256 * 256 * 9];

static bool loses(const tarei_graph *const g, const char *const name,
                  const tare_precision precision) {
  const tarei_node *const node = node_called(g, name);
  return tarei_widened_bytes_lose(g, NULL, node, tarei_op_int8_form(node->op), precision);
}

static tarei_graph *new_linear(const int64_t in, const int64_t out, const char *const rows) {
  tarei_graph *const g = tarei_graph_new("test");
  char dims[32];
  snprintf(dims, sizeof dims, "%s;%d", rows, (int)in);
  const int w = add_floats(g, "w", 2, (int64_t[]){in, out}, weights);
  end_graph(g, OP(g, "MatMul", "y", add_input(g, "x", dims), w));
  optimize(g, false);
  return g;
}

/* Narrow or short products do not make up for rows that become bytes, nor do a few rows; 16 bits
 * never gain. Either order of inputs and outputs counts the same. */
static void linear_layers_by_inputs_and_outputs(void **state) {
  (void)state;
  static const struct {
    int64_t in, out;
    const char *rows;
    bool bytes, own_scales; /* lose */
  } cases[] = {
      {16, 64, "n", true, true},   {32, 32, "n", false, true},  {32, 128, "n", false, true},
      {128, 32, "n", false, true}, {16, 256, "n", false, true}, {64, 64, "n", false, false},
      {64, 64, "4", false, false}, {64, 64, "3", true, true},   {64, 256, "1", false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tarei_graph *const g = new_linear(cases[i].in, cases[i].out, cases[i].rows);
    assert_int_equal(loses(g, "n_y", TARE_PRECISION_INT8), cases[i].bytes);
    assert_int_equal(loses(g, "n_y", TARE_PRECISION_INT8_ROWS), cases[i].own_scales);
    assert_true(loses(g, "n_y", TARE_PRECISION_INT16_ROWS));
    assert_true(loses(g, "n_y", TARE_PRECISION_INT16));
    tarei_graph_free(g);
  }
}

/* Windows that float has tiles for: squares, and along an axis against rows of floats; windows
 * whose taps lie apart against the same. */
static void convolutions_by_their_tiles(void **state) {
  (void)state;
  static const struct {
    int64_t channels, height, width, stride, dilation;
    bool bytes, own_scales; /* lose */
  } cases[] = {{64, 3, 3, 1, 1, true, true},    {64, 3, 3, 2, 1, false, false},
               {64, 1, 3, 1, 1, false, true},   {64, 3, 1, 1, 1, false, true},
               {64, 1, 1, 1, 1, false, false},  {16, 3, 3, 1, 1, false, true},
               {160, 3, 3, 1, 1, false, false}, {32, 3, 3, 1, 1, true, true},
               {48, 1, 2, 1, 1, false, false},  {48, 1, 2, 1, 4, false, true},
               {64, 1, 2, 1, 4, false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int64_t c = cases[i].channels;
    tarei_graph *const g = tarei_graph_new("test");
    char dims[32];
    snprintf(dims, sizeof dims, "n;%d;9;t + 9", (int)c);
    const int w =
        add_floats(g, "w", 4, (int64_t[]){c, c, cases[i].height, cases[i].width}, weights);
    const int y = OP(g, "Conv", "y", add_input(g, "x", dims), w);
    const int64_t strides[] = {cases[i].stride, cases[i].stride};
    const int64_t dilations[] = {1, cases[i].dilation};
    assert_true(tarei_attr_set_ints(last_node(g), "strides", strides, 2));
    assert_true(tarei_attr_set_ints(last_node(g), "dilations", dilations, 2));
    end_graph(g, y);
    optimize(g, false);
    assert_int_equal(loses(g, "n_y", TARE_PRECISION_INT8), cases[i].bytes);
    assert_int_equal(loses(g, "n_y", TARE_PRECISION_INT8_ROWS), cases[i].own_scales);
    tarei_graph_free(g);
  }
}

/* Depthwise layers need many channels, few taps over two axes, and a reader of bytes. */
static void depthwise_layers_by_channels_and_taps(void **state) {
  (void)state;
  static const struct {
    int64_t channels, taps;
    bool read, loses;
  } cases[] = {
      {128, 3, true, false}, {127, 3, true, true}, {128, 3, false, true}, {128, 5, true, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int64_t c = cases[i].channels, taps = cases[i].taps;
    tarei_graph *const g = tarei_graph_new("test");
    char dims[32];
    snprintf(dims, sizeof dims, "n;%d;9;t + 9", (int)c);
    int y = OP(g, "Conv", "y", add_input(g, "x", dims),
               add_floats(g, "w", 4, (int64_t[]){c, 1, taps, taps}, weights));
    assert_true(tarei_attr_set_int(last_node(g), "group", c));
    if (cases[i].read) {
      y = OP(g, "Conv", "z", y, add_floats(g, "v", 4, (int64_t[]){c, c, 1, 1}, weights));
    }
    end_graph(g, y);
    optimize(g, false);
    assert_int_equal(loses(g, "n_y", TARE_PRECISION_INT8), cases[i].loses);
    tarei_graph_free(g);
  }
}

/* The samples of a step are its rows. */
static void recurrent_layers_by_units_and_batch(void **state) {
  (void)state;
  static const struct {
    int64_t batch, hidden;
    bool loses;
  } cases[] = {{1, 32, true}, {1, 48, false}, {8, 24, true}, {8, 48, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int64_t h = cases[i].hidden;
    tarei_graph *const g = tarei_graph_new("test");
    const int w = add_floats(g, "w", 3, (int64_t[]){1, 4 * h, h}, weights);
    const int r = add_floats(g, "r", 3, (int64_t[]){1, 4 * h, h}, weights);
    char dims[32];
    snprintf(dims, sizeof dims, "t;%d;%d", (int)cases[i].batch, (int)h);
    const int y = OP(g, "LSTM", "y", add_input(g, "x", dims), w, r);
    assert_true(tarei_attr_set_int(last_node(g), "hidden_size", h));
    end_graph(g, y);
    assert_int_equal(loses(g, "n_y", TARE_PRECISION_INT8_ROWS), cases[i].loses);
    tarei_graph_free(g);
  }
}

/* The layers stay float only on such instruction sets, and say why; who asks for small layers in
 * int8 gets them. */
static void the_instruction_set_decides(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    const bool widens = i % 2, small = i / 2;
    tarei_graph *const g = new_linear(64, 16, "n");
    annotate(g);
    tare_error err = {0};
    const tarei_quantize_options options = {
        .build = {.int8_when_small = small}, .int8 = true, .widens_bytes = widens};
    assert_int_equal(tarei_graph_quantize(g, &options, &err), TARE_OK);
    assert_int_equal(tarei_graph_compact(g, &err), TARE_OK);
    const tarei_record *const record = &node_called(g, "n_y")->record;
    const bool lost = widens && !small;
    assert_int_equal(record->got, lost ? TARE_PRECISION_FP32 : TARE_PRECISION_INT8);
    assert_int_equal(record->why, lost ? TARE_REASON_NO_VNNI : TARE_REASON_NONE);
    tarei_graph_free(g);
  }
}

int widened_bytes_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_layers_by_inputs_and_outputs),
      cmocka_unit_test(convolutions_by_their_tiles),
      cmocka_unit_test(depthwise_layers_by_channels_and_taps),
      cmocka_unit_test(recurrent_layers_by_units_and_batch),
      cmocka_unit_test(the_instruction_set_decides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
