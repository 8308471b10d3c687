/* Writing the quantized form of a model: Q/DQ nodes and their constants, into the message. */
#ifndef TAREI_GRAPH_QDQ_WRITE_H
#define TAREI_GRAPH_QDQ_WRITE_H

#include "graph/qdq/edit.h"
#include "graph/qdq/qdq_version.h"

/* Scale and zero point of a value, with the type of what is stored. */
/* By what a scale of 8 bits is multiplied for 7: 64 in place of 127. Two products with u8 then add
 * up to less than 2^15. */
#define TAREI_SEVEN_BITS (127.0f / 64)

typedef struct tarei_stored_form {
  tare_dtype type;
  float scale;
  int32_t zero_point;
} tarei_stored_form;

/* Names of what was written for a value already; NULL: nothing. Texts live as long as the edit. */
typedef struct tarei_written {
  const char *bytes, *words;                /* its DequantizeLinear behind 8 and 16 bits */
  const char *weights;                      /* the same of constant weights, */
  const char *bias;                         /* and of the bias that an Add adds to make it */
  int channel_axis;                         /* with their scales along this axis */
  const char *dynamic, *scale, *zero_point; /* outputs of its DynamicQuantizeLinear */
} tarei_written;

typedef struct tarei_qdq_writer {
  const tarei_placement *place;
  tarei_edit edit;
  tarei_written *written; /* per value */
} tarei_qdq_writer;

/* Rewrites the message as it was placed. */
tare_status tarei_write_qdq(const tarei_placement *placement, tare_error *err);

/* How a value is stored in 8 bits for the target. */
tarei_stored_form tarei_byte_form(const tarei_placement *placement, int value);

/* The scale of a value around zero, wider where few samples were calibrated. */
float tarei_written_scale(const tarei_quant *quant);

/* Rounds a scale to what the model's type holds; above 0. */
float tarei_stored_scale(float scale, tare_dtype real);

/* Writes a constant of n reals (rank 1; n 0: a scalar) and gives its name. */
const char *tarei_write_reals(tarei_qdq_writer *w, const char *base, const char *suffix,
                              tare_dtype real, const float *values, int64_t n);

/* Weights of a layer, quantized, behind DequantizeLinear: the name to read. */
const char *tarei_write_weights(tarei_qdq_writer *w, const tarei_placed_layer *layer);
/* Its bias as int32 behind DequantizeLinear, or NULL where it stays float. */
const char *tarei_write_bias(tarei_qdq_writer *w, const tarei_placed_layer *layer);

/* Gives nodes that still read constants which smoothing changed these constants as they are now,
 * after all nodes were laid down. */
void tarei_write_smoothed(tarei_qdq_writer *w);

/* A layer whose activation is quantized at run time, laid down as MatMulInteger or ConvInteger. */
void tarei_write_dynamic(tarei_qdq_writer *w, const tarei_placed_layer *layer);

/* Scales of a layer's weights, one for each channel; free them. NULL after a failure. */
float *tarei_weight_scales(tarei_qdq_writer *w, const tarei_placed_layer *layer, int64_t *n);
/* Zero point of constant weights: that of int8, or of uint8. */
int tarei_weights_zero(const tarei_qdq_writer *w);
/* Weights in int8 (zero 0) or uint8 (zero 128) into `to`; transposed: [N, K] becomes [K, N]. */
void tarei_store_weights(const tarei_qdq_writer *w, const tarei_placed_layer *layer,
                         const float *scales, int zero, bool transposed, uint8_t *to);

#endif
