/* Names of symbols and axes as users write them. */
#include <inttypes.h>
#include <string.h>

#include "shapes/axis_name.h"
#include "shapes/profile_set.h"
#include "shapes/profiles.h"

/* An axis by its name in the model, or by its input and number; -1: none. */
static int pick_axis(const tare_profiles *const set, const char *const name, int *const axis) {
  int input = tarei_find_axis(set->inputs, set->n_inputs, name, strlen(name), axis);
  int64_t number;
  if (input < 0 &&
      tarei_parse_axis(set->inputs, set->n_inputs, name, strlen(name), &input, &number)) {
    const int rank = set->inputs[input].rank;
    number += number < 0 ? rank : 0;
    input = number >= 0 && number < rank ? input : -1;
    *axis = (int)number;
  }
  return input;
}

tare_status tarei_profiles_pick(const tare_profiles *const set, const char *const name,
                                int *const symbol, int64_t *const size, tare_error *const err) {
  int axis;
  *symbol = tarei_profiles_find_symbol(set, name);
  if (*symbol >= 0) {
    return TARE_OK;
  }
  const int input = pick_axis(set, name, &axis);
  if (input >= 0) {
    *symbol = set->dim_symbols[input][axis];
    *size = set->inputs[input].dims[axis].value;
    return TARE_OK;
  }
  return set->n_symbols ? tarei_pick("symbol", name, set->symbols, set->n_symbols, symbol, err)
                        : tarei_fail(err, TARE_E_USAGE,
                                     "unknown symbol '%s': all dims of the inputs are fixed", name);
}

tare_status tare_profiles_pick(const tare_profiles *const profiles, const char *const name,
                               int *const symbol, tare_error *const err) {
  int64_t size = 0;
  TAREI_TRY(tarei_profiles_pick(profiles, name, symbol, &size, err));
  return *symbol >= 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE, "'%s' is an axis of fixed size %" PRId64, name, size);
}
