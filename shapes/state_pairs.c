/*
 * Which inputs are states without being declared.
 *
 * A wrong guess feeds zeros in place of the data, and nobody sees it. So names must tell of a
 * state, or where they only pair ("x" and "x_out", which a denoiser has, too), shapes must: the
 * lengths of the data do not change them, or the output is longer by what a run appends.
 */
#include <string.h>

#include "shapes/streaming.h"

static bool is_taken(const tare_streaming *const s, const int output) {
  for (int i = 0; i < s->n_states; i++) {
    if (s->states[i].output == output) {
      return true;
    }
  }
  return false;
}

static bool may_pair(const tare_streaming *const s, const int input, const int output) {
  return tarei_streaming_are_alike(&s->inputs[input], &s->outputs[output]) &&
         tarei_state_names_pair(s->inputs[input].name, s->outputs[output].name);
}

static int inputs_of(const tare_streaming *const s, const int output) {
  int n = 0;
  for (int i = 0; i < s->n_inputs; i++) {
    n += may_pair(s, i, output);
  }
  return n;
}

/* The output that alone pairs with an input, which alone pairs with it, or -1. */
static int partner_of(const tare_streaming *const s, const int input) {
  int found = -1;
  for (int o = 0; o < s->n_outputs; o++) {
    if (!is_taken(s, o) && may_pair(s, input, o)) {
      if (found >= 0) {
        return -1;
      }
      found = o;
    }
  }
  return found >= 0 && inputs_of(s, found) == 1 ? found : -1;
}

static bool pair_grows(const tare_streaming *const s, const int input, const int output) {
  const tare_port *const in = &s->inputs[input], *const out = &s->outputs[output];
  bool grows = false;
  for (int d = 0; d < in->rank; d++) {
    grows = grows || tarei_streaming_growth_of(s, &in->dims[d], &out->dims[d]).is;
  }
  return grows;
}

/* What pairs by name. Pairs whose names do not tell of a state are TAREI_STATE_FIXED, which
 * drop_changing looks into, unless they grow. */
static void find_pairs(const tare_streaming *const s, tarei_state_pair *const pairs) {
  for (int i = 0; i < s->n_inputs; i++) {
    const bool free = !tarei_streaming_is_fed(s, i) && s->chunk_axis[i] < 0;
    const int o = free ? partner_of(s, i) : -1;
    pairs[i] = (tarei_state_pair){.output = o, .reason = TAREI_STATE_FIXED};
    if (o >= 0 && tarei_state_names_tell(s->inputs[i].name, s->outputs[o].name)) {
      pairs[i].reason = TAREI_STATE_NAMED;
    } else if (o >= 0 && pair_grows(s, i, o)) {
      pairs[i].reason = TAREI_STATE_GROWS;
    }
  }
}

/* A single number, such as a rate: no model has data of that alone. */
static bool is_single_number(const tare_port *const port) {
  bool is = true;
  for (int d = 0; d < port->rank; d++) {
    is = is && !port->dims[d].symbol && port->dims[d].value == 1;
  }
  return is;
}

/* Whether the data still have something to supply. */
static bool leave_data(const tare_streaming *const s, const tarei_state_pair *const pairs) {
  bool some = false;
  for (int i = 0; i < s->n_inputs; i++) {
    some = some || (!tarei_streaming_is_fed(s, i) && pairs[i].output < 0 &&
                    !is_single_number(&s->inputs[i]));
  }
  return some;
}

/* The symbol of the first axis may count samples, unless data have it elsewhere. */
static bool is_data_length(const tare_streaming *const s, const tarei_state_pair *const pairs,
                           const char *const symbol, const bool first) {
  bool counts = first, elsewhere = false;
  for (int i = 0; i < s->n_inputs; i++) {
    const bool data = !tarei_streaming_is_fed(s, i) && pairs[i].output < 0;
    for (int d = 0; data && d < s->inputs[i].rank; d++) {
      const char *const other = s->inputs[i].dims[d].symbol;
      const bool same = other && strcmp(other, symbol) == 0;
      counts = counts || (same && d == 0);
      elsewhere = elsewhere || (same && d > 0);
    }
  }
  return !counts || elsewhere;
}

static bool changes(const tare_streaming *const s, const tarei_state_pair *const pairs,
                    const int input) {
  bool does = false;
  for (int d = 0; d < s->inputs[input].rank; d++) {
    const char *const symbol = s->inputs[input].dims[d].symbol;
    does = does || (symbol && is_data_length(s, pairs, symbol, d == 0));
  }
  return does;
}

static bool is_same_dim(const tare_dim *const a, const tare_dim *const b) {
  return a->symbol && b->symbol ? strcmp(a->symbol, b->symbol) == 0
                                : !a->symbol && !b->symbol && a->value == b->value;
}

/* "batch", "B", "N" */
static bool pairs_is_batch(const char *const symbol) {
  return symbol[0] == 'b' || symbol[0] == 'B' || strcmp(symbol, "N") == 0;
}

/* Whether an input lies beside the data, step for step, as what comes out of it does: [batch, time,
 * ...] both. No state does. */
static bool is_beside_data(const tare_streaming *const s, const tarei_state_pair *const pairs,
                           const int input) {
  const tare_port *const in = &s->inputs[input], *const out = &s->outputs[pairs[input].output];
  bool beside = false;
  for (int i = 0; i < s->n_inputs && in->rank >= 2; i++) {
    const tare_port *const port = &s->inputs[i];
    const bool data = !tarei_streaming_is_fed(s, i) && pairs[i].output < 0;
    beside =
        beside ||
        (data && port->rank >= 2 && in->dims[1].symbol && !pairs_is_batch(in->dims[1].symbol) &&
         is_same_dim(&in->dims[0], &port->dims[0]) && is_same_dim(&in->dims[1], &port->dims[1]) &&
         is_same_dim(&in->dims[1], &out->dims[1]));
  }
  return beside;
}

/* Pairs whose shape has a length of the data. */
static void drop_changing(const tare_streaming *const s, tarei_state_pair *const pairs) {
  for (int i = 0; i < s->n_inputs; i++) {
    const bool weak = pairs[i].reason == TAREI_STATE_FIXED;
    if (pairs[i].output >= 0 && (weak ? changes(s, pairs, i) : is_beside_data(s, pairs, i))) {
      pairs[i].output = -1;
    }
  }
}

static void drop_pairs(const tare_streaming *const s, const tarei_state_reason least,
                       tarei_state_pair *const pairs) {
  for (int i = 0; i < s->n_inputs; i++) {
    pairs[i].output = pairs[i].reason >= least ? -1 : pairs[i].output;
  }
}

int tare_streaming_find_states(tare_streaming *const s) {
  tarei_state_pair *const pairs = s->pairs;
  const int before = s->n_states;
  find_pairs(s, pairs);
  drop_changing(s, pairs);
  for (int least = TAREI_STATE_FIXED; least >= TAREI_STATE_NAMED && !leave_data(s, pairs);
       least--) {
    drop_pairs(s, (tarei_state_reason)least, pairs);
  }
  for (int i = 0; i < s->n_inputs; i++) {
    if (pairs[i].output >= 0) {
      const tarei_state state = {pairs[i].output, i, pairs[i].reason};
      tarei_streaming_add(s, &state);
    }
  }
  return s->n_states - before;
}
