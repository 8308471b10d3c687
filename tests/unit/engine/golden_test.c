/* The float engine against outputs of an independent runtime: 1e-4 absolute + 1e-4 relative. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>
#include <tare/plan.h>

#define MAX_PORTS 4

typedef struct suite {
  const char *model, *profile;
} suite;

static tare_tensor read_tensor(const hid_t file, const char *const path, const tare_dtype dtype) {
  tare_tensor t = {.dtype = dtype};
  hsize_t dims[TARE_MAX_RANK];
  const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
  assert_true(set >= 0);
  const hid_t space = H5Dget_space(set);
  t.rank = H5Sget_simple_extent_dims(space, dims, NULL);
  for (int d = 0; d < t.rank; d++) {
    t.dims[d] = (int64_t)dims[d];
  }
  t.data = malloc((size_t)tare_tensor_count(&t) * tare_dtype_size(dtype));
  assert_non_null(t.data);
  const hid_t memory = dtype == TARE_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_INT64;
  assert_true(H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, t.data) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  return t;
}

static void compare(const tare_tensor *const got, const tare_tensor *const want,
                    const char *const what) {
  assert_int_equal(got->rank, want->rank);
  double worst = 0;
  for (int d = 0; d < got->rank; d++) {
    assert_int_equal(got->dims[d], want->dims[d]);
  }
  for (int64_t i = 0; i < tare_tensor_count(got); i++) {
    const double g = ((const float *)got->data)[i], w = ((const float *)want->data)[i];
    const double error = fabs(g - w) / (1e-4 + 1e-4 * fabs(w));
    worst = error > worst || isnan(error) ? error : worst;
  }
  print_message("%s: worst error %.3f of the tolerance\n", what, worst);
  assert_true(worst <= 1);
}

typedef struct visit {
  const suite *s;
  tare_context *context;
  const tare_port *in, *out;
  int n_in, n_out, cases;
} visit;

static herr_t one_case(const hid_t file, const char *const name, const H5L_info_t *const info,
                       void *const user) {
  (void)info;
  visit *const v = user;
  tare_tensor in[MAX_PORTS], out[MAX_PORTS];
  char path[300];
  for (int i = 0; i < v->n_in; i++) {
    snprintf(path, sizeof path, "%s/inputs/%s", name, v->in[i].name);
    in[i] = read_tensor(file, path, v->in[i].dtype);
  }
  tare_error err = {0};
  if (tare_context_run(v->context, in, out, &err) != TARE_OK) {
    fail_msg("%s %s: %s", v->s->model, name, err.message);
  }
  for (int o = 0; o < v->n_out; o++) {
    snprintf(path, sizeof path, "%s/outputs/%s", name, v->out[o].name);
    const tare_tensor want = read_tensor(file, path, TARE_F32);
    snprintf(path, sizeof path, "%s %s", v->s->model, name);
    compare(&out[o], &want, path);
    free(want.data);
  }
  for (int i = 0; i < v->n_in; i++) {
    free(in[i].data);
  }
  v->cases++;
  return 0;
}

static tare_plan *build(const suite *const s, const char *const isa) {
  char path[1000];
  snprintf(path, sizeof path, "%s/models/%s.onnx", TARE_SHARED_DIR, s->model);
  tare_error err = {0};
  tare_model *model = NULL;
  tare_profiles *profiles = NULL;
  tare_plan *plan = NULL;
  const tare_port *ports;
  tare_build_options options;
  tare_build_options_init(&options);
  options.isa = isa;
  if (tare_model_load(path, &model, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  const int n = tare_model_inputs(model, &ports);
  assert_int_equal(tare_profiles_new(ports, n, &profiles, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, s->profile, &err), TARE_OK);
  if (tare_plan_build(model, profiles, &options, &plan, &err) != TARE_OK) {
    fail_msg("%s: %s", s->model, err.message);
  }
  tare_profiles_free(&profiles);
  tare_model_free(&model);
  return plan;
}

static void run_suite(const suite *const s) {
  char path[1000];
  snprintf(path, sizeof path, "%s/golden/%s.h5", TARE_SHARED_DIR, s->model);
  if (access(path, R_OK) != 0) {
    print_message("skipped: %s is not there\n", path);
    skip();
  }
  tare_plan *plan = build(s, NULL);
  visit v = {.s = s};
  v.n_in = tare_plan_inputs(plan, &v.in);
  v.n_out = tare_plan_outputs(plan, &v.out);
  assert_true(v.n_in <= MAX_PORTS && v.n_out <= MAX_PORTS);
  assert_int_equal(tare_context_new(plan, NULL, &v.context, NULL), TARE_OK);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  assert_true(H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, one_case, &v) >= 0);
  assert_true(v.cases >= 7);
  H5Fclose(file);
  tare_context_free(&v.context);
  tare_plan_free(&plan);
}

static const suite suites[] = {
    {"digits-conv", "batch=1:1:4,samples=1600:16000:40000"},
    {"digits-former", "batch=1:1:4,samples=1600:16000:40000"},
    {"intents-bert", "batch=1:1:4,sequence=1:128:512"},
    {"intents-mini", "batch=1:1:4,sequence=1:128:512"},
};

static void digits_conv(void **state) {
  (void)state;
  run_suite(&suites[0]);
}
static void digits_former(void **state) {
  (void)state;
  run_suite(&suites[1]);
}
static void intents_bert(void **state) {
  (void)state;
  run_suite(&suites[2]);
}
static void intents_mini(void **state) {
  (void)state;
  run_suite(&suites[3]);
}

int golden_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digits_conv),
      cmocka_unit_test(digits_former),
      cmocka_unit_test(intents_bert),
      cmocka_unit_test(intents_mini),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
