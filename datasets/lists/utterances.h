/* Kaldi's tables of text: lines "KEY VALUE", where the value may have spaces. */
#ifndef TAREI_DATASETS_LISTS_UTTERANCES_H
#define TAREI_DATASETS_LISTS_UTTERANCES_H

#include "base/names.h"
#include "base/error.h"

#include <stdint.h>

typedef struct tarei_kaldi_line {
  char *key, *value; /* owned */
  int64_t line;
} tarei_kaldi_line;

typedef struct tarei_utterances {
  char *path; /* owned */
  tarei_kaldi_line *items;
  size_t n, capacity;
  tarei_names keys;
} tarei_utterances;

/* Reads the table `name` in the folder of `beside` (NULL: the table `beside` itself). TARE_E_INPUT:
 * it is missing or malformed, a value is empty, a key is there twice. End `out` with
 * tarei_utterances_fini either way. */
tare_status tarei_utterances_read(const char *beside, const char *name, tarei_utterances *out,
                                  tare_error *err);
void tarei_utterances_fini(tarei_utterances *table);

/* The line of a key, or NULL. */
const tarei_kaldi_line *tarei_utterances_find(const tarei_utterances *table, const char *key);

#endif
