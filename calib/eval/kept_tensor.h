/* Copies of tensors whose memory the next run takes. */
#ifndef TAREI_CALIB_EVAL_KEPT_TENSOR_H
#define TAREI_CALIB_EVAL_KEPT_TENSOR_H

#include <stdbool.h>
#include <tare/tensor.h>

#include "base/error.h"

/* Zero-initialize it first, and free it with _fini. */
typedef struct tarei_kept_tensor {
  tare_tensor tensor; /* its data is owned, and stays for the next copy */
  size_t capacity;    /* of the data, in bytes */
} tarei_kept_tensor;

/* Replaces the copy. TARE_E_MEMORY: the one before stays */
tare_status tarei_kept_tensor_set(tarei_kept_tensor *kept, const tare_tensor *from,
                                  tare_error *err);
void tarei_kept_tensor_fini(tarei_kept_tensor *kept);

/* Whether two tensors have the same rank and dims. */
bool tarei_same_dims(const tare_tensor *a, const tare_tensor *b);

#endif
