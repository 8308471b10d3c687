/* NonMaxSuppression: of each class the boxes by falling scores, but those that overlap one which
 * stays. Of equal scores that of the lower index comes first. Threads take whole classes. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/lower/reduce/sort_keys.h"
#include "engine/threads.h"

enum { BOXES, SCORES, LIMIT, OVERLAP, LEAST };

typedef struct box_edges {
  float top, left, bottom, right;
} box_edges;

typedef struct suppression {
  const tarei_run *run;
  size_t batches, classes, n; /* boxes of a batch */
  int64_t limit;              /* boxes of a class that may stay */
  float overlap, least;
  bool has_least, centered;
  int64_t *kept;   /* boxes of each class that stay, n places for each */
  int64_t *counts; /* how many */
  char *threads;   /* behind these: a heap for each thread */
} suppression;

/* Keys are smaller for higher scores; a NaN comes last. */
typedef struct box_entry {
  uint64_t key;
  int64_t at;
} box_entry;

static size_t heap_bytes(const size_t n) {
  return tarei_round_up(tarei_times(n, sizeof(box_entry)), TAREI_ALIGN);
}

static size_t score_count(const tare_tensor *const scores) {
  return (size_t)tare_tensor_count(scores);
}

static size_t non_max_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                              const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)out;
  const tare_tensor *const s = in[SCORES];
  const size_t all = tarei_plus(score_count(s), (size_t)(s->dims[0] * s->dims[1]));
  return tarei_plus(tarei_round_up(tarei_times(all, sizeof(int64_t)), TAREI_ALIGN),
                    tarei_times(heap_bytes((size_t)s->dims[2]), (size_t)threads));
}

/* --- boxes ------------------------------------------------------------------------------------ */

static box_edges edges_of(const suppression *const s, const size_t batch, const int64_t i) {
  const float *const b = (const float *)s->run->in[BOXES]->data + (batch * s->n + (size_t)i) * 4;
  if (s->centered) { /* center, width and height */
    const float width = b[2] / 2, height = b[3] / 2;
    return (box_edges){b[1] - height, b[0] - width, b[1] + height, b[0] + width};
  }
  return (box_edges){b[0] >= b[2] ? b[2] : b[0], b[1] >= b[3] ? b[3] : b[1],
                     b[0] >= b[2] ? b[0] : b[2], b[1] >= b[3] ? b[1] : b[3]};
}

/* Whether the part that two boxes share is more than `most` of what they cover together. */
static bool boxes_overlap(const box_edges *const a, const box_edges *const b, const float most) {
  const float left = a->left > b->left ? a->left : b->left;
  const float right = a->right < b->right ? a->right : b->right;
  const float top = a->top > b->top ? a->top : b->top;
  const float bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
  const float shared = (right - left) * (bottom - top);
  const float first = (a->right - a->left) * (a->bottom - a->top);
  const float second = (b->right - b->left) * (b->bottom - b->top);
  const float both = first + second - shared;
  return right > left && bottom > top && shared > 0 && first > 0 && second > 0 && both > 0 &&
         shared / both > most;
}

/* --- the boxes of a class --------------------------------------------------------------------- */

static bool is_later(const box_entry *const a, const box_entry *const b) {
  return a->key != b->key ? a->key > b->key : a->at > b->at;
}

