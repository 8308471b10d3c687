#include "tests/unit/kernels/checkkern.h"

typedef struct dw_case {
  tarei_dw_conv conv;
  int64_t out_length;
  void *x, *w;
  int32_t *add;
} dw_case;

static dw_case dw_case_new(bool bytes, bool wild) {
  dw_case d = {0};
  tarei_dw_conv *const c = &d.conv;
  c->kernel = 1 + (int64_t)ck_below(ck_below(4) ? 9 : ck_below(4) ? 90 : 300);
  c->stride = 1 + (int64_t)ck_below(ck_below(3) ? 1 : 5);
  c->dilation = 1 + (int64_t)ck_below(ck_below(3) ? 1 : 4);
  if (ck_below(20) == 0) {
    c->dilation = 200;
    c->stride = 700;
  }
  const int64_t reach = (c->kernel - 1) * c->dilation;
  c->pad = (int64_t)ck_below((size_t)reach + 1);
  c->in_length = (int64_t)(ck_size() + ck_below(200));
  c->channels = ck_size();
  c->ldx = c->channels + ck_below(4);
  c->zero_point = (int32_t)ck_below(256);
  /* outputs may lie wholly in the padding */
  d.out_length = 1 + (c->in_length + c->pad) / c->stride;
  const size_t n_x = (size_t)(c->in_length - 1) * c->ldx + c->channels;
  const size_t n_w = (size_t)c->kernel * c->channels;
  d.x = bytes ? ck_bytes(n_x) : (void *)ck_floats(n_x, wild);
  d.w = bytes ? ck_bytes(n_w) : (void *)ck_floats(n_w, wild);
  d.add = ck_alloc(c->channels * sizeof *d.add);
  for (size_t i = 0; i < c->channels; i++) {
    d.add[i] = (int32_t)(ck_next() % 2001) - 1000;
  }
  c->x = d.x;
  c->w = d.w;
  c->add = bytes ? d.add : NULL;
  c->t0 = (int64_t)ck_below((size_t)d.out_length);
  c->t1 = c->t0 + 1 + (int64_t)ck_below((size_t)(d.out_length - c->t0));
  return d;
}

static void dw_case_free(dw_case *d) {
  free(d->x);
  free(d->w);
  free(d->add);
}

static void compare_rows(const char *family, bool bytes) {
  for (int i = 0; i < 200; i++) {
    dw_case d = dw_case_new(bytes, i % 5 == 0);
    ck_epilogue e;
    ck_epilogue_init(&e, (size_t)d.out_length, d.conv.channels, bytes, false);
    if (i % 2) {
      ck_epilogue_plain(&e, (size_t)d.out_length, d.conv.channels);
    }
    d.conv.epilogue = e.e;
    (bytes ? ck_scalar().dw_conv_i8 : ck_scalar().dw_conv_f32)(&d.conv);
    CK_EACH_ROW(family) {
      tarei_epilogue twin = ck_epilogue_twin(&e);
      tarei_dw_conv conv = d.conv;
      conv.epilogue = twin;
      ((tarei_dw_conv_fn *)row->function)(&conv);
      ck_epilogue_same_and_free(row->name, &e, &twin);
    }
    ck_epilogue_free(&e);
    dw_case_free(&d);
  }
}

static void i8_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  compare_rows("dw_conv_i8", true);
}

static void f32_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  compare_rows("dw_conv_f32", false);
}

static double reference(const tarei_dw_conv *c, int64_t t, size_t channel, double *size) {
  double sum = 0;
  for (int64_t j = 0; j < c->kernel; j++) {
    const int64_t at = t * c->stride + j * c->dilation - c->pad;
    const bool inside = at >= 0 && at < c->in_length;
    const size_t ix = (size_t)(inside ? at : 0) * c->ldx + channel;
    const size_t iw = (size_t)j * c->channels + channel;
    double x, w;
    if (c->add) {
      x = inside ? ((const uint8_t *)c->x)[ix] : c->zero_point;
      w = ((const int8_t *)c->w)[iw];
    } else {
      x = inside ? ((const float *)c->x)[ix] : 0;
      w = ((const float *)c->w)[iw];
    }
    sum += x * w;
    *size += fabs(x * w);
  }
  return c->add ? (float)(sum + c->add[channel]) : sum;
}

static void check_reference(bool bytes) {
  for (int i = 0; i < 40; i++) {
    dw_case d = dw_case_new(bytes, false);
    const size_t channels = d.conv.channels;
    float *const out = ck_output((size_t)d.out_length * channels * sizeof *out);
    d.conv.epilogue = (tarei_epilogue){.out_f32 = out, .ld_f32 = channels};
    (bytes ? ck_scalar().dw_conv_i8 : ck_scalar().dw_conv_f32)(&d.conv);
    for (int64_t t = d.conv.t0; t < d.conv.t1; t++) {
      for (size_t n = 0; n < channels; n++) {
        double size = 0;
        const double expected = reference(&d.conv, t, n, &size);
        const double tolerance = bytes ? 0 : size * 6e-8 * (double)d.conv.kernel;
        assert_true(fabs(out[(size_t)(t - d.conv.t0) * channels + n] - expected) <= tolerance);
      }
    }
    free(out);
    dw_case_free(&d);
  }
}

static void i8_agrees_with_plain_loops(void **state) {
  (void)state;
  check_reference(true);
}

static void f32_agrees_with_double(void **state) {
  (void)state;
  check_reference(false);
}

int dw_conv_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(i8_rows_give_the_bits_of_scalar),
      cmocka_unit_test(f32_rows_give_the_bits_of_scalar),
      cmocka_unit_test(i8_agrees_with_plain_loops),
      cmocka_unit_test(f32_agrees_with_double),
  };
  return cmocka_run_group_tests_name("kernels.dw_conv", tests, ck_seed, NULL);
}
