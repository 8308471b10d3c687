/* Pieces of a text on its way through a tokenizer. */
#ifndef TAREI_DATASETS_TOKENIZER_PIECES_H
#define TAREI_DATASETS_TOKENIZER_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { TAREI_PIECES_BYTES = 1 << 24 }; /* of all pieces of a text */

typedef struct tarei_piece {
  size_t start, length; /* in bytes */
  int32_t token;        /* of an added token; -1: text */
  bool at_start;        /* its first character is that of the text */
} tarei_piece;

/* The text of a piece: valid UTF-8, with a zero byte somewhere behind it. */
typedef struct tarei_text_span {
  const char *text;
  size_t length;
  bool at_start;
} tarei_text_span;

typedef struct tarei_pieces {
  char *bytes;
  size_t length, capacity;
  size_t open; /* where the piece that is being written begins */
  tarei_piece *items;
  size_t n, items_capacity;
  bool failed, too_long; /* memory ran out; more than TAREI_PIECES_BYTES */
} tarei_pieces;

/* Removes all pieces, and keeps the memory. */
void tarei_pieces_clear(tarei_pieces *pieces);
void tarei_pieces_fini(tarei_pieces *pieces);

/* Adds bytes or a character to the piece that is being written. */
void tarei_pieces_put(tarei_pieces *pieces, const char *bytes, size_t n);
void tarei_pieces_put_char(tarei_pieces *pieces, uint32_t c);

/* Ends the piece that is being written; one without bytes is dropped. */
void tarei_pieces_end(tarei_pieces *pieces, bool at_start);

/* Adds an added token. */
void tarei_pieces_add_token(tarei_pieces *pieces, int32_t token);

tarei_text_span tarei_pieces_span(const tarei_pieces *pieces, size_t i);

/* TARE_E_MEMORY or TARE_E_INPUT if something could not be added. */
tare_status tarei_pieces_check(const tarei_pieces *pieces, tare_error *err);

#endif
