/* Layers of the plan that ranks first, and where their values leave those of the float model. */
#include <math.h>
#include <stdlib.h>

#include "tools/compare/details/details.h"
#include "tools/say.h"
#include "tools/show/layer_facts.h"

enum { MOST_LAYERS = 1000 };

typedef struct plan_errors {
  tare_plan *reference; /* float, with all tensors */
  tare_comparison *comparison;
  tare_eval_result result;
} plan_errors;

static tare_status plan_errors_measure(const compare_eval *const e, const tare_plan *const plan,
                                       tare_dataset *const evaluation, plan_errors *const out,
                                       tare_error *const err) {
  tare_build_options build = opt_build_options(NULL, e->common, NULL);
  build.observable = build.fp32 = true;
  CLI_TRY(tare_plan_build(e->model, e->profiles, &build, &out->reference, err));
  CLI_TRY(tare_comparison_new(plan, out->reference, false, &out->comparison, err));
  tare_eval_options o = e->eval;
  o.metric = NULL;
  o.against = out->reference;
  o.tensors = out->comparison;
  return tare_eval(plan, evaluation, &o, &out->result, err);
}

static void plan_errors_fini(plan_errors *const errors) {
  tare_comparison_free(&errors->comparison);
  tare_eval_result_fini(&errors->result);
  tare_plan_free(&errors->reference);
}

/* The output of a layer that has the lowest SQNR; `name` is NULL if none was compared. */
static tare_tensor_error layer_error(const tare_comparison *const comparison, const int layer) {
  tare_tensor_error noisiest = {.lowest_sqnr_db = NAN, .input_sqnr_db = NAN};
  for (int i = 0; comparison && i < tare_comparison_count(comparison); i++) {
    const tare_tensor_error t = tare_comparison_tensor(comparison, i);
    if (t.layer == layer && t.comparable && t.values > 0 &&
        !(t.lowest_sqnr_db >= noisiest.lowest_sqnr_db)) {
      noisiest = t;
    }
  }
  return noisiest;
}

static void plan_layers_json(cJSON *const object, const tare_plan *const plan,
                             const tare_comparison *const comparison) {
  const int n = tare_plan_n_layers(plan);
  json_int(object, "n_layers", n);
  cJSON *const list = json_add(object, "layers", json_array());
  for (int i = 0; i < n && i < MOST_LAYERS; i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    const tare_tensor_error error = layer_error(comparison, i);
    char *const why = layer_why(&layer);
    cJSON *const item = json_add(list, NULL, json_object());
    json_int(item, "layer", i);
    json_text(item, "name", layer.name);
    json_text(item, "op", layer.op);
    json_text(item, "precision", layer.precision);
    json_text(item, "why", why);
    json_bool(item, "equal", error.name && isinf(error.lowest_sqnr_db));
    json_real(item, "sqnr_db", error.lowest_sqnr_db);
    json_real(item, "input_sqnr_db", error.input_sqnr_db);
    free(why);
  }
}

static tare_status plan_precisions_json(cJSON *const object, const tare_plan *const plan,
                                        tare_error *const err) {
  precision_sum *sums = NULL;
  int n = 0;
  CLI_TRY(precision_sums(plan, NULL, &sums, &n, err));
  cJSON *const list = json_add(object, "by_precision", json_array());
  for (int i = 0; i < n; i++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "precision", sums[i].precision);
    json_int(item, "layers", sums[i].layers);
    json_real(item, "macs", sums[i].macs);
    json_int(item, "weight_bytes", sums[i].weight_bytes);
  }
  free(sums);
  return TARE_OK;
}

tare_status details_take_plan(compare_details *const details, const compare_eval *const e,
                              const grid *const g, tare_dataset *const evaluation,
                              tare_error *const err) {
  const grid_strategy *const first = &g->items[grid_first(g)];
  plan_errors errors = {0};
  tare_error reason = {0};
  tare_plan *plan = NULL;
  CLI_TRY(compare_build(e, first->table, first->precision, &plan, err));
  if (plan_errors_measure(e, plan, evaluation, &errors, &reason) != TARE_OK) {
    say(e->common, "warning: the report has no errors of layers: %s", reason.message);
    tare_comparison_free(&errors.comparison);
  }
  details->plan = json_object();
  json_text(details->plan, "fit", first->fit);
  json_text(details->plan, "method", first->method);
  json_bool(details->plan, "padding_counted", grid_counts_padding(g, first));
  json_int(details->plan, "samples", errors.result.total.samples);
  const tare_status status = plan_precisions_json(details->plan, plan, err);
  plan_layers_json(details->plan, plan, errors.comparison);
  plan_errors_fini(&errors);
  tare_plan_free(&plan);
  return status;
}
