#include "tools/commands/table_model.h"

#include <stdio.h>

#include "tools/say.h"

static tare_status table_model_load(const table_model *const m, const char *const path,
                                    tare_model **const model, tare_error *const err) {
  const opt_model as_it_is = {0};
  return opt_model_load(&as_it_is, m->common, path, model, err);
}

/* Without --model, layers can only be written as layers. */
static tare_status table_model_keep(const table_model *const m, const char *const input,
                                    const tare_table_format *const output, const bool names_layers,
                                    tare_error *const err) {
  if (names_layers && (m->needs_tensors || m->unify)) {
    return cli_fail(err, TARE_E_USAGE,
                    "%s has scales of layers, not of tensors: give their model with --model",
                    input);
  }
  if (!names_layers && output && output->names_layers) {
    return cli_fail(err, TARE_E_USAGE,
                    "%s has scales of layers and their weights: give the model with --model",
                    output->noun);
  }
  if (names_layers && output && output->engine && !output->names_layers) {
    say(m->common,
        "warning: %s has scales of layers, and %s needs those of tensors: --model replaces layers "
        "by the tensors that they read",
        input, output->engine);
  }
  return TARE_OK;
}

static tare_status resolve_layers(table_model *const m, const char *const input,
                                  tare_table **const table, tare_error *const err) {
  m->has_layers = true;
  CLI_TRY(tare_table_resolve_layers(table, m->model, &m->resolved, err));
  if (m->resolved.unknown > 0) {
    say(m->common, "warning: %s: left out %d of %d layers: no node of %s has that name", input,
        m->resolved.unknown, m->resolved.unknown + m->resolved.layers, m->layers_of);
  }
  if (m->resolved.differ > 0) {
    say(m->common,
        "warning: %s: layers that read the same tensor have different scales: the largest "
        "threshold is used for %d tensor%s",
        input, m->resolved.differ, cli_s(m->resolved.differ));
  }
  return TARE_OK;
}

static tare_status unify_thresholds(table_model *const m, tare_table *const table,
                                    tare_error *const err) {
  tare_model *model = NULL;
  CLI_TRY(table_model_load(m, m->unify, &model, err));
  const tare_status status = tare_table_unify(table, model, &m->unified, err);
  tare_model_free(&model);
  return status;
}

tare_status table_model_apply(table_model *const m, const char *const input,
                              const tare_table_format *const output, tare_table **const table,
                              tare_error *const err) {
  const bool names_layers = tare_table_names_layers(*table);
  if (!m->layers_of) {
    CLI_TRY(table_model_keep(m, input, output, names_layers, err));
  } else {
    CLI_TRY(table_model_load(m, m->layers_of, &m->model, err));
  }
  if (m->model && names_layers) {
    CLI_TRY(resolve_layers(m, input, table, err));
  }
  return m->unify ? unify_thresholds(m, *table, err) : TARE_OK;
}

void table_model_print(const table_model *const m) {
  if (m->has_layers) {
    printf("layers     %d of the table read %d tensors of %s\n", m->resolved.layers,
           m->resolved.tensors, m->layers_of);
  }
  if (m->unify) {
    printf("unified    %d group%s of %d tensors; changed %d, by up to %.3g times\n",
           m->unified.groups, cli_s(m->unified.groups), m->unified.tensors, m->unified.changed,
           m->unified.largest);
  }
}

void table_model_json(cJSON *const object, const table_model *const m) {
  if (m->has_layers) {
    cJSON *const resolved = json_add(object, "resolved", json_object());
    json_text(resolved, "model", m->layers_of);
    json_int(resolved, "layers", m->resolved.layers);
    json_int(resolved, "tensors", m->resolved.tensors);
    json_int(resolved, "unknown", m->resolved.unknown);
    json_int(resolved, "differ", m->resolved.differ);
  }
  if (m->unify) {
    cJSON *const unified = json_add(object, "unified", json_object());
    json_text(unified, "model", m->unify);
    json_int(unified, "groups", m->unified.groups);
    json_int(unified, "tensors", m->unified.tensors);
    json_int(unified, "changed", m->unified.changed);
    json_real(unified, "largest", m->unified.largest);
  }
}
