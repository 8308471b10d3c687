/* Where a piece of text is split, and what becomes of the parts. */
#ifndef TAREI_DATASETS_TOKENIZER_STEPS_SPLITS_H
#define TAREI_DATASETS_TOKENIZER_STEPS_SPLITS_H

#include <cjson/cJSON.h>

#include "datasets/tokenizer/pieces.h"

/* What becomes of matches: SplitDelimiterBehavior of the original library. */
typedef enum tarei_behavior {
  TAREI_REMOVED,
  TAREI_ISOLATED,
  TAREI_MERGED_WITH_PREVIOUS,
  TAREI_MERGED_WITH_NEXT,
  TAREI_CONTIGUOUS
} tarei_behavior;

typedef struct tarei_splits {
  struct tarei_split {
    uint32_t start, end; /* TAREI_PIECES_BYTES bounds them; a long text can have as many splits */
    bool match;
  } * items;
  size_t n, capacity;
  bool failed;
} tarei_splits;

void tarei_splits_fini(tarei_splits *splits);

/* Adds the next part, which may be empty if it is a match. */
void tarei_splits_add(tarei_splits *splits, size_t start, size_t end, bool match);

/* Adds each character that has a property as a match, and what is between them. */
void tarei_splits_by(tarei_splits *splits, const tarei_text_span *in, bool (*is)(uint32_t c));

/* Writes the pieces and frees the splits. TARE_E_MEMORY */
tare_status tarei_splits_put(tarei_splits *splits, const tarei_text_span *in,
                             tarei_behavior behavior, tarei_pieces *out, tare_error *err);

/* Reads the member 'behavior'; *out is left alone where it is missing. */
tare_status tarei_behavior_read(const cJSON *object, tarei_behavior *out, tare_error *err);

#endif
