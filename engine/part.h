/*
 * Parts: a plan consists of parts. Each is one graph, ready to run: the root part is the graph of
 * the model, and a part below it is the body of an If, Loop or Scan.
 */
#ifndef TAREI_ENGINE_PART_H
#define TAREI_ENGINE_PART_H

#include "engine/plan.h"

/* Decides which nodes run and where each value is. plan and graph must be set. If this or the next
 * function fails, tarei_part_fini frees what was made. */
tare_status tarei_part_place(tarei_part *part, tare_error *err);

/* Makes the steps of a part whose values have places and bounds (engine/plan_profiles.h), with
 * finished parts for their bodies; packs constants or takes mapped ones; and finds the uses of all
 * values. */
tare_status tarei_part_make_steps(tarei_part *part, tare_error *err);

/* Scratch bytes that the steps, or one of them, need with this number of threads, except late
 * steps, whose needs are known only when they run. */
size_t tarei_part_scratch_bytes(const tarei_part *part, int threads);
size_t tarei_part_step_scratch(const tarei_part *part, const tarei_step *step, int threads);

/* Frees the part and those below it, but not its graph. */
void tarei_part_fini(tarei_part *part);

#endif
