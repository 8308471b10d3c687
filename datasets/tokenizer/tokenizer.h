/* Turns text into numbers of tokens: tokenizer.json of Hugging Face, or a SentencePiece model. */
#ifndef TAREI_DATASETS_TOKENIZER_TOKENIZER_H
#define TAREI_DATASETS_TOKENIZER_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tarei_tokenizer tarei_tokenizer;

/* What to do beside what the file says. */
typedef struct tarei_tokenizer_options {
  int64_t most_tokens; /* cut at this number, with special tokens; 0: as the file says */
  bool bos, eos;       /* add these tokens of a SentencePiece model */
} tarei_tokenizer_options;

/* One text or two. */
typedef struct tarei_text {
  const char *text, *pair; /* pair: or NULL; each ends with a zero byte */
  size_t length, pair_length;
} tarei_text;

/* The tokens of a sample. */
typedef struct tarei_encoding {
  int32_t *ids, *types;
  size_t n;
} tarei_encoding;

/* TARE_E_INPUT names the file and what is not supported or malformed; TARE_E_USAGE: options that
 * the file does not take; TARE_E_MEMORY. */
tare_status tarei_tokenizer_open(const char *path, const tarei_tokenizer_options *options,
                                 tarei_tokenizer **out, tare_error *err);
void tarei_tokenizer_close(tarei_tokenizer *tokenizer); /* NULL is allowed */

/* Kind of model, e.g. "WordPiece". */
const char *tarei_tokenizer_kind(const tarei_tokenizer *tokenizer);

/* Several threads may call this at the same time. TARE_E_INPUT: the text is not UTF-8 or has no
 * tokens; TARE_E_MEMORY. Free `out` with tarei_encoding_fini if it succeeds. */
tare_status tarei_tokenizer_encode(const tarei_tokenizer *tokenizer, const tarei_text *text,
                                   tarei_encoding *out, tare_error *err);
void tarei_encoding_fini(tarei_encoding *encoding);

#endif
