/* What the floors above may do with a data set beside its public calls. */
#ifndef TAREI_DATASETS_DATASET_H
#define TAREI_DATASETS_DATASET_H

#include <tare/dataset.h>

#include "datasets/slot.h"

/* Moves the sample that tare_dataset_next gave last into `slot`, which is zero. The caller ends it
 * with tarei_slot_fini, whenever and on whatever thread it likes; the view of it is gone. */
void tarei_dataset_take(tare_dataset *dataset, tarei_slot *slot);

#endif
