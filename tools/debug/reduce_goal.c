#include "tools/debug/reduce_goal.h"

#include <stdlib.h>

#include "tools/debug/trial_files.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"
#include "tools/say.h"
#include "tools/show/show.h"
#include "tools/source.h"
#include "tools/table_in.h"

static tare_status check_columns(const reduce_work *const w, tare_error *const err) {
  return !w->table || tare_table_n_profiles(w->table) == 1
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE,
                        "the table has thresholds for each of %d profiles, which a part of the "
                        "model has not: use a merged table",
                        tare_table_n_profiles(w->table));
}

static tare_status open_fitted_data(const reduce_arguments *const a, reduce_work *const w,
                                    tare_error *const err) {
  const ports p = ports_of_model(w->whole.types);
  if (a->in.paths.n == 0) {
    return cli_fail(err, TARE_E_USAGE,
                    "missing DATA: the model can be loaded, so that data must show how it fails");
  }
  CLI_TRY(source_open(&a->in, &p, &w->streaming, &w->dataset, err));
  CLI_TRY(profiles_choose_for(&a->in, w->whole.types, p.inputs, p.n_inputs, NULL, &w->dataset, 1,
                              w->streaming, &w->profiles, err));
  return length_inputs_choose(&a->in, opt_fit_changes(&a->in.fit), p.inputs, p.n_inputs,
                              &w->dataset, 1, w->streaming, &w->lengths, err);
}

/* Every part, and the whole, runs over the inputs as the options fit them, which are recorded. */
static tare_status record_inputs(const reduce_arguments *const a, reduce_work *const w,
                                 tare_error *const err) {
  const opt_metric none = {.metric = -1};
  const tare_eval_options eval = source_eval_options(&a->in, &none, &w->lengths, w->streaming);
  tare_build_options o = opt_build_options(NULL, &a->in.common, NULL);
  tare_error refused = {0};
  tare_plan *plan = NULL;
  o.fp32 = true;
  if (tare_plan_build(w->whole.types, w->profiles, &o, &plan, &refused) != TARE_OK &&
      w->streaming) {
    *err = refused;
    return refused.status;
  }
  tare_status status = trial_record_inputs(&w->r.all, plan, w->profiles, w->dataset, &eval, err);
  if (plan && status != TARE_OK && !w->streaming) { /* it may be what fails */
    status = trial_record_inputs(&w->r.all, NULL, w->profiles, w->dataset, &eval, err);
  }
  tare_plan_free(&plan);
  say_data(&a->in.common, w->dataset);
  return status;
}

static tare_status tensor_missing(const reduce_arguments *const a, const reduce_work *const w,
                                  tare_error *const err) {
  cli_list names = {0};
  for (int i = 0; i < w->whole.n_nodes; i++) {
    const tare_extract_node node = tare_extract_node_at(w->whole.extract, i);
    for (int o = 0; o < node.n_outputs; o++) {
      cli_list_add(&names, node.outputs[o]);
    }
  }
  char *const meant = cli_meant(a->tensor, &names);
  const tare_status status =
      cli_fail(err, TARE_E_USAGE, "--min-sqnr: no node of the model writes a float tensor '%s'%s",
               a->tensor, meant);
  free(meant);
  cli_list_fini(&names);
  return status;
}

/* Nodes that no output needs are refused too. */
static void add_dead_ends(model_part *const part) {
  const whole_model *const whole = part->whole;
  bool *const read = whole_model_mark_reads(whole, NULL, 0);
  for (int i = 0; i < whole->n_nodes; i++) {
    const tare_extract_node node = tare_extract_node_at(whole->extract, i);
    if (!part->needed[i] && node.n_outputs && *node.outputs[0] && !read[whole->first_output[i]]) {
      cli_list_add(&part->outputs, node.outputs[0]);
    }
  }
  free(read);
}

