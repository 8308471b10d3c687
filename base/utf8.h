/* Characters of texts in UTF-8. */
#ifndef TAREI_BASE_UTF8_H
#define TAREI_BASE_UTF8_H

#include <stdint.h>

/* Length in bytes of the character that begins here, and the character; 0: not UTF-8. The text ends
 * with a zero byte, which is a character too. */
int tarei_utf8_read(const char *text, uint32_t *character);

/* Writes a character, at most 4 bytes without a zero behind them; returns how many. */
int tarei_utf8_write(uint32_t character, char *out);

#endif
