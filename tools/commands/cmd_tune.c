#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/show/agreement.h"
#include "tools/calibration.h"
#include "tools/quantize/quantize_choose.h"
#include "tools/options/families.h"
#include "tools/options/formats.h"
#include "tools/options/judge.h"
#include "tools/options/length_inputs.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"
#include "tools/options/parse.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/say.h"
#include "tools/signals.h"
#include "tools/source.h"
#include "tools/table_out.h"
#include "tools/tune/accuracy.h"
#include "tools/tune/tune_show.h"

enum {
  OPT_TUNE_METHOD = OPT_COMMAND,
  OPT_TUNE_EVAL,
  OPT_TUNE_TABLE,
  OPT_SQNR,
  OPT_MAX_DROP,
  OPT_BEST,
  OPT_MIN_INT8,
  OPT_TIME_LIMIT,
  OPT_TIMING_CACHE
};
enum { SEARCH_SAMPLES = 8, CHECK_SAMPLES = 32 };
/* Without --eval, one of so many samples is held out of the calibration, if there are so many. */
enum { HELD_OUT_PART = 4, HELD_OUT_LEAST = 16 };
/* That judge plans beside those that are held out, which are many where there are more. */
enum { MOST_CALIBRATED = HELD_OUT_PART * CHECK_SAMPLES };
static const double DEFAULT_SQNR = 30;

typedef struct tune_arguments {
  opt_inputs in; /* data of the calibration */
  opt_weight_methods weight_methods;
  opt_metric metric;
  tare_build_options build;
  tare_tune_options tune;
  const char *output, *table, *timing_cache;
  const char *method;   /* NULL: the best one */
  const char *max_drop; /* as given */
  double percentile;
  cli_list eval;
} tune_arguments;

typedef struct tune_work {
  tare_model *model;
  tare_dataset *data, *search, *check;
  int64_t given, held_out;   /* samples of the data, and those that do not calibrate */
  tare_streaming *streaming; /* NULL: samples are runs */
  tare_profiles *profiles;
  length_inputs lengths;
  tare_stats *stats;
  tare_timings *timings; /* NULL without a timing cache */
  quantize_choice choice;
  tare_tuned *tuned;
} tune_work;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "PLAN", 0, "Write the plan to PLAN", 0},
    {"sqnr", OPT_SQNR, "DB", 0,
     "Bound: SQNR of the outputs compared with float (default 30, unless --max-drop is given)", 0},
    {"max-drop", OPT_MAX_DROP, "X", 0,
     "Bound: how much worse than float the metric may be, e.g. 0.1%; the upper end of its 95 % "
     "interval counts. Needs --eval and --metric",
     0},
    {"min-int8", OPT_MIN_INT8, "SHARE", 0,
     "Bound: share of the multiply-adds on integers, e.g. 80%, even if float is faster", 0},
    {"eval", OPT_TUNE_EVAL, "DATA", 0,
     "Accept plans by DATA; repeat for more (default: up to 32 samples of the data, held out of "
     "the "
     "calibration)",
     0},
    {"best", OPT_BEST, NULL, 0, "Also use bf16, beside int8, 16-bit activations and float", 0},
    {"method", OPT_TUNE_METHOD, "METHOD", 0,
     "Calibration method (default: minmax, unless another gains 1.5 dB): ", 0},
    {"table", OPT_TUNE_TABLE, "TABLE", 0, "Also write the calibration table", 0},
    {"time-limit", OPT_TIME_LIMIT, "S", 0,
     "Begin no new measurement after S seconds; the best plan so far is written", 0},
    {"timing-cache", OPT_TIMING_CACHE, "FILE", 0,
     "Read the times of layers that FILE has for this machine, and add those that are measured", 0},
    {0}};

/* --- arguments ------------------------------------------------------------------------------- */

static void tune_check(tune_arguments *const a, const struct argp_state *const state) {
  if (!a->output) {
    argp_error(state, "missing -o PLAN, e.g. -o model.plan");
  }
  format_check_name(state, a->table);
  opt_weight_methods_check(state, &a->weight_methods, a->table, ".json");
  opt_metric_check_eval(state, &a->metric, &a->in.data, a->eval.n);
  if (a->max_drop && a->metric.metric < 0) {
    argp_error(state, "--max-drop needs --metric METRIC and --eval DATA");
  }
}

