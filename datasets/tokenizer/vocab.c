#include "datasets/tokenizer/vocab.h"

#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "datasets/tokenizer/json_field.h"

tare_status tarei_vocab_init(tarei_vocab *const vocab, const size_t n, tare_error *const err) {
  *vocab = (tarei_vocab){.n_slots = 4};
  while (vocab->n_slots < tarei_times(n, 2) && vocab->n_slots < SIZE_MAX / 4) {
    vocab->n_slots *= 2;
  }
  vocab->slots = tarei_calloc(vocab->n_slots, sizeof *vocab->slots);
  if (!vocab->slots) {
    vocab->n_slots = 0;
    return tarei_fail_memory(err, "a vocabulary", n * sizeof *vocab->slots);
  }
  for (size_t i = 0; i < vocab->n_slots; i++) {
    vocab->slots[i].id = -1;
  }
  return TARE_OK;
}

void tarei_vocab_fini(tarei_vocab *const vocab) {
  free(vocab->bytes);
  free(vocab->slots);
  *vocab = (tarei_vocab){0};
}

/* The slot of a token, or the free one where it would be. */
static struct tarei_vocab_slot *vocab_slot(const tarei_vocab *const vocab, const char *const token,
                                           const size_t length) {
  size_t at = XXH3_64bits(token, length) & (vocab->n_slots - 1);
  for (;; at = (at + 1) & (vocab->n_slots - 1)) {
    struct tarei_vocab_slot *const slot = &vocab->slots[at];
    if (slot->id < 0 ||
        (slot->length == length && memcmp(vocab->bytes + slot->start, token, length) == 0)) {
      return slot;
    }
  }
}

tare_status tarei_vocab_add(tarei_vocab *const vocab, const char *const token, const int32_t id,
                            tare_error *const err) {
  const size_t length = strlen(token);
  if (vocab->length + length >= vocab->capacity) {
    const size_t capacity = 2 * (vocab->length + length) + 64;
    char *const bytes = tarei_realloc(vocab->bytes, capacity);
    if (!bytes) {
      return tarei_fail_memory(err, "a vocabulary", capacity);
    }
    vocab->bytes = bytes;
    vocab->capacity = capacity;
  }
  struct tarei_vocab_slot *const slot = vocab_slot(vocab, token, length);
  if (slot->id < 0) {
    memcpy(vocab->bytes + vocab->length, token, length);
    *slot = (struct tarei_vocab_slot){.start = vocab->length, .length = length};
    vocab->length += length;
    vocab->longest = length > vocab->longest ? length : vocab->longest;
  }
  slot->id = id;
  return TARE_OK;
}

tare_status tarei_vocab_read(const cJSON *const model, tarei_vocab *const vocab,
                             tare_error *const err) {
  const cJSON *const tokens = tarei_field(model, "vocab");
  if (!cJSON_IsObject(tokens)) {
    return tarei_fail(err, TARE_E_INPUT, "'vocab' is not an object with the numbers of tokens");
  }
  TAREI_TRY(tarei_vocab_init(vocab, (size_t)cJSON_GetArraySize(tokens), err));
  const cJSON *token;
  cJSON_ArrayForEach(token, tokens) {
    int32_t id = 0;
    if (tarei_json_int(token, "its number", 0, &id, err) != TARE_OK) {
      return tarei_fail_in(err, TARE_E_INPUT, "token '%.60s'", token->string);
    }
    TAREI_TRY(tarei_vocab_add(vocab, token->string, id, err));
  }
  return TARE_OK;
}

int32_t tarei_vocab_find(const tarei_vocab *const vocab, const char *const token,
                         const size_t length) {
  return vocab->n_slots ? vocab_slot(vocab, token, length)->id : -1;
}
