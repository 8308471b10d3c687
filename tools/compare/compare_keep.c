#include "tools/compare/compare_keep.h"

#include "tools/output.h"
#include "tools/table_out.h"

tare_status compare_check_outputs(const compare_arguments *const a, tare_error *const err) {
  cli_list inputs = {0}, outputs = {0};
  cli_list_join(&inputs, &a->eval);
  cli_list_join(&inputs, &a->also);
  opt_inputs_files(&a->in, &inputs);
  cli_list_join(&outputs, &a->outputs);
  cli_list_join(&outputs, &a->reports);
  const tare_status status = output_check_all(outputs.items, outputs.n, &inputs, err);
  cli_list_fini(&inputs);
  cli_list_fini(&outputs);
  return status;
}

static tare_status keep_plan(const compare_eval *const e, const grid_strategy *const s,
                             const char *const path, tare_error *const err) {
  tare_plan *plan = NULL;
  CLI_TRY(compare_build(e, s->table, s->precision, &plan, err));
  const tare_status status = tare_plan_save(plan, path, err);
  tare_plan_free(&plan);
  return status;
}

static tare_status keep_table(const compare_arguments *const a, const compare_eval *const e,
                              const tare_table *const table, const char *const path,
                              tare_error *const err) {
  const opt_table defaults = {.profile_index = -1};
  table_out out = {.common = &a->in.common,
                   .options = &defaults,
                   .format = tare_table_format_of(path),
                   .path = path,
                   .model = e->model};
  return table_write(&out, table, err);
}

tare_status compare_keep_first(const compare_arguments *const a, const compare_eval *const e,
                               const grid *const g, tare_error *const err) {
  for (int i = 0; i < a->outputs.n && grid_first(g) >= 0; i++) {
    const char *const path = a->outputs.items[i];
    const grid_strategy *const s = &g->items[grid_first(g)];
    CLI_TRY(compare_is_plan(path) ? keep_plan(e, s, path, err)
                                  : keep_table(a, e, s->table, path, err));
  }
  return TARE_OK;
}
