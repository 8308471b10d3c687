/* Functions on data sets for the floors above, in addition to the public ones. */
#ifndef TAREI_DATASETS_DATASET_H
#define TAREI_DATASETS_DATASET_H

#include <tare/dataset.h>

#include "datasets/data_spec.h"
#include "datasets/slot.h"

/* Moves the last sample of tare_dataset_next into `slot`, which must be zeroed. The caller frees it
 * with tarei_slot_fini, at any time and on any thread. The tare_sample becomes invalid. */
void tarei_dataset_take(tare_dataset *dataset, tarei_slot *slot);

/* The options that it was opened with. */
const tarei_data_spec *tarei_dataset_spec(const tare_dataset *dataset);

/* TARE_E_CHECK: the caller wants no more. */
tare_status tarei_dataset_stopped(const tare_dataset *dataset, int64_t done, tare_error *err);

/* Number of samples of all shards; -1 where only their end tells. */
int64_t tarei_dataset_total(const tare_dataset *dataset);

/* Whether dims of samples decide which of them are given. */
bool tarei_dataset_filters(const tare_dataset *dataset);

/* Rewinds it, and leaves out all samples but n, whose indices ascend. Takes `indices` in
 * any case; `how` is kept as the choice of its spec. */
tare_status tarei_dataset_keep(tare_dataset *dataset, int64_t *indices, size_t n,
                               const tare_choice *how, tare_error *err);

#endif
