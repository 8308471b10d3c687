#include "calib/parts/run_settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "datasets/dataset.h"
#include "graph/model.h"
#include "graph/noise_name.h"
#include "shapes/streaming.h"

enum { N_LEVELS = 3 };

static const char *const outside_names[] = {
    [TARE_OUTSIDE_ERROR] = "", [TARE_OUTSIDE_NEAREST] = "nearest", [TARE_OUTSIDE_SKIP] = "skip"};
static const char *const smoothing_names[] = {
    [TARE_SMOOTHING_OFF] = "", [TARE_SMOOTHING_AUTO] = "auto", [TARE_SMOOTHING_ON] = "on"};
static const char *const clipping_names[] = {
    [TARE_CLIPPING_OFF] = "", [TARE_CLIPPING_AUTO] = "auto", [TARE_CLIPPING_ON] = "on"};
static const char *const correction_names[] = {"", "on"};
static const char *const rounding_names[] = {"", "nearest"};

/* Takes the text. */
static tare_status add_text(tarei_settings *const out, const char *const name,
                            tarei_str *const text, tare_error *const err) {
  const tare_status status = text->failed ? tarei_fail_memory(err, "settings", text->length)
                                          : tarei_settings_add(out, name, tarei_str_get(text), err);
  tarei_str_free(text);
  return status;
}

static const char *run_settings_comma(const tarei_str *const s) {
  return s->length ? "," : "";
}

static tare_status run_settings_add_fit(const tare_calibrate_options *const o,
                                        tarei_settings *const out, tare_error *const err) {
  tarei_str pads = {0}, lengths = {0};
  for (int i = 0; i < o->n_pad_values; i++) {
    tarei_str_add(&pads, "%s%s=%.17g", run_settings_comma(&pads), o->pad_values[i].input,
                  o->pad_values[i].value);
  }
  for (int i = 0; i < o->n_length_inputs; i++) {
    tarei_str_add(&lengths, "%s%s=%s", run_settings_comma(&lengths), o->length_inputs[i].input,
                  o->length_inputs[i].symbol);
  }
  const tare_status status = add_text(out, "pad-value", &pads, err);
  const tare_status next = add_text(out, "length-input", &lengths, err);
  TAREI_TRY(status);
  TAREI_TRY(next);
  return tarei_settings_add(out, "outside", outside_names[o->outside], err);
}

static tare_status run_settings_add_number(tarei_settings *const out, const char *const name,
                                           const uint64_t value, tare_error *const err) {
  tarei_str text = {0};
  if (value == 0) {
    return TARE_OK;
  }
  tarei_str_add(&text, "%llu", (unsigned long long)value);
  return add_text(out, name, &text, err);
}

static tare_status add_streaming(const tare_streaming *const s, tarei_settings *const out,
                                 tare_error *const err) {
  tarei_str states = {0}, chunk = {0};
  for (int i = 0; s && i < s->n_states; i++) {
    tarei_str_add(&states, "%s%s:%s", run_settings_comma(&states),
                  tare_streaming_state_output(s, i), tare_streaming_state_input(s, i));
  }
  if (s && s->size) {
    int64_t size;
    const char *const symbol = tare_streaming_chunk_symbol(s, &size);
    tarei_str_add(&chunk, "%s=%lld,hop=%lld", symbol ? symbol : "", (long long)size,
                  (long long)s->hop);
  }
  const tare_status status = add_text(out, "state", &states, err);
  const tare_status next = add_text(out, "chunk", &chunk, err);
  TAREI_TRY(status);
  TAREI_TRY(next);
  return run_settings_add_number(out, "generate", s ? (uint64_t)s->generation.tokens : 0, err);
}

static tare_status add_data(const tare_dataset *const dataset, tarei_settings *const out,
                            tare_error *const err) {
  const tarei_data_spec *const spec = tarei_dataset_spec(dataset);
  tarei_str rate = {0}, channel = {0}, waveforms = {0};
  if (spec->rate) {
    tarei_str_add(&rate, "%d", spec->rate);
  }
  if (spec->channel) {
    tarei_str_add(&channel, "%d", spec->channel);
  }
  for (int i = 0; i < spec->n_inputs; i++) {
    if (spec->waveforms[i]) {
      tarei_str_add(&waveforms, "%s%s", run_settings_comma(&waveforms), spec->inputs[i].name);
    }
  }
  const tare_status status = add_text(out, "rate", &rate, err);
  const tare_status of_channel = channel.length ? add_text(out, "channel", &channel, err) : TARE_OK;
  const tare_status next = add_text(out, "waveform", &waveforms, err);
  TAREI_TRY(status);
  TAREI_TRY(of_channel);
  TAREI_TRY(next);
  TAREI_TRY(tarei_settings_add(out, "min-length", tare_dataset_length_bounds(dataset, false), err));
  TAREI_TRY(tarei_settings_add(out, "max-length", tare_dataset_length_bounds(dataset, true), err));
  return tarei_settings_add(out, "features", spec->features_text ? spec->features_text : "", err);
}