/* "0.1%" or "0.001". */
static double share_of(const struct argp_state *const state, const char *const option,
                       const char *const text, const double most) {
  const size_t n = strlen(text);
  const bool percent = n > 1 && text[n - 1] == '%';
  char *const number = cli_format("%.*s", (int)(percent ? n - 1 : n), text);
  const double value = cli_real(state, option, number, 0, percent ? 100 * most : most);
  free(number);
  return percent ? value / 100 : value;
}

/* A bound that nothing exceeds was meant as a percentage. */
static void check_drop(const tune_arguments *const a, const struct argp_state *const state) {
  const tare_metric_unit unit = tare_metric_get_unit(a->metric.metric);
  if (strcmp(unit.symbol, "%") == 0 && a->tune.max_drop >= 1) {
    argp_error(state, "--max-drop %s is %g %s of %s: write e.g. 1%%", a->max_drop,
               a->tune.max_drop * unit.factor, unit.difference, tare_metric_name(a->metric.metric));
  }
}

static void take_bounds(tune_arguments *const a, const struct argp_state *const state) {
  tune_check(a, state);
  if (a->max_drop) {
    a->tune.max_drop = share_of(state, "--max-drop", a->max_drop, 1e9);
    check_drop(a, state);
  } else if (isinf(a->tune.sqnr_db)) {
    a->tune.sqnr_db = DEFAULT_SQNR;
  }
}

static char *tune_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family methods = family_methods();
  return key == OPT_TUNE_METHOD ? family_help(text, &methods) : (char *)text;
}

static void tune_begin(tune_arguments *const a, struct argp_state *const state) {
  tare_tune_options_init(&a->tune);
  state->child_inputs[0] = &a->in;
  state->child_inputs[1] = &a->percentile;
  state->child_inputs[2] = &a->build;
  state->child_inputs[3] = &a->metric;
  state->child_inputs[4] = &a->weight_methods;
  state->child_inputs[5] = &a->in.agreement;
}

static error_t tune_parse(const int key, char *const arg, struct argp_state *const state) {
  tune_arguments *const a = state->input;
  const cli_family methods = family_methods();
  switch (key) {
    case ARGP_KEY_INIT:
      tune_begin(a, state);
      return 0;
    case 'o':
      a->output = arg;
      return 0;
    case OPT_SQNR:
      a->tune.sqnr_db = cli_real(state, "--sqnr", arg, -100, 200);
      return 0;
    case OPT_MAX_DROP:
      a->max_drop = arg;
      return 0;
    case OPT_TUNE_EVAL:
      cli_list_add(&a->eval, arg);
      return 0;
    case OPT_BEST:
      a->tune.all_precisions = true;
      return 0;
    case OPT_MIN_INT8:
      a->tune.min_integer_share = share_of(state, "--min-int8", arg, 1);
      return 0;
    case OPT_TUNE_METHOD:
      a->method = methods.name(cli_pick(state, &methods, arg));
      return 0;
    case OPT_TUNE_TABLE:
      a->table = arg;
      return 0;
    case OPT_TIME_LIMIT:
      a->tune.seconds = cli_real(state, "--time-limit", arg, 0.001, 1e9);
      return 0;
    case OPT_TIMING_CACHE:
      a->timing_cache = arg;
      return 0;
    case ARGP_KEY_END:
      take_bounds(a, state);
      a->in.data.several = a->eval.n > 0;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_inputs_argp, 0, NULL, 0},
                                             {&opt_percentile_argp, 0, NULL, 0},
                                             {&opt_build_argp, 0, "Precision:", 4},
                                             {&opt_metric_argp, 0, "Metric, with --eval:", 5},
                                             {&opt_weight_methods_argp, 0, NULL, 0},
                                             {&opt_agreement_argp, 0, NULL, 0},
                                             {0}};

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = tune_parse,
    .args_doc = "MODEL DATA...",
    .doc =
        "Calibrates a model with data, and searches the fastest mix of precisions whose accuracy "
        "holds a bound: measures how long each layer takes in each precision and what it costs in "
        "accuracy, then builds and measures mixes. Ctrl-C ends the search with the best plan so "
        "far. Layers that --layer-precisions names keep what it says.\vExamples:\n  tare tune "
        "model.onnx recordings/ --sqnr 30 -o model.plan\n  tare tune model.onnx calib.h5 --eval "
        "eval.h5 --labels labels \\\n      --metric accuracy --max-drop 0.1% -o model.plan",
    .children = CHILDREN,
    .help_filter = tune_help};

/* --- work ------------------------------------------------------------------------------------ */

