/* Parameters of QuantizeLinear and DequantizeLinear. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "graph/check/check.h"
#include "graph/qdq/place.h"

/* --- numbers ---------------------------------------------------------------------------------- */

static double number_in_bytes(const uint8_t *const bytes, const tare_dtype type, const size_t i) {
  const uint8_t *const at = bytes + i * tare_dtype_size(type);
  uint16_t half;
  int32_t word;
  double wide;
  memcpy(&half, at, tare_dtype_size(type) >= sizeof half ? sizeof half : 1);
  switch (type) {
    case TARE_F32:
      memcpy(&word, at, sizeof word);
      return tarei_bits_to_float((uint32_t)word);
    case TARE_F64:
      memcpy(&wide, at, sizeof wide);
      return wide;
    case TARE_F16:
      return tarei_f16_to_float(half);
    case TARE_BF16:
      return tarei_bf16_to_float(half);
    case TARE_I16:
      return (int16_t)half;
    case TARE_U16:
      return half;
    case TARE_I32:
      memcpy(&word, at, sizeof word);
      return word;
    case TARE_I8:
      return (int8_t)*at;
    default:
      return *at;
  }
}

static double number_in_words(const int32_t word, const tare_dtype type) {
  return type == TARE_F16    ? tarei_f16_to_float((uint16_t)word)
         : type == TARE_BF16 ? tarei_bf16_to_float((uint16_t)word)
                             : word;
}

static bool type_is_readable(const tare_dtype type) {
  static const tare_dtype READABLE[] = {TARE_F32, TARE_F64, TARE_F16, TARE_BF16, TARE_I8,
                                        TARE_U8,  TARE_I16, TARE_U16, TARE_I32};
  for (size_t i = 0; i < sizeof READABLE / sizeof *READABLE; i++) {
    if (READABLE[i] == type) {
      return true;
    }
  }
  return false;
}

/* Elements by the dims; SIZE_MAX where they make no sense. */
static size_t elements_by_dims(const Onnx__TensorProto *const t) {
  size_t n = 1;
  for (size_t d = 0; d < t->n_dims; d++) {
    n = t->dims[d] < 0 ? SIZE_MAX : tarei_times(n, (size_t)t->dims[d]);
  }
  return n;
}

/* Whether the tensor has data for n elements. */
static bool has_elements(const Onnx__TensorProto *const t, const tare_dtype type, const size_t n) {
  if (t->has_raw_data) {
    return t->raw_data.len == tarei_times(n, tare_dtype_size(type));
  }
  return n == (type == TARE_F32   ? t->n_float_data
               : type == TARE_F64 ? t->n_double_data
                                  : t->n_int32_data);
}

static tare_status read_numbers(const Onnx__TensorProto *const t, const double **const out,
                                int64_t *const n_out, tare_error *const err) {
  const tare_dtype type = (tare_dtype)t->data_type;
  if (!type_is_readable(type)) {
    return TARE_OK; /* the rules about types name it */
  }
  const size_t n = elements_by_dims(t);
  if (n == SIZE_MAX || !has_elements(t, type, n)) {
    return tarei_fail(err, TARE_E_MODEL, "the data of tensor '%s' does not match its dims and type",
                      tarei_onnx_text(t->name));
  }
  double *const numbers = tarei_calloc(n, sizeof *numbers);
  if (!numbers) {
    return tarei_fail_memory(err, tarei_onnx_text(t->name), n);
  }
  for (size_t i = 0; i < n; i++) {
    numbers[i] = t->has_raw_data    ? number_in_bytes(t->raw_data.data, type, i)
                 : type == TARE_F32 ? t->float_data[i]
                 : type == TARE_F64 ? t->double_data[i]
                                    : number_in_words(t->int32_data[i], type);
  }
  *out = numbers;
  *n_out = (int64_t)n;
  return TARE_OK;
}

/* --- one of them ------------------------------------------------------------------------------ */

