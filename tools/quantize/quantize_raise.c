#include "tools/quantize/quantize_raise.h"

#include <stdlib.h>
#include <string.h>

#include "tools/say.h"
#include "tools/source.h"
#include "tools/tune/raising.h"

/* One of the files. */
typedef struct draft {
  const quantize_judged *what;
  const quantize_writing *how;
  quantize_file *file;
  tare_plan *plan; /* of what would be written now, and how it ran */
  tare_eval_result result;
} draft;

/* --- trials ----------------------------------------------------------------------------------- */

/* The requests of the user stand behind those that are tried, and win. */
static tare_status make_draft(void *const user, const char *const requests, tare_export **const out,
                              tare_plan **const plan, tare_error *const err) {
  const draft *const d = user;
  const char *const asked = d->how->export->options.layer_precisions;
  char *const line =
      cli_format("%s%s%s", requests, *requests && asked ? "," : "", asked ? asked : "");
  opt_export export = *d->how->export;
  quantize_writing how = *d->how;
  export.options.layer_precisions = line;
  how.export = &export;
  tare_status status = out ? quantize_export(&how, d->file->profile, out, err) : TARE_OK;
  if (status == TARE_OK && plan) {
    status = quantize_draft(&how, d->file->profile, plan, err);
  }
  free(line);
  return status;
}

static tare_status count_quantized(draft *const d, int *const n, tare_error *const err) {
  tare_export *made = NULL;
  CLI_TRY(make_draft(d, "", &made, NULL, err));
  *n = 0;
  for (int i = 0; i < tare_export_n_layers(made); i++) {
    *n += strcmp(tare_export_layer(made, i).form, "fp32") != 0;
  }
  tare_export_free(&made);
  return TARE_OK;
}

static raising_case case_of(const draft *const d) {
  return (raising_case){.in = d->what->in,
                        .model = d->what->model,
                        .profiles = d->how->profiles,
                        .streaming = d->what->streaming,
                        .per_profile = d->file->profile >= 0,
                        .processor_seconds = d->what->processor_seconds,
                        .time_option = "--time-limit",
                        .plan = d->plan,
                        .result = &d->result};
}

static tare_eval_options draft_eval(const draft *const d) {
  const opt_metric none = {.metric = -1};
  return source_eval_options(d->what->in, &none, d->what->lengths, d->what->streaming);
}

/* --- the search ------------------------------------------------------------------------------- */

static tare_status run_draft(draft *const d, tare_error *const err) {
  const raising_case samples = case_of(d);
  tare_eval_options o = draft_eval(d);
  tare_dataset *data = NULL;
  o.against = d->what->fp32;
  CLI_TRY(make_draft(d, "", NULL, &d->plan, err));
  tare_status status = raising_samples(&samples, ACCURACY_SAMPLES, &data, err);
  if (status == TARE_OK) {
    status = tare_eval(d->plan, data, &o, &d->result, err);
  }
  tare_dataset_close(&data);
  return status;
}

/* Behind those that it has: what was raised for one file stays so for the others. */
static tare_status add_requests(tare_table *const table, const char *const requests,
                                tare_error *const err) {
  const char *const had = tare_table_layer_precisions(table);
  char *const all = cli_format("%s%s%s", had, *had ? "," : "", requests);
  const tare_status status = tare_table_set_layer_precisions(table, all, err);
  free(all);
  return status;
}

static tare_status raise_draft(draft *const d, tare_table *const table, tare_error *const err) {
  const tare_raise_written written = {.make = make_draft, .user = d, .profile = d->file->profile};
  const tare_row_form rows = d->how->export->options.rows;
  raising_case search = case_of(d);
  tare_raised raised;
  tare_raise_options o;
  int n_quantized;
  CLI_TRY(count_quantized(d, &n_quantized, err));
  tare_raise_options_init_written(&o);
  o.build = opt_build_options(NULL, d->how->common, NULL);
  o.eval = draft_eval(d);
  o.written = &written;
  char *const forms = rows == TARE_ROWS_FLOAT
                          ? cli_format("float")
                          : cli_format("%s or float", tare_row_form_name((int)rows));
  search.forms = forms;
  search.n_probes = (rows == TARE_ROWS_FLOAT ? 1 : 2) * n_quantized;
  tare_status status = raising_search(&search, &o, &raised, err);
  if (status == TARE_OK && raised.n_layers > 0) {
    accuracy_take_raised(&d->file->checked, &raised);
    status = add_requests(table, raised.requests, err);
  }
  tare_raised_fini(&raised);
  free(forms);
  return status;
}

static tare_status raise_file(const quantize_judged *const what, const quantize_writing *const how,
                              tare_table *const table, quantize_file *const file,
                              tare_error *const err) {
  draft d = {.what = what, .how = how, .file = file};
  tare_status status = run_draft(&d, err);
  if (status == TARE_OK && /* a profile without samples has no SQNR */
      quantize_sqnr(&d.result, file->profile) < raising_below(true /* written */)) {
    status = raise_draft(&d, table, err);
  }
  tare_eval_result_fini(&d.result);
  tare_plan_free(&d.plan);
  return status;
}

tare_status quantize_raise(const quantize_judged *const what, const quantize_writing *const how,
                           tare_table *const table, quantize_files *const files,
                           tare_error *const err) {
  for (int i = 0; i < files->n; i++) {
    tare_error why = {0};
    const tare_status status = raise_file(what, how, table, &files->items[i], &why);
    if (raising_may_pass(status)) {
      *err = why;
      return status;
    }
    if (status != TARE_OK) {
      say(&what->in->common, "warning: no layers of %s are raised: %s", files->items[i].path,
          why.message);
    }
  }
  return TARE_OK;
}
