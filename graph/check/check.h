/*
 * What a target engine makes of a quantized model.
 *
 * Everything is decided on the message, so that models with operators that tare does not know are
 * checked too. Nodes of subgraphs are in one list with the others: names are unique in a model.
 */
#ifndef TAREI_GRAPH_CHECK_CHECK_H
#define TAREI_GRAPH_CHECK_CHECK_H

#include <tare/check.h>

#include "base/names.h"
#include "graph/qdq/onnx_file.h"
#include "graph/qdq/targets/target.h"

/* Operators that only move values and are looked across, one behind the other. */
enum { TAREI_CHECK_FARTHEST = 64 };

typedef struct tarei_check_value {
  const char *name;
  int producer;                      /* node, or -1 */
  const Onnx__TensorProto *constant; /* or NULL */
  int first_use, n_uses;             /* in tarei_check.uses */
  bool is_output;                    /* of the model or of a subgraph */
} tarei_check_value;

typedef struct tarei_check_use {
  int node, input;
} tarei_check_use;

/* A QuantizeLinear or DequantizeLinear. */
typedef struct tarei_quantizer {
  int node;
  bool restores; /* a DequantizeLinear */
  int type;      /* of the integers, as ONNX numbers it */
  const double *scales /* n_scales of them; NULL: known at run time only */;
  const double *zeros; /* n_zeros of them; NULL: 0, or known at run time only */
  int64_t n_scales, n_zeros;
  int64_t axis;
  bool blocked;  /* a scale for each block */
  int real;      /* type of the scales */
  int zero_type; /* of the zero point, 0 where there is none */
} tarei_quantizer;

/* A convolution or matrix product. */
typedef struct tarei_checked_layer {
  int node;
  bool int8;
  tare_severity severity; /* of not being int8 */
  tarei_str reason;       /* why it is not int8 */
} tarei_checked_layer;

typedef struct tarei_finding {
  const char *rule, *node, *op, *advice; /* rule and advice are static */
  tare_severity severity;
  tarei_str text;
} tarei_finding;

typedef struct tare_check {
  tarei_onnx_file file;
  const tarei_target *target;
  const Onnx__NodeProto **nodes;
  int *quantizer_of; /* per node: its number, or -1 */
  int n_nodes;
  tarei_check_value *values;
  int n_values;
  tarei_names names; /* of values */
  tarei_check_use *uses;
  tarei_quantizer *quantizers;
  int n_quantizers;
  tarei_checked_layer *layers;
  int n_layers;
  size_t cap_layers;
  const char *rule; /* that is running */
  tarei_finding *findings;
  int n_findings;
  size_t cap_findings;
  bool failed; /* memory ran out */
} tarei_check;

/* A rule: reads the index, adds findings. */
typedef struct tarei_check_rule {
  const char *name;
  void (*run)(tarei_check *check);
} tarei_check_rule;

#define TAREI_CHECK_RULE(id) extern const tarei_check_rule tarei_check_##id;
#include "graph/check/rules.inc"
#undef TAREI_CHECK_RULE

/* Adds a finding about a node. */
void tarei_check_add(tarei_check *check, tare_severity severity, int node, const char *advice,
                     const char *fmt, ...) TAREI_PRINTF(5, 6);

/* --- the index ------------------------------------------------------------------------------- */

/* Fills nodes, values and uses from the file. */
tare_status tarei_check_index(tarei_check *check, const tare_limits *limits, tare_error *err);
void tarei_check_index_fini(tarei_check *check);

/* Input or output i of a node as a value, -1 where it is absent. */
int tarei_check_input(const tarei_check *check, int node, size_t i);
int tarei_check_output(const tarei_check *check, int node, size_t i);
/* Node that makes input i of a node, -1 where there is none. */
int tarei_check_producer(const tarei_check *check, int node, size_t i);

const char *tarei_check_op(const tarei_check *check, int node);
/* Its name, or that of its first output. */
const char *tarei_check_name(const tarei_check *check, int node);
bool tarei_check_is(const tarei_check *check, int node, const char *op);
/* Whether the operator is one of a list that ends with NULL. */
bool tarei_check_is_any(const tarei_check *check, int node, const char *const *ops);
/* Operators that Q and DQ may be moved across: they only move values. */
bool tarei_check_moves(const tarei_check *check, int node);
/* Operators that bound values, integers too: narrow ranges stand between Q and DQ. */
bool tarei_check_bounds(const tarei_check *check, int node);
/* Operators that take integers: the quantized forms, and those that only move values. */
bool tarei_check_takes_integers(const tarei_check *check, int node);

/* --- Q and DQ -------------------------------------------------------------------------------- */

/* Reads the parameters of all QuantizeLinear and DequantizeLinear. TARE_E_MODEL where a scale or
 * zero point has not the data that its dims need. */
tare_status tarei_check_quantizers(tarei_check *check, tare_error *err);
void tarei_check_quantizers_fini(tarei_check *check);

/* The quantizer of a node, or NULL. */
const tarei_quantizer *tarei_check_quantizer(const tarei_check *check, int node);
/* The DequantizeLinear that input i of a node comes from, operators between that only move values;
 * or NULL. */
const tarei_quantizer *tarei_check_restored(const tarei_check *check, int node, size_t i);
/* The constant that a DequantizeLinear reads, with the QuantizeLinear of a float constant skipped;
 * or NULL. */
const Onnx__TensorProto *tarei_check_stored(const tarei_check *check, const tarei_quantizer *q);
/* Whether both have the same scales, zero points and type. */
bool tarei_check_same(const tarei_quantizer *a, const tarei_quantizer *b);
/* Whether it is the DequantizeLinear of a pair with equal parameters: findings name the other one.
 */
bool tarei_check_repeats(const tarei_check *check, const tarei_quantizer *q);
/* Whether all zero points are 0. */
bool tarei_check_zero_is_0(const tarei_quantizer *q);
/* Whether each scale is a number that can be divided by. */
bool tarei_check_scales_usable(const tarei_quantizer *q);
/* "int8"; of types that tare does not know, "type 22". */
const char *tarei_check_type_name(int type);
bool tarei_check_is_16_bits(int type);
/* The type is one of bytes that the target multiplies. */
bool tarei_check_is_byte(const tarei_check *check, int type);

/* --- layers ---------------------------------------------------------------------------------- */

/* Decides for each layer whether it will run in int8. */
tare_status tarei_check_layers(tarei_check *check, tare_error *err);
void tarei_check_layers_fini(tarei_check *check);
/* Axis of constant weights along which each output has its own scale; -1: unknown. */
int64_t tarei_check_output_axis(const tarei_check *check, int node, const Onnx__TensorProto *w);
/* Whether the node is a layer that runs in int8. */
bool tarei_check_is_int8(const tarei_check *check, int node);
/* Whether all that reads the output of a node is QuantizeLinear with equal parameters, behind
 * operators that only move values; *q receives one of them. */
bool tarei_check_requantized(const tarei_check *check, int node, const tarei_quantizer **q);

#endif
