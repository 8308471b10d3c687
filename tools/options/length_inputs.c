#include "tools/options/length_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "tools/say.h"

bool opt_fit_changes(const opt_fit *const options) {
  return options->fit != TARE_FIT_NATIVE || options->outside != TARE_OUTSIDE_ERROR;
}

/* By the first input that has such an axis. */
static void say_found(const opt_common *const common, const tare_length_input *const l,
                      const tare_port *const inputs, const int n_inputs) {
  for (int i = 0; i < n_inputs; i++) {
    for (int axis = 0; axis < inputs[i].rank; axis++) {
      const char *const symbol = inputs[i].dims[axis].symbol;
      if (symbol && strcmp(symbol, l->symbol) == 0) {
        say(common, "'%s' is the length of '%s' (axis %d) in every sample: it follows the fit",
            l->input, inputs[i].name, axis);
        return;
      }
    }
  }
}

tare_status length_inputs_choose(const opt_inputs *const options, const bool fits,
                                 const tare_port *const inputs, const int n_inputs,
                                 tare_dataset *const *const datasets, const int n_datasets,
                                 const tare_streaming *const streaming, length_inputs *const out,
                                 tare_error *const err) {
  const int declared = options->fit.lengths.n;
  const int room = declared > n_inputs ? declared : n_inputs;
  *out = (length_inputs){.items = cli_realloc(NULL, (size_t)room, sizeof *out->items)};
  for (out->n = 0; out->n < declared; out->n++) {
    CLI_TRY(tare_length_input_parse(options->fit.lengths.items[out->n], inputs, n_inputs,
                                    &out->items[out->n], err));
  }
  if (declared || !fits || streaming) {
    return TARE_OK;
  }
  CLI_TRY(
      tare_length_inputs_find(datasets, n_datasets, inputs, n_inputs, out->items, &out->n, err));
  for (int i = 0; i < out->n; i++) {
    say_found(&options->common, &out->items[i], inputs, n_inputs);
  }
  return TARE_OK;
}

void length_inputs_fini(length_inputs *const l) {
  free(l->items);
  *l = (length_inputs){0};
}
