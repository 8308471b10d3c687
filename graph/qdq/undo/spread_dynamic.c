/* Products of integers: MatMulInteger and ConvInteger with what scales their sums, and the
 * operators of ONNX Runtime that contain all of it. Their activation is quantized at run time, or
 * by a QuantizeLinear. */
#include <string.h>

#include "base/mem.h"
#include "graph/qdq/undo/spread.h"
#include "graph/qdq/undo/undo.h"

/* One product. */
typedef struct dynamic_product {
  const char *x;       /* integers, or real values that the operator quantizes itself */
  const char *x_scale; /* NULL: x is real */
  const char *x_zero;
  const char *w, *w_scale, *w_zero;
  const char *out;
  bool conv;
} dynamic_product;

/* --- weights --------------------------------------------------------------------------------- */

/* The number of channels of the weights' outputs; 0 if their dims do not say it. */
static int64_t n_channels(const Onnx__TensorProto *const w, const bool conv) {
  return w->n_dims < 2 ? 0 : w->dims[conv ? 0 : w->n_dims - 1];
}

static const char *refuse_weights_of(const tarei_spread *const s, const dynamic_product *const p) {
  const Onnx__TensorProto *const w = tarei_spread_constant(s, p->w);
  const Onnx__TensorProto *const scale = tarei_spread_constant(s, p->w_scale);
  const Onnx__TensorProto *const zero = *p->w_zero ? tarei_spread_constant(s, p->w_zero) : NULL;
  if (!w || !scale || (*p->w_zero && !zero)) {
    return "its weights, their scale or zero point are not constant";
  }
  const int64_t n = tarei_spread_count(scale), channels = n_channels(w, p->conv);
  const int64_t n_zeros = zero ? tarei_spread_count(zero) : 1;
  const bool fits = n == 1 || n == channels;
  return fits && (n_zeros == 1 || n_zeros == n) ? NULL
                                                : "its weights have other scales than channels";
}

/* --- what it becomes ------------------------------------------------------------------------- */

static const char *real_weights(tarei_spread *const s, const dynamic_product *const p) {
  const int64_t last = (int64_t)tarei_spread_constant(s, p->w)->n_dims - 1;
  return tarei_spread_real(s, p->w, p->w_scale, p->w_zero, p->conv ? 0 : last);
}

static void note_dynamic(tarei_spread *const s, const Onnx__NodeProto *const node) {
  tarei_spread_result *const r = s->result;
  if (!TAREI_GROW(r->dynamic, r->n_dynamic, r->cap_dynamic)) {
    s->edit.failed = true;
    return;
  }
  r->dynamic[r->n_dynamic++] = node;
}

/* Lays the float layer down; a bias is its third input. */
static void lay_product(tarei_spread *const s, Onnx__NodeProto *const node,
                        const dynamic_product *const p, const char *const bias) {
  const char *const x = p->x_scale ? tarei_spread_real(s, p->x, p->x_scale, p->x_zero, 0) : p->x;
  const char *const in[] = {x, real_weights(s, p), bias};
  tarei_spread_become(s, node, p->conv ? "Conv" : "MatMul", in, bias ? 3 : 2);
  tarei_edit_replace(&s->edit, &node->output[0], p->out);
  tarei_edit_lay(&s->edit, node);
  if (!p->x_scale) {
    note_dynamic(s, node);
  }
}

/* --- chains of nodes ------------------------------------------------------------------------- */

static Onnx__NodeProto *next_node(const tarei_spread *const s, const char *const value,
                                  const char *const op, int *const at) {
  *at = tarei_spread_sole_reader(s, value);
  Onnx__NodeProto *const node = *at < 0 ? NULL : s->graph->node[*at];
  return node && tarei_spread_is(node, op) ? node : NULL;
}

/* The input of a node of two that is not this one, or NULL. */
static const char *other_input(const Onnx__NodeProto *const node, const char *const name) {
  return node->n_input != 2                  ? NULL
         : strcmp(node->input[0], name) == 0 ? node->input[1]
         : strcmp(node->input[1], name) == 0 ? node->input[0]
                                             : NULL;
}

