/* Scatter, ScatterElements and ScatterND: a copy of the data, then one update after another, in the
 * order they stand. */
#include <string.h>

#include "engine/lower/move/elements.h"
#include "engine/lower/move/indices.h"
#include "engine/lower/operands.h"

/* Combines n updates with what stands at `to`. */
typedef void (*combine_fn)(void *to, const void *from, size_t n);

/* Integers wrap around: they are added and multiplied without sign. */
#define COMBINE(name, type, wide, what, expression)                                   \
  static void name##_##what(void *const to, const void *const from, const size_t n) { \
    for (size_t i = 0; i < n; i++) {                                                  \
      const type a = ((const type *)to)[i], b = ((const type *)from)[i];              \
      ((type *)to)[i] = (type)(expression);                                           \
    }                                                                                 \
  }
#define COMBINES(name, type, wide)                  \
  COMBINE(name, type, wide, add, (wide)a + (wide)b) \
  COMBINE(name, type, wide, mul, (wide)a *(wide)b)  \
  COMBINE(name, type, wide, max, a < b ? b : a)     \
  COMBINE(name, type, wide, min, b < a ? b : a)
COMBINES(f32, float, float)
COMBINES(f64, double, double)
COMBINES(u8, uint8_t, uint64_t)
COMBINES(i8, int8_t, uint64_t)
COMBINES(u16, uint16_t, uint64_t)
COMBINES(i16, int16_t, uint64_t)
COMBINES(u32, uint32_t, uint64_t)
COMBINES(i32, int32_t, uint64_t)
COMBINES(u64, uint64_t, uint64_t)
COMBINES(i64, int64_t, uint64_t)
COMBINE(bool, uint8_t, uint8_t, or, a || b)
COMBINE(bool, uint8_t, uint8_t, and, a &&b)

#define ROW(name) \
  { name##_add, name##_mul, name##_max, name##_min }

/* NULL: plain copies. *known is false where the type is not combined. */
static combine_fn combine_of(const tarei_step *const step, const tare_dtype dtype,
                             bool *const known) {
  static const char *const names[] = {"add", "mul", "max", "min"};
  static const combine_fn table[][4] = {
      [TARE_F32] = ROW(f32), [TARE_U8] = ROW(u8),
      [TARE_I8] = ROW(i8),   [TARE_U16] = ROW(u16),
      [TARE_I16] = ROW(i16), [TARE_I32] = ROW(i32),
      [TARE_I64] = ROW(i64), [TARE_F64] = ROW(f64),
      [TARE_U32] = ROW(u32), [TARE_U64] = ROW(u64),
      [TARE_BF16] = {NULL},  [TARE_BOOL] = {bool_or, bool_and, bool_or, bool_and},
  };
  const char *const reduction = tarei_attr_string(step->node, "reduction", "none");
  *known = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(reduction, names[i]) == 0) {
      *known = table[dtype][i] != NULL;
      return table[dtype][i];
    }
  }
  return NULL;
}

static tare_status scatter_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  bool known;
  TAREI_TRY(tarei_want_indices(step, blobs, err));
  (void)combine_of(step, dtype, &known);
  return known ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static void scatter_apply(const combine_fn combine, void *const to, const void *const from,
                          const size_t n, const size_t element) {
  if (combine) {
    combine(to, from, n);
  } else {
    memcpy(to, from, n * element);
  }
}

static void copy_data(const tarei_run *const r) {
  memcpy(r->out[0]->data, r->in[0]->data,
         (size_t)tare_tensor_count(r->in[0]) * tare_dtype_size(r->in[0]->dtype));
}

static tare_status run_elements(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const indices = r->in[1];
  const int64_t given = tarei_attr_int(step->node, "axis", 0), n = tare_tensor_count(indices);
  const int axis = (int)(given < 0 ? given + x->rank : given);
  const size_t element = tare_dtype_size(x->dtype);
  bool known;
  const combine_fn combine = combine_of(step, x->dtype, &known);
  for (int d = 0; d < x->rank; d++) {
    TAREI_TRY(tarei_want_dim(step, r, 2, d, indices->dims[d], err));
    if (d != axis && indices->dims[d] > x->dims[d]) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "axis %d of the indices has length %lld, that of the data %lld", d,
                        (long long)indices->dims[d], (long long)x->dims[d]);
    }
  }
  TAREI_TRY(tarei_check_indices(step, r, 0, 1, axis, x->dims[axis], err));
  copy_data(r);
  for (int64_t i = 0; i < n; i++) {
    int64_t to = 0, stride = 1, rest = i;
    for (int d = x->rank - 1; d >= 0; d--) {
      to += stride * (d == axis ? tarei_position(indices, i, x->dims[d]) : rest % indices->dims[d]);
      rest /= indices->dims[d];
      stride *= x->dims[d];
    }
    scatter_apply(combine, (char *)r->out[0]->data + (size_t)to * element,
                  (const char *)r->in[2]->data + (size_t)i * element, 1, element);
  }
  return TARE_OK;
}

static tare_status run_nd(const tarei_step *const step, const tarei_run *const r,
                          tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const indices = r->in[1];
  const int last = indices->rank - 1, length = (int)indices->dims[last];
  const size_t element = tare_dtype_size(x->dtype);
  bool known;
  const combine_fn combine = combine_of(step, x->dtype, &known);
  int64_t slice = 1, n = 1;
  for (int d = 0; d < last; d++) {
    TAREI_TRY(tarei_want_dim(step, r, 2, d, indices->dims[d], err));
    n *= indices->dims[d];
  }
  for (int d = length; d < x->rank; d++) {
    TAREI_TRY(tarei_want_dim(step, r, 2, last + d - length, x->dims[d], err));
    slice *= x->dims[d];
  }
  for (int d = 0; d < length; d++) {
    TAREI_TRY(tarei_check_indices(step, r, d, length, d, x->dims[d], err));
  }
  copy_data(r);
  for (int64_t i = 0; i < n; i++) {
    int64_t to = 0;
    for (int d = 0; d < length; d++) {
      to = to * x->dims[d] + tarei_position(indices, i * length + d, x->dims[d]);
    }
    scatter_apply(combine, (char *)r->out[0]->data + (size_t)(to * slice) * element,
                  (const char *)r->in[2]->data + (size_t)(i * slice) * element, (size_t)slice,
                  element);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_scatter = {.prepare = scatter_prepare, .run = run_elements};
const tarei_lowering tarei_lower_scatter_elements = {.prepare = scatter_prepare,
                                                     .run = run_elements};
const tarei_lowering tarei_lower_scatter_nd = {.prepare = scatter_prepare, .run = run_nd};
