#include "datasets/tokenizer/steps/splits.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "datasets/tokenizer/json_field.h"

void tarei_splits_fini(tarei_splits *const splits) {
  free(splits->items);
  *splits = (tarei_splits){0};
}

void tarei_splits_add(tarei_splits *const splits, const size_t start, const size_t end,
                      const bool match) {
  if (start == end && !match) {
    return;
  }
  if (!TAREI_GROW(splits->items, splits->n, splits->capacity)) {
    splits->failed = true;
    return;
  }
  splits->items[splits->n++] = (struct tarei_split){(uint32_t)start, (uint32_t)end, match};
}

void tarei_splits_by(tarei_splits *const splits, const tarei_text_span *const in,
                     bool (*const is)(uint32_t c)) {
  size_t from = 0;
  for (size_t at = 0; at < in->length;) {
    uint32_t c;
    const size_t next = at + (size_t)tarei_utf8_read(in->text + at, &c);
    if (is(c)) {
      tarei_splits_add(splits, from, at, false);
      tarei_splits_add(splits, at, next, true);
      from = next;
    }
    at = next;
  }
  tarei_splits_add(splits, from, in->length, false);
}

/* Each match goes to the end of what is before it, unless that is a match. */
static void merge_with_previous(tarei_splits *const splits) {
  size_t n = 0;
  bool previous = false;
  for (size_t i = 0; i < splits->n; i++) {
    const struct tarei_split part = splits->items[i];
    if (part.match && !previous && n) {
      splits->items[n - 1].end = part.end;
    } else {
      splits->items[n++] = part;
    }
    previous = part.match;
  }
  splits->n = n;
}

/* The same from the end. */
static void merge_with_next(tarei_splits *const splits) {
  size_t first = splits->n;
  bool previous = false;
  for (size_t i = splits->n; i-- > 0;) {
    const struct tarei_split part = splits->items[i];
    if (part.match && !previous && first < splits->n) {
      splits->items[first].start = part.start;
    } else {
      splits->items[--first] = part;
    }
    previous = part.match;
  }
  splits->n -= first;
  for (size_t i = 0; i < splits->n; i++) {
    splits->items[i] = splits->items[first + i];
  }
}

static void merge_alike(tarei_splits *const splits) {
  size_t n = 0;
  bool previous = false;
  for (size_t i = 0; i < splits->n; i++) {
    const struct tarei_split part = splits->items[i];
    if (part.match == previous && n) {
      splits->items[n - 1].end = part.end;
    } else {
      splits->items[n++] = part;
    }
    previous = part.match;
  }
  splits->n = n;
}

tare_status tarei_splits_put(tarei_splits *const splits, const tarei_text_span *const in,
                             const tarei_behavior behavior, tarei_pieces *const out,
                             tare_error *const err) {
  const bool failed = splits->failed;
  if (behavior == TAREI_MERGED_WITH_PREVIOUS) {
    merge_with_previous(splits);
  } else if (behavior == TAREI_MERGED_WITH_NEXT) {
    merge_with_next(splits);
  } else if (behavior == TAREI_CONTIGUOUS) {
    merge_alike(splits);
  }
  for (size_t i = 0; i < splits->n; i++) {
    const struct tarei_split *const part = &splits->items[i];
    if (behavior != TAREI_REMOVED || !part->match) {
      tarei_pieces_put(out, in->text + part->start, part->end - part->start);
      tarei_pieces_end(out, in->at_start && part->start == 0);
    }
  }
  tarei_splits_fini(splits);
  return failed ? tarei_fail_memory(err, "splits", in->length) : TARE_OK;
}

tare_status tarei_behavior_read(const cJSON *const object, tarei_behavior *const out,
                                tare_error *const err) {
  static const char *const NAMES[] = {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext",
                                      "Contiguous"};
  const char *name = NULL;
  TAREI_TRY(tarei_field_text(object, "behavior", &name, err));
  int picked = (int)*out;
  if (name && tarei_pick("behavior", name, NAMES, sizeof NAMES / sizeof *NAMES, &picked, err)) {
    return tarei_fail_in(err, TARE_E_INPUT, "'behavior'");
  }
  *out = (tarei_behavior)picked;
  return TARE_OK;
}
