#include "engine/lower/attention/attention.h"

#include <math.h>

#include "base/mem.h"
#include "engine/threads.h"

enum {
  MOST_ROWS = 128,
  FEWEST_ROWS = 16,
  SCORES = 128 * 1024,  /* floats of a block: beside keys and values in L2 */
  HEADER = TAREI_ALIGN, /* number of the head that is packed in a thread's scratch */
  MOST_CUTS = 64,
};

static size_t attention_take(size_t *const total, const size_t bytes) {
  const size_t at = *total;
  *total = tarei_plus(*total, tarei_round_up(bytes, TAREI_ALIGN));
  return at;
}

/* More than the keys fill by a line: rows of a power of two apart would meet in a cache set. */
static size_t attention_row(const size_t keys, const size_t element) {
  return tarei_round_up(keys, TAREI_ALIGN) + TAREI_ALIGN / element;
}

tarei_attention_layout tarei_attention_layout_of(const tarei_attention_form *const form,
                                                 const size_t keys, const size_t depth,
                                                 const size_t width) {
  tarei_attention_layout l = {.total = HEADER, .ld_scores = attention_row(keys, sizeof(float))};
  const size_t fewest = tarei_times(FEWEST_ROWS, l.ld_scores);
  const size_t most = tarei_times(MOST_ROWS, l.ld_scores);
  const size_t floats = most < SCORES ? most : fewest > SCORES ? fewest : SCORES;
  l.block_rows = floats / l.ld_scores / FEWEST_ROWS * FEWEST_ROWS;
  l.keys = attention_take(&l.total, form->packed_size(depth, keys));
  l.values = attention_take(&l.total, form->packed_size(keys, width));
  l.scores = attention_take(&l.total, tarei_times(floats, sizeof(float)));
  if (form->column_sums) {
    l.key_sums = attention_take(&l.total, tarei_round_up(keys, TAREI_I8_PANEL) * sizeof(int32_t));
    l.value_sums =
        attention_take(&l.total, tarei_round_up(width, TAREI_I8_PANEL) * sizeof(int32_t));
  }
  if (form->rounds) {
    l.queries = attention_take(&l.total, tarei_times(MOST_ROWS * sizeof(uint16_t), depth + 1));
  }
  if (form->row_scales) {
    l.key_scales = attention_take(&l.total, tarei_times(keys, sizeof(float)));
    l.query_scales = attention_take(&l.total, MOST_ROWS * sizeof(float));
  }
  if (form->probability) {
    l.ld_probabilities = attention_row(keys, form->probability);
    l.probabilities = attention_take(
        &l.total, tarei_times(tarei_plus(floats, MOST_ROWS * TAREI_ALIGN), form->probability));
    l.sums = attention_take(&l.total, MOST_ROWS * sizeof(uint32_t));
    l.factors = attention_take(&l.total, MOST_ROWS * sizeof(float));
  }
  return l;
}

typedef struct attention_job {
  const tarei_attention *a;
  size_t cuts, size; /* of a head's rows */
} attention_job;

/* The mask of a head. One row of zeros for all rows, as sequences that nothing pads have, is none.
 */
static const float *attention_mask_of(const tarei_attention *const a, const size_t batch,
                                      const size_t head) {
  if (!a->mask) {
    return NULL;
  }
  const float *const mask = a->mask + batch * a->mask_step[0] + head * a->mask_step[1];
  size_t zeros = 0;
  while (a->mask_step[2] == 0 && zeros < a->keys && mask[zeros] == 0) {
    zeros++;
  }
  return zeros < a->keys ? mask : NULL;
}

/* Far enough apart that a key of the first kind has nothing beside one of the second. */
static const float MASKED = -1e30f, SEEN = -1e20f;

static bool any_above(const float *const x, const size_t n, const float limit) {
  int any = 0;
  for (size_t i = 0; i < n; i++) {
    any |= !(x[i] <= limit);
  }
  return any != 0;
}

