#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/commands/build_requests.h"
#include "tools/show/closed.h"
#include "tools/show/layer_facts.h"
#include "tools/show/layers.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/report.h"
#include "tools/say.h"
#include "tools/table_in.h"
#include "tools/table_out.h"

enum { OPT_CALIB = OPT_COMMAND, OPT_FP32, OPT_FORCE };

typedef struct build_arguments {
  opt_common common;
  opt_profiles profiles;
  tare_build_options build; /* without a table */
  opt_model model_options;
  const char *model, *calib, *output;
} build_arguments;

typedef struct build_work {
  tare_model *model;
  tare_table *table;
  tare_profiles *own; /* profiles that the table carries */
  tare_profiles *profiles;
  tare_plan *plan;
  requests_cost cost;
  double seconds;
} build_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "PLAN", 0, "Write the plan to PLAN", 0},
    {"calib", OPT_CALIB, "TABLE", 0, "Calibration table, of any format", 0},
    {"fp32", OPT_FP32, NULL, 0, "Build a float plan, without a table", 0},
    {"force", OPT_FORCE, NULL, 0, "Accept a table that was made for another model", 0},
    {0}};

/* Refuses what would have no effect. */
static void build_check_effects(const build_arguments *const a,
                                const struct argp_state *const state) {
  const tare_build_options *const o = &a->build;
  const struct {
    const char *name;
    bool given, of_table; /* of_table: it says how a table is used; else how int8 is */
  } options[] = {{"--symmetric", o->symmetric, false},
                 {"--small-layers int8", o->int8_when_small, false},
                 {"--weight-rounding nearest", o->weight_rounding == TARE_ROUNDING_NEAREST, true},
                 {"--smoothing none", o->no_smoothing, true},
                 {"--force", o->any_table, true}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (options[i].given && !options[i].of_table && o->fp32) {
      argp_error(state, "--fp32 and %s are mutually exclusive", options[i].name);
    }
    if (options[i].given && options[i].of_table && !a->calib) {
      argp_error(state, "%s needs --calib TABLE", options[i].name);
    }
  }
}

static void build_check(const build_arguments *const a, const struct argp_state *const state) {
  if (!a->model) {
    argp_error(state, "missing MODEL");
  }
  if (!a->output) {
    argp_error(state, "missing -o PLAN, e.g. -o model.plan");
  }
  if (a->calib && a->build.fp32) {
    argp_error(state, "--fp32 and --calib are mutually exclusive");
  }
  build_check_effects(a, state);
}

