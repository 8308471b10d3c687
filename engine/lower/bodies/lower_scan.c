/* A body that takes one element after another along an axis. */
#include <string.h>

#include "base/mem.h"
#include "engine/call.h"

typedef struct bodies_scan {
  const tarei_step *step;
  const tarei_run *run;
  const tarei_graph *body;
  int n_states, n_scanned, n_lists;
  tare_tensor *formal; /* of the body; data owned */
  tare_tensor
      *lists; /* where elements go; those of a step that measures get memory with the first */
} bodies_scan;

static int64_t list_item(const tarei_node *const node, const char *const name, const int i) {
  int n;
  const int64_t *const list = tarei_attr_ints(node, name, &n);
  return i < n ? list[i] : 0;
}

static int scan_axis_of(const tarei_node *const node, const char *const name, const int i,
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

static int scan_axis(const bodies_scan *const s, const int i) {
  return scan_axis_of(s->step->node, "scan_input_axes", i, s->run->in[s->n_states + i]->rank);
}

static int64_t scan_length_of(const bodies_scan *const s) {
  return s->run->in[s->n_states]->dims[scan_axis(s, 0)];
}

static int64_t turned(const tarei_node *const node, const char *const name, const int i,
                      const int64_t at, const int64_t length) {
  return list_item(node, name, i) ? length - 1 - at : at;
}

static tare_status scan_begin(const bodies_scan *const s, tare_error *const err) {
  for (int i = 0; i < s->body->n_formal; i++) {
    const tare_tensor *const given = s->run->in[i];
    tare_tensor *const t = &s->formal[i];
    *t = *given;
    if (i >= s->n_states) {
      const int axis = scan_axis(s, i - s->n_states);
      if (given->dims[axis] != scan_length_of(s)) {
        return tarei_fail(err, TARE_E_SHAPE, "scanned tensors have lengths %lld and %lld",
                          (long long)scan_length_of(s), (long long)given->dims[axis]);
      }
      t->rank--;
      memmove(&t->dims[axis], &t->dims[axis + 1], (size_t)(t->rank - axis) * sizeof *t->dims);
    }
    const size_t bytes = (size_t)tare_tensor_count(t) * tare_dtype_size(t->dtype);
    TAREI_TRY(tarei_call_take(s->step, s->run, bytes, &t->data, err));
    if (i < s->n_states && bytes) {
      memcpy(t->data, given->data, bytes);
    }
  }
  return TARE_OK;
}

/* What a list is once its first element is known. */
static tare_status scan_take_list(const bodies_scan *const s, const int i,
                                  const tare_tensor *const element, const int64_t length,
                                  tare_error *const err) {
  tare_tensor *const list = &s->lists[i];
  const int rank = element->rank + 1;
  const int axis = scan_axis_of(s->step->node, "scan_output_axes", i, rank);
  *list = (tare_tensor){.dtype = element->dtype, .rank = rank};
  for (int d = 0, from = 0; d < rank; d++) {
    list->dims[d] = d == axis ? length : element->dims[from++];
  }
  const int64_t n = tare_tensor_count(list);
  size_t bytes;
  if (n < 0 || !tarei_mul_size((size_t)n, tare_dtype_size(list->dtype), &bytes)) {
    return tarei_fail(err, TARE_E_LIMIT, "output %d exceeds the address space", s->n_states + i);
  }
  return tarei_call_take(s->step, s->run, bytes, &list->data, err);
}

static bool fits_list(const tare_tensor *const element, const tare_tensor *const list,
                      const int axis) {
  bool fits = element->rank + 1 == list->rank;
  for (int d = 0, from = 0; fits && d < list->rank; d++) {
    fits = d == axis || list->dims[d] == element->dims[from++];
  }
  return fits;
}

static tare_status put_element(const bodies_scan *const s, const int i, const int64_t turn,
                               const int64_t length, tare_error *const err) {
  const tarei_node *const node = s->step->node;
  const tare_tensor *const element = tarei_call_output(s->step, s->run, 0, s->n_states + i);
  if (s->step->n_measured && turn == 0) {
    TAREI_TRY(scan_take_list(s, i, element, length, err));
  }
  const tare_tensor *const list = &s->lists[i];
  if (!list->data) {
    return TARE_OK;
  }
  const int axis = scan_axis_of(node, "scan_output_axes", i, list->rank);
  if (!fits_list(element, list, axis)) {
    return tarei_fail(err, TARE_E_SHAPE, "output %d changes its dims between iterations",
                      s->n_states + i);
  }
  copy_element(list, axis, turned(node, "scan_output_directions", i, turn, length), element->data,
               false);
  return TARE_OK;
}

static tare_status scan_turn(const bodies_scan *const s, const int64_t at, const int64_t length,
                             tare_error *const err) {
  TAREI_TRY(tarei_call_turn(s->step, s->run, err));
  for (int i = 0; i < s->n_scanned; i++) {
    copy_element(s->run->in[s->n_states + i], scan_axis(s, i),
                 turned(s->step->node, "scan_input_directions", i, at, length),
                 s->formal[s->n_states + i].data, true);
  }
  TAREI_TRY(tarei_call(s->step, s->run, 0, s->formal, err));
  for (int i = 0; i < s->n_states; i++) {
    const tare_tensor *const next = tarei_call_output(s->step, s->run, 0, i);
    if (tare_tensor_count(next) != tare_tensor_count(&s->formal[i])) {
      return tarei_fail(err, TARE_E_SHAPE, "state %d changes its dims between iterations", i);
    }
    memcpy(s->formal[i].data, next->data,
           (size_t)tare_tensor_count(next) * tare_dtype_size(next->dtype));
  }
  for (int i = 0; i < s->n_lists && s->n_states + i < s->step->node->n_out; i++) {
    TAREI_TRY(put_element(s, i, at, length, err));
  }
  return TARE_OK;
}

static tare_status scan_turns(const bodies_scan *const s, tare_error *const err) {
  TAREI_TRY(scan_begin(s, err));
  const int64_t length = scan_length_of(s);
  for (int64_t at = 0; at < length; at++) {
    TAREI_TRY(scan_turn(s, at, length, err));
  }
  return TARE_OK;
}

/* Computes all turns. States end in `states`, whose memory is the caller's then. */
static tare_status scan_compute(const tarei_step *const step, const tarei_run *const r,
                                tare_tensor *const lists, tare_tensor *const states,
                                tare_error *const err) {
  const tarei_graph *const body = tarei_node_body(step->node, 0);
  const int n_scanned = (int)tarei_attr_int(step->node, "num_scan_inputs", 0);
  bodies_scan s = {.step = step,
                   .run = r,
                   .body = body,
                   .n_states = body->n_formal - n_scanned,
                   .n_scanned = n_scanned,
                   .formal = tarei_calloc((size_t)body->n_formal, sizeof *s.formal),
                   .lists = lists};
  s.n_lists = body->n_outputs - s.n_states;
  if (!s.formal) {
    return tarei_fail_memory(err, step->node->name, (size_t)body->n_formal * sizeof *s.formal);
  }
  const tare_status status = scan_turns(&s, err);
  for (int i = 0; i < body->n_formal; i++) {
    const bool own = s.formal[i].data && s.formal[i].data != r->in[i]->data;
    if (i < s.n_states && status == TARE_OK) {
      states[i] = s.formal[i];
    } else {
      tarei_call_give(r, own ? s.formal[i].data : NULL);
    }
  }
  free(s.formal);
  return status;
}

static int count_states(const tarei_step *const step) {
  return tarei_node_body(step->node, 0)->n_formal -
         (int)tarei_attr_int(step->node, "num_scan_inputs", 0);
}

/* States and lists, kept until `run`. */
static tare_status compute_results(const tarei_step *const step, const tarei_run *const r,
                                   tare_tensor **const results, tare_error *const err) {
  const int n = tarei_node_body(step->node, 0)->n_outputs;
  tare_tensor *const kept = *results = tarei_call_results(step, r, n);
  if (!kept) {
    return tarei_fail_memory(err, step->node->name, (size_t)n * sizeof *kept);
  }
  memset(kept, 0, (size_t)n * sizeof *kept);
  for (int o = count_states(step); !step->n_measured && o < step->node->n_out; o++) {
    kept[o] = r->out[o] ? *r->out[o] : kept[o];
  }
  const tare_status status = scan_compute(step, r, kept + count_states(step), kept, err);
  for (int o = 0; status != TARE_OK && o < n; o++) {
    tarei_call_give(r, step->n_measured ? kept[o].data : NULL);
  }
  return status;
}

static tare_status scan_measure(const tarei_step *const step, const tarei_run *const r,
                                int64_t *const values, tare_error *const err) {
  tare_tensor *results;
  TAREI_TRY(compute_results(step, r, &results, err));
  tarei_call_dims(step, results, values);
  return TARE_OK;
}

static tare_status scan_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  const int n = tarei_node_body(step->node, 0)->n_outputs;
  tare_tensor *results;
  if (step->n_measured) {
    tarei_call_hand_out(step, r, tarei_call_results(step, r, n), n);
    return TARE_OK;
  }
  TAREI_TRY(compute_results(step, r, &results, err));
  tarei_call_hand_out(step, r, results, count_states(step)); /* the lists lie in place */
  return TARE_OK;
}

const tarei_lowering tarei_lower_scan = {.measure = scan_measure, .run = scan_run};
