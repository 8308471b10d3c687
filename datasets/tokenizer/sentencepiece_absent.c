/* Builds without SentencePiece: no model is ever opened. */
#include "datasets/tokenizer/sentencepiece.h"

tare_status tarei_sentencepiece_open(const void *const data, const size_t bytes,
                                     tarei_sentencepiece **const out, tare_error *const err) {
  (void)data;
  (void)bytes;
  *out = NULL;
  return tarei_fail(err, TARE_E_INPUT,
                    "this build cannot read SentencePiece models (install libsentencepiece-dev "
                    "and build again, or use a tokenizer.json)");
}

void tarei_sentencepiece_close(tarei_sentencepiece *const model) {
  (void)model;
}

int32_t tarei_sentencepiece_bos(const tarei_sentencepiece *const model) {
  (void)model;
  return -1;
}

int32_t tarei_sentencepiece_eos(const tarei_sentencepiece *const model) {
  (void)model;
  return -1;
}

tare_status tarei_sentencepiece_encode(const tarei_sentencepiece *const model,
                                       const char *const text, const size_t length,
                                       void (*const add)(void *user, int32_t id), void *const user,
                                       tare_error *const err) {
  (void)model;
  (void)text;
  (void)length;
  (void)add;
  (void)user;
  return tarei_fail(err, TARE_E_INPUT, "this build has no SentencePiece");
}