static tare_status tune_check_outputs(const tune_arguments *const a, tare_error *const err) {
  const char *const outputs[] = {a->output, a->table, a->timing_cache};
  cli_list inputs = {0};
  opt_inputs_files(&a->in, &inputs);
  cli_list_join(&inputs, &a->eval);
  const tare_status status = output_check_kind(&OUTPUT_PLAN, outputs, 3, &inputs, err);
  cli_list_fini(&inputs);
  return status;
}

/* How many samples are held out of the calibration. */
static int64_t held_out_of(const int64_t samples) {
  const int64_t part = samples / HELD_OUT_PART;
  return samples < HELD_OUT_LEAST ? 0 : part < CHECK_SAMPLES ? part : CHECK_SAMPLES;
}

/* Samples that can be used: not bad, by their dims, and not left out. */
static tare_status count_usable(const opt_inputs *const in, tare_dataset *const data,
                                int64_t *const n, tare_error *const err) {
  const bool all =
      !in->data.skip_bad && in->data.n_lengths == 0 && in->fit.outside != TARE_OUTSIDE_SKIP;
  const tare_sample *sample = NULL;
  *n = tare_dataset_count(data);
  if (all) {
    return TARE_OK;
  }
  CLI_TRY(tare_dataset_rewind_for_dims(data, err));
  for (*n = -1; *n < 0 || sample; ++*n) {
    CLI_TRY(tare_dataset_next(data, &sample, err));
  }
  return tare_dataset_rewind(data, err);
}

/* The samples that search and accept plans, without --eval: some that are held out; of few samples
 * all. */
static tare_status open_held_out(const tune_arguments *const a, const ports *const p,
                                 tune_work *const w, tare_error *const err) {
  CLI_TRY(count_usable(&a->in, w->data, &w->given, err));
  w->held_out = held_out_of(w->given);
  const int64_t all = w->given > 0 ? w->given : CHECK_SAMPLES;
  const int64_t search = w->held_out ? all : SEARCH_SAMPLES;
  CLI_TRY(source_open_first(&a->in, p, w->streaming, search, &w->search, err));
  return source_open_first(&a->in, p, w->streaming, w->held_out ? all : CHECK_SAMPLES, &w->check,
                           err);
}

/* Afterwards the data are those of the calibration. */
static tare_status hold_out(const tune_arguments *const a, tune_work *const w,
                            tare_error *const err) {
  if (a->eval.n) {
    return TARE_OK;
  }
  if (!w->held_out) {
    say(&a->in.common,
        "warning: the plan is judged by the samples that calibrate it, and other samples may have "
        "less: %" PRId64
        " of them are too few to hold some out (expected %d or more, or --eval DATA)",
        w->given, HELD_OUT_LEAST);
    return TARE_OK;
  }
  tare_dataset *const held[] = {w->search, w->check};
  const int64_t search = w->held_out < SEARCH_SAMPLES ? w->held_out : SEARCH_SAMPLES;
  return tare_dataset_hold_out(w->data, held, (const int64_t[]){search, w->held_out}, 2, err);
}

static tare_status open_tune_data(const tune_arguments *const a, tune_work *const w,
                                  tare_error *const err) {
  const ports p = ports_of_model(w->model);
  opt_inputs calib = a->in, eval = a->in;
  calib.data.labels = NULL;
  eval.paths = a->eval;
  eval.data.limit = 0; /* that of the calibration */
  CLI_TRY(source_open(&calib, &p, &w->streaming, &w->data, err));
  if (a->eval.n) {
    CLI_TRY(source_open_first(&a->in, &p, w->streaming, SEARCH_SAMPLES, &w->search, err));
    CLI_TRY(source_open(&eval, &p, &w->streaming, &w->check, err));
  }
  tare_dataset *sets[] = {w->data, w->check};
  const int n = a->eval.n ? 2 : 1;
  CLI_TRY(profiles_choose_for(&a->in, w->model, p.inputs, p.n_inputs, NULL, sets, n, w->streaming,
                              &w->profiles, err));
  CLI_TRY(a->eval.n ? judge_apply(a->in.data.judge, w->search, err) : open_held_out(a, &p, w, err));
  CLI_TRY(length_inputs_choose(&a->in, opt_fit_changes(&a->in.fit), p.inputs, p.n_inputs, sets, n,
                               w->streaming, &w->lengths, err));
  return hold_out(a, w, err);
}

