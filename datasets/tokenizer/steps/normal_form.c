#include "datasets/tokenizer/steps/normal_form.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "datasets/tokenizer/unicode.h"

static tare_status put_part(const tarei_normal_form form, const char *const text,
                            const size_t length, tarei_pieces *const out, tare_error *const err) {
  const int options = UTF8PROC_STABLE | (form.compose ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
                      (form.compatible ? UTF8PROC_COMPAT : 0);
  utf8proc_uint8_t *normal = NULL;
  const utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length,
                                          &normal, (utf8proc_option_t)options);
  if (n < 0) { /* the text is UTF-8: memory has run out */
    return tarei_fail_memory(err, "a normal form", length);
  }
  tarei_pieces_put(out, (const char *)normal, (size_t)n);
  free(normal);
  return TARE_OK;
}

tare_status tarei_normal_form_put(const tarei_normal_form form, const char *const text,
                                  const size_t length, tarei_pieces *const out,
                                  tare_error *const err) {
  size_t from = 0, at = 0;
  while (at < length) {
    uint32_t c;
    const size_t bytes = (size_t)tarei_utf8_read(text + at, &c);
    if (tarei_is_undecomposed(c)) {
      TAREI_TRY(put_part(form, text + from, at - from, out, err));
      tarei_pieces_put(out, text + at, bytes);
      from = at + bytes;
    }
    at += bytes;
  }
  return put_part(form, text + from, length - from, out, err);
}

/* --- normalizers ------------------------------------------------------------------------------ */

#include "datasets/tokenizer/steps/step.h"

static tare_status nfc_run(const void *const state, const tarei_text_span *const in,
                           tarei_pieces *const out, tare_error *const err) {
  (void)state;
  return tarei_normal_form_put((tarei_normal_form){.compose = true}, in->text, in->length, out,
                               err);
}

static tare_status nfd_run(const void *const state, const tarei_text_span *const in,
                           tarei_pieces *const out, tare_error *const err) {
  (void)state;
  return tarei_normal_form_put((tarei_normal_form){0}, in->text, in->length, out, err);
}

static tare_status nfkc_run(const void *const state, const tarei_text_span *const in,
                            tarei_pieces *const out, tare_error *const err) {
  (void)state;
  return tarei_normal_form_put((tarei_normal_form){.compose = true, .compatible = true}, in->text,
                               in->length, out, err);
}

static tare_status nfkd_run(const void *const state, const tarei_text_span *const in,
                            tarei_pieces *const out, tare_error *const err) {
  (void)state;
  return tarei_normal_form_put((tarei_normal_form){.compatible = true}, in->text, in->length, out,
                               err);
}

const tarei_step_ops tarei_normalizer_nfc = {.type = "NFC", .run = nfc_run};
const tarei_step_ops tarei_normalizer_nfd = {.type = "NFD", .run = nfd_run};
const tarei_step_ops tarei_normalizer_nfkc = {.type = "NFKC", .run = nfkc_run};
const tarei_step_ops tarei_normalizer_nfkd = {.type = "NFKD", .run = nfkd_run};
