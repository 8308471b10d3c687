/* Reads a tokenizer.json, and turns texts into tokens. */
#include "fuzz/tokens.h"

static int tokenizer_test(const uint8_t *const data, const size_t size) {
  fuzz_tokens(fuzz_file("tokenizer.json", data, size), fuzz_hash(data, size));
  return 0;
}

static const char *const tokenizer_seeds[] = {"tests/fixtures/tokenizers/*.json", NULL};

static const char *const tokenizer_words[] = {"\"model\"",
                                              "\"type\"",
                                              "\"BPE\"",
                                              "\"Unigram\"",
                                              "\"WordPiece\"",
                                              "\"WordLevel\"",
                                              "\"vocab\"",
                                              "\"merges\"",
                                              "\"unk_token\"",
                                              "\"unk_id\"",
                                              "\"normalizer\"",
                                              "\"Sequence\"",
                                              "\"Replace\"",
                                              "\"Regex\"",
                                              "\"Metaspace\"",
                                              "\"ByteLevel\"",
                                              "\"Split\"",
                                              "\"pre_tokenizer\"",
                                              "\"added_tokens\"",
                                              "\"id\"",
                                              "\"truncation\"",
                                              "\"max_length\"",
                                              "\"TemplateProcessing\"",
                                              "\"byte_fallback\"",
                                              "null",
                                              "true",
                                              "-1",
                                              "1e999",
                                              "(a+)+$",
                                              NULL};

const fuzz_target fuzz_target_tokenizer = {.name = "tokenizer",
                                           .seeds = tokenizer_seeds,
                                           .test = tokenizer_test,
                                           .words = tokenizer_words};
