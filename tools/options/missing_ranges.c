#include "tools/options/missing_ranges.h"

#include <string.h>

#include "tools/say.h"

static bool axis_is(const tare_port *const port, const int axis, const char *const name) {
  const char *const symbol = axis < port->rank ? port->dims[axis].symbol : NULL;
  return symbol && strcmp(symbol, name) == 0;
}

/* The only axis of an input has lengths, unless it is the batch of others. */
static bool symbol_is_length(const tare_port *const inputs, const int n_inputs,
                             const char *const name) {
  bool behind = false, only = false, first = false;
  for (int i = 0; i < n_inputs; i++) {
    const bool begins = axis_is(&inputs[i], 0, name);
    only |= begins && inputs[i].rank == 1;
    first |= begins && inputs[i].rank > 1;
    for (int d = 1; d < inputs[i].rank; d++) {
      behind |= axis_is(&inputs[i], d, name);
    }
  }
  return behind || (only && !first);
}

void missing_ranges_say(const opt_profiles *const options, const opt_common *const common,
                        const tare_profiles *const profiles, const tare_port *const inputs,
                        const int n_inputs) {
  for (int i = 0; i < options->n; i++) {
    const char *const spec = options->items[i].spec;
    for (int s = 0; spec && s < tare_profiles_n_symbols(profiles); s++) {
      const char *const name = tare_profiles_symbol(profiles, s);
      if (!tare_profiles_is_sum(profiles, s) && symbol_is_length(inputs, n_inputs, name) &&
          !tare_profiles_gives(profiles, spec, s)) {
        say(common, "warning: profile %s: %s is 1, since it has no range (add %s=MIN:OPT:MAX)",
            spec, tare_profiles_label(profiles, s), name);
      }
    }
  }
}