static tare_status choose_outputs(const reduce_arguments *const a, reduce_work *const w,
                                  tare_error *const err) {
  model_part *const part = &w->r.part;
  part_init(part, &w->whole);
  if (a->tensor && !whole_model_may_cut(&w->whole, a->tensor)) {
    return tensor_missing(a, w, err);
  }
  for (int i = 0; !a->tensor && i < tare_extract_n_outputs(w->whole.extract); i++) {
    const char *const name = tare_extract_output(w->whole.extract, i);
    if (tare_extract_maker(w->whole.extract, name) >= 0) {
      cli_list_add(&part->outputs, name);
    }
  }
  if (a->tensor) {
    cli_list_add(&part->outputs, a->tensor);
  }
  part_settle(part);
  if (w->r.goal.kind == FAILS_LOAD) {
    add_dead_ends(part);
    part_settle(part);
  }
  return TARE_OK;
}

static tare_status say_sound(const reduce_arguments *const a, const reduce_work *const w,
                             const failure *const found, tare_error *const err) {
  if (found->kind == FAILS_BEFORE) {
    *err = found->error;
    return err->status;
  }
  return cli_fail(err, TARE_E_USAGE,
                  "%s does not fail over these samples: the SQNR of '%s' is %.2f dB, expected less "
                  "than %g%s (raise --min-sqnr, name a tensor in it, or give other data)",
                  a->in.path, found->tensor ? found->tensor : "", found->sqnr_db, a->min_sqnr,
                  w->table || tare_model_get_info(w->whole.types).n_stated
                      ? ""
                      : "; without --calib the plan is float");
}

/* How the whole fails as a part of itself, in the profiles that were asked for. */
static tare_status try_whole(const reduce_arguments *const a, reduce_work *const w,
                             tare_error *const err) {
  trial t = {.found.kind = FAILS_NOT};
  w->r.all.profiles = w->profiles;
  const tare_status status = trial_of_part(&w->r.all, &w->r.part, &t, err);
  w->r.found = t.found;
  t.found = (failure){.kind = FAILS_NOT};
  trial_fini(&t);
  CLI_TRY(status);
  const failure_kind kind = w->r.found.kind;
  if (w->r.goal.kind == FAILS_LOAD) {
    return failure_is_like(&w->r.goal, &w->r.found)
               ? TARE_OK
               : cli_fail(err, w->r.goal.error.status, "%s (no part of the graph is to blame)",
                          w->r.goal.error.message);
  }
  failure_copy(&w->r.goal, &w->r.found);
  if (kind != FAILS_BUILD) { /* the lengths of a part follow from its data */
    w->r.all.profiles = NULL;
  }
  return kind == FAILS_NOT || kind == FAILS_BEFORE ? say_sound(a, w, &w->r.found, err) : TARE_OK;
}

static tare_status load_whole(const reduce_arguments *const a, reduce_work *const w,
                              tare_error *const err) {
  const tare_load_options load = opt_load(&a->in.common);
  tare_error why = {0};
  CLI_TRY(show_want(a->in.path, &show_model, "an ONNX model", err));
  CLI_TRY(whole_model_init(&w->whole, a->in.path, &load, err));
  if (opt_model_load(&a->in.model, &a->in.common, a->in.path, &w->whole.types, &why) == TARE_OK) {
    return TARE_OK;
  }
  tare_model_free(&w->whole.types);
  if (why.status != TARE_E_MODEL && why.status != TARE_E_UNSUPPORTED) {
    *err = why;
    return why.status;
  }
  w->r.goal = (failure){.kind = FAILS_LOAD, .error = why};
  return TARE_OK;
}

tare_status reduce_goal_find(const reduce_arguments *const a, reduce_work *const w,
                             tare_error *const err) {
  CLI_TRY(load_whole(a, w, err));
  if (w->whole.types) {
    if (a->calib) {
      CLI_TRY(table_load(&a->in.common, a->calib, a->in.path, w->whole.types, a->build.any_table,
                         &w->table, err));
    }
    CLI_TRY(check_columns(w, err));
    CLI_TRY(open_fitted_data(a, w, err));
    w->r.all.table = w->table;
    CLI_TRY(record_inputs(a, w, err));
  }
  CLI_TRY(choose_outputs(a, w, err));
  return try_whole(a, w, err);
}
