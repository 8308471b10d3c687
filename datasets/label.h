/* Labels that stand as text in a manifest. */
#ifndef TAREI_DATASETS_LABEL_H
#define TAREI_DATASETS_LABEL_H

#include "datasets/slot.h"

/* Makes the slot's label of its label text where that is whole numbers with spaces between them: a
 * scalar of one, a vector of more. Other texts stay texts. TARE_E_MEMORY. */
tare_status tarei_label_from_text(tarei_slot *slot, tare_error *err);

#endif
