#include "tools/commands/build_requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"
#include "tools/say.h"
#include "tools/show/layer_facts.h"
#include "tools/show/layer_match.h"

enum { MOST_SHOWN = 4 };

static tare_status plan_work_of(const tare_plan *const plan, plan_work *const out,
                                tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS];
  *out = (plan_work){0};
  profile_values(tare_plan_profiles(plan), 0, POINT_OPT, values);
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    layer_work work;
    CLI_TRY(layer_work_at(plan, i, values, &work, err));
    out->conversions += layer_only_converts(&layer);
    out->bytes += work.bytes;
    out->macs += work.macs;
    out->int8 += tare_precision_is_integer(layer.got) ? work.macs : 0;
  }
  return TARE_OK;
}

static bool same_types(const tare_layer *const a, const tare_layer *const b) {
  return strcmp(a->precision, b->precision) == 0 && strcmp(a->output_type, b->output_type) == 0 &&
         a->weights == b->weights;
}

/* The float tensor that a conversion reads or writes; what it makes of it has no name in the model.
 */
static const char *converted_tensor(const tare_layer *const layer) {
  const bool reads_float = layer->n_inputs > 0 && layer->inputs[0].dtype == TARE_F32;
  return reads_float ? layer->inputs[0].name : layer->output;
}

static void compare_layers(const tare_plan *const plan, const tare_plan *const plain,
                           requests_cost *const out) {
  cli_list added = {0};
  int n = 0;
  layer_pair *const pairs = layers_match(plan, plain, &n);
  for (int i = 0; i < n; i++) {
    if (pairs[i].a < 0) {
      continue;
    }
    const tare_layer layer = tare_plan_layer(plan, pairs[i].a);
    if (pairs[i].b < 0) {
      if (layer_only_converts(&layer)) {
        cli_list_add(&added, converted_tensor(&layer));
      }
      continue;
    }
    const tare_layer other = tare_plan_layer(plain, pairs[i].b);
    out->changed += !same_types(&layer, &other);
  }
  const int shown = added.n > MOST_SHOWN ? MOST_SHOWN : added.n;
  out->added = added.n > shown ? cli_append(cli_join(added.items, shown, ", "), " and %d other%s",
                                            added.n - shown, cli_s(added.n - shown))
                               : cli_join(added.items, shown, " and ");
  cli_list_fini(&added);
  free(pairs);
}

tare_status requests_cost_of(const tare_plan *const plan, const tare_model *const model,
                             const tare_build_options *const given, requests_cost *const out,
                             tare_error *const err) {
  tare_build_options plain_options = *given;
  tare_plan *plain = NULL;
  *out = (requests_cost){0};
  plain_options.layer_precisions = plain_options.layer_output_types = NULL;
  plain_options.layer_weight_types = NULL;
  if (given->constraints == TARE_CONSTRAINTS_NONE ||
      (!given->layer_precisions && !given->layer_output_types && !given->layer_weight_types)) {
    return TARE_OK;
  }
  CLI_TRY(tare_plan_build(model, tare_plan_profiles(plan), &plain_options, &plain, err));
  tare_status status = plan_work_of(plan, &out->with, err);
  if (status == TARE_OK) {
    status = plan_work_of(plain, &out->without, err);
  }
  if (status == TARE_OK) {
    compare_layers(plan, plain, out);
    out->known = out->with.int8 > 0 || out->without.int8 > 0;
  }
  tare_plan_free(&plain);
  return status;
}

void requests_cost_fini(requests_cost *const cost) {
  free(cost->added);
}

void requests_cost_warn(const requests_cost *const cost, const opt_common *const common) {
  const int more = cost->with.conversions - cost->without.conversions;
  if (cost->known && more > 0) {
    say(common,
        "warning: requests for layers add %d conversion%s between float and int8 (of %s): request "
        "what their neighbours have, or measure with `tare diff --times` what they cost",
        more, cli_s(more), cost->added);
  }
}

static double int8_percent(const plan_work *const work) {
  return work->macs > 0 ? 100 * work->int8 / work->macs : 0;
}

void requests_cost_print(const requests_cost *const cost) {
  if (!cost->known) {
    return;
  }
  if (cost->changed == 0) {
    puts("requests   change no layer");
    return;
  }
  const plan_work *const with = &cost->with, *const without = &cost->without;
  char *const before = report_bytes((int64_t)without->bytes);
  char *const after = report_bytes((int64_t)with->bytes);
  printf(
      "requests   change %d layer%s: conversions %d -> %d, moved in a run %s -> %s, multiply-adds "
      "in integers %.1f %% -> %.1f %%\n",
      cost->changed, cli_s(cost->changed), without->conversions, with->conversions, before, after,
      int8_percent(without), int8_percent(with));
  free(before);
  free(after);
}

static void plan_work_json(cJSON *const object, const char *const name,
                           const plan_work *const work) {
  cJSON *const item = json_add(object, name, json_object());
  json_int(item, "conversions", work->conversions);
  json_real(item, "moved_bytes", work->bytes);
  json_real(item, "macs", work->macs);
  json_real(item, "integer_macs", work->int8);
}

void requests_cost_json(const requests_cost *const cost, cJSON *const object) {
  if (cost->known) {
    cJSON *const item = json_add(object, "requests", json_object());
    json_int(item, "changed_layers", cost->changed);
    plan_work_json(item, "without", &cost->without);
    plan_work_json(item, "with", &cost->with);
  }
}