static const Onnx__TensorProto *constant_input(const tarei_check *const c, const int node,
                                               const size_t i) {
  const int value = tarei_check_input(c, node, i);
  return value < 0 ? NULL : c->values[value].constant;
}

static int stated_type(const tarei_check *const c, const tarei_quantizer *const q) {
  const Onnx__TensorProto *const zero = constant_input(c, q->node, 2);
  const Onnx__TensorProto *const data = q->restores ? constant_input(c, q->node, 0) : NULL;
  const int64_t asked = q->restores ? 0 : tarei_onnx_attr_int(c->nodes[q->node], "output_dtype", 0);
  return zero ? zero->data_type : data ? data->data_type : (int)asked;
}

/* The type by the nodes before: bytes keep it until the QuantizeLinear that made them. */
static int integers_by_maker(const tarei_check *const c, const tarei_quantizer *const q) {
  int node = q->node;
  for (int steps = 0; steps < TAREI_CHECK_FARTHEST; steps++) {
    node = tarei_check_producer(c, node, 0);
    const tarei_quantizer *const maker = node < 0 ? NULL : tarei_check_quantizer(c, node);
    if (maker && !maker->restores) {
      return maker->type;
    }
    if (node < 0 || !(tarei_check_moves(c, node) || tarei_check_bounds(c, node))) {
      break;
    }
  }
  return TARE_U8; /* the default of ONNX */
}

static tare_status read_quantizer(const tarei_check *const c, tarei_quantizer *const q,
                                  tare_error *const err) {
  const Onnx__NodeProto *const node = c->nodes[q->node];
  const Onnx__TensorProto *const scale = constant_input(c, q->node, 1);
  const Onnx__TensorProto *const zero = constant_input(c, q->node, 2);
  q->axis = tarei_onnx_attr_int(node, "axis", 1);
  q->blocked = tarei_onnx_attr_int(node, "block_size", 0) != 0;
  q->type = stated_type(c, q);
  q->real = scale ? scale->data_type : 0;
  q->zero_type = zero ? zero->data_type : 0;
  TAREI_TRY(scale ? read_numbers(scale, &q->scales, &q->n_scales, err) : TARE_OK);
  return zero ? read_numbers(zero, &q->zeros, &q->n_zeros, err) : TARE_OK;
}

static bool restores(const tarei_check *const c, const int node) {
  return tarei_check_is(c, node, "DequantizeLinear");
}

tare_status tarei_check_quantizers(tarei_check *const c, tare_error *const err) {
  for (int n = 0; n < c->n_nodes; n++) {
    const bool is = restores(c, n) || tarei_check_is(c, n, "QuantizeLinear");
    c->quantizer_of[n] = is ? c->n_quantizers++ : -1;
  }
  c->quantizers = tarei_calloc((size_t)c->n_quantizers, sizeof *c->quantizers);
  if (!c->quantizers) {
    return tarei_fail_memory(err, "quantizers", (size_t)c->n_quantizers);
  }
  for (int n = 0; n < c->n_nodes; n++) {
    if (c->quantizer_of[n] >= 0) {
      tarei_quantizer *const q = &c->quantizers[c->quantizer_of[n]];
      *q = (tarei_quantizer){.node = n, .restores = restores(c, n)};
      const tare_status status = read_quantizer(c, q, err);
      if (status != TARE_OK) {
        return tarei_fail_in(err, status, "node '%s' (%s)", tarei_check_name(c, n),
                             tarei_check_op(c, n));
      }
      q->type = q->type ? q->type : q->restores ? 0 : TARE_U8;
    }
  }
  for (int i = 0; i < c->n_quantizers; i++) {
    tarei_quantizer *const q = &c->quantizers[i];
    q->type = q->type ? q->type : integers_by_maker(c, q);
  }
  return TARE_OK;
}

void tarei_check_quantizers_fini(tarei_check *const c) {
  for (int i = 0; c->quantizers && i < c->n_quantizers; i++) {
    free((void *)c->quantizers[i].scales);
    free((void *)c->quantizers[i].zeros);
  }
  free(c->quantizers);
}

