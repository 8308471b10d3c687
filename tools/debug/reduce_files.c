#include "tools/debug/reduce_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/debug/trial_files.h"
#include "tools/output.h"

void reduce_files_name(const reduce_arguments *const a, reduced_files *const files) {
  const size_t n = strlen(a->output);
  const size_t end = cli_ends_with(a->output, ".onnx") ? n - strlen(".onnx") : n;
  files->model = cli_format("%s", a->output);
  files->data = cli_format("%.*s.h5", (int)end, a->output);
  files->table = cli_format("%.*s.calib.json", (int)end, a->output);
}

tare_status reduce_files_check(const reduce_arguments *const a, const reduced_files *const files,
                               tare_error *const err) {
  const char *const all[] = {files->model, files->data, files->table};
  cli_list inputs = {0};
  cli_list_add(&inputs, a->calib);
  opt_inputs_files(&a->in, &inputs);
  const tare_status status = output_check_kind(&OUTPUT_ONNX, all, 3, &inputs, err);
  cli_list_fini(&inputs);
  return status;
}

static void forget_file(char **const file) {
  free(*file);
  *file = NULL;
}

void reduce_files_fini(reduced_files *const files) {
  forget_file(&files->model);
  forget_file(&files->data);
  forget_file(&files->table);
}

/* The data of the part alone: its inputs, and its outputs in float. */
static tare_status write_data(reduce_work *const w, tare_error *const err) {
  tare_eval_options plain;
  tare_eval_options_init(&plain);
  if (!w->last.reference || w->r.goal.kind == FAILS_RUN) {
    forget_file(&w->files.data); /* nothing runs */
    return TARE_OK;
  }
  return trial_record(&w->r.all, w->last.reference, w->last.data, &plain, w->files.data, err);
}

static tare_status write_table(reduce_work *const w, const tare_model *const written,
                               tare_error *const err) {
  tare_table *table = NULL;
  if (!w->table) {
    forget_file(&w->files.table);
    return TARE_OK;
  }
  CLI_TRY(tare_table_restrict(w->table, written, &table, err));
  const tare_status status = tare_table_write_json(table, w->files.table, err);
  tare_table_free(&table);
  return status;
}

/* What it needed may have become unreadable meanwhile. */
static tare_status check_again(const reduce_work *const w, tare_error *const err) {
  const failure *const found = &w->last.found;
  if (failure_is_like(&w->r.goal, found)) {
    return TARE_OK;
  }
  return *found->error.message
             ? cli_fail(err, found->error.status, "%s", found->error.message)
             : cli_fail(err, TARE_E_INPUT,
                        "the part failed like the model, but not when it was tried once more: the "
                        "model or its data changed meanwhile (try again)");
}

/* The part once more: the files of the last trial are those of another. */
static tare_status write_files(reduce_work *const w, tare_error *const err) {
  trials *const all = &w->r.all;
  tare_model *written = NULL;
  CLI_TRY(trial_of_part(all, &w->r.part, &w->last, err));
  CLI_TRY(check_again(w, err));
  CLI_TRY(trial_requests(all, &w->r.part, &w->requests, err));
  CLI_TRY(trial_write_model(all, &w->r.part, w->last.model, w->files.model, err));
  if (!w->last.model) {
    forget_file(&w->files.data);
    forget_file(&w->files.table);
    return TARE_OK;
  }
  CLI_TRY(write_data(w, err));
  CLI_TRY(trial_load(all, w->files.model, &written, err));
  const tare_status status = write_table(w, written, err);
  tare_model_free(&written);
  return status;
}

/* One of them alone is of no use: where one cannot be written, those that are new go. */
tare_status reduce_files_write(const reduce_arguments *const a, reduce_work *const w,
                               tare_error *const err) {
  reduced_files names;
  reduce_files_name(a, &names);
  const char *const all[] = {names.model, names.data, names.table};
  cli_list missing = {0};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!output_is_there(all[i])) {
      cli_list_add(&missing, all[i]);
    }
  }
  const tare_status status = write_files(w, err);
  for (int i = 0; status != TARE_OK && i < missing.n; i++) {
    (void)unlink(missing.items[i]); /* it may not have come so far */
  }
  cli_list_fini(&missing);
  reduce_files_fini(&names);
  return status;
}
