/* The texts that classes stand for. */
#ifndef TAREI_CALIB_METRICS_VOCABULARY_H
#define TAREI_CALIB_METRICS_VOCABULARY_H

#include <stdint.h>

#include "base/error.h"

/* Characters, Unicode code points. */
typedef struct tarei_characters {
  uint32_t *items;
  int64_t n;
  size_t cap;
} tarei_characters;

typedef struct tarei_vocabulary {
  int64_t n;     /* classes, with the blank */
  int64_t blank; /* class */
  int64_t *ends; /* of each class in `texts`; the blank and special tokens are empty */
  tarei_characters texts;
  const char *source; /* for messages: the alphabet or the name of the file; owned */
} tarei_vocabulary;

/* The classes beside the blank are these characters in order. `blank`: a number of a class, NULL:
 * 0. TARE_E_USAGE, TARE_E_MEMORY. Free *out with _free. */
tare_status tarei_vocabulary_of_alphabet(const char *alphabet, const char *blank,
                                         tarei_vocabulary **out, tare_error *err);

/* Reads a file of tokens (docs/metrics.md). `blank`: a number of a class or a token; NULL: the
 * token with a usual name. TARE_E_INPUT, TARE_E_USAGE (blank), TARE_E_MEMORY. */
tare_status tarei_vocabulary_read(const char *path, const char *blank, tarei_vocabulary **out,
                                  tare_error *err);
void tarei_vocabulary_free(tarei_vocabulary **vocabulary);

/* Adds the characters of a class, or of a text: TARE_E_INPUT if it is not UTF-8. */
tare_status tarei_vocabulary_add(const tarei_vocabulary *vocabulary, int64_t class,
                                 tarei_characters *out, tare_error *err);
tare_status tarei_characters_add(tarei_characters *out, const char *text, tare_error *err);

/* Removes spaces at both ends, and all but one in a row. */
void tarei_characters_trim(tarei_characters *characters);

/* The first character of a text that no class has; 0: none. */
uint32_t tarei_vocabulary_lacks(const tarei_vocabulary *vocabulary, const tarei_characters *text);

#endif
