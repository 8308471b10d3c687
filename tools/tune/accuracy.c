#include "tools/tune/accuracy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/say.h"
#include "tools/show/agreement.h"
#include "tools/show/layer_facts.h"
#include "tools/source.h"
#include "tools/tune/effort.h"
#include "tools/tune/raising.h"

/* The two plans over the samples. */
typedef struct accuracy_run {
  tare_model *judged; /* whose outputs are compared, or NULL: those of the model */
  tare_plan *fp32, *int8;
  tare_dataset *data;
  tare_eval_result result; /* of the last measurement */
} accuracy_run;

/* "has an SQNR of 6.8 dB in output 'logits' (the worst of 2), ...". */
static char *accuracy_text(const double sqnr_db, const char *const worst, const int64_t samples) {
  char *const value = isinf(sqnr_db)
                          ? cli_format("gives NaN or infinite values where float does not")
                          : cli_format("has an SQNR of %.1f dB", sqnr_db);
  char *const text =
      cli_format("%s%s, compared with float on %" PRId64 " sample%s (expected %d dB or more)",
                 value, worst, samples, cli_s(samples), ACCURACY_LIMIT);
  free(value);
  return text;
}

void accuracy_warn(const opt_common *const common, const char *const what, const double sqnr_db,
                   const char *const worst, const int64_t samples) {
  char *const text = accuracy_text(sqnr_db, worst, samples);
  say(common, "warning: %s %s", what, text);
  free(text);
}

static const tare_model *judged_model(const accuracy_case *const c, const accuracy_run *const r) {
  return r->judged ? r->judged : c->model;
}

static tare_status open_samples(const accuracy_case *const c, const int64_t limit,
                                tare_dataset **const out, tare_error *const err) {
  const ports p = ports_of_model(c->model);
  return source_open_first(c->in, &p, c->streaming, limit, out, err);
}

/* Compares the plan of the table with the float plan; frees what a measurement before has left. */
static tare_status accuracy_measure(const accuracy_case *const c, accuracy_run *const r,
                                    tare_error *const err) {
  const opt_metric none = {.metric = -1};
  const tare_build_options int8 = opt_trial_options(c->build, &c->in->common, c->table);
  tare_eval_options o = source_eval_options(c->in, &none, c->lengths, c->streaming);
  tare_plan_free(&r->int8);
  tare_eval_result_fini(&r->result);
  r->result = (tare_eval_result){0};
  CLI_TRY(tare_plan_build(judged_model(c, r), c->profiles, &int8, &r->int8, err));
  CLI_TRY(tare_dataset_rewind(r->data, err));
  o.against = r->fp32;
  return tare_eval(r->int8, r->data, &o, &r->result, err);
}

static int quantized_layers(const tare_plan *const plan) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    n += tare_precision_is_integer(tare_plan_layer(plan, i).got);
  }
  return n;
}

double accuracy_ranking_seconds(const double given) {
  static const double usual = 15;
  return given > 0 ? given : usual;
}

char *accuracy_costly_layers(const sensitive_layer *const layers, const int n) {
  char *names = cli_format("layers that cost most: ");
  for (int i = 0; i < n && i < ACCURACY_NAMED_LAYERS; i++) {
    names = cli_append(names, "%s'%s' (%.1f dB alone)", i ? ", " : "", layers[i].name,
                       layers[i].sqnr_db);
  }
  return names;
}

/* A sentence about the layers that cost most, or how to find them where that takes too long. */
static tare_status accuracy_rank(const accuracy_case *const c, const accuracy_run *const r,
                                 char **const text, tare_error *const err) {
  const opt_metric none = {.metric = -1};
  const tare_build_options build = opt_trial_options(c->build, &c->in->common, NULL);
  effort e;
  CLI_TRY(effort_of_model(c->model, r->int8, &r->result, &e, err));
  const double foreseen = quantized_layers(r->int8) * effort_of_trial(&e, ACCURACY_RANKED_SAMPLES);
  if (foreseen > accuracy_ranking_seconds(c->processor_seconds)) {
    *text = cli_format(
        "to find the layers that cost most takes about %.0f s; `tare debug "
        "sensitivity' does it",
        foreseen);
    return TARE_OK;
  }
  tare_dataset *data = NULL;
  CLI_TRY(open_samples(c, ACCURACY_RANKED_SAMPLES, &data, err));
  sensitivity s = {.common = &c->in->common,
                   .model = judged_model(c, r),
                   .table = c->table,
                   .profiles = c->profiles,
                   .build = &build,
                   .data = data,
                   .eval = source_eval_options(c->in, &none, c->lengths, c->streaming),
                   .keep = tare_precision_name(TARE_PRECISION_FP32),
                   .target_db = -INFINITY};
  const tare_status status = sensitivity_measure(&s, err);
  if (status == TARE_OK) {
    *text = accuracy_costly_layers(s.layers, s.n);
  }
  sensitivity_fini(&s);
  tare_dataset_close(&data);
  return status;
}

static int n_judged(const tare_eval_result *const result) {
  int n = 0;
  for (int o = 0; o < result->n_outputs; o++) {
    n += !isnan(result->outputs[o].sqnr_db) || !isnan(result->outputs[o].agreement);
  }
  return n;
}

