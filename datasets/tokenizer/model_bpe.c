/* BPE: characters, merged in the order of the list of merges. */
#include <string.h>

#include "base/utf8.h"
#include "datasets/tokenizer/byte_tokens.h"
#include "datasets/tokenizer/merges.h"
#include "datasets/tokenizer/token_model.h"

typedef struct bpe_options {
  tarei_merges merges;
  int32_t unknown; /* -1: none */
  bool fuse_unknown, byte_fallback, whole_first;
  char *prefix, *suffix; /* of tokens inside a word, and at its end */
  tarei_byte_tokens bytes;
} bpe_options;

static tare_status read_affixes(const cJSON *const object, bpe_options *const o,
                                tare_error *const err) {
  const char *prefix = "", *suffix = "";
  TAREI_TRY(tarei_field_text(object, "continuing_subword_prefix", &prefix, err));
  TAREI_TRY(tarei_field_text(object, "end_of_word_suffix", &suffix, err));
  o->prefix = tarei_strdup(prefix);
  o->suffix = tarei_strdup(suffix);
  return o->prefix && o->suffix
             ? TARE_OK
             : tarei_fail_memory(err, "a prefix", strlen(prefix) + strlen(suffix));
}

static tare_status read_unknown(const cJSON *const object, const tarei_vocab *const vocab,
                                bpe_options *const o, tare_error *const err) {
  const char *unknown = NULL;
  TAREI_TRY(tarei_field_text(object, "unk_token", &unknown, err));
  o->unknown = unknown ? tarei_vocab_find(vocab, unknown, strlen(unknown)) : -1;
  return unknown && o->unknown < 0
             ? tarei_fail(err, TARE_E_INPUT, "the unknown token '%.60s' is not in the vocabulary",
                          unknown)
             : TARE_OK;
}

static tare_status bpe_read(const cJSON *const object, tarei_vocab *const vocab, void *const state,
                            tare_error *const err) {
  bpe_options *const o = state;
  const cJSON *const dropout = tarei_field(object, "dropout");
  if (dropout && (!cJSON_IsNumber(dropout) || dropout->valuedouble != 0)) {
    return tarei_fail(err, TARE_E_INPUT, "'dropout' is for training, and makes tokens random");
  }
  TAREI_TRY(tarei_vocab_read(object, vocab, err));
  TAREI_TRY(read_affixes(object, o, err));
  TAREI_TRY(read_unknown(object, vocab, o, err));
  TAREI_TRY(tarei_field_bool(object, "fuse_unk", &o->fuse_unknown, err));
  TAREI_TRY(tarei_field_bool(object, "byte_fallback", &o->byte_fallback, err));
  TAREI_TRY(tarei_field_bool(object, "ignore_merges", &o->whole_first, err));
  tarei_byte_tokens_find(vocab, &o->bytes);
  return tarei_merges_read(tarei_field(object, "merges"), vocab, o->prefix, &o->merges, err);
}

/* The token of the character at `at`, with prefix and suffix; -1: none. `room` has room for them.
 */
static int32_t character_token(const bpe_options *const o, const tarei_vocab *const vocab,
                               char *const room, const char *const text, const size_t n,
                               const bool first, const bool last) {
  const size_t prefix = first ? 0 : strlen(o->prefix), suffix = last ? strlen(o->suffix) : 0;
  memcpy(room, o->prefix, prefix);
  memcpy(room + prefix, text, n);
  memcpy(room + prefix + n, o->suffix, suffix);
  return tarei_vocab_find(vocab, room, prefix + n + suffix);
}

/* The tokens of the characters, before merges. Unknown ones are kept back, as a run of them may be
 * one token. */
static void put_characters(const bpe_options *const o, const tarei_vocab *const vocab,
                           char *const room, const char *const text, const size_t length,
                           tarei_token_ids *const word) {
  bool pending = false;
  for (size_t at = 0, n; at < length; at += n) {
    uint32_t c;
    n = (size_t)tarei_utf8_read(text + at, &c);
    const bool last = at + n == length;
    const int32_t id = character_token(o, vocab, room, text + at, n, at == 0, last);
    if (id >= 0) {
      if (pending) {
        tarei_token_ids_add(word, o->unknown);
      }
      pending = false;
      tarei_token_ids_add(word, id);
      continue;
    }
    const size_t prefix = at ? strlen(o->prefix) : 0, suffix = last ? strlen(o->suffix) : 0;
    if (o->byte_fallback && tarei_byte_tokens_add(&o->bytes, room, prefix + n + suffix, word)) {
      continue;
    }
    if (pending && !o->fuse_unknown) {
      tarei_token_ids_add(word, o->unknown);
    }
    pending = o->unknown >= 0;
  }
  if (pending) {
    tarei_token_ids_add(word, o->unknown);
  }
}

static tare_status merge_word(const bpe_options *const o, const tarei_vocab *const vocab,
                              const char *const text, const size_t length,
                              tarei_token_ids *const out, tare_error *const err) {
  enum { CHARACTER = 4 };
  char *const room = tarei_realloc(NULL, strlen(o->prefix) + CHARACTER + strlen(o->suffix));
  if (!room) {
    return tarei_fail_memory(err, "a word", length);
  }
  tarei_token_ids word = {0};
  put_characters(o, vocab, room, text, length, &word);
  const tare_status status = word.failed ? tarei_fail_memory(err, "a word", length)
                                         : tarei_merges_apply(&o->merges, &word, out, err);
  free(word.items);
  free(room);
  return status;
}

static tare_status bpe_encode(const void *const state, const tarei_vocab *const vocab,
                              const char *const text, const size_t length,
                              tarei_token_ids *const out, tare_error *const err) {
  const bpe_options *const o = state;
  const int32_t whole = o->whole_first ? tarei_vocab_find(vocab, text, length) : -1;
  if (whole >= 0) {
    tarei_token_ids_add(out, whole);
    return TARE_OK;
  }
  return merge_word(o, vocab, text, length, out, err);
}

static void bpe_fini(void *const state) {
  bpe_options *const o = state;
  tarei_merges_fini(&o->merges);
  free(o->prefix);
  free(o->suffix);
}

const tarei_token_model tarei_token_model_bpe = {.type = "BPE",
                                                 .state_bytes = sizeof(bpe_options),
                                                 .read = bpe_read,
                                                 .encode = bpe_encode,
                                                 .fini = bpe_fini};
