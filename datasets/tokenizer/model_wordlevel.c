/* WordLevel: each piece is a token. */
#include <string.h>

#include "datasets/tokenizer/token_model.h"

typedef struct wordlevel_options {
  int32_t unknown; /* -1: none */
} wordlevel_options;

static tare_status wordlevel_read(const cJSON *const object, tarei_vocab *const vocab,
                                  void *const state, tare_error *const err) {
  const char *unknown = NULL;
  TAREI_TRY(tarei_vocab_read(object, vocab, err));
  TAREI_TRY(tarei_field_text(object, "unk_token", &unknown, err));
  ((wordlevel_options *)state)->unknown =
      unknown ? tarei_vocab_find(vocab, unknown, strlen(unknown)) : -1;
  return TARE_OK;
}

static tare_status wordlevel_encode(const void *const state, const tarei_vocab *const vocab,
                                    const char *const text, const size_t length,
                                    tarei_token_ids *const out, tare_error *const err) {
  const int32_t unknown = ((const wordlevel_options *)state)->unknown;
  const int32_t id = tarei_vocab_find(vocab, text, length);
  if (id < 0 && unknown < 0) {
    return tarei_fail(err, TARE_E_INPUT,
                      "'%.*s' is not in the vocabulary, which has no token for unknown words",
                      length > 60 ? 60 : (int)length, text);
  }
  tarei_token_ids_add(out, id < 0 ? unknown : id);
  return TARE_OK;
}

const tarei_token_model tarei_token_model_wordlevel = {.type = "WordLevel",
                                                       .state_bytes = sizeof(wordlevel_options),
                                                       .read = wordlevel_read,
                                                       .encode = wordlevel_encode};
