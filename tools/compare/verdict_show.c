/* The verdict as text and as JSON (docs/json.md). */
#include <stdio.h>

#include "tools/compare/scale_ratios.h"
#include "tools/compare/verdict.h"
#include "tools/report.h"
#include "tools/score.h"

static const char *verdict_kind_name(const verdict_kind kind) {
  static const char *const NAMES[N_VERDICTS] = {
      [VERDICT_NONE] = "none",           [VERDICT_SINGLE] = "single",
      [VERDICT_UNDECIDED] = "undecided", [VERDICT_EQUAL] = "equal",
      [VERDICT_METHOD] = "method",       [VERDICT_PRECISION] = "precision",
      [VERDICT_LENGTHS] = "lengths",     [VERDICT_PADDING] = "padding"};
  return NAMES[kind];
}

static const char *verdict_axis_name(const verdict_axis axis) {
  static const char *const NAMES[] = {
      [AXIS_PADDING] = "padding", [AXIS_PER_PROFILE] = "per-profile", [AXIS_FIT] = "fit",
      [AXIS_METHOD] = "method",   [AXIS_PRECISION] = "precision",     [AXIS_OWN] = "own"};
  return NAMES[axis];
}

static const char *verdict_effect_name(const verdict_effect effect) {
  static const char *const NAMES[] = {[EFFECT_UNDECIDED] = "undecided",
                                      [EFFECT_EQUAL] = "equal",
                                      [EFFECT_NO_GAIN] = "no-gain",
                                      [EFFECT_WORSE] = "worse",
                                      [EFFECT_BETTER] = "better"};
  return NAMES[effect];
}

void verdict_print(const verdict *const v) {
  report *const r = report_new("<,^");
  report_cell(r, "%s", "verdict");
  const bool doubt = !v->sure && v->kind > VERDICT_UNDECIDED; /* the others say so */
  report_cell(r, "%s%s", v->sentence, doubt ? " (not sure)" : "");
  for (int i = 0; i < v->n_reasons; i++) {
    report_cell(r, "%s", i ? "" : "because");
    report_cell(r, "%s", v->reasons[i]);
  }
  putchar('\n');
  report_print(r, stdout);
  for (int i = 0; i < v->n_commands; i++) {
    printf("%s  %s\n", i ? "" : "to make what ranks first:\n", v->commands[i]);
  }
}

/* One pair, with how its scales differ. */
static void verdict_pair_json(cJSON *const list, const verdict_pair *const p, const grid *const g) {
  cJSON *const item = json_add(list, NULL, json_object());
  json_int(item, "strategy", p->strategy);
  json_int(item, "base", p->base);
  json_text(item, "axis", verdict_axis_name(p->axis));
  json_text(item, "effect", verdict_effect_name(p->effect));
  difference_json(item, "sqnr", &p->sqnr);
  difference_json(item, "metric", &p->metric);
  if (p->axis == AXIS_OWN) {
    return; /* it has no table here */
  }
  const scale_ratios ratios = pair_scale_ratios(g, p);
  scale_ratios_json(json_add(item, "scales", json_object()), &ratios);
}

void verdict_json(cJSON *const object, const verdict *const v, const grid *const g) {
  cJSON *const item = json_add(object, "verdict", json_object());
  json_text(item, "kind", verdict_kind_name(v->kind));
  json_text(item, "sentence", v->sentence);
  json_bool(item, "sure", v->sure);
  cJSON *const reasons = json_add(item, "reasons", json_array());
  for (int i = 0; i < v->n_reasons; i++) {
    json_text(reasons, NULL, v->reasons[i]);
  }
  cJSON *const commands = json_add(item, "commands", json_array());
  for (int i = 0; i < v->n_commands; i++) {
    json_text(commands, NULL, v->commands[i]);
  }
  cJSON *const pairs = json_add(object, "pairs", json_array());
  for (int i = 0; i < v->n_pairs; i++) {
    verdict_pair_json(pairs, &v->pairs[i], g);
  }
}