/* --- questions -------------------------------------------------------------------------------- */

const tarei_quantizer *tarei_check_quantizer(const tarei_check *const c, const int node) {
  const int i = node < 0 ? -1 : c->quantizer_of[node];
  return i < 0 ? NULL : &c->quantizers[i];
}

const tarei_quantizer *tarei_check_restored(const tarei_check *const c, const int node,
                                            const size_t i) {
  int maker = tarei_check_producer(c, node, i);
  for (int steps = 0; maker >= 0 && steps < TAREI_CHECK_FARTHEST; steps++) {
    const tarei_quantizer *const q = tarei_check_quantizer(c, maker);
    if (q) {
      return q->restores ? q : NULL;
    }
    if (!tarei_check_moves(c, maker)) {
      return NULL;
    }
    maker = tarei_check_producer(c, maker, 0);
  }
  return NULL;
}

const Onnx__TensorProto *tarei_check_stored(const tarei_check *const c,
                                            const tarei_quantizer *const q) {
  int reader = q->node;
  int maker = tarei_check_producer(c, reader, 0);
  for (int steps = 0; maker >= 0 && steps < TAREI_CHECK_FARTHEST &&
                      (tarei_check_bounds(c, maker) || tarei_check_is(c, maker, "Identity"));
       steps++) {
    reader = maker;
    maker = tarei_check_producer(c, reader, 0);
  }
  const Onnx__TensorProto *const stored = constant_input(c, reader, 0);
  const tarei_quantizer *const before = stored ? NULL : tarei_check_quantizer(c, maker);
  return before && !before->restores ? constant_input(c, before->node, 0) : stored;
}

static bool same_numbers(const double *const a, const int64_t n, const double *const b,
                         const int64_t m) {
  return n == m && (!a) == (!b) && (!a || memcmp(a, b, (size_t)n * sizeof *a) == 0);
}

bool tarei_check_same(const tarei_quantizer *const a, const tarei_quantizer *const b) {
  const bool zeros = (tarei_check_zero_is_0(a) && tarei_check_zero_is_0(b)) ||
                     same_numbers(a->zeros, a->n_zeros, b->zeros, b->n_zeros);
  return zeros && a->type == b->type &&
         same_numbers(a->scales, a->n_scales, b->scales, b->n_scales);
}

bool tarei_check_repeats(const tarei_check *const c, const tarei_quantizer *const q) {
  const tarei_quantizer *const before =
      q->restores ? tarei_check_quantizer(c, tarei_check_producer(c, q->node, 0)) : NULL;
  return before && !before->restores && tarei_check_same(before, q);
}

bool tarei_check_zero_is_0(const tarei_quantizer *const q) {
  for (int64_t i = 0; i < q->n_zeros; i++) {
    if (q->zeros[i] != 0) {
      return false;
    }
  }
  return true;
}

bool tarei_check_scales_usable(const tarei_quantizer *const q) {
  for (int64_t i = 0; i < q->n_scales; i++) {
    const bool subnormal = q->scales[i] < FLT_MIN; /* float16 has none that small */
    if (!isfinite(q->scales[i]) || subnormal) {
      return false;
    }
  }
  return true;
}

const char *tarei_check_type_name(const int type) {
  enum { FLOAT8_FIRST = 17, UINT4 = 21, INT4 = 22 };
  const bool known = type > 0 && tare_dtype_size((tare_dtype)type) > 0;
  return known                                  ? tare_dtype_name((tare_dtype)type)
         : type == UINT4                        ? "uint4"
         : type == INT4                         ? "int4"
         : type >= FLOAT8_FIRST && type < UINT4 ? "float8"
                                                : "another type";
}

bool tarei_check_is_16_bits(const int type) {
  return type == TARE_I16 || type == TARE_U16;
}

bool tarei_check_is_byte(const tarei_check *const c, const int type) {
  return type == TARE_I8 || (type == TARE_U8 && !c->target->symmetric);
}
