/* The ONNX importer from inside. Messages of these calls name node and tensor; the loader puts the
 * file's name before them. */
#ifndef TAREI_GRAPH_ONNX_IMPORTER_H
#define TAREI_GRAPH_ONNX_IMPORTER_H

#include "base/names.h"
#include "graph/ir/ir.h"
#include "onnx.pb-c.h"

/* Files with external data, each mapped once. */
typedef struct tarei_externals {
  const char *path;    /* of the model; NULL when it was read from memory */
  const char *allowed; /* one more folder that the data may lie in, or NULL */
  char **folders;      /* those that it may lie in, links resolved; owned; made at the first use */
  int n_folders;
  struct tarei_external {
    char *location; /* owned: the message may forget it once the data is mapped */
    tarei_mapped *mapped;
  } * files;
  int n_files;
  size_t cap_files;
} tarei_externals;

void tarei_externals_fini(tarei_externals *externals);

/* The file that a location beside the model means, links resolved; free it. TARE_E_INPUT where it
 * is missing, or lies in none of the folders that external data may lie in. */
tare_status tarei_external_path(tarei_externals *externals, const char *location, char **out,
                                tare_error *err);

struct tarei_importer;
typedef tare_status tarei_onnx_body_fn(struct tarei_importer *importer, Onnx__AttributeProto *proto,
                                       int node, tarei_graph **out, tare_error *err);

typedef struct tarei_importer {
  tarei_graph *graph;
  Onnx__GraphProto *proto; /* not const: buffers take raw data out of it */
  tarei_names values;
  tarei_names nodes;
  tarei_externals *externals;
  tarei_onnx_body_fn *body;      /* tarei_onnx_body, which attributes call for their graphs */
  struct tarei_importer *around; /* of the graph that a body stands in, or NULL */
  int node;                      /* there: the node that the body belongs to */
  bool ours;                     /* operators of domain "tare" were written by the importer */
} tarei_importer;

static inline const char *tarei_onnx_text(const char *const s) {
  return s ? s : "";
}

/* The name of a node: names are for people and for requests, so one that is taken gets the index of
 * the node behind it instead of being refused. The caller frees it; NULL when out of memory. */
char *tarei_onnx_node_name(const tarei_names *taken, const char *prefix,
                           const Onnx__NodeProto *proto, size_t index);

/* An attribute of a node of the message, or NULL; its integer, its real. */
const Onnx__AttributeProto *tarei_onnx_find_attr(const Onnx__NodeProto *node, const char *name);
int64_t tarei_onnx_attr_int(const Onnx__NodeProto *node, const char *name, int64_t fallback);
float tarei_onnx_attr_float(const Onnx__NodeProto *node, const char *name, float fallback);

/* A new node of the default operator set ("") or another; texts are copied. Whoever gives it a
 * place in a message need not free it. NULL when out of memory. */
Onnx__NodeProto *tarei_onnx_new_node(const char *op, const char *domain, const char *name,
                                     const char *const *in, int n_in, const char *const *out,
                                     int n_out);
bool tarei_onnx_add_input(Onnx__NodeProto *node, const char *name); /* false when out of memory */
/* Adds an attribute with an integer (INT) or a list of n (INTS); false when out of memory. */
bool tarei_onnx_add_ints(Onnx__NodeProto *node, const char *name,
                         Onnx__AttributeProto__AttributeType type, const int64_t *values, int n);
bool tarei_onnx_add_text(Onnx__NodeProto *node, const char *name, const char *text);

/* Checks the wire format: TARE_E_INPUT where it is broken, TARE_E_LIMIT where messages nest too
 * deep for the unpacker, which recurses. */
tare_status tarei_onnx_scan(const uint8_t *data, size_t size, const tare_limits *limits,
                            tare_error *err);

/* The message of a model file; free it with tarei_onnx_free. TARE_E_INPUT where it is broken,
 * TARE_E_LIMIT, TARE_E_MEMORY. */
tare_status tarei_onnx_unpack(const tarei_source *source, const tare_limits *limits,
                              Onnx__ModelProto **out, tare_error *err);
void tarei_onnx_free(Onnx__ModelProto *model); /* NULL is fine */

/* As tarei_onnx_load (graph/pass.h), of a message that is changed before it becomes a graph. Data
 * of other files is not in it. */
