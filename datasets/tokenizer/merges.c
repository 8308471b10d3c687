#include "datasets/tokenizer/merges.h"

#include <string.h>

#include "base/str.h"

/* --- table ------------------------------------------------------------------------------------ */

static tarei_merge *merge_slot(const tarei_merges *const merges, const int32_t left,
                               const int32_t right) {
  const uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
  size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (merges->n_slots - 1);
  while (merges->slots[at].left >= 0 &&
         (merges->slots[at].left != left || merges->slots[at].right != right)) {
    at = (at + 1) & (merges->n_slots - 1);
  }
  return &merges->slots[at];
}

void tarei_merges_fini(tarei_merges *const merges) {
  free(merges->slots);
  *merges = (tarei_merges){0};
}

/* The two tokens of an entry; the text of the left one ends at *length. */
static bool take_pair(const cJSON *const entry, const char **const left, size_t *const length,
                      const char **const right) {
  if (cJSON_IsString(entry)) {
    const char *const space = strchr(entry->valuestring, ' ');
    *left = entry->valuestring;
    *length = space ? (size_t)(space - *left) : 0;
    *right = space ? space + 1 : "";
    return space && !strchr(*right, ' ');
  }
  const cJSON *const first = cJSON_GetArrayItem(entry, 0), *const second =
                                                               cJSON_GetArrayItem(entry, 1);
  if (cJSON_GetArraySize(entry) != 2 || !cJSON_IsString(first) || !cJSON_IsString(second)) {
    return false;
  }
  *left = first->valuestring;
  *length = strlen(*left);
  *right = second->valuestring;
  return true;
}

static tare_status merges_add(tarei_merges *const merges, const tarei_vocab *const vocab,
                              const char *const prefix, const cJSON *const entry,
                              const int32_t rank, tare_error *const err) {
  const char *left, *right;
  size_t length;
  if (!take_pair(entry, &left, &length, &right)) {
    return tarei_fail(err, TARE_E_INPUT, "merge %d is not a pair of tokens", rank);
  }
  const size_t skipped = strncmp(right, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
  tarei_str joined = {0};
  tarei_str_add(&joined, "%.*s%s", (int)length, left, right + skipped);
  const tarei_merge merge = {
      .left = tarei_vocab_find(vocab, left, length),
      .right = tarei_vocab_find(vocab, right, strlen(right)),
      .rank = rank,
      .result = tarei_vocab_find(vocab, tarei_str_get(&joined), joined.length)};
  const bool failed = joined.failed;
  tarei_str_free(&joined);
  if (failed) {
    return tarei_fail_memory(err, "merges", length);
  }
  if (merge.left < 0 || merge.right < 0 || merge.result < 0) {
    return tarei_fail(err, TARE_E_INPUT,
                      "merge %d of '%.*s' and '%.60s' has a token that is not in the vocabulary",
                      rank, length > 60 ? 60 : (int)length, left, right);
  }
  *merge_slot(merges, merge.left, merge.right) = merge;
  return TARE_OK;
}

tare_status tarei_merges_read(const cJSON *const list, const tarei_vocab *const vocab,
                              const char *const prefix, tarei_merges *const out,
                              tare_error *const err) {
  if (!cJSON_IsArray(list)) {
    return tarei_fail(err, TARE_E_INPUT, "'merges' is not a list");
  }
  const size_t n = (size_t)cJSON_GetArraySize(list);
  for (out->n_slots = 4; out->n_slots < tarei_times(n, 2);) {
    out->n_slots *= 2;
  }
  out->slots = tarei_calloc(out->n_slots, sizeof *out->slots);
  if (!out->slots) {
    return tarei_fail_memory(err, "merges", n * sizeof *out->slots);
  }
  for (size_t i = 0; i < out->n_slots; i++) {
    out->slots[i].left = -1;
  }
  int32_t rank = 0;
  const cJSON *entry;
  cJSON_ArrayForEach(entry, list) {
    const bool version =
        cJSON_IsString(entry) && strncmp(entry->valuestring, "#version", strlen("#version")) == 0;
    if (!version) {
      TAREI_TRY(merges_add(out, vocab, prefix, entry, rank++, err));
    }
  }
  return TARE_OK;
}

/* --- words ------------------------------------------------------------------------------------ */

/* A token of a word, in a list. */
typedef struct merge_symbol {
  int32_t id;             /* -1: it was merged into the one before */
  int32_t previous, next; /* -1: none */
} merge_symbol;

/* A pair that may be merged: it begins at a symbol. */
typedef struct merge_chance {
  int32_t rank, at, result;
} merge_chance;

/* Symbols, and a heap of chances: least rank first, then from the left. */
typedef struct merge_heap {
  merge_symbol *symbols;
  merge_chance *heap;
  size_t n, capacity;
  const tarei_merges *merges;
  bool failed;
} merge_heap;

static bool comes_before(const merge_chance *const a, const merge_chance *const b) {
  return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void push_chance(merge_heap *const work, const merge_chance chance) {
  if (!TAREI_GROW(work->heap, work->n, work->capacity)) {
    work->failed = true;
    return;
  }
  size_t at = work->n++;
  for (; at > 0 && comes_before(&chance, &work->heap[(at - 1) / 2]); at = (at - 1) / 2) {
    work->heap[at] = work->heap[(at - 1) / 2];
  }
  work->heap[at] = chance;
}

static merge_chance pop_chance(merge_heap *const work) {
  const merge_chance top = work->heap[0], last = work->heap[--work->n];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= work->n) {
      break;
    }
    child += child + 1 < work->n && comes_before(&work->heap[child + 1], &work->heap[child]);
    if (!comes_before(&work->heap[child], &last)) {
      break;
    }
    work->heap[at] = work->heap[child];
    at = child;
  }
  work->heap[at] = last;
  return top;
}

