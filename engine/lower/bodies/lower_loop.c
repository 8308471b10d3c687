/* Turns of a body: carried values move from its outputs to its inputs, lists grow by an element. */
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "engine/call.h"
#include "engine/lower/numbers.h"

enum { ITERATION, CONDITION, CARRIED };

typedef struct loop {
  const tarei_step *step;
  const tarei_run *run;
  int n_carried, n_lists;
  tare_tensor *results; /* carried values, then lists; owned data */
  size_t *room;         /* bytes that each result's data has */
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

static tare_status append(const loop *const l, const int i, const int64_t turn,
                          const tare_tensor *const t, tare_error *const err) {
  tare_tensor *const list = &l->results[l->n_carried + i];
  const size_t bytes = loop_bytes_of(t);
  if (turn == 0) {
    void *const data = list->data;
    *list = (tare_tensor){.dtype = t->dtype, .rank = t->rank + 1, .data = data};
    memcpy(&list->dims[1], t->dims, (size_t)t->rank * sizeof *t->dims);
  } else if (memcmp(&list->dims[1], t->dims, (size_t)t->rank * sizeof *t->dims) != 0) {
    return tarei_fail(err, TARE_E_SHAPE, "output %d changes its dims at iteration %lld",
                      l->n_carried + i, (long long)turn);
  }
  TAREI_TRY(loop_put(l, l->n_carried + i, (size_t)turn * bytes, t, err));
  list->dims[0] = turn + 1;
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
  tare_tensor *const formal = tarei_calloc((size_t)body->n_formal, sizeof *formal);
  tare_status status = TARE_OK;
  if (l.results && l.room && formal) {
    memset(l.results, 0, (size_t)n * sizeof *l.results);
    status = loop_turns(&l, formal, err);
  } else {
    status = tarei_fail_memory(err, step->node->name, (size_t)n * sizeof *l.results);
  }
  if (status != TARE_OK && l.results) {
    forget(run, l.results, n);
  }
  free(l.room);
  free(formal);
  return status;
}

static tare_status loop_measure(const tarei_step *const step, const tarei_run *const run,
                                int64_t *const values, tare_error *const err) {
  TAREI_TRY(loop_compute(step, run, err));
  const tarei_graph *const body = tarei_node_body(step->node, 0);
  tarei_call_dims(step, tarei_call_results(step, run, body->n_outputs - 1), values);
  return TARE_OK;
}

static tare_status loop_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  if (!step->n_measured) {
    TAREI_TRY(loop_compute(step, r, err));
  }
  const int n = tarei_node_body(step->node, 0)->n_outputs - 1;
  tarei_call_hand_out(step, r, tarei_call_results(step, r, n), n);
  return TARE_OK;
}

const tarei_lowering tarei_lower_loop = {.measure = loop_measure, .run = loop_run};
