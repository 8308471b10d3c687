/* Frames: what contexts are made of. Each has the tensors of one part of the plan and runs its
 * steps. */
#ifndef TAREI_ENGINE_FRAME_H
#define TAREI_ENGINE_FRAME_H

#include "engine/part.h"
#include "engine/pool.h"

/* A body's frame is a child of that of the part which its node is in, and is called from there
 * (engine/call.h) as often as the node asks for. */
typedef struct tarei_frame {
  tare_context *context; /* that the frame belongs to */
  const tarei_part *part;
  struct tarei_frame **children; /* one for each child of the part */
  tare_tensor *tensors;          /* per value */
  const tare_tensor **operands;  /* inputs, then outputs, of each step in turn */
  int *first_operand;            /* per step */
  tarei_pool pool;
  tare_tensor *results; /* of the node that a body belongs to, see engine/call.h */
} tarei_frame;

/* Makes a frame, zeroed so far, and those below it; the arena is there. False when out of memory:
 * tarei_frame_fini takes what was made. */
bool tarei_frame_make(tarei_frame *frame, const tarei_part *part, tare_context *context);
void tarei_frame_fini(tarei_frame *frame);

/* Runs all steps; the inputs' tensors are set. */
tare_status tarei_frame_run(tarei_frame *frame, tare_error *err);

#endif
