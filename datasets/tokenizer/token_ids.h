/* A list of numbers of tokens. */
#ifndef TAREI_DATASETS_TOKENIZER_TOKEN_IDS_H
#define TAREI_DATASETS_TOKENIZER_TOKEN_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

typedef struct tarei_token_ids {
  int32_t *items;
  size_t n, capacity;
  bool failed; /* memory ran out */
} tarei_token_ids;

static inline void tarei_token_ids_add(tarei_token_ids *const ids, const int32_t id) {
  if (TAREI_GROW(ids->items, ids->n, ids->capacity)) {
    ids->items[ids->n++] = id;
  } else {
    ids->failed = true;
  }
}

#endif
