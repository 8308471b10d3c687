/* The form of an LSTM, GRU or RNN, as its attributes give it: for inference and for the engine. */
#ifndef TAREI_GRAPH_OPS_RECURRENT_RECURRENT_H
#define TAREI_GRAPH_OPS_RECURRENT_RECURRENT_H

#include "graph/op.h"

typedef enum tarei_recurrent_act {
  TAREI_RECURRENT_AFFINE,
  TAREI_RECURRENT_ELU,
  TAREI_RECURRENT_HARD_SIGMOID,
  TAREI_RECURRENT_LEAKY_RELU,
  TAREI_RECURRENT_RELU,
  TAREI_RECURRENT_SCALED_TANH,
  TAREI_RECURRENT_SIGMOID,
  TAREI_RECURRENT_SOFTPLUS,
  TAREI_RECURRENT_SOFTSIGN,
  TAREI_RECURRENT_TANH,
  TAREI_RECURRENT_THRESHOLDED_RELU,
} tarei_recurrent_act;

typedef struct tarei_recurrent_function {
  tarei_recurrent_act act;
  float alpha, beta;
} tarei_recurrent_function;

enum { TAREI_RECURRENT_MOST_FUNCTIONS = 3 };

typedef struct tarei_recurrent_form {
  int gates;    /* 4: LSTM (i, o, f, c), 3: GRU (z, r, h), 1: RNN */
  int dirs;     /* directions, 1 or 2 */
  bool reverse; /* the only direction is the reverse one */
  bool batch_first;
  bool linear_before_reset; /* GRU */
  bool input_forget;        /* LSTM */
  float clip;               /* INFINITY without */
  int n_functions;          /* of a direction: f, g, h */
  tarei_recurrent_function functions[2][TAREI_RECURRENT_MOST_FUNCTIONS];
  int64_t hidden; /* the attribute hidden_size, or 0 */
} tarei_recurrent_form;

/* Reads the attributes of an LSTM, GRU or RNN, float or int8. */
tare_status tarei_recurrent_read(const tarei_node *node, tarei_recurrent_form *out,
                                 tare_error *err);

/* Whether a direction has the functions that the operator has by default. */
bool tarei_recurrent_is_plain(const tarei_recurrent_form *form, int dir);

#endif
