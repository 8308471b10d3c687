#include "tools/debug/trial_files.h"

#include <stdlib.h>
#include <string.h>

#include "tools/debug/scratch.h"

tare_status trial_open_data(const trials *const all, const int file, const tare_model *const model,
                            tare_dataset **const out, tare_error *const err) {
  const opt_data plain = {.seed = all->in->data.seed};
  const tare_port *inputs = NULL;
  const int n = tare_model_inputs(model, &inputs);
  cli_list paths = {0};
  cli_list_add(&paths, scratch_path(file));
  const tare_status status = opt_data_open(&plain, &all->in->common, &paths, inputs, n, out, err);
  cli_list_fini(&paths);
  return status;
}

tare_status trial_record(const trials *const all, const tare_plan *const plan,
                         tare_dataset *const data, const tare_eval_options *const eval,
                         const char *const path, tare_error *const err) {
  tare_eval_options o = *eval;
  tare_eval_result result = {.n_profiles = 0};
  o.threads = all->in->common.threads;
  o.save_outputs = path;
  o.save_inputs = true;
  CLI_TRY(tare_dataset_rewind(data, err));
  const tare_status status = tare_eval(plan, data, &o, &result, err);
  tare_eval_result_fini(&result);
  return status;
}

/* --- ports ------------------------------------------------------------------------------------ */

/* Names of dims that are expressions in the model: what is equal there gets one name. */
typedef struct dim_names {
  const tare_port *inputs; /* of the model before the part */
  int n_inputs;
  cli_list texts; /* expressions */
  char **names;   /* owned */
} dim_names;

static bool is_symbol_of(const dim_names *const d, const char *const text) {
  for (int i = 0; i < d->n_inputs; i++) {
    for (int a = 0; a < d->inputs[i].rank; a++) {
      const char *const symbol = d->inputs[i].dims[a].symbol;
      if (symbol && strcmp(symbol, text) == 0) {
        return true;
      }
    }
  }
  return false;
}

static const char *name_dim(dim_names *const d, const char *const text) {
  if (is_symbol_of(d, text)) {
    return text;
  }
  for (int i = 0; i < d->texts.n; i++) {
    if (strcmp(d->texts.items[i], text) == 0) {
      return d->names[i];
    }
  }
  const int n = d->texts.n;
  cli_list_add(&d->texts, text);
  d->names = cli_realloc(d->names, (size_t)n + 1, sizeof *d->names);
  d->names[n] = cli_format("length_%d", n + 1);
  for (int more = n + 2; is_symbol_of(d, d->names[n]); more++) {
    free(d->names[n]);
    d->names[n] = cli_format("length_%d_%d", n + 1, more);
  }
  return d->names[n];
}

static void dim_names_fini(dim_names *const d) {
  for (int i = 0; i < d->texts.n; i++) {
    free(d->names[i]);
  }
  free(d->names);
  cli_list_fini(&d->texts);
}

static void name_ports(tare_port *const ports, const int n, dim_names *const names) {
  for (int i = 0; i < n; i++) {
    for (int a = 0; a < ports[i].rank; a++) {
      tare_dim *const dim = &ports[i].dims[a];
      dim->symbol = dim->symbol ? name_dim(names, dim->symbol) : NULL;
    }
  }
}

/* Outputs that no file describes get their types when the part is loaded. */
static tare_status save_untyped(const trials *const all, tare_extract_part part,
                                const cli_list *const outputs, const char *const path,
                                tare_error *const err) {
  tare_port *const ports = cli_realloc(NULL, (size_t)outputs->n, sizeof *ports);
  for (int i = 0; i < outputs->n; i++) {
    ports[i] = (tare_port){.name = outputs->items[i], .dtype = TARE_DTYPE_NONE};
  }
  part.outputs = ports;
  part.n_outputs = outputs->n;
  const tare_status status = tare_extract_save(all->whole->extract, &part, path, err);
  free(ports);
  return status;
}

/* --- what is before a part -------------------------------------------------------------------- */

static tare_status record_before(const trials *const all, tare_model *const before,
                                 tare_error *const err) {
  tare_eval_options plain;
  trial t = {.model = before};
  tare_eval_options_init(&plain);
  tare_status status = TARE_OK;
  tare_build_options o = opt_build_options(NULL, &all->in->common, NULL);
  o.fp32 = true;
  CLI_TRY_GOTO(trial_open_data(all, SCRATCH_INPUTS, before, &t.data, err), done);
  CLI_TRY_GOTO(trial_profiles(all, &t, err), done);
  CLI_TRY_GOTO(tare_plan_build(before, t.profiles, &o, &t.reference, err), done);
  status = trial_record(all, t.reference, t.data, &plain, scratch_path(SCRATCH_DATA), err);
done:
  tare_dataset_close(&t.data);
  tare_profiles_free(&t.profiles);
  tare_plan_free(&t.reference);
  return status;
}

