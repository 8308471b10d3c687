/* Pooled rows and planes: every row of the table against the scalar one, and that against a plain
 * loop. */
#include "tests/unit/kernels/checkkern.h"

enum { MOST_ROWS = 20 };

typedef struct window {
  size_t n_rows, n, m, step,
      elements; /* m windows, step apart, of which rows have so many elements */
  float *floats[MOST_ROWS];
  uint8_t *bytes[MOST_ROWS];
} window;

static window random_window(void) {
  window w = {.n_rows = 1 + ck_below(MOST_ROWS), .n = ck_size(), .m = 1 + ck_below(4)};
  if (ck_below(4) == 0) { /* one channel, whose windows go side by side */
    w.n = 1;
    w.m = 1 + ck_below(40);
  }
  w.step = ck_below(2 * w.n + 2);
  w.elements = (w.m - 1) * w.step + w.n;
  for (size_t r = 0; r < w.n_rows; r++) {
    w.floats[r] = ck_floats(w.elements, true);
    w.bytes[r] = ck_bytes(w.elements);
  }
  return w;
}

static void window_free(window *const w) {
  for (size_t r = 0; r < w->n_rows; r++) {
    free(w->floats[r]);
    free(w->bytes[r]);
  }
}

static tarei_pool_floats floats_of(const window *const w, float *const out) {
  return (tarei_pool_floats){.rows = (const float *const *)w->floats,
                             .n_rows = w->n_rows,
                             .n = w->n,
                             .m = w->m,
                             .step = w->step,
                             .out = out};
}

/* Where element k of all results comes from in each row. */
static size_t place_of(const window *const w, const size_t k) {
  return k / w->n * w->step + k % w->n;
}

static void largest_floats(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    window w = random_window();
    const size_t n = w.m * w.n;
    float *const expected = ck_alloc(n * sizeof *expected);
    const tarei_pool_floats want = floats_of(&w, expected);
    ck_scalar().pool_max(&want);
    for (size_t k = 0; k < n; k++) {
      float most = -INFINITY;
      for (size_t r = 0; r < w.n_rows && !isnan(most); r++) {
        const float v = w.floats[r][place_of(&w, k)];
        most = isnan(v) || v > most ? v : most;
      }
      assert_true(isnan(most) ? isnan(expected[k]) : expected[k] == most);
    }
    CK_EACH_ROW("pool_max") {
      float *const out = ck_output(n * sizeof *out);
      const tarei_pool_floats pool = floats_of(&w, out);
      ((tarei_pool_max_fn *)row->function)(&pool);
      ck_assert_same_floats(row->name, out, expected, n);
      free(out);
    }
    free(expected);
    window_free(&w);
  }
}

static void largest_bytes(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    window w = random_window();
    const size_t n = w.m * w.n;
    CK_EACH_ROW("pool_max_u8") {
      uint8_t *const out = ck_output(n);
      const tarei_pool_bytes pool = {.rows = (const uint8_t *const *)w.bytes,
                                     .n_rows = w.n_rows,
                                     .n = w.n,
                                     .m = w.m,
                                     .step = w.step,
                                     .out = out};
      ((tarei_pool_max_u8_fn *)row->function)(&pool);
      for (size_t k = 0; k < n; k++) {
        uint8_t most = 0;
        for (size_t r = 0; r < w.n_rows; r++) {
          const uint8_t byte = w.bytes[r][place_of(&w, k)];
          most = byte > most ? byte : most;
        }
        assert_int_equal(out[k], most);
      }
      free(out);
    }
    window_free(&w);
  }
}

static void means(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    window w = random_window();
    const float count = (float)(w.n_rows + ck_below(5));
    const size_t n = w.m * w.n;
    float *const expected = ck_alloc(n * sizeof *expected);
    const tarei_pool_floats want = floats_of(&w, expected);
    ck_scalar().pool_mean(&want, count);
    for (size_t k = 0; k < n; k++) {
      float sum = w.floats[0][place_of(&w, k)];
      for (size_t r = 1; r < w.n_rows; r++) {
        sum += w.floats[r][place_of(&w, k)];
      }
      const float mean = sum / count;
      assert_true(isnan(mean) ? isnan(expected[k]) : expected[k] == mean);
    }
    CK_EACH_ROW("pool_mean") {
      float *const out = ck_output(n * sizeof *out);
      const tarei_pool_floats pool = floats_of(&w, out);
      ((tarei_pool_mean_fn *)row->function)(&pool, count);
      ck_assert_same_floats(row->name, out, expected, n);
      free(out);
    }
    free(expected);
    window_free(&w);
  }
}

/* --- planes ----------------------------------------------------------------------------------- */

enum { MOST_SPANS = 12 };

/* Windows over planes, which may lie in the padding, and what an output has of them. */
typedef struct planes {
  tarei_pool_planes p;
  tarei_pool_span spans[2][MOST_SPANS];
  size_t in, out;
} planes;

