#include "datasets/tokenizer/added_tokens.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "datasets/tokenizer/unicode.h"

enum { LONGEST_TOKEN = 1024 }; /* bytes */

/* --- reading ---------------------------------------------------------------------------------- */

static tare_status added_read_options(const cJSON *const object, const tarei_vocab *const vocab,
                                      const char *const content, tarei_added_token *const out,
                                      tare_error *const err) {
  bool special = false;
  out->id = -1;
  TAREI_TRY(tarei_field_int(object, "id", 0, &out->id, err));
  TAREI_TRY(tarei_field_bool(object, "special", &special, err));
  out->normalized = !special;
  TAREI_TRY(tarei_field_bool(object, "normalized", &out->normalized, err));
  TAREI_TRY(tarei_field_bool(object, "single_word", &out->single_word, err));
  TAREI_TRY(tarei_field_bool(object, "lstrip", &out->left_strip, err));
  TAREI_TRY(tarei_field_bool(object, "rstrip", &out->right_strip, err));
  const int32_t known = tarei_vocab_find(vocab, content, strlen(content));
  if (out->id < 0) {
    return tarei_fail(err, TARE_E_INPUT, "'id' is missing");
  }
  return known < 0 || known == out->id
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "'id' is %d, but the vocabulary has %d", out->id,
                          known);
}

static tare_status added_index(struct tarei_added_set *const set, const char *const text,
                               const int32_t item, tare_error *const err) {
  if (strlen(text) > LONGEST_TOKEN) {
    return tarei_fail(err, TARE_E_INPUT, "has %zu bytes: expected at most %d", strlen(text),
                      LONGEST_TOKEN);
  }
  set->begins[(unsigned char)text[0]] = *text != '\0';
  return *text ? tarei_vocab_add(&set->index, text, item, err) : TARE_OK;
}

/* What the normalizers make of a text, in `out`. */
static tare_status normalize_text(const tarei_steps *const normalizers, const char *const text,
                                  tarei_pieces *const out, tarei_pieces *const spare,
                                  tare_error *const err) {
  tarei_pieces_put(out, text, strlen(text));
  tarei_pieces_end(out, true);
  TAREI_TRY(tarei_pieces_check(out, err));
  return tarei_steps_run(normalizers, out, spare, err);
}

static tare_status index_normalized(tarei_added_tokens *const tokens,
                                    const tarei_steps *const normalizers, const char *const text,
                                    const int32_t item, tare_error *const err) {
  tarei_pieces normal = {0}, spare = {0};
  tare_status status = normalize_text(normalizers, text, &normal, &spare, err);
  if (status == TARE_OK && normal.n) {
    status = added_index(&tokens->normalized, normal.bytes, item, err);
  }
  tarei_pieces_fini(&normal);
  tarei_pieces_fini(&spare);
  return status;
}

static tare_status added_read(const cJSON *const object, const tarei_vocab *const vocab,
                              const tarei_steps *const normalizers,
                              tarei_added_tokens *const tokens, tare_error *const err) {
  const char *content = NULL;
  const int32_t item = (int32_t)tokens->n;
  tarei_added_token *const token = &tokens->items[item];
  TAREI_TRY(tarei_field_name(object, "content", &content, err));
  tare_status status = added_read_options(object, vocab, content, token, err);
  if (status == TARE_OK) {
    tokens->n++;
    status = token->normalized ? index_normalized(tokens, normalizers, content, item, err)
                               : added_index(&tokens->plain, content, item, err);
  }
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "'%.60s'", content);
}

tare_status tarei_added_tokens_read(const cJSON *const list, const tarei_vocab *const vocab,
                                    const tarei_steps *const normalizers,
                                    tarei_added_tokens *const out, tare_error *const err) {
  if (list && !cJSON_IsArray(list)) {
    return tarei_fail(err, TARE_E_INPUT, "'added_tokens' is not a list");
  }
  const size_t n = (size_t)cJSON_GetArraySize(list);
  TAREI_TRY(tarei_vocab_init(&out->plain.index, n, err));
  TAREI_TRY(tarei_vocab_init(&out->normalized.index, n, err));
  out->items = tarei_calloc(n, sizeof *out->items);
  if (!out->items) {
    return tarei_fail_memory(err, "added tokens", n * sizeof *out->items);
  }
  const cJSON *object;
  cJSON_ArrayForEach(object, list) {
    const tare_status status = added_read(object, vocab, normalizers, out, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "added token");
    }
  }
  return TARE_OK;
}

