#include "tools/commands/check_show.h"

#include <stdio.h>

#include "tools/report.h"

static int count_int8(const tare_check *const check) {
  int n = 0;
  for (int i = 0; i < tare_check_n_layers(check); i++) {
    n += tare_check_layer(check, i).int8;
  }
  return n;
}

/* --- text ------------------------------------------------------------------------------------ */

static void print_findings(const tare_check *const check, const tare_severity severity) {
  for (int i = 0; i < tare_check_n_findings(check); i++) {
    const tare_finding f = tare_check_finding(check, i);
    if (f.severity == severity) {
      printf("%s: %s '%s': %s (%s) [%s]\n", tare_severity_name((int)severity), f.op, f.node, f.text,
             f.advice, f.rule);
    }
  }
}

static void print_float_layers(const tare_check *const check) {
  report *const r = report_new("layer~,op<,why float<");
  for (int i = 0; i < tare_check_n_layers(check); i++) {
    const tare_checked_layer layer = tare_check_layer(check, i);
    if (!layer.int8) {
      report_cell(r, "%s", layer.name);
      report_cell(r, "%s", layer.op);
      report_cell(r, "%s", layer.reason);
    }
  }
  report_print(r, stdout);
}

static void print_counts(const tare_check *const check) {
  printf("found      ");
  for (int s = 0; s < TARE_SEVERITY_COUNT; s++) {
    const int n = tare_check_count(check, (tare_severity)s);
    printf("%s%d %s%s", s ? ", " : "", n, tare_severity_name(s), n == 1 ? "" : "s");
  }
  putchar('\n');
}

void check_print(const tare_check *const check, const char *const path, const int target) {
  const int n = tare_check_n_quantizers(check);
  for (int s = 0; s < TARE_SEVERITY_COUNT; s++) {
    print_findings(check, (tare_severity)s);
  }
  printf("model      %s\n", path);
  printf("target     %s\n", tare_export_target_at(target)->engine);
  printf("Q/DQ       %d node%s\n", n, n == 1 ? "" : "s");
  printf("layers     %d of %d in int8\n", count_int8(check), tare_check_n_layers(check));
  print_counts(check);
  print_float_layers(check);
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void add_findings(cJSON *const object, const tare_check *const check) {
  cJSON *const list = json_add(object, "findings", json_array());
  for (int i = 0; i < tare_check_n_findings(check); i++) {
    const tare_finding f = tare_check_finding(check, i);
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "rule", f.rule);
    json_text(item, "severity", tare_severity_name((int)f.severity));
    json_text(item, "node", f.node);
    json_text(item, "op", f.op);
    json_text(item, "text", f.text);
    json_text(item, "advice", f.advice);
  }
}

static void add_layers(cJSON *const object, const tare_check *const check) {
  cJSON *const list = json_add(object, "layers", json_array());
  for (int i = 0; i < tare_check_n_layers(check); i++) {
    const tare_checked_layer layer = tare_check_layer(check, i);
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "name", layer.name);
    json_text(item, "op", layer.op);
    json_bool(item, "int8", layer.int8);
    json_text(item, "reason", layer.reason);
  }
}

void check_json(const tare_check *const check, const char *const path, const int target) {
  cJSON *const object = json_begin("check");
  json_text(object, "model", path);
  json_text(object, "target", tare_export_target_at(target)->name);
  json_int(object, "quantizers", tare_check_n_quantizers(check));
  json_int(object, "int8_layers", count_int8(check));
  json_int(object, "errors", tare_check_count(check, TARE_SEVERITY_ERROR));
  json_int(object, "warnings", tare_check_count(check, TARE_SEVERITY_WARNING));
  json_int(object, "notes", tare_check_count(check, TARE_SEVERITY_NOTE));
  add_findings(object, check);
  add_layers(object, check);
  json_print(object);
}
