#include "tools/parts/scale_moves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/cli.h"

typedef struct threshold_ratio {
  double ratio;
  const char *tensor; /* of the table */
} threshold_ratio;

static int threshold_by_ratio(const void *const x, const void *const y) {
  const double a = ((const threshold_ratio *)x)->ratio, b = ((const threshold_ratio *)y)->ratio;
  return a < b ? -1 : a > b;
}

static int threshold_by_distance(const void *const x, const void *const y) {
  const double a = fabs(log(((const threshold_ratio *)x)->ratio));
  const double b = fabs(log(((const threshold_ratio *)y)->ratio));
  return a < b ? -1 : a > b;
}

static scale_move scale_move_of(const char *const method, const tare_table *const a,
                                const tare_table *const b) {
  const int n = tare_table_n_tensors(a);
  threshold_ratio *const ratios = cli_realloc(NULL, (size_t)n, sizeof *ratios);
  scale_move move = {.method = method, .median = 1, .within = 1, .farthest = 1};
  for (int t = 0; t < n; t++) {
    const tare_table_entry x = tare_table_get(a, t, 0);
    const int other = tare_table_find(b, x.tensor);
    const double amax = other < 0 ? 0 : tare_table_get(b, other, 0).amax;
    if (x.amax > 0 && amax > 0) {
      ratios[move.n_tensors++] = (threshold_ratio){.ratio = amax / x.amax, .tensor = x.tensor};
    }
  }
  const size_t count = (size_t)move.n_tensors;
  if (count) {
    qsort(ratios, count, sizeof *ratios, threshold_by_ratio);
    move.median = ratios[count / 2].ratio;
    qsort(ratios, count, sizeof *ratios, threshold_by_distance);
    move.within = exp(fabs(log(ratios[(count - 1) * 95 / 100].ratio)));
    move.farthest = ratios[count - 1].ratio;
    move.tensor = cli_format("%s", ratios[count - 1].tensor);
  }
  free(ratios);
  return move;
}

static tare_status scale_moves_add(const tare_stats *const *const stats, const char *const method,
                                   scale_moves *const out, tare_error *const err) {
  tare_table *tables[2] = {0};
  tare_table_options options;
  tare_table_options_init(&options);
  options.method = method;
  tare_status status = TARE_OK;
  for (int i = 0; i < 2 && status == TARE_OK; i++) {
    status = tare_table_from_stats(stats[i], &options, &tables[i], err);
  }
  if (status == TARE_OK) {
    out->items[out->n++] = scale_move_of(method, tables[0], tables[1]);
  }
  tare_table_free(&tables[0]);
  tare_table_free(&tables[1]);
  return status;
}

tare_status scale_moves_find(const tare_stats *const a, const tare_stats *const b,
                             scale_moves *const out, tare_error *const err) {
  const tare_stats *const stats[] = {a, b};
  out->items = cli_realloc(NULL, (size_t)tare_n_methods(), sizeof *out->items);
  for (int i = 0; i < tare_n_methods(); i++) {
    CLI_TRY(scale_moves_add(stats, tare_method_name(i), out, err));
  }
  return TARE_OK;
}

void scale_moves_fini(scale_moves *const moves) {
  for (int i = 0; i < moves->n; i++) {
    free(moves->items[i].tensor);
  }
  free(moves->items);
  *moves = (scale_moves){0};
}

void scale_moves_print(const scale_moves *const moves) {
  report *const r = report_new("thresholds by<,median B/A>,95 % within>,farthest~,B/A>");
  for (int i = 0; i < moves->n; i++) {
    const scale_move *const m = &moves->items[i];
    report_cell(r, "%s", m->method);
    report_cell(r, "%.3f", m->median);
    report_cell(r, "%.3f", m->within);
    report_cell(r, "%s", m->tensor ? m->tensor : "-");
    report_cell(r, "%.3f", m->farthest);
  }
  report_print(r, stdout);
}

void scale_moves_json(cJSON *const object, const scale_moves *const moves) {
  cJSON *const list = json_add(object, "thresholds", json_array());
  for (int i = 0; i < moves->n; i++) {
    const scale_move *const m = &moves->items[i];
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "method", m->method);
    json_int(item, "tensors", m->n_tensors);
    json_real(item, "median", m->median);
    json_real(item, "within", m->within);
    json_real(item, "farthest", m->farthest);
    json_text(item, "tensor", m->tensor ? m->tensor : "");
  }
}
