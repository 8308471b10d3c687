#include "graph/quantize/smoothing_site.h"

#include <string.h>

#include "graph/passes/layout.h"
#include "graph/passes/rewrite.h"

enum { DEEPEST = 8 }; /* nodes between the constants and a reader */

/* --- parts ------------------------------------------------------------------------------------ */

static bool site_add_value(int *const list, int *const n, const int value) {
  if (*n == TAREI_SITE_MOST) {
    return false;
  }
  list[(*n)++] = value;
  return true;
}

/* A float constant with one reader. */
static bool site_may_change(const tarei_graph *const g, const int value) {
  const tarei_value *const v = value >= 0 ? &g->values[value] : NULL;
  return v && v->data && v->dtype == TARE_F32 && tarei_graph_count_uses(g, value) == 1;
}

static bool site_add_constant(tarei_smoothing_site *const site, const tarei_graph *const g,
                              const tarei_site_constant constant) {
  if (site->n_constants == 2 * TAREI_SITE_MOST || !site_may_change(g, constant.value)) {
    return false;
  }
  site->constants[site->n_constants++] = constant;
  return true;
}

/* A constant of one number for each channel. */
static bool site_add_vector(tarei_smoothing_site *const site, const tarei_graph *const g,
                            const int value) {
  if (!tarei_value_is_const(g, value)) {
    return false;
  }
  const tare_tensor t = tarei_value_tensor(g, value);
  return tare_tensor_count(&t) == site->channels &&
         site_add_constant(
             site, g,
             (tarei_site_constant){
                 .value = value, .inner = 1, .dim = site->channels, .outer = 1, .n = 1, .part = 1});
}

/* Whether a constant with a number for each channel is broadcast along the axis of the channels. */
static bool site_fits_axis(const tarei_graph *const g, const int constant, const int rank,
                           const int axis, const int64_t channels) {
  const tare_tensor t = tarei_value_tensor(g, constant);
  const int at = axis - (rank - t.rank);
  return at >= 0 && t.dims[at] == channels && tare_tensor_count(&t) == channels;
}

static int site_in(const tarei_node *const node, const int i) {
  return i < node->n_in ? node->in[i] : -1;
}

/* Axis of the channels in what a layer reads and writes: ONNX's convolutions have them first. */
static int site_axis_of_layer(const tarei_graph *const g, const tarei_node *const node) {
  const tarei_int8_form *const form = tarei_op_int8_form(node->op);
  const bool first = g->values[node->in[1]].rank > 2 && !(form && form->windows);
  return first ? 1 : g->values[node->in[0]].rank - 1;
}

/* --- readers ---------------------------------------------------------------------------------- */

static bool site_is_reader(const tarei_graph *const g, const tarei_use use,
                           tarei_site_reader *const out) {
  const tarei_node *const node = &g->nodes[use.node];
  *out = (tarei_site_reader){.node = use.node, .groups = tarei_attr_int(node, "group", 1)};
  return use.input == 0 && tarei_weight_view_of(g, node, &out->weights) &&
         g->values[node->in[0]].rank >= 2 && out->groups >= 1 &&
         out->weights.n % out->groups == 0 && !tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES) &&
         tarei_attr_int(node, "transA", 0) == 0;
}

static bool site_add_reader(tarei_smoothing_site *const site, const tarei_graph *const g,
                            const tarei_site_reader *const reader, const int axis) {
  const tarei_weight_view *const view = &reader->weights;
  const tarei_node *const node = &g->nodes[reader->node];
  if (site->n_readers == TAREI_SITE_MOST || site_axis_of_layer(g, node) != axis ||
      view->k / view->taps * reader->groups != site->channels) {
    return false;
  }
  site->readers[site->n_readers++] = *reader;
  return site_add_constant(site, g,
                           (tarei_site_constant){.value = view->value,
                                                 .of_reader = true,
                                                 .inner = view->step_c,
                                                 .dim = view->k / view->taps,
                                                 .outer = view->step_n,
                                                 .n = view->n,
                                                 .part = view->n / reader->groups});
}

static int site_axis_behind(const tarei_perm *const perm, const int axis) {
  int to = 0;
  while (perm->axis[to] != axis) {
    to++;
  }
  return to;
}

/* The axis of the channels by the first layer that reads a value, also a transposed one; -1: none.
 */
