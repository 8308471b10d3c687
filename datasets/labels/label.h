/* Labels that are text, of manifests and of members of archives. */
#ifndef TAREI_DATASETS_LABELS_LABEL_H
#define TAREI_DATASETS_LABELS_LABEL_H

#include "datasets/slot.h"

/* Converts the label text of a slot to a label tensor if it consists of numbers separated by
 * spaces: a scalar for one, a vector for more; int64 if all are integers, or else float64. Other
 * text is left as text. TARE_E_MEMORY. */
tare_status tarei_label_from_text(tarei_slot *slot, tare_error *err);

#endif