/* "; worst output 'logits' of 2", or one by the SQNR and another by the agreement. */
static char *append_worst(char *text, const tare_eval_result *const result,
                          const tare_eval_score *const score) {
  const int by_sqnr = score->worst, by_agreement = score->agreement_output, n = n_judged(result);
  if (n < 2 || (by_sqnr < 0 && by_agreement < 0)) {
    return text;
  }
  if (by_sqnr < 0 || by_agreement < 0 || by_sqnr == by_agreement) {
    return cli_append(text, "; worst output '%s' of %d",
                      result->output_names[by_sqnr < 0 ? by_agreement : by_sqnr], n);
  }
  return cli_append(text, "; worst of %d outputs '%s', by %s '%s'", n,
                    result->output_names[by_sqnr], tare_agreement_name(score->agreement_kind),
                    result->output_names[by_agreement]);
}

void accuracy_note(accuracy *const out, const tare_eval_result *const result,
                   const tare_eval_score *const score) {
  char *const worst = score_worst_text(result, score);
  out->samples = score->samples;
  out->sqnr_db = score->sqnr_db;
  snprintf(out->worst, sizeof out->worst, "%s", worst);
  free(worst);
  out->agreement_kind = score->agreement_kind;
  out->agreement = score->agreement;
  out->agreement_tenth = score->agreement_tenth;
  out->agreement_output = score->agreement_output;
  char *const of = append_worst(
      cli_format("%" PRId64 " sample%s", score->samples, cli_s(score->samples)), result, score);
  snprintf(out->of, sizeof out->of, "%s", of);
  free(of);
}

void accuracy_print(const accuracy *const a) {
  if (!a->samples) {
    return;
  }
  char *const agreement = agreement_text(a->agreement_kind, a->agreement, 1);
  const bool equal = isinf(a->sqnr_db) && a->sqnr_db > 0, has_sqnr = !isnan(a->sqnr_db);
  printf("accuracy   ");
  if (equal) {
    printf("equal to float");
  } else if (isinf(a->sqnr_db)) {
    printf("outputs are NaN or infinite in int8 alone");
  } else if (has_sqnr) {
    printf("%.1f dB", a->sqnr_db);
  } else if (!*agreement) {
    printf("no figure");
  }
  printf("%s%s (%s)\n", has_sqnr && *agreement ? ", " : "", agreement, a->of);
  free(agreement);
}

/* Gives the table requests for layers that 8 bits cost too much, and measures its plan again. */
static tare_status accuracy_raise(const accuracy_case *const c, accuracy_run *const r,
                                  accuracy *const out, tare_error *const err) {
  enum { FORMS = 2 };
  const opt_metric none = {.metric = -1};
  const raising_case search = {.in = c->in,
                               .model = c->model,
                               .profiles = c->profiles,
                               .streaming = c->streaming,
                               .plan = r->int8,
                               .result = &r->result,
                               .n_probes = FORMS * quantized_layers(r->int8),
                               .forms = "row scales, 16 bits or float",
                               .seconds = c->seconds,
                               .processor_seconds = c->processor_seconds,
                               .time_option = c->time_option};
  tare_raised raised;
  tare_raise_options o;
  tare_raise_options_init(&o);
  o.build = opt_trial_options(c->build, &c->in->common, c->table);
  o.eval = source_eval_options(c->in, &none, c->lengths, c->streaming);
  tare_status status = raising_search(&search, &o, &raised, err);
  if (status == TARE_OK && raised.n_layers > 0) {
    accuracy_take_raised(out, &raised);
    status = tare_table_set_layer_precisions(c->kept, raised.requests, err);
    status = status == TARE_OK ? accuracy_measure(c, r, err) : status;
    accuracy_note(out, &r->result, &r->result.total);
  }
  tare_raised_fini(&raised);
  return status;
}

void accuracy_take_raised(accuracy *const out, const tare_raised *const raised) {
  out->n_raised += raised->n_layers;
  out->share += raised->share;
  out->standard_sqnr_db = raised->standard_sqnr_db;
}

#define ACCURACY_CURE "--sqnr 30 -o PLAN' finds the precisions that such layers need"

/* The table says so too: who builds it has no data. */
static tare_status accuracy_say_bad(const accuracy_case *const c, const accuracy_run *const r,
                                    const accuracy *const a, tare_error *const err) {
  char *layers = NULL;
  accuracy_warn(&c->in->common, "the int8 plan of this calibration", a->sqnr_db, a->worst,
                a->samples);
  CLI_TRY(accuracy_rank(c, r, &layers, err));
  say(&c->in->common, "%s", layers);
  say(&c->in->common, "`tare tune %s DATA " ACCURACY_CURE, c->in->path);
  char *const what = accuracy_text(a->sqnr_db, a->worst, a->samples);
  char *const text =
      cli_format("the int8 plan %s; %s; `tare tune MODEL DATA " ACCURACY_CURE, what, layers);
  free(what);
  const tare_status status = c->kept ? tare_table_add_warning(c->kept, text, err) : TARE_OK;
  free(text);
  free(layers);
  return status;
}

