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

#include "calib/tune/plan_group.h"
#include "unit/calib/support/exports.h"

static export_subject deep = {.path = TARE_SOURCE_DIR "/tests/fixtures/raised/deep.onnx",
                              .data = {TARE_SOURCE_DIR "/tests/fixtures/raised/calib"},
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
  const double sqnr_db = result.total.sqnr_db;
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
  assert_in_range(raised.n_layers, 1, 4); /* few samples: scales are wider */ /* of seven */
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

/* One layer would be left on integers, which saves nothing worth its noise. */
static void where_little_is_left_on_integers_all_is_float(void **const state) {
  (void)state;
  tare_raise_options o = options_for("last:fp32");
  tare_raised raised = raise_by(&o);
  assert_true(isfinite(raised.sqnr_db));
  tare_raised_fini(&raised);
  o.below_db = o.sqnr_db = 36;
  raised = raise_by(&o);
  assert_true(isinf(raised.sqnr_db) && isfinite(raised.standard_sqnr_db));
  assert_int_equal(raised.n_layers, 6);
  assert_null(strstr(raised.requests, ":int"));
  tare_raised_fini(&raised);
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

/* Writes the model with requests, and builds what is in the file. */
static tare_status make_written(void *const user, const char *const requests,
                                tare_export **const out, tare_plan **const plan,
                                tare_error *const err) {
  tare_export_options o = export_options_of(&deep);
  o.layer_precisions = requests;
  *(int *)user += 1;
  if (out) {
    export_must(tare_export_new(deep.path, &o, out, err), err);
  }
  if (plan) {
    tare_model *model = NULL;
    char *const path = export_write(&deep, &o, 0, NULL, NULL);
    export_must(tare_model_load(path, &model, err), err);
    export_must(tare_plan_build(model, deep.profiles, NULL, plan, err), err);
    tare_model_free(&model);
    export_drop_path(path);
  }
  return TARE_OK;
}

static void models_that_are_written_are_judged_as_they_are(void **const state) {
  (void)state;
  int made = 0, n_float = 0;
  tare_error err = {0};
  const tare_raise_written written = {.make = make_written, .user = &made, .profile = -1};
  tare_raise_options o = options_for("layer0:int8"); /* of plans: it says nothing here */
  o.written = &written;
  tare_raised raised = raise_by(&o);
  assert_true(raised.complete && raised.sqnr_db >= o.sqnr_db && raised.standard_sqnr_db < 22);
  assert_in_range(raised.n_layers, 1, 4); /* few samples: scales are wider */
  assert_non_null(strstr(raised.requests, "layer0:fp32"));
  assert_true(made > 7); /* each of the layers alone */
  export_must(tare_table_set_layer_precisions(deep.table, raised.requests, &err), &err);
  const tare_export_options e = export_options_of(&deep);
  export_drop_path(export_write(&deep, &e, 0, "fp32", &n_float));
  assert_int_equal(n_float, raised.n_layers); /* the table says it too */
  export_must(tare_table_set_layer_precisions(deep.table, NULL, &err), &err);
  tare_raised_fini(&raised);
}

static void a_profile_judges_by_its_own_samples(void **const state) {
  (void)state;
  int made = 0;
  tare_error err = {0};
  tare_raised raised;
  tare_raise_written written = {.make = make_written, .user = &made, .profile = 0};
  tare_raise_options o = options_for(NULL);
  o.written = &written;
  raised = raise_by(&o);
  assert_true(raised.sqnr_db >= o.sqnr_db);
  tare_raised_fini(&raised);
  written.profile = 1;
  assert_int_equal(
      tare_raise_layers(deep.model, deep.profiles, deep.dataset, deep.dataset, &o, &raised, &err),
      TARE_E_USAGE);
  assert_string_equal(err.message, "profile 1: expected -1 to 0");
}

/* What the user asks for is no choice, and its noise is that of no other layer. */
static void what_the_user_keeps_raises_no_others(void **const state) {
  (void)state;
  tare_raise_options o = options_for("layer0:int8");
  o.sqnr_db = 20; /* less than layer0 leaves */
  tare_raised raised = raise_by(&o);
  assert_null(strstr(raised.requests, "layer0"));
  tare_raised_fini(&raised);
}

/* What was judged is what the table makes builds of. */
static void assert_built_as_judged(const tare_raised *const raised) {
  tare_error err = {0};
  int n = -1;
  export_must(tare_table_set_layer_precisions(deep.table, raised->requests, &err), &err);
  assert_true(sqnr_of_table(&n) == raised->sqnr_db);
  assert_int_equal(n, raised->n_layers);
  export_must(tare_table_set_layer_precisions(deep.table, NULL, &err), &err);
}

/* Layers of 32 outputs have no 16 bits in a plan of a table, where a request would be obeyed. */
static void plans_are_as_they_were_judged(void **const state) {
  (void)state;
  for (double bound = 20; bound <= 50; bound += 1) {
    tare_raise_options o = options_for(NULL);
    o.below_db = o.sqnr_db = bound;
    tare_raised raised = raise_by(&o);
    assert_null(strstr(raised.requests, "layer0:int16"));
    assert_built_as_judged(&raised);
    tare_raised_fini(&raised);
  }
}

/* What the table asked for before is replaced. */
static void a_table_with_requests_is_raised_anew(void **const state) {
  (void)state;
  const tare_raise_options o = options_for(NULL);
  tare_error err = {0};
  tare_raised first = raise_by(&o);
  export_must(tare_table_set_layer_precisions(deep.table, "*:fp32", &err), &err);
  tare_raised again = raise_by(&o);
  assert_string_equal(tare_table_layer_precisions(deep.table), "*:fp32");
  assert_string_equal(again.requests, first.requests);
  assert_built_as_judged(&again);
  tare_raised_fini(&first);
  tare_raised_fini(&again);
}

static void there_is_a_table(void **const state) {
  (void)state;
  tare_raise_options o = options_for(NULL);
  tare_error err = {0};
  tare_raised raised;
  o.build.table = NULL;
  assert_int_equal(
      tare_raise_layers(deep.model, deep.profiles, deep.dataset, deep.dataset, &o, &raised, &err),
      TARE_E_USAGE);
  assert_string_equal(err.message, "build options: expected a table to raise layers of");
}

static void where_the_time_is_over_a_coarse_mix_is_judged(void **const state) {
  (void)state;
  tare_raise_options o = options_for(NULL);
  o.seconds = 1e-9;
  tare_raised raised = raise_by(&o);
  assert_false(raised.complete);
  assert_true(raised.n_layers > 3 && raised.sqnr_db >= o.sqnr_db && raised.standard_sqnr_db < 22);
  assert_built_as_judged(&raised);
  tare_raised_fini(&raised);
  o.build.layer_precisions = "layer4:int8"; /* which costs little */
  raised = raise_by(&o);
  assert_false(raised.complete);
  assert_true(raised.n_layers > 3 && raised.sqnr_db > raised.standard_sqnr_db);
  assert_null(strstr(raised.requests, "layer4"));
  tare_raised_fini(&raised);
  o.build.layer_precisions = "*:int8";
  raised = raise_by(&o);
  assert_false(raised.complete);
  assert_string_equal(raised.requests, ""); /* there is nothing to raise */
  assert_true(raised.sqnr_db == raised.standard_sqnr_db);
  tare_raised_fini(&raised);
}

static void the_time_on_a_processor_ends_it_too(void **const state) {
  (void)state;
  tare_raise_options o = options_for(NULL);
  o.seconds = 1e-9;
  tare_raised by_clock = raise_by(&o);
  o.seconds = 0;
  o.processor_seconds = 1e-9;
  tare_raised raised = raise_by(&o);
  assert_false(raised.complete);
  assert_string_equal(raised.requests, by_clock.requests);
  tare_raised_fini(&raised);
  o.processor_seconds = 1e9;
  raised = raise_by(&o);
  assert_true(raised.complete);
  tare_raised_fini(&raised);
  tare_raised_fini(&by_clock);
}

static void a_number_of_probes_ends_it_alike(void **const state) {
  (void)state;
  tare_raise_options o = options_for(NULL);
  o.most_probes = 1;
  tare_raised few = raise_by(&o), again = raise_by(&o);
  assert_false(few.complete);
  assert_true(few.sqnr_db >= o.sqnr_db);
  assert_string_equal(few.requests, again.requests);
  assert_built_as_judged(&few);
  tare_raised_fini(&few);
  tare_raised_fini(&again);
  o.most_probes = 1000;
  tare_raised enough = raise_by(&o);
  o.most_probes = 0;
  tare_raised all = raise_by(&o);
  assert_true(enough.complete);
  assert_string_equal(enough.requests, all.requests);
  tare_raised_fini(&enough);
  tare_raised_fini(&all);
}

/* Wherever the time ends. */
static void any_time_gives_a_better_plan(void **const state) {
  (void)state;
  tare_raise_options o = options_for(NULL);
  tare_raised whole = raise_by(&o);
  for (o.seconds = 1e-4; o.seconds < 1; o.seconds *= 1.5) {
    tare_raised raised = raise_by(&o);
    assert_true(raised.sqnr_db >= o.sqnr_db);
    assert_built_as_judged(&raised);
    if (raised.complete) {
      assert_string_equal(raised.requests, whole.requests);
    }
    tare_raised_fini(&raised);
  }
  tare_raised_fini(&whole);
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

/* How many float plans a group takes that may have `most` bytes. */
static int count_plans(const int64_t most) {
  tare_error err = {0};
  tarei_plan_group group = tarei_plan_group_new();
  tare_build_options build;
  tare_build_options_init(&build);
  group.most = most;
  while (tarei_plan_group_has_room(&group)) {
    tare_plan *plan = NULL;
    export_must(tare_plan_build(deep.model, deep.profiles, &build, &plan, &err), &err);
    tarei_plan_group_add(&group, plan);
  }
  const int n = group.n;
  tarei_plan_group_clear(&group);
  assert_int_equal(group.n, 0);
  return n;
}

static void plans_that_run_together_fit_into_memory(void **const state) {
  (void)state;
  const int64_t each = tare_plan_weight_bytes(deep.plan) + tare_plan_context_bytes(deep.plan);
  assert_true(each > 0);
  assert_int_equal(count_plans(0), 1); /* one always has room */
  assert_int_equal(count_plans(2 * each - 1), 1);
  assert_int_equal(count_plans(2 * each), 2);
  assert_int_equal(count_plans(5 * each), 5);
  assert_int_equal(count_plans(INT64_MAX), TARE_MOST_TRIALS);
}

/* Models that are written have little but float to raise layers to, and a lower bound. */
static void written_models_have_bounds_of_their_own(void **state) {
  (void)state;
  tare_raise_options plans, written;
  tare_raise_options_init(&plans);
  tare_raise_options_init_written(&written);
  assert_true(written.below_db < plans.below_db);
  assert_true(plans.sqnr_db - plans.below_db == 1 && written.sqnr_db - written.below_db == 1);
  assert_null(written.written);
}

int raise_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_that_run_together_fit_into_memory),
      cmocka_unit_test(the_layers_that_cost_most_are_raised),
      cmocka_unit_test(a_higher_bound_raises_more),
      cmocka_unit_test(where_little_is_left_on_integers_all_is_float),
      cmocka_unit_test(a_good_plan_stays),
      cmocka_unit_test(requests_of_the_user_stay),
      cmocka_unit_test(models_that_are_written_are_judged_as_they_are),
      cmocka_unit_test(a_profile_judges_by_its_own_samples),
      cmocka_unit_test(what_the_user_keeps_raises_no_others),
      cmocka_unit_test(plans_are_as_they_were_judged),
      cmocka_unit_test(a_table_with_requests_is_raised_anew),
      cmocka_unit_test(there_is_a_table),
      cmocka_unit_test(where_the_time_is_over_a_coarse_mix_is_judged),
      cmocka_unit_test(the_time_on_a_processor_ends_it_too),
      cmocka_unit_test(a_number_of_probes_ends_it_alike),
      cmocka_unit_test(any_time_gives_a_better_plan),
      cmocka_unit_test(malformed_requests_of_a_table_are_refused),
      cmocka_unit_test(written_models_have_bounds_of_their_own),
  };
  return cmocka_run_group_tests(tests, open_deep, close_deep);
}
