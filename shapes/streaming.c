#include "shapes/streaming.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/axis_name.h"

static bool streaming_has_symbol(const tare_streaming *const s, const char *const name) {
  bool has = false;
  for (int i = 0; i < s->n_inputs; i++) {
    for (int d = 0; d < s->inputs[i].rank; d++) {
      const char *const symbol = s->inputs[i].dims[d].symbol;
      has |= symbol && strcmp(symbol, name) == 0;
    }
  }
  return has;
}

/* Ports know symbols by name: '_' is added while an input has this one. */
static void name_chunked_symbol(tare_streaming *const s) {
  tarei_str_add(&s->chunked, "chunked");
  while (!s->chunked.failed && streaming_has_symbol(s, tarei_str_get(&s->chunked))) {
    tarei_str_add(&s->chunked, "_");
  }
}

tare_status tare_streaming_new(const tare_port *const inputs, const int n_inputs,
                               const tare_port *const outputs, const int n_outputs,
                               tare_streaming **const out, tare_error *const err) {
  *out = NULL;
  tare_streaming *s = tarei_calloc(1, sizeof *s);
  if (!s) {
    return tarei_fail_memory(err, "streaming", sizeof *s);
  }
  *s = (tare_streaming){.inputs = inputs,
                        .n_inputs = n_inputs,
                        .outputs = outputs,
                        .n_outputs = n_outputs,
                        .switch_input = -1,
                        .chunk_axis = tarei_calloc((size_t)n_inputs, sizeof *s->chunk_axis),
                        .states = tarei_calloc((size_t)n_inputs, sizeof *s->states),
                        .pairs = tarei_calloc((size_t)n_inputs, sizeof *s->pairs),
                        .ports = tarei_calloc((size_t)n_inputs, sizeof *s->ports)};
  name_chunked_symbol(s);
  if (!s->chunk_axis || !s->states || !s->pairs || !s->ports || s->chunked.failed) {
    tare_streaming_free(&s);
    return tarei_fail_memory(err, "streaming", (size_t)n_inputs * sizeof *s->ports);
  }
  for (int i = 0; i < n_inputs; i++) {
    s->chunk_axis[i] = -1;
  }
  *out = s;
  return TARE_OK;
}

void tare_streaming_free(tare_streaming **const streaming) {
  tare_streaming *const s = *streaming;
  if (s) {
    free(s->states);
    free(s->pairs);
    free(s->chunk_axis);
    free(s->ports);
    tarei_str_free(&s->chunked);
    free(s);
    *streaming = NULL;
  }
}

/* --- states ----------------------------------------------------------------------------------- */

bool tarei_streaming_is_fed(const tare_streaming *const s, const int input) {
  return input == s->switch_input || tarei_streaming_is_state(s, input);
}

int tarei_streaming_n_data(const tare_streaming *const s) {
  return s->n_inputs - s->n_states - (s->switch_input >= 0);
}

/* "use_cache_branch", by which Optimum chooses the branch of a decoder that reads the caches. */
static bool is_switch(const tare_port *const port) {
  bool is = port->dtype == TARE_BOOL && strncmp(port->name, "use_cache", strlen("use_cache")) == 0;
  for (int d = 0; d < port->rank; d++) {
    is = is && !port->dims[d].symbol && port->dims[d].value == 1;
  }
  return is;
}

static int find_switch(const tare_streaming *const s) {
  int i = 0;
  while (i < s->n_inputs && !is_switch(&s->inputs[i])) {
    i++;
  }
  return i < s->n_inputs ? i : -1;
}

bool tarei_streaming_is_state(const tare_streaming *const s, const int input) {
  for (int i = 0; i < s->n_states; i++) {
    if (s->states[i].input == input) {
      return true;
    }
  }
  return false;
}

