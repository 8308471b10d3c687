/* Scatter, ScatterElements and ScatterND: a copy of the data, unless the output is written over
 * them, then one update after another, in the order they stand. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/move/axis_rows.h"
#include "engine/lower/move/elements.h"
#include "engine/lower/move/indices.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

#define LEAST ((size_t)1 << 15) /* elements that are worth a range */
#define SLICE 4096              /* elements of a slice that threads divide */

/* Combines n updates with what stands at `to`, side by side or where `places` say, in their order.
 */
typedef void combine_fn(void *to, const void *from, size_t n);
typedef void combine_at_fn(void *to, const int64_t *places, const void *from, size_t n);
typedef struct scatter_combine {
  combine_fn *beside;
  combine_at_fn *at;
} scatter_combine;

/* Integers wrap around: they are added and multiplied without sign. */
#define COMBINE(name, type, wide, what, expression)                                   \
  static void name##_##what(void *const to, const void *const from, const size_t n) { \
    for (size_t i = 0; i < n; i++) {                                                  \
      const type a = ((const type *)to)[i], b = ((const type *)from)[i];              \
      ((type *)to)[i] = (type)(expression);                                           \
    }                                                                                 \
  }                                                                                   \
  static void name##_##what##_at(void *const to, const int64_t *const places,         \
                                 const void *const from, const size_t n) {            \
    for (size_t i = 0; i < n; i++) {                                                  \
      type *const place = (type *)to + places[i];                                     \
      const type a = *place, b = ((const type *)from)[i];                             \
      *place = (type)(expression);                                                    \
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

#define BOTH(name) \
  { name, name##_at }
#define ROW(name) \
  { BOTH(name##_add), BOTH(name##_mul), BOTH(name##_max), BOTH(name##_min) }

/* NULL: plain copies. *known is false where the type is not combined. */
static const scatter_combine *combine_of(const tarei_step *const step, const tare_dtype dtype,
                                         bool *const known) {
  static const char *const names[] = {"add", "mul", "max", "min"};
  static const scatter_combine table[][4] = {
      [TARE_F32] = ROW(f32),
      [TARE_U8] = ROW(u8),
      [TARE_I8] = ROW(i8),
      [TARE_U16] = ROW(u16),
      [TARE_I16] = ROW(i16),
      [TARE_I32] = ROW(i32),
      [TARE_I64] = ROW(i64),
      [TARE_F64] = ROW(f64),
      [TARE_U32] = ROW(u32),
      [TARE_U64] = ROW(u64),
      [TARE_BF16] = {{NULL}},
      [TARE_BOOL] = {BOTH(bool_or), BOTH(bool_and), BOTH(bool_or), BOTH(bool_and)},
  };
  const char *const reduction = tarei_attr_string(step->node, "reduction", "none");
  *known = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(reduction, names[i]) == 0) {
      *known = table[dtype][i].at != NULL;
      return &table[dtype][i];
    }
  }
  return NULL;
}

/* Constant tuples of ScatterND that name the elements of a box, in their order: an assignment to a
 * slice. Rows are copied then, and no index is looked at again. */
typedef struct scatter_box {
  int n; /* axes of a tuple; 0: no box */
  int64_t first[TARE_MAX_RANK], size[TARE_MAX_RANK];
} scatter_box;

static bool box_corners(const tare_tensor *const indices, const int64_t tuples,
                        scatter_box *const box) {
  int64_t count = 1;
  for (int d = 0; d < box->n; d++) {
    const int64_t low = tarei_index_at(indices, d);
    const int64_t high = tarei_index_at(indices, (tuples - 1) * box->n + d);
    if (low < 0 || high < low || high == INT64_MAX ||
        !tarei_mul_i64(count, high - low + 1, &count)) {
      return false;
    }
    box->first[d] = low;
    box->size[d] = high - low + 1;
  }
  return count == tuples;
}

static bool is_box(const tare_tensor *const indices, const int64_t tuples,
                   const scatter_box *const box) {
  for (int64_t i = 0; i < tuples; i++) {
    int64_t rest = i;
    for (int d = box->n - 1; d >= 0; d--) {
      if (tarei_index_at(indices, i * box->n + d) != box->first[d] + rest % box->size[d]) {
        return false;
      }
      rest /= box->size[d];
    }
  }
  return true;
}

static void find_box(const tarei_step *const step, scatter_box *const box) {
  const tarei_value *const value = &step->graph->values[step->node->in[1]];
  tare_tensor indices = {.dtype = value->dtype, .rank = value->rank};
  for (int d = 0; value->data && d < value->rank; d++) {
    (void)tarei_expr_is_const(step->graph->exprs, value->dims[d], &indices.dims[d]);
  }
  indices.data = value->data ? value->data->data : NULL;
  const int64_t n = indices.data ? tare_tensor_count(&indices) : 0;
  const int64_t length = indices.rank ? indices.dims[indices.rank - 1] : 0;
  if (n == 0 || length < 1 || length > TARE_MAX_RANK) {
    return;
  }
  box->n = (int)length;
  if (!box_corners(&indices, n / length, box) || !is_box(&indices, n / length, box)) {
    box->n = 0;
  }
}

static tare_status scatter_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  bool known;
  TAREI_TRY(tarei_want_indices(step, blobs, err));
  (void)combine_of(step, dtype, &known);
  return known ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status nd_prepare(tarei_step *const step, tarei_blobs *const blobs,
                              tare_error *const err) {
  TAREI_TRY(scatter_prepare(step, blobs, err));
  find_box(step, step->state);
  return TARE_OK;
}

static void scatter_apply(const scatter_combine *const combine, void *const to,
                          const void *const from, const size_t n, const size_t element) {
  if (combine) {
    combine->beside(to, from, n);
  } else {
    memcpy(to, from, n * element);
  }
}

static void copy_data(const tarei_run *const r) {
  if (r->out[0]->data != r->in[0]->data) {
    tarei_copy(r, r->out[0]->data, r->in[0]->data,
               (size_t)tare_tensor_count(r->in[0]) * tare_dtype_size(r->in[0]->dtype));
  }
}

/* Updates row by row along the last axis. */
typedef struct elements_job {
  tarei_axis_rows rows;
  const tarei_kernels *kernels;
  const char *from;
  char *out;
  const scatter_combine *combine;
  size_t element;
} elements_job;

static void scatter_row(const elements_job *const j, const tarei_axis_row row) {
  int64_t places[TAREI_AXIS_PART];
  const int64_t n = j->rows.n;
  for (int64_t at = 0, m; at < n; at += m) {
    m = n - at < TAREI_AXIS_PART ? n - at : TAREI_AXIS_PART;
    char *const to = j->out + (size_t)(row.from + at * j->rows.placing.beside) * j->element;
    const char *const from = j->from + (size_t)(row.at + at) * j->element;
    (void)tarei_axis_row_places(&j->rows, j->kernels, row, at, m, places); /* they are checked */
    if (j->combine) {
      j->combine->at(to, places, from, (size_t)m);
    } else {
      TAREI_BY_SIZE(
          j->element,
          for (int64_t i = 0; i < m; i++) { ((type *)to)[places[i]] = ((const type *)from)[i]; })
    }
  }
}

static tare_status run_elements(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const indices = r->in[1];
  const int64_t given = tarei_attr_int(step->node, "axis", 0);
  const int axis = (int)(given < 0 ? given + x->rank : given);
  bool known;
  elements_job j = {.kernels = r->kernels,
                    .from = r->in[2]->data,
                    .out = r->out[0]->data,
                    .combine = combine_of(step, x->dtype, &known),
                    .element = tare_dtype_size(x->dtype)};
  for (int d = 0; d < x->rank; d++) {
    TAREI_TRY(tarei_want_dim(step, r, 2, d, indices->dims[d], err));
  }
  TAREI_TRY(tarei_axis_rows_read(x, indices, axis, &j.rows, err));
  TAREI_TRY(tarei_check_indices(step, r, 0, 1, axis, x->dims[axis], err));
  copy_data(r);
  for (int64_t row = 0; row < j.rows.rows; row++) {
    scatter_row(&j, tarei_axis_row_of(&j.rows, (size_t)row));
  }
  return TARE_OK;
}

/* Slices of so many elements, each where a tuple says. */
typedef struct nd_job {
  const tarei_run *run;
  const scatter_box *box;
  const scatter_combine *combine;
  size_t element, slice;
  int64_t tuples;
  int length;
} nd_job;

static int64_t scatter_place(const nd_job *const j, const int64_t tuple) {
  const tare_tensor *const x = j->run->in[0];
  int64_t to = 0;
  for (int d = 0; d < j->length; d++) {
    to = to * x->dims[d] + tarei_position(j->run->in[1], tuple * j->length + d, x->dims[d]);
  }
  return to;
}

/* Elements [first, end) of all slices: each thread writes its part of them in the order of the
 * tuples. */
static void slice_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const nd_job *const j = user;
  char *const out = j->run->out[0]->data;
  const char *const from = j->run->in[2]->data;
  for (int64_t i = 0; i < j->tuples; i++) {
    const size_t to = (size_t)scatter_place(j, i) * j->slice + first;
    const size_t at = (size_t)i * j->slice + first;
    scatter_apply(j->combine, out + to * j->element, from + at * j->element, end - first,
                  j->element);
  }
}

static void copy_elements(const nd_job *const j) {
  TAREI_BY_SIZE(
      j->element, for (int64_t i = 0; i < j->tuples; i++) {
        ((type *)j->run->out[0]->data)[scatter_place(j, i)] =
            ((const type *)j->run->in[2]->data)[i];
      })
}

static void write_slices(const nd_job *const j) {
  if (j->slice == 1 && !j->combine) {
    copy_elements(j);
  } else if (j->slice >= SLICE) {
    tarei_row_ranges(j->run, j->slice, (size_t)j->tuples, LEAST, slice_range, j);
  } else {
    slice_range(j, 0, j->slice, 0);
  }
}

/* Elements of the box that lie together in the data. */
static size_t box_run(const nd_job *const j, int *const outer) {
  size_t run = j->slice;
  *outer = j->box->n;
  while (*outer > 0) {
    const int d = --*outer;
    run *= (size_t)j->box->size[d];
    if (j->box->size[d] != j->run->in[0]->dims[d]) {
      break;
    }
  }
  return run;
}

static void box_range(const void *const user, const size_t first, const size_t end,
                      const int thread) {
  (void)thread;
  const nd_job *const j = user;
  const tare_tensor *const x = j->run->in[0];
  int outer;
  const size_t run = box_run(j, &outer);
  for (size_t i = first; i < end; i++) {
    size_t rest = i, to = 0, stride = j->slice;
    for (int d = j->box->n - 1; d >= 0; d--) {
      const size_t size = d < outer ? (size_t)j->box->size[d] : 1;
      to += ((size_t)j->box->first[d] + rest % size) * stride;
      rest /= size;
      stride *= (size_t)x->dims[d];
    }
    scatter_apply(j->combine, (char *)j->run->out[0]->data + to * j->element,
                  (const char *)j->run->in[2]->data + i * run * j->element, run, j->element);
  }
}

static bool box_fits(const scatter_box *const box, const tare_tensor *const x) {
  for (int d = 0; d < box->n; d++) {
    if (box->first[d] + box->size[d] > x->dims[d]) {
      return false;
    }
  }
  return box->n > 0;
}

static tare_status check_updates(const tarei_step *const step, const tarei_run *const r,
                                 tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const indices = r->in[1];
  const int last = indices->rank - 1, length = (int)indices->dims[last];
  for (int d = 0; d < last; d++) {
    TAREI_TRY(tarei_want_dim(step, r, 2, d, indices->dims[d], err));
  }
  for (int d = length; d < x->rank; d++) {
    TAREI_TRY(tarei_want_dim(step, r, 2, last + d - length, x->dims[d], err));
  }
  return TARE_OK;
}

static tare_status run_nd(const tarei_step *const step, const tarei_run *const r,
                          tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const indices = r->in[1];
  const int last = indices->rank - 1, length = (int)indices->dims[last];
  bool known;
  nd_job j = {.run = r,
              .box = step->state,
              .combine = combine_of(step, x->dtype, &known),
              .element = tare_dtype_size(x->dtype),
              .slice = 1,
              .tuples = 1,
              .length = length};
  TAREI_TRY(check_updates(step, r, err));
  for (int d = 0; d < last; d++) {
    j.tuples *= indices->dims[d];
  }
  for (int d = length; d < x->rank; d++) {
    j.slice *= (size_t)x->dims[d];
  }
  if (box_fits(j.box, x)) {
    int outer;
    const size_t run = box_run(&j, &outer), all = (size_t)j.tuples * j.slice;
    if (j.combine || all != (size_t)tare_tensor_count(x)) {
      copy_data(r);
    }
    tarei_row_ranges(r, run ? all / run : 0, run, LEAST, box_range, &j);
    return TARE_OK;
  }
  for (int d = 0; d < length; d++) {
    TAREI_TRY(tarei_check_indices(step, r, d, length, d, x->dims[d], err));
  }
  copy_data(r);
  write_slices(&j);
  return TARE_OK;
}

static bool scatter_overwrites(const tarei_step *const step, const int input) {
  (void)step;
  return input == 0;
}

const tarei_lowering tarei_lower_scatter = {
    .prepare = scatter_prepare, .run = run_elements, .overwrites = scatter_overwrites};
const tarei_lowering tarei_lower_scatter_elements = {
    .prepare = scatter_prepare, .run = run_elements, .overwrites = scatter_overwrites};
const tarei_lowering tarei_lower_scatter_nd = {.state_bytes = sizeof(scatter_box),
                                               .prepare = nd_prepare,
                                               .run = run_nd,
                                               .overwrites = scatter_overwrites};