/* Adds the chance of a symbol and the one behind it. */
static void offer_pair(merge_heap *const work, const int32_t at) {
  const int32_t next = at < 0 ? -1 : work->symbols[at].next;
  if (next < 0) {
    return;
  }
  const tarei_merge *const merge =
      merge_slot(work->merges, work->symbols[at].id, work->symbols[next].id);
  if (merge->left >= 0) {
    push_chance(work, (merge_chance){merge->rank, at, merge->result});
  }
}

static void take_chance(merge_heap *const work, const merge_chance chance) {
  merge_symbol *const symbol = &work->symbols[chance.at];
  if (symbol->id < 0 || symbol->next < 0) {
    return; /* it was merged itself, or with the last one */
  }
  merge_symbol *const next = &work->symbols[symbol->next];
  const tarei_merge *const merge = merge_slot(work->merges, symbol->id, next->id);
  if (merge->left < 0 || merge->result != chance.result) {
    return; /* its neighbour has changed */
  }
  symbol->id = merge->result;
  next->id = -1;
  symbol->next = next->next;
  if (symbol->next >= 0) {
    work->symbols[symbol->next].previous = chance.at;
  }
  offer_pair(work, symbol->previous);
  offer_pair(work, chance.at);
}

tare_status tarei_merges_apply(const tarei_merges *const merges, const tarei_token_ids *const word,
                               tarei_token_ids *const out, tare_error *const err) {
  merge_heap work = {.merges = merges, .symbols = tarei_calloc(word->n, sizeof *work.symbols)};
  if (!work.symbols) {
    return tarei_fail_memory(err, "a word", word->n * sizeof *work.symbols);
  }
  const int32_t n = (int32_t)word->n; /* less than the bytes of a text */
  for (int32_t i = 0; i < n; i++) {
    work.symbols[i] = (merge_symbol){word->items[i], i - 1, i + 1 < n ? i + 1 : -1};
  }
  for (int32_t i = 0; i < n; i++) {
    offer_pair(&work, i);
  }
  while (work.n && !work.failed) {
    take_chance(&work, pop_chance(&work));
  }
  for (int32_t i = 0; i >= 0 && n; i = work.symbols[i].next) {
    tarei_token_ids_add(out, work.symbols[i].id);
  }
  free(work.symbols);
  free(work.heap);
  return work.failed ? tarei_fail_memory(err, "a word", word->n) : TARE_OK;
}
