/* A table of everything in a plan that follows from the symbols alone, so that a new length
 * evaluates each expression only once. */
#ifndef TAREI_ENGINE_SIZES_H
#define TAREI_ENGINE_SIZES_H

#include "engine/plan.h"

/* Makes the table from the graph and the slots of the root part, which must be final. Even after a
 * failure, tarei_sizes_fini frees it. */
tare_status tarei_sizes_compile(tare_plan *plan, tare_error *err);
void tarei_sizes_fini(tarei_sizes *sizes);

/* Writes dims into `tensors` (one per value of the root part), and contents that follow from the
 * symbols into their memory; `results` has room for sizes.n_results numbers. TARE_E_SHAPE if a
 * dim is one that a node cannot work on, or a number overflows; the tensors must then be filled
 * again before use. */
tare_status tarei_sizes_fill(const tare_plan *plan, const int64_t *symbols, int64_t *results,
                             tare_tensor *tensors, tare_error *err);

/* Checks that every node of a part can run at these values of the symbols of the graph, as far as
 * they tell; TARE_E_SHAPE names the first one that cannot. */
tare_status tarei_part_check_dims(const tarei_part *part, const int64_t *symbols, tare_error *err);

/* Checks that every node of the root part can run at these values of the symbols of the graph;
 * TARE_E_SHAPE names the first one that cannot. */
tare_status tarei_plan_check_dims(const tare_plan *plan, const int64_t *symbols, tare_error *err);

/* Checks that operands that nodes broadcast or join match at these values of the symbols, in a
 * graph as it was read: a run would find that they do not. TARE_E_SHAPE names the first node. */
tare_status tarei_plan_check_operands(const tare_plan *plan, const int64_t *symbols,
                                      tare_error *err);

/* Bytes of a tensor with these dims. False if a dim is negative, or if the product of the dims
 * other than 0 is 2^46 bytes or more, so that whatever steps compute from dims is far from
 * overflow. */
bool tarei_sizes_bytes(const tare_tensor *t, size_t *bytes);

#endif
