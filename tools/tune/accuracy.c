#include "tools/tune/accuracy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/say.h"
#include "tools/source.h"

/* The two plans, and how long they take. */
typedef struct accuracy_run {
  tare_plan *fp32, *int8;
  tare_dataset *data;
  double building, running; /* seconds of the int8 plan, of both plans over the samples */
} accuracy_run;

void accuracy_warn(const opt_common *const common, const char *const what, const double sqnr_db,
                   const int64_t samples) {
  say(common,
      "warning: %s has an SQNR of %.1f dB compared with float on %" PRId64
      " sample%s (expected %d "
      "dB or more)",
      what, sqnr_db, samples, cli_s(samples), ACCURACY_LIMIT);
}

static tare_status open_samples(const accuracy_case *const c, const int64_t limit,
                                tare_dataset **const out, tare_error *const err) {
  const ports p = ports_of_model(c->model);
  return source_open_first(c->in, &p, c->streaming, limit, out, err);
}

static tare_status accuracy_measure(const accuracy_case *const c, accuracy_run *const r,
                                    accuracy *const out, tare_error *const err) {
  const opt_metric none = {.metric = -1};
  const tare_build_options fp32 = opt_build_options(NULL, &c->in->common, NULL);
  const tare_build_options int8 = opt_build_options(c->build, &c->in->common, c->table);
  tare_eval_options o = source_eval_options(c->in, &none, c->lengths, c->streaming);
  tare_eval_result result;
  CLI_TRY(open_samples(c, ACCURACY_SAMPLES, &r->data, err));
  CLI_TRY(tare_plan_build(c->model, c->profiles, &fp32, &r->fp32, err));
  const double start = cli_now();
  CLI_TRY(tare_plan_build(c->model, c->profiles, &int8, &r->int8, err));
  r->building = cli_now() - start;
  o.against = r->fp32;
  CLI_TRY(tare_eval(r->int8, r->data, &o, &result, err));
  *out = (accuracy){.samples = result.total.samples, .sqnr_db = tare_eval_lowest_sqnr(&result)};
  score_warn_output(&c->in->common, &result, r->int8);
  r->running = result.seconds + result.reference_seconds;
  tare_eval_result_fini(&result);
  return TARE_OK;
}

static int quantized_layers(const tare_plan *const plan) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    n += tare_precision_is_integer(tare_plan_layer(plan, i).got);
  }
  return n;
}

void accuracy_say_layers(const opt_common *const common, const sensitive_layer *const layers,
                         const int n) {
  char *names = cli_format("%s", "");
  for (int i = 0; i < n && i < ACCURACY_NAMED_LAYERS; i++) {
    names = cli_append(names, "%s'%s' (%.1f dB alone)", i ? ", " : "", layers[i].name,
                       layers[i].sqnr_db);
  }
  say(common, "layers that cost most: %s", names);
  free(names);
}

/* Names the layers that cost most, or how to find them where that takes too long. */
static tare_status accuracy_rank(const accuracy_case *const c, const accuracy_run *const r,
                                 tare_error *const err) {
  const opt_metric none = {.metric = -1};
  const tare_build_options build = opt_build_options(c->build, &c->in->common, NULL);
  const double each = r->building + r->running * ACCURACY_RANKED_SAMPLES / ACCURACY_SAMPLES;
  const double foreseen = each * quantized_layers(r->int8);
  if (foreseen > ACCURACY_RANKING_SECONDS) {
    say(&c->in->common,
        "to find the layers that cost most takes about %.0f s; `tare debug sensitivity' does it",
        foreseen);
    return TARE_OK;
  }
  tare_dataset *data = NULL;
  CLI_TRY(open_samples(c, ACCURACY_RANKED_SAMPLES, &data, err));
  sensitivity s = {.common = &c->in->common,
                   .model = c->model,
                   .table = c->table,
                   .profiles = c->profiles,
                   .build = &build,
                   .data = data,
                   .eval = source_eval_options(c->in, &none, c->lengths, c->streaming),
                   .keep = tare_precision_name(TARE_PRECISION_FP32),
                   .target_db = -INFINITY};
  const tare_status status = sensitivity_measure(&s, err);
  if (status == TARE_OK) {
    accuracy_say_layers(&c->in->common, s.layers, s.n);
  }
  sensitivity_fini(&s);
  tare_dataset_close(&data);
  return status;
}

static tare_status accuracy_look(const accuracy_case *const c, accuracy_run *const r,
                                 accuracy *const out, tare_error *const err) {
  CLI_TRY(accuracy_measure(c, r, out, err));
  if (!(out->sqnr_db < ACCURACY_LIMIT)) {
    return TARE_OK;
  }
  accuracy_warn(&c->in->common, "the int8 plan of this calibration", out->sqnr_db, out->samples);
  CLI_TRY(accuracy_rank(c, r, err));
  say(&c->in->common,
      "`tare tune %s DATA --sqnr 30 -o PLAN' finds the precisions that such layers need",
      c->in->path);
  return TARE_OK;
}

accuracy accuracy_check(const accuracy_case *const c) {
  accuracy out = {.sqnr_db = NAN};
  accuracy_run r = {0};
  tare_error err = {0};
  if (c->in->common.quiet && !c->in->common.json) {
    return out;
  }
  if (accuracy_look(c, &r, &out, &err) != TARE_OK) {
    say(&c->in->common, "warning: the accuracy of an int8 plan was not checked: %s", err.message);
  }
  tare_plan_free(&r.fp32);
  tare_plan_free(&r.int8);
  tare_dataset_close(&r.data);
  return out;
}

void accuracy_json(cJSON *const object, const accuracy *const a) {
  if (a->samples) {
    cJSON *const item = json_add(object, "accuracy", json_object());
    json_int(item, "samples", a->samples);
    json_bool(item, "equal", isinf(a->sqnr_db) && a->sqnr_db > 0);
    json_real(item, "sqnr_db", a->sqnr_db);
  }
}
