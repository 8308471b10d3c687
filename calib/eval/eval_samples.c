#include "calib/eval/eval_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/streaming.h"

void tarei_eval_samples_init(tarei_eval_samples *const samples, const tare_profiles *const profiles,
                             const tare_streaming *const streaming) {
  const bool chunks = streaming && streaming->size;
  *samples = (tarei_eval_samples){.profiles = profiles,
                                  .streaming = chunks ? streaming : NULL,
                                  .n_lengths = chunks ? 1 : tare_profiles_n_symbols(profiles)};
}

void tarei_eval_samples_fini(tarei_eval_samples *const samples) {
  free(samples->items);
  free(samples->lengths);
  free(samples->names);
  *samples = (tarei_eval_samples){0};
}

/* Room for one sample more, with its name. */
static tare_status eval_samples_reserve(tarei_eval_samples *const s, const size_t name_bytes,
                                        tare_error *const err) {
  const size_t row = (size_t)s->n_lengths * sizeof *s->lengths;
  const size_t before = s->cap;
  bool good = TAREI_GROW(s->items, s->n, s->cap);
  if (good && s->cap != before) {
    int64_t *const lengths = tarei_realloc(s->lengths, tarei_times(s->cap, row ? row : 1));
    good = lengths != NULL;
    s->lengths = good ? lengths : s->lengths;
    s->cap = good ? s->cap : before;
  }
  if (good && s->cap_names - s->name_bytes < name_bytes) {
    const size_t bytes = tarei_plus(tarei_times(s->cap_names, 2), name_bytes);
    char *const names = tarei_realloc(s->names, bytes);
    good = names != NULL;
    s->names = good ? names : s->names;
    s->cap_names = good ? bytes : s->cap_names;
  }
  return good ? TARE_OK : tarei_fail_memory(err, "the samples of an evaluation", name_bytes + row);
}

tare_status tarei_eval_samples_note(tarei_eval_samples *const samples, const char *const name,
                                    const tarei_fitted *const fitted, const int64_t n_chunks,
                                    tare_error *const err) {
  const size_t bytes = strlen(name) + 1, n = (size_t)samples->n_lengths;
  const int64_t advanced = samples->streaming ? n_chunks * samples->streaming->hop : 0;
  TAREI_TRY(eval_samples_reserve(samples, bytes, err));
  samples->items[samples->n].name = samples->name_bytes;
  samples->items[samples->n].profile = fitted->profile;
  memcpy(samples->names + samples->name_bytes, name, bytes);
  if (n) {
    memcpy(samples->lengths + (size_t)samples->n * n, samples->streaming ? &advanced : fitted->own,
           n * sizeof *samples->lengths);
  }
  return TARE_OK;
}

void tarei_eval_samples_keep(tarei_eval_samples *const samples) {
  samples->name_bytes += strlen(samples->names + samples->name_bytes) + 1;
  samples->n++;
}

/* The symbol whose lengths range the farthest; -1: there is none. */
static int eval_samples_widest(const tarei_eval_samples *const s) {
  int widest = -1;
  double most = -1;
  for (int k = 0; k < s->n_lengths; k++) {
    int64_t min = INT64_MAX, max = 0;
    for (int64_t i = 0; i < s->n; i++) {
      const int64_t length = s->lengths[i * s->n_lengths + k];
      min = length < min ? length : min;
      max = length > max ? length : max;
    }
    const double width = (double)max / (double)(min > 0 ? min : 1);
    widest = width > most ? k : widest;
    most = width > most ? width : most;
  }
  return widest;
}

static const char *eval_samples_symbol(const tarei_eval_samples *const s, const int symbol) {
  return symbol < 0     ? ""
         : s->streaming ? tarei_str_get(&s->streaming->chunked)
                        : tare_profiles_symbol(s->profiles, symbol);
}

tare_status tarei_eval_samples_conclude(tarei_eval_samples *const samples,
                                        tare_eval_result *const result, tare_error *const err) {
  const int symbol = eval_samples_widest(samples);
  tare_eval_sample *const all = tarei_calloc((size_t)samples->n, sizeof *all);
  char *const name = tarei_strdup(eval_samples_symbol(samples, symbol));
  if (!all || !name) {
    free(all);
    free(name);
    return tarei_fail_memory(err, "the samples of an evaluation", (size_t)samples->n * sizeof *all);
  }
  for (int64_t i = 0; i < samples->n; i++) {
    all[i] = (tare_eval_sample){
        .name = samples->names + samples->items[i].name,
        .length = symbol < 0 ? 0 : samples->lengths[i * samples->n_lengths + symbol],
        .profile = samples->items[i].profile};
  }
  result->samples = all;
  result->sample_names = samples->names;
  result->length_symbol = name;
  samples->names = NULL;
  return TARE_OK;
}
