/*
 * Sequences of tensors, which a graph does not have: what a model does with them is written with
 * tensors before the message becomes a graph. PyTorch's exporter makes sequences of Python lists.
 *
 *   SequenceEmpty, SequenceConstruct, SequenceInsert at the end, and a Loop that inserts one tensor
 *   at the end in each turn, make sequences. ConcatFromSequence reads them, and also SequenceAt and
 *   SequenceLength where it is known which tensor is meant.
 *   SplitToSequence makes sequences that SequenceAt and SequenceLength read.
 *
 * Everything else stays in the message, and is refused as an operator that is not supported.
 */
#ifndef TAREI_GRAPH_ONNX_ONNX_SEQUENCES_H
#define TAREI_GRAPH_ONNX_ONNX_SEQUENCES_H

#include "graph/onnx/importer.h"

/* Writes sequences of a model with tensors; *changed: whether there were any. A model that names an
 * operator of domain "tare" stays as it is. TARE_E_MEMORY. */
tare_status tarei_onnx_write_sequences(Onnx__GraphProto *graph, int opset, bool *changed,
                                       tare_error *err);

/* --- how ------------------------------------------------------------------------------------- */

/* How often a name is read in a model, and by which operators. */
typedef struct tarei_reads {
  int all;                /* outputs of graphs count too */
  int joined;             /* by ConcatFromSequence */
  int taken;              /* by SequenceAt and SequenceLength */
  int64_t axis, new_axis; /* of the first ConcatFromSequence */
  bool differ;            /* another one has other attributes */
} tarei_reads;

/* A sequence that is written with tensors. */
typedef struct tarei_sequence {
  char *name; /* owned, as all these texts */
  char
      *initial; /* of a list that a Loop grows: the sequence that the Loop begins with; otherwise */
  char *tensor; /* that is split along `axis`, */
  char *starts; /* of the pieces; NULL: each has one index, */
  char *sizes;  /* and of the pieces, or of each */
  bool one_size;
  bool keeps; /* pieces of one index keep the axis */
  int64_t axis;
} tarei_sequence;

typedef struct tarei_sequences {
  int opset;
  int n_new;         /* numbers of new names */
  tarei_names names; /* of everything that is read; index: in reads */
  tarei_reads *reads;
  size_t n_reads, cap_reads;
  tarei_names known; /* names of sequences; index: in list */
  tarei_sequence *list;
  size_t n, cap;
  ProtobufCMessage **dropped; /* parts of the message that are in it no more; names point to them */
  size_t n_dropped, cap_dropped;
  bool failed; /* out of memory */
} tarei_sequences;

/* A graph and those around it. */
typedef struct tarei_sequence_scope {
  Onnx__GraphProto *graph;
  tarei_names makers; /* names of tensors; index: of the node that makes it */
  const struct tarei_sequence_scope *around;
} tarei_sequence_scope;

bool tarei_onnx_is(const Onnx__NodeProto *node, const char *op); /* of the default operator set */

/* How a name is read, or NULL: nothing reads it. */
tarei_reads *tarei_sequence_reads(const tarei_sequences *s, const char *name);
/* A sequence that is known from now on; NULL: out of memory. */
tarei_sequence *tarei_sequence_new(tarei_sequences *s, const char *name);
/* Takes a part out of the message, which the tables may name. */
void tarei_sequence_drop(tarei_sequences *s, ProtobufCMessage *part);
/* The node that makes a tensor, or NULL. */
const Onnx__NodeProto *tarei_sequence_maker(const tarei_sequence_scope *scope, const char *name);
/* A sequence that is known by then, or NULL. */
const tarei_sequence *tarei_sequence_find(const tarei_sequences *s, const char *name);

/* The nodes of a graph, written anew. */
typedef struct tarei_sequence_nodes {
  tarei_sequences *sequences;
  const Onnx__NodeProto *instead_of; /* new nodes have names like its */
  struct tarei_sequence_node {
    Onnx__NodeProto *node;
    bool fresh; /* not in the graph yet */
  } * list;
  size_t n, cap;
} tarei_sequence_nodes;

/* A text that begins with `base` and is no name of the model; owned. */
char *tarei_sequence_name(tarei_sequences *s, const char *base, const char *what);
/* Adds a node, which is `fresh` where it is not in the graph yet; NULL: memory ran out. */
void tarei_sequence_lay(tarei_sequence_nodes *nodes, Onnx__NodeProto *node, bool fresh);
/* Adds a node with up to 3 inputs and returns it; `out` is its output. */
Onnx__NodeProto *tarei_sequence_add(tarei_sequence_nodes *nodes, const char *op, const char *out,
                                    const char *a, const char *b, const char *c);
/* Adds a constant: one integer in a list, or a scalar. */
void tarei_sequence_number(tarei_sequence_nodes *nodes, const char *out, bool scalar,
                           int64_t value);
void tarei_sequence_int(tarei_sequences *s, Onnx__NodeProto *node, const char *name, int64_t value);

/* The only integer of a tensor; false: it has another type or number of elements. */
bool tarei_sequence_number_of(const Onnx__TensorProto *tensor, int64_t *out);

/* Writes a node that makes a sequence, or what it reads of those that are known; false: it stays.
 */
bool tarei_sequence_make(tarei_sequence_nodes *nodes, const tarei_sequence_scope *scope,
                         Onnx__NodeProto *node);
bool tarei_sequence_read(tarei_sequence_nodes *nodes, const tarei_sequence_scope *scope,
                         Onnx__NodeProto *node);

#endif
