#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/profiles.h"
#include "shapes/streaming.h"

tare_status tarei_utterance_init(tarei_utterance *const u, const tare_streaming *const s,
                                 tare_error *const err) {
  const size_t n = (size_t)s->n_inputs;
  *u = (tarei_utterance){.streaming = s,
                         .data = tarei_calloc(n, sizeof *u->data),
                         .tensors = tarei_calloc(n, sizeof *u->tensors),
                         .buffers = tarei_calloc(2 * n, sizeof *u->buffers)};
  return u->data && u->tensors && u->buffers
             ? TARE_OK
             : tarei_fail_memory(err, "utterance", n * sizeof *u->tensors);
}

void tarei_utterance_fini(tarei_utterance *const u) {
  for (int i = 0; u->buffers && i < 2 * u->streaming->n_inputs; i++) {
    free(u->buffers[i].data);
  }
  free(u->data);
  free(u->tensors);
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

/* The axis of a sample's tensor, which may lack the batch. */
static int utterance_axis_of(const tare_streaming *const s, const int input,
                             const tare_tensor *const t) {
  return s->chunk_axis[input] < 0 ? -1 : s->chunk_axis[input] - (s->inputs[input].rank - t->rank);
}

static int64_t chunks_in(const tare_streaming *const s, const int64_t length) {
  return length <= s->size ? 1 : 1 + (length - s->size + s->hop - 1) / s->hop;
}

static tare_status count_chunks(tarei_utterance *const u, tare_error *const err) {
  const tare_streaming *const s = u->streaming;
  const tare_tensor *t = u->data;
  u->n_chunks = -1;
  for (int i = 0; i < s->n_inputs; i++) {
    if (tarei_streaming_is_state(s, i)) {
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

/* What the data say of a symbol: 1 where a sample lacks the batch; -1 where they say nothing. */
static int64_t utterance_value_of(const tarei_utterance *const u, const char *const symbol) {
  const tare_streaming *const s = u->streaming;
  const tare_tensor *t = u->data;
  for (int i = 0; i < s->n_inputs; i++) {
    if (tarei_streaming_is_state(s, i)) {
      continue;
    }
    const tare_port *const port = &s->inputs[i];
    const int lacking = port->rank - t->rank;
    for (int d = 0; d < port->rank; d++) {
      if (port->dims[d].symbol && strcmp(port->dims[d].symbol, symbol) == 0) {
        return d == s->chunk_axis[i] ? s->size : d < lacking ? 1 : t->dims[d - lacking];
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
    const int64_t told = symbol ? utterance_value_of(u, symbol) : port->dims[d].value;
    t->dims[d] = told >= 0 ? told : least_of(profiles, symbol);
  }
  size_t bytes = 0;
  TAREI_TRY(utterance_make_room(buffer_of(u, input), t, &bytes, err));
  memset(t->data, 0, bytes);
  return TARE_OK;
}

tare_status tarei_utterance_begin(tarei_utterance *const u, const tare_profiles *const profiles,
                                  const tare_tensor *const data, tare_error *const err) {
  const int n_data = u->streaming->n_inputs - u->streaming->n_states;
  u->at = 0;
  for (int i = 0; i < n_data; i++) {
    TAREI_TRY(copy_into(&u->buffers[i], &u->data[i], &data[i], err));
  }
  TAREI_TRY(count_chunks(u, err));
  for (int i = 0; i < u->streaming->n_states; i++) {
    TAREI_TRY(reset_state(u, profiles, u->streaming->states[i].input, err));
  }
  return TARE_OK;
}

/* A window of `whole` along an axis, zeros behind its end. */
static void take_window(const tare_tensor *const whole, const int axis, const int64_t begin,
                        const tare_tensor *const window) {
  size_t outer = 1, inner = tare_dtype_size(whole->dtype);
  for (int d = 0; d < whole->rank; d++) {
    outer *= d < axis ? (size_t)whole->dims[d] : 1;
    inner *= d > axis ? (size_t)whole->dims[d] : 1;
  }
  const int64_t left = whole->dims[axis] - begin, size = window->dims[axis];
  const size_t have = (size_t)(left < 0      ? 0
                               : left < size ? left
                                             : size) *
                      inner,
               row = (size_t)size * inner, from = (size_t)whole->dims[axis] * inner;
  for (size_t o = 0; o < outer; o++) {
    char *const to = (char *)window->data + o * row;
    if (have) {
      memcpy(to, (const char *)whole->data + o * from + (size_t)begin * inner, have);
    }
    memset(to + have, 0, row - have);
  }
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
    if (tarei_streaming_is_state(s, i)) {
      continue;
    }
    const int axis = utterance_axis_of(s, i, t);
    u->tensors[i] = *t;
    if (axis >= 0) {
      size_t bytes = 0;
      u->tensors[i].dims[axis] = s->size;
      TAREI_TRY(utterance_make_room(buffer_of(u, i), &u->tensors[i], &bytes, err));
      take_window(t, axis, u->at * s->hop, &u->tensors[i]);
    }
    t++;
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
  return TARE_OK;
}