static error_t build_parse(const int key, char *const arg, struct argp_state *const state) {
  build_arguments *const a = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &a->profiles;
      state->child_inputs[1] = &a->build;
      state->child_inputs[2] = &a->model_options;
      state->child_inputs[3] = &a->common;
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_CALIB:
      a->calib = arg;
      return 0;
    case OPT_FP32:
      a->build.fp32 = true;
      return 0;
    case OPT_FORCE:
      a->build.any_table = true;
      return 0;
    case ARGP_KEY_ARG:
      opt_take_one(state, &a->model, arg, "one model");
      return 0;
    case ARGP_KEY_END:
      build_check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {
    {&opt_profiles_argp, 0, "Lengths (default: those of the table):", 1},
    {&opt_build_table_argp, 0, "Precision:", 2},
    {&opt_model_argp, 0, "Model:", 3},
    {&opt_common_argp, 0, "Common:", 4},
    {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = build_parse,
    .args_doc = "MODEL",
    .doc =
        "Builds a plan: the model compiled for a set of profiles, with packed weights and a "
        "precision for each layer.\vExamples:\n  tare build model.onnx --calib model.calib.json -o "
        "model.plan\n  tare build model.onnx --fp32 --profile samples=1600:16000:80000 \\\n      "
        "-o float.plan",
    .children = CHILDREN};

/* The table's own profiles, or NULL where it knows none. */
static tare_status table_profiles(const tare_table *const table, const tare_port *const inputs,
                                  const int n_inputs, tare_profiles **const out,
                                  tare_error *const err) {
  const int n = tare_table_n_specs(table);
  if (n == 0) {
    return TARE_OK;
  }
  CLI_TRY(tare_profiles_new(inputs, n_inputs, out, err));
  for (int p = 0; p < n; p++) {
    CLI_TRY(tare_profiles_add(*out, tare_table_spec(table, p), err));
  }
  return TARE_OK;
}

static tare_status load_table(const build_arguments *const a, build_work *const w,
                              const tare_port *const inputs, const int n_inputs,
                              tare_error *const err) {
  if (!a->calib) {
    return TARE_OK;
  }
  CLI_TRY(table_load(&a->common, a->calib, a->model, w->model, a->build.any_table, &w->table, err));
  if (opt_profiles_given(&a->profiles)) {
    return TARE_OK;
  }
  const tare_status status = table_profiles(w->table, inputs, n_inputs, &w->own, err);
  return status == TARE_OK ? status : cli_fail_in(err, status, a->calib);
}

static bool loses_row_scales(const tare_reason why) {
  return why == TARE_REASON_QUIET_ROWS_LOST || why == TARE_REASON_LEVEL_LOST;
}

static void warn_symmetric(const build_arguments *const a, const tare_plan *const plan) {
  int n = 0;
  for (int i = 0; a->build.symmetric && i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    n += loses_row_scales(layer.why);
  }
  if (n > 0) {
    say(&a->common,
        "warning: --symmetric gives %d layer%s a single scale where row scales are needed, which "
        "may cost much accuracy: build without it, or keep %s in float (--layer-precisions)",
        n, cli_s(n), n == 1 ? "it" : "them");
  }
}

static void warn_float(const build_arguments *const a, const tare_plan *const plan) {
  int n_int8 = 0, n_float = 0, n_meant = 0; /* n_meant: float on purpose */
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    n_int8 += tare_precision_is_integer(layer.got);
    n_meant += layer.why == TARE_REASON_SMALL || layer.why == TARE_REASON_NO_VNNI ||
               layer.why == TARE_REASON_RAISED || layer.why == TARE_REASON_SPECTRUM;
    n_float += tare_precision_is_integer(layer.asked) && layer.got == TARE_PRECISION_FP32;
  }
  if (n_int8 == 0) {
    say(&a->common, "warning: no layer runs in int8");
  } else if (n_float - n_meant > n_int8) {
    say(&a->common, "warning: %d of %d int8 layers stay in float (see column why)",
        n_float - n_meant, n_float + n_int8);
  }
}

static const char *unused_rounding(const void *const plan, const int i) {
  return tare_plan_unused_rounding(plan, i);
}

static const char *unused_clipping(const void *const plan, const int i) {
  return tare_plan_unused_clipping(plan, i);
}

static const char *unused_correction(const void *const plan, const int i) {
  return tare_plan_unused_correction(plan, i);
}

static const char *unused_smoothing(const void *const plan, const int i) {
  return tare_plan_unused_smoothing(plan, i);
}

static void build_say_passes(const build_arguments *const a, const tare_plan *const plan) {
  for (int i = 0; i < tare_plan_n_passes(plan); i++) {
    const tare_pass pass = tare_plan_pass(plan, i);
    say_more(&a->common, "pass %s: %" PRId64 " node%s changed, %" PRId64 " removed (%s)", pass.name,
             pass.n_changed, cli_s(pass.n_changed), pass.n_removed, pass.summary);
  }
}

/* Nodes of the model that the layer computes in another type. */
static void say_origin_types(const build_arguments *const a, const tare_layer *const layer,
                             const int number) {
  for (int i = 0; i < layer->n_origins; i++) {
    if (layer->origin_types[i]) {
      say_more(&a->common, "layer %d: '%s' is %s in the model", number, layer->origins[i],
               tare_dtype_name(layer->origin_types[i]));
    }
  }
}

/* How a layer came about. */
static void build_say_layer(const build_arguments *const a, const int i,
                            const tare_layer *const layer) {
  char *const why = layer_why(layer);
  say_more(&a->common, "layer %d '%s' (%s): %s, %s", i, layer->name, layer->op, layer->precision,
           why);
  free(why);
  if (layer->n_origins > 1) {
    char *const nodes = cli_join(layer->origins, layer->n_origins, " and ");
    say_more(&a->common, "layer %d fuses %s", i, nodes);
    free(nodes);
  }
  if (layer->n_passes > 0) {
    char *const passes = cli_join(layer->passes, layer->n_passes, " and ");
    say_more(&a->common, "layer %d was made by %s", i, passes);
    free(passes);
  }
  say_origin_types(a, layer, i);
}

static void build_say_layers(const build_arguments *const a, const build_work *const w) {
  say_more(&a->common, "%d nodes of the model became %d layers",
           tare_model_get_info(w->model).n_nodes, tare_plan_n_layers(w->plan));
  build_say_passes(a, w->plan);
  for (int i = 0; a->common.verbose && i < tare_plan_n_layers(w->plan); i++) {
    const tare_layer layer = tare_plan_layer(w->plan, i);
    build_say_layer(a, i, &layer);
  }
}

static tare_status build_plan(const build_arguments *const a, build_work *const w,
                              tare_error *const err) {
  const tare_build_options o = opt_build_options(&a->build, &a->common, w->table);
  const double start = cli_now();
  say_ignored_requests(&a->common, &o);
  CLI_TRY(tare_plan_build(w->model, w->profiles, &o, &w->plan, err));
  w->seconds = cli_now() - start;
  build_say_layers(a, w);
  if (w->table) {
    table_say_warnings(&a->common, a->calib, w->table);
    warn_symmetric(a, w->plan);
    warn_float(a, w->plan);
    weights_warn(&a->common, a->calib, "rounding", w->plan, tare_plan_n_unused_roundings(w->plan),
                 unused_rounding);
    weights_warn(&a->common, a->calib, "clipping", w->plan, tare_plan_n_unused_clippings(w->plan),
                 unused_clipping);
    weights_warn(&a->common, a->calib, "bias correction", w->plan,
                 tare_plan_n_unused_corrections(w->plan), unused_correction);
    smoothings_warn(&a->common, a->calib, w->plan, tare_plan_n_unused_smoothings(w->plan),
                    unused_smoothing);
  }
  CLI_TRY(requests_cost_of(w->plan, w->model, &o, &w->cost, err));
  requests_cost_warn(&w->cost, &a->common);
  return tare_plan_save(w->plan, a->output, err);
}

static tare_status build_print_text(const build_arguments *const a, const build_work *const w,
                                    tare_error *const err) {
  CLI_TRY(layers_print_counts(w->plan, err));
  char *const weights = report_bytes(tare_plan_weight_bytes(w->plan));
  char *const context = report_bytes(tare_plan_context_bytes(w->plan));
  printf("weights    %s\ncontext    %s\n", weights, context);
  free(weights);
  free(context);
  const tare_profiles *const profiles = tare_plan_profiles(w->plan);
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    char *const text = profile_text(profiles, p);
    printf("profile %-2d %s\n", p, text);
    free(text);
  }
  closed_print_plan(w->plan);
  requests_cost_print(&w->cost);
  CLI_TRY(layers_print_short_floats(w->plan, err));
  layers_print_reasons(w->plan);
  printf("written    %s (%.1f s)\n", a->output, w->seconds);
  return TARE_OK;
}

