/*
 * The graph: values, nodes and their quantization annotations.
 *
 * Values and nodes are addressed by index. Nodes are in topological order after import and after
 * every pass. A value is a constant (data != NULL), an input of the graph, or the output of one
 * node. Passes rewrite the graph in place; tarei_graph_compact removes what is no longer used.
 */
#ifndef TAREI_GRAPH_IR_IR_H
#define TAREI_GRAPH_IR_IR_H

#include <stdbool.h>
#include <tare/limits.h>
#include <tare/profile.h>
#include <tare/tensor.h>

#include "base/error.h"
#include "base/names.h"
#include "base/source.h"
#include "graph/ir/internal_attrs.h"
#include "graph/ir/record.h"
#include "shapes/expr.h"

/* Constant bytes shared by clones; data may point into a mapped file that `owner` keeps open. */
typedef struct tarei_buffer {
  int references;
  void *data;
  size_t size;
  void *owned;                 /* freed with the last reference, or NULL */
  struct tarei_mapped *mapped; /* released with the last reference, or NULL */
} tarei_buffer;

/* A file mapping shared by many buffers (external data, plan files). */
typedef struct tarei_mapped {
  int references;
  tarei_source source;
} tarei_mapped;

tarei_buffer *tarei_buffer_new(size_t size); /* zeroed, aligned; or NULL */
tarei_buffer *tarei_buffer_view(tarei_mapped *mapped, const void *data, size_t size);
tarei_buffer *tarei_buffer_retain(tarei_buffer *buffer);
void tarei_buffer_release(tarei_buffer *buffer);      /* NULL is fine */
tarei_mapped *tarei_mapped_new(tarei_source *source); /* owns the source from then on */
void tarei_mapped_release(tarei_mapped *mapped);

/* The granularity of a scale. The numbers are part of plan files. */
typedef enum tarei_granularity {
  TAREI_PER_TENSOR = 0, /* one static scale for each profile, from the calibration table */
  TAREI_PER_ROW = 1,    /* row scales (one per row, the last axis, at run time) in layers that can
                           use them; static scales in others */
} tarei_granularity;

#define TAREI_SYMMETRIC 128        /* zero point of bytes that reach as far below zero as above */
#define TAREI_SYMMETRIC_WIDE 32768 /* the same of 16 bits */

/* Quantization of a value: real = (stored - zero_point) * scale. */
typedef struct tarei_quant {
  tarei_granularity granularity;
  int n_scales;       /* 0: no annotation; 1: the same for all profiles; else one per profile */
  float *scales;      /* > 0, finite, normal; owned by the value */
  bool stated;        /* by the model: the scale is that of a byte; else it is amax / 127, and that
                         of a byte is scale * 127 / (255 - zero_point) */
  int32_t zero_point; /* 0..255; not stated: TAREI_SYMMETRIC, or less if the statistics have no or
                         only small negative values */
  bool wide;          /* the model quantizes it to 16 bits; not in plan files */
  int32_t wide_zero_point; /* 0..65535, with which it does so */
  /* As in a table; 0: not known. They are not in plan files. */
  double static_loss, row_loss, rms;
  double elements;  /* of an average sample */
  bool few_rows;    /* a sample has so few rows that scales of their own cost no time */
  bool settled;     /* so many were counted that few others exceed the scale */
  bool few_samples; /* were calibrated, whatever rows they have, and others will */
  /* Of the graph (graph/quantize/levels.h); not in plan files. */
  bool follows_level; /* a louder input than those of the table exceeds the scale */
  bool logged;        /* a logarithm or root follows, and nothing before has a bias */
  bool unsigned_rows; /* rows of 8 bits count from 0 (graph/quantize/never_negative.h) */
  bool over_budget;   /* convolutions would lose too much together (graph/quantize/loss_budget.h) */
} tarei_quant;

/* Input `input` of a node, which reads a value; `node` is -1 for none. */
typedef struct tarei_use {
  int node, input;
} tarei_use;

typedef struct tarei_use_links {
  tarei_use next, before;
} tarei_use_links;

