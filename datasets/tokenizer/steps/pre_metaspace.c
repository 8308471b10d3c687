/* Metaspace: a visible character for each space, at which texts are split. */
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "datasets/tokenizer/steps/splits.h"
#include "datasets/tokenizer/steps/step.h"

enum { SCHEME_ALWAYS, SCHEME_FIRST, SCHEME_NEVER };

typedef struct metaspace_options {
  char replacement[8];
  int scheme;
  bool split;
} metaspace_options;

static tare_status read_replacement(const cJSON *const object, metaspace_options *const o,
                                    tare_error *const err) {
  const char *text = "\xe2\x96\x81";
  uint32_t c;
  TAREI_TRY(tarei_field_text(object, "replacement", &text, err));
  const int n = tarei_utf8_read(text, &c);
  if (!*text || n == 0 || text[n]) {
    return tarei_fail(err, TARE_E_INPUT, "'replacement' is not one character");
  }
  memcpy(o->replacement, text, (size_t)n);
  return TARE_OK;
}

static tare_status metaspace_read(const cJSON *const object, void *const state,
                                  tare_error *const err) {
  static const char *const SCHEMES[] = {"always", "first", "never"};
  metaspace_options *const o = state;
  const char *scheme = NULL;
  bool prefix = true; /* of older files */
  o->split = true;
  TAREI_TRY(read_replacement(object, o, err));
  TAREI_TRY(tarei_field_bool(object, "split", &o->split, err));
  TAREI_TRY(tarei_field_bool(object, "add_prefix_space", &prefix, err));
  TAREI_TRY(tarei_field_text(object, "prepend_scheme", &scheme, err));
  o->scheme = prefix ? SCHEME_ALWAYS : SCHEME_NEVER;
  if (scheme && tarei_pick("scheme", scheme, SCHEMES, 3, &o->scheme, err) != TARE_OK) {
    return tarei_fail_in(err, TARE_E_INPUT, "'prepend_scheme'");
  }
  return TARE_OK;
}

static bool begins_with(const char *const text, const size_t length, const char *const start) {
  return length >= strlen(start) && memcmp(text, start, strlen(start)) == 0;
}

static tare_status metaspace_run(const void *const state, const tarei_text_span *const in,
                                 tarei_pieces *const out, tare_error *const err) {
  (void)err;
  const metaspace_options *const o = state;
  const size_t n = strlen(o->replacement);
  const bool there = in->text[0] == ' ' || begins_with(in->text, in->length, o->replacement);
  const bool first = o->scheme == SCHEME_ALWAYS || (o->scheme == SCHEME_FIRST && in->at_start);
  bool at_start = in->at_start;
  tarei_pieces_put(out, o->replacement, first && !there ? n : 0);
  for (size_t at = 0; at < in->length;) {
    uint32_t c;
    const size_t bytes = (size_t)tarei_utf8_read(in->text + at, &c);
    const bool space = c == ' ' || begins_with(in->text + at, in->length - at, o->replacement);
    if (space && o->split) {
      tarei_pieces_end(out, at_start);
      at_start = at_start && at == 0;
    }
    tarei_pieces_put(out, space ? o->replacement : in->text + at, space ? n : bytes);
    at += bytes;
  }
  tarei_pieces_end(out, at_start);
  return TARE_OK;
}

const tarei_step_ops tarei_pre_tokenizer_metaspace = {.type = "Metaspace",
                                                      .state_bytes = sizeof(metaspace_options),
                                                      .read = metaspace_read,
                                                      .run = metaspace_run};
