/*
 * A model that is quantized already says so by QuantizeLinear and DequantizeLinear. Their pairs
 * become Quantize and Dequantize of bytes whose scale is an annotation, and layers note the scales
 * of their constant weights, which are float from then on: what runs in int8 is decided where it is
 * decided for calibrated models. DequantizeLinear moves up over what only moves integers, so that
 * layers see it.
 */
#include "graph/passes/adopt_scales.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "graph/passes/const_data.h"
#include "graph/passes/layout.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"
#include "graph/quantize/quantize.h"
#include "graph/quantize/quantize_uses.h"
#include "shapes/number.h"

/* --- numbers ---------------------------------------------------------------------------------- */

static bool is_byte(const tare_dtype dtype) {
  return dtype == TARE_I8 || dtype == TARE_U8;
}

/* The type of what is stored, which the zero point has too. */
static tare_dtype stored_dtype(const tarei_graph *const g, const tarei_node *const node) {
  const bool quantizes = node->op == &tarei_op_quantize_linear;
  return g->values[quantizes ? node->out[0] : node->in[0]].dtype;
}

static bool adopt_scales_read(const tarei_graph *const g, const tarei_node *const node,
                              tarei_stated *const out) {
  const int zero = tarei_node_in(node, 2);
  const tare_dtype dtype = stored_dtype(g, node);
  *out = (tarei_stated){.zero_point = dtype == TARE_I8    ? 128
                                      : dtype == TARE_I16 ? TAREI_SYMMETRIC_WIDE
                                                          : 0};
  if (!tarei_value_const_float(g, node->in[1], &out->scale) || !(out->scale > 0) ||
      !isnormal(out->scale) || !isnormal(1 / out->scale)) {
    return false;
  }
  if (zero < 0) {
    return true;
  }
  if (!tarei_value_is_const(g, zero)) {
    return false;
  }
  const tare_tensor t = tarei_value_tensor(g, zero);
  if (t.dtype != dtype || tare_tensor_count(&t) != 1) {
    return false;
  }
  out->zero_point += (int32_t)tarei_integer_at(&t, 0);
  return true;
}

bool tarei_stated_of(const tarei_graph *const g, const tarei_node *const node,
                     tarei_stated *const out) {
  return is_byte(stored_dtype(g, node)) && adopt_scales_read(g, node, out);
}

bool tarei_stated_wide(const tarei_graph *const g, const tarei_node *const node,
                       tarei_stated *const out) {
  const tare_dtype dtype = stored_dtype(g, node);
  return (dtype == TARE_I16 || dtype == TARE_U16) && adopt_scales_read(g, node, out);
}

/* --- activations ------------------------------------------------------------------------------ */

static bool stated_equal(const tarei_stated *const a, const tarei_stated *const b) {
  return a->scale == b->scale && a->zero_point == b->zero_point;
}

tare_status tarei_stated_annotate(tarei_quant *const quant, const tarei_stated *const s,
                                  tare_error *const err) {
  float *const scales = tarei_memdup(&s->scale, sizeof s->scale);
  if (!scales) {
    return tarei_fail_memory(err, "scale", sizeof s->scale);
  }
  free(quant->scales);
  *quant =
      (tarei_quant){.n_scales = 1, .scales = scales, .stated = true, .zero_point = s->zero_point};
  return TARE_OK;
}

/* Bytes of what a QuantizeLinear reads. */
static tare_status add_bytes(tarei_graph *const g, const int n, const tarei_stated *const s,
                             int *const out, tare_error *const err) {
  const int x = g->nodes[n].in[0];
  int node;
  TAREI_TRY(tarei_add_helper(g, g->nodes[n].out[0], "__u8", out, err));
  g->values[*out].dtype = TARE_U8;
  g->values[*out].observable = false;
  TAREI_TRY(tarei_stated_annotate(&g->values[*out].quant, s, err));
  return tarei_add_node(g, &tarei_op_quantize, g->nodes[n].name, 1, &x, 1, *out, &node, err);
}

static void become_dequantize(tarei_graph *const g, const int n, const int bytes) {
  tarei_node *const node = &g->nodes[n];
  node->op = &tarei_op_dequantize;
  node->opset = 1;
  tarei_graph_set_in(g, n, 0, bytes);
  tarei_graph_cut_inputs(g, n, 1);
  while (node->n_attrs > 0) {
    tarei_attr_remove(node, node->attrs[0].name);
  }
}

/* Quantizes once for all that dequantize alike; whoever else reads the integers goes on doing so.
 */
