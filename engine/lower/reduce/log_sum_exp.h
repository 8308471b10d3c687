/* ReduceLogSumExp of floats: exponentials by the kernels of Exp, summed up in double. */
#ifndef TAREI_ENGINE_LOWER_REDUCE_LOG_SUM_EXP_H
#define TAREI_ENGINE_LOWER_REDUCE_LOG_SUM_EXP_H

#include "engine/step.h"

/* As a kernel of the family `reduce` does it (tarei_reduce_fn). */
void tarei_log_sum_exp(const tarei_kernels *kernels, const tarei_reduction *r, const float *x,
                       size_t lanes, size_t step, float *out);

#endif
