#include "graph/qdq/raise.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "graph/op.h"
#include "graph/qdq/edit.h"
#include "graph/qdq/file_types.h"

typedef enum change_kind { MOVED, LAST_AXIS, DROPPED, COUNTED, PLACED, REPLACED } change_kind;

enum { MOST_MOVED = 3 };

typedef struct op_change {
  const char *op;
  int version;
  change_kind kind;
  const char *attributes[MOST_MOVED + 1]; /* ended by NULL */
} op_change;

static const op_change changes[] = {
#define TAREI_MOVED(op, version, ...) {#op, version, MOVED, {__VA_ARGS__}},
#define TAREI_LAST_AXIS(op, version) {#op, version, LAST_AXIS, {NULL}},
#define TAREI_DROPPED(op, version, attribute) {#op, version, DROPPED, {attribute}},
#define TAREI_COUNTED(op, version) {#op, version, COUNTED, {NULL}},
#define TAREI_PLACED(op, version) {#op, version, PLACED, {NULL}},
#define TAREI_REPLACED(op, version) {#op, version, REPLACED, {NULL}},
#include "graph/qdq/opset_changes.inc"
#undef TAREI_MOVED
#undef TAREI_LAST_AXIS
#undef TAREI_DROPPED
#undef TAREI_COUNTED
#undef TAREI_PLACED
#undef TAREI_REPLACED
};

typedef struct raiser {
  tarei_edit edit;
  const tarei_graph *graph;
  tarei_names values; /* of the graph */
  tarei_file_types types;
  int64_t from, to;
} raiser;

/* --- attributes ------------------------------------------------------------------------------ */

/* A constant with what the attribute says: integers, reals, or a real of the type of the node's
 * input. */
static const char *constant_of(raiser *const r, const Onnx__NodeProto *const node,
                               const Onnx__AttributeProto *const attr) {
  tarei_edit *const e = &r->edit;
  char suffix[32];
  snprintf(suffix, sizeof suffix, "_%s", attr->name);
  const char *const name = tarei_edit_name(e, node->output[0], suffix);
  const int64_t n = attr->n_ints ? (int64_t)attr->n_ints : 1;
  if (attr->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT) {
    const tare_dtype type = tarei_file_type(&r->types, node->input[0]);
    tarei_edit_reals(e, name, type == TARE_F16 ? type : TARE_F32, &attr->f, 0);
    return name;
  }
  if (attr->n_floats) {
    tarei_edit_reals(e, name, TARE_F32, attr->floats, (int64_t)attr->n_floats);
    return name;
  }
  int64_t *const to = tarei_edit_constant(e, name, TARE_I64, &n, 1);
  if (to && attr->n_ints) {
    memcpy(to, attr->ints, attr->n_ints * sizeof *to);
  } else if (to) {
    *to = attr->i;
  }
  return name;
}

/* --- changes --------------------------------------------------------------------------------- */

static tare_status move_attributes(raiser *const r, Onnx__NodeProto *const node,
                                   const op_change *const change, tare_error *const err) {
  const char *in[1 + MOST_MOVED] = {node->input[0]};
  int n_in = 1;
  for (int i = 0; i < MOST_MOVED && change->attributes[i]; i++) {
    const Onnx__AttributeProto *const attr = tarei_onnx_find_attr(node, change->attributes[i]);
    in[1 + i] = "";
    if (attr) {
      in[1 + i] = constant_of(r, node, attr);
      n_in = 2 + i;
    }
  }
  for (int i = 0; i < MOST_MOVED && change->attributes[i]; i++) {
    tarei_edit_drop_attr(&r->edit, node, change->attributes[i]);
  }
  if (node->n_input > 1) {
    return tarei_fail(err, TARE_E_MODEL, "node '%s': %s has %zu inputs, expected 1 in opset %lld",
                      tarei_onnx_text(node->name), node->op_type, node->n_input,
                      (long long)r->from);
  }
  tarei_edit_become(&r->edit, node, node->op_type, in, n_in, node->output[0]);
  return TARE_OK;
}

