#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/families.h"
#include "tools/options/options.h"

enum { OPT_FIT = KEYS_FIT, OPT_OUTSIDE, OPT_PAD_VALUE, OPT_LENGTH_INPUT };

static const struct argp_option OPTIONS[] = {
    {"fit", OPT_FIT, "FIT", 0, "How a sample is brought to a shape of its profile: ", 0},
    {"outside", OPT_OUTSIDE, "WHAT", 0, "What happens to samples outside all profiles: ", 0},
    {"pad-value", OPT_PAD_VALUE, "INPUT=V", 0, "Pad this input with V instead of 0", 0},
    {"length-input", OPT_LENGTH_INPUT, "INPUT=AXIS", 0,
     "INPUT holds the length of AXIS, and is adjusted when samples are cut. AXIS is a symbol "
     "(sequence), an input (its last axis) or input:axis; repeat for more. Inputs that equal the "
     "length of another in all samples are detected",
     0},
    {0}};

static void take_pad(opt_fit *const o, char *const arg, const struct argp_state *const state) {
  char *const value = strrchr(arg, '=');
  if (!value || value == arg) {
    argp_error(state, "--pad-value: expected INPUT=VALUE, got '%s'", arg);
    return;
  }
  *value = '\0';
  o->pads = cli_realloc(o->pads, (size_t)o->n_pads + 1, sizeof *o->pads);
  o->pads[o->n_pads++] = (tare_pad_value){
      .input = arg, .value = cli_real(state, "--pad-value", value + 1, -1e300, 1e300)};
}

static error_t fit_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_fit *const o = state->input;
  const cli_family fits = family_fits(), outsides = family_outsides();
  switch (key) {
    case OPT_FIT:
      o->fit = (tare_fit)cli_pick(state, &fits, arg);
      return 0;
    case OPT_OUTSIDE:
      o->outside = (tare_outside)cli_pick(state, &outsides, arg);
      return 0;
    case OPT_PAD_VALUE:
      take_pad(o, arg, state);
      return 0;
    case OPT_LENGTH_INPUT:
      cli_list_add(&o->lengths, arg);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static char *fit_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family fits = family_fits(), outsides = family_outsides();
  if (key == OPT_OUTSIDE) {
    return family_help(text, &outsides);
  }
  return key != OPT_FIT ? (char *)text /* as it is */
                        : cli_append(family_help(text, &fits), "; default %s", fits.name(0));
}

const struct argp opt_fit_argp = {.options = OPTIONS, .parser = fit_parse, .help_filter = fit_help};

void opt_fit_fini(opt_fit *const options) {
  free(options->pads);
  cli_list_fini(&options->lengths);
  *options = (opt_fit){0};
}

/* Other shapes that are wrong have the same status, and no profile would help them. */
static bool is_outside(const tare_error *const err) {
  return err->status == TARE_E_SHAPE &&
         (strstr(err->message, " is outside every profile") ||
          strstr(err->message, " is outside profile ") ||
          strstr(err->message, " do not fit any one profile together"));
}

void opt_fit_hint(const opt_fit *const options, const tare_error *const err) {
  if (is_outside(err) && options->outside == TARE_OUTSIDE_ERROR) {
    fputs(
        "use wider profiles, --outside nearest to cut or pad such samples, or --outside skip to "
        "leave them out\n",
        stderr);
  }
}
