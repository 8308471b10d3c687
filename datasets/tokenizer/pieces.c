#include "datasets/tokenizer/pieces.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

void tarei_pieces_clear(tarei_pieces *const pieces) {
  pieces->length = pieces->open = pieces->n = 0;
  pieces->failed = pieces->too_long = false;
}

void tarei_pieces_fini(tarei_pieces *const pieces) {
  free(pieces->bytes);
  free(pieces->items);
  *pieces = (tarei_pieces){0};
}

/* Room for n bytes more and a zero. */
static bool pieces_reserve(tarei_pieces *const pieces, const size_t n) {
  if (n > TAREI_PIECES_BYTES - pieces->length) {
    pieces->too_long = true;
    return false;
  }
  if (pieces->length + n < pieces->capacity) {
    return true;
  }
  const size_t capacity = 2 * (pieces->length + n) + 64;
  char *const bytes = tarei_realloc(pieces->bytes, capacity);
  if (!bytes) {
    pieces->failed = true;
    return false;
  }
  pieces->bytes = bytes;
  pieces->capacity = capacity;
  return true;
}

void tarei_pieces_put(tarei_pieces *const pieces, const char *const bytes, const size_t n) {
  if (!pieces->failed && !pieces->too_long && pieces_reserve(pieces, n)) {
    memcpy(pieces->bytes + pieces->length, bytes, n);
    pieces->length += n;
    pieces->bytes[pieces->length] = '\0';
  }
}

void tarei_pieces_put_char(tarei_pieces *const pieces, const uint32_t c) {
  char bytes[4];
  tarei_pieces_put(pieces, bytes, (size_t)tarei_utf8_write(c, bytes));
}

static void pieces_add(tarei_pieces *const pieces, const tarei_piece piece) {
  if (pieces->failed || pieces->too_long) {
    return;
  }
  if (!TAREI_GROW(pieces->items, pieces->n, pieces->items_capacity)) {
    pieces->failed = true;
    return;
  }
  pieces->items[pieces->n++] = piece;
}

void tarei_pieces_end(tarei_pieces *const pieces, const bool at_start) {
  if (pieces->length > pieces->open) {
    pieces_add(pieces, (tarei_piece){.start = pieces->open,
                                     .length = pieces->length - pieces->open,
                                     .token = -1,
                                     .at_start = at_start});
  }
  pieces->open = pieces->length;
}

void tarei_pieces_add_token(tarei_pieces *const pieces, const int32_t token) {
  pieces_add(pieces, (tarei_piece){.token = token});
}

tarei_text_span tarei_pieces_span(const tarei_pieces *const pieces, const size_t i) {
  const tarei_piece *const piece = &pieces->items[i];
  return (tarei_text_span){pieces->bytes + piece->start, piece->length, piece->at_start};
}

tare_status tarei_pieces_check(const tarei_pieces *const pieces, tare_error *const err) {
  if (pieces->too_long) {
    return tarei_fail(err, TARE_E_INPUT, "the tokenizer makes more than %d bytes of the text",
                      TAREI_PIECES_BYTES);
  }
  return pieces->failed ? tarei_fail_memory(err, "text", pieces->capacity) : TARE_OK;
}
