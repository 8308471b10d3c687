#include "tools/layer_times.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/report.h"

/* Layers that share an operator and a precision, or all of them. */
typedef struct layer_times_group {
  const char *op, *precision;
  int64_t layers;
  double seconds, operations; /* of all runs; of one run */
} layer_times_group;

tare_status plan_operations(const tare_plan *const plan, const int64_t *const values,
                            double **const layers, double *const sum, tare_error *const err) {
  const int n = tare_plan_n_layers(plan);
  *layers = cli_realloc(NULL, (size_t)n, sizeof **layers);
  *sum = 0;
  for (int i = 0; i < n; i++) {
    CLI_TRY(tare_plan_layer_operations(plan, i, values, &(*layers)[i], err));
    *sum += (*layers)[i];
  }
  return TARE_OK;
}

static layer_times_group of_layer(const layer_times *const t, const int i) {
  const tare_layer layer = tare_plan_layer(t->plan, i);
  return (layer_times_group){.op = layer.op,
                             .precision = layer.precision,
                             .layers = 1,
                             .seconds = tare_context_layer_seconds(t->context, i),
                             .operations = t->operations[i]};
}

static void layer_times_add(layer_times_group *const sum, const layer_times_group *const one) {
  sum->layers += one->layers;
  sum->seconds += one->seconds;
  sum->operations += one->operations;
}

static layer_times_group all_layers(const layer_times *const t) {
  layer_times_group sum = {.op = "", .precision = ""};
  for (int i = 0; i < tare_plan_n_layers(t->plan); i++) {
    const layer_times_group one = of_layer(t, i);
    layer_times_add(&sum, &one);
  }
  return sum;
}

static double layer_times_percent(const layer_times_group *const g,
                                  const layer_times_group *const all) {
  return all->seconds > 0 ? 100 * g->seconds / all->seconds : 0;
}

/* 1e9 operations a second; NAN for layers that only move or change elements, and for those of
 * branches that were not taken. */
static double gops(const layer_times *const t, const layer_times_group *const g) {
  return g->operations > 0 && g->seconds > 0 ? g->operations * (double)t->runs / g->seconds * 1e-9
                                             : NAN;
}

static void report_times(report *const r, const layer_times *const t,
                         const layer_times_group *const g, const layer_times_group *const all) {
  report_number(r, 4, g->seconds * 1e3 / (double)t->runs);
  report_number(r, 1, layer_times_percent(g, all));
  report_number(r, 1, gops(t, g));
}

static void print_layers(const layer_times *const t, const layer_times_group *const all) {
  report *const r = report_new("layer~,op<,precision<,ms>,share %>,GOP/s>");
  for (int i = 0; i < tare_plan_n_layers(t->plan); i++) {
    const layer_times_group one = of_layer(t, i);
    report_cell(r, "%s", tare_plan_layer(t->plan, i).name);
    report_cell(r, "%s", one.op);
    report_cell(r, "%s", one.precision);
    report_times(r, t, &one, all);
  }
  printf("\n=== Profile (%" PRId64 " iterations) ===\n", t->runs);
  report_print(r, stdout);
}

static int slower_first(const void *const a, const void *const b) {
  const double x = ((const layer_times_group *)a)->seconds,
               y = ((const layer_times_group *)b)->seconds;
  return (x < y) - (x > y);
}

/* By precision, or by operator and precision. */
static int layer_times_gather(const layer_times *const t, const bool by_op,
                              layer_times_group *const groups) {
  int n = 0;
  for (int i = 0; i < tare_plan_n_layers(t->plan); i++) {
    layer_times_group one = of_layer(t, i);
    one.op = by_op ? one.op : "";
    int g = 0;
    while (g < n &&
           (strcmp(groups[g].op, one.op) != 0 || strcmp(groups[g].precision, one.precision) != 0)) {
      g++;
    }
    if (g == n) {
      groups[n++] = (layer_times_group){.op = one.op, .precision = one.precision};
    }
    layer_times_add(&groups[g], &one);
  }
  qsort(groups, (size_t)n, sizeof *groups, slower_first);
  return n;
}

static void print_groups(const layer_times *const t, const layer_times_group *const all,
                         const bool by_op) {
  layer_times_group *const groups = cli_realloc(NULL, (size_t)all->layers, sizeof *groups);
  const int n = layer_times_gather(t, by_op, groups);
  report *const r = report_new(by_op ? "op<,precision<,layers>,ms>,share %>,GOP/s>"
                                     : "precision<,layers>,ms>,share %>,GOP/s>");
  for (int g = 0; g <= n; g++) {
    const layer_times_group *const group = g < n ? &groups[g] : all;
    if (by_op) {
      report_cell(r, "%s", group == all ? "total" : group->op);
    }
    report_cell(r, "%s", group == all && !by_op ? "all" : group->precision);
    report_cell(r, "%" PRId64, group->layers);
    report_times(r, t, group, all);
  }
  printf("\n=== By %s ===\n", by_op ? "operator" : "precision");
  report_print(r, stdout);
  free(groups);
}

void layer_times_print(const layer_times *const t) {
  const layer_times_group all = all_layers(t);
  print_layers(t, &all);
  print_groups(t, &all, true);
  print_groups(t, &all, false);
}

static void layer_time_json(cJSON *const item, const layer_times *const t, const int i,
                            const layer_times_group *const all) {
  const tare_layer layer = tare_plan_layer(t->plan, i);
  const layer_times_group one = of_layer(t, i);
  json_text(item, "name", layer.name);
  json_text(item, "op", layer.op);
  json_text(item, "precision", layer.precision);
  json_real(item, "time_ms", one.seconds * 1e3);
  json_real(item, "average_ms", one.seconds * 1e3 / (double)t->runs);
  json_real(item, "percentage", layer_times_percent(&one, all));
  json_real(item, "operations", one.operations);
  json_real(item, "gops", gops(t, &one));
}

void layer_times_json(cJSON *const object, const layer_times *const t) {
  const layer_times_group all = all_layers(t);
  cJSON *const layers = json_add(object, "layers", json_array());
  for (int i = 0; i < tare_plan_n_layers(t->plan); i++) {
    layer_time_json(json_add(layers, NULL, json_object()), t, i, &all);
  }
}
