/* What the files of a data set hold, found by opening each once. */
#ifndef TAREI_DATASETS_SURVEY_H
#define TAREI_DATASETS_SURVEY_H

#include "base/str.h"
#include "datasets/data_spec.h"
#include "datasets/items.h"

typedef struct tarei_survey {
  uint64_t hash;        /* of what the data set consists of */
  bool audio;           /* there are samples that are audio */
  unsigned heeded;      /* options that files heed, of TAREI_HEEDS_... */
  int64_t n_empty;      /* labels that a list has empty */
  int64_t total, count; /* samples of all shards, and of this one; -1: only a feed's end tells */
  tarei_str describe, gain_range;
} tarei_survey;

/* Checks and counts the items, into a zeroed survey; `notes` are added to the description. The
 * caller frees it with tarei_survey_fini, also after a failure. */
tare_status tarei_survey_take(const tarei_data_spec *spec, tarei_items *items,
                              const tarei_str *notes, tarei_survey *out, tare_error *err);
void tarei_survey_fini(tarei_survey *survey);

#endif
