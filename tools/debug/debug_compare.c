#include <stdlib.h>
#include <string.h>

#include "tools/debug/debug.h"
#include "tools/debug/debug_show.h"
#include "tools/options/length_inputs.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/progress.h"
#include "tools/say.h"
#include "tools/score.h"
#include "tools/side.h"
#include "tools/source.h"

enum {
  OPT_DEBUG_AGAINST = OPT_COMMAND,
  OPT_ATOL,
  OPT_RTOL,
  OPT_MIN_SQNR,
  OPT_MAX_DROP,
  OPT_TENSOR
};
enum { MISMATCH = 1 }; /* exit code */

typedef struct debug_arguments {
  opt_inputs in;
  const char *against, *tensor;
  tensor_limits limits;
} debug_arguments;

typedef struct debug_work {
  side plan, against;
  tare_dataset *dataset;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  tare_comparison *comparison;
  tare_eval_result result;
} debug_work;

static const struct argp_option OPTIONS[] = {
    {"against", OPT_DEBUG_AGAINST, "MODEL|PLAN", 0, "The reference; a model runs in float", 0},
    {"tensor", OPT_TENSOR, "NAME", 0, "Also show a histogram of the errors of this tensor", 0},
    {"atol", OPT_ATOL, "[TENSOR:]X", 0, "Absolute tolerance of all outputs, or of TENSOR", 0},
    {"rtol", OPT_RTOL, "[TENSOR:]X", 0, "Relative tolerance, added to the absolute one", 0},
    {"min-sqnr", OPT_MIN_SQNR, "[TENSOR:]DB", 0, "Minimum SQNR (default 20)", 0},
    {"max-drop", OPT_MAX_DROP, "DB", 0,
     "Call a layer bad that loses more than DB of the SQNR of its inputs (default 10)", 0},
    {0}};