typedef struct tarei_value {
  char *name;             /* unique; the ONNX name if the value is in the model */
  tare_dtype dtype;       /* TARE_DTYPE_NONE before inference */
  tare_dtype model_dtype; /* the float16 or bfloat16 that this float32 is in the model; or NONE */
  int rank;               /* -1 before inference */
  tarei_expr dims[TARE_MAX_RANK];
  int producer; /* node index, or -1 for inputs and constants */
  bool is_input;
  bool is_output;
  tarei_use first_use; /* of the inputs of nodes that read it: tarei_graph_next_use */
  int n_uses;
  bool observable;      /* the values equal those of the tensor of this name in the model, up to a
                           permutation; false for helper values that passes made */
  bool never_negative;  /* by the structure of the graph (graph/quantize/never_negative.h); not in
                           plan files */
  tarei_buffer *data;   /* constant contents of dtype and (constant) dims, or NULL */
  tarei_expr *contents; /* symbolic contents of a small integer tensor (row-major), or NULL; owned.
                           Entries may be TAREI_EXPR_NONE */
  int n_contents;
  char **declared; /* of an input: per axis its name in the model where it is not that of its dim,
                      else NULL; owned, NULL if there are none */
  tarei_quant quant;
} tarei_value;

typedef enum tarei_attr_kind { /* values of onnx.AttributeProto.AttributeType */
                               TAREI_ATTR_FLOAT = 1,
                               TAREI_ATTR_INT = 2,
                               TAREI_ATTR_STRING = 3,
                               TAREI_ATTR_TENSOR = 4,
                               TAREI_ATTR_GRAPH = 5,
                               TAREI_ATTR_FLOATS = 6,
                               TAREI_ATTR_INTS = 7,
                               TAREI_ATTR_STRINGS = 8,
                               TAREI_ATTR_EXPRS = 64, /* not in ONNX */
} tarei_attr_kind;

typedef struct tarei_attr {
  char *name;
  tarei_attr_kind kind;
  int64_t i;
  float f;
  char *s; /* STRING, NUL-terminated */
  int n;   /* length of ints, floats, strings or exprs */
  int64_t *ints;
  float *floats;
  char **strings;
  tarei_expr *exprs;  /* over the expressions of the graph */
  tare_tensor tensor; /* TENSOR; its data belongs to buffer */
  tarei_buffer *buffer;
  struct tarei_graph *graph; /* GRAPH: a body, owned */
} tarei_attr;

typedef struct tarei_op tarei_op; /* graph/op.h */
typedef struct tarei_graph tarei_graph;

typedef struct tarei_node {
  const tarei_op *op;
  char *name;      /* ONNX node name, or "<OpType>_<index>" if the model has none */
  int32_t number;  /* unique among all nodes over the same expressions: those of the graph and
                      of its bodies; names the dims that the node measures */
  int opset;       /* version of the domain of the operator in the model */
  uint32_t passes; /* that made or changed the node, by bits (graph/pass_log.h) */
  int n_in, n_out;
  const int *in; /* value indices; -1 for an absent optional input; tarei_graph_set_in changes it */
  int *out;      /* value indices; -1 for an absent optional output */
  tarei_use_links *links; /* per input, among the uses of its value */
  int n_attrs;
  tarei_attr *attrs;
  tarei_record record; /* of a layer that has an int8 form */
} tarei_node;

struct tarei_graph {
  char *name; /* of the model file, for messages */
  tarei_exprs *exprs;
  tarei_value *values;
  int n_values;
  size_t cap_values;
  tarei_names names; /* of the values, after a unique one was needed; empty if out of date */
  tarei_node *nodes;
  int n_nodes;
  size_t cap_nodes;
  int *inputs; /* value indices, in the order of the model, without initializers */
  int n_inputs;
  int *outputs;
  int n_outputs;
  int64_t ir_version;
  int opset; /* of the default domain */
  char *producer;
  uint64_t model_hash; /* of the model file's bytes; identifies it in statistics and tables */
  tare_limits limits;  /* for inference, passes and everything that runs the graph */
  tarei_graph *read;   /* of a model: as it was before its inference, which decides by lengths of 1
                          and more; NULL in clones and other graphs */