static int site_find_axis(const tarei_graph *const g, const int value, const int depth,
                          int64_t *const channels) {
  const tarei_use use = g->values[value].first_use;
  tarei_perm perm;
  tarei_site_reader reader;
  if (use.node < 0 || depth == 0) {
    return -1;
  }
  const tarei_node *const node = &g->nodes[use.node];
  if (tarei_node_is(node, &tarei_op_transpose) && tarei_perm_of(g, node, &perm)) {
    const int axis = site_find_axis(g, node->out[0], depth - 1, channels);
    return axis < 0 || axis >= perm.rank ? -1 : (int)perm.axis[axis];
  }
  if (!site_is_reader(g, use, &reader)) {
    return -1;
  }
  *channels = reader.weights.k / reader.weights.taps * reader.groups;
  return site_axis_of_layer(g, node);
}

/* All that reads a value, which is added to those with the scale of the tensor. */
static bool site_add_readers(tarei_smoothing_site *const site, const tarei_graph *const g,
                             const int value, const int axis, const int depth) {
  const tarei_value *const v = &g->values[value];
  if (depth == 0 || v->is_output || v->n_uses == 0 ||
      !site_add_value(site->same, &site->n_same, value)) {
    return false;
  }
  for (tarei_use use = v->first_use; use.node >= 0; use = tarei_graph_next_use(g, use)) {
    const tarei_node *const node = &g->nodes[use.node];
    tarei_perm perm;
    tarei_site_reader reader;
    const bool moved = tarei_node_is(node, &tarei_op_transpose) && tarei_perm_of(g, node, &perm);
    if (moved ? !site_add_readers(site, g, node->out[0], site_axis_behind(&perm, axis), depth - 1)
              : !site_is_reader(g, use, &reader) || !site_add_reader(site, g, &reader, axis)) {
      return false;
    }
  }
  return true;
}

/* --- what makes it ---------------------------------------------------------------------------- */

/* How a node passes factors on: to its constants, and perhaps to the value that it reads. */
typedef struct site_step {
  int value; /* what has to have the factors too; -1: the constants have all of them */
  int axis;  /* of the channels in it */
} site_step;

typedef bool site_step_fn(tarei_smoothing_site *site, const tarei_graph *g, const tarei_node *node,
                          int axis, site_step *next);

static bool site_has_linear_activation(const tarei_node *const node) {
  const char *const name = tarei_attr_string(node, TAREI_ATTR_ACTIVATION, "none");
  return strcmp(name, "none") == 0 || strcmp(name, "relu") == 0 || strcmp(name, "leaky_relu") == 0;
}

static bool site_step_same(tarei_smoothing_site *const site, const tarei_graph *const g,
                           const tarei_node *const node, const int axis, site_step *const next) {
  (void)site;
  (void)g;
  *next = (site_step){node->in[0], axis};
  return true;
}

static bool site_step_transpose(tarei_smoothing_site *const site, const tarei_graph *const g,
                                const tarei_node *const node, const int axis,
                                site_step *const next) {
  (void)site;
  tarei_perm perm;
  if (!tarei_perm_of(g, node, &perm)) {
    return false;
  }
  *next = (site_step){node->in[0], (int)perm.axis[axis]};
  return true;
}

/* The constant operand of two; -1: none. */
static int site_constant_operand(const tarei_graph *const g, const tarei_node *const node) {
  return tarei_value_is_const(g, node->in[0])   ? node->in[0]
         : tarei_value_is_const(g, node->in[1]) ? node->in[1]
                                                : -1;
}

static bool site_step_mul(tarei_smoothing_site *const site, const tarei_graph *const g,
                          const tarei_node *const node, const int axis, site_step *const next) {
  const int constant = site_constant_operand(g, node);
  (void)next;
  return constant >= 0 &&
         site_fits_axis(g, constant, g->values[node->out[0]].rank, axis, site->channels) &&
         site_add_vector(site, g, constant);
}

static bool site_step_add(tarei_smoothing_site *const site, const tarei_graph *const g,
                          const tarei_node *const node, const int axis, site_step *const next) {
  const int constant = site_constant_operand(g, node);
  if (constant < 0 ||
      !site_fits_axis(g, constant, g->values[node->out[0]].rank, axis, site->channels) ||
      !site_add_vector(site, g, constant)) {
    return false;
  }
  *next = (site_step){tarei_other_input(node, constant), axis};
  return true;
}

