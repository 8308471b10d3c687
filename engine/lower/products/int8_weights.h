/* Weights of int8 layers: symmetric s8 per output channel, scale = max|w| / 127. */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_INT8_WEIGHTS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_INT8_WEIGHTS_H

#include "engine/lower/act_table.h"
#include "engine/lower/fused.h"
#include "engine/lower/products/row_scales.h"
#include "graph/quantize/weights/weight_scale.h"

/* Scale of one channel whose weights lie `step` floats apart; 1 for a channel of zeros. */
float tarei_weight_scale(const float *w, size_t n, size_t step);

/* Fills in the scales of n channels where the model states them; false where it does not. Its
 * weights may be -128, which no others are. */
bool tarei_weight_scales_stated(const tarei_step *step, size_t n, float *scale);
int8_t tarei_weight_stated(float w, float scale);

/* What an int8 layer keeps beside its packed weights. */
typedef struct tarei_int8_layer {
  tarei_fused fused;
  tarei_requant requant;
  bool float_rows; /* the input is float, its rows are quantized when it runs */
  bool own_scales; /* each of them by its own scale */
  bool sixteen;    /* to 16 bits */
  bool stated;     /* the model states the scale of the input */
  bool run_time;   /* bytes whose one scale and zero point are inputs */
  int32_t x_zero_point;
  int32_t x_offset;          /* of 16 bits whose zero point the model states: what 0 becomes */
  float x_bound;             /* what the bytes of rows count from, and the bias takes in; else 0 */
  size_t k, n;               /* depth of a product, output channels */
  size_t group_n, group_add; /* channels of a group, and the integers of `add` it takes */
  const float *weight_scale; /* [n] */
  const int32_t *add;        /* -zero point * column sums, padded per group; the sums alone with
                                run_time */
  const int32_t *biased;     /* the same with the bias in it, for each profile, or NULL */
  const tarei_act_table *tables; /* [n_profiles], or NULL */
} tarei_int8_layer;

/* Reads what the input and the attributes of the node say; the rest is the lowering's. */
tare_status tarei_int8_layer_read(tarei_int8_layer *layer, const tarei_step *step, tare_error *err);

/* How the rows of a run become bytes, where the input is float. */
tarei_row_form tarei_int8_layer_rows(const tarei_int8_layer *layer, const tarei_step *step,
                                     int profile);

/* A bias that takes in x_bound times the sums of the weights, which lie as `add` does; NULL if
 * memory runs out. The caller frees it. */
float *tarei_int8_layer_move_bias(const tarei_int8_layer *layer, const int32_t *sums,
                                  const float *bias);

/* Takes the blobs of tables, of requantization factors and of sums with the bias in them, where the
 * layer has them: needs all fields before those, and, when fresh, the bias (n or NULL). */
tare_status tarei_int8_layer_requant(tarei_int8_layer *layer, const tarei_step *step,
                                     tarei_blobs *blobs, const float *bias, tare_error *err);

/* For tarei_lowering.weight_scales. */
size_t tarei_int8_layer_scales(const tarei_int8_layer *layer, int input, float *out);

/* The epilogue of a run, with the factors of its profile, and what is added to its products. */
tarei_epilogue tarei_int8_layer_epilogue(const tarei_int8_layer *layer, const tarei_step *step,
                                         const tarei_run *run, const tare_tensor *residual);
const int32_t *tarei_int8_layer_add(const tarei_int8_layer *layer, int profile);

/* What a run makes of the scale and the zero point that are inputs of a layer with run_time. */
typedef struct tarei_int8_factors {
  const float *mult;  /* [n] */
  const int32_t *add; /* as that of the layer */
  int32_t zero_point;
} tarei_int8_factors;

/* Scratch bytes for them: 0 without run_time. */
size_t tarei_int8_factors_size(const tarei_int8_layer *layer);
/* Computes them in `memory`, and puts mult into the epilogue of all rows. Without run_time they are
 * those of the layer. */
tare_status tarei_int8_factors_take(const tarei_int8_layer *layer, const tarei_step *step,
                                    const tarei_run *run, void *memory, tarei_epilogue *epilogue,
                                    tarei_int8_factors *out, tare_error *err);

#endif
