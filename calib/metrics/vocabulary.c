#include "calib/metrics/vocabulary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "calib/metrics/tokens.h"

/* --- characters ------------------------------------------------------------------------------- */

static tare_status characters_put(tarei_characters *const out, const uint32_t character,
                                  tare_error *const err) {
  if (!TAREI_GROW(out->items, out->n, out->cap)) {
    return tarei_fail_memory(err, "a text", (size_t)out->n * sizeof *out->items);
  }
  out->items[out->n++] = character;
  return TARE_OK;
}

tare_status tarei_characters_add(tarei_characters *const out, const char *const text,
                                 tare_error *const err) {
  for (const char *at = text; *at;) {
    uint32_t character = 0;
    const int bytes = tarei_utf8_read(at, &character);
    if (bytes == 0) {
      return tarei_fail(err, TARE_E_INPUT, "\"%.80s\" is not UTF-8", text);
    }
    TAREI_TRY(characters_put(out, character, err));
    at += bytes;
  }
  return TARE_OK;
}

void tarei_characters_trim(tarei_characters *const c) {
  int64_t n = 0;
  for (int64_t i = 0; i < c->n; i++) {
    if (c->items[i] != ' ' || (n > 0 && c->items[n - 1] != ' ')) {
      c->items[n++] = c->items[i];
    }
  }
  c->n = n > 0 && c->items[n - 1] == ' ' ? n - 1 : n;
}

/* --- vocabularies ----------------------------------------------------------------------------- */

void tarei_vocabulary_free(tarei_vocabulary **const vocabulary) {
  if (*vocabulary) {
    free((*vocabulary)->ends);
    free((*vocabulary)->texts.items);
    free((char *)(*vocabulary)->source);
    free(*vocabulary);
    *vocabulary = NULL;
  }
}

/* An empty one with room for n classes. */
static tare_status vocabulary_new(const char *const source, const int64_t n,
                                  tarei_vocabulary **const out, tare_error *const err) {
  *out = tarei_calloc(1, sizeof **out);
  if (*out) {
    (*out)->ends = tarei_calloc((size_t)n, sizeof *(*out)->ends);
    (*out)->source = tarei_strdup(source);
  }
  return *out && (*out)->ends && (*out)->source
             ? TARE_OK
             : tarei_fail_memory(err, source, (size_t)n * sizeof *(*out)->ends);
}

/* Ends the class that comes next. */
static void vocabulary_end_class(tarei_vocabulary *const v) {
  v->ends[v->n++] = v->texts.n;
}

/* A number of a class from 0 to `most`; -1 if the text is not a number. */
static tare_status vocabulary_number(const char *const text, const int64_t most, int64_t *const out,
                                     tare_error *const err) {
  char *end = NULL;
  errno = 0;
  const long long number = strtoll(text, &end, 10);
  *out = -1;
  if (end == text || *end) {
    return TARE_OK;
  }
  if (errno || number < 0 || number > most) {
    return tarei_fail(err, TARE_E_USAGE,
                      "blank %s is out of range: expected a class from 0 to %lld", text,
                      (long long)most);
  }
  *out = number;
  return TARE_OK;
}

static tare_status vocabulary_fill_alphabet(tarei_vocabulary *const v,
                                            const tarei_characters *const letters,
                                            const char *const blank, tare_error *const err) {
  TAREI_TRY(blank ? vocabulary_number(blank, letters->n, &v->blank, err) : TARE_OK);
  if (v->blank < 0) {
    return tarei_fail(err, TARE_E_USAGE,
                      "blank '%s': with an alphabet, expected the number of its class", blank);
  }
  for (int64_t class = 0, next = 0; class <= letters->n; class ++) {
    TAREI_TRY(class == v->blank ? TARE_OK : characters_put(&v->texts, letters->items[next++], err));
    vocabulary_end_class(v);
  }
  return TARE_OK;
}

tare_status tarei_vocabulary_of_alphabet(const char *const alphabet, const char *const blank,
                                         tarei_vocabulary **const out, tare_error *const err) {
  tarei_characters letters = {0};
  *out = NULL;
  tare_status status = tarei_characters_add(&letters, alphabet, err);
  if (status == TARE_E_INPUT || (status == TARE_OK && letters.n == 0)) {
    status = tarei_fail(err, TARE_E_USAGE, "alphabet: expected characters in UTF-8");
  }
  if (status == TARE_OK) {
    status = vocabulary_new(alphabet, letters.n + 1, out, err);
  }
  if (status == TARE_OK) {
    status = vocabulary_fill_alphabet(*out, &letters, blank, err);
  }
  free(letters.items);
  return status;
}

