/* Fourier transforms of frames: every row of the table against the scalar one, and that against
 * the sums that define it. */
#include "tests/unit/kernels/checkkern.h"

enum { MOST_LEVELS = 12 };

/* A transform with all that it needs. */
typedef struct transform {
  tarei_fourier f;
  int32_t factors[MOST_LEVELS];
} transform;

static void put_root(float **to, double turns) {
  const double angle = -2 * M_PI * turns;
  *(*to)++ = (float)cos(angle);
  *(*to)++ = (float)sin(angle);
  *(*to)++ = (float)-sin(angle);
}

static float *roots_of(const tarei_fourier *f) {
  float *const roots = ck_alloc(f->n * f->levels * TAREI_FOURIER_ROOT * sizeof *roots + 4);
  float *to = roots;
  size_t n = f->n / 2;
  for (size_t level = 0; level < f->levels; level++) {
    const size_t factor = (size_t)f->factors[level], length = n / factor;
    for (size_t i = 0; i < (length - 1) * (factor - 1); i++) {
      put_root(&to, (double)((i / (factor - 1) + 1) * (i % (factor - 1) + 1)) / (double)n);
    }
    n = length;
  }
  return roots;
}

static int32_t *places_of(const tarei_fourier *f) {
  int32_t *const places = ck_alloc(f->n / 2 * sizeof *places);
  for (size_t i = 0; i < f->n / 2; i++) {
    size_t length = f->n / 2, rest = i, place = 0;
    for (size_t level = 0; level < f->levels; level++) {
      const size_t factor = (size_t)f->factors[level];
      length /= factor;
      place += rest % factor * length;
      rest /= factor;
    }
    places[i] = (int32_t)place;
  }
  return places;
}

static float *turns_of(const tarei_fourier *f) {
  float *const turns = ck_alloc((f->n / 4 + 1) * TAREI_FOURIER_ROOT * sizeof *turns);
  float *to = turns;
  for (size_t k = 0; k <= f->n / 4; k++) {
    put_root(&to, (double)k / (double)f->n);
  }
  return turns;
}

static void transform_init(transform *t) {
  *t = (transform){.f = {.n = 2, .outputs = ck_size()}};
  t->f.levels = ck_below(4);
  for (size_t i = 0; i < t->f.levels; i++) {
    t->factors[i] = (int32_t)(2 + ck_below(4));
    t->f.n *= (size_t)t->factors[i];
  }
  t->f.factors = t->factors;
  t->f.taps = 1 + ck_below(t->f.n);
  t->f.window = ck_floats(t->f.taps, false);
  t->f.roots = roots_of(&t->f);
  t->f.turns = turns_of(&t->f);
  t->f.places = places_of(&t->f);
  t->f.parts = ck_floats(2 * t->f.outputs, false);
  int32_t *const bins = ck_alloc(t->f.outputs * sizeof *bins);
  for (size_t o = 0; o < t->f.outputs; o++) {
    bins[o] = (int32_t)ck_below(t->f.n / 2 + 1);
  }
  t->f.bins = bins;
}

static void transform_fini(transform *t) {
  free((void *)t->f.window);
  free((void *)t->f.roots);
  free((void *)t->f.turns);
  free((void *)t->f.places);
  free((void *)t->f.parts);
  free((void *)t->f.bins);
}

static tarei_fourier_frames frames_of(const transform *t, bool wild) {
  tarei_fourier_frames c = {.transform = &t->f,
                            .step = 1 + ck_below(2 * t->f.taps),
                            .frames = 1 + ck_below(TAREI_FOURIER_FRAMES)};
  c.x = ck_floats((c.frames - 1) * c.step + t->f.taps, wild);
  c.work = ck_alloc_aligned(TAREI_FOURIER_WORK(t->f.n) * sizeof(float));
  return c;
}

static void rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++) {
    transform t;
    transform_init(&t);
    tarei_fourier_frames c = frames_of(&t, i % 5 == 0);
    ck_epilogue e;
    ck_epilogue_init(&e, c.frames, t.f.outputs, false, false);
    c.epilogue = e.e;
    ck_scalar().fourier(&c);
    CK_EACH_ROW("fourier") {
      tarei_epilogue twin = ck_epilogue_twin(&e);
      tarei_fourier_frames call = c;
      call.epilogue = twin;
      ((tarei_fourier_fn *)row->function)(&call);
      ck_epilogue_same_and_free(row->name, &e, &twin);
    }
    ck_epilogue_free(&e);
    free((void *)c.x);
    free(c.work);
    transform_fini(&t);
  }
}

/* size: of what is summed up, which bounds what rounding may do */
static double output_of(const tarei_fourier_frames *c, size_t frame, size_t o, double *size) {
  const tarei_fourier *const f = c->transform;
  double re = 0, im = 0, all = 0;
  for (size_t t = 0; t < f->taps; t++) {
    const double x = 2 * (double)f->window[t] * (double)c->x[frame * c->step + t];
    const double angle = -2 * M_PI * (double)((size_t)f->bins[o] * t % f->n) / (double)f->n;
    re += x * cos(angle);
    im += x * sin(angle);
    all += fabs(x);
  }
  *size = all * (fabs((double)f->parts[2 * o]) + fabs((double)f->parts[2 * o + 1]));
  return (double)f->parts[2 * o] * re + (double)f->parts[2 * o + 1] * im;
}

static void outputs_are_their_sums(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    transform t;
    transform_init(&t);
    tarei_fourier_frames c = frames_of(&t, false);
    float *const out = ck_output(c.frames * t.f.outputs * sizeof *out);
    c.epilogue = (tarei_epilogue){.out_f32 = out, .ld_f32 = t.f.outputs};
    ck_scalar().fourier(&c);
    for (size_t j = 0; j < c.frames * t.f.outputs; j++) {
      double size;
      const double is = output_of(&c, j / t.f.outputs, j % t.f.outputs, &size);
      assert_true(fabs(is - (double)out[j]) <= 5e-7 * size);
    }
    free(out);
    free((void *)c.x);
    free(c.work);
    transform_fini(&t);
  }
}

int fourier_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_give_the_bits_of_scalar),
      cmocka_unit_test(outputs_are_their_sums),
  };
  return cmocka_run_group_tests_name("kernels.fourier", tests, ck_seed, NULL);
}
