#include "tools/show/passes.h"

#include <inttypes.h>
#include <stdio.h>

#include "tools/report.h"

void passes_print(const tare_plan *const plan) {
  report *const r = report_new("pass<,changed>,removed>,what it does^");
  for (int i = 0; i < tare_plan_n_passes(plan); i++) {
    const tare_pass pass = tare_plan_pass(plan, i);
    report_cell(r, "%s", pass.name);
    report_cell(r, "%" PRId64, pass.n_changed);
    report_cell(r, "%" PRId64, pass.n_removed);
    report_cell(r, "%s", pass.summary);
  }
  report_print(r, stdout);
}

void passes_json(cJSON *const object, const tare_plan *const plan) {
  cJSON *const list = json_add(object, "passes", json_array());
  for (int i = 0; i < tare_plan_n_passes(plan); i++) {
    const tare_pass pass = tare_plan_pass(plan, i);
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "name", pass.name);
    json_text(item, "summary", pass.summary);
    json_int(item, "changed", pass.n_changed);
    json_int(item, "removed", pass.n_removed);
  }
}