/* Scale and shift are inputs 1 and 2. */
static bool site_step_affine(tarei_smoothing_site *const site, const tarei_graph *const g,
                             const tarei_node *const node, const int axis, const int expected) {
  const int shift = site_in(node, 2);
  return axis == expected && site_has_linear_activation(node) &&
         site_add_vector(site, g, site_in(node, 1)) &&
         (shift < 0 || site_add_vector(site, g, shift));
}

static bool site_step_channel_norm(tarei_smoothing_site *const site, const tarei_graph *const g,
                                   const tarei_node *const node, const int axis,
                                   site_step *const next) {
  (void)next;
  return site_step_affine(site, g, node, axis, 1);
}

static bool site_step_last_norm(tarei_smoothing_site *const site, const tarei_graph *const g,
                                const tarei_node *const node, const int axis,
                                site_step *const next) {
  (void)next;
  const int last = g->values[node->in[0]].rank - 1;
  const int scale = site_in(node, 1);
  return tarei_value_is_const(g, scale) &&
         site_fits_axis(g, scale, last + 1, last, site->channels) &&
         site_step_affine(site, g, node, axis, last);
}

static bool site_step_layer(tarei_smoothing_site *const site, const tarei_graph *const g,
                            const tarei_node *const node, const int axis, site_step *const next) {
  (void)next;
  tarei_weight_view view;
  const int bias = site_in(node, 2);
  return tarei_weight_view_of(g, node, &view) && view.n == site->channels &&
         axis == site_axis_of_layer(g, node) && site_in(node, 3) < 0 &&
         site_has_linear_activation(node) && !tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES) &&
         site_add_constant(site, g,
                           (tarei_site_constant){.value = view.value,
                                                 .inner = view.step_n,
                                                 .dim = view.n,
                                                 .outer = 1,
                                                 .n = 1,
                                                 .part = 1}) &&
         (bias < 0 || site_add_vector(site, g, bias));
}

static site_step_fn *site_step_of(const tarei_node *const node) {
  static const struct {
    const tarei_op *op;
    site_step_fn *step;
  } STEPS[] = {{&tarei_op_add, site_step_add},
               {&tarei_op_mul, site_step_mul},
               {&tarei_op_relu, site_step_same},
               {&tarei_op_leaky_relu, site_step_same},
               {&tarei_op_identity, site_step_same},
               {&tarei_op_transpose, site_step_transpose},
               {&tarei_op_batch_normalization, site_step_channel_norm},
               {&tarei_op_instance_normalization, site_step_channel_norm},
               {&tarei_op_layer_normalization, site_step_last_norm},
               {&tarei_op_rms_normalization, site_step_last_norm},
               {&tarei_op_conv, site_step_layer},
               {&tarei_op_conv_last, site_step_layer},
               {&tarei_op_gemm, site_step_layer},
               {&tarei_op_linear, site_step_layer},
               {&tarei_op_matmul, site_step_layer}};
  for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++) {
    if (tarei_node_is(node, STEPS[i].op)) {
      return STEPS[i].step;
    }
  }
  return NULL;
}

/* From the tensor back to the constants that take all factors. */
static bool site_add_sources(tarei_smoothing_site *const site, const tarei_graph *const g,
                             const int value) {
  int at = value, axis = site->axis;
  for (int depth = 0; depth < DEEPEST; depth++) {
    const tarei_node *const node = tarei_producer(g, at);
    site_step_fn *const step = node && node->out[0] == at ? site_step_of(node) : NULL;
    site_step next = {-1, -1};
    if (!step || !step(site, g, node, axis, &next)) {
      return false;
    }
    if (next.value < 0) {
      return true;
    }
    if (tarei_graph_count_uses(g, next.value) != 1 ||
        !site_add_value(site->before, &site->n_before, next.value)) {
      return false;
    }
    at = next.value;
    axis = next.axis;
  }
  return false;
}

bool tarei_smoothing_site_find(const tarei_graph *const g, const int value,
                               tarei_smoothing_site *const out) {
  *out = (tarei_smoothing_site){0};
  const tarei_value *const v = &g->values[value];
  if (v->data || v->dtype != TARE_F32 || v->quant.stated) {
    return false;
  }
  out->axis = site_find_axis(g, value, DEEPEST, &out->channels);
  return out->axis >= 0 && site_add_readers(out, g, value, out->axis, DEEPEST) &&
         site_add_sources(out, g, value);
}
