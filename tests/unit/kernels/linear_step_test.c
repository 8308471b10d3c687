/* Steps of linear attention: every ISA beside scalar, and scalar beside the definition in double.
 */
#include "tests/unit/kernels/checkkern.h"

enum { MOST = 150, QUERIES = 3 };

typedef struct step_data {
  float state[MOST * MOST], q[QUERIES * MOST], k[MOST], v[MOST], decay[MOST], out[QUERIES * MOST];
} step_data;

static void fill_with(float *to, size_t n, float low, float high) {
  for (size_t i = 0; i < n; i++) {
    to[i] = ck_uniform(low, high);
  }
}

static tarei_linear_step any_step(step_data *d) {
  const size_t depth = 1 + ck_below(MOST), width = 1 + ck_below(MOST);
  fill_with(d->state, MOST * MOST, -1.0f, 1.0f);
  fill_with(d->q, QUERIES * MOST, -1.0f, 1.0f);
  fill_with(d->k, MOST, -0.3f, 0.3f);
  fill_with(d->v, MOST, -1.0f, 1.0f);
  fill_with(d->decay, MOST, 0.5f, 1.0f);
  return (tarei_linear_step){.depth = depth,
                             .width = width,
                             .queries = 1 + ck_below(QUERIES),
                             .state = d->state,
                             .q = d->q,
                             .k = d->k,
                             .v = d->v,
                             .decay = ck_below(3) ? d->decay : NULL,
                             .decay_stride = ck_below(2),
                             .beta = ck_uniform(0.1f, 1.0f),
                             .scale = ck_uniform(0.1f, 1.0f),
                             .delta = ck_below(2),
                             .out = d->out};
}

/* Column c of the state behind a step, in double. */
static void define_column(const tarei_linear_step *s, size_t c, double *column) {
  double recalled = 0;
  for (size_t i = 0; i < s->depth; i++) {
    const double factor = s->decay ? (double)s->decay[i * s->decay_stride] : 1;
    column[i] = (double)s->state[i * s->width + c] * factor;
    recalled += column[i] * (double)s->k[i];
  }
  const double change = (double)s->beta * ((double)s->v[c] - (s->delta ? recalled : 0));
  for (size_t i = 0; i < s->depth; i++) {
    column[i] += (double)s->k[i] * change;
  }
}

static void scalar_steps_are_as_defined(void **state) {
  (void)state;
  static step_data data, copy;
  for (int turn = 0; turn < 30; turn++) {
    tarei_linear_step s = any_step(&data);
    copy = data;
    ck_scalar().linear_step(&s);
    s.state = copy.state;
    for (size_t c = 0; c < s.width; c++) {
      double column[MOST];
      define_column(&s, c, column);
      for (size_t i = 0; i < s.depth; i++) {
        assert_true(fabs(column[i] - (double)data.state[i * s.width + c]) < 1e-4);
      }
      for (size_t q = 0; q < s.queries; q++) {
        double sum = 0;
        for (size_t i = 0; i < s.depth; i++) {
          sum += (double)s.q[q * s.depth + i] * column[i] * (double)s.scale;
        }
        assert_true(fabs(sum - (double)data.out[q * s.width + c]) < 1e-4);
      }
    }
  }
}

static void rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  static step_data data, expected, before;
  for (int turn = 0; turn < 30; turn++) {
    const tarei_linear_step s = any_step(&data);
    before = data;
    ck_scalar().linear_step(&s);
    expected = data;
    CK_EACH_ROW("linear_step") {
      data = before;
      ((tarei_linear_step_fn *)row->function)(&s);
      assert_memory_equal(&data, &expected, sizeof data);
    }
  }
}

int linear_step_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalar_steps_are_as_defined),
      cmocka_unit_test(rows_give_the_bits_of_scalar),
  };
  return cmocka_run_group_tests_name("kernels.linear_step", tests, ck_seed, NULL);
}