static planes random_planes(void) {
  planes s = {.p = {.planes = 1 + ck_below(3),
                    .taps = 1 + ck_below(ck_below(8) ? 6 : 80),
                    .stride = 1 + ck_below(5)}};
  tarei_pool_planes *const p = &s.p;
  for (int a = 0; a < 2; a++) {
    p->in[a] = 1 + ck_below(9);
    p->dilation[a] = 1 + ck_below(2);
    p->out_dims[a] = 1 + ck_below(MOST_SPANS);
    for (size_t i = 0; i < p->out_dims[a]; i++) {
      const size_t first = ck_below(p->in[a]), most = (p->in[a] - 1 - first) / p->dilation[a] + 1;
      s.spans[a][i] = (tarei_pool_span){first, ck_below(most + 1), (float)(1 + ck_below(4))};
    }
  }
  p->in[2] = ck_size();
  p->dilation[2] = 1 + ck_below(3);
  p->pad = ck_below(p->taps * p->dilation[2] + 1);
  p->out_dims[2] = ck_size();
  s.in = p->in[0] * p->in[1] * p->in[2];
  s.out = p->out_dims[0] * p->out_dims[1] * p->out_dims[2];
  return s;
}

typedef struct pooled {
  double sum, sum_of_sizes;
  float largest;
} pooled;

static void pool_along_line(const tarei_pool_planes *const p, const float *const line,
                            const size_t i, pooled *const r) {
  for (size_t t = 0; t < p->taps; t++) {
    const size_t at = i * p->stride + t * p->dilation[2] - p->pad; /* wraps in front of the line */
    if (at < p->in[2]) {
      const float x = line[at];
      r->sum += (double)x;
      r->sum_of_sizes += fabs((double)x);
      r->largest = x > r->largest || isnan(x) ? x : r->largest;
    }
  }
}

static pooled pooled_at(const planes *const s, const size_t plane, size_t i) {
  const tarei_pool_planes *const p = &s->p;
  const size_t column = i % p->out_dims[2];
  i /= p->out_dims[2];
  const tarei_pool_span *const outer = &s->spans[0][i / p->out_dims[1]];
  const tarei_pool_span *const inner = &s->spans[1][i % p->out_dims[1]];
  pooled r = {.largest = -INFINITY};
  for (size_t z = 0; z < outer->n; z++) {
    for (size_t y = 0; y < inner->n; y++) {
      const size_t row =
          (outer->first + z * p->dilation[0]) * p->in[1] + inner->first + y * p->dilation[1];
      pool_along_line(p, p->x + plane * s->in + row * p->in[2], column, &r);
    }
  }
  const double count = (double)(outer->count * inner->count * p->counts[column]);
  r.sum /= count;
  r.sum_of_sizes /= count;
  return r;
}

static void check_largest(const planes *const s) {
  for (size_t i = 0; i < s->p.planes * s->out; i++) {
    const float largest = pooled_at(s, i / s->out, i % s->out).largest;
    assert_true(isnan(largest) ? isnan(s->p.out[i]) : s->p.out[i] == largest);
  }
}

static void check_means(const planes *const s) {
  for (size_t i = 0; i < s->p.planes * s->out; i++) {
    const pooled want = pooled_at(s, i / s->out, i % s->out);
    assert_true(!(want.sum_of_sizes < 1e30) || /* which does not overflow in float */
                fabs((double)s->p.out[i] - want.sum) <= 1e-5 * want.sum_of_sizes + 1e-37);
  }
}

/* Every row of a family of planes against the scalar one. */
#define PLANES_OF(family, CHECK)                                                       \
  static void family##_rows(planes s) {                                                \
    const size_t n = s.p.planes * s.out;                                               \
    float *const columns = ck_alloc_aligned(tarei_pool_columns(&s.p) * sizeof(float)); \
    float *const expected = s.p.out = ck_output(n * sizeof(float));                    \
    ck_scalar().family(&s.p, columns);                                                 \
    CHECK(&s);                                                                         \
    CK_EACH_ROW(#family) {                                                             \
      s.p.out = ck_output(n * sizeof(float));                                          \
      ((tarei_##family##_fn *)row->function)(&s.p, columns);                           \
      ck_assert_same_floats(row->name, s.p.out, expected, n);                          \
      free(s.p.out);                                                                   \
    }                                                                                  \
    free(columns);                                                                     \
    free(expected);                                                                    \
  }
PLANES_OF(pool_planes_max, check_largest)
PLANES_OF(pool_planes_mean, check_means)

static void planes_are_pooled(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    planes s = random_planes();
    float *const counts = ck_alloc(s.p.out_dims[2] * sizeof *counts);
    for (size_t k = 0; k < s.p.out_dims[2]; k++) {
      counts[k] = (float)(1 + ck_below(4));
    }
    s.p.counts = counts;
    s.p.x = ck_floats(s.p.planes * s.in, i % 4 == 0);
    for (int a = 0; a < 2; a++) {
      s.p.spans[a] = s.spans[a];
    }
    pool_planes_max_rows(s);
    pool_planes_mean_rows(s);
    free((void *)s.p.x);
    free(counts);
  }
}

int pool_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(largest_floats),
      cmocka_unit_test(largest_bytes),
      cmocka_unit_test(planes_are_pooled),
      cmocka_unit_test(means),
  };
  return cmocka_run_group_tests_name("kernels.pool", tests, ck_seed, NULL);
}
