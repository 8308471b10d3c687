/* Unique: slices along an axis (or single elements) are sorted by what they hold, equal ones in the
 * order in which they stand; each run of equal ones is a group. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/lower/reduce/sort_keys.h"

typedef struct slices {
  size_t outer, n, inner; /* n slices of outer x inner elements */
  uint64_t *keys;         /* of all elements, as they lie */
  size_t *order, *other;  /* [n] */
  size_t *group;          /* [n]: of each slice */
  size_t *first;          /* [groups]: the slice that stands first */
  size_t groups;
} slices;

static slices read_slices(const tarei_step *const step, const tare_tensor *const x,
                          void *const scratch) {
  const bool flat = !tarei_attr_find(step->node, "axis");
  int64_t axis = tarei_attr_int(step->node, "axis", 0);
  axis += axis < 0 ? x->rank : 0;
  slices s = {.outer = 1, .n = 1, .inner = 1};
  for (int d = 0; d < x->rank; d++) {
    *(flat || d == axis ? &s.n : d < axis ? &s.outer : &s.inner) *= (size_t)x->dims[d];
  }
  if (scratch) {
    s.keys = scratch;
    s.order = (size_t *)(s.keys + s.outer * s.n * s.inner);
    s.other = s.order + s.n;
    s.group = s.other + s.n;
    s.first = s.group + s.n;
  }
  return s;
}

static size_t unique_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                             const tare_tensor *const *const out, const int threads) {
  (void)out;
  (void)threads;
  const slices s = read_slices(step, in[0], NULL);
  return tarei_plus(tarei_times(s.outer * s.n * s.inner, sizeof *s.keys),
                    tarei_times(s.n, 4 * sizeof *s.order));
}

static int compare(const slices *const s, const size_t a, const size_t b) {
  for (size_t o = 0; o < s->outer; o++) {
    const uint64_t *const block = s->keys + o * s->n * s->inner;
    for (size_t i = 0; i < s->inner; i++) {
      const uint64_t x = block[a * s->inner + i], y = block[b * s->inner + i];
      if (x != y) {
        return x < y ? -1 : 1;
      }
    }
  }
  return 0;
}

/* Joins two sorted runs of the order, [begin, middle) and [middle, end), into the other array. */
static void unique_merge(const slices *const s, const size_t begin, const size_t middle,
                         const size_t end) {
  size_t a = begin, b = middle;
  for (size_t i = begin; i < end; i++) {
    const bool left = b == end || (a < middle && compare(s, s->order[a], s->order[b]) <= 0);
    s->other[i] = s->order[left ? a++ : b++];
  }
}

static void unique_sort(slices *const s) {
  for (size_t i = 0; i < s->n; i++) {
    s->order[i] = i;
  }
  for (size_t width = 1; width < s->n; width *= 2) {
    for (size_t begin = 0; begin < s->n; begin += 2 * width) {
      const size_t left = s->n - begin;
      unique_merge(s, begin, begin + (left < width ? left : width),
                   begin + (left < 2 * width ? left : 2 * width));
    }
    size_t *const sorted = s->other;
    s->other = s->order;
    s->order = sorted;
  }
}

/* Numbers the groups as they stand in the input. */
static void number_by_place(slices *const s) {
  size_t *const number = s->other;
  size_t n = 0;
  for (size_t i = 0; i < s->n; i++) {
    if (s->first[s->group[i]] == i) {
      number[s->group[i]] = n++;
    }
    s->group[i] = number[s->group[i]];
  }
  for (size_t i = s->n; i-- > 0;) {
    s->first[s->group[i]] = i;
  }
}

static slices find_groups(const tarei_step *const step, const tarei_run *const r) {
  const tare_tensor *const x = r->in[0];
  slices s = read_slices(step, x, r->scratch);
  tarei_sort_keys_of(x->dtype)(x->data, 0, 1, s.outer * s.n * s.inner, s.keys);
  unique_sort(&s);
  for (size_t i = 0; i < s.n; i++) {
    if (i == 0 || compare(&s, s.order[i - 1], s.order[i]) != 0) {
      s.first[s.groups++] = s.order[i];
    }
    s.group[s.order[i]] = s.groups - 1;
  }
  if (tarei_attr_int(step->node, "sorted", 1) == 0) {
    number_by_place(&s);
  }
  return s;
}

static tare_status unique_measure(const tarei_step *const step, const tarei_run *const r,
                                  int64_t *const values, tare_error *const err) {
  (void)err;
  values[0] = (int64_t)find_groups(step, r).groups;
  return TARE_OK;
}

static void copy_slices(const slices *const s, const tare_tensor *const x,
                        const tare_tensor *const out) {
  const size_t bytes = s->inner * tare_dtype_size(x->dtype);
  char *to = out->data;
  for (size_t o = 0; o < s->outer; o++) {
    for (size_t g = 0; g < s->groups; g++, to += bytes) {
      memcpy(to, (const char *)x->data + (o * s->n + s->first[g]) * bytes, bytes);
    }
  }
}

/* Output i, or NULL where nobody wants it. */
static const tare_tensor *output(const tarei_step *const step, const tarei_run *const r,
                                 const int i) {
  return i < step->node->n_out ? r->out[i] : NULL;
}

static tare_status unique_run(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  const tare_tensor *const values = output(step, r, 0), *const indices = output(step, r, 1);
  const tare_tensor *const inverse = output(step, r, 2), *const counts = output(step, r, 3);
  const slices s = find_groups(step, r);
  for (int i = 1; i < 4; i += 2) {
    if (output(step, r, i) && (size_t)output(step, r, i)->dims[0] != s.groups) {
      return tarei_fail(err, TARE_E_SHAPE, "%zu elements are unique, expected %lld", s.groups,
                        (long long)output(step, r, i)->dims[0]);
    }
  }
  if (values) {
    copy_slices(&s, r->in[0], values);
  }
  for (size_t g = 0; indices && g < s.groups; g++) {
    ((int64_t *)indices->data)[g] = (int64_t)s.first[g];
  }
  for (size_t i = 0; inverse && i < s.n; i++) {
    ((int64_t *)inverse->data)[i] = (int64_t)s.group[i];
  }
  for (size_t g = 0; counts && g < s.groups; g++) {
    ((int64_t *)counts->data)[g] = 0;
  }
  for (size_t i = 0; counts && i < s.n; i++) {
    ((int64_t *)counts->data)[s.group[i]]++;
  }
  return TARE_OK;
}

static tare_status unique_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                  tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return tarei_sort_keys_of(dtype) ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

const tarei_lowering tarei_lower_unique = {.prepare = unique_prepare,
                                           .scratch = unique_scratch,
                                           .measure = unique_measure,
                                           .run = unique_run};
