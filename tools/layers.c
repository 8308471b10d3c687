#include "tools/layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"

/* How many layers have each precision. */
typedef struct tally {
  cli_list names;
  int *counts;
} tally;

static void layers_count(tally *const t, const char *const name) {
  for (int i = 0; i < t->names.n; i++) {
    if (strcmp(t->names.items[i], name) == 0) {
      t->counts[i]++;
      return;
    }
  }
  cli_list_add(&t->names, name);
  t->counts = cli_realloc(t->counts, (size_t)t->names.n, sizeof *t->counts);
  t->counts[t->names.n - 1] = 1;
}

static tally tally_of(const tare_plan *const plan) {
  tally t = {0};
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    layers_count(&t, tare_plan_layer(plan, i).precision);
  }
  return t;
}

static void tally_fini(tally *const t) {
  free(t->names.items);
  free(t->counts);
}

char *layers_by_precision(const tare_plan *const plan) {
  tally t = tally_of(plan);
  char *text = cli_format("%s", "");
  for (int i = 0; i < t.names.n; i++) {
    text = cli_append(text, "%s%s %d", i ? ", " : "", t.names.items[i], t.counts[i]);
  }
  tally_fini(&t);
  return text;
}

/* `of` is what was asked for and got: "" for the precision, "output " for what the layer writes. */
static void print_reason(report *const r, const tare_layer *const layer, const char *const of,
                         const tare_precision asked, const char *const got,
                         const char *const reason) {
  report_cell(r, "%s", layer->name);
  report_cell(r, "%s", layer->op);
  report_cell(r, "%s%s", of, tare_precision_name(asked));
  report_cell(r, "%s%s", of, got);
  report_cell(r, "%s", reason);
}

void layers_print_reasons(const tare_plan *const plan) {
  report *const r = report_new("layer~,op<,asked<,got<,why<");
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (layer.why != TARE_REASON_NONE) {
      print_reason(r, &layer, "", layer.asked, layer.precision, layer.reason);
    }
    if (*layer.output_reason) {
      print_reason(r, &layer, "output ", layer.output_asked, layer.output_type,
                   layer.output_reason);
    }
  }
  report_print(r, stdout);
}

/* All kernels begin with the same letters, which say nothing in a table. */
static const char *kernel_text(const tare_layer *const layer) {
  static const char PREFIX[] = "tarei_k_";
  const size_t n = strncmp(layer->kernel, PREFIX, sizeof PREFIX - 1) ? 0 : sizeof PREFIX - 1;
  return *layer->kernel ? layer->kernel + n : "-";
}

void layers_print(const tare_plan *const plan) {
  report *const r = report_new("layer~,op<,asked<,got<,kernel~,shape<");
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    report_cell(r, "%s", layer.name);
    report_cell(r, "%s", layer.op);
    report_cell(r, "%s", tare_precision_name(layer.asked));
    report_cell(r, "%s", layer.precision);
    report_cell(r, "%s", kernel_text(&layer));
    report_cell(r, "%s", layer.shape);
  }
  report_print(r, stdout);
}

static void layer_json(cJSON *const object, const tare_layer *const layer) {
  json_text(object, "name", layer->name);
  json_text(object, "op", layer->op);
  json_text(object, "asked", tare_precision_name(layer->asked));
  json_text(object, "precision", layer->precision);
  json_text(object, "reason", layer->reason);
  json_text(object, "kernel", layer->kernel);
  json_text(object, "output", layer->output);
  json_text(object, "output_asked", tare_precision_name(layer->output_asked));
  json_text(object, "output_type", layer->output_type);
  json_text(object, "output_reason", layer->output_reason);
  json_text(object, "shape", layer->shape);
}

void layers_json(cJSON *const object, const tare_plan *const plan) {
  cJSON *const precisions = json_add(object, "precisions", json_object());
  tally t = tally_of(plan);
  for (int i = 0; i < t.names.n; i++) {
    json_int(precisions, t.names.items[i], t.counts[i]);
  }
  tally_fini(&t);
  cJSON *const layers = json_add(object, "layers", json_array());
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    layer_json(json_add(layers, NULL, json_object()), &layer);
  }
}
