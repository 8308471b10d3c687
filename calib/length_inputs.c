/* Which inputs hold the length of another, as data show it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "shapes/length_input.h"

/* An input that may hold lengths: all its elements were the value of these symbols so far. */
typedef struct candidate {
  int input;
  bool equal[TARE_MAX_SYMBOLS];
} candidate;

typedef struct search {
  const tare_port *inputs;
  tare_profiles *symbols; /* a set without profiles, for names and values */
  int n_symbols;
  candidate *candidates;
  int n_candidates;
  bool varies[TARE_MAX_SYMBOLS];
  int64_t first[TARE_MAX_SYMBOLS]; /* values of the first sample */
  int64_t n_samples;
} search;

/* Whole numbers, one a sample: no axis but that of the batch. */
static bool may_hold_lengths(const tare_port *const port) {
  bool one = tarei_is_length_dtype(port->dtype);
  for (int axis = 1; axis < port->rank; axis++) {
    one = one && port->dims[axis].value == 1;
  }
  return one;
}

/* Not of its own axis: a batch of one has an element that is one. */
static bool has_axis(const tare_port *const port, const char *const symbol) {
  const char *const own = port->rank > 0 ? port->dims[0].symbol : NULL;
  return own && strcmp(own, symbol) == 0;
}

static tare_status length_inputs_begin(search *const s, const int n_inputs, tare_error *const err) {
  TAREI_TRY(tare_profiles_new(s->inputs, n_inputs, &s->symbols, err));
  s->n_symbols = tare_profiles_n_symbols(s->symbols);
  s->candidates = tarei_calloc((size_t)n_inputs, sizeof *s->candidates);
  if (!s->candidates) {
    return tarei_fail_memory(err, "length inputs", (size_t)n_inputs * sizeof *s->candidates);
  }
  for (int i = 0; i < n_inputs; i++) {
    if (may_hold_lengths(&s->inputs[i])) {
      candidate *const c = &s->candidates[s->n_candidates++];
      c->input = i;
      for (int k = 0; k < s->n_symbols; k++) {
        c->equal[k] = !has_axis(&s->inputs[i], tare_profiles_symbol(s->symbols, k));
      }
    }
  }
  return TARE_OK;
}

/* Whether any input can still hold a length. */
static bool is_open(const search *const s) {
  for (int c = 0; c < s->n_candidates; c++) {
    for (int k = 0; k < s->n_symbols; k++) {
      if (s->candidates[c].equal[k]) {
        return true;
      }
    }
  }
  return false;
}

/* A sample whose tensors contradict each other is ignored here; whatever uses the data rejects it.
 */
static void length_inputs_take(search *const s, const tare_sample *const sample) {
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  if (tare_profiles_bind(s->symbols, sample->tensors, values, NULL) != TARE_OK) {
    return;
  }
  for (int k = 0; k < s->n_symbols; k++) {
    s->first[k] = s->n_samples ? s->first[k] : values[k];
    s->varies[k] |= values[k] != s->first[k];
    for (int c = 0; c < s->n_candidates; c++) {
      candidate *const one = &s->candidates[c];
      one->equal[k] = one->equal[k] && tarei_lengths_equal(&sample->tensors[one->input], values[k]);
    }
  }
  s->n_samples++;
}

static tare_status length_inputs_read(search *const s, tare_dataset *const dataset,
                                      tare_error *const err) {
  const tare_sample *sample = NULL;
  TAREI_TRY(tare_dataset_rewind_for_dims(dataset, err));
  while (is_open(s)) {
    TAREI_TRY(tare_dataset_next(dataset, &sample, err));
    if (!sample) {
      break;
    }
    length_inputs_take(s, sample);
  }
  return tare_dataset_rewind(dataset, err);
}

/* A value that never changes may be anything: a rate, a count of channels. */
static const char *length_inputs_symbol_of(const search *const s, const candidate *const c) {
  for (int k = 0; k < s->n_symbols; k++) {
    const char *const name = tare_profiles_symbol(s->symbols, k);
    for (int i = 0; c->equal[k] && s->varies[k]; i++) {
      for (int axis = 0; axis < s->inputs[i].rank; axis++) {
        const char *const symbol = s->inputs[i].dims[axis].symbol;
        if (symbol && strcmp(symbol, name) == 0) {
          return symbol; /* the caller's, unlike that of the set */
        }
      }
    }
  }
  return NULL;
}

tare_status tare_length_inputs_find(tare_dataset *const *const datasets, const int n_datasets,
                                    const tare_port *const inputs, const int n_inputs,
                                    tare_length_input *const out, int *const n_out,
                                    tare_error *const err) {
  search s = {.inputs = inputs};
  tare_status status = length_inputs_begin(&s, n_inputs, err);
  *n_out = 0;
  for (int i = 0; status == TARE_OK && s.n_candidates && i < n_datasets; i++) {
    status = length_inputs_read(&s, datasets[i], err);
  }
  for (int c = 0; status == TARE_OK && c < s.n_candidates; c++) {
    const char *const symbol = length_inputs_symbol_of(&s, &s.candidates[c]);
    if (symbol) {
      out[(*n_out)++] = (tare_length_input){inputs[s.candidates[c].input].name, symbol};
    }
  }
  tare_profiles_free(&s.symbols);
  free(s.candidates);
  return status;
}
