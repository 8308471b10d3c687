/* From the shapes of a sample to symbol values, and from those to a profile. */
#include <inttypes.h>
#include <string.h>

#include "shapes/profile_set.h"
#include "shapes/profiles.h"

static bool profile_match_holds(const tare_range *const profile, const int symbol,
                                const int64_t value) {
  return profile[symbol].min <= value && value <= profile[symbol].max;
}

int tare_profiles_find(const tare_profiles *const profiles, const int64_t *const values) {
  for (int p = 0; p < profiles->count; p++) {
    int i = 0;
    while (i < profiles->n_symbols && profile_match_holds(profiles->items[p], i, values[i])) {
      i++;
    }
    if (i == profiles->n_symbols) {
      return p;
    }
  }
  return -1;
}

static double profile_match_distance(const tare_range range, const int64_t value) {
  if (range.min <= value && value <= range.max) {
    return 0;
  }
  const int64_t bound = value < range.min ? range.min : range.max;
  const double apart = (double)value - (double)bound;
  return (apart < 0 ? -apart : apart) / (bound > 0 ? (double)bound : 1.0);
}

int tare_profiles_nearest(const tare_profiles *const profiles, const int64_t *const values) {
  int nearest = -1;
  double least = 0;
  for (int p = 0; p < profiles->count; p++) {
    double sum = 0;
    for (int i = 0; i < profiles->n_symbols; i++) {
      sum += profile_match_distance(profiles->items[p][i], values[i]);
    }
    if (nearest < 0 || sum < least) {
      nearest = p;
      least = sum;
    }
  }
  return nearest;
}

/* Which symbols stand outside some profile; the others are not the reason. A sum stands outside
 * with one of its parts. */
static int find_culprits(const tare_profiles *const profiles, const int64_t *const values,
                         bool *const culprit) {
  int n = 0;
  for (int i = 0; i < profiles->n_symbols; i++) {
    culprit[i] = false;
    for (int p = 0; p < profiles->count && !culprit[i] && !profiles->sums[i].is; p++) {
      culprit[i] = !profile_match_holds(profiles->items[p], i, values[i]);
    }
    n += culprit[i];
  }
  return n;
}

/* A culprit that every profile holds at 1, as symbols are that nobody named; -1: none. */
static int find_unnamed(const tare_profiles *const profiles, const bool *const culprit) {
  for (int i = 0; i < profiles->n_symbols; i++) {
    bool ones = culprit[i];
    for (int p = 0; p < profiles->count; p++) {
      ones = ones && profiles->items[p][i].max == 1;
    }
    if (ones) {
      return i;
    }
  }
  return -1;
}

const char *tarei_profiles_input_of(const tare_profiles *const profiles, const int symbol) {
  for (int i = 0; i < profiles->n_inputs; i++) {
    for (int axis = 0; axis < profiles->inputs[i].rank; axis++) {
      if (profiles->dim_symbols[i][axis] == symbol) {
        return profiles->inputs[i].name;
      }
    }
  }
  return "";
}

tare_status tarei_profiles_explain_inputs(const tare_profiles *const profiles,
                                          const int64_t *const values, tare_error *const err) {
  bool culprit[TARE_MAX_SYMBOLS];
  const char *last = NULL;
  tarei_str inputs = {0};
  (void)find_culprits(profiles, values, culprit);
  for (int s = 0; s < profiles->n_symbols; s++) {
    const char *const input = culprit[s] ? tarei_profiles_input_of(profiles, s) : last;
    if (input && (!last || strcmp(input, last) != 0)) {
      tarei_str_add(&inputs, "%s'%s'", last ? ", " : "input ", input);
      last = input;
    }
  }
  const tare_status status = tare_profiles_explain(profiles, values, tarei_str_get(&inputs), err);
  tarei_str_free(&inputs);
  return status;
}