  /* A body (an attribute of an If, Loop or Scan) shares the expressions of the enclosing graph.
   * Each value that it takes from there by name is an input after its formal ones: input n_formal +
   * i is input captures[i] of the node, which comes after the inputs of the operator. */
  struct tarei_equal_dims *equal; /* where inference notes which dims must be equal, or NULL */
  bool is_body;
  int n_formal;
  int *captures;
  tarei_graph *closed; /* of a body that stands for a branch that cannot run: that branch, as long
                          as it may yet turn out that it can (graph/closed.h); NULL elsewhere */
};

/* Body number `body` of a node in the order of its attributes, or NULL. */
tarei_graph *tarei_node_body(const tarei_node *node, int body);
tarei_graph *tarei_node_body_named(const tarei_node *node, const char *attribute);
/* Creates an empty body that shares the expressions of `around`; NULL if memory runs out. */
tarei_graph *tarei_graph_new_body(const tarei_graph *around, const char *name);
/* Appends an input for input `node_input` of the node; returns its value, or -1. */
int tarei_graph_add_capture(tarei_graph *body, const char *name, int node_input);

tarei_graph *tarei_graph_new(const char *name); /* NULL when out of memory */
void tarei_graph_free(tarei_graph *graph);      /* NULL is fine */
tare_status tarei_graph_clone(const tarei_graph *graph, tarei_graph **out, tare_error *err);

/* Functions that add something return its index, or -1 if memory runs out. They invalidate pointers
 * to values and nodes. tarei_graph_add_node copies in and out and sets the producers. */
int tarei_graph_add_value(tarei_graph *graph, const char *name);
int tarei_graph_add_unique(tarei_graph *graph, const char *name_base); /* a number is put behind a
                                                                          name that is taken */
int tarei_graph_add_counted(tarei_graph *graph, const char *name_base); /* the least number from 1, so
                                                         that it does not depend on other values */
int tarei_graph_add_value_like(tarei_graph *graph, const char *name_base, int value);
int tarei_graph_add_const(tarei_graph *graph, const char *name_base, tare_dtype dtype, int rank,
                          const int64_t *dims, const void *data); /* data NULL: zeros */
int tarei_graph_add_node(tarei_graph *graph, const char *op, const char *domain, const char *name,
                         int opset, const int *in, int n_in, const int *out, int n_out);
/* A table of the names of all values; ended also after a failure. */
tare_status tarei_graph_name_values(const tarei_graph *graph, tarei_names *out, tare_error *err);
int tarei_graph_find_value(const tarei_graph *graph, const char *name); /* -1 when missing */

/* Appends a value to the inputs or outputs of the graph; false if memory runs out. */
bool tarei_graph_mark_input(tarei_graph *graph, int value);
bool tarei_graph_mark_output(tarei_graph *graph, int value);

/* Attributes: lookup with a default, and setting (copies). */
const tarei_attr *tarei_attr_find(const tarei_node *node, const char *name);
int64_t tarei_attr_int(const tarei_node *node, const char *name, int64_t fallback);
float tarei_attr_float(const tarei_node *node, const char *name, float fallback);
const char *tarei_attr_string(const tarei_node *node, const char *name, const char *fallback);
/* A list and its length; NULL and 0 if there is none of that kind. */
const int64_t *tarei_attr_ints(const tarei_node *node, const char *name, int *n);
const float *tarei_attr_floats(const tarei_node *node, const char *name, int *n);
const tarei_expr *tarei_attr_exprs(const tarei_node *node, const char *name, int *n);
bool tarei_attr_set_int(tarei_node *node, const char *name, int64_t value);
bool tarei_attr_set_float(tarei_node *node, const char *name, float value);
bool tarei_attr_set_string(tarei_node *node, const char *name, const char *value);
bool tarei_attr_set_floats(tarei_node *node, const char *name, const float *values, int n);
bool tarei_attr_set_ints(tarei_node *node, const char *name, const int64_t *values, int n);
bool tarei_attr_set_exprs(tarei_node *node, const char *name, const tarei_expr *values, int n);
bool tarei_attr_copy(tarei_node *to, const tarei_attr *from);
/* A body, which the node owns from then on, or nobody after a failure. */
bool tarei_attr_set_graph(tarei_node *node, const char *name, tarei_graph *body);
tarei_graph *tarei_attr_take_graph(tarei_node *node, const char *name); /* NULL: there is none */
void tarei_attr_remove(tarei_node *node, const char *name);

