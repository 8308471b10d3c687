/*
 * What the shape inference of the operators shares.
 *
 * An inference function first asks tarei_ops_need for its required inputs, then reads inputs and
 * attributes by the helpers below, and at the end gives each output its dtype and dims (and
 * contents). No attribute value is trusted.
 */
#ifndef TAREI_GRAPH_OPS_OPS_COMMON_H
#define TAREI_GRAPH_OPS_OPS_COMMON_H

#include "graph/op.h"
#include "shapes/number.h"

typedef struct tarei_shape {
  int rank;
  tarei_expr dims[TARE_MAX_RANK];
} tarei_shape;

/* ---- nodes (ops_common.c) ---- */

/* Input i, or NULL where an optional input is absent. */
const tarei_value *tarei_ops_in(const tarei_graph *graph, const tarei_node *node, int i);
/* Checks that no input is missing (the first n may not be absent) and that each has a shape. */
tare_status tarei_ops_need(const tarei_graph *graph, const tarei_node *node, int n,
                           tare_error *err);
tarei_shape tarei_ops_shape(const tarei_value *value);
/* Sets output i (an absent one is left out) and drops its contents. TARE_E_MODEL when a dim is
 * negative or too large to compute. */
tare_status tarei_ops_give(tarei_graph *graph, const tarei_node *node, int i, tare_dtype dtype,
                           const tarei_shape *shape, tare_error *err);

tare_status tarei_ops_want_rank(const tarei_value *value, int min, int max, tare_error *err);
tare_status tarei_ops_want_float(const tarei_value *value, tare_error *err);
tare_status tarei_ops_want_dtype(const tarei_value *value, tare_dtype dtype, tare_error *err);
tare_status tarei_ops_want_same_dtype(const tarei_value *a, const tarei_value *b, tare_error *err);
bool tarei_ops_is_integer(tare_dtype dtype); /* bool is none */

/* TARE_E_UNSUPPORTED: the output shape depends on the data of a value. */
tare_status tarei_ops_fail_data(const tarei_value *value, tare_error *err);
/* A dim that only the data of a run tell: the symbol number k (0, 1, ...) that this node measures.
 * Its lowering then has `measure` (engine/step.h), which says the number before the node runs.
 * Stands for 0 or more. */
tarei_expr tarei_ops_measured(const tarei_graph *graph, const tarei_node *node, int k);
/* A shape of such dims, symbols 0 to rank - 1. */
tarei_shape tarei_ops_measured_shape(const tarei_graph *graph, const tarei_node *node, int rank);
/* "[batch, 96, samples / 5]", cut at size; returns text. */
const char *tarei_ops_show(const tarei_graph *graph, const tarei_shape *shape, char *text,
                           size_t size);

/* A list attribute of exactly n integers; all `fallback` where it is absent. */
tare_status tarei_ops_ints(const tarei_node *node, const char *name, int n, int64_t fallback,
                           int64_t *out, tare_error *err);
/* An axis in -rank..rank-1 as 0..rank-1. */
tare_status tarei_ops_axis(int64_t axis, int rank, int *out, tare_error *err);

typedef struct tarei_axes {
  bool given; /* false: neither the attribute nor the input is there */
  int n;
  int at[TARE_MAX_RANK]; /* in the order given, each once */
  bool set[TARE_MAX_RANK];
} tarei_axes;

/* The axes of a node, from the attribute "axes" or from an input, whichever is there. */
tare_status tarei_ops_axes(const tarei_graph *graph, const tarei_node *node, int input, int rank,
                           tarei_axes *out, tare_error *err);

/* A list of integers that is an input in new opsets and an attribute in old ones. */
typedef struct tarei_list {
  bool given;                        /* false: neither is there */
  bool counted;                      /* false: only a run tells how many there are */
  int n;                             /* 0 unless both */
  tarei_expr at[TAREI_MAX_CONTENTS]; /* TAREI_EXPR_NONE for what only a run tells */
} tarei_list;

/* Input i, of rank most_rank or less and never a scalar, or the attribute `name` where the input is
 * absent. */
tare_status tarei_ops_list(const tarei_graph *graph, const tarei_node *node, int i,
                           const char *name, int most_rank, tarei_list *out, tare_error *err);
/* Whether input i is absent or all its integers are known. */
bool tarei_ops_is_known(const tarei_graph *graph, const tarei_node *node, int i);
/* Checks that a value can hold indices: int64 or int32. */
tare_status tarei_ops_want_indices(const tarei_value *value, tare_error *err);

/* ---- dims (ops_dims.c) ---- */

/* Proofs take every symbol as 1 or more; false means "not proven". */
bool tarei_ops_at_least(const tarei_graph *graph, tarei_expr e, int64_t least);
/* max(e, 0), or e itself where a tensor of the graph has such a dim: wherever the model runs, it is
 * 0 or more. */
