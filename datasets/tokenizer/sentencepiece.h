/* SentencePiece models, by their library: its interface is C++, this one is C. */
#ifndef TAREI_DATASETS_TOKENIZER_SENTENCEPIECE_H
#define TAREI_DATASETS_TOKENIZER_SENTENCEPIECE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tarei_sentencepiece tarei_sentencepiece;

/* Reads the bytes of a file, which are not needed afterwards. TARE_E_INPUT: malformed, or this
 * build has no SentencePiece; TARE_E_MEMORY. */
tare_status tarei_sentencepiece_open(const void *data, size_t bytes, tarei_sentencepiece **out,
                                     tare_error *err);
void tarei_sentencepiece_close(tarei_sentencepiece *model); /* NULL is allowed */

/* Numbers of the tokens at the beginning and end of a sentence; -1: none. */
int32_t tarei_sentencepiece_bos(const tarei_sentencepiece *model);
int32_t tarei_sentencepiece_eos(const tarei_sentencepiece *model);

/* Calls `add` with each token of a text. Several threads may do so. TARE_E_INPUT, TARE_E_MEMORY */
tare_status tarei_sentencepiece_encode(const tarei_sentencepiece *model, const char *text,
                                       size_t length, void (*add)(void *user, int32_t id),
                                       void *user, tare_error *err);

#ifdef __cplusplus
}
#endif
#endif