tare_status tare_profiles_explain(const tare_profiles *const profiles, const int64_t *const values,
                                  const char *const what, tare_error *const err) {
  const char *const prefix = what ? what : "";
  const char *const colon = what && what[0] ? ": " : "";
  if (profiles->count == 0) {
    return tarei_fail(err, TARE_E_SHAPE, "%s%sthere are no profiles", prefix, colon);
  }
  bool culprit[TARE_MAX_SYMBOLS];
  const int n = find_culprits(profiles, values, culprit);
  tarei_str s = {0};
  for (int i = 0, shown = 0; i < profiles->n_symbols; i++) {
    if (culprit[i]) {
      tarei_str_add(&s, "%s%s=%" PRId64, shown++ ? ", " : "", profiles->labels[i], values[i]);
    }
  }
  const int unnamed = find_unnamed(profiles, culprit);
  tarei_str_add(&s,
                n == 1 ? " is outside every profile: " : " do not fit any one profile together: ");
  for (int p = 0; p < profiles->count; p++) {
    tarei_str_add(&s, "%sprofile %d takes ", p ? "; " : "", p);
    for (int i = 0, shown = 0; i < profiles->n_symbols; i++) {
      const tare_range r = profiles->items[p][i];
      if (culprit[i]) {
        tarei_str_add(&s, "%s%s%s%" PRId64 "..%" PRId64, shown++ ? ", " : "",
                      n > 1 ? profiles->symbols[i] : "", n > 1 ? " " : "", r.min, r.max);
      }
    }
  }
  if (unnamed >= 0) {
    tarei_str_add(&s, " (a symbol without a range is 1: add %s=MIN:OPT:MAX to the profile)",
                  profiles->symbols[unnamed]);
  }
  (void)tarei_fail(err, TARE_E_SHAPE, "%s%s%s", prefix, colon, tarei_str_get(&s));
  tarei_str_free(&s);
  return TARE_E_SHAPE;
}

int64_t tarei_port_dim(const tare_port *const port, const tare_tensor *const tensor,
                       const int axis) {
  const int added = port->rank - tensor->rank;
  return axis < added ? 1 : tensor->dims[axis - added];
}

tare_status tarei_fail_unknown_input(const tare_port *const inputs, const int n_inputs,
                                     const char *const name, tare_error *const err) {
  tarei_str s = {0};
  for (int i = 0; i < n_inputs; i++) {
    tarei_str_add(&s, "%s%s", i ? ", " : "", inputs[i].name);
  }
  enum { MOST_NAMES = 1024 }; /* the rest is not near */
  const char *names[MOST_NAMES];
  const int n = n_inputs < MOST_NAMES ? n_inputs : MOST_NAMES;
  for (int i = 0; i < n; i++) {
    names[i] = inputs[i].name;
  }
  const int near = tare_nearest_name(name, names, n);
  (void)tarei_fail(err, TARE_E_USAGE, "unknown input '%s', the inputs are %s%s%s%s", name,
                   tarei_str_get(&s), near < 0 ? "" : " (did you mean '",
                   near < 0 ? "" : names[near], near < 0 ? "" : "'?)");
  tarei_str_free(&s);
  return TARE_E_USAGE;
}

static void profile_match_print_shape(const tare_port *const port, tarei_str *const s) {
  tarei_str_add(s, "%s", port->rank ? "" : "scalar");
  for (int axis = 0; axis < port->rank; axis++) {
    tarei_str_add(s, "%s", axis ? " x " : "");
    if (port->dims[axis].symbol) {
      tarei_str_add(s, "%s", port->dims[axis].symbol);
    } else {
      tarei_str_add(s, "%" PRId64, port->dims[axis].value);
    }
  }
}

static tare_status fail_rank(const tare_port *const port, const int rank, tare_error *const err) {
  tarei_str s = {0};
  profile_match_print_shape(port, &s);
  (void)tarei_fail(err, TARE_E_SHAPE, "input '%s' has rank %d, expected %d (%s)%s", port->name,
                   rank, port->rank, tarei_str_get(&s),
                   port->rank ? ", or one less for a single sample" : "");
  tarei_str_free(&s);
  return TARE_E_SHAPE;
}

/* Which input gave a symbol its value, for the message when another disagrees. */
typedef struct binding {
  const tare_port *port; /* NULL: none yet */
  int axis;
} binding;

