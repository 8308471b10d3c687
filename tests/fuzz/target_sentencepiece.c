/* Reads a SentencePiece model, and turns texts into tokens. */
#include <string.h>

#include "fuzz/tokens.h"

static int sentencepiece_test(const uint8_t *const data, const size_t size) {
  fuzz_tokens(fuzz_file("tokenizer.model", data, size), fuzz_hash(data, size));
  return 0;
}

/* pieces = 1 {piece = 1, score = 2, type = 3} */
static size_t sentencepiece_piece(uint8_t *const to, const char *const piece, const float score,
                                  const uint8_t type) {
  const size_t n = strlen(piece);
  uint8_t *at = to;
  *at++ = 0x0a;
  *at++ = (uint8_t)(n + 9);
  *at++ = 0x0a;
  *at++ = (uint8_t)n;
  memcpy(at, piece, n);
  at += n;
  *at++ = 0x15;
  memcpy(at, &score, 4);
  at += 4;
  *at++ = 0x18;
  *at++ = type;
  return (size_t)(at - to);
}

/* A model of the smallest size for each kind: unigram 1, BPE 2. */
static void sentencepiece_make(fuzz_take_fn *const take, void *const user) {
  static const char *const pieces[] = {"\xe2\x96\x81",   "e", "l",     "lo",
                                       "\xe2\x96\x81he", "o", "<0xFF>"};
  for (uint8_t kind = 1; kind <= 2; kind++) {
    uint8_t model[512];
    size_t n = sentencepiece_piece(model, "<unk>", 0, 2);
    n += sentencepiece_piece(model + n, "<s>", 0, 3);
    n += sentencepiece_piece(model + n, "</s>", 0, 3);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
      n += sentencepiece_piece(model + n, pieces[i], -(float)i, i == 6 ? 6 : 1);
    }
    const uint8_t trainer[] = {0x12, 2, 0x18, kind}; /* trainer_spec = 2 {model_type = 3} */
    memcpy(model + n, trainer, sizeof trainer);
    take(user, model, n + sizeof trainer);
  }
}

static const char *const sentencepiece_words[] = {
    "<unk>",    "<s>", "</s>", "\xe2\x96\x81", "<0x00>", "\x18\x02", "\x12\x02\x18\x02",
    "\x1a\x02", NULL};

const fuzz_target fuzz_target_sentencepiece = {.name = "sentencepiece",
                                               .make = sentencepiece_make,
                                               .test = sentencepiece_test,
                                               .words = sentencepiece_words};
