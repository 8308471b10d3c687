/* Little-endian fields in memory, for plan files. A writer grows and remembers failure; a reader
 * never reads beyond its end and remembers failure, so that both are checked once at the end. */
#ifndef TAREI_ENGINE_FILE_WIRE_H
#define TAREI_ENGINE_FILE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tarei_writer {
  uint8_t *data;
  size_t n, capacity;
  bool failed; /* out of memory */
} tarei_writer;

void tarei_put_bytes(tarei_writer *w, const void *data, size_t n);
void tarei_put_u8(tarei_writer *w, uint8_t x);
void tarei_put_u32(tarei_writer *w, uint32_t x);
void tarei_put_u64(tarei_writer *w, uint64_t x);
void tarei_put_f32(tarei_writer *w, float x);
void tarei_put_text(tarei_writer *w, const char *text); /* u32 length, bytes; NULL as "" */
void tarei_writer_fini(tarei_writer *w);

typedef struct tarei_reader {
  const uint8_t *data;
  size_t n, at;
  bool failed; /* ran beyond the end */
  int depth;   /* of what is read now, where things nest */
} tarei_reader;

const void *tarei_get_bytes(tarei_reader *r, size_t n); /* NULL on failure */
uint8_t tarei_get_u8(tarei_reader *r);
uint32_t tarei_get_u32(tarei_reader *r);
uint64_t tarei_get_u64(tarei_reader *r);
float tarei_get_f32(tarei_reader *r);
char *tarei_get_text(tarei_reader *r); /* a new NUL-terminated copy; NULL on failure */
/* A count of things that take at least `least` bytes each: fails when they cannot be there. */
uint32_t tarei_get_count(tarei_reader *r, size_t least);

#endif