void tarei_added_tokens_fini(tarei_added_tokens *const tokens) {
  tarei_vocab_fini(&tokens->plain.index);
  tarei_vocab_fini(&tokens->normalized.index);
  free(tokens->items);
  *tokens = (tarei_added_tokens){0};
}

/* --- finding ---------------------------------------------------------------------------------- */

/* The longest token that begins at `at`, or NULL; *end is where it ends. */
static const tarei_added_token *token_at(const tarei_added_tokens *const tokens,
                                         const struct tarei_added_set *const set,
                                         const tarei_text_span *const in, const size_t at,
                                         size_t *const end) {
  const size_t left = in->length - at, longest = set->index.longest;
  for (size_t n = left < longest ? left : longest; n > 0; n--) {
    const int32_t item = tarei_vocab_find(&set->index, in->text + at, n);
    if (item >= 0) {
      *end = at + n;
      return &tokens->items[item];
    }
  }
  return NULL;
}

/* The character before a position, whose first byte is at *at afterwards. */
static uint32_t character_before(const char *const text, size_t *const at) {
  uint32_t c;
  do {
    --*at;
  } while (((unsigned char)text[*at] & 0xc0) == 0x80);
  (void)tarei_utf8_read(text + *at, &c);
  return c;
}

static bool is_single_word(const tarei_text_span *const in, const size_t start, const size_t end) {
  uint32_t after = ' ';
  size_t before = start;
  if (end < in->length) {
    (void)tarei_utf8_read(in->text + end, &after);
  }
  return !tarei_is_word(after) &&
         !(start > 0 && tarei_is_word(character_before(in->text, &before)));
}

static size_t skip_spaces_left(const tarei_text_span *const in, size_t start, const size_t least) {
  while (start > least) {
    size_t before = start;
    if (!tarei_is_space(character_before(in->text, &before))) {
      break;
    }
    start = before;
  }
  return start;
}

static size_t skip_spaces_right(const tarei_text_span *const in, size_t end) {
  while (end < in->length) {
    uint32_t c;
    const size_t n = (size_t)tarei_utf8_read(in->text + end, &c);
    if (!tarei_is_space(c)) {
      break;
    }
    end += n;
  }
  return end;
}

static void put_text(const tarei_text_span *const in, const size_t start, const size_t end,
                     tarei_pieces *const out) {
  if (start < end) {
    tarei_pieces_put(out, in->text + start, end - start);
    tarei_pieces_end(out, in->at_start && start == 0);
  }
}

static void split_span(const tarei_added_tokens *const tokens,
                       const struct tarei_added_set *const set, const tarei_text_span *const in,
                       tarei_pieces *const out) {
  size_t done = 0;
  for (size_t at = 0; at < in->length;) {
    size_t end = at + 1;
    const tarei_added_token *const token =
        set->begins[(unsigned char)in->text[at]] ? token_at(tokens, set, in, at, &end) : NULL;
    if (token && (!token->single_word || is_single_word(in, at, end))) {
      const size_t start = token->left_strip ? skip_spaces_left(in, at, done) : at;
      put_text(in, done, start, out);
      tarei_pieces_add_token(out, token->id);
      done = token->right_strip ? skip_spaces_right(in, end) : end;
      end = done;
    }
    at = end;
  }
  put_text(in, done, in->length, out);
}

tare_status tarei_added_tokens_split(const tarei_added_tokens *const tokens,
                                     const struct tarei_added_set *const set,
                                     tarei_pieces *const pieces, tarei_pieces *const spare,
                                     tare_error *const err) {
  if (set->index.length == 0) {
    return TARE_OK;
  }
  tarei_pieces_clear(spare);
  for (size_t i = 0; i < pieces->n; i++) {
    if (pieces->items[i].token >= 0) {
      tarei_pieces_add_token(spare, pieces->items[i].token);
    } else {
      const tarei_text_span span = tarei_pieces_span(pieces, i);
      split_span(tokens, set, &span, spare);
    }
  }
  const tarei_pieces done = *spare;
  *spare = *pieces;
  *pieces = done;
  return tarei_pieces_check(pieces, err);
}