/* In front of the keys that are masked at the end of a row, by whole steps of the products; all
 * where it cannot be said that others are seen. */
static size_t seen_keys(const float *const mask, const size_t keys) {
  enum { STEP = 64 };
  size_t n = keys;
  while (n > 0) {
    const size_t from = (n - 1) / STEP * STEP;
    if (any_above(mask + from, n - from, MASKED)) {
      return any_above(mask + from, n - from, SEEN) ? n : keys;
    }
    n = from;
  }
  return keys;
}

static size_t block_keys(const tarei_attention *const a, const tarei_attention_block *const b) {
  const size_t rows = b->mask && a->mask_step[2] > 0 ? b->m : 1;
  size_t most = b->mask ? 0 : a->keys;
  for (size_t r = 0; r < rows && most < a->keys; r++) {
    const size_t n = seen_keys(tarei_attention_mask(a, b, r), a->keys);
    most = n > most ? n : most;
  }
  return most;
}

static void item(const void *const user, const size_t i, const int thread) {
  const attention_job *const j = user;
  const tarei_attention *const a = j->a;
  const size_t unit = i / j->cuts, first = i % j->cuts * j->size;
  const size_t end = first + j->size < a->rows ? first + j->size : a->rows;
  if (first >= end) {
    return;
  }
  char *const scratch = tarei_thread_scratch(a->run, thread, a->layout.total);
  size_t *const packed = (size_t *)scratch;
  tarei_attention_block b = {.batch = unit / a->heads, .head = unit % a->heads};
  b.mask = attention_mask_of(a, b.batch, b.head);
  if (*packed != unit) {
    a->form->pack(a, b.batch, b.head, scratch);
    *packed = unit;
  }
  for (b.first = first; b.first < end; b.first += b.m) {
    b.m = end - b.first < a->layout.block_rows ? end - b.first : a->layout.block_rows;
    b.keys = block_keys(a, &b);
    a->form->rows(a, &b, scratch);
  }
}

/* In how many parts the rows of each head go, so that all threads have as much to do: both threads
 * pack a head that they share, so no more than it takes. */
static size_t cuts_for(const tarei_attention *const a) {
  const size_t threads = (size_t)a->run->threads, units = a->batch * a->heads;
  const size_t blocks = (a->rows + FEWEST_ROWS - 1) / FEWEST_ROWS;
  size_t cuts = 1;
  while (units * cuts % threads && units * cuts < 4 * threads && cuts < blocks &&
         cuts < MOST_CUTS) {
    cuts++;
  }
  return cuts;
}

void tarei_attention_run(const tarei_attention *const a) {
  const size_t cuts = cuts_for(a);
  const attention_job j = {a, cuts, tarei_round_up((a->rows + cuts - 1) / cuts, FEWEST_ROWS)};
  for (int t = 0; t < a->run->threads; t++) {
    *(size_t *)tarei_thread_scratch(a->run, t, a->layout.total) = SIZE_MAX;
  }
  tarei_team_run(a->run->team, a->batch * a->heads * cuts, item, &j);
}

bool tarei_attention_is_empty(const tarei_attention *const a, const tarei_attention_block *const b,
                              const size_t row) {
  const float *const mask = a->guard ? tarei_attention_mask(a, b, row) : NULL;
  size_t i = 0;
  while (mask && i < a->keys && mask[i] == -INFINITY) {
    i++;
  }
  return mask && i == a->keys;
}

tarei_logits tarei_attention_logits(const tarei_attention *const a,
                                    const tarei_attention_block *const b,
                                    const char *const scratch) {
  return (tarei_logits){.m = b->m,
                        .n = b->keys,
                        .x = (const float *)(scratch + a->layout.scores),
                        .ldx = a->layout.ld_scores,
                        .scale = a->scale,
                        .mask = tarei_attention_mask(a, b, 0),
                        .mask_step = a->mask_step[2]};
}
