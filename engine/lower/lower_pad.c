/* Pad of any element type. Negative amounts cut elements away. */
#include <string.h>

#include "engine/lower/int_operand.h"
#include "engine/threads.h"

typedef enum mode { CONSTANT, EDGE, REFLECT, WRAP } mode;

typedef struct padding {
  mode mode;
  int64_t begin[TARE_MAX_RANK];
  const tare_tensor *x, *out;
  size_t element;
  char fill[sizeof(int64_t)]; /* one element */
} padding;

static mode mode_of(const tarei_node *const node) {
  const char *const name = tarei_attr_string(node, "mode", "constant");
  return strcmp(name, "edge") == 0      ? EDGE
         : strcmp(name, "reflect") == 0 ? REFLECT
         : strcmp(name, "wrap") == 0    ? WRAP
                                        : CONSTANT;
}

/* Element of the input's axis that stands at `at` of the output's, or -1 for the fill value. */
static int64_t source_of(const mode m, const int64_t at, const int64_t size) {
  if (at >= 0 && at < size) {
    return at;
  }
  if (m == CONSTANT || size == 0) {
    return -1;
  }
  if (m == EDGE || size == 1) {
    return at < 0 ? 0 : size - 1;
  }
  const int64_t period = m == WRAP ? size : 2 * (size - 1);
  const int64_t i = (at % period + period) % period;
  return i < size ? i : period - i;
}

/* Amounts may name their axes; the output's dims have to agree with them. */
static tare_status read_begins(const tarei_step *const step, const tarei_run *const r,
                               int64_t *const begin, tare_error *const err) {
  const int rank = r->in[0]->rank;
  int64_t pads[TAREI_MAX_INTS], axes[TAREI_MAX_INTS], end[TARE_MAX_RANK] = {0};
  const int n = tarei_int_operand(step, r, 1, "pads", pads) / 2;
  const int n_axes = tarei_int_operand(step, r, 3, "axes", axes);
  for (int i = 0; i < n && i < TARE_MAX_RANK; i++) {
    const int64_t named = i < n_axes ? axes[i] : i;
    const int64_t axis = named < 0 ? named + rank : named;
    if (axis < 0 || axis >= rank) {
      return tarei_fail(err, TARE_E_MODEL, "its axis %lld is out of range for rank %d",
                        (long long)named, rank);
    }
    begin[axis] = pads[i];
    end[axis] = pads[n + i];
  }
  for (int d = 0; d < rank; d++) {
    const int64_t got = r->out[0]->dims[d], size = r->in[0]->dims[d];
    if (begin[d] < -size || end[d] < -size || begin[d] > got || end[d] > got ||
        size + begin[d] + end[d] != got) {
      return tarei_fail(err, TARE_E_MODEL, "its pads %lld and %lld do not make %lld of %lld",
                        (long long)begin[d], (long long)end[d], (long long)got, (long long)size);
    }
  }
  return TARE_OK;
}

/* The fill value is an attribute before opset 11, where only floats are padded. */
static void read_fill(const tarei_step *const step, const tarei_run *const r, padding *const p) {
  if (step->node->n_in > 2 && r->in[2] && tare_tensor_count(r->in[2]) == 1 &&
      r->in[2]->dtype == p->x->dtype) {
    memcpy(p->fill, r->in[2]->data, p->element);
  } else if (p->x->dtype == TARE_F32) {
    const float value = tarei_attr_float(step->node, "value", 0);
    memcpy(p->fill, &value, sizeof value);
  }
}

/* Element at which a row of the input begins, or -1 where the whole row is fill. */
static int64_t row_start(const padding *const p, size_t row) {
  int64_t from = 0, stride = 1;
  const int last = p->x->rank - 1;
  for (int d = last; d >= 0; d--) {
    if (d < last) {
      const size_t size = (size_t)p->out->dims[d];
      const int64_t at = source_of(p->mode, (int64_t)(row % size) - p->begin[d], p->x->dims[d]);
      if (at < 0) {
        return -1;
      }
      row /= size;
      from += at * stride;
    }
    stride *= p->x->dims[d];
  }
  return from;
}

static void pad_row(const padding *const p, const size_t row) {
  const int last = p->x->rank - 1;
  const int64_t n = p->out->dims[last], size = p->x->dims[last], begin = p->begin[last];
  const int64_t start = row_start(p, row);
  char *const to = (char *)p->out->data + row * (size_t)n * p->element;
  const char *const from = (const char *)p->x->data + (start < 0 ? 0 : start) * (int64_t)p->element;
  const int64_t inside = begin > 0 ? begin : 0;
  const int64_t end = begin + size < n ? begin + size : n;
  const bool copies = start >= 0 && end > inside;
  if (copies) {
    memcpy(to + inside * (int64_t)p->element, from + (inside - begin) * (int64_t)p->element,
           (size_t)(end - inside) * p->element);
  }
  for (int64_t i = 0; i < n; i++) {
    if (copies && i == inside) {
      i = end - 1;
      continue;
    }
    const int64_t at = start < 0 ? -1 : source_of(p->mode, i - begin, size);
    memcpy(to + i * (int64_t)p->element, at < 0 ? p->fill : from + at * (int64_t)p->element,
           p->element);
  }
}

static void row_range(const void *const user, const size_t first, const size_t end,
                      const int thread) {
  (void)thread;
  for (size_t row = first; row < end; row++) {
    pad_row(user, row);
  }
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  padding p = {.mode = mode_of(step->node),
               .x = r->in[0],
               .out = r->out[0],
               .element = tare_dtype_size(r->in[0]->dtype)};
  TARE_TRY(read_begins(step, r, p.begin, err));
  read_fill(step, r, &p);
  const size_t total = (size_t)tare_tensor_count(p.out);
  if (p.x->rank == 0 || total == 0) {
    memcpy(p.out->data, p.x->data, total * p.element);
    return TARE_OK;
  }
  const size_t row = (size_t)p.out->dims[p.out->rank - 1];
  tarei_row_ranges(r, total / row, row * p.element, 1u << 15, row_range, &p);
  return TARE_OK;
}

const tarei_lowering tarei_lower_pad = {.run = run};
