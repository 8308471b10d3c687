/*
 * Editing the graph of an ONNX message: new nodes and constants, the order of the nodes, names.
 *
 * Nodes are laid down one by one, old ones and new ones, in the order in which the written model
 * has them. What is made belongs to the message at once. Failures of memory stick: whoever edits
 * may go on, and tarei_edit_finish reports them.
 */
#ifndef TAREI_GRAPH_QDQ_EDIT_H
#define TAREI_GRAPH_QDQ_EDIT_H

#include "base/names.h"
#include "graph/qdq/onnx_file.h"

typedef struct tarei_edit {
  tarei_onnx_file *file;
  Onnx__GraphProto *graph;
  size_t cap_nodes, cap_initializers;
  Onnx__NodeProto **order; /* laid down so far */
  size_t n_order, cap_order;
  Onnx__NodeProto **left; /* out */
  size_t n_left, cap_left;
  tarei_names taken;    /* names of all values and nodes, bodies included */
  tarei_names numbered; /* names with numbers behind them, */
  int *next;            /* and the number that comes next */
  size_t n_next, cap_next;
  tarei_names used; /* what was read before the edit */
  char **replaced;  /* texts that were taken out, but that `taken` may hold */
  size_t n_replaced, cap_replaced;
  bool failed;
} tarei_edit;

/* Begins with no node laid down. The edit ends with tarei_edit_finish or tarei_edit_fini. */
tare_status tarei_edit_begin(tarei_onnx_file *file, tarei_edit *out, tare_error *err);

/* The node comes next; it is one of the graph or a new one. */
void tarei_edit_lay(tarei_edit *edit, Onnx__NodeProto *node);

/* The node is left out of the written model; it is one of the graph. */
void tarei_edit_leave(tarei_edit *edit, Onnx__NodeProto *node);

/* `base` followed by `suffix`, with a number behind it where that name is taken. It is taken from
 * now on; the text lives as long as the edit. "" after a failure. */
const char *tarei_edit_name(tarei_edit *edit, const char *base, const char *suffix);

/* A new node, which comes next; texts are copied. NULL after a failure. */
Onnx__NodeProto *tarei_edit_node(tarei_edit *edit, const char *op, const char *domain,
                                 const char *name, const char *const *in, int n_in,
                                 const char *const *out, int n_out);
/* Sets an integer attribute of a new node; NULL is fine. */
void tarei_edit_attr(tarei_edit *edit, Onnx__NodeProto *node, const char *name, int64_t value);
void tarei_edit_text_attr(tarei_edit *edit, Onnx__NodeProto *node, const char *name,
                          const char *text);

/* A new constant: its bytes to be filled in, zeros, or NULL after a failure. `type` is a
 * tare_dtype. */
void *tarei_edit_constant(tarei_edit *edit, const char *name, tare_dtype type, const int64_t *dims,
                          int rank);

/* A new constant of n reals (rank 1; n 0: a scalar), in float32, float16 or bfloat16. */
void tarei_edit_reals(tarei_edit *edit, const char *name, tare_dtype real, const float *values,
                      int64_t n);

/* Stores a number as element i of a constant of float32, float16 or bfloat16. */
void tarei_edit_store_real(void *to, int64_t i, tare_dtype real, float value);

/* Takes an attribute away from a node. */
void tarei_edit_drop_attr(tarei_edit *edit, Onnx__NodeProto *node, const char *name);

/* Makes another operator of a node that is not laid down yet, with n_in inputs; attributes stay. */
void tarei_edit_become(tarei_edit *edit, Onnx__NodeProto *node, const char *op,
                       const char *const *in, int n_in, const char *out);

/* Replaces a text of the message. */
void tarei_edit_replace(tarei_edit *edit, char **text, const char *by);

/* Imports an operator set that the model does not import yet. */
void tarei_edit_import(tarei_edit *edit, const char *domain, int64_t version);

/* Gives the graph its new nodes, then takes away nodes and constants that were used before the edit
 * and are not any more. */
tare_status tarei_edit_finish(tarei_edit *edit, tare_error *err);
/* Ends an edit after a failure; the message is then good for closing the file only. */
void tarei_edit_fini(tarei_edit *edit);

#endif
