/* Everything of a plan that follows from the symbols alone, as a table: a new length evaluates each
 * expression once. */
#ifndef TAREI_ENGINE_SIZES_H
#define TAREI_ENGINE_SIZES_H

#include "engine/plan.h"

/* From the graph and the slots of the root part, once both are final. tarei_sizes_fini takes what
 * was made also where this fails. */
tare_status tarei_sizes_compile(tare_plan *plan, tare_error *err);
void tarei_sizes_fini(tarei_sizes *sizes);

/* Writes dims into `tensors` (one per value of the root part), and contents that follow from the
 * symbols into their memory; `results` has room for sizes.n_exprs numbers. TARE_E_SHAPE where a
 * node would have nothing to do, or a number overflows; the tensors are then to be filled anew
 * before they are used. */
tare_status tarei_sizes_fill(const tare_plan *plan, const int64_t *symbols, int64_t *results,
                             tare_tensor *tensors, tare_error *err);

/* Every node of the root part has something to do at these values of the graph's symbols; else
 * TARE_E_SHAPE naming the first that has not. */
tare_status tarei_plan_check_dims(const tare_plan *plan, const int64_t *symbols, tare_error *err);

/* A dim that a node can work on: 1 or more, or 0 where the model says so for every length. */
bool tarei_sizes_is_length(const tarei_graph *graph, tarei_expr e, int64_t size);

/* Bytes of a tensor of these dims. False where a dim is negative, or where the dims other than 0
 * alone would make 2^46 bytes: what steps compute from dims stays far from overflow. */
bool tarei_sizes_bytes(const tare_tensor *t, size_t *bytes);

#endif