bool tarei_streaming_are_alike(const tare_port *const input, const tare_port *const output) {
  bool alike = input->dtype == output->dtype && input->rank == output->rank;
  for (int d = 0; alike && d < input->rank; d++) {
    alike = input->dims[d].symbol || output->dims[d].symbol ||
            input->dims[d].value == output->dims[d].value;
  }
  return alike;
}

/* An input has one state at most, so there is room. */
void tarei_streaming_add(tare_streaming *const s, const tarei_state *const state) {
  assert(s->n_states < s->n_inputs);
  s->states[s->n_states++] = *state;
  s->switch_input = find_switch(s);
}

tare_status tare_streaming_add_state(tare_streaming *const s, const char *const pair,
                                     tare_error *const err) {
  for (const char *colon = strchr(pair, ':'); colon; colon = strchr(colon + 1, ':')) {
    const int output = tarei_find_port(s->outputs, s->n_outputs, pair, (size_t)(colon - pair));
    const int input = tarei_find_port(s->inputs, s->n_inputs, colon + 1, strlen(colon + 1));
    if (output < 0 || input < 0) {
      continue;
    }
    const tare_port *const in = &s->inputs[input], *const out = &s->outputs[output];
    if (tarei_streaming_is_state(s, input)) {
      return tarei_fail(err, TARE_E_USAGE, "state '%s': input '%s' already has a state", pair,
                        in->name);
    }
    if (!tarei_streaming_are_alike(in, out)) {
      return tarei_fail(err, TARE_E_USAGE,
                        "state '%s': output '%s' and input '%s' differ in type or shape", pair,
                        out->name, in->name);
    }
    const tarei_state declared = {output, input, TAREI_STATE_DECLARED};
    tarei_streaming_add(s, &declared);
    return TARE_OK;
  }
  return tarei_fail(err, TARE_E_USAGE, "state '%s': expected OUTPUT:INPUT with names of the model",
                    pair);
}

int tare_streaming_n_states(const tare_streaming *const s) {
  return s->n_states;
}

const char *tare_streaming_state_input(const tare_streaming *const s, const int state) {
  if (!tarei_has_number(state, s->n_states)) {
    return NULL;
  }
  return s->inputs[s->states[state].input].name;
}

const char *tare_streaming_switch(const tare_streaming *const s) {
  return s->switch_input < 0 ? NULL : s->inputs[s->switch_input].name;
}

const char *tare_streaming_state_output(const tare_streaming *const s, const int state) {
  if (!tarei_has_number(state, s->n_states)) {
    return NULL;
  }
  return s->outputs[s->states[state].output].name;
}

