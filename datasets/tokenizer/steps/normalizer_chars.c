/* Normalizers that look at one character at a time: Lowercase, StripAccents, Strip, Prepend. */
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "datasets/tokenizer/steps/step.h"
#include "datasets/tokenizer/unicode.h"

static tare_status lowercase_run(const void *const state, const tarei_text_span *const in,
                                 tarei_pieces *const out, tare_error *const err) {
  (void)state;
  (void)err;
  for (size_t at = 0; at < in->length;) {
    uint32_t c, lower[2];
    at += (size_t)tarei_utf8_read(in->text + at, &c);
    const int n = tarei_lower(c, lower);
    for (int i = 0; i < n; i++) {
      tarei_pieces_put_char(out, lower[i]);
    }
  }
  return TARE_OK;
}

static tare_status strip_accents_run(const void *const state, const tarei_text_span *const in,
                                     tarei_pieces *const out, tare_error *const err) {
  (void)state;
  (void)err;
  for (size_t at = 0; at < in->length;) {
    uint32_t c;
    const size_t n = (size_t)tarei_utf8_read(in->text + at, &c);
    tarei_pieces_put(out, in->text + at, tarei_is_mark(c) ? 0 : n);
    at += n;
  }
  return TARE_OK;
}

typedef struct strip_options {
  bool left, right;
} strip_options;

static tare_status strip_read(const cJSON *const object, void *const state, tare_error *const err) {
  strip_options *const o = state;
  TAREI_TRY(tarei_field_bool(object, "strip_left", &o->left, err));
  return tarei_field_bool(object, "strip_right", &o->right, err);
}

static tare_status strip_run(const void *const state, const tarei_text_span *const in,
                             tarei_pieces *const out, tare_error *const err) {
  (void)err;
  const strip_options *const o = state;
  size_t first = o->left ? in->length : 0, last = o->right ? 0 : in->length;
  for (size_t at = 0; at < in->length;) {
    uint32_t c;
    const size_t n = (size_t)tarei_utf8_read(in->text + at, &c);
    if (!tarei_is_space(c)) {
      first = at < first ? at : first;
      last = at + n > last ? at + n : last;
    }
    at += n;
  }
  if (first < last) {
    tarei_pieces_put(out, in->text + first, last - first);
    tarei_pieces_end(out, in->at_start && first == 0);
  }
  return TARE_OK;
}

typedef struct prepend_options {
  char *text;
} prepend_options;

static tare_status prepend_read(const cJSON *const object, void *const state,
                                tare_error *const err) {
  prepend_options *const o = state;
  const char *text = NULL;
  TAREI_TRY(tarei_field_name(object, "prepend", &text, err));
  o->text = tarei_strdup(text);
  return o->text ? TARE_OK : tarei_fail_memory(err, "prepend", strlen(text));
}

static tare_status prepend_run(const void *const state, const tarei_text_span *const in,
                               tarei_pieces *const out, tare_error *const err) {
  (void)err;
  const prepend_options *const o = state;
  tarei_pieces_put(out, o->text, strlen(o->text));
  tarei_pieces_put(out, in->text, in->length);
  return TARE_OK;
}

static void prepend_fini(void *const state) {
  free(((prepend_options *)state)->text);
}

const tarei_step_ops tarei_normalizer_lowercase = {.type = "Lowercase", .run = lowercase_run};
const tarei_step_ops tarei_normalizer_strip_accents = {.type = "StripAccents",
                                                       .run = strip_accents_run};
const tarei_step_ops tarei_normalizer_strip = {
    .type = "Strip", .state_bytes = sizeof(strip_options), .read = strip_read, .run = strip_run};
const tarei_step_ops tarei_normalizer_prepend = {.type = "Prepend",
                                                 .state_bytes = sizeof(prepend_options),
                                                 .read = prepend_read,
                                                 .run = prepend_run,
                                                 .fini = prepend_fini};