/* Whether the model does not give both axes one name. */
static bool is_joined(const binding first, const tare_port *const port, const int axis) {
  return first.port->dims[first.axis].declared || port->dims[axis].declared;
}

static tare_status bind_symbol(const tare_profiles *const profiles, const int symbol,
                               const tare_port *const port, const int axis, const int64_t value,
                               binding *const bound, int64_t *const values, tare_error *const err) {
  if (!bound[symbol].port) {
    bound[symbol] = (binding){port, axis};
    values[symbol] = value;
    return TARE_OK;
  }
  if (values[symbol] == value) {
    return TARE_OK;
  }
  return tarei_fail(err, TARE_E_SHAPE,
                    "%s is %" PRId64 " by axis %d of input '%s' but %" PRId64
                    " by axis %d of input '%s'%s",
                    profiles->symbols[symbol], values[symbol], bound[symbol].axis,
                    bound[symbol].port->name, value, axis, port->name,
                    is_joined(bound[symbol], port, axis)
                        ? ": operators of the model need both equal (an axis that may be 1 while "
                          "the other is longer needs a name of its own in the model)"
                        : "");
}

static tare_status bind_port(const tare_profiles *const profiles, const int input,
                             const tare_tensor *const tensor, binding *const bound,
                             int64_t *const values, tare_error *const err) {
  const tare_port *const port = &profiles->inputs[input];
  if (tensor->rank < 0 || (tensor->rank != port->rank && tensor->rank != port->rank - 1)) {
    return fail_rank(port, tensor->rank, err);
  }
  for (int axis = 0; axis < port->rank; axis++) {
    const int64_t value = tarei_port_dim(port, tensor, axis);
    const int symbol = profiles->dim_symbols[input][axis];
    if (value < 0) {
      return tarei_fail(err, TARE_E_SHAPE, "axis %d of input '%s' has negative size %" PRId64, axis,
                        port->name, value);
    }
    if (symbol < 0 && value != port->dims[axis].value) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "axis %d of input '%s' is %" PRId64 ", expected %" PRId64, axis, port->name,
                        value, port->dims[axis].value);
    }
    if (symbol >= 0) {
      TAREI_TRY(bind_symbol(profiles, symbol, port, axis, value, bound, values, err));
    }
  }
  return TARE_OK;
}

/* Every symbol has a value by then. */
static tare_status check_bound_sum(const tare_profiles *const profiles, const int symbol,
                                   const binding *const bound, const int64_t *const values,
                                   tare_error *const err) {
  int64_t sum;
  const tarei_symbol_sum *const terms = &profiles->sums[symbol];
  if (tarei_symbol_sum_value(terms, values, &sum) && sum == values[symbol]) {
    return TARE_OK;
  }
  tarei_str s = {0};
  for (int i = 0, shown = 0; i < profiles->n_symbols; i++) {
    if (tarei_symbol_sum_count(terms, i)) {
      tarei_str_add(&s, "%s%s is %" PRId64, shown++ ? " and " : "", profiles->symbols[i],
                    values[i]);
    }
  }
  (void)tarei_fail(err, TARE_E_SHAPE,
                   "axis %d of input '%s' (%s) is %" PRId64 ", which is not the sum: %s",
                   bound[symbol].axis, bound[symbol].port->name, profiles->symbols[symbol],
                   values[symbol], tarei_str_get(&s));
  tarei_str_free(&s);
  return TARE_E_SHAPE;
}

tare_status tare_profiles_bind(const tare_profiles *const profiles,
                               const tare_tensor *const tensors, int64_t *const values,
                               tare_error *const err) {
  binding bound[TARE_MAX_SYMBOLS] = {0};
  for (int i = 0; i < profiles->n_inputs; i++) {
    TAREI_TRY(bind_port(profiles, i, &tensors[i], bound, values, err));
  }
  for (int s = 0; s < profiles->n_symbols; s++) {
    TAREI_TRY(profiles->sums[s].is ? check_bound_sum(profiles, s, bound, values, err) : TARE_OK);
  }
  return TARE_OK;
}
