#include "tools/show/layer_diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"
#include "tools/show/layer_facts.h"

/* What is compared, as text of one layer; to be freed. */
typedef char *layer_diff_text_fn(const tare_layer *layer);

static char *text_of_precision(const tare_layer *const layer) {
  return cli_format("%s", layer->precision);
}

static char *text_of_types(const tare_layer *const layer) {
  char *const in = layer_types(layer->inputs, layer->n_inputs);
  char *const out = layer_types(layer->outputs, layer->n_outputs);
  char *const text = layer->weights == TARE_DTYPE_NONE
                         ? cli_format("%s to %s", in, out)
                         : cli_format("%s * %s to %s", in, dtype_short_name(layer->weights), out);
  free(in);
  free(out);
  return text;
}

static char *text_of_weights(const tare_layer *const layer) {
  return cli_format("%" PRId64, layer->weight_bytes);
}

static char *text_of_shape(const tare_layer *const layer) {
  return cli_format("%s", layer->shape);
}

static char *text_of_op(const tare_layer *const layer) {
  return cli_format("%s", layer->op);
}

static char *text_of_kernel(const tare_layer *const layer) {
  return cli_format("%s", layer_kernel(layer));
}

/* The nodes of the model that were fused. */
static char *text_of_nodes(const tare_layer *const layer) {
  return cli_format("%s", layer->name);
}

/* Where the text of two layers differs; those that fit a terminal least come last. */
static const struct {
  const char *what, *column;
  layer_diff_text_fn *text;
} ASPECTS[] = {{"precision", "precision<", text_of_precision},
               {"types", "types?", text_of_types},
               {"weight_bytes", "weight bytes?", text_of_weights},
               {"shape", "shape?", text_of_shape},
               {"op", "op?", text_of_op},
               {"kernel", "kernel?", text_of_kernel},
               {"nodes", "nodes?", text_of_nodes}};
enum { N_ASPECTS = sizeof ASPECTS / sizeof *ASPECTS };

/* --- scales ----------------------------------------------------------------------------------- */

static const tare_layer_tensor *layer_tensor(const tare_layer *const layer, const int i) {
  return i < layer->n_inputs ? &layer->inputs[i] : &layer->outputs[i - layer->n_inputs];
}

static const tare_layer_tensor *tensor_named(const tare_layer *const layer,
                                             const char *const name) {
  for (int i = 0; i < layer->n_inputs + layer->n_outputs; i++) {
    if (strcmp(layer_tensor(layer, i)->name, name) == 0) {
      return layer_tensor(layer, i);
    }
  }
  return NULL;
}

static char *text_of_scales(const tare_layer_tensor *const t) {
  char *text = cli_format("%s", "");
  for (int s = 0; s < t->n_scales; s++) {
    text = cli_append(text, "%s%.9g", s ? " " : "", (double)t->scales[s]);
  }
  return cli_append(text, ", zero point %d", (int)t->zero_point);
}

/* The largest change of a scale relative to the one in `a`; INFINITY if zero points or the numbers
 * of profiles differ. If only one of them is quantized, the types differ. */
static double scale_change(const tare_layer_tensor *const a, const tare_layer_tensor *const b) {
  const int n = a->n_scales > b->n_scales ? a->n_scales : b->n_scales;
  double most = 0;
  if (!a->n_scales || !b->n_scales) {
    return 0;
  }
  if ((a->n_scales != n && a->n_scales > 1) || (b->n_scales != n && b->n_scales > 1) ||
      a->zero_point != b->zero_point) {
    return INFINITY;
  }
  for (int s = 0; s < n; s++) { /* a single scale is that of all profiles */
    const double x = (double)a->scales[a->n_scales == 1 ? 0 : s];
    const double change = fabs((double)b->scales[b->n_scales == 1 ? 0 : s] / x - 1);
    most = change > most ? change : most; /* gcc 12 for 64-bit Arm ends at fmax here */
  }
  return most;
}

static double largest_scale_change(const tare_layer *const a, const tare_layer *const b) {
  double most = 0;
  for (int i = 0; i < a->n_inputs + a->n_outputs; i++) {
    const tare_layer_tensor *const t = layer_tensor(a, i), *const u = tensor_named(b, t->name);
    most = u ? fmax(most, scale_change(t, u)) : most;
  }
  return most;
}

