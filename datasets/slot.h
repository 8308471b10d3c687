/* One sample with its own memory, on its way from a reader to the caller. */
#ifndef TAREI_DATASETS_SLOT_H
#define TAREI_DATASETS_SLOT_H

#include <stdbool.h>
#include <tare/tensor.h>

#include "base/error.h"
#include "datasets/segment.h"

typedef struct tarei_slot {
  char *name;
  char *label_text;
  int64_t index;
  int level; /* of the gain of the data set */
  int rate;  /* of audio, in Hz, after resampling; 0 for other data */
  bool has_seconds;
  double seconds; /* of audio: how long it is */
  int n_tensors;
  tare_tensor *tensors;  /* data owned, aligned to TAREI_ALIGN */
  tare_tensor label;     /* data owned; NULL data: no label */
  size_t bytes;          /* of all tensors */
  tarei_segment segment; /* of the file */
  void *raw;             /* what is left to finish, freed by free_raw; or NULL */
  void (*free_raw)(void *raw);
  tare_error error; /* if its status is not TARE_OK: why the sample is bad */
  bool fatal;       /* not this sample alone: it cannot be skipped */
  bool ended;       /* there is no such sample: a feed is at its end, which only reading tells */
} tarei_slot;

/* Allocates zeroed tensors, one per input. `slot` must be zeroed; free it with tarei_slot_fini. */
tare_status tarei_slot_init(tarei_slot *slot, int n_tensors, tare_error *err);
void tarei_slot_fini(tarei_slot *slot);

/* Allocates memory for a tensor of the slot from its dtype, rank and dims, unless it already has
 * data (from tarei_alloc_aligned). TARE_E_INPUT if it has more than max_elements. */
tare_status tarei_slot_allocate(tarei_slot *slot, tare_tensor *tensor, int64_t max_elements,
                                tare_error *err);

#endif
