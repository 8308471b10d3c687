#include "tests/unit/kernels/checkkern.h"

typedef struct planes_case {
  tarei_dw_planes planes;
  int32_t zero_point;
  void *x, *padding, *w;
  int32_t *add;
} planes_case;

/* Windows of 3 by 3, few taps, few columns, or a long axis; outputs may lie wholly in the padding.
 */
static void choose_window(tarei_dw_planes *p) {
  const size_t kind = ck_below(4);
  for (int a = 0; a < 2; a++) {
    p->kernel[a] = kind == 0 ? 3 : 1 + (int64_t)ck_below(kind == 1 ? 5 : 9);
    p->stride[a] = 1 + (int64_t)ck_below(ck_below(2) ? 1 : 4);
    p->dilation[a] = 1 + (int64_t)ck_below(ck_below(2) ? 1 : 3);
  }
  if (kind == 3) { /* few columns, side by side */
    p->kernel[1] = 1 + 2 * (int64_t)ck_below(3);
    p->stride[1] = 1 + (int64_t)ck_below(2);
    p->dilation[0] = p->dilation[1] = 1;
  }
  if (ck_below(12) == 0) {
    p->kernel[ck_below(2)] = 20 + (int64_t)ck_below(150);
  }
  if (ck_below(12) == 0) {
    p->dilation[ck_below(2)] = 40;
    p->stride[ck_below(2)] = 70;
  }
}

static planes_case planes_case_new(bool bytes, bool wild) {
  planes_case d = {.zero_point = bytes ? (int32_t)ck_below(256) : 0};
  tarei_dw_planes *const p = &d.planes;
  choose_window(p);
  for (int a = 0; a < 2; a++) {
    const int64_t reach = (p->kernel[a] - 1) * p->dilation[a];
    p->pad[a] = (int64_t)ck_below((size_t)reach + 1);
    p->in[a] = 1 + (int64_t)ck_below(ck_below(8) ? 20 : 150);
    p->out[a] = 1 + (p->in[a] + p->pad[a]) / p->stride[a];
  }
  p->channels = ck_below(2) ? ck_size() : 8 * (1 + ck_below(6));
  const size_t samples = 1 + ck_below(3), channels = p->channels;
  const int64_t lines = (int64_t)samples * p->out[0];
  p->line0 = (int64_t)ck_below((size_t)lines);
  p->line1 = p->line0 + 1 + (int64_t)ck_below((size_t)(lines - p->line0));
  const size_t n_line = (size_t)p->in[1] * channels, n_x = samples * (size_t)p->in[0] * n_line;
  const size_t n_w = (size_t)(p->kernel[0] * p->kernel[1]) * channels;
  d.x = bytes ? ck_bytes(n_x) : (void *)ck_floats(n_x, wild);
  d.w = bytes ? ck_bytes(n_w) : (void *)ck_floats(n_w, wild);
  const size_t n_padding = n_line * (bytes ? 1 : sizeof(float));
  d.padding = ck_alloc(n_padding);
  memset(d.padding, d.zero_point, n_padding);
  d.add = ck_alloc(channels * sizeof *d.add);
  for (size_t i = 0; i < channels; i++) {
    d.add[i] = (int32_t)(ck_next() % 2001) - 1000;
  }
  p->x = d.x;
  p->padding = d.padding;
  p->w = d.w;
  p->add = bytes ? d.add : NULL;
  return d;
}

static void planes_case_free(planes_case *d) {
  free(d->x);
  free(d->padding);
  free(d->w);
  free(d->add);
}

static size_t planes_rows(const tarei_dw_planes *p) {
  return (size_t)((p->line1 - p->line0) * p->out[1]);
}

/* Of a plain epilogue: sums of floats have a bias and bounds at most. Floats in place of bytes? */
static void plain_sums(tarei_dw_planes *p, ck_epilogue *c, bool floats) {
  tarei_epilogue *const e = &c->e;
  free((void *)e->upper);
  e->upper = NULL;
  if (floats) {
    e->out_f32 = ck_output(planes_rows(p) * e->ld_f32 * sizeof(float));
    free(e->out_u8);
    e->out_u8 = NULL;
  }
  p->epilogue = *e;
}