static void json_unused(cJSON *const object, const char *const key, const tare_plan *const plan,
                        const int n, unused_name_fn *const name) {
  cJSON *const list = json_add(object, key, json_array());
  for (int i = 0; i < n; i++) {
    json_text(list, NULL, name(plan, i));
  }
}

static tare_status build_print_json(const build_arguments *const a, const build_work *const w,
                                    tare_error *const err) {
  cJSON *const object = json_begin("build");
  json_text(object, "model", a->model);
  json_int(object, "weight_bytes", tare_plan_weight_bytes(w->plan));
  json_int(object, "context_bytes", tare_plan_context_bytes(w->plan));
  cJSON *const list = json_add(object, "profiles", json_array());
  const tare_profiles *const profiles = tare_plan_profiles(w->plan);
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    char *const text = profile_text(profiles, p);
    json_text(list, NULL, text);
    free(text);
  }
  closed_json_plan(object, w->plan);
  const tare_status status = layers_json(object, w->plan, NULL, err);
  if (status != TARE_OK) {
    cJSON_Delete(object);
    return status;
  }
  json_unused(object, "unused_roundings", w->plan, tare_plan_n_unused_roundings(w->plan),
              unused_rounding);
  json_unused(object, "unused_clippings", w->plan, tare_plan_n_unused_clippings(w->plan),
              unused_clipping);
  json_unused(object, "unused_corrections", w->plan, tare_plan_n_unused_corrections(w->plan),
              unused_correction);
  json_unused(object, "unused_smoothings", w->plan, tare_plan_n_unused_smoothings(w->plan),
              unused_smoothing);
  requests_cost_json(&w->cost, object);
  warnings_json(object, w->table);
  json_real(object, "seconds", w->seconds);
  json_text(object, "output", a->output);
  json_print(object);
  return TARE_OK;
}

static tare_status build_check_output(const build_arguments *const a, tare_error *const err) {
  cli_list inputs = {0};
  cli_list_add(&inputs, a->model);
  cli_list_add(&inputs, a->calib);
  opt_profiles_files(&a->profiles, &inputs);
  const tare_status status = output_check_kind(&OUTPUT_PLAN, &a->output, 1, &inputs, err);
  cli_list_fini(&inputs);
  return status;
}

/* A model that states its scales needs no table. */
static tare_status check_scales(const build_arguments *const a, const build_work *const w,
                                tare_error *const err) {
  return a->calib || a->build.fp32 || tare_model_get_info(w->model).n_stated > 0
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE,
                        "missing --calib TABLE for an INT8 plan, or --fp32 for a float plan");
}

static tare_status build_run(const build_arguments *const a, build_work *const w,
                             tare_error *const err) {
  const tare_port *inputs = NULL;
  CLI_TRY(build_check_output(a, err));
  CLI_TRY(opt_model_load(&a->model_options, &a->common, a->model, &w->model, err));
  const int n_inputs = tare_model_inputs(w->model, &inputs);
  CLI_TRY(check_scales(a, w, err));
  CLI_TRY(load_table(a, w, inputs, n_inputs, err));
  CLI_TRY(profiles_choose(&a->profiles, &a->common, inputs, n_inputs, w->own, NULL, 0, &w->profiles,
                          err));
  CLI_TRY(build_plan(a, w, err));
  return (a->common.json ? build_print_json : build_print_text)(a, w, err);
}

int cmd_build(const int argc, char **const argv) {
  build_arguments a = {0};
  build_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = build_run(&a, &w, &err);
  requests_cost_fini(&w.cost);
  tare_plan_free(&w.plan);
  tare_profiles_free(&w.profiles);
  tare_profiles_free(&w.own);
  tare_table_free(&w.table);
  tare_model_free(&w.model);
  opt_profiles_fini(&a.profiles);
  opt_model_fini(&a.model_options);
  return opt_end(argv[0], &a.common, status, &err);
}
