#include "tools/show/layers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/report.h"
#include "tools/say.h"
#include "tools/show/layer_facts.h"

#define MOST_NAMED 3 /* tensors or layers in a warning */

tare_status layers_counts(const tare_plan *const plan, char **const text, tare_error *const err) {
  precision_sum *sums = NULL;
  int n = 0;
  const tare_status status = precision_sums(plan, NULL, &sums, &n, err);
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

static void report_mmac(report *const r, const double macs) {
  if (macs > 0 && macs < 500) {
    report_cell(r, "<0.001");
  } else {
    report_number(r, 3, macs > 0 ? macs * 1e-6 : NAN);
  }
}

static void report_sum(report *const r, const precision_sum *const sum,
                       const precision_sum *const all, const bool times) {
  char *const weights = report_bytes(sum->weight_bytes);
  report_cell(r, "%s", sum->precision);
  report_cell(r, "%d", sum->layers);
  report_mmac(r, sum->macs);
  report_number(r, 1, sum->macs > 0 ? 100 * sum->macs / all->macs : NAN);
  report_cell(r, "%s", weights);
  free(weights);
  if (times) {
    report_number(r, 4, sum->ms);
    report_number(r, 1, all->ms > 0 ? 100 * sum->ms / all->ms : NAN);
  }
}

tare_status layers_print_sums(const tare_plan *const plan, const double *const ms,
                              tare_error *const err) {
  precision_sum *sums = NULL;
  int n = 0;
  const tare_status status = precision_sums(plan, ms, &sums, &n, err);
  if (status == TARE_OK) {
    report *const r = report_new(ms ? "precision<,layers>,MMAC>,share %>,weights>,ms>,of time %>"
                                    : "precision<,layers>,MMAC>,share %>,weights>");
    for (int i = 0; i <= n; i++) {
      report_sum(r, &sums[i], &sums[n], ms != NULL);
    }
    if (sums[n].macs > 0) {
      printf("int8       %.1f %% of the multiply-adds\n", 100 * precision_share(sums, n, "int8"));
    }
    report_print(r, stdout);
  }
  free(sums);
  return status;
}

/* `of` is what was asked for and got: "" for the precision, "output " for what the layer writes,
 * "weights " for what it stores, "rounding " for how. */
static void report_reason(report *const r, const tare_layer *const layer, const char *const of,
                          const char *const asked, const char *const got,
                          const char *const reason) {
  report_cell(r, "%s", layer->name);
  report_cell(r, "%s", layer->op);
  report_cell(r, "%s%s", of, asked);
  report_cell(r, "%s%s", of, got);
  report_cell(r, "%s", reason);
}

/* Layers with row scales are many and have one of three reasons. */
static bool has_rows_because(const tare_layer *const layer, const tare_reason why) {
  return layer->why == why && layer->got == TARE_PRECISION_INT8_ROWS;
}

static bool has_rows_as_usual(const tare_layer *const layer) {
  return has_rows_because(layer, TARE_REASON_QUIET_ROWS) ||
         has_rows_because(layer, TARE_REASON_LOUDER) ||
         has_rows_because(layer, TARE_REASON_FEW_ROWS);
}

/* Whether a line for all such layers stands for this one. */
static bool is_counted(const tare_layer *const layer) {
  return has_rows_as_usual(layer) || layer->why == TARE_REASON_SMALL ||
         layer->why == TARE_REASON_NO_VNNI || layer->why == TARE_REASON_RAISED;
}

static void print_rows_because(const tare_plan *const plan, const tare_reason why,
                               const char *const text) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    n += has_rows_because(&layer, why);
  }
  if (n > 0) {
    printf("row scales %d layer%s, %s\n", n, cli_s(n), text);
  }
}

static void print_row_scales(const tare_plan *const plan) {
  int n = 0;
  int64_t least = INT64_MAX, most = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (has_rows_because(&layer, TARE_REASON_QUIET_ROWS)) {
      n++;
      least = layer.number < least ? layer.number : least;
      most = layer.number > most ? layer.number : most;
    }
  }
  if (n > 0) {
    printf("row scales %d layer%s, whose rows one scale would cost ", n, cli_s(n));
    if (least < most) {
      printf("%" PRId64 " to ", least);
    }
    printf("%" PRId64 " dB\n", most);
  }
  print_rows_because(plan, TARE_REASON_LOUDER,
                     "which a louder input than in calibration would clip");
  print_rows_because(plan, TARE_REASON_FEW_ROWS, "of whose input a sample has few rows");
}

static void print_raised(const tare_plan *const plan) {
  int n[TARE_PRECISION_COUNT] = {0}, all = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    n[layer.got] += layer.why == TARE_REASON_RAISED;
    all += layer.why == TARE_REASON_RAISED;
  }
  if (all > 0) {
    printf("raised     %d layer%s, which 8 bits cost too much, as the table says:", all,
           cli_s(all));
    const char *before = " ";
    for (int p = 0; p < TARE_PRECISION_COUNT; p++) {
      if (n[p] > 0) {
        printf("%s%d %s", before, n[p], tare_precision_name((tare_precision)p));
        before = ", ";
      }
    }
    printf("\n");
  }
}

static int count_because(const tare_plan *const plan, const tare_reason why) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    n += tare_plan_layer(plan, i).why == why;
  }
  return n;
}

static void print_small(const tare_plan *const plan) {
  const int n = count_because(plan, TARE_REASON_SMALL);
  const int slow = count_because(plan, TARE_REASON_NO_VNNI);
  if (n > 0) {
    printf(
        "small      %d layer%s in float, where integers would be slower (--small-layers int8 "
        "has them all the same)\n",
        n, cli_s(n));
  }
  if (slow > 0) {
    printf(
        "no VNNI    %d layer%s in float, where integers would be slower on this instruction set "
        "(--isa any builds for others)\n",
        slow, cli_s(slow));
  }
}

