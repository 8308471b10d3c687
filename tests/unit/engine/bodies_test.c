/* If, Loop and Scan from the file to the output, built and loaded, with one and two threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tare/model.h>
#include <tare/plan.h>
#include <unistd.h>

#include <cmocka.h>

#define FIXTURES TARE_SOURCE_DIR "/tests/fixtures/onnx/"
enum { WIDTH = 4 };

typedef struct engine {
  tare_model *model;
  tare_profiles *profiles;
  tare_plan *plan;
  tare_context *context;
  tare_tensor outputs[3];
} engine;

#define OK(call)                              \
  do {                                        \
    tare_error err_ = {0};                    \
    err = err_;                               \
    if ((call) != TARE_OK) {                  \
      fail_msg("%s: %s", #call, err.message); \
    }                                         \
  } while (0)

static tare_error err;

static void start(engine *const e, const char *const name, const char *const profile,
                  const bool loaded, const int threads) {
  char path[256];
  snprintf(path, sizeof path, FIXTURES "%s.onnx", name);
  OK(tare_model_load(path, &e->model, &err));
  const tare_port *ports;
  const int n = tare_model_inputs(e->model, &ports);
  OK(tare_profiles_new(ports, n, &e->profiles, &err));
  OK(tare_profiles_add(e->profiles, profile, &err));
  OK(tare_plan_build(e->model, e->profiles, NULL, &e->plan, &err));
  if (loaded) {
    snprintf(path, sizeof path, "/tmp/tare_bodies_%d.plan", (int)getpid());
    OK(tare_plan_save(e->plan, path, &err));
    tare_plan_free(&e->plan);
    OK(tare_plan_load(path, &e->plan, &err));
    unlink(path);
  }
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  OK(tare_context_new(e->plan, &options, &e->context, &err));
}

static void stop(engine *const e) {
  tare_context_free(&e->context);
  tare_plan_free(&e->plan);
  tare_profiles_free(&e->profiles);
  tare_model_free(&e->model);
}

static tare_tensor rows(float *const data, const int n) {
  return (tare_tensor){TARE_F32, 2, {n, WIDTH}, data};
}

static void expect(const tare_tensor *const t, const int n, const float *const values) {
  assert_int_equal(tare_tensor_count(t), n);
  for (int i = 0; i < n; i++) {
    assert_true(fabsf(((const float *)t->data)[i] - values[i]) < 1e-5f);
  }
}

static void check_if(engine *const e, const int n, const float sign) {
  float x[8 * WIDTH], expected[16 * WIDTH];
  for (int i = 0; i < n * WIDTH; i++) {
    x[i] = sign * (float)(i + 1);
  }
  for (int r = 0; r < n; r++) {
    for (int c = 0; c < WIDTH; c++) {
      float sum = 0;
      for (int k = 0; k < WIDTH; k++) {
        sum += x[r * WIDTH + k] * (float)(k * WIDTH + c);
      }
      const int at = r * WIDTH + c;
      expected[at] = sign > 0 ? -x[at] : -fmaxf(sum, 0);
      expected[n * WIDTH + at] = -x[at];
    }
  }
  const tare_tensor in = rows(x, n);
  OK(tare_context_run(e->context, &in, e->outputs, &err));
  assert_int_equal(e->outputs[0].dims[0], sign > 0 ? 2 * n : n);
  expect(&e->outputs[0], (sign > 0 ? 2 : 1) * n * WIDTH, expected);
}

static void a_branch_is_chosen_by_data(void **state) {
  (void)state;
  for (int form = 0; form < 4; form++) {
    engine e = {0};
    start(&e, "good_if", "batch=1:2:8", form & 1, 1 + form / 2);
    for (int n = 1; n <= 8; n += 3) {
      check_if(&e, n, 1);
      check_if(&e, n, -1);
    }
    check_if(&e, 8, 1);
    stop(&e);
  }
}

static void a_known_branch_takes_the_place_of_its_node(void **state) {
  (void)state;
  engine e = {0};
  start(&e, "good_if_known", "batch=1:2:8", false, 1);
  float x[WIDTH] = {1, -2, 3, -4};
  const float expected[WIDTH] = {-1, 2, -3, 4};
  const tare_tensor in = rows(x, 1);
  OK(tare_context_run(e.context, &in, e.outputs, &err));
  expect(&e.outputs[0], WIDTH, expected);
  for (int i = 0; i < tare_plan_n_layers(e.plan); i++) {
    assert_string_not_equal(tare_plan_layer(e.plan, i).op, "If");
  }
  stop(&e);
}

/* What the body says in C: the list gets i + k or i - k, the carried rows grow by i * x. */
static void check_loop(engine *const e, const int n, const int64_t asked) {
  float x[2 * WIDTH], k = 10, y[64 * WIDTH], list[16];
  const int turns = asked < 6 ? (int)asked : 6; /* the body ends after turn 5 */
  for (int i = 0; i < n * WIDTH; i++) {
    x[i] = (float)i + 0.5f;
    y[i] = x[i];
  }
  for (int t = 0; t < turns; t++) {
    for (int i = 0; i < n * WIDTH; i++) {
      y[(t + 1) * n * WIDTH + i] = (float)t * x[i];
    }
    list[t] = t % 2 == 0 ? (float)t + k : (float)t - k;
  }
  int64_t trip = asked;
  const tare_tensor in[] = {
      rows(x, n), {.dtype = TARE_I64, .data = &trip}, {.dtype = TARE_F32, .data = &k}};
  OK(tare_context_run(e->context, in, e->outputs, &err));
  expect(&e->outputs[0], (turns + 1) * n * WIDTH, y);
  assert_int_equal(e->outputs[1].rank, 1);
  expect(&e->outputs[1], turns, list);
}

