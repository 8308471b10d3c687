/* Texts through a tokenizer of a file. */
#ifndef TAREI_TESTS_FUZZ_TOKENS_H
#define TAREI_TESTS_FUZZ_TOKENS_H

#include "fuzz/harness.h"

void fuzz_tokens(const char *tokenizer, uint64_t choices);

#endif
