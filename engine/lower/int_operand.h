/* Lists of integers that are an attribute in old opsets and an input in new ones. */
#ifndef TAREI_ENGINE_LOWER_INT_OPERAND_H
#define TAREI_ENGINE_LOWER_INT_OPERAND_H

#include "engine/step.h"

#define TAREI_MAX_INTS (2 * TARE_MAX_RANK)

/* Element i of a tensor of int64, int32 or bool. */
static inline int64_t tarei_int_at(const tare_tensor *const t, const int64_t i) {
  return t->dtype == TARE_I64   ? ((const int64_t *)t->data)[i]
         : t->dtype == TARE_I32 ? ((const int32_t *)t->data)[i]
                                : ((const uint8_t *)t->data)[i];
}

/* Reads input i (int32, int64 or bool; other types count as absent) where it is there, else the
 * attribute. Returns the number of integers, 0 when neither is there; more than TAREI_MAX_INTS are
 * left out. */
int tarei_int_operand(const tarei_step *step, const tarei_run *run, int i, const char *attribute,
                      int64_t *out);

/* Element i of a tensor of any type as an integer; floats are cut toward zero and saturate. */
int64_t tarei_integer_at(const tare_tensor *t, int64_t i);

/* The axis that input i holds, for a tensor of so many axes. */
tare_status tarei_want_axis(const tarei_step *step, const tarei_run *run, int i, int rank,
                            int64_t *axis, tare_error *err);

#endif