static void turns_carry_and_collect(void **state) {
  (void)state;
  for (int form = 0; form < 4; form++) {
    engine e = {0};
    start(&e, "good_loop", "batch=1:1:2", form & 1, 1 + form / 2);
    static const int64_t asked[] = {0, 1, 3, 6, 100, 2};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
      check_loop(&e, 1 + (int)(i % 2), asked[i]);
    }
    stop(&e);
  }
}

/* Steps that measure nothing run as well, and no turn writes what another value still needs. */
static void turns_run_where_no_dim_is_measured(void **state) {
  (void)state;
  for (int form = 0; form < 4; form++) {
    engine e = {0};
    start(&e, "good_loop_static", "", form & 1, 1 + form / 2);
    for (int64_t trip = 0; trip < 4; trip++) {
      float x[WIDTH] = {1, 2, 3, 4}, y[WIDTH] = {5, 6, 7, 8}, z[WIDTH] = {-1, -2, -3, -4};
      const tare_tensor in[] = {{.dtype = TARE_I64, .data = &trip},
                                {TARE_F32, 1, {WIDTH}, x},
                                {TARE_F32, 1, {WIDTH}, y},
                                {TARE_F32, 1, {WIDTH}, z}};
      OK(tare_context_run(e.context, in, e.outputs, &err));
      for (int i = 0; i < WIDTH; i++) {
        x[i] += (float)trip;
      }
      expect(&e.outputs[0], WIDTH, x);
      expect(&e.outputs[1], WIDTH, trip % 2 ? z : y);
      expect(&e.outputs[2], WIDTH, trip % 2 ? y : z);
    }
    stop(&e);
  }
}

static void a_scan_goes_through_elements_backwards(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    engine e = {0};
    start(&e, "good_scan", "n=1:3:9", form, 1);
    for (int n = 1; n <= 9; n += 4) {
      float begin[WIDTH] = {1, 2, 3, 4}, x[9 * WIDTH], last[WIDTH], y[9 * WIDTH];
      memcpy(last, begin, sizeof last);
      for (int i = 0; i < n * WIDTH; i++) {
        x[i] = (float)(i % 7) - 2;
      }
      for (int t = 0; t < n; t++) {
        for (int c = 0; c < WIDTH; c++) {
          last[c] += x[(n - 1 - t) * WIDTH + c];
          y[c * n + t] = last[c];
        }
      }
      const tare_tensor in[] = {{TARE_F32, 1, {WIDTH}, begin}, rows(x, n)};
      OK(tare_context_run(e.context, in, e.outputs, &err));
      expect(&e.outputs[0], WIDTH, last);
      assert_int_equal(e.outputs[1].dims[0], WIDTH);
      expect(&e.outputs[1], n * WIDTH, y);
    }
    stop(&e);
  }
}

static void a_scan_collects_what_its_body_measures(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    engine e = {0};
    start(&e, "good_scan_measured", "n=1:2:3", form, 1);
    for (int n = 3; n >= 1; n--) {
      for (int unique = 1; unique <= WIDTH; unique++) {
        float begin[WIDTH] = {1, 2, 3, 4}, x[3 * WIDTH], y[3 * WIDTH];
        for (int i = 0; i < n * WIDTH; i++) {
          x[i] = (float)(i / WIDTH + i % WIDTH % unique);
          y[i / WIDTH * unique + i % WIDTH % unique] = x[i];
        }
        const tare_tensor in[] = {{TARE_F32, 1, {WIDTH}, begin}, rows(x, n)};
        OK(tare_context_run(e.context, in, e.outputs, &err));
        expect(&e.outputs[0], WIDTH, begin);
        assert_int_equal(e.outputs[1].dims[1], unique);
        expect(&e.outputs[1], n * unique, y);
      }
    }
    stop(&e);
  }
}

