/* Frames: a context consists of frames. Each has the tensors of one part of the plan, and runs its
 * steps. */
#ifndef TAREI_ENGINE_FRAME_H
#define TAREI_ENGINE_FRAME_H

#include "engine/part.h"
#include "engine/pool.h"

/* The frame of a body is a child of that of the part that contains its node, which calls it
 * (engine/call.h) as often as necessary. */
typedef struct tarei_frame {
  tare_context *context; /* to which the frame belongs */
  const tarei_part *part;
  struct tarei_frame **children; /* one for each child of the part */
  tare_tensor *tensors;          /* per value */
  const tare_tensor **operands;  /* inputs, then outputs, of each step in turn */
  int *first_operand;            /* per step */
  tarei_pool pool;
  tare_tensor *results; /* for the node of a body, see engine/call.h */
} tarei_frame;

/* Initializes a zeroed frame and those below it; the arena must exist. False if memory runs out;
 * tarei_frame_fini frees what was made. */
bool tarei_frame_make(tarei_frame *frame, const tarei_part *part, tare_context *context);
void tarei_frame_fini(tarei_frame *frame);

/* Runs all steps. The tensors of the inputs must be set. */
tare_status tarei_frame_run(tarei_frame *frame, tare_error *err);

#endif
