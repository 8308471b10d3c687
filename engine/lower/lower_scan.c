/* A body that takes one element after another along an axis. */
#include <string.h>

#include "base/mem.h"
#include "engine/call.h"

typedef struct scan {
  const tarei_step *step;
  const tarei_run *run;
  const tarei_graph *body;
  int n_states, n_scanned, n_lists;
  tare_tensor *formal; /* of the body; data owned */
} scan;

static int64_t list_item(const tarei_node *const node, const char *const name, const int i) {
  int n;
  const int64_t *const list = tarei_attr_ints(node, name, &n);
  return i < n ? list[i] : 0;
}

static int axis_of(const tarei_node *const node, const char *const name, const int i,
                   const int rank) {
  const int64_t axis = list_item(node, name, i);
  return (int)(axis < 0 ? axis + rank : axis);
}

/* Copies element `at` of `whole` along an axis from or to `element`. */
static void copy_element(const tare_tensor *const whole, const int axis, const int64_t at,
                         void *const element, const bool take) {
  size_t outer = 1, inner = tare_dtype_size(whole->dtype);
  for (int d = 0; d < whole->rank; d++) {
    outer *= d < axis ? (size_t)whole->dims[d] : 1;
    inner *= d > axis ? (size_t)whole->dims[d] : 1;
  }
  for (size_t o = 0; o < outer; o++) {
    char *const inside = (char *)whole->data + (o * (size_t)whole->dims[axis] + (size_t)at) * inner;
    char *const outside = (char *)element + o * inner;
    memcpy(take ? outside : inside, take ? inside : outside, inner);
  }
}

static int scan_axis(const scan *const s, const int i) {
  return axis_of(s->step->node, "scan_input_axes", i, s->run->in[s->n_states + i]->rank);
}

static int64_t length_of(const scan *const s) {
  return s->run->in[s->n_states]->dims[scan_axis(s, 0)];
}

static int64_t turned(const tarei_node *const node, const char *const name, const int i,
                      const int64_t at, const int64_t length) {
  return list_item(node, name, i) ? length - 1 - at : at;
}

static tare_status begin(const scan *const s, tare_error *const err) {
  for (int i = 0; i < s->body->n_formal; i++) {
    const tare_tensor *const given = s->run->in[i];
    tare_tensor *const t = &s->formal[i];
    *t = *given;
    if (i >= s->n_states) {
      const int axis = scan_axis(s, i - s->n_states);
      if (given->dims[axis] != length_of(s)) {
        return tarei_fail(err, TARE_E_SHAPE,
                          "the tensors that it scans have %lld and %lld elements",
                          (long long)length_of(s), (long long)given->dims[axis]);
      }
      t->rank--;
      memmove(&t->dims[axis], &t->dims[axis + 1], (size_t)(t->rank - axis) * sizeof *t->dims);
    }
    const size_t bytes = (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
    t->data = tarei_call_take(s->run, bytes);
    if (!t->data) {
      return tarei_fail_memory(err, "scan", bytes);
    }
    if (i < s->n_states && bytes) {
      memcpy(t->data, given->data, bytes);
    }
  }
  return TARE_OK;
}

static tare_status put_element(const scan *const s, const int i, const int64_t at,
                               const int64_t length, tare_error *const err) {
  const tare_tensor *const element = tarei_call_output(s->step, s->run, 0, s->n_states + i);
  const tare_tensor *const list = s->run->out[s->n_states + i];
  if (!list) {
    return TARE_OK;
  }
  if (tare_tensor_count(element) * length != tare_tensor_count(list)) {
    return tarei_fail(err, TARE_E_SHAPE, "output %d changes its dims from turn to turn",
                      s->n_states + i);
  }
  const tarei_node *const node = s->step->node;
  copy_element(list, axis_of(node, "scan_output_axes", i, list->rank),
               turned(node, "scan_output_directions", i, at, length), element->data, false);
  return TARE_OK;
}

static tare_status turn(const scan *const s, const int64_t at, const int64_t length,
                        tare_error *const err) {
  for (int i = 0; i < s->n_scanned; i++) {
    copy_element(s->run->in[s->n_states + i], scan_axis(s, i),
                 turned(s->step->node, "scan_input_directions", i, at, length),
                 s->formal[s->n_states + i].data, true);
  }
  TARE_TRY(tarei_call(s->step, s->run, 0, s->formal, err));
  for (int i = 0; i < s->n_states; i++) {
    const tare_tensor *const next = tarei_call_output(s->step, s->run, 0, i);
    if (tare_tensor_count(next) != tare_tensor_count(&s->formal[i])) {
      return tarei_fail(err, TARE_E_SHAPE, "state %d changes its dims from turn to turn", i);
    }
    memcpy(s->formal[i].data, next->data,
           (size_t)tare_tensor_count(next) * tare_dtype_size(next->dtype));
  }
  for (int i = 0; i < s->n_lists && s->n_states + i < s->step->node->n_out; i++) {
    TARE_TRY(put_element(s, i, at, length, err));
  }
  return TARE_OK;
}

static tare_status turns(const scan *const s, tare_error *const err) {
  TARE_TRY(begin(s, err));
  const int64_t length = length_of(s);
  for (int64_t at = 0; at < length; at++) {
    TARE_TRY(turn(s, at, length, err));
  }
  for (int i = 0; i < s->n_states && i < s->step->node->n_out; i++) {
    if (s->run->out[i]) {
      memcpy(s->run->out[i]->data, s->formal[i].data,
             (size_t)tare_tensor_count(&s->formal[i]) * tare_dtype_size(s->formal[i].dtype));
    }
  }
  return TARE_OK;
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  const tarei_graph *const body = tarei_node_body(step->node, 0);
  const int n_scanned = (int)tarei_attr_int(step->node, "num_scan_inputs", 0);
  scan s = {.step = step,
            .run = r,
            .body = body,
            .n_states = body->n_formal - n_scanned,
            .n_scanned = n_scanned,
            .formal = tarei_calloc((size_t)body->n_formal, sizeof *s.formal)};
  s.n_lists = body->n_outputs - s.n_states;
  if (!s.formal) {
    return tarei_fail_memory(err, step->node->name, (size_t)body->n_formal * sizeof *s.formal);
  }
  const tare_status status = turns(&s, err);
  for (int i = 0; i < body->n_formal; i++) {
    const bool own = s.formal[i].data && s.formal[i].data != r->in[i]->data;
    tarei_call_give(r, own ? s.formal[i].data : NULL);
  }
  free(s.formal);
  return status;
}

const tarei_lowering tarei_lower_scan = {.run = run};
