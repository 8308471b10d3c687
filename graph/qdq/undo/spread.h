/*
 * Operators on integers as float operators between Q/DQ: the first step of an import, after which
 * all quantized models have one form.
 *
 * Only the message is changed, and only by names: it comes out the same whatever its constants
 * hold, so that a graph can be imported from the same file in the same way.
 */
#ifndef TAREI_GRAPH_QDQ_UNDO_SPREAD_H
#define TAREI_GRAPH_QDQ_UNDO_SPREAD_H

#include "graph/qdq/edit.h"

/* A node that stays as it is. */
typedef struct tarei_spread_kept {
  const Onnx__NodeProto *node;
  const char *why; /* static */
} tarei_spread_kept;

/* What came of it, in the order of the nodes. */
typedef struct tarei_spread_result {
  const Onnx__NodeProto **dynamic; /* layers whose activation was quantized at run time */
  size_t n_dynamic, cap_dynamic;
  tarei_spread_kept *kept;
  size_t n_kept, cap_kept;
  bool contrib; /* the model had nodes of com.microsoft */
} tarei_spread_result;

/* Changes the message. The result is to be freed with tarei_spread_result_fini, on failure too. */
tare_status tarei_spread_integers(tarei_onnx_file *file, tarei_spread_result *out, tare_error *err);
void tarei_spread_result_fini(tarei_spread_result *result);

/* --- from inside ----------------------------------------------------------------------------- */

/* Scale and zero point of integers, by name. */
typedef struct tarei_spread_form {
  const char *scale, *zero;
  const char *real; /* what their DequantizeLinear writes, once there is one, */
  int64_t axis;     /* and along which axis its scales go */
} tarei_spread_form;

typedef struct tarei_spread_use {
  int n;    /* how often a value is read, outputs of the model and bodies included */
  int node; /* that reads it; -1: none of this graph */
} tarei_spread_use;

typedef struct tarei_spread {
  tarei_edit edit;
  const Onnx__GraphProto *graph;
  tarei_names initializers, makers; /* numbers by name: tensors, nodes */
  tarei_names read;                 /* numbers of uses */
  tarei_spread_use *uses;
  tarei_names quantized; /* numbers of forms */
  tarei_spread_form *forms;
  size_t n_forms, cap_forms;
  bool *goes;      /* per node: it was made part of an earlier one */
  size_t at;       /* the node that is looked at, */
  const char *why; /* and why it stays, or NULL */
  tarei_spread_result *result;
} tarei_spread;

/* Contents of a name if it is an initializer or a Constant, or NULL. */
const Onnx__TensorProto *tarei_spread_constant(const tarei_spread *s, const char *name);
int64_t tarei_spread_count(const Onnx__TensorProto *tensor); /* elements */

/* Node that writes a value, or NULL. */
const Onnx__NodeProto *tarei_spread_maker(const tarei_spread *s, const char *name);
/* The node further down that alone reads a value, once; -1: none. */
int tarei_spread_sole_reader(const tarei_spread *s, const char *name);

bool tarei_spread_is(const Onnx__NodeProto *node, const char *op);
/* "" where the node has no such input. */
const char *tarei_spread_input(const Onnx__NodeProto *node, size_t i);

/* From now on these integers have this form. */
void tarei_spread_note_form(tarei_spread *s, const char *value, const char *scale,
                            const char *zero);
/* Form of integers, or NULL. */
tarei_spread_form *tarei_spread_form_of(const tarei_spread *s, const char *value);

/* The name of the real values of integers: a DequantizeLinear is laid down where there is none. A
 * vector of scales goes along the axis. */
const char *tarei_spread_real(tarei_spread *s, const char *value, const char *scale,
                              const char *zero, int64_t axis);

/* Makes a float operator of a node; further inputs go, attributes stay. */
void tarei_spread_become(tarei_spread *s, Onnx__NodeProto *node, const char *op,
                         const char *const *in, int n_in);

/* Lays a node down whose first outputs are real now; QuantizeLinear makes the integers again. */
void tarei_spread_lay(tarei_spread *s, Onnx__NodeProto *node, size_t n_outputs, const char *scale,
                      const char *zero);

/* Each lays down what node i becomes: true; or says why it stays, or nothing where the node is
 * none of theirs. */
typedef bool tarei_spread_fn(tarei_spread *s, size_t i);
tarei_spread_fn tarei_spread_qlinear, tarei_spread_dynamic, tarei_spread_move;

#endif
