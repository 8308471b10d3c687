#include "datasets/lengths/length_filter.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

/* Whether a symbol is that of an axis that batches have, and of no other. */
static bool is_batch(const tare_port *const inputs, const int n_inputs, const char *const symbol) {
  bool first = false, other = false;
  for (int i = 0; i < n_inputs; i++) {
    for (int d = 0; d < inputs[i].rank; d++) {
      const char *const own = inputs[i].dims[d].symbol;
      const bool same = own && strcmp(own, symbol) == 0;
      first = first || (same && d == 0 && inputs[i].rank > 1);
      other = other || (same && d > 0);
    }
  }
  return first && !other;
}

/* Adds a symbol to those that can be the length, "S, T". */
static void filter_list(tarei_str *const out, const char *const symbol) {
  tarei_str_add(out, "%s%s", out->length ? ", " : "", symbol);
}

/* The symbol that is meant where none is named: the only one that is not that of batches. */
static tare_status filter_find_length(const tarei_length_filter *const f,
                                      const tare_port *const inputs, const int n_inputs,
                                      int *const out, tare_error *const err) {
  tarei_str names = {0};
  int n = 0;
  for (int s = 0; s < tare_profiles_n_symbols(f->symbols); s++) {
    const char *const name = tare_profiles_symbol(f->symbols, s);
    if (!tare_profiles_is_sum(f->symbols, s) && !is_batch(inputs, n_inputs, name)) {
      *out = s;
      n++;
      filter_list(&names, name);
    }
  }
  const tare_status status =
      n == 1   ? TARE_OK
      : n == 0 ? tarei_fail(err, TARE_E_USAGE,
                            "bounds of lengths: the inputs have no length that changes")
               : tarei_fail(err, TARE_E_USAGE,
                            "bounds of lengths: the inputs have several lengths (%s): name one, as "
                            "in %s=N",
                            tarei_str_get(&names), tare_profiles_symbol(f->symbols, *out));
  tarei_str_free(&names);
  return status;
}

static tare_status filter_find_named(const tarei_length_filter *const f, const char *const symbol,
                                     int *const out, tare_error *const err) {
  tarei_str names = {0};
  const int n = tare_profiles_n_symbols(f->symbols);
  for (int s = 0; s < n; s++) {
    const char *const name = tare_profiles_symbol(f->symbols, s);
    if (strcmp(name, symbol) == 0) {
      *out = s;
      tarei_str_free(&names);
      return TARE_OK;
    }
    filter_list(&names, name);
  }
  if (tare_profiles_pick(f->symbols, symbol, out, NULL) == TARE_OK) {
    tarei_str_free(&names);
    return TARE_OK;
  }
  (void)tarei_fail(err, TARE_E_USAGE, "bounds of lengths: no input has symbol '%s'%s%s", symbol,
                   n ? ", expected one of " : "", n ? tarei_str_get(&names) : "");
  tarei_str_free(&names);
  return TARE_E_USAGE;
}

static tare_status filter_check_numbers(const tare_length_bounds *const b, tare_error *const err) {
  const bool seconds = b->min_seconds != 0 || b->max_seconds != 0;
  if (b->min < 0 || b->max < 0 || !(b->min_seconds >= 0) || !(b->max_seconds >= 0)) {
    return tarei_fail(err, TARE_E_USAGE, "bounds of lengths must not be negative");
  }
  if (seconds && b->symbol) {
    return tarei_fail(err, TARE_E_USAGE,
                      "bounds of '%s': seconds are those of the recording, which has no symbol",
                      b->symbol);
  }
  if (b->max && b->min > b->max) {
    return tarei_fail(err, TARE_E_USAGE,
                      "bounds of lengths: minimum %" PRId64 " exceeds maximum %" PRId64, b->min,
                      b->max);
  }
  return b->max_seconds > 0 && b->min_seconds > b->max_seconds
             ? tarei_fail(err, TARE_E_USAGE,
                          "bounds of lengths: minimum %.12g s exceeds maximum %.12g s",
                          b->min_seconds, b->max_seconds)
             : TARE_OK;
}

