#include "datasets/data_spec.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "shapes/number.h"

static int data_spec_find_input(const tare_dataset_options *const options, const char *const name) {
  for (int i = 0; i < options->n_inputs; i++) {
    if (strcmp(options->inputs[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

static bool data_spec_is_wanted(const tare_dataset_options *const options, const char *const name) {
  return data_spec_find_input(options, name) >= 0 ||
         (options->labels && strcmp(options->labels, name) == 0);
}

static tare_status check_mapping(const tare_dataset_options *const options, const int i,
                                 tare_error *const err) {
  const tare_mapping *const mapping = &options->mappings[i];
  if (!mapping->input || !mapping->path) {
    return tarei_fail(err, TARE_E_USAGE, "a mapping needs both an input and a path");
  }
  if (!data_spec_is_wanted(options, mapping->input)) {
    return tarei_fail(err, TARE_E_USAGE, "mapping of '%s': the model has no such input",
                      mapping->input);
  }
  if (mapping->offsets && mapping->lengths) {
    return tarei_fail(err, TARE_E_USAGE,
                      "mapping of '%s': offsets and lengths are mutually exclusive",
                      mapping->input);
  }
  for (int j = 0; j < i; j++) {
    if (strcmp(options->mappings[j].input, mapping->input) == 0) {
      return tarei_fail(err, TARE_E_USAGE, "duplicate mapping of '%s': '%s' and '%s'",
                        mapping->input, options->mappings[j].path, mapping->path);
    }
  }
  return TARE_OK;
}

static tare_status check_waveform(const tare_dataset_options *const options, const int i,
                                  tare_error *const err) {
  const char *const name = options->waveforms[i];
  const int input = data_spec_find_input(options, name);
  if (input < 0) {
    return tarei_fail(err, TARE_E_USAGE, "waveform '%s': the model has no such input", name);
  }
  const tare_dtype dtype = options->inputs[input].dtype;
  return tarei_is_float(dtype)
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE, "waveform '%s' is %s: a gain needs floats", name,
                          tare_dtype_name(dtype));
}

static tare_status check_waveforms(const tare_dataset_options *const options,
                                   tare_error *const err) {
  if (options->n_waveforms && !options->gain_range) {
    return tarei_fail(err, TARE_E_USAGE, "waveform '%s' needs a gain range", options->waveforms[0]);
  }
  if (options->n_waveforms && options->features) {
    return tarei_fail(err, TARE_E_USAGE,
                      "waveform '%s' is fed with features: the gain applies to the audio before",
                      options->waveforms[0]);
  }
  for (int i = 0; i < options->n_waveforms; i++) {
    TAREI_TRY(check_waveform(options, i, err));
  }
  return TARE_OK;
}

static tare_status check_texts(const tare_dataset_options *const options, tare_error *const err) {
  if (options->max_tokens < 0) {
    return tarei_fail(err, TARE_E_USAGE, "the number of tokens (%lld) must not be negative",
                      (long long)options->max_tokens);
  }
  if (!options->tokenizer && (options->text || options->text_pair || options->max_tokens ||
                              options->text_files || options->special_tokens)) {
    return tarei_fail(err, TARE_E_USAGE, "options of texts need a tokenizer");
  }
  return TARE_OK;
}

static void mark_empty(const tare_dataset_options *const options, tare_port *const port) {
  for (int d = 0; d < port->rank; d++) {
    const char *const symbol = port->dims[d].symbol;
    for (int i = 0; symbol && i < options->n_empty_symbols; i++) {
      port->dims[d].value = strcmp(options->empty_symbols[i], symbol) ? port->dims[d].value : 0;
    }
  }
}

static tare_status data_spec_check_options(const tare_dataset_options *const options,
                                           tare_error *const err) {
  if (options->n_inputs < 1) {
    return tarei_fail(err, TARE_E_USAGE, "a data set needs at least one model input to feed");
  }
  if (options->rate < 0 || options->limit < 0 || options->most < 0) {
    return tarei_fail(err, TARE_E_USAGE,
                      "rate (%d), limit (%lld) and most (%lld) must not be negative", options->rate,
                      (long long)options->limit, (long long)options->most);
  }
  if (options->channel < 0 || options->threads < 0) {
    return tarei_fail(err, TARE_E_USAGE, "channel (%d) and threads (%d) must not be negative",
                      options->channel, options->threads);
  }
  for (int i = 0; i < options->n_inputs; i++) {
    const tare_port *const port = &options->inputs[i];
    if (tare_dtype_size(port->dtype) == 0) {
      return tarei_fail(err, TARE_E_USAGE,
                        "input '%s' has an element type that no data set provides", port->name);
    }
  }
  for (int i = 0; i < options->n_mappings; i++) {
    TAREI_TRY(check_mapping(options, i, err));
  }
  if (options->n_shards < 0 ||
      (options->n_shards && (options->shard < 0 || options->shard >= options->n_shards))) {
    return tarei_fail(err, TARE_E_USAGE, "shard %lld of %lld: shards are counted from 0",
                      (long long)options->shard, (long long)options->n_shards);
  }
  TAREI_TRY(check_texts(options, err));
  return check_waveforms(options, err);
}

/* Features have a rate of their own, which audio is then brought to. */
static tare_status make_features(const tare_dataset_options *const options,
                                 tarei_data_spec *const out, tare_error *const err) {
  tarei_feature_spec spec;
  TAREI_TRY(tarei_feature_spec_parse(options->features, &spec, err));
  if (options->rate && options->rate != spec.rate) {
    return tarei_fail(
        err, TARE_E_USAGE,
        "rate %d does not match %s features, which use %lld Hz (set the feature option rate=%d)",
        options->rate, spec.name, (long long)spec.rate, options->rate);
  }
  out->rate = (int)spec.rate;
  out->features_text = tarei_strdup(options->features);
  if (!out->features_text) {
    return tarei_fail_memory(err, "features", strlen(options->features));
  }
  return tarei_features_new(&spec, &out->features, err);
}

/* "bos", "eos" or "bos:eos" */
static tare_status parse_special(const char *const text, tarei_tokenizer_options *const out,
                                 tare_error *const err) {
  static const char *const NAMES[] = {"bos", "eos", "bos:eos"};
  int picked = 0;
  if (!text) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_pick("special tokens", text, NAMES, 3, &picked, err));
  out->bos = picked != 1;
  out->eos = picked != 0;
  return TARE_OK;
}

static tare_status make_tokenizer(const tare_dataset_options *const options,
                                  tarei_data_spec *const out, tare_error *const err) {
  tarei_tokenizer_options how = {.most_tokens = options->max_tokens};
  TAREI_TRY(parse_special(options->special_tokens, &how, err));
  out->text = tarei_strdup(options->text);
  out->pair = tarei_strdup(options->text_pair);
  out->whole_files = options->text_files;
  if ((options->text && !out->text) || (options->text_pair && !out->pair)) {
    return tarei_fail_memory(err, "data set options", sizeof *out);
  }
  return tarei_tokenizer_open(options->tokenizer, &how, &out->tokenizer, err);
}

static bool own_mapping(tare_mapping *const m) {
  const bool input = tarei_own_name(&m->input), path = tarei_own_name(&m->path);
  const bool offsets = tarei_own_name(&m->offsets), lengths = tarei_own_name(&m->lengths);
  return input && path && offsets && lengths;
}

static void data_spec_copy_plain(const tare_dataset_options *const options,
                                 tarei_data_spec *const out) {
  out->rate = options->rate;
  out->channel = options->channel;
  out->threads = options->threads;
  out->skip_bad = options->skip_bad;
  out->rows = options->rows;
  out->limit = options->limit;
  out->shard = options->shard;
  out->n_shards = options->n_shards;
  out->wants = options->wants;
  out->wants_user = options->wants_user;
  out->check = options->check;
  out->check_user = options->check_user;
  out->most = options->most;
  out->seed = options->seed;
}

tare_status tarei_data_spec_copy(const tare_dataset_options *const options,
                                 tarei_data_spec *const out, tare_error *const err) {
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_dataset_options, options, err));
  TAREI_TRY(data_spec_check_options(options, err));
  data_spec_copy_plain(options, out);
  tare_limits_init(&out->limits);
  if (options->limits) {
    out->limits = *options->limits;
    TAREI_TRY(tarei_limits_check(&out->limits, err));
  }
  if (options->features) {
    TAREI_TRY(make_features(options, out, err));
  }
  if (options->tokenizer) {
    TAREI_TRY(make_tokenizer(options, out, err));
  }
  if (options->gain_range) {
    TAREI_TRY(tarei_gain_parse(options->gain_range, &out->gain, err));
  }
  out->labels = tarei_strdup(options->labels);
  bool ok = !options->labels || out->labels;
  out->inputs = tarei_calloc((size_t)options->n_inputs, sizeof *out->inputs);
  out->mappings = tarei_calloc((size_t)options->n_mappings, sizeof *out->mappings);
  out->waveforms = tarei_calloc((size_t)options->n_inputs, sizeof *out->waveforms);
  ok = ok && out->inputs && out->mappings && out->waveforms;
  for (int i = 0; ok && i < options->n_waveforms; i++) {
    out->waveforms[data_spec_find_input(options, options->waveforms[i])] = true;
  }
  for (int i = 0; ok && i < options->n_inputs; i++) {
    out->inputs[i] = options->inputs[i];
    out->n_inputs++;
    mark_empty(options, &out->inputs[i]);
    ok = tarei_own_port(&out->inputs[i]);
  }
  for (int i = 0; ok && i < options->n_mappings; i++) {
    out->mappings[i] = options->mappings[i];
    out->n_mappings++;
    ok = own_mapping(&out->mappings[i]);
  }
  ok = ok && tarei_unfed_copy(options->streaming, &out->states);
  return ok ? tarei_length_filter_init(&out->lengths, options->lengths, options->n_lengths,
                                       out->inputs, out->n_inputs, err)
            : tarei_fail_memory(err, "data set options", sizeof *out);
}

void tarei_data_spec_fini(tarei_data_spec *const spec) {
  free(spec->kept);
  tarei_unfed_fini(&spec->states);
  for (int i = 0; i < spec->n_inputs; i++) {
    tarei_free_port(&spec->inputs[i]);
  }
  for (int i = 0; i < spec->n_mappings; i++) {
    free((char *)spec->mappings[i].input);
    free((char *)spec->mappings[i].path);
    free((char *)spec->mappings[i].offsets);
    free((char *)spec->mappings[i].lengths);
  }
  free(spec->inputs);
  free(spec->mappings);
  free(spec->text);
  free(spec->pair);
  tarei_tokenizer_close(spec->tokenizer);
  free(spec->labels);
  free(spec->waveforms);
  tarei_features_free(&spec->features);
  free(spec->features_text);
  tarei_length_filter_fini(&spec->lengths);
  tare_profiles_free(&spec->covered);
  *spec = (tarei_data_spec){0};
}

const tare_mapping *tarei_data_spec_mapping(const tarei_data_spec *const spec,
                                            const char *const name) {
  for (int i = 0; i < spec->n_mappings; i++) {
    if (strcmp(spec->mappings[i].input, name) == 0) {
      return &spec->mappings[i];
    }
  }
  return NULL;
}

static bool is_spec_input(const tarei_data_spec *const spec, const char *const name) {
  for (int i = 0; i < spec->n_inputs; i++) {
    if (strcmp(spec->inputs[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

void tarei_data_spec_add_map_hint(const tarei_data_spec *const spec, const char *const name,
                                  tarei_str *const text) {
  if (is_spec_input(spec, name) && !tarei_data_spec_mapping(spec, name)) {
    tarei_str_add(text, " (--map %s=NAME reads it from another name)", name);
  }
}

const char *tarei_data_spec_hint(const tarei_data_spec *const spec) {
  bool integers = !spec->tokenizer;
  for (int i = 0; i < spec->n_inputs; i++) {
    const tare_dtype dtype = spec->inputs[i].dtype;
    integers = integers && (dtype == TARE_I64 || dtype == TARE_I32);
  }
  return integers ? " (texts need --tokenizer)" : "";
}
