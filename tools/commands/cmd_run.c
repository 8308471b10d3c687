#include <stdio.h>
#include <stdlib.h>

#include "tools/options/length_inputs.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/say.h"
#include "tools/score.h"
#include "tools/side.h"
#include "tools/source.h"
#include "tools/compare/worst.h"

enum { OPT_AGAINST = OPT_COMMAND, OPT_SAVE_OUTPUTS, OPT_USE_PROFILE, OPT_WORST };

typedef struct run_arguments {
  opt_inputs in;
  opt_metric metric;
  const char *against, *save_outputs;
  int use_profile; /* -1: by shape */
} run_arguments;

typedef struct run_work {
  side plan, against;
  tare_dataset *dataset;
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  tare_eval_result result;
  tare_difference to_reference; /* of the metric, where there is one */
  bool differs;                 /* it is there */
  worst worst;
  tare_eval_result reference; /* which its answers belong to */
} run_work;

static const struct argp_option OPTIONS[] = {
    {"against", OPT_AGAINST, "MODEL|PLAN", 0, "Compare with this reference; a model runs in float",
     0},
    {"save-outputs", OPT_SAVE_OUTPUTS, "FILE.h5", 0,
     "Write the outputs to FILE: a group per sample, a data set per output", 0},
    {"worst", OPT_WORST, "N", 0, "List the N samples that differ most from the reference", 0},
    {"use-profile", OPT_USE_PROFILE, "I", 0, "Run in profile I (default: the first that fits)", 0},
    {"useProfile", OPT_USE_PROFILE, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
    {0}};

static error_t run_parse(const int key, char *const arg, struct argp_state *const state) {
  run_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->in;
      state->child_inputs[1] = &a->metric;
      state->child_inputs[2] = &a->in.agreement;
      return 0;
    case OPT_AGAINST:
      a->against = arg;
      return 0;
    case OPT_SAVE_OUTPUTS:
      a->save_outputs = arg;
      return 0;
    case OPT_USE_PROFILE:
      a->use_profile = (int)cli_int(state, "--use-profile", arg, 0, TARE_MAX_PROFILES - 1);
      return 0;
    case OPT_WORST:
      a->metric.worst = (int)cli_int(state, "--worst", arg, 1, INT32_MAX);
      return 0;
    case ARGP_KEY_END:
      if (a->metric.worst && !a->against) {
        argp_error(state, "--worst needs --against MODEL|PLAN");
      }
      opt_metric_check(state, &a->metric, &a->in.data);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_inputs_argp, 0, NULL, 0},
                                             {&opt_metric_argp, 0, "Metric:", 4},
                                             {&opt_agreement_argp, 0, NULL, 0},
                                             {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = run_parse,
    .args_doc = "PLAN|MODEL DATA...",
    .doc =
        "Runs a plan over data, and measures it against a reference and labels. A model runs as a "
        "float plan, with the profiles given, those of the other side or those of the data; a plan "
        "has its own.\vWith --json, figures "
        "without a finite value are null; \"equal\": true means that both sides gave the same "
        "values, where the SQNR is infinite.\n\nExample:\n  tare run model.plan eval/ --against "
        "model.onnx --labels digits \\\n      --metric ctc-error --alphabet 0123456789",
    .children = CHILDREN};

static tare_status check_plans(const run_arguments *const a, const run_work *const w,
                               tare_error *const err) {
  const bool model = !w->plan.plan || (a->against && !w->against.plan);
  return model ? TARE_OK
               : side_refuse_options(&w->plan, &a->in.profiles, &a->in.model, &a->in.common, err);
}

static tare_status load_sides(const run_arguments *const a, run_work *const w,
                              tare_error *const err) {
  CLI_TRY(side_load(a->in.path, &a->in.common, &w->plan, err));
  if (a->against) {
    CLI_TRY(side_load(a->against, &a->in.common, &w->against, err));
  }
  CLI_TRY(check_plans(a, w, err));
  return side_set_inputs(&w->plan, &w->against, &a->in.model, err);
}

/* A model on either side takes the profiles of the other side's plan, unless some were given. */
static tare_status build_sides(const run_arguments *const a, run_work *const w,
                               tare_error *const err) {
  if (w->plan.plan && (!a->against || w->against.plan)) {
    return TARE_OK;
  }
  const side *const model = w->plan.plan ? &w->against : &w->plan;
  const side *const other = w->plan.plan ? &w->plan : &w->against;
  const ports p = model->plan ? ports_of_plan(model->plan) : ports_of_model(model->model);
  CLI_TRY(profiles_choose_for(&a->in, model->model, p.inputs, p.n_inputs,
                              other->plan ? tare_plan_profiles(other->plan) : NULL, &w->dataset, 1,
                              w->streaming, &w->profiles, err));
  CLI_TRY(side_build(&w->plan, w->profiles, &a->in.common, err));
  return a->against ? side_build(&w->against, w->profiles, &a->in.common, err) : TARE_OK;
}

static tare_status run_differ(const run_arguments *const a, run_work *const w,
                              const tare_eval_result *const results, tare_error *const err) {
  const tare_metric_states *const states[] = {results[0].states, results[1].states};
  tare_difference found[2];
  w->differs = a->metric.metric >= 0;
  if (!w->differs) {
    return TARE_OK;
  }
  CLI_TRY(tare_metric_differences(states, 2, 1 /* base */, NULL, 0, found, err));
  w->to_reference = found[0];
  return TARE_OK;
}

static tare_status run_evaluate(const run_arguments *const a, run_work *const w,
                                tare_error *const err) {
  progress p = progress_start("run", &a->in.common);
  tare_eval_options o = source_eval_options(&a->in, &a->metric, &w->lengths, w->streaming);
  o.against = w->against.plan;
  o.profile = a->use_profile;
  o.save_outputs = a->save_outputs;
  o.progress = progress_tick;
  o.progress_user = &p;
  const tare_plan *const plans[] = {w->plan.plan, w->against.plan};
  tare_eval_result results[] = {{.n_profiles = 0}, {.n_profiles = 0}};
  const bool beside = w->against.plan && w->against.plan != w->plan.plan;
  tare_status status = tare_eval_many(plans, beside ? 2 : 1, w->dataset, &o, results, err);
  progress_end(&p);
  if (status == TARE_OK && beside) {
    status = run_differ(a, w, results, err);
  }
  w->result = results[0];
  w->reference = results[1];
  return status == TARE_OK && beside && a->metric.worst
             ? worst_find(&w->result, &w->result, w->reference.states, a->metric.metric,
                          a->metric.worst, &w->worst, err)
             : status;
}

static void run_print_json(const run_arguments *const a, const run_work *const w) {
  const tare_profiles *const profiles = tare_plan_profiles(w->plan.plan);
  cJSON *const object = json_begin("run");
  score_json(object, &w->result.total, a->metric.metric, a->against);
  score_worst_json(object, &w->result, &w->result.total);
  if (w->differs) {
    difference_json(object, "to_reference", &w->to_reference);
  }
  json_real(object, "seconds", w->result.seconds);
  if (a->against) {
    json_real(object, "reference_seconds", w->result.reference_seconds);
  }
  json_int(object, "peak_bytes", w->result.peak_bytes);
  fitted_json(object, &w->result.fitted);
  json_int(object, "skipped", tare_dataset_n_bad(w->dataset));
  const tare_left_out left_out = tare_dataset_left_out(w->dataset);
  json_left_out(object, &left_out);
  cJSON *const list = json_add(object, "profiles", json_array());
  for (int p = 0; p < w->result.n_profiles; p++) {
    cJSON *const profile = json_add(list, NULL, json_object());
    char *const text = profile_text(profiles, p);
    json_text(profile, "profile", text);
    free(text);
    score_json(profile, &w->result.profiles[p], a->metric.metric, a->against);
  }
  levels_json(object, &w->result, a->metric.metric, a->against);
  score_outputs_json(object, &w->result, w->plan.plan);
  worst_json(object, &w->worst, a->metric.metric);
  json_print(object);
}

static tare_status run_check_output(const run_arguments *const a, tare_error *const err) {
  if (!a->save_outputs) {
    return TARE_OK;
  }
  cli_list inputs = {0};
  cli_list_add(&inputs, a->against);
  opt_inputs_files(&a->in, &inputs);
  const tare_status status = output_check_kind(&OUTPUT_HDF5, &a->save_outputs, 1, &inputs, err);
  cli_list_fini(&inputs);
  return status;
}

static tare_status run_over_data(const run_arguments *const a, run_work *const w,
                                 tare_error *const err) {
  CLI_TRY(run_check_output(a, err));
  CLI_TRY(load_sides(a, w, err));
  const ports p = w->plan.plan ? ports_of_plan(w->plan.plan) : ports_of_model(w->plan.model);
  CLI_TRY(source_open(&a->in, &p, &w->streaming, &w->dataset, err));
  CLI_TRY(build_sides(a, w, err));
  CLI_TRY(length_inputs_choose(&a->in, opt_fit_changes(&a->in.fit), p.inputs, p.n_inputs,
                               &w->dataset, 1, w->streaming, &w->lengths, err));
  CLI_TRY(run_evaluate(a, w, err));
  say_data(&a->in.common, w->dataset);
  say_fitted(&a->in.common, "run", &w->result.fitted);
  score_warn_outputs(&a->in.common, &w->result, w->plan.plan);
  if (a->in.common.json) {
    run_print_json(a, w);
  } else {
    score_print(&w->result, tare_plan_profiles(w->plan.plan), a->metric.metric, a->against,
                w->differs ? &w->to_reference : NULL);
    score_print_outputs(&w->result, w->plan.plan);
    worst_print(&w->worst, a->metric.metric);
  }
  return TARE_OK;
}

int cmd_run(const int argc, char **const argv) {
  run_arguments a = {.use_profile = -1};
  run_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = run_over_data(&a, &w, &err);
  worst_fini(&w.worst);
  tare_eval_result_fini(&w.result);
  tare_eval_result_fini(&w.reference);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.dataset);
  tare_streaming_free(&w.streaming);
  side_fini(&w.plan);
  side_fini(&w.against);
  return opt_inputs_end(argv[0], &a.in, status, &err);
}