static tare_status filter_take(tarei_length_filter *const f, const tare_length_bounds *const from,
                               const tare_port *const inputs, const int n_inputs,
                               tare_error *const err) {
  int number = -1;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_length_bounds, from, err));
  TAREI_TRY(filter_check_numbers(from, err));
  if (from->symbol) {
    TAREI_TRY(filter_find_named(f, from->symbol, &number, err));
  } else if (from->min || from->max) {
    TAREI_TRY(filter_find_length(f, inputs, n_inputs, &number, err));
  }
  f->bounds[f->n] = *from;
  f->bounds[f->n].symbol = number < 0 ? NULL : tare_profiles_symbol(f->symbols, number);
  f->numbers[f->n++] = number;
  return TARE_OK;
}

tare_status tarei_length_filter_init(tarei_length_filter *const filter,
                                     const tare_length_bounds *const bounds, const int64_t n,
                                     const tare_port *const inputs, const int n_inputs,
                                     tare_error *const err) {
  *filter = (tarei_length_filter){0};
  if (n < 1) {
    return n < 0 ? tarei_fail(err, TARE_E_USAGE, "%" PRId64 " bounds of lengths", n) : TARE_OK;
  }
  TAREI_TRY(tare_profiles_new(inputs, n_inputs, &filter->symbols, err));
  filter->bounds = tarei_calloc((size_t)n, sizeof *filter->bounds);
  filter->numbers = tarei_calloc((size_t)n, sizeof *filter->numbers);
  if (!filter->bounds || !filter->numbers) {
    return tarei_fail_memory(err, "bounds of lengths", (size_t)n * sizeof *filter->bounds);
  }
  for (int64_t i = 0; i < n; i++) {
    TAREI_TRY(filter_take(filter, &bounds[i], inputs, n_inputs, err));
  }
  return TARE_OK;
}

void tarei_length_filter_fini(tarei_length_filter *const filter) {
  tare_profiles_free(&filter->symbols);
  free(filter->bounds);
  free(filter->numbers);
  *filter = (tarei_length_filter){0};
}

static bool has_seconds(const tare_length_bounds *const b) {
  return b->min_seconds > 0 || b->max_seconds > 0;
}

const tare_length_bounds *tarei_length_filter_seconds(const tarei_length_filter *const filter) {
  for (int i = 0; i < filter->n; i++) {
    if (has_seconds(&filter->bounds[i])) {
      return &filter->bounds[i];
    }
  }
  return NULL;
}

static tarei_left_out filter_compare(const tare_length_bounds *const b, const int64_t length,
                                     const double seconds) {
  const bool elements = b->symbol != NULL;
  return (elements && length < b->min) || seconds < b->min_seconds ? TAREI_SHORTER
         : (elements && b->max && length > b->max) ||
                 (b->max_seconds > 0 && seconds > b->max_seconds)
             ? TAREI_LONGER
             : TAREI_LEFT_IN;
}

tare_status tarei_length_filter_judge(const tarei_length_filter *const filter,
                                      const tarei_slot *const slot, tarei_left_out *const out,
                                      tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  *out = TAREI_LEFT_IN;
  if (!filter->symbols ||
      tare_profiles_bind(filter->symbols, slot->tensors, values, NULL) != TARE_OK) {
    return TARE_OK;
  }
  for (int i = 0; i < filter->n && *out == TAREI_LEFT_IN; i++) {
    if (has_seconds(&filter->bounds[i]) && !slot->has_seconds) {
      return tarei_fail(err, TARE_E_USAGE,
                        "%s: bounds of lengths in seconds are for audio: give elements",
                        slot->name);
    }
    const int number = filter->numbers[i];
    *out = filter_compare(&filter->bounds[i], number < 0 ? 0 : values[number], slot->seconds);
  }
  return TARE_OK;
}

void tarei_length_filter_print(const tarei_length_filter *const filter, const bool maxima,
                               tarei_str *const out) {
  for (int i = 0; i < filter->n; i++) {
    const tare_length_bounds *const b = &filter->bounds[i];
    const int64_t length = maxima ? b->max : b->min;
    const double seconds = maxima ? b->max_seconds : b->min_seconds;
    const char *const comma = out->length ? "," : "";
    if (length > 0) {
      tarei_str_add(out, "%s%s=%" PRId64, comma, b->symbol, length);
    } else if (seconds > 0) {
      tarei_str_add(out, "%s%.12gs", comma, seconds);
    }
  }
}
