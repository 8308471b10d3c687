/* One sample of a tar shard as tensors. */
#ifndef TAREI_DATASETS_TAR_TAR_SAMPLE_H
#define TAREI_DATASETS_TAR_TAR_SAMPLE_H

#include "datasets/slot.h"
#include "datasets/tar/tar_group.h"

/* Whether the tensors of a group are made from its audio: no array is named like an input. */
bool tarei_tar_sample_is_audio(const tarei_group *group, const tarei_data_spec *spec);

/* Fills tensors and label of `out` from the contents of a group. Several threads may call it at the
 * same time. TARE_E_INPUT names the member; TARE_E_MEMORY. */
tare_status tarei_tar_sample_fill(const tarei_group *group, const tarei_data_spec *spec,
                                  tarei_slot *out, tare_error *err);

#endif
