#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/options/data_scan.h"
#include "tools/report.h"
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
  const tare_left_out left_out = tare_dataset_left_out(dataset);
  json_left_out(object, &left_out);
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

static tare_status show_data_print(const char *const path, const show_options *const options,
                                   cJSON *const object, tare_error *const err) {
  const char *paths[] = {path};
  const cli_list list = {.items = paths, .n = 1};
  data_scan scan;
  const tare_status status =
      data_scan_read(&list, options->model, &options->data, &options->common, &scan, err);
  if (status == TARE_OK && object) {
    show_data_fill_json(scan.dataset, &scan.lengths, object);
  } else if (status == TARE_OK) {
    show_title(&show_data, path);
    show_data_print_text(scan.dataset, &scan.lengths);
  }
  data_scan_fini(&scan);
  return status;
}

const show_kind show_data = {
    .name = "data", .probe = show_data_probe, .noun = show_data_noun, .show = show_data_print};