/* The first one of a heap stands at its top; puts `e` where it belongs below `i`. */
static void non_max_sink(box_entry *const heap, const size_t n, size_t i, const box_entry e) {
  for (size_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
    child += child + 1 < n && is_later(&heap[child], &heap[child + 1]);
    if (!is_later(&e, &heap[child])) {
      break;
    }
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = e;
}

/* A heap of the boxes whose score suffices. */
static size_t fill_heap(const suppression *const s, const size_t class, box_entry *const heap) {
  const float *const scores = (const float *)s->run->in[SCORES]->data + class * s->n;
  size_t n = 0;
  for (size_t i = 0; i < s->n; i++) {
    if (!s->has_least || scores[i] > s->least) {
      uint64_t key = 0;
      tarei_sort_keys_of(TARE_F32)(scores, i, 1, 1, &key);
      heap[n++] = (box_entry){isnan(scores[i]) ? UINT64_MAX : UINT64_MAX - 1 - key, (int64_t)i};
    }
  }
  for (size_t i = n / 2; i-- > 0;) {
    non_max_sink(heap, n, i, heap[i]);
  }
  return n;
}

static bool is_suppressed(const suppression *const s, const size_t batch, const int64_t at,
                          const int64_t *const kept, const int64_t n) {
  const box_edges box = edges_of(s, batch, at);
  for (int64_t k = 0; k < n; k++) {
    const box_edges other = edges_of(s, batch, kept[k]);
    if (boxes_overlap(&other, &box, s->overlap)) {
      return true;
    }
  }
  return false;
}

static void suppress_range(const void *const user, const size_t first, const size_t end,
                           const int thread) {
  const suppression *const s = user;
  box_entry *const heap = (box_entry *)(void *)(s->threads + (size_t)thread * heap_bytes(s->n));
  for (size_t class = first; class < end; class ++) {
    int64_t *const kept = s->kept + class * s->n, count = 0;
    for (size_t n = fill_heap(s, class, heap); n > 0 && count < s->limit; n--) {
      const int64_t at = heap[0].at;
      non_max_sink(heap, n - 1, 0, heap[n - 1]);
      if (!is_suppressed(s, class / s->classes, at, kept, count)) {
        kept[count++] = at;
      }
    }
    s->counts[class] = count;
  }
}

/* --- the operator ----------------------------------------------------------------------------- */

static tare_status non_max_read_float(const tarei_step *const step, const tarei_run *const r,
                                      const int i, const char *const what, float *const out,
                                      tare_error *const err) {
  double value = 0;
  TAREI_TRY(tarei_operand(step, r, i) ? tarei_read_real(step, r, i, what, &value, err) : TARE_OK);
  *out = (float)value;
  return TARE_OK;
}

static tare_status read_suppression(const tarei_step *const step, const tarei_run *const r,
                                    suppression *const s, tare_error *const err) {
  const tare_tensor *const boxes = r->in[BOXES], *const scores = r->in[SCORES];
  *s = (suppression){.run = r,
                     .batches = (size_t)scores->dims[0],
                     .classes = (size_t)scores->dims[1],
                     .n = (size_t)scores->dims[2],
                     .has_least = tarei_operand(step, r, LEAST) != NULL,
                     .centered = tarei_attr_int(step->node, "center_point_box", 0) != 0};
  TAREI_TRY(tarei_want_dim(step, r, BOXES, 0, scores->dims[0], err));
  TAREI_TRY(tarei_want_dim(step, r, BOXES, 1, scores->dims[2], err));
  TAREI_TRY(tarei_want_dim(step, r, BOXES, boxes->rank - 1, 4, err));
  if (tarei_operand(step, r, LIMIT)) {
    TAREI_TRY(tarei_read_int(step, r, LIMIT, "the number of boxes", INT64_MIN, INT64_MAX, &s->limit,
                             err));
  }
  TAREI_TRY(non_max_read_float(step, r, OVERLAP, "the overlap", &s->overlap, err));
  TAREI_TRY(non_max_read_float(step, r, LEAST, "the least score", &s->least, err));
  if (!(s->overlap >= 0 && s->overlap <= 1)) {
    return tarei_fail(err, TARE_E_INPUT, "the overlap '%s' is %g, expected 0..1",
                      step->graph->values[step->node->in[OVERLAP]].name, (double)s->overlap);
  }
  const size_t classes = s->batches * s->classes, all = score_count(scores) + classes;
  s->counts = r->scratch;
  s->kept = s->counts + classes;
  s->threads = (char *)r->scratch + tarei_round_up(all * sizeof(int64_t), TAREI_ALIGN);
  return TARE_OK;
}

static tare_status suppress_all(const tarei_step *const step, const tarei_run *const r,
                                suppression *const s, int64_t *const total, tare_error *const err) {
  TAREI_TRY(read_suppression(step, r, s, err));
  const size_t classes = s->batches * s->classes;
  tarei_row_ranges(r, classes, 16 * s->n + 1, 4096, suppress_range, s);
  *total = 0;
  for (size_t c = 0; c < classes; c++) {
    *total += s->counts[c];
  }
  return TARE_OK;
}

static tare_status non_max_measure(const tarei_step *const step, const tarei_run *const r,
                                   int64_t *const values, tare_error *const err) {
  suppression s;
  return suppress_all(step, r, &s, &values[0], err);
}

/* What was measured is still there. */
static tare_status non_max_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  suppression s;
  int64_t total = r->out[0]->dims[0];
  TAREI_TRY(step->n_measured ? read_suppression(step, r, &s, err)
                             : suppress_all(step, r, &s, &total, err));
  if (total != r->out[0]->dims[0]) {
    return tarei_fail(err, TARE_E_SHAPE, "%lld boxes stay, expected %lld", (long long)total,
                      (long long)r->out[0]->dims[0]);
  }
  int64_t *to = r->out[0]->data;
  for (size_t c = 0; c < s.batches * s.classes; c++) {
    for (int64_t k = 0; k < s.counts[c]; k++, to += 3) {
      to[0] = (int64_t)(c / s.classes);
      to[1] = (int64_t)(c % s.classes);
      to[2] = s.kept[c * s.n + (size_t)k];
    }
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_non_max_suppression = {
    .scratch = non_max_scratch, .measure = non_max_measure, .run = non_max_run};