static tare_status tune_collect(const tune_arguments *const a, tune_work *const w,
                                tare_error *const err) {
  const calibration c = {.in = &a->in,
                         .model = w->model,
                         .data = w->data,
                         .profiles = w->profiles,
                         .lengths = &w->lengths,
                         .streaming = w->streaming,
                         .weight_methods = &a->weight_methods};
  return calibration_run(&c, &w->stats, err);
}

static tare_status make_tune_table(const tune_arguments *const a, tune_work *const w,
                                   tare_error *const err) {
  const opt_metric none = {.metric = -1};
  const quantize_trial trial = {
      .model = w->model,
      .profiles = w->profiles,
      .stats = w->stats,
      .data = w->search,
      .common = &a->in.common,
      .method = a->method,
      .percentile = a->percentile,
      .eval = source_eval_options(&a->in, &none, &w->lengths, w->streaming)};
  return quantize_choose(&trial, &w->choice, err);
}

/* --- the search ------------------------------------------------------------------------------ */

/* What is shown while it runs. */
typedef struct tune_watch {
  const opt_common *common;
  progress p;
  tare_tune_phase phase;
  double best; /* seconds of the best plan, relative to float */
} tune_watch;

static void watch_best(tune_watch *const w, const tare_tune_score *const best) {
  const double ratio = best->seconds / best->float_seconds;
  if (w->p.shown && best->holds && !isinf(best->sqnr_db) && ratio < w->best) {
    progress_end(&w->p);
    say(w->common, "best so far: %.1f dB, %.2f times as fast as float", best->sqnr_db, 1 / ratio);
    w->best = ratio;
  }
}

static bool tune_tick(void *const user, const tare_tune_state *const state) {
  static const char *const PHASES[] = {
      [TARE_TUNE_FORMS] = "precisions", [TARE_TUNE_LAYERS] = "layers", [TARE_TUNE_MIXES] = "mixes"};
  tune_watch *const w = user;
  if (state->phase != w->phase) {
    progress_end(&w->p);
    w->p = progress_start(PHASES[state->phase], w->common);
    w->phase = state->phase;
  }
  watch_best(w, &state->best);
  if (state->tried.samples) {
    say_more(w->common, "mix %d: %.2f dB%s", state->done, state->tried.sqnr_db,
             state->tried.holds ? ", holds" : "");
  }
  (void)progress_tick(&w->p, state->done, state->total);
  return !signals_interrupted();
}

/* A cache of other machines is no error: it gets a section for this one. */
static tare_status read_timings(const tune_arguments *const a, tune_work *const w,
                                tare_error *const err) {
  tare_error why = {0};
  if (!a->timing_cache) {
    return TARE_OK;
  }
  CLI_TRY(tare_timings_new(&w->timings, err));
  if (access(a->timing_cache, F_OK) != 0) {
    return TARE_OK;
  }
  CLI_TRY(tare_timings_read(w->timings, a->timing_cache, err));
  const tare_status status =
      tare_timings_check(w->timings, a->in.common.isa, a->in.common.threads, &why);
  if (status == TARE_E_CHECK) {
    say(&a->in.common, "warning: %s: %s; layers are measured again", a->timing_cache, why.message);
    return TARE_OK;
  }
  *err = status == TARE_OK ? *err : why;
  return status;
}

/* After a search that finds nothing too: what it measured is good for the next one. */
static tare_status save_timings(const tune_arguments *const a, const tune_work *const w,
                                const tare_status searched, tare_error *const err) {
  tare_error why = {0};
  const tare_status saved =
      w->timings ? tare_timings_save(w->timings, a->timing_cache, &why) : TARE_OK;
  if (searched == TARE_OK && saved != TARE_OK) {
    *err = why;
    return saved;
  }
  return searched;
}

static tare_status tune_search_plan(const tune_arguments *const a, tune_work *const w,
                                    tare_tune_options *const o, tare_error *const err) {
  tune_watch watch = {
      .common = &a->in.common, .p = progress_start("precisions", &a->in.common), .best = INFINITY};
  *o = a->tune;
  o->build = opt_build_options(&a->build, &a->in.common, w->choice.table);
  o->eval = source_eval_options(&a->in, &a->metric, &w->lengths, w->streaming);
  o->timings = w->timings;
  o->calibrated = w->held_out && w->given - w->held_out <= MOST_CALIBRATED ? w->data : NULL;
  o->progress = tune_tick;
  o->progress_user = &watch;
  signals_hold_interrupt();
  const tare_status status =
      tare_tune(w->model, w->profiles, w->search, w->check, o, &w->tuned, err);
  progress_end(&watch.p);
  say_data(&a->in.common, w->check);
  return status;
}

