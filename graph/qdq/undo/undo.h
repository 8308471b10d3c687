/*
 * Undoing the Q/DQ of a message: which pairs and constants go, what is read in their place, and the
 * thresholds that they stood for.
 *
 * Decisions come first, over the whole message, and are kept as names: what is read instead of
 * what. Then the nodes are laid down again without those that were undone.
 */
#ifndef TAREI_GRAPH_QDQ_UNDO_UNDO_H
#define TAREI_GRAPH_QDQ_UNDO_UNDO_H

#include <tare/import.h>

#include "graph/qdq/edit.h"
#include "graph/qdq/file_types.h"
#include "graph/qdq/undo/spread.h"
#include "graph/table/table.h"

/* Scales and zero points of a Q/DQ node. Views of constants of the graph. */
typedef struct tarei_undo_form {
  tare_tensor scale; /* float32 */
  tare_tensor zero;  /* of `type`; data NULL where it is 0 */
  tare_dtype type;   /* of what is stored */
  int64_t axis;
} tarei_undo_form;

/* The scale of a value that had a pair. */
typedef struct tarei_undo_scale {
  const char *value; /* as the quantized model calls it */
  float scale;
  tare_dtype type;
  int64_t zero_point;
  bool positive; /* it has no negative value, whatever the data */
} tarei_undo_scale;

typedef struct tarei_undo {
  tarei_onnx_file *file;
  const tarei_graph *graph; /* as it was imported, constants folded */
  const tarei_spread_result *spread;
  size_t next_kept;   /* of what that kept */
  tarei_names values; /* of the graph */
  tarei_file_types types;
  tarei_names makers; /* nodes of the message, by output */
  tarei_names moved;  /* names that are replaced, */
  const char **to;    /* by these */
  int n_moved;
  bool *goes;           /* per node of the message: it is undone, */
  const char **becomes; /* and this operator of one input takes its place; NULL: none */
  tarei_undo_scale *scales;
  int n_scales;
  size_t cap_scales;
  tarei_edit edit;
  tare_import_counts counts;
  tare_kept_node *kept; /* strings are owned; counts.kept of them */
  size_t cap_kept;
} tarei_undo;

/* Undoes what can be undone in the message, whose operators on integers were spread, and makes the
 * table. `out` keeps the counts and the nodes that stay; tarei_undo_fini frees it, on failure too.
 */
tare_status tarei_undo_qdq(tarei_onnx_file *file, const tarei_graph *graph,
                           const tarei_spread_result *spread, tarei_undo *out, tare_table **table,
                           tare_error *err);
void tarei_undo_fini(tarei_undo *undo);

/* --- questions ------------------------------------------------------------------------------- */

bool tarei_undo_is_quantize(const Onnx__NodeProto *node);
bool tarei_undo_is_dequantize(const Onnx__NodeProto *node);

/* Constant contents of a name, or data NULL. */
tare_tensor tarei_undo_constant(const tarei_undo *undo, const char *name);

/* Reads scale and zero point of a Q/DQ node: NULL, or why they cannot be used. */
const char *tarei_undo_form_of(const tarei_undo *undo, const Onnx__NodeProto *node,
                               tarei_undo_form *out);
/* Zero point i of a form. */
int64_t tarei_undo_zero_point(const tarei_undo_form *form, int64_t i);

/* The name that a name has in the float model. */
const char *tarei_undo_resolve(const tarei_undo *undo, const char *name);
bool tarei_undo_has_moved(const tarei_undo *undo, const char *name);

/* --- decisions ------------------------------------------------------------------------------- */

/* From now on `by` is read, or written, instead of `name`. */
void tarei_undo_move(tarei_undo *undo, const char *name, const char *by);

/* Decides about a DequantizeLinear. NULL, or why it stays. */
const char *tarei_undo_pair(tarei_undo *undo, size_t node);
const char *tarei_undo_stored(tarei_undo *undo, size_t node);

/* --- table ----------------------------------------------------------------------------------- */

/* A table of the scales. */
tare_status tarei_undo_table(const tarei_undo *undo, tare_table **out, tare_error *err);

#endif
