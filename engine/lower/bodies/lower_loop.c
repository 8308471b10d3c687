/* Turns of a body: carried values move from its outputs to its inputs, lists grow by an element.
 * Elements of a list lie one behind the other until all are there, and are then put in order along
 * the axis that joins them. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "engine/call.h"
#include "engine/lower/bodies/loop.h"
#include "engine/lower/numbers.h"
#include "graph/loop_lists.h"

enum { ITERATION, CONDITION, CARRIED };

/* A list that the turns give out. */
typedef struct loop_elements {
  size_t used;    /* bytes */
  int64_t *sizes; /* of each element along the axis that joins them, unless that is the first */
  size_t n, cap;
} loop_elements;

typedef struct loop {
  const tarei_step *step;
  const tarei_run *run;
  int n_carried, n_lists;
  tare_tensor *results; /* carried values, then lists; owned data */
  size_t *room;         /* bytes that each result's data has */
  loop_elements *lists; /* n_lists */
} loop;

static size_t loop_bytes_of(const tare_tensor *const t) {
  return (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
}

/* How many turns there are at most, and whether there is a first one. */
static tare_status loop_read_limits(const loop *const l, int64_t *const most, bool *const go_on,
                                    tare_error *const err) {
  *most = INT64_MAX;
  if (tarei_operand(l->step, l->run, ITERATION)) {
    TAREI_TRY(
        tarei_read_int(l->step, l->run, ITERATION, "trip count", INT64_MIN, INT64_MAX, most, err));
  }
  return tarei_read_flag(l->step, l->run, CONDITION, "condition", true, go_on, err);
}

/* Result i becomes a copy of t at byte `at` of its memory, which grows as needed. */
static tare_status loop_put(const loop *const l, const int i, const size_t at,
                            const tare_tensor *const t, tare_error *const err) {
  tare_tensor *const to = &l->results[i];
  const size_t bytes = loop_bytes_of(t);
  if (at + bytes > l->room[i] || !to->data) {
    const tare_limits *const limits = &l->step->graph->limits;
    if (at + bytes > (size_t)limits->tensor) {
      return tarei_fail_limit(err, limits, TAREI_LIMIT_tensor, (int64_t)(at + bytes),
                              "output %d grows to", i);
    }
    const size_t twice = 2 * (at + bytes), most = (size_t)limits->tensor;
    const size_t room = !at ? bytes : twice < most ? twice : most;
    void *grown = NULL;
    TAREI_TRY(tarei_call_take(l->step, l->run, room, &grown, err));
    if (at) {
      memcpy(grown, to->data, at);
    }
    tarei_call_give(l->run, to->data);
    to->data = grown;
    l->room[i] = room;
  }
  if (bytes) {
    memcpy((char *)to->data + at, t->data, bytes);
  }
  return TARE_OK;
}

static tare_status carry(const loop *const l, const int i, const tare_tensor *const t,
                         tare_error *const err) {
  TAREI_TRY(loop_put(l, i, 0, t, err));
  void *const data = l->results[i].data;
  l->results[i] = *t;
  l->results[i].data = data;
  return TARE_OK;
}

/* The dims of a list of no elements that are like t. */
static tare_tensor list_of_none(const tare_tensor *const t, const bool stacks, const int axis) {
  tare_tensor list = {.dtype = t->dtype, .rank = t->rank + stacks};
  memcpy(list.dims, t->dims, (size_t)axis * sizeof *t->dims);
  const int behind = list.rank - axis - 1;
  memcpy(&list.dims[axis + 1], &t->dims[t->rank - behind], (size_t)behind * sizeof *t->dims);
  return list;
}

static tare_status append(const loop *const l, const int i, const int64_t turn,
                          const tare_tensor *const t, tare_error *const err) {
  tare_tensor *const list = &l->results[l->n_carried + i];
  loop_elements *const elements = &l->lists[i];
  const tarei_loop_list how = tarei_loop_list_of(l->step->node, i);
  const int axis = tarei_loop_list_axis(how, t->rank);
  if (axis < 0) {
    return tarei_fail(err, TARE_E_MODEL, "output %d has no axis %lld", l->n_carried + i,
                      (long long)how.axis);
  }
  tare_tensor like = list_of_none(t, how.stacks, axis);
  like.dims[axis] = list->dims[axis];
  like.data = list->data;
  if (turn > 0 && memcmp(list->dims, like.dims, (size_t)like.rank * sizeof *like.dims) != 0) {
    return tarei_fail(err, TARE_E_SHAPE, "output %d changes its dims at iteration %lld",
                      l->n_carried + i, (long long)turn);
  }
  *list = like;
  const int64_t size = how.stacks ? 1 : t->dims[axis];
  if (axis > 0) {
    if (!TAREI_GROW(elements->sizes, elements->n, elements->cap)) {
      return tarei_fail_memory(err, "list", elements->n * sizeof *elements->sizes);
    }
    elements->sizes[elements->n++] = size;
  }
  TAREI_TRY(loop_put(l, l->n_carried + i, elements->used, t, err));
  elements->used += loop_bytes_of(t);
  if (!tarei_add_i64(list->dims[axis], size, &list->dims[axis])) {
    return tarei_fail(err, TARE_E_SHAPE, "output %d has too many elements", l->n_carried + i);
  }
  return TARE_OK;
}

/* Puts the elements of a list side by side along an axis that is not the first. */
static tare_status loop_join(const loop *const l, const int i, tare_error *const err) {
  tare_tensor *const list = &l->results[l->n_carried + i];
  const loop_elements *const elements = &l->lists[i];
  if (!elements->used) {
    return TARE_OK;
  }
  const tarei_loop_list how = tarei_loop_list_of(l->step->node, i);
  const int axis = tarei_loop_list_axis(how, list->rank - how.stacks);
  int64_t n_rows = 1;
  for (int d = 0; d < axis; d++) {
    n_rows *= list->dims[d];
  }
  if (n_rows == 1) {
    return TARE_OK;
  }
  void *joined = NULL;
  TAREI_TRY(tarei_call_take(l->step, l->run, elements->used, &joined, err));
  const size_t row = elements->used / (size_t)n_rows;
  const size_t unit = row / (size_t)list->dims[axis]; /* bytes of one step along the axis */
  const char *from = list->data;
  char *to = joined;
  for (size_t e = 0; e < elements->n; e++) {
    const size_t bytes = (size_t)elements->sizes[e] * unit;
    for (int64_t r = 0; r < n_rows; r++, from += bytes) {
      memcpy(to + (size_t)r * row, from, bytes);
    }
    to += bytes;
  }
  tarei_call_give(l->run, list->data);
  list->data = joined;
  return TARE_OK;
}

static void tell_dims(const loop *const l, const int i) {
  const tare_tensor *const t = &l->results[i];
  for (int d = 0; d < t->rank; d++) {
    tarei_call_measured(l->step, l->run, (l->step->node->n_out + i) * TARE_MAX_RANK + d,
                        t->dims[d]);
  }
}

static tare_status loop_turn(const loop *const l, const int64_t number, tare_tensor *const formal,
                             bool *const go_on, tare_error *const err) {
  TAREI_TRY(tarei_call_turn(l->step, l->run, err));
  int64_t iteration = number;
  formal[ITERATION] = (tare_tensor){.dtype = TARE_I64, .data = &iteration};
  formal[CONDITION] = (tare_tensor){.dtype = TARE_BOOL, .data = go_on};
  for (int i = 0; i < l->n_carried; i++) {
    formal[CARRIED + i] = l->results[i];
    tell_dims(l, i);
  }
  TAREI_TRY(tarei_call(l->step, l->run, 0, formal, err));
  TAREI_TRY(
      tarei_flag_of(tarei_call_output(l->step, l->run, 0, 0), "body's condition", go_on, err));
  for (int i = 0; i < l->n_carried; i++) {
    TAREI_TRY(carry(l, i, tarei_call_output(l->step, l->run, 0, 1 + i), err));
  }
  for (int i = 0; i < l->n_lists; i++) {
    TAREI_TRY(
        append(l, i, number, tarei_call_output(l->step, l->run, 0, 1 + l->n_carried + i), err));
  }
  return TARE_OK;
}

static tare_status loop_turns(const loop *const l, tare_tensor *const formal,
                              tare_error *const err) {
  const tarei_run *const run = l->run;
  int64_t most = 0;
  bool go_on = false;
  TAREI_TRY(loop_read_limits(l, &most, &go_on, err));
  for (int i = 0; i < l->n_carried; i++) {
    TAREI_TRY(carry(l, i, run->in[CARRIED + i], err));
  }
  for (int64_t number = 0; number < most && go_on; number++) {
    TAREI_TRY(loop_turn(l, number, formal, &go_on, err));
  }
  for (int i = 0; i < l->n_lists; i++) {
    TAREI_TRY(loop_join(l, i, err));
  }
  return TARE_OK;
}

static void forget(const tarei_run *const run, tare_tensor *const results, const int n) {
  for (int i = 0; i < n; i++) {
    tarei_call_give(run, results[i].data);
    results[i] = (tare_tensor){0};
  }
}

static tare_status loop_compute(const tarei_step *const step, const tarei_run *const run,
                                tare_error *const err) {
  const tarei_graph *const body = tarei_node_body(step->node, 0);
  loop l = {.step = step, .run = run, .n_carried = body->n_formal - CARRIED};
  l.n_lists = body->n_outputs - 1 - l.n_carried;
  const int n = l.n_carried + l.n_lists;
  l.results = tarei_call_results(step, run, n);
  l.room = tarei_calloc((size_t)n, sizeof *l.room);
  l.lists = tarei_calloc((size_t)l.n_lists, sizeof *l.lists);
  tare_tensor *const formal = tarei_calloc((size_t)body->n_formal, sizeof *formal);
  tare_status status = TARE_OK;
  if (l.results && l.room && l.lists && formal) {
    memset(l.results, 0, (size_t)n * sizeof *l.results);
    status = loop_turns(&l, formal, err);
  } else {
    status = tarei_fail_memory(err, step->node->name, (size_t)n * sizeof *l.results);
  }
  if (status != TARE_OK && l.results) {
    forget(run, l.results, n);
  }
  for (int i = 0; l.lists && i < l.n_lists; i++) {
    free(l.lists[i].sizes);
  }
  free(l.lists);
  free(l.room);
  free(formal);
  return status;
}

tare_status tarei_loop_measure(const tarei_step *const step, const tarei_run *const run,
                               int64_t *const values, tare_error *const err) {
  TAREI_TRY(loop_compute(step, run, err));
  const tarei_graph *const body = tarei_node_body(step->node, 0);
  tarei_call_dims(step, tarei_call_results(step, run, body->n_outputs - 1), values);
  return TARE_OK;
}

tare_status tarei_loop_run(const tarei_step *const step, const tarei_run *const r,
                           tare_error *const err) {
  if (!step->n_measured) {
    TAREI_TRY(loop_compute(step, r, err));
  }
  const int n = tarei_node_body(step->node, 0)->n_outputs - 1;
  tarei_call_hand_out(step, r, tarei_call_results(step, r, n), n);
  return TARE_OK;
}

const tarei_lowering tarei_lower_loop = {.measure = tarei_loop_measure, .run = tarei_loop_run};
