#include "datasets/tokenizer/steps/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "datasets/tokenizer/json_field.h"

struct tarei_text_pattern {
  pcre2_code *code; /* NULL: the text is meant */
  char *text;
  size_t length;
};

/* --- expressions ------------------------------------------------------------------------------ */

/* White_Space of Unicode: \s of PCRE2 has U+180E, too. */
#define SPACES                                                                                \
  "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}" \
  "\\x{205f}\\x{3000}"

/* Replaces \s and, outside of classes, \S. */
static void translate(const char *const expression, tarei_str *const out) {
  bool in_class = false;
  for (const char *at = expression; *at; at++) {
    if (at[0] == '\\' && at[1]) {
      if (at[1] == 's') {
        tarei_str_add(out, in_class ? SPACES : "[" SPACES "]");
      } else if (at[1] == 'S' && !in_class) {
        tarei_str_add(out, "[^" SPACES "]");
      } else {
        tarei_str_add(out, "%c%c", at[0], at[1]);
      }
      at++;
    } else {
      in_class = *at == '[' || (in_class && *at != ']');
      tarei_str_add(out, "%c", *at);
    }
  }
}

static tare_status compile(const char *const expression, tarei_text_pattern *const pattern,
                           tare_error *const err) {
  tarei_str translated = {0};
  translate(expression, &translated);
  if (translated.failed) {
    tarei_str_free(&translated);
    return tarei_fail_memory(err, "an expression", strlen(expression));
  }
  int code = 0;
  PCRE2_SIZE at = 0;
  pattern->code = pcre2_compile((PCRE2_SPTR)tarei_str_get(&translated), translated.length,
                                PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
  tarei_str_free(&translated);
  if (pattern->code) {
    (void)pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE); /* faster where there is one */
    return TARE_OK;
  }
  if (code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_HEAP_FAILED) {
    return tarei_fail_memory(err, "an expression", strlen(expression));
  }
  PCRE2_UCHAR message[128];
  (void)pcre2_get_error_message(code, message, sizeof message);
  return tarei_fail(err, TARE_E_INPUT, "the expression '%.100s' is malformed: %s", expression,
                    (const char *)message);
}

tare_status tarei_pattern_compile(const char *const expression, tarei_text_pattern **const out,
                                  tare_error *const err) {
  *out = tarei_calloc(1, sizeof **out);
  return *out ? compile(expression, *out, err) : tarei_fail_memory(err, "a pattern", sizeof **out);
}

tare_status tarei_pattern_read(const cJSON *const value, tarei_text_pattern **const out,
                               tare_error *const err) {
  const char *text = NULL, *expression = NULL;
  *out = NULL;
  TAREI_TRY(tarei_field_text(value, "String", &text, err));
  TAREI_TRY(tarei_field_text(value, "Regex", &expression, err));
  if (!text == !expression) {
    return tarei_fail(err, TARE_E_INPUT, "'pattern' is neither a 'String' nor a 'Regex'");
  }
  if (expression) {
    return tarei_pattern_compile(expression, out, err);
  }
  *out = tarei_calloc(1, sizeof **out);
  if (*out) {
    (*out)->text = tarei_strdup(text);
    (*out)->length = strlen(text);
  }
  return *out && (*out)->text ? TARE_OK : tarei_fail_memory(err, "a pattern", strlen(text));
}

void tarei_pattern_free(tarei_text_pattern *const pattern) {
  if (pattern) {
    pcre2_code_free(pattern->code);
    free(pattern->text);
    free(pattern);
  }
}

/* --- matches ---------------------------------------------------------------------------------- */

/* Returns where the text of the pattern begins at or behind 'from', or SIZE_MAX. Looks at pieces
 * that grow: a checked memmem (ASan) reads all it is given, which is quadratic in close matches. */
static size_t find_text(const tarei_text_pattern *const pattern, const tarei_text_span *const in,
                        size_t from) {
  for (size_t piece = 64; pattern->length <= in->length - from; from += piece, piece *= 2) {
    const size_t last = in->length - from - pattern->length; /* beginning of a match */
    const size_t n = (piece <= last ? piece - 1 : last) + pattern->length;
    const char *const found = memmem(in->text + from, n, pattern->text, pattern->length);
    if (found) {
      return (size_t)(found - in->text);
    }
    if (piece > last) {
      break;
    }
  }
  return SIZE_MAX;
}

static void split_by_text(const tarei_text_pattern *const pattern, const tarei_text_span *const in,
                          tarei_splits *const out) {
  size_t from = 0;
  while (pattern->length) {
    const size_t start = find_text(pattern, in, from);
    if (start == SIZE_MAX) {
      break;
    }
    tarei_splits_add(out, from, start, false);
    from = start + pattern->length;
    tarei_splits_add(out, start, from, true);
  }
  tarei_splits_add(out, from, in->length, false);
}

/* Finds the next match; *found is false at the end. An empty match right behind another does not
 * count. */
static tare_status next_match(const tarei_text_pattern *const pattern, pcre2_match_data *const data,
                              const tarei_text_span *const in, size_t *const from,
                              size_t *const last, bool *const found, tare_error *const err) {
  *found = false;
  while (*from <= in->length) {
    const int code = pcre2_match(pattern->code, (PCRE2_SPTR)in->text, in->length, *from,
                                 PCRE2_NO_UTF_CHECK, data, NULL);
    if (code == PCRE2_ERROR_NOMATCH) {
      return TARE_OK;
    }
    if (code < 0) {
      return code == PCRE2_ERROR_NOMEMORY
                 ? tarei_fail_memory(err, "a match", in->length)
                 : tarei_fail(err, TARE_E_INPUT,
                              "a regular expression of the tokenizer takes too long for the text");
    }
    const PCRE2_SIZE *const where = pcre2_get_ovector_pointer(data);
    if (where[0] < where[1] || where[1] != *last) {
      *found = where[0] >= *from && where[0] <= where[1]; /* \K moves the first */
      *from = *last = where[1];
      return TARE_OK;
    }
    uint32_t c;
    *from += *from < in->length ? (size_t)tarei_utf8_read(in->text + *from, &c) : 1;
  }
  return TARE_OK;
}

static tare_status split_by_code(const tarei_text_pattern *const pattern,
                                 const tarei_text_span *const in, tarei_splits *const out,
                                 tare_error *const err) {
  pcre2_match_data *const data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
  if (!data) {
    return tarei_fail_memory(err, "a match", in->length);
  }
  size_t from = 0, last = SIZE_MAX, done = 0;
  bool found = true;
  tare_status status = TARE_OK;
  while (found && status == TARE_OK) {
    status = next_match(pattern, data, in, &from, &last, &found, err);
    if (found) {
      const PCRE2_SIZE *const where = pcre2_get_ovector_pointer(data);
      tarei_splits_add(out, done, where[0], false);
      tarei_splits_add(out, where[0], where[1], true);
      done = where[1];
    }
  }
  tarei_splits_add(out, done, in->length, false);
  pcre2_match_data_free(data);
  return status;
}

tare_status tarei_pattern_split(const tarei_text_pattern *const pattern,
                                const tarei_text_span *const in, tarei_splits *const out,
                                tare_error *const err) {
  if (pattern->code) {
    return split_by_code(pattern, in, out, err);
  }
  split_by_text(pattern, in, out);
  return TARE_OK;
}
