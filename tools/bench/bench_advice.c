#include "tools/bench/bench_advice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/bench/bench_causes.h"
#include "tools/bench/bench_copy.h"
#include "tools/report.h"
#include "tools/show/layer_facts.h"

#define HOT_SHARE 0.8   /* of the time: what the hot layers make together */
#define BOUND_SHARE 0.5 /* of the time: a copy that takes longer bounds the layer */
enum { MOST_HOT = 12, COPY_SIZES = 13, LEAST_COPY = 16384 };

/* Rates of copies of LEAST_COPY << i bytes; those that no layer needs are not measured. */
typedef struct copy_rates {
  double rates[COPY_SIZES];
  int threads;
} copy_rates;

static double copy_rate_of(copy_rates *const c, const double bytes) {
  int i = 0;
  while (i < COPY_SIZES - 1 && bytes > (double)((size_t)LEAST_COPY << i)) {
    i++;
  }
  if (c->rates[i] <= 0) {
    c->rates[i] = bench_copy_rate((size_t)LEAST_COPY << i, c->threads);
  }
  return c->rates[i];
}

static bool advice_is_int8(const char *const precision) {
  return strncmp(precision, "int8", 4) == 0;
}

/* The type of the weights of a layer that computes with floats of their values. */
static tare_dtype advice_stored_type(const tare_layer *const layer) {
  return layer->got == TARE_PRECISION_FP32 && layer->weights != TARE_F32 ? layer->weights
                                                                         : TARE_DTYPE_NONE;
}

static void advice_count_products(bench_advice *const a, const tare_layer *const layer,
                                  const advice_layer *const one) {
  const tare_dtype stored = advice_stored_type(layer);
  int i = 0;
  while (i < a->n_products && (a->products[i].stored != stored ||
                               strcmp(a->products[i].precision, layer->precision) != 0)) {
    i++;
  }
  if (i == a->n_products) {
    a->products[a->n_products++] = (advice_products){layer->precision, stored, 0, 0, 0};
  }
  a->products[i].layers++;
  a->products[i].ms += one->ms;
  a->products[i].macs += one->macs;
}

static void advice_count(bench_advice *const a, const advice_layer *const one) {
  const tare_layer layer = tare_plan_layer(a->plan, one->layer);
  if (one->macs > 0) {
    advice_count_products(a, &layer, one);
  } else if (layer_only_converts(&layer)) {
    a->n_convert++;
    a->convert_ms += one->ms;
  } else if (layer.moves) {
    a->n_move++;
    a->move_ms += one->ms;
  }
}

static int advice_slower_first(const void *const a, const void *const b) {
  const double x = ((const advice_layer *)a)->ms, y = ((const advice_layer *)b)->ms;
  return (x < y) - (x > y);
}

static int advice_products_order(const void *const a, const void *const b) {
  const double x = ((const advice_products *)a)->ms, y = ((const advice_products *)b)->ms;
  return (x < y) - (x > y);
}

/* Products that int8 could take over. */
static bool is_other_product(const bench_advice *const a, const advice_layer *const one) {
  return one->macs > 0 && !advice_is_int8(tare_plan_layer(a->plan, one->layer).precision);
}

/* The rate of the int8 products, and what the others would save at it. */
static void advice_estimate(bench_advice *const a) {
  double macs = 0, ms = 0;
  for (int i = 0; i < a->n_products; i++) {
    const bool int8 = advice_is_int8(a->products[i].precision);
    macs += int8 ? a->products[i].macs : 0;
    ms += int8 ? a->products[i].ms : 0;
  }
  a->int8_rate = ms > 0 ? macs / ms : 0;
  for (int i = 0; i < a->n && a->int8_rate > 0; i++) {
    const double saved = a->layers[i].ms - a->layers[i].macs / a->int8_rate;
    a->saving_ms += is_other_product(a, &a->layers[i]) && saved > 0 ? saved : 0;
  }
}

static void advice_choose_hot(bench_advice *const a) {
  double sum = 0;
  while (a->n_hot < a->n && a->n_hot < MOST_HOT && sum < HOT_SHARE * a->ms) {
    sum += a->layers[a->n_hot++].ms;
  }
}

tare_status bench_advice_new(const layer_times *const times, const int64_t *const values,
                             const int threads, bench_advice *const out, tare_error *const err) {
  const int n = tare_plan_n_layers(times->plan);
  copy_rates rates = {.threads = threads};
  *out = (bench_advice){.plan = times->plan, .n = n};
  out->layers = cli_realloc(NULL, (size_t)n, sizeof *out->layers);
  out->products = cli_realloc(NULL, (size_t)n, sizeof *out->products);
  for (int i = 0; i < n; i++) {
    layer_work work;
    CLI_TRY(layer_work_at(times->plan, i, values, &work, err));
    const double ms = tare_context_layer_seconds(times->context, i) * 1e3 / (double)times->runs;
    const double copy_ms = work.bytes / copy_rate_of(&rates, work.bytes) * 1e3;
    const double share = ms > 0 ? copy_ms / ms : 0;
    out->layers[i] = (advice_layer){i, ms, work.macs, work.bytes, share, share > BOUND_SHARE};
    out->ms += ms;
    advice_count(out, &out->layers[i]);
  }
  qsort(out->layers, (size_t)n, sizeof *out->layers, advice_slower_first);
  qsort(out->products, (size_t)out->n_products, sizeof *out->products, advice_products_order);
  advice_choose_hot(out);
  advice_estimate(out);
  return TARE_OK;
}

