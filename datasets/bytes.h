/* Bytes that grow, and numbers of 7 bits a byte among them, the lowest first. */
#ifndef TAREI_DATASETS_BYTES_H
#define TAREI_DATASETS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tarei_bytes {
  uint8_t *data;
  size_t n, capacity;
} tarei_bytes;

void tarei_bytes_free(tarei_bytes *bytes);

/* Makes room for `n` bytes in all; false if memory runs out, and nothing has changed. */
bool tarei_bytes_reserve(tarei_bytes *bytes, size_t n);

/* Append bytes or a number; false as above. */
bool tarei_bytes_put(tarei_bytes *bytes, const void *data, size_t n);
bool tarei_bytes_put_number(tarei_bytes *bytes, uint64_t number);

/* Reads what was put, and moves on. */
void tarei_bytes_take(const uint8_t **at, void *data, size_t n);
uint64_t tarei_bytes_take_number(const uint8_t **at);

#endif