/* Whether the length of an output follows from values that a quantized layer computes. */
static bool rounds_lengths(const tare_plan *const plan) {
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (layer.decides_length && tare_precision_is_integer(layer.got)) {
      return true;
    }
  }
  return false;
}

/* Another length is a matter of chance, which a few samples do not show. */
static tare_status measure_first(const accuracy_case *const c, accuracy_run *const r,
                                 tare_error *const err) {
  CLI_TRY(open_samples(c, ACCURACY_SAMPLES, &r->data, err));
  CLI_TRY(accuracy_measure(c, r, err));
  if (r->result.total.samples < ACCURACY_SAMPLES || !rounds_lengths(r->int8)) {
    return TARE_OK;
  }
  tare_dataset_close(&r->data);
  CLI_TRY(open_samples(c, ACCURACY_LENGTH_SAMPLES, &r->data, err));
  return accuracy_measure(c, r, err);
}

/* A check that is not possible is a warning, also of the table. */
static tare_status accuracy_say_unchecked(const accuracy_case *const c, const char *const why,
                                          tare_error *const err) {
  char *const text = cli_format("the accuracy of an int8 plan was not checked: %s", why);
  say(&c->in->common, "warning: %s", text);
  const tare_status status = c->kept ? tare_table_add_warning(c->kept, text, err) : TARE_OK;
  free(text);
  return status;
}

/* Layers were raised until nothing was left. */
static tare_status accuracy_say_useless(const accuracy_case *const c, const accuracy_run *const r,
                                        const accuracy *const a, tare_error *const err) {
  static const char *const text =
      "no layer of this model keeps its accuracy in 8 bits: plans of this table are as fast as "
      "float "
      "ones";
  if (a->n_raised == 0 || quantized_layers(r->int8) > 0) {
    return TARE_OK;
  }
  say(&c->in->common, "warning: %s", text);
  return c->kept ? tare_table_add_warning(c->kept, text, err) : TARE_OK;
}

static bool needs_raising(const accuracy_run *const r) {
  return r->result.total.sqnr_db < raising_below(false /* written */) ||
         r->result.total.other_shapes > 0;
}

static tare_status accuracy_look(const accuracy_case *const c, accuracy_run *const r,
                                 accuracy *const out, tare_error *const err) {
  const tare_build_options fp32 = opt_build_options(NULL, &c->in->common, NULL);
  CLI_TRY(tare_model_judged(c->model, &r->judged, err));
  CLI_TRY(tare_plan_build(judged_model(c, r), c->profiles, &fp32, &r->fp32, err));
  CLI_TRY(measure_first(c, r, err));
  accuracy_note(out, &r->result, &r->result.total);
  if (c->raises && needs_raising(r)) {
    CLI_TRY(accuracy_raise(c, r, out, err));
  }
  score_warn_outputs(&c->in->common, &r->result, r->int8);
  CLI_TRY(accuracy_say_useless(c, r, out, err));
  if (out->samples > 0 && isnan(out->sqnr_db)) {
    return accuracy_say_unchecked(c,
                                  r->result.total.undefined
                                      ? "outputs have no finite value in float"
                                      : "no output follows from float values of the model",
                                  err);
  }
  return out->sqnr_db < ACCURACY_LIMIT ? accuracy_say_bad(c, r, out, err) : TARE_OK;
}

tare_status accuracy_check(const accuracy_case *const c, accuracy *const out,
                           tare_error *const err) {
  accuracy_run r = {0};
  *out = (accuracy){.sqnr_db = NAN, .agreement = NAN};
  if (c->in->common.quiet && !c->in->common.json && !c->kept) {
    return TARE_OK;
  }
  tare_error why = {0};
  tare_status status = accuracy_look(c, &r, out, &why);
  if (status != TARE_OK && c->kept && raising_may_pass(status)) {
    *err = why;
  } else if (status != TARE_OK) {
    status = accuracy_say_unchecked(c, why.message, err);
  }
  tare_model_free(&r.judged);
  tare_plan_free(&r.fp32);
  tare_plan_free(&r.int8);
  tare_eval_result_fini(&r.result);
  tare_dataset_close(&r.data);
  return status;
}

void accuracy_json(cJSON *const object, const accuracy *const a) {
  if (a->samples) {
    cJSON *const item = json_add(object, "accuracy", json_object());
    json_int(item, "samples", a->samples);
    json_bool(item, "equal", isinf(a->sqnr_db) && a->sqnr_db > 0);
    json_real(item, "sqnr_db", a->sqnr_db);
    const tare_eval_score agreement = {.agreement_kind = a->agreement_kind,
                                       .agreement = a->agreement,
                                       .agreement_tenth = a->agreement_tenth,
                                       .agreement_output = a->agreement_output};
    agreement_json(item, &agreement);
    json_int(item, "raised", a->n_raised);
    if (a->n_raised) {
      json_real(item, "raised_share", a->share);
      json_real(item, "standard_sqnr_db", a->standard_sqnr_db);
    }
  }
}