static void compare_planes(const char *family, bool bytes) {
  for (int i = 0; i < 100; i++) {
    planes_case d = planes_case_new(bytes, i % 5 == 0);
    ck_epilogue e;
    ck_epilogue_init(&e, planes_rows(&d.planes), d.planes.channels, bytes, false);
    if (i % 2) {
      ck_epilogue_plain(&e, planes_rows(&d.planes), d.planes.channels);
    }
    d.planes.epilogue = e.e;
    if (!bytes && i % 2) {
      plain_sums(&d.planes, &e, i % 4 == 1);
    }
    (bytes ? ck_scalar().dw_planes_i8 : ck_scalar().dw_planes_f32)(&d.planes);
    CK_EACH_ROW(family) {
      tarei_epilogue twin = ck_epilogue_twin(&e);
      tarei_dw_planes planes = d.planes;
      planes.epilogue = twin;
      ((tarei_dw_planes_fn *)row->function)(&planes);
      ck_epilogue_same_and_free(row->name, &e, &twin);
    }
    ck_epilogue_free(&e);
    planes_case_free(&d);
  }
}

static void i8_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  compare_planes("dw_planes_i8", true);
}

static void f32_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  compare_planes("dw_planes_f32", false);
}

/* One output; `size` is what its terms would add up to without signs. */
static double planes_reference(const planes_case *d, int64_t line, int64_t ox, size_t channel,
                               double *size) {
  const tarei_dw_planes *const p = &d->planes;
  const int64_t sample = line / p->out[0], oy = line % p->out[0];
  double sum = 0;
  for (int64_t ky = 0; ky < p->kernel[0]; ky++) {
    for (int64_t kx = 0; kx < p->kernel[1]; kx++) {
      const int64_t y = oy * p->stride[0] + ky * p->dilation[0] - p->pad[0];
      const int64_t z = ox * p->stride[1] + kx * p->dilation[1] - p->pad[1];
      const bool inside = y >= 0 && y < p->in[0] && z >= 0 && z < p->in[1];
      const int64_t at = inside ? (sample * p->in[0] + y) * p->in[1] + z : 0;
      const size_t ix = (size_t)at * p->channels + channel;
      const size_t iw = (size_t)(kx * p->kernel[0] + ky) * p->channels + channel;
      double x = d->zero_point;
      if (inside) {
        x = p->add ? ((const uint8_t *)p->x)[ix] : ((const float *)p->x)[ix];
      }
      const double w = p->add ? ((const int8_t *)p->w)[iw] : ((const float *)p->w)[iw];
      sum += x * w;
      *size += fabs(x * w);
    }
  }
  return p->add ? (float)(sum + p->add[channel]) : sum;
}

static void check_planes(bool bytes) {
  for (int i = 0; i < 40; i++) {
    planes_case d = planes_case_new(bytes, false);
    const tarei_dw_planes *const p = &d.planes;
    const size_t channels = p->channels;
    float *const out = ck_output(planes_rows(p) * channels * sizeof *out);
    d.planes.epilogue = (tarei_epilogue){.out_f32 = out, .ld_f32 = channels};
    (bytes ? ck_scalar().dw_planes_i8 : ck_scalar().dw_planes_f32)(p);
    for (size_t r = 0; r < planes_rows(p); r += 1 + ck_below(7)) {
      for (size_t n = 0; n < channels; n += 1 + ck_below(3)) {
        double size = 0;
        const double expected = planes_reference(&d, p->line0 + (int64_t)r / p->out[1],
                                                 (int64_t)r % p->out[1], n, &size);
        const double tolerance = bytes ? 0 : size * 6e-8 * (double)(p->kernel[0] * p->kernel[1]);
        assert_true(fabs(out[r * channels + n] - expected) <= tolerance);
      }
    }
    free(out);
    planes_case_free(&d);
  }
}

static void i8_agrees_with_plain_loops(void **state) {
  (void)state;
  check_planes(true);
}

static void f32_agrees_with_double(void **state) {
  (void)state;
  check_planes(false);
}

int dw_planes_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(i8_rows_give_the_bits_of_scalar),
      cmocka_unit_test(f32_rows_give_the_bits_of_scalar),
      cmocka_unit_test(i8_agrees_with_plain_loops),
      cmocka_unit_test(f32_agrees_with_double),
  };
  return cmocka_run_group_tests_name("kernels.dw_planes", tests, ck_seed, NULL);
}
