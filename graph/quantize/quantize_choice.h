/* Which precision a layer gets, and why. */
#ifndef TAREI_GRAPH_QUANTIZE_QUANTIZE_CHOICE_H
#define TAREI_GRAPH_QUANTIZE_QUANTIZE_CHOICE_H

#include "graph/quantize/quantize.h"

/* How a precision computes with the input of a layer. */
typedef struct tarei_input_form {
  bool stays_float; /* it is converted when the layer runs */
  bool rows;        /* by a scale of each row */
  bool sixteen;     /* to 16 bits */
  bool weights;     /* layers with constant weights have kernels for it, */
  bool products;    /* products of activations too; others do not */
  bool table;       /* it needs a scale of the table */
} tarei_input_form;

tarei_input_form tarei_input_form_of(tare_precision precision);

/* Whether a layer reads activation i as bytes of one scale. */
bool tarei_reads_static(const tarei_int8_form *form, const tarei_input_form *input, int i);

/* Decides for node n, and records what it was asked for, what it gets, and why that differs. */
tare_status tarei_quantize_decide(tarei_graph *graph, int n, const tarei_int8_form *form,
                                  const tarei_quantize_options *options, tare_precision *got,
                                  tare_error *err);

#endif
