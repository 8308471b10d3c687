#include "tools/compare/options/compare_methods.h"

#include <stdlib.h>
#include <string.h>

#include "tools/options/families.h"
#include "tools/options/options.h"

static double method_own_percentile(const struct argp_state *const state, const int method,
                                    const char *const name, const char *const text) {
  const cli_family methods = family_methods();
  if (!tare_method_takes_percentile(method)) {
    char *const those = family_percentile_methods(" and ");
    argp_error(state, "--methods %s: %s takes no percentile, only %s does", name,
               methods.name(method), those);
    free(those);
  }
  return opt_percentile_of(state, name, text);
}

compare_method compare_method_of(const struct argp_state *const state, const char *const name) {
  const cli_family methods = family_methods();
  const char *const colon = strchr(name, ':');
  char *const plain = cli_format("%.*s", colon ? (int)(colon - name) : (int)strlen(name), name);
  compare_method method = {.number = cli_pick(state, &methods, plain)};
  free(plain);
  if (colon) {
    method.percentile = method_own_percentile(state, method.number, name, colon + 1);
  }
  return method;
}

double compare_method_percentile(const compare_method *const method, const double given) {
  return !tare_method_takes_percentile(method->number) ? 0
         : method->percentile > 0                      ? method->percentile
         : given > 0                                   ? given
                                                       : TARE_DEFAULT_PERCENTILE;
}

bool compare_methods_take_percentile(const struct argp_state *const state,
                                     const cli_list *const names) {
  for (int i = 0; i < names->n; i++) {
    const compare_method method = compare_method_of(state, names->items[i]);
    if (tare_method_takes_percentile(method.number) && method.percentile == 0) {
      return true;
    }
  }
  return false;
}
