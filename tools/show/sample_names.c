#include "tools/show/sample_names.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/say.h"

static bool sets_a_range(const tare_stats *const stats, const tare_sample_id id) {
  for (int t = 0; t < tare_stats_n_tensors(stats); t++) {
    for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
      tare_sample_id min, max;
      if (tare_stats_origin(stats, t, p, &min, &max) &&
          (tare_sample_id_equal(min, id) || tare_sample_id_equal(max, id))) {
        return true;
      }
    }
  }
  return false;
}

/* Of equal samples the first. */
static void sample_names_add(sample_names *const names, const tare_stats *const stats,
                             const tare_sample *const sample, const int n_inputs) {
  const tare_sample_id id = tare_sample_identify(sample, n_inputs);
  if (sample_names_get(names, id) || !sets_a_range(stats, id)) {
    return;
  }
  char *const name = sample->gain_db == 0
                         ? cli_format("%s", sample->name)
                         : cli_format("%s at %+g dB", sample->name, sample->gain_db);
  names->items = cli_realloc(names->items, (size_t)names->n + 1, sizeof *names->items);
  names->items[names->n++] = (sample_name){.id = id, .name = name};
}

static tare_status sample_names_read(const tare_stats *const stats,
                                     const show_options *const options,
                                     const tare_model *const model, sample_names *const out,
                                     tare_error *const err) {
  const tare_port *inputs = NULL;
  const int n = tare_model_inputs(model, &inputs);
  tare_dataset *data = NULL;
  CLI_TRY(opt_data_open(&options->data, &options->common, &options->find_samples, inputs, n, &data,
                        err));
  const tare_sample *sample = NULL;
  tare_status status = tare_dataset_next(data, &sample, err);
  while (status == TARE_OK && sample) {
    sample_names_add(out, stats, sample, n);
    status = tare_dataset_next(data, &sample, err);
  }
  tare_dataset_close(&data);
  return status;
}

tare_status sample_names_find(const tare_stats *const stats, const show_options *const options,
                              sample_names *const out, tare_error *const err) {
  *out = (sample_names){0};
  if (options->find_samples.n == 0) {
    return TARE_OK;
  }
  tare_model *model = NULL;
  const tare_load_options load = opt_load(&options->common);
  CLI_TRY(tare_model_load_with(options->model, &load, &model, err));
  const tare_status status = sample_names_read(stats, options, model, out, err);
  tare_model_free(&model);
  if (status == TARE_OK && out->n == 0) {
    say(&options->common,
        "warning: none of the samples in the data set a range: use the data and the options for "
        "data of the calibration");
  }
  return status;
}

void sample_names_fini(sample_names *const names) {
  for (int i = 0; i < names->n; i++) {
    free(names->items[i].name);
  }
  free(names->items);
  *names = (sample_names){0};
}

const char *sample_names_get(const sample_names *const names, const tare_sample_id id) {
  for (int i = 0; i < names->n; i++) {
    if (tare_sample_id_equal(names->items[i].id, id)) {
      return names->items[i].name;
    }
  }
  return NULL;
}

char *sample_id_text(const tare_sample_id id) {
  return cli_format("%016" PRIx64 "%016" PRIx64, id.high, id.low);
}
