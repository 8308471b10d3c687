#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/options/lengths.h"
#include "tools/report.h"
#include "tools/say.h"
#include "tools/show/show.h"

static bool show_data_probe(const char *const path) {
  return tare_data_kind_of(path) != NULL;
}

static const char *show_data_noun(const char *const path) {
  const tare_data_kind *const kind = tare_data_kind_named(path);
  return kind ? kind->noun : NULL;
}

static void show_data_print_text(const tare_dataset *const dataset, const lengths *const l) {
  printf("layout     %s\n", tare_dataset_describe(dataset));
  printf("samples    %" PRId64 ", %" PRId64 " bad\n", l->n, tare_dataset_n_bad(dataset));
  if (l->n == 0) {
    return;
  }
  report *const r = report_new("symbol<,min>,median>,max>");
  for (int s = 0; s < tare_profiles_n_symbols(l->symbols); s++) {
    const tare_range range = lengths_range(l, s);
    report_cell(r, "%s", tare_profiles_symbol(l->symbols, s));
    report_cell(r, "%" PRId64, range.min);
    report_cell(r, "%" PRId64, range.opt);
    report_cell(r, "%" PRId64, range.max);
  }
  report_print(r, stdout);
  char *const spec = lengths_spec(l);
  if (*spec) {
    printf("profile    --profile %s\n", spec);
  } else {
    puts("profile    none needed: all dims of the model's inputs are fixed");
  }
  free(spec);
}

static void show_data_fill_json(const tare_dataset *const dataset, const lengths *const l,
                                cJSON *const object) {
  json_text(object, "layout", tare_dataset_describe(dataset));
  json_int(object, "samples", l->n);
  json_int(object, "bad", tare_dataset_n_bad(dataset));
  cJSON *const symbols = json_add(object, "symbols", json_array());
  for (int s = 0; l->n > 0 && s < tare_profiles_n_symbols(l->symbols); s++) {
    const tare_range range = lengths_range(l, s);
    cJSON *const item = json_add(symbols, NULL, json_object());
    json_text(item, "name", tare_profiles_symbol(l->symbols, s));
    json_int(item, "min", range.min);
    json_int(item, "median", range.opt);
    json_int(item, "max", range.max);
  }
  if (l->n > 0) {
    char *const spec = lengths_spec(l);
    json_text(object, "profile", spec);
    free(spec);
  }
}

static tare_status scan(const char *const path, const show_options *const options,
                        const tare_port *const inputs, const int n_inputs, cJSON *const object,
                        tare_error *const err) {
  tare_dataset *dataset = NULL;
  lengths l = {0};
  const char *paths[] = {path};
  const cli_list list = {.items = paths, .n = 1};
  tare_status status = TARE_OK;
  CLI_TRY_GOTO(
      opt_data_open(&options->data, &options->common, &list, inputs, n_inputs, &dataset, err),
      done);
  say_audio_options(&options->common, &options->data, dataset);
  CLI_TRY_GOTO(lengths_new(inputs, n_inputs, &l, err), done);
  progress p = progress_start("read", &options->common);
  status = lengths_read(&l, dataset, &p, err);
  progress_end(&p);
  CLI_TRY_GOTO(status, done);
  say_data(&options->common, dataset);
  if (object) {
    show_data_fill_json(dataset, &l, object);
  } else {
    show_title(&show_data, path);
    show_data_print_text(dataset, &l);
  }
done:
  lengths_fini(&l);
  tare_dataset_close(&dataset);
  return status;
}

static tare_status show_data_print(const char *const path, const show_options *const options,
                                   cJSON *const object, tare_error *const err) {
  if (options->model) {
    tare_model *model = NULL;
    const tare_port *inputs = NULL;
    const tare_load_options load = opt_load(&options->common);
    CLI_TRY(tare_model_load_with(options->model, &load, &model, err));
    const int n_inputs = tare_model_inputs(model, &inputs);
    const tare_status status = scan(path, options, inputs, n_inputs, object, err);
    tare_model_free(&model);
    return status;
  }
  const tare_data_kind *const kind = tare_data_kind_of(path);
  if (kind && kind->tensors) {
    return cli_fail(err, TARE_E_USAGE, "%s: data needs a model: --model model.onnx", path);
  }
  const tare_port audio = {
      .name = "audio", .dtype = TARE_F32, .rank = 2, .dims = {{-1, "batch"}, {-1, "samples"}}};
  const tare_port features = {.name = "features",
                              .dtype = TARE_F32,
                              .rank = 3,
                              .dims = {{-1, "batch"}, {-1, "rows"}, {-1, "columns"}}};
  return scan(path, options, options->data.features ? &features : &audio, 1, object, err);
}

const show_kind show_data = {
    .name = "data", .probe = show_data_probe, .noun = show_data_noun, .show = show_data_print};
