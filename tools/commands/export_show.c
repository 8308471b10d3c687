#include "tools/commands/export_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"
#include "tools/say.h"
#include "tools/show/layers.h"

static int count_form(const tare_export *const out, const char *const form) {
  int n = 0;
  for (int i = 0; i < tare_export_n_layers(out); i++) {
    n += strcmp(tare_export_layer(out, i).form, form) == 0;
  }
  return n;
}

static int count_raised(const tare_export *const out, const char *const form) {
  int n = 0;
  for (int i = 0; i < tare_export_n_layers(out); i++) {
    const tare_exported_layer layer = tare_export_layer(out, i);
    n += layer.raised != TARE_PRECISION_ANY && strcmp(layer.form, form) == 0;
  }
  return n;
}

static int count_rounding(const tare_export *const out, const tare_rounding rounding) {
  int n = 0;
  for (int i = 0; i < tare_export_n_layers(out); i++) {
    n += tare_export_layer(out, i).rounding == rounding;
  }
  return n;
}

static bool is_first_of_form(const tare_export *const out, const int i) {
  int first = 0;
  while (strcmp(tare_export_layer(out, first).form, tare_export_layer(out, i).form) != 0) {
    first++;
  }
  return first == i;
}

/* "12 int8, 2 fp32" */
static char *count_forms(const tare_export *const out) {
  char *text = NULL;
  for (int i = 0; i < tare_export_n_layers(out); i++) {
    const char *const form = tare_export_layer(out, i).form;
    if (is_first_of_form(out, i)) {
      text = cli_append(text, "%s%d %s", text ? ", " : "", count_form(out, form), form);
    }
  }
  return text ? text : cli_format("none");
}

static void print_reasons(const tare_export *const out) {
  report *const r = report_new("layer~,op<,got<,why<");
  for (int i = 0; i < tare_export_n_layers(out); i++) {
    const tare_exported_layer layer = tare_export_layer(out, i);
    if (*layer.reason) {
      report_cell(r, "%s", layer.name);
      report_cell(r, "%s", layer.op);
      report_cell(r, "%s", layer.form);
      report_cell(r, "%s", layer.reason);
    }
  }
  report_print(r, stdout);
}

static void export_print_methods(const tare_export *const out) {
  int clipped = 0, corrected = 0, smoothed = 0;
  for (int i = 0; i < tare_export_n_layers(out); i++) {
    clipped += tare_export_layer(out, i).clipped;
    corrected += tare_export_layer(out, i).corrected;
    smoothed += tare_export_layer(out, i).smoothed;
  }
  methods_print(clipped, corrected, smoothed);
}

/* "raised     3 layers, which 8 bits cost too much: 2 fp32, 1 int16" */
static void export_print_raised(const tare_export *const out) {
  char *forms = NULL;
  int all = 0;
  for (int i = 0; i < tare_export_n_layers(out); i++) {
    const char *const form = tare_export_layer(out, i).form;
    const int n = count_raised(out, form);
    all += tare_export_layer(out, i).raised != TARE_PRECISION_ANY;
    if (is_first_of_form(out, i) && n) {
      forms = cli_append(forms, "%s%d %s", forms ? ", " : "", n, form);
    }
  }
  if (all) {
    printf("raised     %d layer%s, which 8 bits cost too much: %s\n", all, cli_s(all), forms);
  }
  free(forms);
}

static bool is_all_float(const tare_export *const out) {
  return count_form(out, "fp32") == tare_export_n_layers(out);
}

static void print_headroom(const tare_export *const out) {
  if (tare_export_headroom(out) > 1 && !is_all_float(out)) {
    printf(
        "headroom   scales of activations are %g times as wide, for few recordings were "
        "calibrated\n",
        tare_export_headroom(out));
  }
}

/* What the same integers do elsewhere. */
static void print_saturation(const tare_export *const out, const tare_export_options *const o) {
  const tare_export_target *const target = tare_export_target_at(o->target);
  const bool may =
      o->weights == TARE_EXPORT_WEIGHTS_INT8 || o->weights == TARE_EXPORT_WEIGHTS_FLOAT;
  if (target->without_vnni && may && !is_all_float(out)) {
    printf(
        "saturates  u8 times s8 in %s on x86 processors without VNNI, which costs accuracy: "
        "--weights %s avoids it\n",
        target->engine, target->without_vnni);
  }
}

