/* Precompiled: the rules of a SentencePiece model, a double array (Darts) of replaced texts with
 * the offsets of what replaces them. */
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/base64.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "datasets/tokenizer/steps/step.h"

enum { UNIT = 4, LONGEST_CLUSTER = 6 }; /* bytes; longer ones are replaced by character */

typedef struct precompiled_rules {
  uint8_t *bytes;
  size_t n_units;
  const uint8_t *units;
  const char *replacements; /* each ends with a zero */
  size_t n_replacements;    /* bytes */
} precompiled_rules;

static uint32_t precompiled_word(const uint8_t *const at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Bytes of a text in base64, by its length and padding. */
static size_t rules_bytes(const char *const text, const size_t length) {
  const size_t padding = length && text[length - 1] == '=' ? 1 + (text[length - 2] == '=') : 0;
  return length / 4 * 3 - padding;
}

static tare_status precompiled_read(const cJSON *const object, void *const state,
                                    tare_error *const err) {
  precompiled_rules *const rules = state;
  const char *text = NULL;
  TAREI_TRY(tarei_field_name(object, "precompiled_charsmap", &text, err));
  const size_t length = strlen(text);
  if (length < 8 || length % 4) {
    return tarei_fail(err, TARE_E_INPUT, "'precompiled_charsmap' is not base64");
  }
  const size_t n = rules_bytes(text, length);
  rules->bytes = tarei_calloc(n + 1, 1); /* with a zero behind the last replacement */
  if (!rules->bytes) {
    return tarei_fail_memory(err, "precompiled_charsmap", n);
  }
  if (!tarei_base64_take(text, rules->bytes, n)) {
    return tarei_fail(err, TARE_E_INPUT, "'precompiled_charsmap' is not base64");
  }
  const uint32_t units = precompiled_word(rules->bytes);
  if (units < UNIT || units > n - UNIT || units % UNIT) {
    return tarei_fail(err, TARE_E_INPUT,
                      "'precompiled_charsmap' declares %u bytes of rules, it has %zu", units, n);
  }
  rules->n_units = units / UNIT;
  rules->units = rules->bytes + UNIT;
  rules->replacements = (const char *)rules->units + units;
  rules->n_replacements = n - UNIT - units;
  const bool valid = utf8proc_decompose((const utf8proc_uint8_t *)rules->replacements,
                                        (utf8proc_ssize_t)rules->n_replacements, NULL, 0,
                                        (utf8proc_option_t)0) >= 0;
  return valid ? TARE_OK
               : tarei_fail(err, TARE_E_INPUT, "'precompiled_charsmap' has text that is not UTF-8");
}

static uint32_t unit_offset(const uint32_t unit) {
  return (unit >> 10) << ((unit & (1u << 9)) >> 6);
}

/* What replaces the shortest beginning of a text that has a rule; NULL: none. */
static const char *precompiled_find(const precompiled_rules *const rules, const char *const text,
                                    const size_t length) {
  uint32_t at = unit_offset(precompiled_word(rules->units));
  for (size_t i = 0; i < length && text[i]; i++) {
    at ^= (uint8_t)text[i];
    if (at >= rules->n_units) {
      return NULL;
    }
    const uint32_t unit = precompiled_word(rules->units + (size_t)at * UNIT);
    if ((unit & (1u << 31 | 0xff)) != (uint8_t)text[i]) {
      return NULL;
    }
    at ^= unit_offset(unit);
    if (unit >> 8 & 1) { /* a rule ends here */
      const uint32_t value = at < rules->n_units
                                 ? precompiled_word(rules->units + (size_t)at * UNIT) & ~(1u << 31)
                                 : UINT32_MAX;
      const bool begins =
          value < rules->n_replacements && ((uint8_t)rules->replacements[value] & 0xc0) != 0x80;
      return begins ? rules->replacements + value : NULL;
    }
  }
  return NULL;
}

/* A cluster of characters that belong together, as a whole if there is a rule for it. */
static void put_cluster(const precompiled_rules *const rules, const char *const text,
                        const size_t length, tarei_pieces *const out) {
  const char *const whole = length < LONGEST_CLUSTER ? precompiled_find(rules, text, length) : NULL;
  if (whole) {
    tarei_pieces_put(out, whole, strlen(whole));
    return;
  }
  for (size_t at = 0; at < length;) {
    uint32_t c;
    const size_t n = (size_t)tarei_utf8_read(text + at, &c);
    const char *const found = precompiled_find(rules, text + at, n);
    tarei_pieces_put(out, found ? found : text + at, found ? strlen(found) : n);
    at += n;
  }
}

static tare_status precompiled_run(const void *const state, const tarei_text_span *const in,
                                   tarei_pieces *const out, tare_error *const err) {
  (void)err;
  size_t from = 0;
  uint32_t previous = 0;
  utf8proc_int32_t boundary = 0;
  for (size_t at = 0; at < in->length;) {
    uint32_t c;
    const size_t n = (size_t)tarei_utf8_read(in->text + at, &c);
    if (at && utf8proc_grapheme_break_stateful((utf8proc_int32_t)previous, (utf8proc_int32_t)c,
                                               &boundary)) {
      put_cluster(state, in->text + from, at - from, out);
      from = at;
    }
    previous = c;
    at += n;
  }
  put_cluster(state, in->text + from, in->length - from, out);
  return TARE_OK;
}

static void precompiled_fini(void *const state) {
  free(((precompiled_rules *)state)->bytes);
}

const tarei_step_ops tarei_normalizer_precompiled = {.type = "Precompiled",
                                                     .state_bytes = sizeof(precompiled_rules),
                                                     .read = precompiled_read,
                                                     .run = precompiled_run,
                                                     .fini = precompiled_fini};
