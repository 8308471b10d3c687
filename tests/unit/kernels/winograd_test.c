/* Winograd's transforms: every row of the table against the scalar one, and that against the
 * matrices that define them. */
#include "tests/unit/kernels/checkkern.h"

enum { SIDE = 4, ELEMENTS = TAREI_WINOGRAD_ELEMENTS };

typedef struct in_case {
  tarei_winograd_in call;
  float *x, *zeros;
  size_t n_out;
} in_case;

/* Tiles may begin and end in the padding, or lie in it. */
static in_case in_case_new(bool wild) {
  const size_t width = 1 + ck_below(40), channels = ck_size();
  in_case c = {.x = ck_floats(SIDE * width * channels, wild),
               .zeros = ck_alloc(channels * sizeof(float)),
               .call = {.width = (int64_t)width,
                        .first = (int64_t)ck_below(width) - 2,
                        .channels = channels,
                        .tiles = 1 + ck_below(TAREI_WINOGRAD_TILES)}};
  memset(c.zeros, 0, channels * sizeof(float));
  c.call.zeros = c.zeros;
  for (size_t y = 0; y < SIDE; y++) {
    c.call.lines[y] = ck_below(6) ? c.x + y * width * channels : NULL;
  }
  c.call.step = c.call.tiles * channels + ck_below(9);
  c.n_out = (ELEMENTS - 1) * c.call.step + c.call.tiles * channels;
  c.call.out = ck_output(c.n_out * sizeof(float));
  return c;
}

static void in_case_free(in_case *c) {
  free(c->x);
  free(c->zeros);
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

/* B', by rows. */
static const double spread[SIDE][SIDE] = {
    {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};

static double in_element(const tarei_winograd_in *w, size_t tile, size_t channel, size_t e) {
  double sum = 0;
  for (size_t y = 0; y < SIDE; y++) {
    for (size_t x = 0; x < SIDE; x++) {
      const int64_t at = w->first + 2 * (int64_t)tile + (int64_t)x;
      if (w->lines[y] && at >= 0 && at < w->width) {
        const double d = (double)w->lines[y][(size_t)at * w->channels + channel];
        sum += spread[e / SIDE][y] * spread[e % SIDE][x] * d;
      }
    }
  }
  return sum;
}

static void in_agrees_with_its_matrix(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++) {
    in_case c = in_case_new(false);
    ck_scalar().winograd_in(&c.call);
    for (size_t t = 0; t < c.call.tiles; t++) {
      for (size_t j = 0; j < c.call.channels * ELEMENTS; j++) {
        const size_t e = j / c.call.channels, channel = j % c.call.channels;
        const double is = (double)c.call.out[e * c.call.step + t * c.call.channels + channel];
        assert_true(fabs(is - in_element(&c.call, t, channel, e)) < 1e-4);
      }
    }
    in_case_free(&c);
  }
}

static tarei_winograd_out out_case_new(bool wild) {
  tarei_winograd_out w = {
      .tiles = 1 + ck_below(TAREI_WINOGRAD_TILES), .n = ck_size(), .lines = 1 + ck_below(2)};
  w.width = w.tiles * 2 - ck_below(2);
  w.step = w.tiles * w.n + ck_below(9);
  w.sums = ck_floats((ELEMENTS - 1) * w.step + w.tiles * w.n, wild);
  w.rows[0] = ck_below(5);
  w.rows[1] = w.rows[0] + w.width + ck_below(5);
  return w;
}

static size_t out_rows(const tarei_winograd_out *w) {
  return w->rows[1] + w->width;
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

/* A', by rows. */
static const double join[2][SIDE] = {{1, 1, 1, 0}, {0, 1, -1, -1}};

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
      for (size_t e = 0; e < ELEMENTS; e++) {
        sum += join[y][e / SIDE] * join[x % 2][e % SIDE] *
               (double)w.sums[e * w.step + x / 2 * w.n + c];
      }
      assert_true(fabs(sum - (double)out[(w.rows[y] + x) * w.n + c]) < 1e-3);
    }
    free(out);
    free((void *)w.sums);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_rows_give_the_bits_of_scalar),
      cmocka_unit_test(in_agrees_with_its_matrix),
      cmocka_unit_test(out_rows_give_the_bits_of_scalar),
      cmocka_unit_test(out_agrees_with_its_matrix),
  };
  return cmocka_run_group_tests_name("kernels.winograd", tests, ck_seed, NULL);
}
