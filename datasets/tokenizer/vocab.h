/* A table from tokens to their numbers. */
#ifndef TAREI_DATASETS_TOKENIZER_VOCAB_H
#define TAREI_DATASETS_TOKENIZER_VOCAB_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tarei_vocab {
  char *bytes; /* of all tokens */
  size_t length, capacity;
  struct tarei_vocab_slot {
    size_t start, length;
    int32_t id; /* -1: free */
  } * slots;
  size_t n_slots; /* a power of two, at least twice the tokens; or 0 */
  size_t longest; /* bytes of a token */
} tarei_vocab;

/* Makes an empty table for n tokens. TARE_E_MEMORY. Free it either way. */
tare_status tarei_vocab_init(tarei_vocab *vocab, size_t n, tare_error *err);
void tarei_vocab_fini(tarei_vocab *vocab);

/* Adds a token; one that is there gets the new number. TARE_E_MEMORY */
tare_status tarei_vocab_add(tarei_vocab *vocab, const char *token, int32_t id, tare_error *err);

/* Reads the member 'vocab', an object with the numbers of tokens. TARE_E_INPUT, TARE_E_MEMORY */
tare_status tarei_vocab_read(const cJSON *model, tarei_vocab *vocab, tare_error *err);

/* -1 if there is no such token. */
int32_t tarei_vocab_find(const tarei_vocab *vocab, const char *token, size_t length);

#endif
