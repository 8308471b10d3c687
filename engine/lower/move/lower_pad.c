/* Pad of any element type. Negative amounts cut elements away. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/move/elements.h"
#include "engine/lower/numbers.h"
#include "engine/lower/measured.h"
#include "engine/threads.h"

typedef enum mode { CONSTANT, EDGE, REFLECT, WRAP } mode;

typedef struct padding {
  mode mode;
  int64_t begin[TARE_MAX_RANK];
  int64_t first[TARE_MAX_RANK], kept[TARE_MAX_RANK]; /* what negative amounts leave of the input */
  const tare_tensor *x, *out;
  size_t element;
  int last;                   /* axis behind which nothing is padded */
  size_t block;               /* elements of all axes behind it, which move together */
  char fill[sizeof(int64_t)]; /* one element */
} padding;

static mode mode_of(const tarei_node *const node) {
  const char *const name = tarei_attr_string(node, "mode", "constant");
  return strcmp(name, "edge") == 0      ? EDGE
         : strcmp(name, "reflect") == 0 ? REFLECT
         : strcmp(name, "wrap") == 0    ? WRAP
                                        : CONSTANT;
}

/* Element of an axis of `size` that stands at `at` beside or on it, or -1 for the fill value. */
static int64_t pad_reach(const mode m, const int64_t at, const int64_t size) {
  if (at >= 0 && at < size) {
    return at;
  }
  if (m == CONSTANT || size == 0) {
    return -1;
  }
  if (m == EDGE || size == 1) {
    return at < 0 ? 0 : size - 1;
  }
  if (m == REFLECT) { /* which is longer than what is padded */
    return at < 0 ? -at : 2 * (size - 1) - at;
  }
  return (at % size + size) % size;
}

/* Element of the input's axis that stands at `at` of the output's, or -1 for the fill value. */
static int64_t source_of(const padding *const p, const int axis, const int64_t at) {
  const int64_t first = p->first[axis];
  const int64_t from = pad_reach(p->mode, at - p->begin[axis] - first, p->kept[axis]);
  return from < 0 ? -1 : from + first;
}

typedef struct amounts {
  int64_t begin[TARE_MAX_RANK], end[TARE_MAX_RANK];
} amounts;

/* Amounts may name their axes. */
static tare_status read_amounts(const tarei_step *const step, const tarei_run *const r,
                                amounts *const a, tare_error *const err) {
  const int rank = r->in[0]->rank;
  tarei_ints pads, axes;
  TAREI_TRY(tarei_read_ints(step, r, 1, "pads", &pads, err));
  TAREI_TRY(tarei_read_ints(step, r, 3, "axes", &axes, err)); /* passes move them */
  const int n = axes.n ? axes.n : rank;
  *a = (amounts){{0}, {0}};
  if (pads.n != 2 * n) {
    return tarei_fail(err, TARE_E_INPUT, "has %d pads for %d axes", pads.n, n);
  }
  for (int i = 0; i < n; i++) {
    const int64_t named = axes.n ? axes.at[i] : i;
    const int64_t axis = named < 0 ? named + rank : named;
    if (axis < 0 || axis >= rank) {
      return tarei_fail(err, TARE_E_INPUT, "axis %lld is out of range for rank %d",
                        (long long)named, rank);
    }
    a->begin[axis] = pads.at[i];
    a->end[axis] = pads.at[n + i];
  }
  return TARE_OK;
}

