#include "datasets/packed.h"

#include <assert.h>

#include "base/mem.h"

enum { BLOCK_STRINGS = 32 };

void tarei_packed_free(tarei_packed_list *const list) {
  for (size_t i = 0; i < list->n_full; i++) {
    free(list->full[i]);
  }
  free(list->full);
  tarei_bytes_free(&list->open);
  tarei_bytes_free(&list->last);
  *list = (tarei_packed_list){0};
}

/* Keeps the open block in as many bytes as it has, and opens another. */
static bool packed_begin_block(tarei_packed_list *const list) {
  uint8_t *const block = tarei_memdup(list->open.data, list->open.n);
  if (!block || !TAREI_GROW(list->full, list->n_full, list->capacity)) {
    free(block);
    return false;
  }
  list->full[list->n_full++] = block;
  list->open.n = list->last.n = 0;
  return true;
}

static size_t packed_shared(const tarei_bytes *const last, const uint8_t *const string,
                            const size_t n) {
  size_t shared = 0;
  while (shared < n && shared < last->n && last->data[shared] == string[shared]) {
    shared++;
  }
  return shared;
}

bool tarei_packed_add(tarei_packed_list *const list, const void *const string, const size_t n) {
  const bool full = (list->n_full + 1) * BLOCK_STRINGS == list->n;
  if (!tarei_bytes_reserve(&list->last, n) || (full && !packed_begin_block(list))) {
    return false;
  }
  const uint8_t *const bytes = string;
  const size_t before = list->open.n, shared = packed_shared(&list->last, bytes, n);
  if (!tarei_bytes_put_number(&list->open, shared) ||
      !tarei_bytes_put_number(&list->open, n - shared) ||
      !tarei_bytes_put(&list->open, bytes + shared, n - shared)) {
    list->open.n = before;
    return false;
  }
  list->last.n = shared;
  const bool kept = tarei_bytes_put(&list->last, bytes + shared, n - shared);
  assert(kept); /* reserved above */
  (void)kept;
  list->longest = n > list->longest ? n : list->longest;
  list->n++;
  return true;
}

void tarei_unpacked_free(tarei_unpacked *const string) {
  tarei_bytes_free(&string->bytes);
  *string = (tarei_unpacked){0};
}

bool tarei_packed_reserve(const tarei_packed_list *const list, tarei_unpacked *const out) {
  return tarei_bytes_reserve(&out->bytes, list->longest + 1 /* never NULL */);
}

static void unpacked_begin_block(const tarei_packed_list *const list, const size_t block,
                                 tarei_unpacked *const out) {
  out->next = block < list->n_full ? list->full[block] : list->open.data;
  out->index = block * BLOCK_STRINGS;
  out->bytes.n = 0;
}

static void unpacked_take(tarei_unpacked *const out) {
  const size_t shared = tarei_bytes_take_number(&out->next);
  const size_t more = tarei_bytes_take_number(&out->next);
  tarei_bytes_take(&out->next, out->bytes.data + shared, more);
  out->bytes.n = shared + more;
}

bool tarei_packed_get(const tarei_packed_list *const list, const size_t i,
                      tarei_unpacked *const out) {
  assert(i < list->n);
  if (!tarei_packed_reserve(list, out)) {
    return false;
  }
  const size_t block = i / BLOCK_STRINGS;
  if (!out->next || out->index / BLOCK_STRINGS != block || out->index > i) {
    unpacked_begin_block(list, block, out);
    unpacked_take(out);
  }
  for (; out->index < i; out->index++) {
    unpacked_take(out);
  }
  return true;
}
