/* BertNormalizer: removes control characters, sets CJK apart, removes accents, lowers case. */
#include "base/utf8.h"
#include "datasets/tokenizer/steps/normal_form.h"
#include "datasets/tokenizer/steps/step.h"
#include "datasets/tokenizer/unicode.h"

typedef struct bert_options {
  bool clean, cjk, accents, lower;
} bert_options;

static tare_status bert_read(const cJSON *const object, void *const state, tare_error *const err) {
  bert_options *const o = state;
  *o = (bert_options){.clean = true, .cjk = true, .lower = true};
  TAREI_TRY(tarei_field_bool(object, "clean_text", &o->clean, err));
  TAREI_TRY(tarei_field_bool(object, "handle_chinese_chars", &o->cjk, err));
  TAREI_TRY(tarei_field_bool(object, "lowercase", &o->lower, err));
  o->accents = o->lower;
  return tarei_field_bool(object, "strip_accents", &o->accents, err);
}

static bool is_cjk(const uint32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
         (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b73f) ||
         (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

static bool is_unclean(const uint32_t c) {
  const bool blank = c == '\t' || c == '\n' || c == '\r';
  return c == 0 || c == 0xfffd || (!blank && tarei_is_other(c));
}

/* Cleans and sets apart; what is left is for the second pass. */
static void put_cleaned(const bert_options *const o, const tarei_text_span *const in,
                        tarei_pieces *const out) {
  for (size_t at = 0; at < in->length;) {
    uint32_t c;
    at += (size_t)tarei_utf8_read(in->text + at, &c);
    if (o->clean && is_unclean(c)) {
      continue;
    }
    const uint32_t clean = o->clean && tarei_is_space(c) ? ' ' : c;
    const bool apart = o->cjk && is_cjk(clean);
    tarei_pieces_put(out, " ", apart);
    tarei_pieces_put_char(out, clean);
    tarei_pieces_put(out, " ", apart);
  }
}

static void put_lowered(const bert_options *const o, const char *const text, const size_t length,
                        tarei_pieces *const out) {
  for (size_t at = 0; at < length;) {
    uint32_t c, lower[2];
    at += (size_t)tarei_utf8_read(text + at, &c);
    if (o->accents && tarei_is_nonspacing(c)) {
      continue;
    }
    lower[0] = c;
    const int n = o->lower ? tarei_lower(c, lower) : 1;
    for (int i = 0; i < n; i++) {
      tarei_pieces_put_char(out, lower[i]);
    }
  }
}

static tare_status bert_run(const void *const state, const tarei_text_span *const in,
                            tarei_pieces *const out, tare_error *const err) {
  const bert_options *const o = state;
  tarei_pieces cleaned = {0}, parts = {0};
  put_cleaned(o, in, &cleaned);
  tare_status status = tarei_pieces_check(&cleaned, err);
  if (status == TARE_OK && o->accents) {
    status = tarei_normal_form_put((tarei_normal_form){0}, cleaned.bytes ? cleaned.bytes : "",
                                   cleaned.length, &parts, err);
  }
  if (status == TARE_OK) {
    const tarei_pieces *const from = o->accents ? &parts : &cleaned;
    status = tarei_pieces_check(from, err);
    put_lowered(o, from->bytes, from->length, out);
  }
  tarei_pieces_fini(&cleaned);
  tarei_pieces_fini(&parts);
  return status;
}

const tarei_step_ops tarei_normalizer_bert = {.type = "BertNormalizer",
                                              .state_bytes = sizeof(bert_options),
                                              .read = bert_read,
                                              .run = bert_run};
