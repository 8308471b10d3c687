#include "datasets/names/unfed.h"

#include <stdlib.h>

#include "base/mem.h"
#include "shapes/streaming.h"

bool tarei_own_name(const char **const name) {
  const bool given = *name != NULL;
  *name = tarei_strdup(*name);
  return !given || *name;
}

bool tarei_own_port(tare_port *const port) {
  bool ok = tarei_own_name(&port->name);
  for (int d = 0; d < port->rank; d++) {
    ok = tarei_own_name(&port->dims[d].symbol) && ok;
    ok = tarei_own_name(&port->dims[d].declared) && ok;
  }
  return ok;
}

void tarei_free_port(tare_port *const port) {
  free((char *)port->name);
  for (int d = 0; d < port->rank; d++) {
    free((char *)port->dims[d].symbol);
    free((char *)port->dims[d].declared);
  }
}

static bool copy_inputs(const tare_streaming *const s, tarei_unfed *const out) {
  bool ok = true;
  for (int i = 0; ok && i < s->n_states; i++) {
    const tarei_state *const state = &s->states[i];
    if (state->reason != TAREI_STATE_DECLARED) {
      tarei_unfed_input *const input = &out->inputs[out->n_inputs++];
      *input = (tarei_unfed_input){.port = s->inputs[state->input],
                                   .output = s->outputs[state->output].name,
                                   .weak = state->reason == TAREI_STATE_FIXED};
      ok = tarei_own_port(&input->port);
      ok = tarei_own_name(&input->output) && ok;
    }
  }
  return ok;
}

bool tarei_unfed_copy(const tare_streaming *const s, tarei_unfed *const out) {
  if (!s) {
    return true;
  }
  out->in_chunks = s->size > 0;
  out->inputs = tarei_calloc((size_t)s->n_states, sizeof *out->inputs);
  out->outputs = tarei_calloc((size_t)s->n_outputs, sizeof *out->outputs);
  bool ok = out->inputs && out->outputs && copy_inputs(s, out);
  for (int i = 0; ok && i < s->n_outputs; i++) {
    out->outputs[out->n_outputs++] = s->outputs[i].name;
    ok = tarei_own_name(&out->outputs[i]);
  }
  return ok;
}

void tarei_unfed_fini(tarei_unfed *const unfed) {
  for (int i = 0; i < unfed->n_inputs; i++) {
    tarei_free_port(&unfed->inputs[i].port);
    free((char *)unfed->inputs[i].output);
  }
  for (int i = 0; i < unfed->n_outputs; i++) {
    free((char *)unfed->outputs[i]);
  }
  free(unfed->inputs);
  free(unfed->outputs);
  *unfed = (tarei_unfed){0};
}
