/* More than 8 bits in the models that are written, for layers that need them. */
#ifndef TAREI_TOOLS_QUANTIZE_QUANTIZE_RAISE_H
#define TAREI_TOOLS_QUANTIZE_QUANTIZE_RAISE_H

#include "tools/quantize/quantize_judge.h"

/* Drafts what would be written in each file and runs it beside the float model on some samples of
 * the calibration. Where it is bad, finds layers to raise, and gives requests for them to the
 * table, which is that of `how`. All files follow them. A failure is one of the command only where
 * memory, a file or the data failed; else it is a warning. */
tare_status quantize_raise(const quantize_judged *what, const quantize_writing *how,
                           tare_table *table, quantize_files *files, tare_error *err);

#endif