static tare_status adopt_pairs(tarei_graph *const g, const int n, bool *const changed,
                               tare_error *const err) {
  tarei_stated mine, other;
  int bytes = -1;
  const int stored = g->nodes[n].out[0];
  if (!tarei_value_is_f32(g, g->nodes[n].in[0]) || tarei_value_is_const(g, g->nodes[n].in[0]) ||
      !tarei_stated_of(g, &g->nodes[n], &mine)) {
    return TARE_OK;
  }
  for (tarei_use u = g->values[stored].first_use, next; u.node >= 0; u = next) {
    next = tarei_graph_next_use(g, u);
    const tarei_node *const reader = &g->nodes[u.node];
    if (reader->op != &tarei_op_dequantize_linear || u.input != 0 ||
        !tarei_stated_of(g, reader, &other) || !stated_equal(&mine, &other)) {
      continue;
    }
    if (bytes < 0) {
      TAREI_TRY(add_bytes(g, n, &mine, &bytes, err));
    }
    become_dequantize(g, u.node, bytes);
    *changed = true;
  }
  return TARE_OK;
}

/* Operators through which integers and their real values go alike, and how many of their inputs. */
static int adopt_scales_count_moved(const tarei_node *const node) {
  const bool moves = node->op->movement || node->op->picks;
  return node->op->joins ? node->n_in : moves && node->n_out == 1 ? 1 : 0;
}

/* DequantizeLinear(Move(x)) becomes Move(DequantizeLinear(x)). */
static tare_status hoist(tarei_graph *const g, const int n, bool *const changed,
                         tare_error *const err) {
  tarei_stated s;
  const int moved = g->nodes[n].in[0], out = g->nodes[n].out[0];
  const int mover = g->values[moved].producer;
  const int inputs = mover < 0 ? 0 : adopt_scales_count_moved(&g->nodes[mover]);
  if (inputs == 0 || tarei_graph_sole_consumer(g, moved) != n ||
      !(tarei_stated_of(g, &g->nodes[n], &s) || tarei_stated_wide(g, &g->nodes[n], &s))) {
    return TARE_OK;
  }
  for (int i = 0; i < inputs; i++) {
    int in[3] = {g->nodes[mover].in[i], g->nodes[n].in[1], tarei_node_in(&g->nodes[n], 2)};
    int real, node;
    TAREI_TRY(tarei_add_helper(g, in[0], "__f32", &real, err));
    g->values[real].dtype = TARE_F32;
    TAREI_TRY(tarei_add_node(g, &tarei_op_dequantize_linear, g->nodes[n].name, 13, in,
                             in[2] < 0 ? 2 : 3, real, &node, err));
    tarei_graph_set_in(g, mover, i, real);
  }
  g->nodes[mover].out[0] = out;
  g->values[out].producer = mover;
  tarei_graph_remove_node(g, n);
  *changed = true;
  return TARE_OK;
}

/* --- weights ---------------------------------------------------------------------------------- */

/* Axis of a layer's weights along which its output channels lie; -1 for what is no layer. */
static int channel_axis(const tarei_graph *const g, const tarei_node *const node) {
  const int weights = tarei_node_in(node, 1);
  return weights >= 0 && node->op->channel_axis
             ? node->op->channel_axis(node, g->values[weights].rank)
             : -1;
}

/* The DequantizeLinear of constants behind a value, past what moves it, and which of its axes
 * becomes `axis` (-1 where that cannot be said); NULL where there is none. */
static const tarei_node *find_constant(const tarei_graph *const g, const int value,
                                       int *const axis) {
  const tarei_node *node = tarei_producer(g, value);
  while (node && node->op->movement) {
    tarei_perm perm;
    const bool transposes = node->op == &tarei_op_transpose && tarei_perm_of(g, node, &perm);
    if (node->op != &tarei_op_identity) {
      *axis = transposes && *axis >= 0 ? (int)perm.axis[*axis] : -1;
    }
    node = tarei_producer(g, node->in[0]);
  }
  return node && node->op == &tarei_op_dequantize_linear && tarei_value_is_const(g, node->in[0])
             ? node
             : NULL;
}

/* The zero point that all weights share: 0 where none is given. */
static bool shared_zero_point(const tarei_graph *const g, const tarei_node *const node,
                              int64_t *const zero) {
  const int zeros = tarei_node_in(node, 2);
  *zero = 0;
  if (zeros < 0) {
    return true;
  }
  if (!tarei_value_is_const(g, zeros)) {
    return false;
  }
  const tare_tensor z = tarei_value_tensor(g, zeros);
  if (z.dtype != g->values[node->in[0]].dtype || tare_tensor_count(&z) < 1) {
    return false;
  }
  *zero = tarei_integer_at(&z, 0);
  for (int64_t i = 1; i < tare_tensor_count(&z); i++) {
    if (tarei_integer_at(&z, i) != *zero) {
      return false;
    }
  }
  return true;
}

/* Whether all weights, less their zero point, are in -128..127. */
static bool fits_s8(const tare_tensor *const w, const int64_t zero) {
  const int64_t n = tare_tensor_count(w);
  for (int64_t i = 0; i < n; i++) {
    const int64_t q = tarei_integer_at(w, i) - zero;
    if (q < INT8_MIN || q > INT8_MAX) {
      return false;
    }
  }
  return true;
}