const char *tare_streaming_state_reason(const tare_streaming *const s, const int state) {
  static const char *const REASONS[] = {
      [TAREI_STATE_DECLARED] = "",
      [TAREI_STATE_NAMED] = "their names and shapes pair",
      [TAREI_STATE_GROWS] = "their names pair, and the output is the input and what a run appends",
      [TAREI_STATE_FIXED] = "their names pair, and no length of the data changes their shape"};
  return tarei_has_number(state, s->n_states) ? REASONS[s->states[state].reason] : NULL;
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* Marks the axes with this symbol; their number. */
static int mark_symbol(tare_streaming *const s, const char *const name, const size_t length) {
  int n = 0;
  for (int i = 0; i < s->n_inputs; i++) {
    for (int d = 0; d < s->inputs[i].rank; d++) {
      const char *const symbol = s->inputs[i].dims[d].symbol;
      if (symbol && strlen(symbol) == length && strncmp(symbol, name, length) == 0) {
        s->chunk_axis[i] = d;
        n++;
      }
    }
  }
  return n;
}

/* Marks the axes with the symbol of the axis that the model gives this name; their number. */
static int mark_named_axis(tare_streaming *const s, const char *const name, const size_t length) {
  int axis;
  const int input = tarei_find_axis(s->inputs, s->n_inputs, name, length, &axis);
  const char *const symbol = input < 0 ? NULL : s->inputs[input].dims[axis].symbol;
  return symbol ? mark_symbol(s, symbol, strlen(symbol)) : 0;
}

/* "input" or "input:axis". */
static tare_status mark_input(tare_streaming *const s, const char *const spec,
                              const char *const end, tare_error *const err) {
  int input;
  int64_t axis;
  if (!tarei_parse_axis(s->inputs, s->n_inputs, spec, (size_t)(end - spec), &input, &axis)) {
    return tarei_fail(err, TARE_E_USAGE, "chunk '%s': '%.*s' is neither a symbol nor an input",
                      spec, (int)(end - spec), spec);
  }
  if (axis < 0 || axis >= s->inputs[input].rank) {
    return tarei_fail(err, TARE_E_USAGE, "chunk '%s': input '%s' has rank %d", spec,
                      s->inputs[input].name, s->inputs[input].rank);
  }
  s->chunk_axis[input] = (int)axis;
  return TARE_OK;
}

static tare_status check_axes(const tare_streaming *const s, const char *const spec,
                              tare_error *const err) {
  for (int i = 0; i < s->n_inputs; i++) {
    const tare_dim *const dim = s->chunk_axis[i] < 0 ? NULL : &s->inputs[i].dims[s->chunk_axis[i]];
    if (dim && !dim->symbol && dim->value != s->size) {
      return tarei_fail(err, TARE_E_USAGE, "chunk '%s': axis %d of '%s' is %lld, got %lld", spec,
                        s->chunk_axis[i], s->inputs[i].name, (long long)dim->value,
                        (long long)s->size);
    }
  }
  return TARE_OK;
}

tare_status tare_streaming_set_chunk(tare_streaming *const s, const char *const spec,
                                     const int64_t hop, tare_error *const err) {
  const char *const equals = strrchr(spec, '=');
  if (!equals || !tarei_parse_number(equals + 1, equals + strlen(equals), &s->size) ||
      s->size < 1) {
    return tarei_fail(err, TARE_E_USAGE, "chunk '%s': expected NAME=SIZE with a size of 1 or more",
                      spec);
  }
  if (hop < 0 || hop > s->size) {
    return tarei_fail(err, TARE_E_USAGE, "hop %lld for chunks of %lld: expected 1..%lld",
                      (long long)hop, (long long)s->size, (long long)s->size);
  }
  s->hop = hop ? hop : s->size;
  if (!mark_symbol(s, spec, (size_t)(equals - spec)) &&
      !mark_named_axis(s, spec, (size_t)(equals - spec))) {
    TAREI_TRY(mark_input(s, spec, equals, err));
  }
  return check_axes(s, spec, err);
}

int tare_streaming_ports(tare_streaming *const s, const tare_port **const ports) {
  int n = 0;
  for (int i = 0; i < s->n_inputs; i++) {
    if (tarei_streaming_is_fed(s, i)) {
      continue;
    }
    s->ports[n] = s->inputs[i];
    tare_dim *const dim = s->chunk_axis[i] < 0 ? NULL : &s->ports[n].dims[s->chunk_axis[i]];
    if (dim && !dim->symbol) {
      *dim = (tare_dim){.value = -1, .symbol = tarei_str_get(&s->chunked)};
    }
    n++;
  }
  *ports = s->ports;
  return n;
}

const char *tare_streaming_chunk_symbol(const tare_streaming *const s, int64_t *const size) {
  for (int i = 0; i < s->n_inputs; i++) {
    const char *const symbol =
        s->chunk_axis[i] < 0 ? NULL : s->inputs[i].dims[s->chunk_axis[i]].symbol;
    if (symbol) {
      *size = s->size;
      return symbol;
    }
  }
  return NULL;
}

int tarei_streaming_symbols(const tare_streaming *const s, const char **const names) {
  int n = 0;
  for (int i = 0; i < s->n_inputs; i++) {
    for (int d = 0; d < s->inputs[i].rank; d++) {
      const char *const symbol = s->inputs[i].dims[d].symbol;
      bool known = !symbol;
      for (int k = 0; k < n && !known; k++) {
        known = strcmp(names[k], symbol) == 0;
      }
      if (!known && n < TARE_MAX_SYMBOLS) {
        names[n++] = symbol;
      }
    }
  }
  return n;
}

tarei_symbol_sum tarei_streaming_growth_of(const tare_streaming *const s, const tare_dim *const in,
                                           const tare_dim *const out) {
  const char *names[TARE_MAX_SYMBOLS];
  const int n = tarei_streaming_symbols(s, names);
  tarei_symbol_sum sum = {.is = false};
  if (in->symbol && out->symbol) {
    sum = tarei_symbol_sum_read(out->symbol, names, n);
  }
  bool once = false;
  for (int i = 0; sum.is && i < n; i++) {
    if (strcmp(names[i], in->symbol) == 0) {
      once = tarei_symbol_sum_count(&sum, i) == 1;
      tarei_symbol_sum_take_away(&sum, i);
    }
  }
  sum.is = sum.is && once;
  return sum;
}

/* The value of a growth for a chunk of `size`; -1 where it does not follow from that. */
static int64_t growth_at(const tare_streaming *const s, const tarei_symbol_sum *const growth) {
  const char *names[TARE_MAX_SYMBOLS];
  int64_t values[TARE_MAX_SYMBOLS] = {0}, size = 0, value;
  const char *const chunk = tare_streaming_chunk_symbol(s, &size);
  const int n = tarei_streaming_symbols(s, names);
  bool follows = true;
  for (int i = 0; i < n; i++) {
    follows =
        follows && (!tarei_symbol_sum_count(growth, i) || (chunk && strcmp(names[i], chunk) == 0));
    values[i] = size;
  }
  return follows && tarei_symbol_sum_value(growth, values, &value) ? value : -1;
}

int64_t tare_streaming_growth(const tare_streaming *const s, const char *const symbol) {
  for (int i = 0; i < s->n_states; i++) {
    const tare_port *const in = &s->inputs[s->states[i].input];
    const tare_port *const out = &s->outputs[s->states[i].output];
    for (int d = 0; d < in->rank; d++) {
      const tarei_symbol_sum growth = tarei_streaming_growth_of(s, &in->dims[d], &out->dims[d]);
      if (growth.is && strcmp(in->dims[d].symbol, symbol) == 0) {
        return s->size ? growth_at(s, &growth) : 0;
      }
    }
  }
  return -1;
}

bool tare_streaming_fits(const tare_streaming *const s, const tare_tensor *const outputs,
                         const tare_tensor *const inputs) {
  bool fits = true;
  for (int i = 0; i < s->n_states; i++) {
    fits &= tare_tensor_count(&outputs[s->states[i].output]) ==
            tare_tensor_count(&inputs[s->states[i].input]);
  }
  return fits;
}

tare_status tare_streaming_feed(const tare_streaming *const s, const tare_tensor *const outputs,
                                tare_tensor *const inputs, tare_error *const err) {
  for (int i = 0; i < s->n_states; i++) {
    const tare_tensor *const from = &outputs[s->states[i].output];
    tare_tensor *const to = &inputs[s->states[i].input];
    if (tare_tensor_count(from) != tare_tensor_count(to)) {
      return tarei_fail(err, TARE_E_SHAPE, "state '%s' has %lld elements, its input expects %lld",
                        tare_streaming_state_output(s, i), (long long)tare_tensor_count(from),
                        (long long)tare_tensor_count(to));
    }
    memcpy(to->data, from->data, (size_t)tare_tensor_count(from) * tare_dtype_size(from->dtype));
  }
  if (s->switch_input >= 0) {
    *(uint8_t *)inputs[s->switch_input].data = 1;
  }
  return TARE_OK;
}
