/* A recurrent layer with its operands, and what the formulas of ONNX make of them, in double. */
#ifndef TAREI_TESTS_UNIT_ENGINE_SUPPORT_RECURRENT_LAYER_H
#define TAREI_TESTS_UNIT_ENGINE_SUPPORT_RECURRENT_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unit/engine/support/one_node.h"

enum { LSTM = 4, GRU = 3, RNN = 1 };

typedef struct recurrent_function {
  const char *name;
  float alpha, beta;
  bool has_alpha, has_beta;
} recurrent_function;

/* A layer with its operands, all as doubles that floats hold exactly. */
typedef struct recurrent_layer {
  int gates;
  size_t t, b, i, h, d;
  bool reverse, batch_first, before_reset, input_forget;
  double clip; /* INFINITY without */
  recurrent_function functions[6];
  bool has_functions, has_bias, has_lengths, has_h, has_c, has_p;
  double *x, *w, *r, *bias, *first_h, *first_c, *p;
  int32_t lengths[16];
  double *y, *y_h, *y_c; /* expected */
} recurrent_layer;

/* A layer of any form, without operands. */
recurrent_layer recurrent_any(int gates);

/* n values that floats hold exactly; the caller frees them. */
double *recurrent_some(size_t n, double size);

/* Makes the operands, and frees them. */
void recurrent_fill(recurrent_layer *l);
void recurrent_drop(const recurrent_layer *l);

/* Computes the outputs by the formulas. */
void recurrent_expect(const recurrent_layer *l);

/* Adds an operand of a float type to a node; all operands behind the first; all attributes. */
void recurrent_operand(one_node *t, tare_dtype dtype, bool is_const, int rank, const int64_t *dims,
                       const double *values);
void recurrent_operands(const recurrent_layer *l, one_node *t, tare_dtype dtype, bool is_const);
void recurrent_attributes(const recurrent_layer *l, tarei_node *node);
void recurrent_x_dims(const recurrent_layer *l, int64_t *dims);

/* Compares what ran with the formulas. */
void recurrent_expect_outputs(const recurrent_layer *l, const one_node *t, double tolerance);

#endif