/* Where the integers of the activation come from: its scale is that of the sums. */
static const char *find_activation(const tarei_spread *const s, const char *const integers,
                                   const char *const zero, dynamic_product *const p) {
  const Onnx__NodeProto *const maker = tarei_spread_maker(s, integers);
  const tarei_spread_form *const form = tarei_spread_form_of(s, integers);
  if (maker && tarei_spread_is(maker, "DynamicQuantizeLinear") && maker->n_output == 3 &&
      maker->n_input == 1 && strcmp(maker->output[0], integers) == 0 && *maker->output[1] &&
      strcmp(maker->output[2], zero) == 0) {
    p->x = maker->input[0];
    return maker->output[1];
  }
  if (form && strcmp(form->zero, zero) == 0) {
    p->x = integers;
    p->x_scale = form->scale;
    p->x_zero = form->zero;
    return form->scale;
  }
  return NULL;
}

/* The nodes that make reals of sums: Cast, and Mul with the product of both scales. */
typedef struct dynamic_tail {
  int cast, mul;
} dynamic_tail;

static const char *find_tail(const tarei_spread *const s, const Onnx__NodeProto *const node,
                             const char *const x_scale, dynamic_product *const p,
                             dynamic_tail *const tail) {
  const Onnx__NodeProto *const cast = next_node(s, node->output[0], "Cast", &tail->cast);
  const Onnx__NodeProto *const mul = cast ? next_node(s, cast->output[0], "Mul", &tail->mul) : NULL;
  const char *const scales = mul ? other_input(mul, cast->output[0]) : NULL;
  const Onnx__NodeProto *const both = scales ? tarei_spread_maker(s, scales) : NULL;
  p->w_scale = both && tarei_spread_is(both, "Mul") ? other_input(both, x_scale) : NULL;
  p->out = mul ? mul->output[0] : NULL;
  return p->w_scale ? NULL : "no Cast and Mul scale its sums by the scales of both inputs";
}

/* --- biases of convolutions ------------------------------------------------------------------ */

static bool is_column(const Onnx__TensorProto *const t, const int64_t n, const size_t rank) {
  const size_t axis = t->n_dims == rank ? 1 : 0;
  return t->n_dims > 1 && (t->n_dims == rank || t->n_dims == rank - 1) && t->dims[axis] == n &&
         tarei_spread_count(t) == n;
}

/* A constant that nothing else reads becomes a vector, with the name that it had before an export
 * made a column of it. */
static const char *flatten_bias(tarei_spread *const s, const char *const name, const int64_t n,
                                const size_t rank) {
  static const char SUFFIX[] = "_column";
  const int at = tarei_names_find(&s->initializers, name);
  Onnx__TensorProto *const t = at < 0 ? NULL : s->graph->initializer[at];
  if (!t || !is_column(t, n, rank) || tarei_spread_sole_reader(s, name) < 0) {
    return NULL;
  }
  const size_t length = strlen(name), end = sizeof SUFFIX - 1;
  if (length > end && strcmp(name + length - end, SUFFIX) == 0) {
    char *const base = tarei_strndup(name, length - end);
    s->edit.failed |= !base;
    if (base) {
      tarei_edit_replace(&s->edit, &t->name, tarei_edit_name(&s->edit, base, ""));
    }
    free(base);
  }
  t->dims[0] = n;
  t->n_dims = 1;
  return t->name;
}

/* The bias of an Add behind a convolution, or NULL; *add is its node. */
static const char *find_bias(tarei_spread *const s, const dynamic_product *const p,
                             int *const add) {
  const Onnx__TensorProto *const w = tarei_spread_constant(s, p->w);
  const Onnx__NodeProto *const node = p->conv ? next_node(s, p->out, "Add", add) : NULL;
  const char *const bias = node ? other_input(node, p->out) : NULL;
  if (!bias) {
    return NULL;
  }
  const Onnx__NodeProto *const reshape = tarei_spread_maker(s, bias);
  const int64_t n = n_channels(w, true);
  if (reshape && tarei_spread_is(reshape, "Reshape") && reshape->n_input == 2) {
    const Onnx__TensorProto *const vector = tarei_spread_constant(s, reshape->input[0]);
    return vector && vector->n_dims == 1 && vector->dims[0] == n &&
                   tarei_spread_constant(s, reshape->input[1])
               ? reshape->input[0]
               : NULL;
  }
  return flatten_bias(s, bias, n, w->n_dims);
}

