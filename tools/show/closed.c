#include "tools/show/closed.h"

#include <stdio.h>

static void closed_print(const int i, const char *const why) {
  printf("%-10s %s\n", i ? "" : "closed", why);
}

void closed_print_model(const tare_model *const model) {
  for (int i = 0; i < tare_model_n_closed_branches(model); i++) {
    closed_print(i, tare_model_closed_branch(model, i));
  }
}

void closed_print_plan(const tare_plan *const plan) {
  for (int i = 0; i < tare_plan_n_closed_branches(plan); i++) {
    closed_print(i, tare_plan_closed_branch(plan, i));
  }
}

void closed_json_model(cJSON *const object, const tare_model *const model) {
  cJSON *const list = json_add(object, "closed_branches", json_array());
  for (int i = 0; i < tare_model_n_closed_branches(model); i++) {
    json_text(list, NULL, tare_model_closed_branch(model, i));
  }
}

void closed_json_plan(cJSON *const object, const tare_plan *const plan) {
  cJSON *const list = json_add(object, "closed_branches", json_array());
  for (int i = 0; i < tare_plan_n_closed_branches(plan); i++) {
    json_text(list, NULL, tare_plan_closed_branch(plan, i));
  }
}