void bench_advice_fini(bench_advice *const a) {
  free(a->layers);
  free(a->products);
}

/* --- text ------------------------------------------------------------------------------------- */

static void report_hot(report *const r, const bench_advice *const a,
                       const advice_layer *const one) {
  const tare_layer layer = tare_plan_layer(a->plan, one->layer);
  report_cell(r, "%s", layer.name);
  report_cell(r, "%s", layer.precision);
  report_number(r, 4, one->ms);
  report_number(r, 1, a->ms > 0 ? 100 * one->ms / a->ms : NAN);
  report_number(r, 1, one->macs > 0 ? 2e-6 * one->macs / one->ms : NAN);
  report_number(r, 1, one->ms > 0 ? 1e-6 * one->bytes / one->ms : NAN);
  report_number(r, 0, 100 * one->copy_share);
  report_cell(r, "%s", one->by_memory ? "memory" : one->macs > 0 ? "products" : "-");
}

static void advice_line(const char *const what, const int n, const double ms, const double all) {
  if (n > 0) {
    printf("%s: %d layer%s, %.4f ms (%.1f %%)\n", what, n, cli_s(n), ms,
           all > 0 ? 100 * ms / all : 0);
  }
}

/* Returns how many layers have products that are not int8. */
static int print_products(const bench_advice *const a) {
  int others = 0;
  for (int i = 0; i < a->n_products; i++) {
    const advice_products *const p = &a->products[i];
    char *const what =
        p->stored == TARE_DTYPE_NONE
            ? cli_format("Products in %s", p->precision)
            : cli_format("Products in %s, %s weights", p->precision, weight_type_name(p->stored));
    advice_line(what, p->layers, p->ms, a->ms);
    others += advice_is_int8(p->precision) ? 0 : p->layers;
    free(what);
  }
  return others;
}

/* Products that are not int8, with the reason. */
static void print_others(const bench_advice *const a) {
  report *const r = report_new("layer~,ms>,precision<,why^");
  for (int i = 0; i < a->n; i++) {
    const tare_layer layer = tare_plan_layer(a->plan, a->layers[i].layer);
    if (is_other_product(a, &a->layers[i])) {
      char *const why = layer_why(&layer);
      report_cell(r, "%s", layer.name);
      report_number(r, 4, a->layers[i].ms);
      report_cell(r, "%s", layer.precision);
      report_cell(r, "%s", why);
      free(why);
    }
  }
  report_print(r, stdout);
}

void bench_advice_print(const bench_advice *const a) {
  int n_memory = 0;
  double memory_ms = 0;
  report *const r = report_new("layer~,precision<,ms>,share %>,GOP/s>,GB/s>,copy %>,bound by<");
  for (int i = 0; i < a->n; i++) {
    n_memory += a->layers[i].by_memory;
    memory_ms += a->layers[i].by_memory ? a->layers[i].ms : 0;
    if (i < a->n_hot) {
      report_hot(r, a, &a->layers[i]);
    }
  }
  printf("\n=== Advice ===\n");
  report_print(r, stdout);
  advice_line("Bound by memory", n_memory, memory_ms, a->ms);
  advice_line("Conversions between float and int8", a->n_convert, a->convert_ms, a->ms);
  advice_line("Data movement", a->n_move, a->move_ms, a->ms);
  const int others = print_products(a);
  bench_causes_print(a);
  if (others > 0 && a->int8_rate > 0) {
    printf(
        "At the rate of the int8 layers here, the %d layer%s with other products would take %.4f "
        "ms less in int8\n",
        others, cli_s(others), a->saving_ms);
    print_others(a);
  } else if (others > 0) {
    puts(
        "Build an INT8 plan to see what they would save: tare calibrate, tare build --calib, tare "
        "diff --times");
  }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void products_json(cJSON *const advice, const bench_advice *const a) {
  cJSON *const list = json_add(advice, "products", json_array());
  for (int i = 0; i < a->n_products; i++) {
    const advice_products *const p = &a->products[i];
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "precision", p->precision);
    json_text(item, "stored", tare_dtype_name(p->stored));
    json_int(item, "layers", p->layers);
    json_real(item, "ms", p->ms);
    json_real(item, "macs", p->macs);
  }
}

void bench_advice_json(cJSON *const object, const bench_advice *const a) {
  cJSON *const advice = json_add(object, "advice", json_object());
  json_real(advice, "layers_ms", a->ms);
  json_real(advice, "convert_ms", a->convert_ms);
  json_real(advice, "move_ms", a->move_ms);
  products_json(advice, a);
  bench_causes_json(advice, a);
  json_real(advice, "saving_ms", a->int8_rate > 0 ? a->saving_ms : NAN);
  cJSON *const list = json_add(advice, "layers", json_array());
  for (int i = 0; i < a->n; i++) {
    const advice_layer *const one = &a->layers[i];
    const tare_layer layer = tare_plan_layer(a->plan, one->layer);
    cJSON *const item = json_add(list, NULL, json_object());
    char *const why = layer_why(&layer);
    json_text(item, "name", layer.name);
    json_text(item, "precision", layer.precision);
    json_text(item, "why", why);
    json_real(item, "average_ms", one->ms);
    json_real(item, "macs", one->macs);
    json_real(item, "moved_bytes", one->bytes);
    json_real(item, "copy_share", one->copy_share);
    json_bool(item, "hot", i < a->n_hot);
    json_text(item, "bound_by", one->by_memory ? "memory" : one->macs > 0 ? "products" : "");
    free(why);
  }
}
