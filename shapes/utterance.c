#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/profiles.h"
#include "shapes/streaming.h"

/* Whether a state has a symbol, whose value then changes from run to run. */
static bool is_of_state(const tare_streaming *const s, const char *const symbol) {
  bool is = false;
  for (int i = 0; i < s->n_states; i++) {
    const tare_port *const port = &s->inputs[s->states[i].input];
    for (int d = 0; d < port->rank; d++) {
      is |= port->dims[d].symbol && strcmp(port->dims[d].symbol, symbol) == 0;
    }
  }
  return is;
}

static struct tarei_utterance_joint joint_of(const tarei_utterance *const u, const int input) {
  const tare_streaming *const s = u->streaming;
  const tare_port *const port = &s->inputs[input];
  struct tarei_utterance_joint joint = {.axis = -1};
  for (int d = 0; !tarei_streaming_is_fed(s, input) && d < port->rank; d++) {
    const tarei_symbol_sum sum =
        port->dims[d].symbol ? tarei_symbol_sum_read(port->dims[d].symbol, u->symbols, u->n_symbols)
                             : (tarei_symbol_sum){.is = false};
    for (int i = 0; sum.is && i < u->n_symbols; i++) {
      if (tarei_symbol_sum_count(&sum, i) && is_of_state(s, u->symbols[i])) {
        joint = (struct tarei_utterance_joint){.axis = d, .length = sum};
      }
    }
  }
  return joint;
}

static tare_status check_hop(const tarei_utterance *const u, tare_error *const err) {
  const tare_streaming *const s = u->streaming;
  for (int i = 0; i < u->n_symbols; i++) {
    if (s->hop != s->size && tare_streaming_growth(s, u->symbols[i]) > 0) {
      return tarei_fail(
          err, TARE_E_USAGE,
          "hop %lld for chunks of %lld: a state grows along '%s', and would hold what "
          "chunks have in common twice (leave the hop out)",
          (long long)s->hop, (long long)s->size, u->symbols[i]);
    }
  }
  return TARE_OK;
}

tare_status tarei_utterance_init(tarei_utterance *const u, const tare_streaming *const s,
                                 tare_error *const err) {
  const size_t n = (size_t)s->n_inputs;
  *u = (tarei_utterance){.streaming = s,
                         .data = tarei_calloc(n, sizeof *u->data),
                         .tensors = tarei_calloc(n, sizeof *u->tensors),
                         .joints = tarei_calloc(n, sizeof *u->joints),
                         .buffers = tarei_calloc(2 * n, sizeof *u->buffers)};
  if (!u->data || !u->tensors || !u->joints || !u->buffers) {
    return tarei_fail_memory(err, "utterance", n * sizeof *u->tensors);
  }
  u->n_symbols = tarei_streaming_symbols(s, u->symbols);
  TAREI_TRY(check_hop(u, err));
  for (int i = 0; i < s->n_inputs; i++) {
    u->joints[i] = joint_of(u, i);
  }
  return TARE_OK;
}

void tarei_utterance_fini(tarei_utterance *const u) {
  for (int i = 0; u->buffers && i < 2 * u->streaming->n_inputs; i++) {
    free(u->buffers[i].data);
  }
  free(u->data);
  free(u->tensors);
  free(u->joints);
  free(u->buffers);
  *u = (tarei_utterance){0};
}

/* Gives a tensor memory for its dims; *bytes is how much it takes. */
static tare_status utterance_make_room(struct tarei_utterance_buffer *const buffer,
                                       tare_tensor *const t, size_t *const bytes,
                                       tare_error *const err) {
  const int64_t count = tare_tensor_count(t);
  if (count < 0 || !tarei_mul_size((size_t)count, tare_dtype_size(t->dtype), bytes)) {
    return tarei_fail(err, TARE_E_LIMIT, "a tensor of the stream exceeds the address space");
  }
  if (*bytes > buffer->bytes || !buffer->data) {
    free(buffer->data);
    buffer->data = tarei_alloc_aligned(*bytes, 1);
    buffer->bytes = buffer->data ? *bytes : 0;
    if (!buffer->data) {
      return tarei_fail_memory(err, "stream", *bytes);
    }
  }
  t->data = buffer->data;
  return TARE_OK;
}

static struct tarei_utterance_buffer *buffer_of(const tarei_utterance *const u, const int input) {
  return &u->buffers[u->streaming->n_inputs + input];
}

static tare_status copy_into(struct tarei_utterance_buffer *const buffer, tare_tensor *const to,
                             const tare_tensor *const from, tare_error *const err) {
  size_t bytes = 0;
  *to = *from;
  TAREI_TRY(utterance_make_room(buffer, to, &bytes, err));
  if (bytes) {
    memcpy(to->data, from->data, bytes);
  }
  return TARE_OK;
}

/* An axis of a port in a sample's tensor, which may lack the batch. */
static int axis_in(const tare_streaming *const s, const int input, const int axis,
                   const tare_tensor *const t) {
  return axis < 0 ? -1 : axis - (s->inputs[input].rank - t->rank);
}