typedef tare_status tarei_onnx_change_fn(Onnx__ModelProto *model, void *user, tare_error *err);
tare_status tarei_onnx_load_changed(const char *path, const tare_load_options *options,
                                    tarei_onnx_change_fn *change, void *user, tarei_graph **out,
                                    tare_error *waits, tare_error *err);

/* TARE_E_UNSUPPORTED where an operator has another form in this opset than in the oldest that is
 * read in full. */
tare_status tarei_onnx_check_old(const Onnx__GraphProto *proto, int opset, tare_error *err);

/* An operator that is not supported. */
typedef struct tarei_foreign {
  const char *name, *domain;
} tarei_foreign;

/* Adds "; what to do" for each kind of them (onnx_advice.c). */
void tarei_onnx_advise(const tarei_foreign *ops, int n, tarei_str *text);

/* TARE_E_UNSUPPORTED with every operator that has no descriptor, and unless they are `ours` those
 * that files cannot have. Branches of an If in the graph are not looked at. */
tare_status tarei_onnx_check_support(const Onnx__GraphProto *proto, bool ours, tare_error *err);

/* Dims, type and bytes of a tensor; `what` names it in messages. tensor->data belongs to the new
 * buffer. Raw data is taken out of the message. */
tare_status tarei_onnx_tensor(tarei_externals *externals, Onnx__TensorProto *proto,
                              const char *what, tare_tensor *tensor, tarei_buffer **buffer,
                              tare_error *err);
/* A buffer over `bytes` bytes of the file that the tensor names. */
tare_status tarei_onnx_external(tarei_externals *externals, const Onnx__TensorProto *proto,
                                size_t bytes, size_t align, tarei_buffer **buffer, tare_error *err);

/* Reads one attribute of a node (-1: of a Constant, which has no body); free it with
 * tarei_attr_fini, also after a failure. */
tare_status tarei_onnx_attr(tarei_importer *importer, Onnx__AttributeProto *proto, int node,
                            tarei_attr *attr, tare_error *err);
/* Reads a graph inside of a node. What it reads of the graphs around it becomes further inputs of
 * the body and of the node. *out is to be freed also after a failure. */
tarei_onnx_body_fn tarei_onnx_body;
/* The value of this name here, or taken from a graph around; -1 where there is none. */
tare_status tarei_onnx_find(tarei_importer *importer, const char *name, int *out, tare_error *err);
/* Lets a graph compute in float32 what it has in float16 and bfloat16, bodies included, and sorts
 * it; `proto` names the types of its outputs, NULL for a body. */
tare_status tarei_onnx_widen(tarei_graph *graph, const Onnx__GraphProto *proto, tare_error *err);
/* Makes room for the names of all values and nodes; end both tables also after a failure. */
tare_status tarei_onnx_names(tarei_importer *importer, tare_error *err);

/* Adds a value of the model; TARE_E_MODEL when the name is taken. `maker` says who makes it. */
tare_status tarei_onnx_add_value(tarei_importer *importer, const char *name, const char *maker,
                                 int *out, tare_error *err);
/* Makes a value constant; takes the buffer over, also on failure. */
tare_status tarei_onnx_set_const(tarei_importer *importer, int value, const tare_tensor *tensor,
                                 tarei_buffer *buffer, tare_error *err);

tare_status tarei_onnx_initializers(tarei_importer *importer, tare_error *err);
tare_status tarei_onnx_inputs(tarei_importer *importer, tare_error *err);
tare_status tarei_onnx_nodes(tarei_importer *importer, tare_error *err);
tare_status tarei_onnx_outputs(tarei_importer *importer, tare_error *err);

/* The symbol of a dim, or NULL where it has none. */
const char *tarei_onnx_symbol(const Onnx__TensorShapeProto__Dimension *dim);

/* What a model declares of the dims of an output: the symbol of an input, or -1. */
typedef struct tarei_onnx_dims {
  int symbols[TARE_MAX_RANK];
} tarei_onnx_dims;

/* Those of all outputs of a graph that was just read; *out is to be freed also after a failure. */
tare_status tarei_onnx_declared(const tarei_graph *graph, const Onnx__GraphProto *proto,
                                tarei_onnx_dims **out, tare_error *err);
/* Once lengths are inferred: a symbol that an output declares where its length is a sum of other
 * symbols is named by that sum, so that profiles know its length. */
tare_status tarei_onnx_name_sums(const tarei_graph *graph, const tarei_onnx_dims *dims,
                                 tare_error *err);

#endif
