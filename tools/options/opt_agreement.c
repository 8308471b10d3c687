#include <stdlib.h>
#include <string.h>

#include "tools/options/options.h"

enum { OPT_AGREEMENT = KEYS_AGREEMENT };

static const struct argp_option OPTIONS[] = {
    {"agreement", OPT_AGREEMENT, "OUTPUT=KIND", 0,
     "Count the agreement of OUTPUT with float as KIND: top1, edits, cosine, equal, none (default: "
     "by what the output looks like); repeat for more",
     0},
    {0}};

static tare_agreement agreement_of_name(const char *const name) {
  int kind = 0;
  while (kind < TARE_AGREEMENT_COUNT && strcmp(tare_agreement_name(kind), name) != 0) {
    kind++;
  }
  return kind;
}

/* The list is for the whole run of the command: nobody frees it. */
static error_t agreement_parse(const int key, char *const arg, struct argp_state *const state) {
  static opt_agreement *list;
  opt_agreement **const o = state->input;
  if (key != OPT_AGREEMENT) {
    return ARGP_ERR_UNKNOWN;
  }
  char *const equal = strrchr(arg, '=');
  const tare_agreement kind = equal ? agreement_of_name(equal + 1) : TARE_AGREEMENT_COUNT;
  if (!equal || equal == arg || kind == TARE_AGREEMENT_COUNT) {
    argp_error(state,
               "--agreement %s: expected OUTPUT=KIND, with KIND one of top1, edits, cosine, equal, "
               "none",
               arg);
    return EINVAL;
  }
  if (!list) {
    list = cli_realloc(NULL, 1, sizeof *list);
    *list = (opt_agreement){0};
  }
  list->items = cli_realloc(list->items, (size_t)list->n + 1, sizeof *list->items);
  list->items[list->n++] =
      (tare_output_agreement){cli_format("%.*s", (int)(equal - arg), arg), kind};
  *o = list;
  return 0;
}

const struct argp opt_agreement_argp = {.options = OPTIONS, .parser = agreement_parse};

tare_status opt_agreement_check(const opt_agreement *const o, const tare_port *const outputs,
                                const int n, tare_error *const err) {
  for (int i = 0; o && i < o->n; i++) {
    int found = 0;
    while (found < n && strcmp(outputs[found].name, o->items[i].output) != 0) {
      found++;
    }
    if (found == n) {
      return cli_fail(err, TARE_E_USAGE, "--agreement %s=%s: the model has no output '%s'",
                      o->items[i].output, tare_agreement_name(o->items[i].kind),
                      o->items[i].output);
    }
  }
  return TARE_OK;
}
