/*
 * Random numbers of a run. Every number has a place: the seed, the sample and the number of its
 * run, the turns of the loops around a node, the node, row and column. What is drawn there follows
 * from the place alone (docs/numerics.md), so that no state is kept, and plans in any precision
 * draw the same for a sample, however often it runs.
 */
#ifndef TAREI_ENGINE_SAMPLES_NOISE_H
#define TAREI_ENGINE_SAMPLES_NOISE_H

#include <stdint.h>
#include <tare/plan.h>

/* Before the steps of a run: by the sample that was set, or by its inputs. */
void tarei_noise_begin(tare_context *context, const tare_tensor *inputs);

/* What follows from a place and a number behind it: of a call of a body, of a node. */
uint64_t tarei_noise_join(uint64_t place, uint64_t number);

#endif
