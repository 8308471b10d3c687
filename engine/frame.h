/* Frames: a context consists of frames. Each has the tensors of one part of the plan, and runs its
 * steps. */
#ifndef TAREI_ENGINE_FRAME_H
#define TAREI_ENGINE_FRAME_H

#include "engine/context_parts.h"

/* Initializes a zeroed frame and those below it; the arena must exist. False if memory runs out;
 * tarei_frame_fini frees what was made. */
bool tarei_frame_make(tarei_frame *frame, const tarei_part *part, tare_context *context);
void tarei_frame_fini(tarei_frame *frame);

/* Runs all steps. The tensors of the inputs must be set. */
tare_status tarei_frame_run(tarei_frame *frame, tare_error *err);

#endif