tarei_expr tarei_ops_size(const tarei_graph *graph, tarei_expr e);
bool tarei_ops_differ(const tarei_graph *graph, tarei_expr a, tarei_expr b);
tarei_expr tarei_ops_plus(const tarei_graph *graph, tarei_expr e, int64_t n);
/* Product of the dims from..to-1; 1 when there are none. */
tarei_expr tarei_ops_product(const tarei_graph *graph, const tarei_shape *shape, int from, int to);
/* Two dims that have to be equal as one, the constant where one is; false when they differ. */
bool tarei_ops_unify(const tarei_graph *graph, tarei_expr a, tarei_expr b, tarei_expr *out);
/* Broadcasting of two shapes as numpy does it. out may be a or b. */
tare_status tarei_ops_broadcast(const tarei_graph *graph, const tarei_shape *a,
                                const tarei_shape *b, tarei_shape *out, tare_error *err);
/* Checks that a value can be broadcast to a shape without changing the shape. */
tare_status tarei_ops_want_fits(const tarei_graph *graph, const tarei_value *value,
                                const tarei_shape *shape, tare_error *err);
/* Checks that a value is a vector of n elements. */
tare_status tarei_ops_want_vector(const tarei_graph *graph, const tarei_value *value, tarei_expr n,
                                  tare_error *err);

/* ---- contents (ops_contents.c) ---- */

/* Number of elements when all dims are constant and it is at most TAREI_MAX_CONTENTS, else -1. */
int tarei_ops_count(const tarei_graph *graph, const tarei_value *value);
/* Whether a list of integers is known to the last. */
bool tarei_ops_ints_known(const tarei_graph *graph, int value);
/* Contents of a small int32, int64 or bool tensor, constant or symbolic, with TAREI_EXPR_NONE for
 * what is not known. Returns the number of elements, or -1 when the tensor is of another type, too
 * long, or of unknown length. */
int tarei_ops_contents(const tarei_graph *graph, int value, tarei_expr *out);
/* The one element of input i where it is known: an integer, or a float without fraction; else
 * TAREI_EXPR_NONE. Fails where there is known to be another number of elements. */
tare_status tarei_ops_one(const tarei_graph *graph, const tarei_node *node, int i, tarei_expr *out,
                          tare_error *err);
/* Attaches contents to output i, after tarei_ops_give; does nothing when they say nothing. */
tare_status tarei_ops_give_contents(tarei_graph *graph, const tarei_node *node, int i,
                                    const tarei_expr *contents, int n, tare_error *err);
/* Copies the contents of input 0 to output 0. */
tare_status tarei_ops_pass_contents(tarei_graph *graph, const tarei_node *node, tare_error *err);
/* Which element of a value stands at element `flat` of a value it is broadcast to; both have
 * constant dims. */
int tarei_ops_element(const tarei_graph *graph, const tarei_value *value, const tarei_value *to,
                      int flat);
/* Distances between neighbours along each axis of a value, in elements; false when its dims are
 * not constant. */
bool tarei_ops_strides(const tarei_graph *graph, const tarei_value *value, int64_t *out);
/* Contents of an output that views input 0: element (i, j, ..) of output 0 is element
 * offset + i * strides[0] + j * strides[1] + .. of the input. */
tare_status tarei_ops_view_contents(tarei_graph *graph, const tarei_node *node, int64_t offset,
                                    const int64_t *strides, tare_error *err);
/* Dims as numbers; false when they are not all constant. */
bool tarei_ops_const_dims(const tarei_graph *graph, const tarei_value *value, int64_t *out);
/* Reads input i as a shape, the operand of Expand and ConstantOfShape: TAREI_EXPR_NONE stands for
 * entries that are not known. */
tare_status tarei_ops_shape_input(const tarei_graph *graph, const tarei_node *node, int i,
                                  tarei_shape *out, tare_error *err);

/* ---- lengths through float arithmetic (ops_trace.c) ---- */

/* Integer values of a small tensor: its contents, float constants, or float arithmetic on such
 * (Cast, Add, Sub, Mul, Div, Min, Max, Floor and Ceil), as exporters write it for lengths: quotients
 * are exact until something rounds them. Returns the number of elements or -1, as tarei_ops_contents does. */
int tarei_ops_trace(const tarei_graph *graph, int value, tarei_expr *out);
/* The same for a value that is rounded toward zero afterwards: it may be a quotient. */
int tarei_ops_trace_truncated(const tarei_graph *graph, int value, tarei_expr *out);

/* ---- bodies (ops_body.c) ---- */

#define TAREI_MAX_SCANNED 32 /* tensors that one Scan reads, and as many that it writes */

/* The graph that an attribute holds; TARE_E_MODEL where there is none. */
tare_status tarei_ops_body(const tarei_node *node, const char *name, tarei_graph **out,
                           tare_error *err);
/* Type, dims and contents (or NULL) of input number `input` of a body. */
tare_status tarei_ops_set_input(tarei_graph *body, int input, tare_dtype dtype,
                                const tarei_shape *shape, const tarei_expr *contents,
                                int n_contents, tare_error *err);
