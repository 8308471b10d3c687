/* Histograms of lengths, with the profiles' ranges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/details/details.h"
#include "tools/options/lengths.h"

enum { LENGTH_BINS = 40 }; /* about so many */

typedef struct length_bins {
  int64_t low, width;
  int n;
} length_bins;

/* 1, 2 or 5 times a power of ten, at least `least`. */
static int64_t round_width(const int64_t least) {
  static const int STEPS[] = {1, 2, 5, 10};
  int64_t power = 1;
  while (power * 10 < least) {
    power *= 10;
  }
  int i = 0;
  while (STEPS[i] * power < least) {
    i++;
  }
  return STEPS[i] * power;
}

static length_bins length_bins_of(const tare_range a, const tare_range b) {
  const int64_t min = a.min < b.min ? a.min : b.min, max = a.max > b.max ? a.max : b.max;
  length_bins bins = {.width = round_width((max - min) / LENGTH_BINS + 1)};
  bins.low = min / bins.width * bins.width;
  bins.n = (int)((max - bins.low) / bins.width) + 1;
  return bins;
}

static void length_counts_json(cJSON *const object, const char *const name, const lengths *const l,
                               const int symbol, const length_bins *const bins) {
  const int n_symbols = tare_profiles_n_symbols(l->symbols);
  const tare_range range = lengths_range(l, symbol);
  int64_t counts[2 * LENGTH_BINS] = {0};
  for (int64_t i = 0; i < l->n; i++) {
    counts[(l->values[i * n_symbols + symbol] - bins->low) / bins->width]++;
  }
  cJSON *const item = json_add(object, name, json_object());
  json_int(item, "samples", l->n);
  json_int(item, "min", range.min);
  json_int(item, "median", range.opt);
  json_int(item, "max", range.max);
  cJSON *const list = json_add(item, "counts", json_array());
  for (int i = 0; i < bins->n; i++) {
    json_int(list, NULL, counts[i]);
  }
}

/* Ranges of the symbol of this name; none if the profiles have no such symbol, or are those of
 * chunks (NULL). */
static void length_profiles_json(cJSON *const object, const tare_profiles *const profiles,
                                 const char *const symbol) {
  cJSON *const list = json_add(object, "profiles", json_array());
  for (int s = 0; profiles && s < tare_profiles_n_symbols(profiles); s++) {
    for (int p = 0; strcmp(tare_profiles_symbol(profiles, s), symbol) == 0 &&
                    p < tare_profiles_count(profiles);
         p++) {
      const tare_range range = tare_profiles_range(profiles, p, s);
      cJSON *const item = json_add(list, NULL, json_object());
      json_int(item, "min", range.min);
      json_int(item, "opt", range.opt);
      json_int(item, "max", range.max);
    }
  }
}

/* A symbol that never changes has no histogram. */
static void length_symbol_json(cJSON *const list, const lengths *const calibration,
                               const lengths *const evaluation, const int symbol,
                               const tare_profiles *const profiles) {
  const tare_range a = lengths_range(calibration, symbol), b = lengths_range(evaluation, symbol);
  if (a.min == a.max && b.min == b.max && a.min == b.min) {
    return;
  }
  const length_bins bins = length_bins_of(a, b);
  const char *const name = tare_profiles_symbol(calibration->symbols, symbol);
  cJSON *const item = json_add(list, NULL, json_object());
  json_text(item, "symbol", name);
  json_int(item, "low", bins.low);
  json_int(item, "width", bins.width);
  length_counts_json(item, "calibration", calibration, symbol, &bins);
  length_counts_json(item, "evaluation", evaluation, symbol, &bins);
  length_profiles_json(item, profiles, name);
}

static tare_status detail_lengths_read(const opt_common *const common,
                                       const tare_port *const inputs, const int n_inputs,
                                       tare_dataset *const data, lengths *const out,
                                       tare_error *const err) {
  CLI_TRY(lengths_new(inputs, n_inputs, out, err));
  progress p = progress_start("read lengths", common);
  const tare_status status = lengths_scan(out, data, &p, err);
  progress_end(&p);
  return status;
}

tare_status details_take_lengths(compare_details *const details, const opt_common *const common,
                                 const ports *const model, tare_streaming *const streaming,
                                 tare_dataset *const calibration, tare_dataset *const evaluation,
                                 const tare_profiles *const profiles, tare_error *const err) {
  const tare_port *inputs = model->inputs;
  const int n_inputs = streaming ? tare_streaming_ports(streaming, &inputs) : model->n_inputs;
  lengths calib = {0}, eval = {0};
  tare_status status = TARE_OK;
  CLI_TRY_GOTO(detail_lengths_read(common, inputs, n_inputs, calibration, &calib, err), done);
  CLI_TRY_GOTO(detail_lengths_read(common, inputs, n_inputs, evaluation, &eval, err), done);
  details->lengths = json_array();
  for (int s = 0; calib.n > 0 && eval.n > 0 && s < tare_profiles_n_symbols(calib.symbols); s++) {
    length_symbol_json(details->lengths, &calib, &eval, s, streaming ? NULL : profiles);
  }
done:
  lengths_fini(&calib);
  lengths_fini(&eval);
  return status;
}
