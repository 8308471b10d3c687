#include "tools/compare/compare_own.h"

#include <stdlib.h>
#include <string.h>

#include "tools/options/lengths.h"
#include "tools/side.h"
#include "tools/source.h"
#include "tools/table_in.h"

void compare_own_add(const cli_list *const paths, grid *const g) {
  for (int i = 0; i < paths->n; i++) {
    g->items = cli_realloc(g->items, (size_t)g->n + 1, sizeof *g->items);
    g->items[g->n++] = (grid_strategy){
        .fit = "own", .method = paths->items[i], .own = paths->items[i], .pass = -1};
  }
}

/* --- ports ------------------------------------------------------------------------------------ */

static tare_status own_check_ports(const char *const kind, const tare_port *const own,
                                   const int n_own, const tare_port *const model, const int n_model,
                                   tare_error *const err) {
  if (n_own != n_model) {
    return cli_fail(err, TARE_E_USAGE, "it has %d %s%s, but the model has %d", n_own, kind,
                    cli_s(n_own), n_model);
  }
  for (int i = 0; i < n_own; i++) {
    if (strcmp(own[i].name, model[i].name) != 0) {
      return cli_fail(err, TARE_E_USAGE, "its %s %d is '%s', but that of the model is '%s'", kind,
                      i, own[i].name, model[i].name);
    }
    if (own[i].dtype != model[i].dtype || own[i].rank != model[i].rank) {
      return cli_fail(err, TARE_E_USAGE,
                      "its %s '%s' is %s of rank %d, but that of the model is %s of rank %d", kind,
                      own[i].name, tare_dtype_name(own[i].dtype), own[i].rank,
                      tare_dtype_name(model[i].dtype), model[i].rank);
    }
  }
  return TARE_OK;
}

static tare_status own_check_side(const compare_eval *const e, const side *const s,
                                  tare_error *const err) {
  const ports model = ports_of_model(e->model);
  const ports own = s->plan ? ports_of_plan(s->plan) : ports_of_model(s->model);
  CLI_TRY(own_check_ports("input", own.inputs, own.n_inputs, model.inputs, model.n_inputs, err));
  return own_check_ports("output", own.outputs, own.n_outputs, model.outputs, model.n_outputs, err);
}

/* --- plans ------------------------------------------------------------------------------------ */

static tare_status own_of_table(const compare_eval *const e, const char *const path,
                                tare_plan **const out, tare_error *const err) {
  tare_table *table = NULL;
  CLI_TRY(table_load(e->common, path, e->model_path, e->model, false /* force */, &table, err));
  const tare_status status = compare_build(e, table, 0 /* precision */, out, err);
  tare_table_free(&table);
  return status;
}

static tare_status own_of_side(const compare_eval *const e, const char *const path,
                               tare_plan **const out, tare_error *const err) {
  side s = {0};
  tare_status status = TARE_OK;
  CLI_TRY_GOTO(side_load(path, e->common, &s, err), done);
  if (s.model) {
    CLI_TRY_GOTO(opt_model_apply(e->sets, s.model, err), done);
  }
  CLI_TRY_GOTO(own_check_side(e, &s, err), done);
  CLI_TRY_GOTO(side_build(&s, e->profiles, e->common, err), done);
  *out = s.plan;
  s.plan = NULL;
done:
  side_fini(&s);
  return status;
}

tare_status compare_own_plan(const compare_eval *const e, const char *const path,
                             tare_plan **const out, tare_error *const err) {
  return tare_table_is_table_file(path) ? own_of_table(e, path, out, err)
                                        : own_of_side(e, path, out, err);
}

/* --- whether they can be compared ------------------------------------------------------------- */

/* The value of a symbol at one end of a profile; 0: the profiles do not have it. */
static int64_t own_end_of(const tare_profiles *const profiles, const int profile,
                          const char *const symbol, const bool largest) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    if (strcmp(tare_profiles_symbol(profiles, s), symbol) == 0) {
      const tare_range range = tare_profiles_range(profiles, profile, s);
      return largest ? range.max : range.min;
    }
  }
  return 0;
}

static tare_status own_check_end(const tare_profiles *const own,
                                 const tare_profiles *const profiles, const int profile,
                                 const bool largest, tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS];
  for (int s = 0; s < tare_profiles_n_symbols(own); s++) {
    values[s] = own_end_of(profiles, profile, tare_profiles_symbol(own, s), largest);
  }
  return tare_profiles_find(own, values) >= 0
             ? TARE_OK
             : tare_profiles_explain(own, values, "a length of the comparison", err);
}

static tare_status own_check_plan(const compare_eval *const e, const tare_plan *const plan,
                                  tare_error *const err) {
  for (int p = 0; p < tare_profiles_count(e->profiles); p++) {
    CLI_TRY(own_check_end(tare_plan_profiles(plan), e->profiles, p, false, err));
    CLI_TRY(own_check_end(tare_plan_profiles(plan), e->profiles, p, true, err));
  }
  return TARE_OK;
}

static tare_status own_check(const compare_eval *const e, const char *const path,
                             tare_error *const err) {
  tare_plan *plan = NULL;
  tare_status status = compare_own_plan(e, path, &plan, err);
  if (status == TARE_OK) {
    status = own_check_plan(e, plan, err);
  }
  tare_plan_free(&plan);
  if (status != TARE_OK) {
    const bool named = strncmp(err->message, path, strlen(path)) == 0;
    char *const prefix = cli_format("--also%s%s", named ? "" : " ", named ? "" : path);
    (void)cli_fail_in(err, status, prefix);
    free(prefix);
  }
  return status;
}

tare_status compare_own_check(const compare_eval *const e, const grid *const g,
                              tare_error *const err) {
  for (int i = 0; i < g->n; i++) {
    CLI_TRY(g->items[i].own ? own_check(e, g->items[i].own, err) : TARE_OK);
  }
  return TARE_OK;
}