/* Questions. */
/* The next of the names of which the name of a fused node consists, "a + b", and its length. *at
 * begins at the whole name, and is NULL at the end, as is the result. */
const char *tarei_next_origin(const char **at, size_t *length);
int tarei_node_first_out(const tarei_node *node); /* the first output that is not absent */
bool tarei_value_is_const(const tarei_graph *graph, int value);
/* Contents of a constant integer tensor (i32 or i64) as int64; false if it is not one, or longer
 * than max. Symbolic contents that are all constant count too. */
bool tarei_value_ints(const tarei_graph *graph, int value, int64_t *out, int max, int *n);
/* Symbolic contents, row-major; those of a small constant (i32 or i64, rank <= 1, at most
 * TAREI_MAX_CONTENTS elements) are made from its data on first use. NULL if there are none. */
#define TAREI_MAX_CONTENTS 64
const tarei_expr *tarei_value_contents(tarei_graph *graph, int value, int *n);
/* Replaces the contents by a copy; NULL removes them. False if memory runs out. */
bool tarei_value_set_contents(tarei_graph *graph, int value, const tarei_expr *contents, int n);
bool tarei_value_const_float(const tarei_graph *graph, int value, float *out); /* one element */
bool tarei_value_dim_const(const tarei_graph *graph, int value, int axis, int64_t *out);
bool tarei_values_same_shape(const tarei_graph *graph, int a, int b); /* equal expressions */
tare_tensor tarei_value_tensor(const tarei_graph *graph, int value);  /* a constant as a view */
/* Who reads a value. The lists are kept as inputs change; none of these looks at other nodes.
 * After tarei_graph_compact the uses of a value have the order of the nodes; later ones come first.
 */
tarei_use tarei_graph_next_use(const tarei_graph *graph, tarei_use use); /* node -1 at the end */
int tarei_graph_count_uses(const tarei_graph *graph, int value); /* node inputs + graph outputs */
int tarei_graph_sole_consumer(const tarei_graph *graph, int value); /* node, or -1 (also when the
                                                                       value is a graph output) */

/* Changes of inputs: one that is there, one more (false if memory runs out), or only the first n.
 */
void tarei_graph_set_in(tarei_graph *graph, int node, int input, int value);
bool tarei_graph_append_in(tarei_graph *graph, int node, int value);
void tarei_graph_cut_inputs(tarei_graph *graph, int node, int n);

/* Other changes. */
void tarei_graph_replace_uses(tarei_graph *graph, int old_value, int new_value); /* node inputs;
                                    a graph output keeps its value, see ..._rename_output */
/* new_value replaces the output old_value; the two swap names. */
void tarei_graph_rename_output(tarei_graph *graph, int old_value, int new_value);
void tarei_graph_remove_node(tarei_graph *graph, int node); /* marks it dead (op = NULL) */
/* Sorts the live nodes so that producers come first, otherwise in their current order. `order` has
 * n_nodes entries. TARE_E_MODEL if there is a cycle. */
tare_status tarei_graph_order(const tarei_graph *graph, int *order, int *n, tare_error *err);
/* Removes dead nodes, nodes that no output of the graph needs, and unused values, sorts nodes
 * topologically and renumbers. Inputs and outputs of the graph remain. TARE_E_MODEL if there is a
 * cycle. All indices held elsewhere become invalid. */
tare_status tarei_graph_compact(tarei_graph *graph, tare_error *err);
/* Asserts every invariant above; for tests and debug builds. */
void tarei_graph_check(const tarei_graph *graph);
/* Prints the graph as text, one node per line, for inspection and tests. */
void tarei_graph_print(const tarei_graph *graph, tarei_str *out);

/* A dim as the ports of models and plans show it. The symbol of an input keeps its plain name, by
 * which profiles know it; all else is an expression, in which other names than words are quoted. */
void tarei_value_print_dim(const tarei_graph *graph, int value, int axis, tarei_str *out);

#endif