static int utterance_axis_of(const tare_streaming *const s, const int input,
                             const tare_tensor *const t) {
  return axis_in(s, input, s->chunk_axis[input], t);
}

static int64_t chunks_in(const tare_streaming *const s, const int64_t length) {
  return length <= s->size ? 1 : 1 + (length - s->size + s->hop - 1) / s->hop;
}

static tare_status count_chunks(tarei_utterance *const u, tare_error *const err) {
  const tare_streaming *const s = u->streaming;
  const tare_tensor *t = u->data;
  u->n_chunks = -1;
  for (int i = 0; i < s->n_inputs; i++) {
    if (tarei_streaming_is_fed(s, i)) {
      continue;
    }
    const int axis = utterance_axis_of(s, i, t);
    if (s->chunk_axis[i] >= 0 && (axis < 0 || axis >= t->rank)) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "input '%s' has rank %d and lacks the axis to cut into chunks",
                        s->inputs[i].name, t->rank);
    }
    const int64_t n = axis < 0 ? -1 : chunks_in(s, t->dims[axis]);
    if (n >= 0 && u->n_chunks >= 0 && n != u->n_chunks) {
      return tarei_fail(err, TARE_E_SHAPE, "input '%s' has %lld chunks, another input has %lld",
                        s->inputs[i].name, (long long)n, (long long)u->n_chunks);
    }
    u->n_chunks = n >= 0 ? n : u->n_chunks;
    t++;
  }
  u->n_chunks = u->n_chunks < 0 ? 1 : u->n_chunks; /* whole samples */
  return TARE_OK;
}

/* What the data say of a symbol, in a chunk or as a whole: 1 where a sample lacks the batch; -1
 * where they say nothing. */
static int64_t utterance_value_of(const tarei_utterance *const u, const char *const symbol,
                                  const bool whole) {
  const tare_streaming *const s = u->streaming;
  const tare_tensor *t = u->data;
  for (int i = 0; i < s->n_inputs; i++) {
    if (tarei_streaming_is_fed(s, i)) {
      continue;
    }
    const tare_port *const port = &s->inputs[i];
    const int lacking = port->rank - t->rank;
    for (int d = 0; d < port->rank; d++) {
      if (port->dims[d].symbol && strcmp(port->dims[d].symbol, symbol) == 0) {
        return d == s->chunk_axis[i] && !whole ? s->size : d < lacking ? 1 : t->dims[d - lacking];
      }
    }
    t++;
  }
  return -1;
}

static int64_t least_of(const tare_profiles *const profiles, const char *const symbol) {
  const int i = tarei_profiles_find_symbol(profiles, symbol);
  return i < 0 ? 1 : tare_profiles_range(profiles, 0, i).min;
}

static tare_status reset_state(tarei_utterance *const u, const tare_profiles *const profiles,
                               const int input, tare_error *const err) {
  const tare_port *const port = &u->streaming->inputs[input];
  tare_tensor *const t = &u->tensors[input];
  *t = (tare_tensor){.dtype = port->dtype, .rank = port->rank};
  for (int d = 0; d < port->rank; d++) {
    const char *const symbol = port->dims[d].symbol;
    const int64_t told = symbol ? utterance_value_of(u, symbol, false) : port->dims[d].value;
    t->dims[d] = told >= 0 ? told : least_of(profiles, symbol);
  }
  size_t bytes = 0;
  TAREI_TRY(utterance_make_room(buffer_of(u, input), t, &bytes, err));
  memset(t->data, 0, bytes);
  return TARE_OK;
}

/* The value of a symbol that states have, or the data. */
static int64_t length_now(const tarei_utterance *const u, const char *const symbol,
                          const bool whole) {
  const tare_streaming *const s = u->streaming;
  for (int i = 0; i < s->n_states; i++) {
    const int input = s->states[i].input;
    for (int d = 0; d < s->inputs[input].rank; d++) {
      const char *const own = s->inputs[input].dims[d].symbol;
      if (own && strcmp(own, symbol) == 0) {
        return u->tensors[input].dims[d];
      }
    }
  }
  const int64_t value = utterance_value_of(u, symbol, whole);
  return value < 0 ? 1 : value;
}

/* The length of an axis that joins a state and a chunk, or the whole sample. */
static tare_status joint_length(const tarei_utterance *const u, const int input, const bool whole,
                                int64_t *const length, tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  for (int i = 0; i < u->n_symbols; i++) {
    values[i] = length_now(u, u->symbols[i], whole);
  }
  return tarei_symbol_sum_value(&u->joints[input].length, values, length)
             ? TARE_OK
             : tarei_fail(err, TARE_E_LIMIT, "input '%s' exceeds 64 bits",
                          u->streaming->inputs[input].name);
}