/* All that a body takes by name; constants become the body's own. */
tare_status tarei_ops_hand_captures(tarei_graph *graph, tarei_node *node, tarei_graph *body,
                                    tare_error *err);

/* ---- sliding windows (ops_window.c) ---- */

typedef enum tarei_auto_pad {
  TAREI_PAD_EXPLICIT,
  TAREI_PAD_SAME_UPPER,
  TAREI_PAD_SAME_LOWER,
  TAREI_PAD_VALID,
} tarei_auto_pad;

typedef struct tarei_window {
  int n; /* spatial axes */
  tarei_auto_pad auto_pad;
  bool ceil_mode;
  int64_t kernel[TARE_MAX_RANK];
  int64_t strides[TARE_MAX_RANK];
  int64_t dilations[TARE_MAX_RANK];
  int64_t pads[2 * TARE_MAX_RANK]; /* all begins, then all ends; zeros unless TAREI_PAD_EXPLICIT */
} tarei_window;

/* Reads the attributes of a convolution or pooling with n spatial axes. `weights` are the kernel
 * dims of the weights, or NULL for a pooling, where kernel_shape is required. */
tare_status tarei_ops_window(const tarei_graph *graph, const tarei_node *node, int n,
                             const tarei_expr *weights, tarei_window *out, tare_error *err);
/* The same windows over more axes: those in front have one element. */
void tarei_window_widen(tarei_window *window, int n);
/* Output length of a window along spatial axis i. */
tare_status tarei_ops_window_dim(const tarei_graph *graph, const tarei_window *window, int i,
                                 tarei_expr in, tarei_expr *out, tare_error *err);

/* Padding in front of an axis and behind it. */
typedef struct tarei_padding {
  int64_t before, after;
} tarei_padding;

/* Shares `total` elements of padding between both ends: the odd one goes behind the axis with
 * SAME_UPPER, else in front. A total below 0, which cuts elements off, is all behind. */
tarei_padding tarei_padding_share(tarei_auto_pad auto_pad, int64_t total);
/* Padding of spatial axis i in a run: explicit, or as much as `out` windows need beyond the `in`
 * elements. */
tarei_padding tarei_window_padding(const tarei_window *window, int i, int64_t in, int64_t out);

/* Output shape of a convolution with inputs X, W and an optional bias (ops_conv.c). */
tare_status tarei_ops_conv(const tarei_graph *graph, const tarei_node *node, bool channels_last,
                           tarei_shape *out, tare_error *err);

/* ---- transforms (op_dft.c) ---- */

/* The axis of a DFT, 0 .. rank - 2, or -1 where only its data tell. */
tare_status tarei_ops_dft_axis(const tarei_graph *graph, const tarei_node *node, int *out,
                               tare_error *err);

/* ---- matrix products (ops_matmul.c) ---- */

/* Checks that two axes over which a product sums are not known to differ. */
tare_status tarei_ops_want_inner(const tarei_graph *graph, const tarei_value *a, int a_axis,
                                 const tarei_value *b, int b_axis, tare_error *err);
/* Shape of a product as numpy makes it; trans_b: the last two axes of b are swapped. */
tare_status tarei_ops_matmul(const tarei_graph *graph, const tarei_value *a, const tarei_value *b,
                             bool trans_b, tarei_shape *out, tare_error *err);

/* ---- operators on 8-bit activations (ops_quantized.c) ---- */

/* Checks the types: X is uint8, W int8 or a float. */
tare_status tarei_ops_want_quantized(const tarei_graph *graph, const tarei_node *node,
                                     tare_error *err);
/* The output's shape, where a layer's inputs make one. */
typedef tare_status tarei_ops_layer_shape_fn(const tarei_graph *graph, const tarei_node *node,
                                             tarei_shape *out, tare_error *err);
/* Infers a layer X, W, bias, residual of floats, and one of bytes. */
tare_status tarei_ops_layer(tarei_graph *graph, const tarei_node *node,
                            tarei_ops_layer_shape_fn *shape, tare_error *err);
tare_status tarei_ops_int8_layer(tarei_graph *graph, const tarei_node *node,
                                 tarei_ops_layer_shape_fn *shape, tare_error *err);
/* Gives outputs `first` and the next: bytes, and the scale of each of their rows. */
tare_status tarei_ops_give_rows(tarei_graph *graph, const tarei_node *node, int first,
                                const tarei_shape *shape, tare_error *err);
/* Gives the outputs that the attribute "outputs" asks for: "f32", "u8", or "both" in that order;
 * bytes and their scales by "rows", or after the floats by "f32+rows". */
tare_status tarei_ops_give_quantized(tarei_graph *graph, const tarei_node *node,
                                     const tarei_shape *shape, tare_error *err);
/* The same for an operator that makes float32 and has that attribute; for all else tarei_ops_give
 * of output 0. */
tare_status tarei_ops_give_writable(tarei_graph *graph, const tarei_node *node, tare_dtype dtype,
                                    const tarei_shape *shape, tare_error *err);

#endif
