/* Tokens of single bytes, <0x00> to <0xFF>, for characters without a token. */
#ifndef TAREI_DATASETS_TOKENIZER_BYTE_TOKENS_H
#define TAREI_DATASETS_TOKENIZER_BYTE_TOKENS_H

#include "datasets/tokenizer/token_ids.h"
#include "datasets/tokenizer/vocab.h"

typedef struct tarei_byte_tokens {
  int32_t ids[256]; /* -1: none */
} tarei_byte_tokens;

void tarei_byte_tokens_find(const tarei_vocab *vocab, tarei_byte_tokens *out);

/* Adds the tokens of the bytes of a text; false if there is none for some of them. */
bool tarei_byte_tokens_add(const tarei_byte_tokens *tokens, const char *text, size_t length,
                           tarei_token_ids *out);

#endif
