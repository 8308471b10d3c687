/* WordPiece: from the left, the longest token that fits. */
#include <string.h>

#include "datasets/tokenizer/token_model.h"

typedef struct wordpiece_options {
  int32_t unknown;
  int32_t most_chars; /* of a word; longer ones are unknown */
  char *prefix;       /* of tokens inside a word */
} wordpiece_options;

static tare_status wordpiece_read(const cJSON *const object, tarei_vocab *const vocab,
                                  void *const state, tare_error *const err) {
  wordpiece_options *const o = state;
  const char *unknown = "[UNK]", *prefix = "##";
  o->most_chars = 100;
  TAREI_TRY(tarei_vocab_read(object, vocab, err));
  TAREI_TRY(tarei_field_text(object, "unk_token", &unknown, err));
  TAREI_TRY(tarei_field_text(object, "continuing_subword_prefix", &prefix, err));
  TAREI_TRY(tarei_field_int(object, "max_input_chars_per_word", 0, &o->most_chars, err));
  o->unknown = tarei_vocab_find(vocab, unknown, strlen(unknown));
  if (o->unknown < 0) {
    return tarei_fail(err, TARE_E_INPUT, "the unknown token '%.60s' is not in the vocabulary",
                      unknown);
  }
  o->prefix = tarei_strdup(prefix);
  return o->prefix ? TARE_OK : tarei_fail_memory(err, "a prefix", strlen(prefix));
}

static int32_t count_chars(const char *const text, const size_t length) {
  int32_t n = 0;
  for (size_t i = 0; i < length; i++) {
    n += ((unsigned char)text[i] & 0xc0) != 0x80;
  }
  return n;
}

/* The longest token at the beginning of a text, whose length *taken gets; -1: none. `word` has room
 * for the prefix and the text. */
static int32_t longest_token(const tarei_vocab *const vocab, const char *const word,
                             const size_t prefix, const size_t length, size_t *const taken) {
  for (size_t n = length; n > 0; n--) {
    const bool whole = n == length || ((unsigned char)word[prefix + n] & 0xc0) != 0x80;
    const int32_t id = whole ? tarei_vocab_find(vocab, word, prefix + n) : -1;
    if (id >= 0) {
      *taken = n;
      return id;
    }
  }
  return -1;
}

/* Adds the tokens of a word; false if there is no token for some part. */
static bool put_word(const wordpiece_options *const o, const tarei_vocab *const vocab,
                     char *const room, const char *const text, const size_t length,
                     tarei_token_ids *const out) {
  const size_t prefix = strlen(o->prefix);
  for (size_t at = 0; at < length;) {
    const size_t before = at ? prefix : 0;
    const size_t left = length - at, most = vocab->longest;
    const size_t n = left < most ? left : most; /* no token ends inside a character */
    memcpy(room, o->prefix, before);
    memcpy(room + before, text + at, n);
    size_t taken = 0;
    const int32_t id = longest_token(vocab, room, before, n, &taken);
    if (id < 0) {
      return false;
    }
    tarei_token_ids_add(out, id);
    at += taken;
  }
  return true;
}

static tare_status wordpiece_encode(const void *const state, const tarei_vocab *const vocab,
                                    const char *const text, const size_t length,
                                    tarei_token_ids *const out, tare_error *const err) {
  const wordpiece_options *const o = state;
  if (length > (size_t)o->most_chars && count_chars(text, length) > o->most_chars) {
    tarei_token_ids_add(out, o->unknown);
    return TARE_OK;
  }
  char *const room = tarei_realloc(NULL, strlen(o->prefix) + length + 1);
  if (!room) {
    return tarei_fail_memory(err, "a word", length);
  }
  const size_t before = out->n;
  if (!put_word(o, vocab, room, text, length, out)) {
    out->n = before;
    tarei_token_ids_add(out, o->unknown);
  }
  free(room);
  return TARE_OK;
}

static void wordpiece_fini(void *const state) {
  free(((wordpiece_options *)state)->prefix);
}

const tarei_token_model tarei_token_model_wordpiece = {.type = "WordPiece",
                                                       .state_bytes = sizeof(wordpiece_options),
                                                       .read = wordpiece_read,
                                                       .encode = wordpiece_encode,
                                                       .fini = wordpiece_fini};