/* The same where the axis was the last one. */
static tare_status fix_axis(raiser *const r, Onnx__NodeProto *const node, tare_error *const err) {
  const int64_t axis = tarei_onnx_attr_int(node, "axis", 1);
  const int value = tarei_names_find(&r->values, node->input[0]);
  const int rank = value >= 0 ? r->graph->values[value].rank : -1;
  if (axis != -1 && axis != rank - 1) {
    return tarei_fail(
        err, TARE_E_UNSUPPORTED,
        "node '%s': %s over axis %lld of rank %d means several axes in opset %lld, and "
        "one in opset %lld",
        tarei_onnx_text(node->name), node->op_type, (long long)axis, rank, (long long)r->from,
        (long long)r->to);
  }
  if (!tarei_onnx_find_attr(node, "axis")) {
    tarei_edit_attr(&r->edit, node, "axis", -1);
  }
  return TARE_OK;
}

static tare_status drop_meaning(raiser *const r, Onnx__NodeProto *const node,
                                const op_change *const change, tare_error *const err) {
  if (tarei_onnx_attr_int(node, change->attributes[0], 1) != 1) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "node '%s': %s has no attribute '%s' in opset %lld",
                      tarei_onnx_text(node->name), node->op_type, change->attributes[0],
                      (long long)r->to);
  }
  tarei_edit_drop_attr(&r->edit, node, change->attributes[0]);
  return TARE_OK;
}

static void count_outputs(raiser *const r, Onnx__NodeProto *const node) {
  if (node->n_input < 2 || !*node->input[1]) {
    tarei_edit_attr(&r->edit, node, "num_outputs", (int64_t)node->n_output);
  }
}

static const char PLACES[] = "coordinate_transformation_mode";

/* How Resize rounded places of nearest elements before an attribute said it: towards those below,
 * or above where the size falls. NULL where one attribute cannot say that. */
static const char *rounding_of(const raiser *const r, const Onnx__NodeProto *const node) {
  const int value = node->n_input > 1 ? tarei_names_find(&r->values, node->input[1]) : -1;
  if (value < 0 || !tarei_value_is_const(r->graph, value)) {
    return NULL;
  }
  const tare_tensor scales = tarei_value_tensor(r->graph, value);
  bool falls = false, grows = false;
  for (int64_t i = 0; scales.dtype == TARE_F32 && i < tare_tensor_count(&scales); i++) {
    const float scale = ((const float *)scales.data)[i];
    falls = falls || scale < 1;
    grows = grows || scale > 1;
  }
  return falls && grows ? NULL : falls ? "ceil" : "floor";
}

/* Upsample and Resize began at the first element. */
static tare_status say_places(raiser *const r, Onnx__NodeProto *const node, tare_error *const err) {
  tarei_edit *const e = &r->edit;
  const bool upsample = strcmp(node->op_type, "Upsample") == 0;
  const char *const output = node->output[0];
  if (tarei_onnx_find_attr(node, PLACES)) {
    return TARE_OK; /* it was an Upsample */
  }
  if (node->n_input != 2) {
    return tarei_fail(err, TARE_E_MODEL, "node '%s': %s has %zu inputs, expected 2 in opset %lld",
                      tarei_onnx_text(node->name), node->op_type, node->n_input,
                      (long long)r->from);
  }
  if (upsample && r->to < 11) {
    tarei_edit_become(e, node, "Resize", (const char *[]){node->input[0], node->input[1]}, 2,
                      output);
    return TARE_OK;
  }
  const char *const rounding = upsample ? "floor" : rounding_of(r, node);
  const Onnx__AttributeProto *const mode = tarei_onnx_find_attr(node, "mode");
  const bool nearest = !mode || (mode->s.len == 7 && memcmp(mode->s.data, "nearest", 7) == 0);
  if (nearest && !rounding) {
    return tarei_fail(
        err, TARE_E_UNSUPPORTED,
        "node '%s': Resize to nearest elements, by scales of a run or on both sides of "
        "1, has no form in opset %lld",
        tarei_onnx_text(node->name), (long long)r->to);
  }
  const char *const roi = tarei_edit_name(e, output, "_roi");
  (void)tarei_edit_constant(e, roi, TARE_F32, (const int64_t[]){0}, 1); /* a failure sticks */
  tarei_edit_become(e, node, "Resize", (const char *[]){node->input[0], roi, node->input[1]}, 3,
                    output);
  tarei_edit_text_attr(e, node, PLACES, "asymmetric");
  if (nearest) {
    tarei_edit_text_attr(e, node, "nearest_mode", rounding);
  }
  return TARE_OK;
}

