#include "tools/quantize/quantize_writing.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/debug/scratch.h"

tare_status quantize_export(const quantize_writing *const how, const int profile,
                            tare_export **const out, tare_error *const err) {
  const tare_load_options load = opt_load(how->common);
  tare_export_options o = how->export->options;
  o.table = how->table;
  o.profile = profile;
  o.load = &load;
  tare_export_set *const sets = opt_model_sets(how->model_options);
  o.sets = sets;
  o.n_sets = how->model_options->n_sets;
  const tare_status status = tare_export_new(how->model, &o, out, err);
  free(sets);
  return status;
}

tare_status quantize_plan(const quantize_writing *const how, const char *const path,
                          tare_plan **const out, tare_error *const err) {
  tare_model *model = NULL;
  tare_build_options build = opt_build_options(NULL, how->common, NULL);
  build.layer_output_types = "*:fp32";
  build.tensor_scales = true;     /* as the engines have it that the file is for */
  const opt_model as_it_is = {0}; /* inputs that are set are none of what is written */
  CLI_TRY(opt_model_load(&as_it_is, how->common, path, &model, err));
  const tare_status status = tare_plan_build(model, how->profiles, &build, out, err);
  tare_model_free(&model);
  return status;
}

static tare_status plan_scratch(const quantize_writing *const how, tare_export *const made,
                                tare_plan **const out, tare_error *const err) {
  const char *const path = scratch_path(SCRATCH_MODEL);
  bool external = false;
  CLI_TRY(tare_export_save(made, path, how->export->most, &external, err));
  return quantize_plan(how, path, out, err);
}

tare_status quantize_draft(const quantize_writing *const how, const int profile,
                           tare_plan **const out, tare_error *const err) {
  tare_export *made = NULL;
  CLI_TRY(quantize_export(how, profile, &made, err));
  tare_status status = scratch_make(err);
  if (status == TARE_OK) {
    status = plan_scratch(how, made, out, err);
    scratch_remove();
  }
  tare_export_free(&made);
  return status;
}