/* Why the plan is a float plan. */
static void tell_of_float(const tune_arguments *const a, const tune_work *const w,
                          const tare_tune_score *const standard) {
  const double times = standard->float_seconds / standard->seconds;
  if (!tare_tuned_is_complete(w->tuned)) {
    say(&a->in.common,
        "warning: the plan is a float plan: the search was ended before a faster one held the "
        "bounds");
  } else if (standard->holds) {
    say(&a->in.common,
        "warning: float is the fastest plan that holds the bounds: the plan of tare build has %.1f "
        "dB and is %.2f times as fast (--min-int8 80%% asks for integers all the same)",
        standard->sqnr_db, times);
  } else {
    say(&a->in.common,
        "warning: float is the fastest plan that holds the bounds: the plan of tare build has only "
        "%.1f dB, and is %.2f times as fast (a lower bound, --best or more calibration data may "
        "help)",
        standard->sqnr_db, times);
  }
}

/* A bound on the SQNR says nothing about answers. */
static void warn_agreement(const tune_arguments *const a, const tune_work *const w,
                           const tare_tune_score *const score) {
  const tare_port *outputs = NULL;
  (void)tare_plan_outputs(tare_tuned_plan(w->tuned), &outputs);
  char *const text = agreement_text(score->agreement_kind, score->agreement, 1);
  say(&a->in.common,
      "warning: the plan has %.1f dB, but output '%s' has other answers than float: %s (--metric "
      "agreement --output-index %d --max-drop 1%% bounds it)",
      score->sqnr_db, outputs[score->agreement_output].name, text, score->agreement_output);
  free(text);
}

static void warn_tuned(const tune_arguments *const a, const tune_work *const w) {
  const tare_tune_score score = tare_tuned_score(w->tuned);
  const tare_tune_score standard = tare_tuned_standard(w->tuned);
  if (isinf(score.sqnr_db)) {
    tell_of_float(a, w, &standard);
  }
  if (score.sqnr_db < ACCURACY_LIMIT) {
    accuracy_warn(&a->in.common, "the plan", score.sqnr_db, "", score.samples);
  } else if (score.agreement_is_low) {
    warn_agreement(a, w, &score);
  }
}

static tare_status tune_all(const tune_arguments *const a, tune_work *const w,
                            tare_error *const err) {
  tare_tune_options o;
  CLI_TRY(tune_check_outputs(a, err));
  CLI_TRY(read_timings(a, w, err));
  CLI_TRY(opt_model_load(&a->in.model, &a->in.common, a->in.path, &w->model, err));
  CLI_TRY(tare_calibrate_check(w->model, err));
  CLI_TRY(open_tune_data(a, w, err));
  CLI_TRY(tune_collect(a, w, err));
  CLI_TRY(make_tune_table(a, w, err));
  const tare_status searched = tune_search_plan(a, w, &o, err);
  CLI_TRY(save_timings(a, w, searched, err));
  warn_tuned(a, w);
  CLI_TRY(tare_plan_save(tare_tuned_plan(w->tuned), a->output, err));
  CLI_TRY(a->table ? table_write_named(a->table, &a->in.common, w->model, w->choice.table, err)
                   : TARE_OK);
  const tune_report report = {.model = a->in.path,
                              .plan = a->output,
                              .table = a->table,
                              .timing_cache = a->timing_cache,
                              .method = tare_method_name(w->choice.tried[w->choice.best].method),
                              .options = &o,
                              .metric = a->metric.metric,
                              .given = w->given,
                              .held_out = w->held_out,
                              .tuned = w->tuned};
  return (a->in.common.json ? tune_json : tune_print)(&report, err);
}

int cmd_tune(const int argc, char **const argv) {
  tune_arguments a = {0};
  tune_work w = {0};
  tare_error err = {0};
  opt_parse(&ARGP, argc, argv, &a);
  const tare_status status = tune_all(&a, &w, &err);
  tare_tuned_free(&w.tuned);
  quantize_choice_fini(&w.choice);
  tare_timings_free(&w.timings);
  tare_stats_free(&w.stats);
  tare_profiles_free(&w.profiles);
  length_inputs_fini(&w.lengths);
  tare_dataset_close(&w.data);
  tare_dataset_close(&w.search);
  tare_dataset_close(&w.check);
  tare_streaming_free(&w.streaming);
  tare_model_free(&w.model);
  cli_list_fini(&a.eval);
  return opt_inputs_end(argv[0], &a.in, status, &err);
}