static error_t debug_parse(const int key, char *const arg, struct argp_state *const state) {
  debug_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->in;
      return 0;
    case OPT_DEBUG_AGAINST:
      a->against = arg;
      return 0;
    case OPT_TENSOR:
      a->tensor = arg;
      return 0;
    case OPT_ATOL:
      limit_list_add(&a->limits.atol, state, "--atol", arg, 0, 1e30);
      return 0;
    case OPT_RTOL:
      limit_list_add(&a->limits.rtol, state, "--rtol", arg, 0, 1e30);
      return 0;
    case OPT_MIN_SQNR:
      limit_list_add(&a->limits.min_sqnr, state, "--min-sqnr", arg, -1000, 1000);
      return 0;
    case OPT_MAX_DROP:
      a->limits.max_drop = cli_real(state, "--max-drop", arg, 0, 1000);
      return 0;
    case ARGP_KEY_END:
      if (!a->against) {
        argp_error(state, "missing --against MODEL|PLAN, the reference");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_inputs_argp, 0, NULL, 0}, {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = debug_parse,
    .args_doc = "PLAN DATA... --against MODEL|PLAN",
    .doc =
        "Runs a plan and a reference over data and compares every tensor that both have under the "
        "same name, in the order of the plan: int8 tensors by the values that their bytes stand "
        "for. A layer is bad if its output falls below the minimum SQNR, or far below its inputs. "
        "The exit code is 1 if an output, or a tensor named in a tolerance, exceeds its "
        "tolerances.\vExample:\n  tare debug compare model.plan eval/ --against model.onnx --limit "
        "8",
    .children = CHILDREN};

/* A float plan of the model that keeps all its tensors. */
static tare_status build_reference(const debug_arguments *const a, debug_work *const w,
                                   tare_error *const err) {
  if (w->against.plan) {
    return side_refuse_options(&w->plan, &a->in.profiles, &a->in.model, &a->in.common, err);
  }
  CLI_TRY(opt_model_apply(&a->in.model, w->against.model, err));
  const ports p = ports_of_model(w->against.model);
  CLI_TRY(profiles_choose_for(&a->in, w->against.model, p.inputs, p.n_inputs,
                              tare_plan_profiles(w->plan.plan), &w->dataset, 1, w->streaming,
                              &w->profiles, err));
  tare_build_options o = opt_build_options(NULL, &a->in.common, NULL);
  o.observable = o.fp32 = true;
  return tare_plan_build(w->against.model, w->profiles, &o, &w->against.plan, err);
}

static tare_status load_plan(const debug_arguments *const a, debug_work *const w,
                             tare_error *const err) {
  CLI_TRY(side_load_plan(a->in.path, &a->in.common, &w->plan, err));
  return side_load(a->against, &a->in.common, &w->against, err);
}

static tare_status choose_tensor(const debug_arguments *const a, const debug_work *const w,
                                 tare_error *const err) {
  bool found = !a->tensor;
  for (int i = 0; a->tensor && i < tare_comparison_count(w->comparison); i++) {
    if (strcmp(tare_comparison_tensor(w->comparison, i).name, a->tensor) == 0) {
      tare_comparison_set_histogram(w->comparison, i);
      found = true;
    }
  }
  return found ? TARE_OK : tensor_unknown(w->comparison, "--tensor", a->tensor, err);
}

static tare_status debug_evaluate(const debug_arguments *const a, debug_work *const w,
                                  tare_error *const err) {
  const opt_metric none = {.metric = -1};
  progress p = progress_start("compare", &a->in.common);
  tare_eval_options o = source_eval_options(&a->in, &none, &w->lengths, w->streaming);
  o.against = w->against.plan;
  o.tensors = w->comparison;
  o.progress = progress_tick;
  o.progress_user = &p;
  const tare_status status = tare_eval(w->plan.plan, w->dataset, &o, &w->result, err);
  progress_end(&p);
  return status;
}

static void say_left_out(const debug_arguments *const a, const debug_work *const w) {
  int unlike = 0;
  for (int i = 0; i < tare_comparison_count(w->comparison); i++) {
    unlike += !tare_comparison_tensor(w->comparison, i).comparable;
  }
  if (unlike) {
    say(&a->in.common, "warning: %d tensor%s not compared: the plans hold them in other shapes",
        unlike, unlike == 1 ? " is" : "s are");
  }
  const int inside = tare_comparison_n_in_bodies(w->comparison);
  if (inside) {
    say(&a->in.common,
        "warning: %d tensor%s not compared: inside the bodies of If, Loop and Scan, which run any "
        "number of times",
        inside, inside == 1 ? " is" : "s are");
  }
}

static tare_status debug_run(const debug_arguments *const a, debug_work *const w,
                             debug_results *const results, tare_error *const err) {
  CLI_TRY(load_plan(a, w, err));
  const ports p = ports_of_plan(w->plan.plan);
  CLI_TRY(source_open(&a->in, &p, &w->streaming, &w->dataset, err));
  CLI_TRY(build_reference(a, w, err));
  CLI_TRY(length_inputs_choose(&a->in, opt_fit_changes(&a->in.fit), p.inputs, p.n_inputs,
                               &w->dataset, 1, w->streaming, &w->lengths, err));
  CLI_TRY(tare_comparison_new(w->plan.plan, w->against.plan, false, &w->comparison, err));
  CLI_TRY(tensor_limits_apply(&a->limits, w->comparison, err));
  CLI_TRY(choose_tensor(a, w, err));
  CLI_TRY(debug_evaluate(a, w, err));
  say_data(&a->in.common, w->dataset);
  say_fitted(&a->in.common, "compare", &w->result.fitted);
  say_left_out(a, w);
  score_warn_shapes(&a->in.common, &w->result, w->plan.plan);
  *results = (debug_results){.plan = w->plan.plan,
                             .comparison = w->comparison,
                             .limits = &a->limits,
                             .eval = &w->result,
                             .tensor = a->tensor};
  return TARE_OK;
}

static void debug_report(const debug_arguments *const a, const debug_work *const w,
                         const debug_results *const results) {
  if (!a->in.common.json) {
    debug_print(results);
    return;
  }
  cJSON *const object = json_begin("debug compare");
  debug_json(object, results);
  json_int(object, "skipped", tare_dataset_n_bad(w->dataset));
  const tare_left_out left_out = tare_dataset_left_out(w->dataset);
  json_left_out(object, &left_out);
  json_print(object);
}

int debug_compare(const int argc, char **const argv) {
  debug_arguments a = {.limits.max_drop = 10};
  debug_work w = {0};
  debug_results results = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = debug_run(&a, &w, &results, &err);
  bool mismatch = false;
  if (status == TARE_OK) {
    debug_report(&a, &w, &results);
    mismatch = debug_count_failures(&results) > 0;
  }
  tare_comparison_free(&w.comparison);
  tare_eval_result_fini(&w.result);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.dataset);
  tare_streaming_free(&w.streaming);
  side_fini(&w.plan);
  side_fini(&w.against);
  tensor_limits_fini(&a.limits);
  const int code = opt_inputs_end(argv[0], &a.in, status, &err);
  return code == 0 && mismatch ? MISMATCH : code;
}
