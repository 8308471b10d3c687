#include "tools/show/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/report.h"
#include "tools/show/layer_facts.h"

tare_status layers_counts(const tare_plan *const plan, char **const text, tare_error *const err) {
  precision_sum *sums = NULL;
  int n = 0;
  const tare_status status = precision_sums(plan, &sums, &n, err);
  *text = status == TARE_OK ? cli_format("%d: ", sums[n].layers) : NULL;
  for (int i = 0; *text && i < n; i++) {
    *text = cli_append(*text, "%s%s %d", i ? ", " : "", sums[i].precision, sums[i].layers);
  }
  free(sums);
  return status;
}

tare_status layers_print_counts(const tare_plan *const plan, tare_error *const err) {
  char *text = NULL;
  CLI_TRY(layers_counts(plan, &text, err));
  printf("layers     %s\n", text);
  free(text);
  return TARE_OK;
}

static void report_sum(report *const r, const precision_sum *const sum, const double all) {
  char *const weights = report_bytes(sum->weight_bytes);
  report_cell(r, "%s", sum->precision);
  report_cell(r, "%d", sum->layers);
  report_number(r, 3, sum->macs > 0 ? sum->macs * 1e-6 : NAN);
  report_number(r, 1, sum->macs > 0 ? 100 * sum->macs / all : NAN);
  report_cell(r, "%s", weights);
  free(weights);
}

tare_status layers_print_sums(const tare_plan *const plan, tare_error *const err) {
  precision_sum *sums = NULL;
  int n = 0;
  const tare_status status = precision_sums(plan, &sums, &n, err);
  if (status == TARE_OK) {
    report *const r = report_new("precision<,layers>,MMAC>,share %>,weights>");
    for (int i = 0; i <= n; i++) {
      report_sum(r, &sums[i], sums[n].macs);
    }
    report_print(r, stdout);
  }
  free(sums);
  return status;
}

/* `of` is what was asked for and got: "" for the precision, "output " for what the layer writes,
 * "weights " for what it stores. */
static void report_reason(report *const r, const tare_layer *const layer, const char *const of,
                          const tare_precision asked, const char *const got,
                          const char *const reason) {
  report_cell(r, "%s", layer->name);
  report_cell(r, "%s", layer->op);
  report_cell(r, "%s%s", of, tare_precision_name(asked));
  report_cell(r, "%s%s", of, got);
  report_cell(r, "%s", reason);
}

void layers_print_reasons(const tare_plan *const plan) {
  report *const r = report_new("layer~,op?,asked<,got<,why^");
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (layer.why != TARE_REASON_NONE) {
      report_reason(r, &layer, "", layer.asked, layer.precision, layer.reason);
    }
    if (*layer.output_reason) {
      report_reason(r, &layer, "output ", layer.output_asked, layer.output_type,
                    layer.output_reason);
    }
    if (*layer.weights_reason) {
      report_reason(r, &layer, "weights ", layer.weights_asked, weight_type_name(layer.weights),
                    layer.weights_reason);
    }
  }
  report_print(r, stdout);
}

static void report_layer(report *const r, const tare_layer *const layer,
                         const layer_work *const work) {
  char *const in = layer_types(layer->inputs, layer->n_inputs);
  char *const out = layer_types(layer->outputs, layer->n_outputs);
  char *const bytes = report_bytes(layer->weight_bytes);
  report_cell(r, "%s", layer->name);
  report_cell(r, "%s", layer->precision);
  report_cell(r, "%s", in);
  report_cell(r, "%s", dtype_short_name(layer->weights));
  report_cell(r, "%s", out);
  report_number(r, 3, work->macs > 0 ? work->macs * 1e-6 : NAN);
  report_cell(r, "%s", layer->weight_bytes ? bytes : "-");
  report_cell(r, "%s", layer->op);
  report_cell(r, "%s", layer->shape);
  report_cell(r, "%s", layer_kernel(layer));
  free(in);
  free(out);
  free(bytes);
}

tare_status layers_print(const tare_plan *const plan, tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS];
  tare_status status = TARE_OK;
  report *const r = report_new("layer~,precision<,in<,w<,out<,MMAC>,weights>,op?,shape?,kernel?");
  profile_values(tare_plan_profiles(plan), 0, POINT_OPT, values);
  for (int i = 0; i < tare_plan_n_layers(plan) && status == TARE_OK; i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    layer_work work = {0};
    status = layer_work_at(plan, i, values, &work, err);
    report_layer(r, &layer, &work);
  }
  report_print(r, stdout);
  return status;
}