/* Passes make shapes into expressions; what measures them still has to run. */
static void an_if_runs_for_its_shape_alone(void **state) {
  (void)state;
  for (int form = 0; form < 2; form++) {
    engine e = {0};
    start(&e, "good_if_shape", "n=1:2:3,m=4:8:24", form, 1);
    for (int i = 0; i < 6; i++) {
      const int n = 3 - i / 2;
      bool twice = i % 2;
      const int n_rows = twice ? 2 * n : n;
      float x[3 * WIDTH] = {0}, k[WIDTH] = {1, 2, 3, 4}, y[6 * WIDTH];
      for (int j = 0; j < n_rows * WIDTH; j++) {
        y[j] = k[j % WIDTH];
      }
      const tare_tensor in[] = {
          rows(x, n), {TARE_BOOL, 0, {0}, &twice}, rows(k, 1), {TARE_F32, 1, {n_rows * WIDTH}, y}};
      OK(tare_context_run(e.context, in, e.outputs, &err));
      assert_int_equal(e.outputs[0].dims[0], n_rows);
      expect(&e.outputs[0], n_rows * WIDTH, y);
      assert_int_equal(e.outputs[1].dims[0], n_rows);
      expect(&e.outputs[1], n_rows * WIDTH, y);
    }
    stop(&e);
  }
}

/* An Expand to no rows, at even lengths, is no reason to refuse them; nor are they too short. */
static void some_lengths_leave_nothing_to_add(void **state) {
  (void)state;
  for (int loaded = 0; loaded < 2; loaded++) {
    engine e = {0};
    start(&e, "good_pairs", "n=1:4:8", loaded, 1);
    for (int n = 1; n <= 8; n++) {
      float x[8 * WIDTH], expected[4 * WIDTH];
      for (int i = 0; i < 8 * WIDTH; i++) {
        x[i] = (float)(i * i);
      }
      for (int i = 0; i < (n + 1) / 2 * WIDTH; i++) {
        const int first = i / WIDTH * 2, second = first + 1 < n ? first + 1 : first;
        expected[i] = x[first * WIDTH + i % WIDTH] + x[second * WIDTH + i % WIDTH];
      }
      const tare_tensor in = rows(x, n);
      OK(tare_context_run(e.context, &in, e.outputs, &err));
      assert_int_equal(e.outputs[0].dims[0], (n + 1) / 2);
      expect(&e.outputs[0], (n + 1) / 2 * WIDTH, expected);
    }
    stop(&e);
  }
}

/* What is measured may have the fixed shape that follows, and no elements. */
static void measured_dims_meet_others(void **state) {
  (void)state;
  engine e = {0};
  start(&e, "good_measured", "", false, 1);
  for (int bits = 0; bits < 16; bits++) {
    float x[6] = {5, 3, 1, 4, 0, 2}, k[2] = {1, 10};
    bool c[] = {bits & 1, bits & 2}, d[] = {bits & 4, bits & 8};
    const int n_c = c[0] + c[1], n_d = d[0] + d[1];
    const tare_tensor in[] = {{TARE_F32, 1, {6}, x},
                              {TARE_F32, 1, {2}, k},
                              {TARE_BOOL, 1, {2}, c},
                              {TARE_BOOL, 1, {2}, d}};
    if (n_c != n_d && n_c != 1 && n_d != 1) {
      assert_int_equal(tare_context_run(e.context, in, e.outputs, &err), TARE_E_SHAPE);
      continue;
    }
    const int n = n_c == 1 ? n_d : n_c;
    float y[2];
    for (int i = 0; i < n; i++) {
      y[i] = k[n_c == 2 ? i : c[1]] + k[n_d == 2 ? i : d[1]];
    }
    OK(tare_context_run(e.context, in, e.outputs, &err));
    expect(&e.outputs[0], 6, (const float[]){0, 1, 2, 3, 4, 5});
    assert_int_equal(e.outputs[1].dims[0], n);
    expect(&e.outputs[1], n, y);
  }
  stop(&e);
}

int bodies_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_branch_is_chosen_by_data),
      cmocka_unit_test(a_known_branch_takes_the_place_of_its_node),
      cmocka_unit_test(turns_carry_and_collect),
      cmocka_unit_test(turns_run_where_no_dim_is_measured),
      cmocka_unit_test(a_scan_goes_through_elements_backwards),
      cmocka_unit_test(a_scan_collects_what_its_body_measures),
      cmocka_unit_test(an_if_runs_for_its_shape_alone),
      cmocka_unit_test(some_lengths_leave_nothing_to_add),
      cmocka_unit_test(measured_dims_meet_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
