/* One sample with its own memory, on its way from a reader to the caller. */
#ifndef TAREI_DATASETS_SLOT_H
#define TAREI_DATASETS_SLOT_H

#include <stdbool.h>
#include <tare/tensor.h>

#include "base/error.h"

typedef struct tarei_slot {
  char *name;
  char *label_text;
  int64_t index;
  int rate; /* of audio, in Hz, as it is given; 0 for other data */
  int n_tensors;
  tare_tensor *tensors; /* data owned, aligned to TAREI_ALIGN */
  tare_tensor label;    /* data owned; NULL data: no label */
  size_t bytes;         /* of all tensors */
  tare_error error;     /* status other than TARE_OK: a bad sample, and why */
} tarei_slot;

/* Zeroed tensors, one per input. `slot` is zero before; end it with tarei_slot_fini. */
tare_status tarei_slot_init(tarei_slot *slot, int n_tensors, tare_error *err);
void tarei_slot_fini(tarei_slot *slot);

/* Gives memory to `tensor`, one of the slot's, by its dtype, rank and dims; data that it has, which
 * tarei_alloc_aligned gave, is kept. TARE_E_INPUT when it has more than max_elements. */
tare_status tarei_slot_allocate(tarei_slot *slot, tare_tensor *tensor, int64_t max_elements,
                                tare_error *err);

#endif
