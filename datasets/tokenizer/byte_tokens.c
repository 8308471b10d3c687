#include "datasets/tokenizer/byte_tokens.h"

#include <stdio.h>
#include <string.h>

void tarei_byte_tokens_find(const tarei_vocab *const vocab, tarei_byte_tokens *const out) {
  for (unsigned byte = 0; byte < 256; byte++) {
    char name[16];
    (void)snprintf(name, sizeof name, "<0x%02X>", byte);
    out->ids[byte] = tarei_vocab_find(vocab, name, strlen(name));
  }
}

bool tarei_byte_tokens_add(const tarei_byte_tokens *const tokens, const char *const text,
                           const size_t length, tarei_token_ids *const out) {
  for (size_t i = 0; i < length; i++) {
    if (tokens->ids[(unsigned char)text[i]] < 0) {
      return false;
    }
  }
  for (size_t i = 0; i < length; i++) {
    tarei_token_ids_add(out, tokens->ids[(unsigned char)text[i]]);
  }
  return true;
}