/* What negative amounts leave of an axis has to hold what the mode asks for. */
static tare_status lower_pad_axis(const tarei_step *const step, const amounts *const a, const int d,
                                  const int64_t size, int64_t *const out, tare_error *const err) {
  const mode m = mode_of(step->node);
  const int64_t begin = a->begin[d], end = a->end[d], more = begin > end ? begin : end;
  int64_t kept = size;
  if (!tarei_add_i64(kept, begin < 0 ? begin : 0, &kept) ||
      !tarei_add_i64(kept, end < 0 ? end : 0, &kept) || kept < 0 ||
      !tarei_add_i64(kept, begin > 0 ? begin : 0, out) ||
      !tarei_add_i64(*out, end > 0 ? end : 0, out)) {
    return tarei_fail(err, TARE_E_SHAPE, "cannot pad axis %d of length %lld by %lld and %lld", d,
                      (long long)size, (long long)begin, (long long)end);
  }
  if (m != CONSTANT && more > 0 && (m == REFLECT ? kept <= more : kept < 1)) {
    return tarei_fail(
        err, TARE_E_SHAPE, "axis %d of length %lld is too short for %lld pads in mode '%s'", d,
        (long long)kept, (long long)more, tarei_attr_string(step->node, "mode", "constant"));
  }
  return TARE_OK;
}

static tare_status read_dims(const tarei_step *const step, const tarei_run *const r,
                             amounts *const a, int64_t *const dims, tare_error *const err) {
  TAREI_TRY(read_amounts(step, r, a, err));
  for (int d = 0; d < r->in[0]->rank; d++) {
    TAREI_TRY(lower_pad_axis(step, a, d, r->in[0]->dims[d], &dims[d], err));
  }
  return TARE_OK;
}

static tare_status pad_measure(const tarei_step *const step, const tarei_run *const r,
                               int64_t *const values, tare_error *const err) {
  amounts a;
  int64_t dims[TARE_MAX_RANK];
  TAREI_TRY(read_dims(step, r, &a, dims, err));
  tarei_measured_dims(step, 0, dims, values);
  return TARE_OK;
}

/* The output's dims have to agree with the amounts. */
static tare_status plan_axes(const tarei_step *const step, const tarei_run *const r,
                             padding *const p, tare_error *const err) {
  amounts a;
  int64_t dims[TARE_MAX_RANK];
  TAREI_TRY(read_dims(step, r, &a, dims, err));
  for (int d = 0; d < p->x->rank; d++) {
    const int64_t cut = a.begin[d] < 0 ? -a.begin[d] : 0, tail = a.end[d] < 0 ? -a.end[d] : 0;
    if (dims[d] != p->out->dims[d]) {
      return tarei_fail(err, TARE_E_MODEL, "pads %lld and %lld do not give length %lld from %lld",
                        (long long)a.begin[d], (long long)a.end[d], (long long)p->out->dims[d],
                        (long long)p->x->dims[d]);
    }
    p->begin[d] = a.begin[d];
    p->first[d] = cut;
    p->kept[d] = p->x->dims[d] - cut - tail;
  }
  p->last = p->x->rank - 1;
  while (p->last > 0 && p->begin[p->last] == 0 && p->x->dims[p->last] == p->out->dims[p->last]) {
    p->block *= (size_t)p->out->dims[p->last--];
  }
  return TARE_OK;
}

/* The fill value is an attribute before opset 11, where only floats are padded. */
static void pad_read_fill(const tarei_step *const step, const tarei_run *const r,
                          padding *const p) {
  if (step->node->n_in > 2 && r->in[2] && tare_tensor_count(r->in[2]) == 1 &&
      r->in[2]->dtype == p->x->dtype) {
    memcpy(p->fill, r->in[2]->data, p->element);
  } else if (p->x->dtype == TARE_F32) {
    const float value = tarei_attr_float(step->node, "value", 0);
    memcpy(p->fill, &value, sizeof value);
  } else if (p->x->dtype == TARE_F64) {
    const double value = (double)tarei_attr_float(step->node, "value", 0);
    memcpy(p->fill, &value, sizeof value);
  }
}

/* Where a row of the output stands along the axes before the last. */
static void pad_go_to(const padding *const p, size_t row, int64_t *const at) {
  for (int d = p->last - 1; d >= 0; d--) {
    at[d] = (int64_t)(row % (size_t)p->out->dims[d]);
    row /= (size_t)p->out->dims[d];
  }
}