/* The data has such an axis for the whole sample. */
static tare_status check_joint(const tarei_utterance *const u, const int input,
                               const tare_tensor *const t, tare_error *const err) {
  const tare_streaming *const s = u->streaming;
  const int axis = axis_in(s, input, u->joints[input].axis, t);
  int64_t length = 0;
  if (axis < 0) {
    return TARE_OK;
  }
  TAREI_TRY(joint_length(u, input, true, &length, err));
  return t->dims[axis] == length
             ? TARE_OK
             : tarei_fail(err, TARE_E_SHAPE,
                          "input '%s' has length %lld along '%s', expected %lld: that of the state "
                          "at the beginning and of the whole sample",
                          s->inputs[input].name, (long long)t->dims[axis],
                          s->inputs[input].dims[u->joints[input].axis].symbol, (long long)length);
}

tare_status tarei_utterance_begin(tarei_utterance *const u, const tare_profiles *const profiles,
                                  const tare_tensor *const data, tare_error *const err) {
  const tare_streaming *const s = u->streaming;
  u->at = 0;
  u->to_generate = u->generates;
  for (int i = 0; i < tarei_streaming_n_data(s); i++) {
    TAREI_TRY(copy_into(&u->buffers[i], &u->data[i], &data[i], err));
  }
  TAREI_TRY(count_chunks(u, err));
  for (int i = 0; i < s->n_states; i++) {
    TAREI_TRY(reset_state(u, profiles, s->states[i].input, err));
  }
  if (s->switch_input >= 0) {
    TAREI_TRY(reset_state(u, profiles, s->switch_input, err));
  }
  const tare_tensor *t = u->data;
  for (int i = 0; i < s->n_inputs; i++) {
    if (!tarei_streaming_is_fed(s, i)) {
      TAREI_TRY(check_joint(u, i, t++, err));
    }
  }
  return TARE_OK;
}

/* A box of `whole` that begins at an index along each axis, zeros behind its ends. */
static void take_box(const tare_tensor *const whole, const int64_t *const begin, const int axis,
                     const char *const from, const tare_tensor *const box, char *const to) {
  size_t inner = tare_dtype_size(whole->dtype), rows = inner;
  for (int d = axis + 1; d < whole->rank; d++) {
    inner *= (size_t)whole->dims[d];
    rows *= (size_t)box->dims[d];
  }
  const int64_t left = whole->dims[axis] - begin[axis], size = box->dims[axis];
  const int64_t have = left < 0 ? 0 : left < size ? left : size;
  const bool last = axis == whole->rank - 1;
  if (last && have) {
    memcpy(to, from + (size_t)begin[axis] * inner, (size_t)have * inner);
  }
  for (int64_t i = 0; !last && i < have; i++) {
    take_box(whole, begin, axis + 1, from + (size_t)(begin[axis] + i) * inner, box,
             to + (size_t)i * rows);
  }
  if (have < size) {
    memset(to + (size_t)have * rows, 0, (size_t)(size - have) * rows);
  }
}

/* An input of the next chunk: the data where nothing is cut. */
static tare_status take_input(tarei_utterance *const u, const int input, const tare_tensor *const t,
                              tare_error *const err) {
  const tare_streaming *const s = u->streaming;
  const int axis = utterance_axis_of(s, input, t);
  const int joint = axis_in(s, input, u->joints[input].axis, t);
  tare_tensor *const out = &u->tensors[input];
  int64_t begin[TARE_MAX_RANK] = {0};
  size_t bytes = 0;
  *out = *t;
  if (axis < 0 && joint < 0) {
    return TARE_OK;
  }
  if (axis >= 0) {
    out->dims[axis] = s->size;
    begin[axis] = u->at * s->hop;
  }
  TAREI_TRY(joint < 0 ? TARE_OK : joint_length(u, input, false, &out->dims[joint], err));
  TAREI_TRY(utterance_make_room(buffer_of(u, input), out, &bytes, err));
  take_box(t, begin, 0, t->data, out, out->data);
  return TARE_OK;
}

tare_status tarei_utterance_next(tarei_utterance *const u, const tare_tensor **const tensors,
                                 tare_error *const err) {
  const tare_streaming *const s = u->streaming;
  *tensors = NULL;
  if (u->at == u->n_chunks) {
    return TARE_OK;
  }
  const tare_tensor *t = u->data;
  for (int i = 0; i < s->n_inputs; i++) {
    if (!tarei_streaming_is_fed(s, i)) {
      TAREI_TRY(take_input(u, i, t++, err));
    }
  }
  if (s->switch_input >= 0) {
    *(uint8_t *)u->tensors[s->switch_input].data = u->at > 0;
  }
  u->at++;
  *tensors = u->tensors;
  return TARE_OK;
}

tare_status tarei_utterance_feed(tarei_utterance *const u, const tare_tensor *const outputs,
                                 tare_error *const err) {
  for (int i = 0; i < u->streaming->n_states; i++) {
    const tarei_state *const state = &u->streaming->states[i];
    TAREI_TRY(copy_into(buffer_of(u, state->input), &u->tensors[state->input],
                        &outputs[state->output], err));
  }
  if (u->at == u->n_chunks && u->to_generate > 0) {
    u->to_generate--;
    return tarei_utterance_generate(u, outputs, err);
  }
  return TARE_OK;
}