/* The ports of the model before a part, with names for their dims, and what it computes. */
static tare_status write_behind(const trials *const all, const model_part *const part,
                                tare_error *const err) {
  tare_model *before = NULL;
  const tare_port *found = NULL;
  dim_names names = {0};
  CLI_TRY(save_untyped(all, (tare_extract_part){.all_inputs = true}, &part->inputs,
                       scratch_path(SCRATCH_BEFORE), err));
  CLI_TRY(trial_load(all, scratch_path(SCRATCH_BEFORE), &before, err));
  const int n = tare_model_outputs(before, &found);
  names.n_inputs = tare_model_inputs(before, &names.inputs);
  tare_port *const ports = cli_realloc(NULL, (size_t)n, sizeof *ports);
  memcpy(ports, found, (size_t)n * sizeof *ports);
  name_ports(ports, n, &names);
  tare_status status = save_untyped(all, (tare_extract_part){.inputs = ports, .n_inputs = n},
                                    &part->outputs, scratch_path(SCRATCH_MODEL), err);
  if (status == TARE_OK && all->recorded) {
    status = record_before(all, before, err);
  }
  free(ports);
  dim_names_fini(&names);
  tare_model_free(&before);
  return status;
}

tare_status trial_write(const trials *const all, const model_part *const part,
                        tare_error *const err) {
  return part->inputs.n ? write_behind(all, part, err)
                        : save_untyped(all, (tare_extract_part){.n_inputs = 0}, &part->outputs,
                                       scratch_path(SCRATCH_MODEL), err);
}

tare_status trial_write_model(const trials *const all, const model_part *const part,
                              const tare_model *const model, const char *const path,
                              tare_error *const err) {
  const tare_port *inputs = NULL;
  tare_extract_part typed = {.n_inputs = 0};
  if (!model) {
    return save_untyped(all, typed, &part->outputs, path, err);
  }
  const int n = tare_model_inputs(model, &inputs);
  tare_port *const cut = cli_realloc(NULL, (size_t)n, sizeof *cut);
  for (int i = 0; i < n; i++) {
    if (tare_extract_maker(all->whole->extract, inputs[i].name) >= 0) {
      cut[typed.n_inputs++] = inputs[i];
    }
  }
  typed.inputs = cut;
  typed.n_outputs = tare_model_outputs(model, &typed.outputs);
  const tare_status status = tare_extract_save(all->whole->extract, &typed, path, err);
  free(cut);
  return status;
}

/* --- inputs ----------------------------------------------------------------------------------- */

enum { FIRST_NODES = 32 }; /* to look for some that can be built */

static tare_status record_with(const trials *const all, const char *const tensor,
                               const tare_profiles *const profiles, tare_dataset *const data,
                               const tare_eval_options *const eval, tare_error *const err) {
  const tare_extract_part keeping = {.all_inputs = true};
  cli_list outputs = {0};
  tare_model *model = NULL;
  tare_plan *plan = NULL;
  tare_status status = TARE_OK;
  tare_build_options o = opt_build_options(NULL, &all->in->common, NULL);
  o.fp32 = true;
  cli_list_add(&outputs, tensor);
  CLI_TRY_GOTO(save_untyped(all, keeping, &outputs, scratch_path(SCRATCH_BEFORE), err), done);
  CLI_TRY_GOTO(trial_load(all, scratch_path(SCRATCH_BEFORE), &model, err), done);
  CLI_TRY_GOTO(tare_plan_build(model, profiles, &o, &plan, err), done);
  status = trial_record(all, plan, data, eval, scratch_path(SCRATCH_INPUTS), err);
done:
  cli_list_fini(&outputs);
  tare_plan_free(&plan);
  tare_model_free(&model);
  return status;
}

tare_status trial_record_inputs(trials *const all, const tare_plan *const plan,
                                const tare_profiles *const profiles, tare_dataset *const data,
                                const tare_eval_options *const eval, tare_error *const err) {
  tare_status status = cli_fail(err, TARE_E_UNSUPPORTED,
                                "no node of the model can be built: its inputs cannot be recorded");
  if (plan) {
    status = trial_record(all, plan, data, eval, scratch_path(SCRATCH_INPUTS), err);
  }
  for (int i = 0, tries = 0; !plan && i < all->whole->n_nodes && tries < FIRST_NODES; i++) {
    const tare_extract_node node = tare_extract_node_at(all->whole->extract, i);
    if (node.n_outputs && *node.outputs[0] && all->whole->variable[i]) {
      tries++;
      status = record_with(all, node.outputs[0], profiles, data, eval, err);
    }
    if (status == TARE_OK) {
      break;
    }
  }
  all->recorded = status == TARE_OK;
  return status;
}
