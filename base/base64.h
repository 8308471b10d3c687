/* Bytes as text in base64 (RFC 4648, section 4), with padding and without line ends. */
#ifndef TAREI_BASE_BASE64_H
#define TAREI_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters of n bytes. */
size_t tarei_base64_length(size_t n);

/* Writes tarei_base64_length(n) characters and a zero. */
void tarei_base64_put(const uint8_t *data, size_t n, char *text);

/* Reads the text of n bytes. False unless it is just what tarei_base64_put writes: of this length,
 * of these characters, and with zeros in the bits that no byte needs. */
bool tarei_base64_take(const char *text, uint8_t *data, size_t n);

#endif