static tare_status apply_change(raiser *const r, Onnx__NodeProto *const node,
                                const op_change *const change, tare_error *const err) {
  switch (change->kind) {
    case MOVED:
      return move_attributes(r, node, change, err);
    case LAST_AXIS:
      return fix_axis(r, node, err);
    case DROPPED:
      return drop_meaning(r, node, change, err);
    case COUNTED:
      count_outputs(r, node);
      return TARE_OK;
    case PLACED:
      return say_places(r, node, err);
    case REPLACED:
      break;
  }
  return tarei_fail(err, TARE_E_UNSUPPORTED, "node '%s': %s changed in opset %d",
                    tarei_onnx_text(node->name), node->op_type, change->version);
}

/* --- the model ------------------------------------------------------------------------------- */

static tare_status raise_graph(raiser *r, Onnx__GraphProto *graph, tare_error *err);

static tare_status raise_node(raiser *const r, Onnx__NodeProto *const node, tare_error *const err) {
  for (size_t a = 0; a < node->n_attribute; a++) {
    if (node->attribute[a]->g) {
      TAREI_TRY(raise_graph(r, node->attribute[a]->g, err));
    }
  }
  if (!tarei_is_default_domain(tarei_onnx_text(node->domain))) {
    return TARE_OK;
  }
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    const op_change *const change = &changes[i];
    if (change->version > r->from && change->version <= r->to &&
        strcmp(node->op_type, change->op) == 0) {
      TAREI_TRY(apply_change(r, node, change, err));
    }
  }
  return TARE_OK;
}

static tare_status raise_graph(raiser *const r, Onnx__GraphProto *const graph,
                               tare_error *const err) {
  for (size_t n = 0; n < graph->n_node; n++) {
    TAREI_TRY(raise_node(r, graph->node[n], err));
  }
  return TARE_OK;
}

/* The first version of the file format that may import an operator set. */
static int64_t least_ir(const int64_t opset) {
  static const struct {
    int64_t opset, ir;
  } FORMATS[] = {{21, 10}, {19, 9}, {15, 8}, {12, 7}, {11, 6}, {10, 5}};
  for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
    if (opset >= FORMATS[i].opset) {
      return FORMATS[i].ir;
    }
  }
  return 3;
}

static void set_version(const tarei_onnx_file *const file, const int64_t version) {
  const int64_t ir = least_ir(version);
  file->model->ir_version = file->model->ir_version < ir ? ir : file->model->ir_version;
  for (size_t i = 0; i < file->model->n_opset_import; i++) {
    Onnx__OperatorSetIdProto *const set = file->model->opset_import[i];
    if (tarei_is_default_domain(tarei_onnx_text(set->domain))) {
      set->version = version;
    }
  }
}

static tare_status raise_model(raiser *const r, tare_error *const err) {
  Onnx__GraphProto *const graph = r->edit.graph;
  TAREI_TRY(tarei_graph_name_values(r->graph, &r->values, err));
  TAREI_TRY(tarei_file_types_init(r->edit.file, &r->types, err));
  TAREI_TRY(raise_graph(r, graph, err));
  for (size_t n = 0; n < graph->n_node; n++) {
    tarei_edit_lay(&r->edit, graph->node[n]);
  }
  return TARE_OK;
}

tare_status tarei_onnx_raise(tarei_onnx_file *const file, const tarei_graph *const graph,
                             const int64_t version, tare_error *const err) {
  raiser r = {.graph = graph, .from = tarei_onnx_file_opset(file, ""), .to = version};
  assert(version <= TAREI_RAISE_MOST);
  if (r.from >= version) {
    return TARE_OK;
  }
  tare_status status = tarei_edit_begin(file, &r.edit, err);
  if (status == TARE_OK) {
    status = raise_model(&r, err);
  }
  if (status == TARE_OK) {
    status = tarei_edit_finish(&r.edit, err);
  } else {
    tarei_edit_fini(&r.edit);
  }
  tarei_names_fini(&r.values);
  tarei_file_types_fini(&r.types);
  if (status != TARE_OK) {
    return tarei_fail_in(err, status, "cannot raise the model from opset %lld to %lld",
                         (long long)r.from, (long long)version);
  }
  set_version(file, version);
  return TARE_OK;
}