/* Of the choice of samples, and where a model draws random numbers, of these: one, or both if they
 * differ. */
static tare_status add_seeds(const uint64_t choice, const uint64_t drawn, tarei_settings *const out,
                             tare_error *const err) {
  if (choice == drawn) {
    return run_settings_add_number(out, "seed", choice, err);
  }
  char text[48];
  (void)snprintf(text, sizeof text, "%" PRIu64 ",%" PRIu64, choice, drawn);
  return tarei_settings_add(out, "seed", text, err);
}

static tare_status run_settings_add_choice(const tarei_data_spec *const spec, const bool draws,
                                           tarei_settings *const out, tare_error *const err) {
  const tare_choice *const c = &spec->choice;
  TAREI_TRY(run_settings_add_number(out, "samples", (uint64_t)c->samples, err));
  TAREI_TRY(run_settings_add_number(out, "quota", (uint64_t)c->quota, err));
  const uint64_t choice = c->samples || c->quota ? c->seed : draws ? spec->seed : 0;
  TAREI_TRY(add_seeds(choice, draws ? spec->seed : choice, out, err));
  return tarei_settings_add(out, "stratify", c->by_length ? "length" : "", err);
}

static tare_status add_decisions(const tare_calibrate_options *const o, tarei_settings *const out,
                                 tare_error *const err) {
  TAREI_TRY(
      tarei_settings_add(out, TAREI_SETTING_ROUNDING, rounding_names[o->round_to_nearest], err));
  TAREI_TRY(tarei_settings_add(out, TAREI_SETTING_CLIPPING, clipping_names[o->clipping], err));
  TAREI_TRY(
      tarei_settings_add(out, TAREI_SETTING_CORRECTION, correction_names[o->bias_correction], err));
  return tarei_settings_add(out, TAREI_SETTING_SMOOTHING, smoothing_names[o->smoothing], err);
}

tare_status tarei_run_settings(const tare_model *const model, const tare_dataset *const dataset,
                               const tare_calibrate_options *const options,
                               tarei_settings *const out, tare_error *const err) {
  TAREI_TRY(model->sets.failed ? tarei_fail_memory(err, "settings", model->sets.length)
                               : tarei_settings_add(out, "set", tarei_str_get(&model->sets), err));
  TAREI_TRY(run_settings_add_fit(options, out, err));
  TAREI_TRY(add_streaming(options->streaming, out, err));
  TAREI_TRY(add_data(dataset, out, err));
  TAREI_TRY(run_settings_add_choice(tarei_dataset_spec(dataset),
                                    tarei_graph_count_draws(model->graph) > 0, out, err));
  TAREI_TRY(tarei_settings_add(out, TAREI_SETTING_WEIGHT,
                               options->weight ? tare_weight_name(options->weight) : "", err));
  TAREI_TRY(tarei_settings_add(out, TAREI_SETTING_NORMS, options->fold_norms ? "fold" : "", err));
  return add_decisions(options, out, err);
}

static bool find_level(const tarei_settings *const settings, const char *const name,
                       const char *const *const names, const int n, int *const out) {
  const char *const value = tarei_settings_find(settings, name);
  for (*out = 0; *out < n; (*out)++) {
    if (strcmp(value, names[*out]) == 0) {
      return true;
    }
  }
  return false;
}

bool tarei_run_settings_decisions(const tarei_settings *const settings,
                                  tare_calibrate_options *const options) {
  int rounding, clipping, correction, smoothing;
  if (!find_level(settings, TAREI_SETTING_ROUNDING, rounding_names, 2, &rounding) ||
      !find_level(settings, TAREI_SETTING_CLIPPING, clipping_names, N_LEVELS, &clipping) ||
      !find_level(settings, TAREI_SETTING_CORRECTION, correction_names, 2, &correction) ||
      !find_level(settings, TAREI_SETTING_SMOOTHING, smoothing_names, N_LEVELS, &smoothing)) {
    return false;
  }
  options->round_to_nearest = rounding == 1;
  options->clipping = (tare_clipping)clipping;
  options->bias_correction = correction == 1;
  options->smoothing = (tare_smoothing)smoothing;
  return true;
}
