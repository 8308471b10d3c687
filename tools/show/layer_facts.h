/* What the reports about the layers of a plan have in common. */
#ifndef TAREI_TOOLS_SHOW_LAYER_FACTS_H
#define TAREI_TOOLS_SHOW_LAYER_FACTS_H

#include <tare/tare.h>

#include "tools/cli.h"

typedef enum profile_point { POINT_MIN, POINT_OPT, POINT_MAX, N_POINTS } profile_point;

/* The symbol values of a profile at its min, opt or max. */
void profile_values(const tare_profiles *profiles, int profile, profile_point point,
                    int64_t values[TARE_MAX_SYMBOLS]);

/* The work of a layer in one run at some symbol values. */
typedef struct layer_work {
  double macs;  /* multiply-adds; 0 for layers without products */
  double bytes; /* read and written: activations and constants. A layer without products reads at
                   most as many bytes of a constant as it writes (Gather) */
} layer_work;
tare_status layer_work_at(const tare_plan *plan, int layer, const int64_t *values, layer_work *out,
                          tare_error *err);

/* Whether its bytes have scales, of the whole tensor or of each row. */
bool tensor_is_quantized(const tare_layer_tensor *tensor);
/* A layer that only turns floats into bytes or bytes into floats. */
bool layer_only_converts(const tare_layer *layer);

/* Sums over the layers of one precision. */
typedef struct precision_sum {
  const char *precision;
  int layers;
  double macs; /* of one run at the opt of profile 0 */
  int64_t weight_bytes;
  double ms;
} precision_sum;

/* In order of first use; to be freed with free(), NULL if it fails. The sum of all follows them.
 * `ms` has the times of the layers, or is NULL. */
tare_status precision_sums(const tare_plan *plan, const double *ms, precision_sum **sums, int *n,
                           tare_error *err);

/* The share of the precisions that begin with a text, e.g. "int8", in the multiply-adds; NAN if
 * there are none. */
double precision_share(const precision_sum *sums, int n, const char *begin);

/* How the layer got its precision, as a sentence; the caller frees it. */
char *layer_why(const tare_layer *layer);

/* Short names of the types of the inputs that are not constant, or of the outputs: "u8", "u8 f32".
 * The caller frees it. */
char *layer_types(const tare_layer_tensor *tensors, int n);
const char *dtype_short_name(tare_dtype dtype); /* "f32"; "-" for none */

/* The type of weights as requests name it: "fp32", "fp16", "bf16", "int8". */
const char *weight_type_name(tare_dtype dtype);

/* Kernel without the letters that all kernels begin with; "-" for none. */
const char *layer_kernel(const tare_layer *layer);

/* "[1, 400, 64]", "?" for a dim that only a run tells; the caller frees it. */
char *dims_text(const int64_t *dims, int rank);

#endif
