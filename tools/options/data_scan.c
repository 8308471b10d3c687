#include "tools/options/choose_profiles.h"
#include "tools/options/data_scan.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "tools/say.h"
#include "tools/source.h"

static tare_status scan_ports(const cli_list *const paths, const opt_data *const data,
                              const opt_common *const common, const ports *const p,
                              data_scan *const out, tare_error *const err) {
  CLI_TRY(source_open_whole(data, common, paths, p, &out->dataset, err));
  say_audio_options(common, data, out->dataset);
  CLI_TRY(lengths_new(p->inputs, p->n_inputs, &out->lengths, err));
  progress bar = progress_start("read", common);
  const tare_status status = lengths_read(&out->lengths, out->dataset, &bar, err);
  progress_end(&bar);
  CLI_TRY(status);
  const bool judges = out->model && !out->streaming && out->lengths.n > 0 && data->judge;
  CLI_TRY(judges ? lengths_judge(&out->lengths, data, out->model, out->dataset, err) : TARE_OK);
  say_data(common, out->dataset);
  return TARE_OK;
}

static tare_status fail_tensors(const char *const path, tare_error *const err) {
  return cli_fail(err, TARE_E_USAGE, "%s: data needs a model: --model model.onnx", path);
}

static bool has_folder(const cli_list *const paths) {
  struct stat file;
  for (int i = 0; i < paths->n; i++) {
    if (stat(paths->items[i], &file) == 0 && S_ISDIR(file.st_mode)) {
      return true;
    }
  }
  return false;
}

/* Says what a folder without audio was taken for. */
static void add_hint(const cli_list *const paths, const data_scan *const scan,
                     tare_error *const err) {
  const bool audio = scan->dataset && tare_dataset_has_audio(scan->dataset);
  if (err->status == TARE_E_INPUT && !audio && has_folder(paths)) {
    char *const said = cli_format("%s", err->message);
    (void)cli_fail(err, TARE_E_INPUT, "%s; folders without --model MODEL are read as audio", said);
    free(said);
  }
}

/* Audio and texts can be read without a model. */
static tare_status scan_alone(const cli_list *const paths, const opt_data *const data,
                              const opt_common *const common, data_scan *const out,
                              tare_error *const err) {
  const tare_port audio = {
      .name = "audio", .dtype = TARE_F32, .rank = 2, .dims = {{-1, "batch"}, {-1, "samples"}}};
  const tare_port tokens = {
      .name = "input_ids", .dtype = TARE_I64, .rank = 2, .dims = {{-1, "batch"}, {-1, "sequence"}}};
  const tare_port features = {.name = "features",
                              .dtype = TARE_F32,
                              .rank = 3,
                              .dims = {{-1, "batch"}, {-1, "rows"}, {-1, "columns"}}};
  for (int i = 0; i < paths->n; i++) {
    const tare_data_kind *const kind = tare_data_kind_of(paths->items[i]);
    if (kind && kind->tensors) {
      return fail_tensors(paths->items[i], err);
    }
  }
  const ports p = {.inputs = data->tokenizer  ? &tokens
                             : data->features ? &features
                                              : &audio,
                   .n_inputs = 1};
  const tare_status status = scan_ports(paths, data, common, &p, out, err);
  if (status != TARE_OK && !data->tokenizer) {
    add_hint(paths, out, err);
  }
  CLI_TRY(status);
  return data->tokenizer || tare_dataset_has_audio(out->dataset)
             ? TARE_OK
             : fail_tensors(paths->items[0], err);
}

tare_status data_scan_read(const cli_list *const paths, const char *const model,
                           const opt_data *const data, const opt_common *const common,
                           data_scan *const out, tare_error *const err) {
  *out = (data_scan){0};
  if (!model) {
    return scan_alone(paths, data, common, out, err);
  }
  const tare_load_options load = opt_load(common);
  CLI_TRY(tare_model_load_with(model, &load, &out->model, err));
  ports p = ports_of_model(out->model);
  opt_data own = *data;
  CLI_TRY(source_find_states(data, common, paths, &p, &out->streaming, err));
  if (out->streaming) {
    say_states(common, out->streaming, false);
    p.n_inputs = tare_streaming_ports(out->streaming, &p.inputs);
    own.streaming = out->streaming;
  }
  return scan_ports(paths, &own, common, &p, out, err);
}

void data_scan_fini(data_scan *const scan) {
  lengths_fini(&scan->lengths);
  tare_dataset_close(&scan->dataset);
  tare_streaming_free(&scan->streaming);
  tare_model_free(&scan->model);
}