static int64_t vocabulary_find(const tarei_tokens *const tokens, const char *const text) {
  for (int64_t i = 0; i < tokens->n; i++) {
    if (strcmp(tokens->items[i], text) == 0) {
      return i;
    }
  }
  return -1;
}

/* The blank of a file of tokens: as asked for, or by its usual names. */
static tare_status vocabulary_find_blank(const tarei_tokens *const tokens, const char *const path,
                                         const char *const blank, int64_t *const out,
                                         tare_error *const err) {
  static const char *const USUAL[] = {"<blank>", "<blk>", "<pad>", "[PAD]", "<ctc>", "<b>"};
  *out = -1;
  TAREI_TRY(blank ? vocabulary_number(blank, tokens->n, out, err) : TARE_OK);
  if (blank && *out < 0) {
    *out = vocabulary_find(tokens, blank);
    return *out >= 0
               ? TARE_OK
               : tarei_fail(err, TARE_E_USAGE, "%s has no token '%s' as the blank", path, blank);
  }
  for (size_t i = 0; i < sizeof USUAL / sizeof *USUAL && *out < 0; i++) {
    *out = vocabulary_find(tokens, USUAL[i]);
  }
  return *out >= 0 ? TARE_OK
                   : tarei_fail(err, TARE_E_USAGE,
                                "%s has no token <blank>, <blk>, <pad> or [PAD]: name the blank by "
                                "its token or class; class %lld is behind the last token",
                                path, (long long)tokens->n);
}

/* Control tokens have no text: <s>, [UNK], <|endoftext|>. */
static bool vocabulary_is_special(const char *const token) {
  const size_t n = strlen(token);
  return n > 2 &&
         ((token[0] == '<' && token[n - 1] == '>') || (token[0] == '[' && token[n - 1] == ']'));
}

/* The characters of a token; those that stand for spaces become spaces. */
static tare_status vocabulary_add_token(tarei_vocabulary *const v, const char *const token,
                                        tare_error *const err) {
  static const uint32_t SENTENCEPIECE = 0x2581; /* the mark before a word */
  if (strcmp(token, "|") == 0 || strcmp(token, "<space>") == 0) {
    return characters_put(&v->texts, ' ', err);
  }
  if (vocabulary_is_special(token)) {
    return TARE_OK;
  }
  const int64_t before = v->texts.n;
  TAREI_TRY(tarei_characters_add(&v->texts, token, err));
  for (int64_t i = before; i < v->texts.n; i++) {
    v->texts.items[i] = v->texts.items[i] == SENTENCEPIECE ? ' ' : v->texts.items[i];
  }
  return TARE_OK;
}

static tare_status vocabulary_fill_tokens(tarei_vocabulary *const v,
                                          const tarei_tokens *const tokens, const char *const blank,
                                          tare_error *const err) {
  TAREI_TRY(vocabulary_find_blank(tokens, v->source, blank, &v->blank, err));
  for (int64_t i = 0; i < tokens->n; i++) {
    const tare_status status =
        i == v->blank ? TARE_OK : vocabulary_add_token(v, tokens->items[i], err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "%s", v->source);
    }
    vocabulary_end_class(v);
  }
  if (v->blank == tokens->n) {
    vocabulary_end_class(v);
  }
  return TARE_OK;
}

tare_status tarei_vocabulary_read(const char *const path, const char *const blank,
                                  tarei_vocabulary **const out, tare_error *const err) {
  tarei_tokens tokens;
  *out = NULL;
  tare_status status = tarei_tokens_read(path, &tokens, err);
  if (status == TARE_OK) {
    status = vocabulary_new(path, tokens.n + 1, out, err);
  }
  if (status == TARE_OK) {
    status = vocabulary_fill_tokens(*out, &tokens, blank, err);
  }
  tarei_tokens_fini(&tokens);
  return status;
}

tare_status tarei_vocabulary_add(const tarei_vocabulary *const v, const int64_t class,
                                 tarei_characters *const out, tare_error *const err) {
  for (int64_t i = class ? v->ends[class - 1] : 0; i < v->ends[class]; i++) {
    TAREI_TRY(characters_put(out, v->texts.items[i], err));
  }
  return TARE_OK;
}

uint32_t tarei_vocabulary_lacks(const tarei_vocabulary *const v,
                                const tarei_characters *const text) {
  for (int64_t i = 0; i < text->n; i++) {
    int64_t at = 0;
    while (at < v->texts.n && v->texts.items[at] != text->items[i]) {
      at++;
    }
    if (at == v->texts.n) {
      return text->items[i];
    }
  }
  return 0;
}
