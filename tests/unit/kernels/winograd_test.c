/* Winograd's transforms: every row of the table against the scalar one, and that against the
 * matrices that define them. */
#include "tests/unit/kernels/checkkern.h"

enum { SIDE = 4 };

/* B' and A' along one axis, by rows. */
static const double axis_spread[SIDE][SIDE] = {
    {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
static const double axis_join[2][SIDE] = {{1, 1, 1, 0}, {0, 1, -1, -1}};

static double spread(size_t elements, size_t e, size_t input) {
  return elements == TAREI_WINOGRAD_AXIS
             ? axis_spread[e][input]
             : axis_spread[e / SIDE][input / SIDE] * axis_spread[e % SIDE][input % SIDE];
}

static double join(size_t elements, size_t output, size_t e) {
  return elements == TAREI_WINOGRAD_AXIS
             ? axis_join[output][e]
             : axis_join[output / 2][e / SIDE] * axis_join[output % 2][e % SIDE];
}

static size_t any_form(void) {
  return ck_below(2) ? TAREI_WINOGRAD_SQUARE : TAREI_WINOGRAD_AXIS;
}

typedef struct in_case {
  tarei_winograd_in call;
  float *x;
  const float **inputs;
  size_t n_out;
} in_case;

static in_case in_case_new(bool wild) {
  const size_t rows = 1 + ck_below(40), channels = ck_size();
  in_case c = {.x = ck_floats(rows * channels, wild),
               .call = {.elements = any_form(),
                        .channels = channels,
                        .tiles = 1 + ck_below(TAREI_WINOGRAD_TILES)}};
  const size_t n = c.call.tiles * c.call.elements;
  c.inputs = ck_alloc(n * sizeof *c.inputs);
  for (size_t i = 0; i < n; i++) {
    c.inputs[i] = c.x + ck_below(rows) * channels;
  }
  c.call.inputs = c.inputs;
  c.call.step = c.call.tiles * channels + ck_below(9);
  c.n_out = (c.call.elements - 1) * c.call.step + c.call.tiles * channels;
  c.call.out = ck_output(c.n_out * sizeof(float));
  return c;
}

static void in_case_free(in_case *c) {
  free(c->x);
  free(c->inputs);
  free(c->call.out);
}

static void in_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    in_case c = in_case_new(i % 5 == 0);
    ck_scalar().winograd_in(&c.call);
    CK_EACH_ROW("winograd_in") {
      tarei_winograd_in twin = c.call;
      twin.out = ck_output(c.n_out * sizeof(float));
      ((tarei_winograd_in_fn *)row->function)(&twin);
      ck_assert_same_floats(row->name, twin.out, c.call.out, c.n_out);
      free(twin.out);
    }
    in_case_free(&c);
  }
}

static double in_element(const tarei_winograd_in *w, size_t tile, size_t channel, size_t e) {
  double sum = 0;
  for (size_t i = 0; i < w->elements; i++) {
    sum += spread(w->elements, e, i) * (double)w->inputs[tile * w->elements + i][channel];
  }
  return sum;
}

static void in_agrees_with_its_matrix(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++) {
    in_case c = in_case_new(false);
    ck_scalar().winograd_in(&c.call);
    for (size_t t = 0; t < c.call.tiles; t++) {
      for (size_t j = 0; j < c.call.channels * c.call.elements; j++) {
        const size_t e = j / c.call.channels, channel = j % c.call.channels;
        const double is = (double)c.call.out[e * c.call.step + t * c.call.channels + channel];
        assert_true(fabs(is - in_element(&c.call, t, channel, e)) < 1e-4);
      }
    }
    in_case_free(&c);
  }
}

/* Lines may end within a tile, and a tile below the last of them. */
static tarei_winograd_out out_case_new(bool wild) {
  tarei_winograd_out w = {
      .elements = any_form(), .tiles = 1 + ck_below(TAREI_WINOGRAD_TILES), .n = ck_size()};
  const bool square = w.elements == TAREI_WINOGRAD_SQUARE;
  w.columns = square ? 2 : 1 + ck_below(2);
  w.lines = 1 + ck_below((square ? TAREI_WINOGRAD_OUTPUTS : 2) / w.columns);
  w.width = w.tiles * w.columns - ck_below(w.columns);
  w.step = w.tiles * w.n + ck_below(9);
  w.sums = ck_floats((w.elements - 1) * w.step + w.tiles * w.n, wild);
  w.rows[0] = ck_below(5);
  for (size_t y = 1; y < TAREI_WINOGRAD_OUTPUTS; y++) {
    w.rows[y] = w.rows[y - 1] + w.width + ck_below(5);
  }
  return w;
}

static size_t out_rows(const tarei_winograd_out *w) {
  return w->rows[TAREI_WINOGRAD_OUTPUTS - 1] + w->width;
}

static void out_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    tarei_winograd_out w = out_case_new(i % 5 == 0);
    ck_epilogue e;
    ck_epilogue_init(&e, out_rows(&w), w.n, false, false);
    w.epilogue = e.e;
    ck_scalar().winograd_out(&w);
    CK_EACH_ROW("winograd_out") {
      tarei_epilogue twin = ck_epilogue_twin(&e);
      tarei_winograd_out call = w;
      call.epilogue = twin;
      ((tarei_winograd_out_fn *)row->function)(&call);
      ck_epilogue_same_and_free(row->name, &e, &twin);
    }
    ck_epilogue_free(&e);
    free((void *)w.sums);
  }
}

static void out_agrees_with_its_matrix(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++) {
    tarei_winograd_out w = out_case_new(false);
    float *const out = ck_output(out_rows(&w) * w.n * sizeof *out);
    w.epilogue = (tarei_epilogue){.out_f32 = out, .ld_f32 = w.n};
    ck_scalar().winograd_out(&w);
    for (size_t j = 0; j < w.lines * w.width * w.n; j++) {
      const size_t c = j % w.n, x = j / w.n % w.width, y = j / w.n / w.width;
      double sum = 0;
      for (size_t e = 0; e < w.elements; e++) {
        sum += join(w.elements, y * w.columns + x % w.columns, e) *
               (double)w.sums[e * w.step + x / w.columns * w.n + c];
      }
      assert_true(fabs(sum - (double)out[(w.rows[y] + x) * w.n + c]) < 1e-3);
    }
    free(out);
    free((void *)w.sums);
  }
}

int winograd_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_rows_give_the_bits_of_scalar),
      cmocka_unit_test(in_agrees_with_its_matrix),
      cmocka_unit_test(out_rows_give_the_bits_of_scalar),
      cmocka_unit_test(out_agrees_with_its_matrix),
  };
  return cmocka_run_group_tests_name("kernels.winograd", tests, ck_seed, NULL);
}
