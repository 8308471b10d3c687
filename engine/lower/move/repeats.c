#include "engine/lower/move/repeats.h"

#include <string.h>

#include "engine/lower/move/elements.h"
#include "engine/threads.h"

#define LEAST ((size_t)1 << 15) /* bytes that are worth a claim */
#define CHUNK ((size_t)1 << 15) /* bytes that are copied again and again: they stay near */
#define FILLED ((size_t)1024)   /* elements that are written one by one */
#define ITEMS ((size_t)4)       /* for each thread, where there are enough */

void tarei_repeats_add(tarei_repeats *const r, const size_t size, const size_t stride) {
  const int last = r->n - 1;
  if (size == 1) {
    return;
  }
  if (last >= 0 && r->stride[last] == stride * size) {
    r->size[last] *= size;
    r->stride[last] = stride;
    return;
  }
  r->size[r->n] = size;
  r->stride[r->n++] = stride;
}

typedef struct repeats_job {
  tarei_repeats axes;
  const char *from;
  char *to;
  size_t element;
  size_t inner[2 * TARE_MAX_RANK]; /* bytes inside each axis */
  int level;                       /* the innermost axis that is divided among threads */
} repeats_job;

/* Copies what stands at `to` behind itself. */
static void repeats_again(char *const to, const size_t bytes, const size_t total) {
  size_t chunk = bytes;
  for (size_t done = bytes, n; done < total; done += n) {
    n = total - done < chunk ? total - done : chunk;
    memcpy(to + done, to, n);
    chunk += chunk < CHUNK ? n : 0;
  }
}

/* `count` of the indices of an axis, with all axes inside. */
static void repeats_fill(const repeats_job *const j, const int axis, const char *const from,
                         char *const to, const size_t count) {
  const size_t inner = j->inner[axis], step = j->axes.stride[axis] * j->element;
  if (axis + 1 == j->axes.n) {
    const size_t few = count < FILLED ? count : FILLED;
    if (step) {
      memcpy(to, from, count * inner);
    } else {
      tarei_fill_elements(to, from, few, j->element);
      repeats_again(to, few * inner, count * inner);
    }
    return;
  }
  const size_t size = j->axes.size[axis + 1];
  if (step == 0) {
    repeats_fill(j, axis + 1, from, to, size);
    repeats_again(to, inner, count * inner);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    repeats_fill(j, axis + 1, from + i * step, to + i * inner, size);
  }
}

static void repeats_range(const void *const user, const size_t first, const size_t end,
                          const int thread) {
  (void)thread;
  const repeats_job *const j = user;
  const tarei_repeats *const axes = &j->axes;
  const size_t size = axes->size[j->level];
  for (size_t i = first, n; i < end; i += n) {
    const size_t at = i % size;
    size_t from = at * axes->stride[j->level], index = i / size;
    for (int a = j->level - 1; a >= 0; a--) {
      from += index % axes->size[a] * axes->stride[a];
      index /= axes->size[a];
    }
    n = end - i < size - at ? end - i : size - at;
    repeats_fill(j, j->level, j->from + from * j->element, j->to + i * j->inner[j->level], n);
  }
}

void tarei_repeats_copy(const tarei_repeats *const r, const tarei_run *const run) {
  repeats_job j = {.axes = *r,
                   .from = run->in[0]->data,
                   .to = run->out[0]->data,
                   .element = tare_dtype_size(run->in[0]->dtype)};
  if (j.axes.n == 0) {
    j.axes.size[0] = j.axes.stride[0] = 1;
    j.axes.n = 1;
  }
  size_t bytes = j.element, items = j.axes.size[0];
  for (int a = j.axes.n - 1; a >= 0; a--) {
    j.inner[a] = bytes;
    bytes *= j.axes.size[a];
  }
  while (run->threads > 1 && j.level + 1 < j.axes.n && items < ITEMS * (size_t)run->threads) {
    items *= j.axes.size[++j.level];
  }
  if (bytes) {
    tarei_row_ranges(run, items, j.inner[j.level], LEAST, repeats_range, &j);
  }
}