static bool scales_good(const tare_tensor *const scale) {
  const int64_t n = scale->dtype == TARE_F32 ? tare_tensor_count(scale) : 0;
  for (int64_t i = 0; i < n; i++) {
    const float s = ((const float *)scale->data)[i];
    if (!(s > 0) || !isnormal(s)) {
      return false;
    }
  }
  return n > 0;
}

/* One for all, or one for each output. */
static bool scales_placed(const tarei_graph *const g, const tarei_node *const node,
                          const tare_tensor *const scale, const int axis) {
  const int64_t at = tarei_attr_int(node, "axis", 1);
  return tare_tensor_count(scale) == 1 ||
         (scale->rank == 1 && (at < 0 ? at + g->values[node->in[0]].rank : at) == axis);
}

/* Why weights dequantized so are not those of an int8 layer; TARE_REASON_NONE where they are. */
static tare_reason odd(const tarei_graph *const g, const tarei_node *const node,
                       const tare_tensor *const scale, const int axis) {
  const tare_tensor w = tarei_value_tensor(g, node->in[0]);
  int64_t zero;
  return !is_byte(w.dtype)                      ? TARE_REASON_WEIGHT_TYPE
         : !shared_zero_point(g, node, &zero)   ? TARE_REASON_WEIGHT_ZERO_POINTS
         : !fits_s8(&w, zero)                   ? TARE_REASON_WEIGHT_RANGE
         : !scales_good(scale)                  ? TARE_REASON_WEIGHT_SCALE
         : !scales_placed(g, node, scale, axis) ? TARE_REASON_WEIGHT_AXIS
                                                : TARE_REASON_NONE;
}

/* A layer notes what its weights are multiples of. */
static tare_status note_weights(tarei_graph *const g, const int n, bool *const changed,
                                tare_error *const err) {
  tarei_node *const layer = &g->nodes[n];
  int axis = channel_axis(g, layer);
  const tarei_node *const node = axis < 0 ? NULL : find_constant(g, layer->in[1], &axis);
  if (!node || !tarei_value_is_const(g, node->in[1]) ||
      tarei_attr_find(layer, TAREI_ATTR_WEIGHT_SCALES) ||
      tarei_attr_find(layer, TAREI_ATTR_WEIGHTS_ODD)) {
    return TARE_OK;
  }
  const tare_tensor scale = tarei_value_tensor(g, node->in[1]);
  const tare_reason why = odd(g, node, &scale, axis);
  const bool ok = why ? tarei_attr_set_int(layer, TAREI_ATTR_WEIGHTS_ODD, why)
                      : tarei_attr_set_floats(layer, TAREI_ATTR_WEIGHT_SCALES, scale.data,
                                              (int)tare_tensor_count(&scale));
  *changed = true;
  return ok ? TARE_OK : tarei_fail_memory(err, "weight scales", sizeof(tarei_attr));
}

/* Everybody has noted what it says: it may be folded. */
static tare_status release(tarei_graph *const g, const int n, bool *const changed,
                           tare_error *const err) {
  tarei_node *const node = &g->nodes[n];
  if (!tarei_value_is_const(g, node->in[0]) || tarei_attr_find(node, TAREI_ATTR_ADOPTED)) {
    return TARE_OK;
  }
  *changed = true;
  return tarei_attr_set_int(node, TAREI_ATTR_ADOPTED, 1)
             ? TARE_OK
             : tarei_fail_memory(err, "attribute", sizeof(tarei_attr));
}

typedef tare_status adopt_scales_rule_fn(tarei_graph *, int, bool *, tare_error *);

static tare_status adopt_scales_apply(tarei_graph *const g, const tarei_op *const op,
                                      adopt_scales_rule_fn *const rule, bool *const changed,
                                      tare_error *const err) {
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    if (g->nodes[n].op && (!op || g->nodes[n].op == op)) {
      TAREI_TRY(rule(g, n, changed, err));
    }
  }
  return TARE_OK;
}

static tare_status adopt_scales_run(tarei_graph *const graph,
                                    const tarei_pass_options *const options, bool *const changed,
                                    tare_error *const err) {
  (void)options;
  TAREI_TRY(adopt_scales_apply(graph, NULL, note_weights, changed, err));
  TAREI_TRY(adopt_scales_apply(graph, &tarei_op_dequantize_linear, release, changed, err));
  for (bool moved = true; moved;) {
    moved = false;
    TAREI_TRY(adopt_scales_apply(graph, &tarei_op_dequantize_linear, hoist, &moved, err));
    *changed |= moved;
  }
  return adopt_scales_apply(graph, &tarei_op_quantize_linear, adopt_pairs, changed, err);
}

const tarei_pass tarei_pass_adopt_scales = {
    .name = "adopt_scales",
    .summary = "takes over the scales of a model that is quantized already",
    .run = adopt_scales_run,
};