static bool spread_chain(tarei_spread *const s, Onnx__NodeProto *const node) {
  dynamic_product p = {.conv = tarei_spread_is(node, "ConvInteger"),
                       .w = tarei_spread_input(node, 1),
                       .w_zero = tarei_spread_input(node, 3)};
  dynamic_tail tail = {-1, -1};
  const char *const x_scale =
      find_activation(s, tarei_spread_input(node, 0), tarei_spread_input(node, 2), &p);
  s->why =
      x_scale
          ? find_tail(s, node, x_scale, &p, &tail)
          : "no QuantizeLinear or DynamicQuantizeLinear writes what it reads and its zero point";
  s->why = s->why ? s->why : refuse_weights_of(s, &p);
  if (s->why) {
    return false;
  }
  int add = -1;
  const char *const bias = find_bias(s, &p, &add);
  s->goes[tail.cast] = s->goes[tail.mul] = true;
  if (bias) {
    s->goes[add] = true;
    p.out = s->graph->node[add]->output[0];
  }
  lay_product(s, node, &p, bias);
  return true;
}

/* --- operators that contain it all ----------------------------------------------------------- */

static bool is_contrib(const Onnx__NodeProto *const node, const char *const op) {
  return strcmp(tarei_onnx_text(node->op_type), op) == 0 && node->n_output == 1 &&
         strcmp(tarei_onnx_text(node->domain), "com.microsoft") == 0;
}

static bool spread_whole(tarei_spread *const s, Onnx__NodeProto *const node,
                         const dynamic_product *const product, const char *const bias) {
  tarei_edit *const e = &s->edit;
  dynamic_product p = *product;
  s->why = s->why ? s->why : refuse_weights_of(s, &p);
  if (s->why) {
    return false;
  }
  const char *const out = node->output[0];
  p.out = *bias ? tarei_edit_name(e, out, "_product") : out;
  lay_product(s, node, &p, NULL);
  if (*bias) {
    const char *const in[] = {p.out, bias};
    tarei_edit_node(e, "Add", "", tarei_edit_name(e, out, "_Add"), in, 2, &out, 1);
  }
  return true;
}

static bool spread_quantizing(tarei_spread *const s, Onnx__NodeProto *const node) {
  const dynamic_product p = {.x = tarei_spread_input(node, 0),
                             .w = tarei_spread_input(node, 1),
                             .w_scale = tarei_spread_input(node, 2),
                             .w_zero = tarei_spread_input(node, 3)};
  return spread_whole(s, node, &p, tarei_spread_input(node, 4));
}

static bool spread_to_float(tarei_spread *const s, Onnx__NodeProto *const node) {
  dynamic_product p = {.w = tarei_spread_input(node, 1),
                       .w_scale = tarei_spread_input(node, 3),
                       .w_zero = tarei_spread_input(node, 5)};
  const char *const x_scale =
      find_activation(s, tarei_spread_input(node, 0), tarei_spread_input(node, 4), &p);
  s->why =
      x_scale && strcmp(x_scale, tarei_spread_input(node, 2)) == 0
          ? NULL
          : "no QuantizeLinear or DynamicQuantizeLinear writes what it reads and its zero point";
  return spread_whole(s, node, &p, tarei_spread_input(node, 6));
}

bool tarei_spread_dynamic(tarei_spread *const s, const size_t i) {
  Onnx__NodeProto *const node = s->graph->node[i];
  if (tarei_spread_is(node, "MatMulInteger") || tarei_spread_is(node, "ConvInteger")) {
    return spread_chain(s, node);
  }
  if (is_contrib(node, "DynamicQuantizeMatMul")) {
    return spread_quantizing(s, node);
  }
  return is_contrib(node, "MatMulIntegerToFloat") && spread_to_float(s, node);
}
