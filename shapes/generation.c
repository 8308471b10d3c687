/* Tokens that a model generates behind a sample: each is appended to the data of the sample, which
 * then has one chunk more. */
#include <string.h>

#include "base/mem.h"
#include "shapes/streaming.h"

static bool is_token_type(const tare_dtype dtype) {
  return dtype == TARE_I64 || dtype == TARE_I32;
}

/* Inputs with token ids are named so; positions and types of tokens are integers as well. */
static bool is_named_ids(const char *const name) {
  return strstr(name, "ids") && !strstr(name, "position") && !strstr(name, "type");
}

static bool may_be_tokens(const tare_streaming *const s, const int i) {
  return !tarei_streaming_is_fed(s, i) && s->chunk_axis[i] >= 0 &&
         is_token_type(s->inputs[i].dtype);
}

static bool may_be_logits(const tare_streaming *const s, const int o) {
  bool is_state = false;
  for (int i = 0; i < s->n_states; i++) {
    is_state |= s->states[i].output == o;
  }
  return !is_state && s->outputs[o].dtype == TARE_F32 && s->outputs[o].rank > 0;
}

/* The only one of n that may be it, or the only one of those with such a name; -1: none. */
static int only_one(const tare_streaming *const s, const int n,
                    bool (*const may)(const tare_streaming *, int),
                    bool (*const named)(const tare_streaming *, int)) {
  int n_may = 0, n_named = 0, first = -1, first_named = -1;
  for (int i = 0; i < n; i++) {
    const bool may_be = may(s, i), is_named = may_be && named(s, i);
    first = may_be && !n_may ? i : first;
    first_named = is_named && !n_named ? i : first_named;
    n_may += may_be;
    n_named += is_named;
  }
  return n_may == 1 ? first : n_named == 1 ? first_named : -1;
}

static bool input_is_ids(const tare_streaming *const s, const int i) {
  return is_named_ids(s->inputs[i].name);
}

static bool output_is_logits(const tare_streaming *const s, const int o) {
  return strstr(s->outputs[o].name, "logits") != NULL;
}

tare_status tare_streaming_set_generation(tare_streaming *const s, const int64_t tokens,
                                          tare_error *const err) {
  if (tokens < 1 || s->size != 1 || !tare_streaming_chunk_symbol(s, &(int64_t){0})) {
    return tarei_fail(err, TARE_E_USAGE,
                      "generation appends a token at a time: it needs at least 1 token, and chunks "
                      "of 1 along a symbol, as seq=1");
  }
  const int input = only_one(s, s->n_inputs, may_be_tokens, input_is_ids);
  const int output = only_one(s, s->n_outputs, may_be_logits, output_is_logits);
  if (input < 0) {
    return tarei_fail(
        err, TARE_E_USAGE,
        "generation: expected one integer input of tokens along the axis that is cut, "
        "or one of several whose name contains 'ids'");
  }
  if (output < 0) {
    return tarei_fail(err, TARE_E_USAGE,
                      "generation: expected one float32 output that is no state, or one of several "
                      "whose name contains 'logits'");
  }
  s->generation = (tarei_generation){.tokens = tokens, .input = input, .output = output};
  return TARE_OK;
}

int64_t tare_streaming_generated(const tare_streaming *const s) {
  return s->generation.tokens;
}

/* The index of the largest logit of the one token of a chunk; of equal ones the first. */
static tare_status pick_token(const tare_streaming *const s, const tare_tensor *const logits,
                              int64_t *const token, tare_error *const err) {
  const int64_t n = logits->dims[logits->rank - 1];
  const float *const values = logits->data;
  if (n < 1 || tare_tensor_count(logits) != n) {
    return tarei_fail(err, TARE_E_SHAPE,
                      "generation: output '%s' has %lld values for one token, expected one row of "
                      "logits (a batch of 1)",
                      s->outputs[s->generation.output].name, (long long)tare_tensor_count(logits));
  }
  *token = 0;
  for (int64_t i = 1; i < n; i++) {
    *token = values[i] > values[*token] ? i : *token;
  }
  return TARE_OK;
}

static int64_t integer_at(const tare_tensor *const t, const int64_t at) {
  return t->dtype == TARE_I64 ? ((const int64_t *)t->data)[at] : ((const int32_t *)t->data)[at];
}

static void set_integer(const tare_tensor *const t, const int64_t at, const int64_t value) {
  if (t->dtype == TARE_I64) {
    ((int64_t *)t->data)[at] = value;
  } else {
    ((int32_t *)t->data)[at] = (int32_t)value;
  }
}

/* Makes an axis one longer, where the tensor has no other elements than those along it. */
static tare_status generation_append(const tarei_utterance *const u, const int input,
                                     const int axis, struct tarei_utterance_buffer *const buffer,
                                     tare_tensor *const t, const int64_t *const token,
                                     tare_error *const err) {
  const int64_t length = t->dims[axis];
  const size_t size = tare_dtype_size(t->dtype);
  const char *const name = u->streaming->inputs[input].name;
  if (length < 1 || tare_tensor_count(t) != length) {
    return tarei_fail(
        err, TARE_E_SHAPE,
        "generation: input '%s' cannot go on behind the sample: expected one value for "
        "each token",
        name);
  }
  const size_t bytes = ((size_t)length + 1) * size;
  char *const longer = tarei_alloc_aligned(bytes, 1);
  if (!longer) {
    return tarei_fail_memory(err, name, bytes);
  }
  memcpy(longer, t->data, bytes - size);
  memcpy(longer + bytes - size, longer + bytes - 2 * size, size); /* masks and types stay */
  free(buffer->data);
  *buffer = (struct tarei_utterance_buffer){.data = longer, .bytes = bytes};
  t->data = longer;
  t->dims[axis]++;
  if (token) {
    set_integer(t, length, *token);
  } else if (is_token_type(t->dtype) && strstr(name, "position")) {
    set_integer(t, length, integer_at(t, length) + 1);
  }
  return TARE_OK;
}

tare_status tarei_utterance_generate(tarei_utterance *const u, const tare_tensor *const outputs,
                                     tare_error *const err) {
  const tare_streaming *const s = u->streaming;
  int64_t token = 0;
  TAREI_TRY(pick_token(s, &outputs[s->generation.output], &token, err));
  for (int i = 0, k = 0; i < s->n_inputs; i++) {
    if (tarei_streaming_is_fed(s, i)) {
      continue;
    }
    const int axis = s->chunk_axis[i] >= 0 ? s->chunk_axis[i] : u->joints[i].axis;
    tare_tensor *const t = &u->data[k];
    const int own = axis - (s->inputs[i].rank - t->rank);
    TAREI_TRY(axis < 0 ? TARE_OK
                       : generation_append(u, i, own, &u->buffers[k], t,
                                           i == s->generation.input ? &token : NULL, err));
    k++;
  }
  u->n_chunks++;
  return TARE_OK;
}