static void pad_go_on(const padding *const p, int64_t *const at) {
  for (int d = p->last - 1; d >= 0 && ++at[d] == p->out->dims[d]; d--) {
    at[d] = 0;
  }
}

/* Element at which the row of the input begins, or -1 where the whole row is fill. */
static int64_t pad_row_start(const padding *const p, const int64_t *const at) {
  int64_t from = 0, stride = (int64_t)p->block * p->x->dims[p->last];
  for (int d = p->last - 1; d >= 0; d--) {
    const int64_t source = source_of(p, d, at[d]);
    if (source < 0) {
      return -1;
    }
    from += source * stride;
    stride *= p->x->dims[d];
  }
  return from;
}

/* Elements [begin, end) of a row that are copies of others; `from` is that of the input. */
static void pad_copies(const padding *const p, const char *const from, const int64_t begin,
                       const int64_t end, char *const to) {
  const size_t block = p->block * p->element;
  if (p->block == 1) {
    TAREI_BY_SIZE(
        p->element, for (int64_t i = begin; i < end; i++) {
          ((type *)(void *)to)[i] = ((const type *)(const void *)from)[source_of(p, p->last, i)];
        })
    return;
  }
  for (int64_t i = begin; i < end; i++) {
    memcpy(to + (size_t)i * block, from + (size_t)source_of(p, p->last, i) * block, block);
  }
}

static void pad_row(const padding *const p, const int64_t *const at, char *const to) {
  const int last = p->last;
  const size_t block = p->block * p->element;
  const int64_t n = p->out->dims[last], start = pad_row_start(p, at);
  if (start < 0) {
    tarei_fill_elements(to, p->fill, (size_t)n * p->block, p->element);
    return;
  }
  const char *const from = (const char *)p->x->data + (size_t)start * p->element;
  const int64_t inside = p->begin[last] > 0 ? p->begin[last] : 0;
  const int64_t end = inside + p->kept[last];
  memcpy(to + (size_t)inside * block, from + (size_t)p->first[last] * block,
         (size_t)p->kept[last] * block);
  if (p->mode == CONSTANT) {
    tarei_fill_elements(to, p->fill, (size_t)inside * p->block, p->element);
    tarei_fill_elements(to + (size_t)end * block, p->fill, (size_t)(n - end) * p->block,
                        p->element);
    return;
  }
  pad_copies(p, from, 0, inside, to);
  pad_copies(p, from, end, n, to);
}

static void pad_row_range(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  (void)thread;
  const padding *const p = user;
  const size_t bytes = (size_t)p->out->dims[p->last] * p->block * p->element;
  int64_t at[TARE_MAX_RANK];
  pad_go_to(p, first, at);
  for (size_t row = first; row < end; row++, pad_go_on(p, at)) {
    pad_row(p, at, (char *)p->out->data + row * bytes);
  }
}

static tare_status pad_run(const tarei_step *const step, const tarei_run *const r,
                           tare_error *const err) {
  padding p = {.mode = mode_of(step->node),
               .x = r->in[0],
               .out = r->out[0],
               .element = tare_dtype_size(r->in[0]->dtype),
               .block = 1};
  TAREI_TRY(plan_axes(step, r, &p, err));
  pad_read_fill(step, r, &p);
  const size_t total = (size_t)tare_tensor_count(p.out);
  if (p.x->rank == 0 || total == 0) {
    memcpy(p.out->data, p.x->data, total * p.element);
    return TARE_OK;
  }
  const size_t row = (size_t)p.out->dims[p.last] * p.block;
  tarei_row_ranges(r, total / row, row * p.element, 1u << 15, pad_row_range, &p);
  return TARE_OK;
}

const tarei_lowering tarei_lower_pad = {.measure = pad_measure, .run = pad_run};