/* --- differences ------------------------------------------------------------------------------ */

/* The texts of both layers if they differ; to be freed. */
static bool aspect_differs(const int aspect, const tare_layer *const a, const tare_layer *const b,
                           char **const x, char **const y) {
  *x = ASPECTS[aspect].text(a);
  *y = ASPECTS[aspect].text(b);
  if (strcmp(*x, *y) != 0) {
    return true;
  }
  free(*x);
  free(*y);
  return false;
}

/* Whether the layers of a pair differ in anything but their times. */
static bool layer_differs(const layer_diff *const d, const layer_pair *const pair) {
  if (pair->a < 0 || pair->b < 0) {
    return true;
  }
  const tare_layer a = tare_plan_layer(d->a, pair->a), b = tare_plan_layer(d->b, pair->b);
  for (int i = 0; i < N_ASPECTS; i++) {
    char *x, *y;
    if (aspect_differs(i, &a, &b, &x, &y)) {
      free(x);
      free(y);
      return true;
    }
  }
  return largest_scale_change(&a, &b) > 0;
}

int layer_diff_count(const layer_diff *const d) {
  int n = 0;
  for (int i = 0; i < d->n_pairs; i++) {
    n += layer_differs(d, &d->pairs[i]);
  }
  return n;
}

/* --- text ------------------------------------------------------------------------------------- */

/* Which columns a table needs: those in which some layer differs. */
typedef struct layer_diff_columns {
  bool single, scales, aspects[N_ASPECTS];
} layer_diff_columns;

static layer_diff_columns layer_diff_columns_of(const layer_diff *const d) {
  layer_diff_columns c = {0};
  for (int p = 0; p < d->n_pairs; p++) {
    if (d->pairs[p].a < 0 || d->pairs[p].b < 0) {
      c.single = c.aspects[0] = true;
      continue;
    }
    const tare_layer a = tare_plan_layer(d->a, d->pairs[p].a);
    const tare_layer b = tare_plan_layer(d->b, d->pairs[p].b);
    c.scales |= largest_scale_change(&a, &b) > 0;
    for (int i = 0; i < N_ASPECTS; i++) {
      char *x, *y;
      if (aspect_differs(i, &a, &b, &x, &y)) {
        c.aspects[i] = true;
        free(x);
        free(y);
      }
    }
  }
  return c;
}

static void report_scale_change(report *const r, const double change) {
  if (isinf(change)) {
    report_cell(r, "differ");
  } else if (change > 0) {
    report_cell(r, "%.2g %%", 100 * change);
  } else {
    report_cell(r, "=");
  }
}

static void report_both(report *const r, const layer_diff *const d, const layer_pair *const pair,
                        const layer_diff_columns *const c) {
  const tare_layer a = tare_plan_layer(d->a, pair->a), b = tare_plan_layer(d->b, pair->b);
  if (c->scales) {
    report_scale_change(r, largest_scale_change(&a, &b));
  }
  for (int i = 0; i < N_ASPECTS; i++) {
    char *x, *y;
    if (!c->aspects[i]) {
      continue;
    }
    if (aspect_differs(i, &a, &b, &x, &y)) {
      report_cell(r, "%s -> %s", x, y);
      free(x);
      free(y);
    } else {
      report_cell(r, "=");
    }
  }
}

static void report_one(report *const r, const tare_layer *const layer,
                       const layer_diff_columns *const c) {
  if (c->scales) {
    report_cell(r, "-");
  }
  for (int i = 0; i < N_ASPECTS; i++) {
    if (c->aspects[i]) {
      char *const text = ASPECTS[i].text(layer);
      report_cell(r, "%s", text);
      free(text);
    }
  }
}

static void report_pair_times(report *const r, const layer_diff *const d,
                              const layer_pair *const pair) {
  const double a = pair->a < 0 ? NAN : d->times.a[pair->a];
  const double b = pair->b < 0 ? NAN : d->times.b[pair->b];
  report_number(r, 4, a);
  report_number(r, 4, b);
  report_number(r, 2, b > 0 ? a / b : NAN);
}

