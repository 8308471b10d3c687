/* Layers that are raised above 8 bits: those whose noise grows on the way to the outputs, as few as
 * the bound allows, and none where the plan is good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tare/tare.h>

#include "unit/calib/support/exports.h"

static export_subject deep = {.path = TARE_SOURCE_DIR "/tests/fixtures/raised/deep.onnx",
                              .data = TARE_SOURCE_DIR "/tests/fixtures/raised/calib",
                              .profile = "n=1,t=4:12:20"};

static int open_deep(void **const state) {
  (void)state;
  export_open_subject(&deep);
  return 0;
}

static int close_deep(void **const state) {
  (void)state;
  export_close_subject(&deep);
  return 0;
}

static tare_raised raise_by(const tare_raise_options *const options) {
  tare_error err = {0};
  tare_raised raised;
  export_must(tare_raise_layers(deep.model, deep.profiles, deep.dataset, deep.dataset, options,
                                &raised, &err),
              &err);
  return raised;
}

static tare_raise_options options_for(const char *const requests) {
  tare_raise_options o;
  tare_raise_options_init(&o);
  o.build.table = deep.table;
  o.build.layer_precisions = requests;
  return o;
}

/* SQNR of the plan that the table gives now, and how many of its layers are raised. */
static double sqnr_of_table(int *const n_raised) {
  tare_error err = {0};
  tare_build_options build;
  tare_build_options_init(&build);
  build.table = deep.table;
  tare_plan *plan = NULL;
  export_must(tare_plan_build(deep.model, deep.profiles, &build, &plan, &err), &err);
  *n_raised = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    *n_raised += layer.why == TARE_REASON_RAISED;
    assert_true(layer.why != TARE_REASON_RAISED || *layer.reason);
  }
  tare_eval_options eval;
  tare_eval_options_init(&eval);
  eval.against = deep.plan;
  tare_eval_result result;
  export_must(tare_dataset_rewind(deep.dataset, &err), &err);
  export_must(tare_eval(plan, deep.dataset, &eval, &result, &err), &err);
  const double sqnr_db = tare_eval_worst_sqnr(&result);
  tare_eval_result_fini(&result);
  tare_plan_free(&plan);
  return sqnr_db;
}

static void the_layers_that_cost_most_are_raised(void **const state) {
  (void)state;
  const tare_raise_options o = options_for(NULL);
  tare_raised raised = raise_by(&o);
  int n = -1;
  tare_error err = {0};
  assert_true(raised.complete);
  assert_true(raised.standard_sqnr_db < 22);
  assert_true(raised.sqnr_db >= o.sqnr_db);
  assert_in_range(raised.n_layers, 1, 3); /* of seven */
  assert_true(raised.share > 0 && raised.share < 0.5);
  assert_non_null(strstr(raised.requests, "layer0:"));
  assert_null(strstr(raised.requests, "last:"));
  assert_true(fabs(sqnr_of_table(&n) - raised.standard_sqnr_db) < 1e-9);
  assert_int_equal(n, 0);
  export_must(tare_table_set_layer_precisions(deep.table, raised.requests, &err), &err);
  assert_int_equal(tare_table_n_raised(deep.table), raised.n_layers);
  assert_true(fabs(sqnr_of_table(&n) - raised.sqnr_db) < 1e-9);
  assert_int_equal(n, raised.n_layers);
  export_must(tare_table_set_layer_precisions(deep.table, NULL, &err), &err);
  tare_raised_fini(&raised);
}

static void a_higher_bound_raises_more(void **const state) {
  (void)state;
  double share = 0;
  for (double bound = 22; bound <= 40; bound += 3) {
    tare_raise_options o = options_for(NULL);
    o.below_db = o.sqnr_db = bound;
    tare_raised raised = raise_by(&o);
    assert_true(raised.sqnr_db >= bound);
    assert_true(raised.share >= share);
    share = raised.share;
    tare_raised_fini(&raised);
  }
  assert_true(share > 0.5);
}

static void a_good_plan_stays(void **const state) {
  (void)state;
  tare_raise_options o = options_for(NULL);
  o.below_db = 10;
  tare_raised raised = raise_by(&o);
  assert_int_equal(raised.n_layers, 0);
  assert_string_equal(raised.requests, "");
  assert_true(raised.complete && raised.sqnr_db == raised.standard_sqnr_db);
  tare_raised_fini(&raised);
}

static void requests_of_the_user_stay(void **const state) {
  (void)state;
  const tare_raise_options o = options_for("layer0:int8");
  tare_raised raised = raise_by(&o);
  assert_true(raised.sqnr_db < o.sqnr_db); /* that layer alone costs more */
  tare_raised_fini(&raised);
}

static void the_time_may_be_over(void **const state) {
  (void)state;
  tare_raise_options o = options_for(NULL);
  o.seconds = 1e-9;
  tare_raised raised = raise_by(&o);
  assert_false(raised.complete);
  assert_string_equal(raised.requests, "");
  tare_raised_fini(&raised);
}

static void malformed_requests_of_a_table_are_refused(void **const state) {
  (void)state;
  static const char *const bad[] = {"layer0", "layer0:int5", "layer1:fp32,layer0"};
  tare_error err = {0};
  export_must(tare_table_set_layer_precisions(deep.table, "last:fp32", &err), &err);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(tare_table_set_layer_precisions(deep.table, bad[i], &err), TARE_E_USAGE);
    assert_string_equal(tare_table_layer_precisions(deep.table), "last:fp32");
    assert_int_equal(tare_table_n_raised(deep.table), 1);
  }
  export_must(tare_table_set_layer_precisions(deep.table, "", &err), &err);
  assert_int_equal(tare_table_n_raised(deep.table), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_layers_that_cost_most_are_raised),
      cmocka_unit_test(a_higher_bound_raises_more),
      cmocka_unit_test(a_good_plan_stays),
      cmocka_unit_test(requests_of_the_user_stay),
      cmocka_unit_test(the_time_may_be_over),
      cmocka_unit_test(malformed_requests_of_a_table_are_refused),
  };
  return cmocka_run_group_tests(tests, open_deep, close_deep);
}
