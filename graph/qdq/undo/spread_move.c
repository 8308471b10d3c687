/* Operators that move or select integers: they do the same with the real values. */
#include <string.h>

#include "graph/qdq/undo/spread.h"
#include "graph/qdq/undo/undo.h"

typedef struct move_row {
  const char *op;
  bool all_in;  /* it reads its values from all inputs, not from the first only */
  bool all_out; /* it writes values to all outputs */
  bool no_out;  /* it writes no values at all */
} move_row;

static const move_row ROWS[] = {
    {.op = "ArgMax", .no_out = true},
    {.op = "ArgMin", .no_out = true},
    {.op = "Compress"},
    {.op = "Concat", .all_in = true},
    {.op = "DepthToSpace"},
    {.op = "Expand"},
    {.op = "Flatten"},
    {.op = "Gather"},
    {.op = "GatherElements"},
    {.op = "GatherND"},
    {.op = "Identity"},
    {.op = "MaxPool"},
    {.op = "Reshape"},
    {.op = "Resize"},
    {.op = "Shape", .no_out = true},
    {.op = "Size", .no_out = true},
    {.op = "Slice"},
    {.op = "SpaceToDepth"},
    {.op = "Split", .all_out = true},
    {.op = "Squeeze"},
    {.op = "Tile"},
    {.op = "TopK"},
    {.op = "Transpose"},
    {.op = "Unsqueeze"},
};

static const move_row *move_of(const Onnx__NodeProto *const node) {
  for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
    if (tarei_spread_is(node, ROWS[i].op) && node->n_input > 0) {
      return &ROWS[i];
    }
  }
  return NULL;
}

static bool forms_agree(const tarei_spread *const s, const Onnx__NodeProto *const node,
                        const size_t n, const tarei_spread_form *const form) {
  for (size_t i = 0; i < n; i++) {
    const tarei_spread_form *const other = tarei_spread_form_of(s, node->input[i]);
    if (!other || strcmp(other->scale, form->scale) != 0 || strcmp(other->zero, form->zero) != 0) {
      return false;
    }
  }
  return true;
}

/* Whether integers of the model itself are moved, into one DequantizeLinear with a single scale:
 * they are made real first. */
static bool move_stored(tarei_spread *const s, Onnx__NodeProto *const node) {
  const int reader = tarei_spread_sole_reader(s, node->output[0]);
  Onnx__NodeProto *const restore = reader < 0 ? NULL : s->graph->node[reader];
  if (!restore || !tarei_spread_constant(s, node->input[0]) || !tarei_undo_is_dequantize(restore) ||
      strcmp(restore->input[0], node->output[0]) != 0) {
    return false;
  }
  const Onnx__TensorProto *const scale = tarei_spread_constant(s, restore->input[1]);
  if (!scale || tarei_spread_count(scale) != 1) {
    return false;
  }
  const char *const real =
      tarei_spread_real(s, node->input[0], restore->input[1], tarei_spread_input(restore, 2), 0);
  tarei_edit_replace(&s->edit, &node->input[0], real);
  tarei_edit_replace(&s->edit, &node->output[0], restore->output[0]);
  tarei_edit_lay(&s->edit, node);
  s->goes[reader] = true;
  return true;
}

bool tarei_spread_move(tarei_spread *const s, const size_t i) {
  Onnx__NodeProto *const node = s->graph->node[i];
  const move_row *const row = move_of(node);
  if (!row) {
    return false;
  }
  const tarei_spread_form *const form = tarei_spread_form_of(s, node->input[0]);
  const size_t n_in = row->all_in ? node->n_input : 1;
  if (!form || !*form->zero || tarei_spread_constant(s, node->input[0]) ||
      !forms_agree(s, node, n_in, form)) {
    return !row->all_in && !row->all_out && !row->no_out && move_stored(s, node);
  }
  const char *const scale = form->scale, *const zero = form->zero; /* forms may move */
  for (size_t k = 0; k < n_in; k++) {
    tarei_edit_replace(&s->edit, &node->input[k],
                       tarei_spread_real(s, node->input[k], scale, zero, 0));
  }
  const size_t n_out = row->no_out ? 0 : row->all_out ? node->n_output : 1;
  tarei_spread_lay(s, node, n_out, scale, zero);
  return true;
}
