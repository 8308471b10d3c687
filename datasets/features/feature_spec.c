#include "datasets/features/feature_spec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <tare/dataset.h>

#include "base/str.h"

static const tarei_feature_spec PRESETS[] = {
#define TAREI_FEATURES(...) {__VA_ARGS__},
#include "datasets/features/presets.inc"
#undef TAREI_FEATURES
};
enum { N_PRESETS = sizeof PRESETS / sizeof *PRESETS };

int tare_n_feature_presets(void) {
  return N_PRESETS;
}

const char *tare_feature_preset_name(const int preset) {
  return preset >= 0 && preset < N_PRESETS ? PRESETS[preset].name : NULL;
}

#define TAREI_CHOICES(list) static const char *const NAMES_##list[] = {
#define TAREI_CHOICE(list, id, name) name,
#define TAREI_CHOICES_END(list) \
  NULL                          \
  }                             \
  ;
#include "datasets/features/choices.inc"
#undef TAREI_CHOICES
#undef TAREI_CHOICE
#undef TAREI_CHOICES_END

/* One option: a whole number, a real one, or a name of a list. */
typedef struct option {
  const char *key;
  size_t field; /* its offset */
  double least, most;
  bool real;
  const char *const *names;
} option;

static const option OPTIONS[] = {
#define AT(field) offsetof(tarei_feature_spec, field)
#define TAREI_FEATURE_SIZE(key, field, least, most) {key, AT(field), least, most, false, NULL},
#define TAREI_FEATURE_REAL(key, field, least, most) {key, AT(field), least, most, true, NULL},
#define TAREI_FEATURE_NAME(key, field, list) {key, AT(field), 0, 0, false, NAMES_##list},
#include "datasets/features/options.inc"
#undef TAREI_FEATURE_SIZE
#undef TAREI_FEATURE_REAL
#undef TAREI_FEATURE_NAME
#undef AT
};
enum { N_OPTIONS = sizeof OPTIONS / sizeof *OPTIONS, TEXT_CAPACITY = 64 };

/* A piece of the text, up to a delimiter; longer ones are cut, and then match nothing. */
static const char *take_piece(const char *text, const char *const ends,
                              char out[static TEXT_CAPACITY]) {
  const size_t n = strcspn(text, ends);
  const size_t kept = n < TEXT_CAPACITY ? n : TEXT_CAPACITY - 1;
  memcpy(out, text, kept);
  out[kept] = '\0';
  return text + n;
}

static tare_status take_preset(const char *const name, tarei_feature_spec *const out,
                               tare_error *const err) {
  const char *names[N_PRESETS];
  for (int i = 0; i < N_PRESETS; i++) {
    names[i] = PRESETS[i].name;
  }
  int which;
  TAREI_TRY(tarei_pick("features", name, names, N_PRESETS, &which, err));
  *out = PRESETS[which];
  return TARE_OK;
}

static tare_status find_option(const char *const key, const option **const out,
                               tare_error *const err) {
  const char *keys[N_OPTIONS];
  for (int i = 0; i < N_OPTIONS; i++) {
    keys[i] = OPTIONS[i].key;
  }
  int which;
  TAREI_TRY(tarei_pick("feature option", key, keys, N_OPTIONS, &which, err));
  *out = &OPTIONS[which];
  return TARE_OK;
}

static tare_status take_name(const option *const o, const char *const value, int64_t *const out,
                             tare_error *const err) {
  int n = 0, which;
  while (o->names[n]) {
    n++;
  }
  TAREI_TRY(tarei_pick(o->key, value, o->names, n, &which, err));
  *out = which;
  return TARE_OK;
}

static tare_status feature_spec_take_number(const option *const o, const char *const value,
                                            void *const field, tare_error *const err) {
  char *end;
  const double number = strtod(value, &end);
  const bool whole = o->real || number == floor(number);
  if (end == value || *end || isspace((unsigned char)*value) || !whole ||
      !(number >= o->least && number <= o->most)) {
    return tarei_fail(err, TARE_E_USAGE, "features: %s: expected %s from %g to %g, got '%s'",
                      o->key, o->real ? "a number" : "an integer", o->least, o->most, value);
  }
  if (o->real) {
    *(double *)field = number;
  } else {
    *(int64_t *)field = (int64_t)number;
  }
  return TARE_OK;
}

static tare_status take_option(const char *const key, const char *const value,
                               tarei_feature_spec *const out, tare_error *const err) {
  const option *o;
  if (strcmp(key, "dither") == 0) { /* noise would make no two runs alike */
    return strtod(value, NULL) == 0
               ? TARE_OK
               : tarei_fail(err, TARE_E_USAGE, "features: dither: expected 0, got '%s'", value);
  }
  TAREI_TRY(find_option(key, &o, err));
  void *const field = (char *)out + o->field;
  out->layout_given = out->layout_given || o->field == offsetof(tarei_feature_spec, layout);
  return o->names ? take_name(o, value, field, err)
                  : feature_spec_take_number(o, value, field, err);
}

static tare_status feature_spec_check(const tarei_feature_spec *const s, tare_error *const err) {
  const double nyquist = (double)s->rate / 2;
  const double top = s->fmax > 0 ? s->fmax : nyquist + s->fmax;
  if (s->n_fft % 2 != 0) {
    return tarei_fail(err, TARE_E_USAGE, "features: n_fft: expected an even number, got %lld",
                      (long long)s->n_fft);
  }
  if (s->win > s->n_fft) {
    return tarei_fail(err, TARE_E_USAGE, "features: win=%lld exceeds n_fft=%lld", (long long)s->win,
                      (long long)s->n_fft);
  }
  if (!(s->fmin < top) || top > nyquist) {
    return tarei_fail(err, TARE_E_USAGE,
                      "features: mels from %g to %g Hz are not within 0 to %g Hz, half the rate",
                      s->fmin, top, nyquist);
  }
  return TARE_OK;
}

tare_status tarei_feature_spec_parse(const char *text, tarei_feature_spec *const out,
                                     tare_error *const err) {
  char key[TEXT_CAPACITY], value[TEXT_CAPACITY];
  text = take_piece(text, ",", key);
  TAREI_TRY(take_preset(key, out, err));
  while (*text) {
    text = take_piece(text + 1, "=,", key);
    if (*text != '=') {
      return tarei_fail(err, TARE_E_USAGE, "features: expected KEY=VALUE, got '%s'", key);
    }
    text = take_piece(text + 1, ",", value);
    TAREI_TRY(take_option(key, value, out, err));
  }
  return feature_spec_check(out, err);
}