void roundings_print(const int by_table, const int nearest) {
  if (by_table > 0) {
    printf("rounding   weights of %d layer%s as the table says, of %d to nearest\n", by_table,
           cli_s(by_table), nearest);
  }
}

void methods_print(const int clipped, const int corrected, const int smoothed) {
  if (clipped > 0) {
    printf("clipping   weights of %d layer%s\n", clipped, cli_s(clipped));
  }
  if (corrected > 0) {
    printf("correction biases of %d layer%s\n", corrected, cli_s(corrected));
  }
  if (smoothed > 0) {
    printf("smoothing  inputs of %d layer%s\n", smoothed, cli_s(smoothed));
  }
}

/* "a and b", or the first of more; the caller frees it. */
static char *unused_list(const void *const of, const int n, unused_name_fn *const name) {
  const char *names[MOST_NAMED];
  const int named = n < MOST_NAMED ? n : MOST_NAMED;
  for (int i = 0; i < named; i++) {
    names[i] = name(of, i);
  }
  char *const list = cli_join(names, named, n > named ? ", " : " and ");
  char *const all = cli_format("%s%s", list, n > named ? ", ..." : "");
  free(list);
  return all;
}

void smoothings_warn(const opt_common *const common, const char *const file, const void *const of,
                     const int n, unused_name_fn *const name) {
  if (n > 0) {
    char *const list = unused_list(of, n, name);
    say(common,
        "warning: %s: the smoothing of %d tensor%s is not used, because the tensor is missing, or "
        "a node that writes or reads it cannot be rescaled: %s",
        file, n, cli_s(n), list);
    free(list);
  }
}

void weights_warn(const opt_common *const common, const char *const file, const char *const noun,
                  const void *const of, const int n, unused_name_fn *const name) {
  if (n > 0) {
    char *const list = unused_list(of, n, name);
    say(common,
        "warning: %s: the %s of %d layer%s is not used, because the plan has no such int8 "
        "weights: %s",
        file, noun, n, cli_s(n), list);
    free(list);
  }
}

static void print_methods(const tare_plan *const plan) {
  int clipped = 0, corrected = 0, smoothed = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    clipped += layer.clipped;
    corrected += layer.corrected;
    smoothed += layer.smoothed;
  }
  methods_print(clipped, corrected, smoothed);
}

static void print_roundings(const tare_plan *const plan) {
  int by_table = 0, nearest = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    by_table += layer.rounding == TARE_ROUNDING_TABLE;
    nearest += layer.rounding == TARE_ROUNDING_NEAREST;
  }
  roundings_print(by_table, nearest);
}

void layers_print_reasons(const tare_plan *const plan) {
  report *const r = report_new("layer~,op?,asked<,got<,why^");
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (layer.why != TARE_REASON_NONE && !is_counted(&layer)) {
      report_reason(r, &layer, "", tare_precision_name(layer.asked), layer.precision, layer.reason);
    }
    if (*layer.output_reason) {
      report_reason(r, &layer, "output ", tare_precision_name(layer.output_asked),
                    layer.output_type, layer.output_reason);
    }
    if (*layer.weights_reason) {
      report_reason(r, &layer, "weights ", tare_precision_name(layer.weights_asked),
                    weight_type_name(layer.weights), layer.weights_reason);
    }
    if (*layer.rounding_reason) {
      report_reason(r, &layer, "rounding ", tare_rounding_name(TARE_ROUNDING_TABLE),
                    tare_rounding_name(layer.rounding), layer.rounding_reason);
    }
  }
  print_row_scales(plan);
  print_raised(plan);
  print_small(plan);
  print_roundings(plan);
  print_methods(plan);
  report_print(r, stdout);
}

static void report_layer(report *const r, const tare_layer *const layer,
                         const layer_work *const work, const double *const ms) {
  char *const in = layer_types(layer->inputs, layer->n_inputs);
  char *const out = layer_types(layer->outputs, layer->n_outputs);
  char *const bytes = report_bytes(layer->weight_bytes);
  report_cell(r, "%s", layer->name);
  report_cell(r, "%s", layer->precision);
  report_cell(r, "%s", in);
  report_cell(r, "%s", dtype_short_name(layer->weights));
  report_cell(r, "%s", out);
  report_mmac(r, work->macs);
  if (ms) {
    report_number(r, 4, *ms);
  }
  report_cell(r, "%s", layer->weight_bytes ? bytes : "-");
  report_cell(r, "%s", layer->op);
  report_cell(r, "%s", layer->shape);
  report_cell(r, "%s", layer_kernel(layer));
  free(in);
  free(out);
  free(bytes);
}

tare_status layers_print(const tare_plan *const plan, const double *const ms,
                         tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS];
  tare_status status = TARE_OK;
  report *const r =
      report_new(ms ? "layer~,precision<,in<,w<,out<,MMAC>,ms>,weights>,op?,shape?,kernel?"
                    : "layer~,precision<,in<,w<,out<,MMAC>,weights>,op?,shape?,kernel?");
  profile_values(tare_plan_profiles(plan), 0, POINT_OPT, values);
  for (int i = 0; i < tare_plan_n_layers(plan) && status == TARE_OK; i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    layer_work work = {0};
    status = layer_work_at(plan, i, values, &work, err);
    report_layer(r, &layer, &work, ms ? &ms[i] : NULL);
  }
  report_print(r, stdout);
  return status;
}