void export_print_sets(const opt_model *const inputs) {
  for (int i = 0; i < inputs->n_sets; i++) {
    printf("%-10s %s=%s: no input of what is written\n", i ? "" : "set", inputs->sets[i].input,
           inputs->sets[i].text);
  }
}

void export_json_sets(cJSON *const object, const opt_model *const inputs) {
  cJSON *const list = inputs->n_sets ? json_add(object, "set", json_array()) : NULL;
  for (int i = 0; i < inputs->n_sets; i++) {
    char *const text = cli_format("%s=%s", inputs->sets[i].input, inputs->sets[i].text);
    json_text(list, NULL, text);
    free(text);
  }
}

void export_print(const tare_export *const out, const tare_export_options *const o) {
  const char *const engine = tare_export_target_at(o->target)->engine;
  char *const forms = count_forms(out);
  int64_t read, written;
  tare_export_opset(out, &read, &written);
  printf("target     %s\n", engine);
  if (read != written) {
    printf("opset      raised from %" PRId64 " to %" PRId64 ": Q/DQ for %s needs it\n", read,
           written, engine);
  }
  if (tare_export_n_decided(out)) {
    printf("decided    %d If: the branch that is taken stands in its place\n",
           tare_export_n_decided(out));
  }
  if (tare_export_n_folded_norms(out)) {
    printf("folded     %d BatchNormalization into the weights of Conv\n",
           tare_export_n_folded_norms(out));
  }
  printf("layers     %d: %s\n", tare_export_n_layers(out), forms);
  export_print_raised(out);
  roundings_print(count_rounding(out, TARE_ROUNDING_TABLE),
                  count_rounding(out, TARE_ROUNDING_NEAREST));
  export_print_methods(out);
  print_headroom(out);
  print_saturation(out, o);
  print_reasons(out);
  free(forms);
}

void export_print_written(const char *const path, const bool external) {
  printf("written    %s", path);
  if (external) {
    printf(", its constants to %s.data", path);
  }
  printf("\n");
}

void export_json(cJSON *const object, const tare_export *const out,
                 const tare_export_options *const options) {
  int64_t read, written;
  tare_export_opset(out, &read, &written);
  json_text(object, "target", tare_export_target_at(options->target)->name);
  json_text(object, "weights", tare_export_weights_name((int)options->weights));
  json_text(object, "row_scales", tare_row_form_name((int)options->rows));
  json_int(object, "opset", written);
  json_int(object, "model_opset", read);
  json_int(object, "decided_ifs", tare_export_n_decided(out));
  json_int(object, "folded_norms", tare_export_n_folded_norms(out));
  json_real(object, "headroom", tare_export_headroom(out));
  cJSON *const list = json_add(object, "layers", json_array());
  for (int i = 0; i < tare_export_n_layers(out); i++) {
    const tare_exported_layer layer = tare_export_layer(out, i);
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "name", layer.name);
    json_text(item, "op", layer.op);
    json_text(item, "form", layer.form);
    json_text(item, "reason", layer.reason);
    json_text(item, "raised",
              layer.raised == TARE_PRECISION_ANY ? "" : tare_precision_name(layer.raised));
    json_text(item, "rounding", tare_rounding_name(layer.rounding));
    json_bool(item, "clipped", layer.clipped);
    json_bool(item, "corrected", layer.corrected);
    json_bool(item, "smoothed", layer.smoothed);
  }
}

static const char *export_unsmoothed(const void *const out, const int i) {
  return tare_export_unused_smoothing(out, i);
}

void export_say(const opt_common *const common, const tare_export *const out,
                const char *const path) {
  if (is_all_float(out)) {
    say(common, "warning: no layer of %s is quantized", path);
  }
  smoothings_warn(common, path, out, tare_export_n_unused_smoothings(out), export_unsmoothed);
}
