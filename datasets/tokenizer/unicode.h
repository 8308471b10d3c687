/* Properties of characters, as tokenizers of Hugging Face have them. */
#ifndef TAREI_DATASETS_TOKENIZER_UNICODE_H
#define TAREI_DATASETS_TOKENIZER_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool tarei_is_space(uint32_t c);       /* White_Space */
bool tarei_is_punctuation(uint32_t c); /* P*, and all ASCII characters that print as signs */
bool tarei_is_numeric(uint32_t c);     /* N* */
bool tarei_is_nonspacing(uint32_t c);  /* Mn */
bool tarei_is_mark(uint32_t c);        /* M* */
bool tarei_is_other(uint32_t c);       /* Cc, Cf, Co */

bool tarei_is_word(uint32_t c); /* \\w of expressions */

/* Whether decompositions of the character are newer than those of the original library. */
bool tarei_is_undecomposed(uint32_t c);

/* Lower case of a character alone: one or two characters, whose number is returned. */
int tarei_lower(uint32_t c, uint32_t out[2]);

/* Offset of the first byte that does not begin or continue a character of UTF-8; n if there is
 * none. The text ends with a zero byte, and may have others. */
size_t tarei_utf8_check(const char *text, size_t n);

#endif