static void layer_diff_report(report *const r, const layer_diff *const d,
                              const layer_pair *const pair, const layer_diff_columns *const c) {
  const tare_layer layer =
      pair->a >= 0 ? tare_plan_layer(d->a, pair->a) : tare_plan_layer(d->b, pair->b);
  report_cell(r, "%s", layer.name);
  if (d->times.a) {
    report_pair_times(r, d, pair);
  }
  if (c->single) {
    report_cell(r, "%s", pair->b < 0 ? "A" : pair->a < 0 ? "B" : "both");
  }
  if (pair->a >= 0 && pair->b >= 0) {
    report_both(r, d, pair, c);
  } else {
    report_one(r, &layer, c);
  }
}

void layer_diff_print(const layer_diff *const d) {
  const layer_diff_columns c = layer_diff_columns_of(d);
  char *columns = cli_format("layer~%s%s%s", d->times.a ? ",A ms>,B ms>,A/B>" : "",
                             c.single ? ",in<" : "", c.scales ? ",scales<" : "");
  for (int i = 0; i < N_ASPECTS; i++) {
    columns = c.aspects[i] ? cli_append(columns, ",%s", ASPECTS[i].column) : columns;
  }
  report *const r = report_new(columns);
  for (int i = 0; i < d->n_pairs; i++) {
    if (layer_differs(d, &d->pairs[i]) || d->times.a) {
      layer_diff_report(r, d, &d->pairs[i], &c);
    }
  }
  report_print(r, stdout);
  free(columns);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void change_json(cJSON *const changes, const char *const what, const char *const a,
                        const char *const b) {
  cJSON *const item = json_add(changes, NULL, json_object());
  json_text(item, "what", what);
  json_text(item, "a", a);
  json_text(item, "b", b);
}

static void scales_json(cJSON *const changes, const tare_layer *const a,
                        const tare_layer *const b) {
  for (int i = 0; i < a->n_inputs + a->n_outputs; i++) {
    const tare_layer_tensor *const t = layer_tensor(a, i), *const u = tensor_named(b, t->name);
    if (u && scale_change(t, u) > 0) {
      char *const x = text_of_scales(t), *const y = text_of_scales(u);
      change_json(changes, "scales", x, y);
      json_text(cJSON_GetArrayItem(changes, cJSON_GetArraySize(changes) - 1), "tensor", t->name);
      free(x);
      free(y);
    }
  }
}

static void pair_changes_json(cJSON *const changes, const layer_diff *const d,
                              const layer_pair *const pair) {
  const tare_layer a = tare_plan_layer(d->a, pair->a), b = tare_plan_layer(d->b, pair->b);
  for (int i = 0; i < N_ASPECTS; i++) {
    char *x, *y;
    if (aspect_differs(i, &a, &b, &x, &y)) {
      change_json(changes, ASPECTS[i].what, x, y);
      free(x);
      free(y);
    }
  }
  scales_json(changes, &a, &b);
}

static void pair_json(cJSON *const item, const layer_diff *const d, const layer_pair *const pair) {
  const bool both = pair->a >= 0 && pair->b >= 0;
  const tare_layer layer =
      pair->a >= 0 ? tare_plan_layer(d->a, pair->a) : tare_plan_layer(d->b, pair->b);
  json_text(item, "name", layer.name);
  json_int(item, "a", pair->a);
  json_int(item, "b", pair->b);
  if (d->times.a) {
    json_real(item, "a_ms", pair->a < 0 ? NAN : d->times.a[pair->a]);
    json_real(item, "b_ms", pair->b < 0 ? NAN : d->times.b[pair->b]);
  }
  cJSON *const changes = json_add(item, "changes", json_array());
  if (both) {
    pair_changes_json(changes, d, pair);
  }
}

void layer_diff_json(cJSON *const object, const layer_diff *const d) {
  cJSON *const list = json_add(object, "layers", json_array());
  for (int i = 0; i < d->n_pairs; i++) {
    if (layer_differs(d, &d->pairs[i]) || d->times.a) {
      pair_json(json_add(list, NULL, json_object()), d, &d->pairs[i]);
    }
  }
}
