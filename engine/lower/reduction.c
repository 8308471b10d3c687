#include "engine/lower/reduction.h"

#include "engine/threads.h"

static void add_axis(tarei_reduction_axes *const axes, const size_t size, const size_t stride,
                     const bool merges) {
  if (merges && axes->n) {
    axes->size[axes->n - 1] *= size;
    axes->stride[axes->n - 1] = stride;
  } else {
    axes->size[axes->n] = size;
    axes->stride[axes->n++] = stride;
  }
}

tarei_reduction tarei_reduction_read(const tare_tensor *const x, const bool *const cut) {
  tarei_reduction r = {.n = 1, .rows = 1, .outputs = 1};
  size_t stride[TARE_MAX_RANK], next = 1;
  for (int d = x->rank - 1; d >= 0; d--) {
    stride[d] = next;
    next *= (size_t)x->dims[d];
  }
  int last = -1; /* the axis before this one that is not of length 1 */
  for (int d = 0; d < x->rank; d++) {
    const size_t size = (size_t)x->dims[d];
    if (size == 1) {
      continue;
    }
    add_axis(cut[d] ? &r.cut : &r.kept, size, stride[d], last >= 0 && cut[last] == cut[d]);
    *(cut[d] ? &r.rows : &r.outputs) *= size;
    last = d;
  }
  if (r.cut.n) {
    r.cut.n--;
    r.n = r.cut.size[r.cut.n];
    r.stride = r.cut.stride[r.cut.n];
    r.rows = r.n ? r.rows / r.n : 0;
  }
  return r;
}

static size_t offset_of(const tarei_reduction_axes *const axes, size_t index) {
  size_t offset = 0;
  for (int a = axes->n - 1; a >= 0; a--) {
    offset += index % axes->size[a] * axes->stride[a];
    index /= axes->size[a];
  }
  return offset;
}

size_t tarei_reduction_row(const tarei_reduction *const r, const size_t i) {
  return offset_of(&r->cut, i);
}

void tarei_reduction_run(const tarei_reduction *const r, const void *const x, void *const out,
                         const size_t element, const int threads, const tarei_reduction_fn fn) {
  const tarei_reduction_axes *const kept = &r->kept;
  const bool side_by_side = kept->n && kept->stride[kept->n - 1] == 1;
  const size_t run = side_by_side ? kept->size[kept->n - 1] : 1;
  const size_t lanes = side_by_side ? TAREI_REDUCTION_LANES : 1;
  const size_t blocks = (run + lanes - 1) / lanes;
  const size_t total = run ? r->outputs / run * blocks : 0;
  const int team = tarei_threads_for(threads, r->outputs * r->rows * r->n, 4096);
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
  for (size_t i = 0; i < total; i++) {
    const size_t first = i % blocks * lanes, at = i / blocks * run + first;
    fn(r, (const char *)x + offset_of(kept, at) * element,
       run - first < lanes ? run - first : lanes, (char *)out + at * element);
  }
}
