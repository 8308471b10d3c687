#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/options.h"

static const struct argp_option OPTIONS[] = {
    {"fit", OPT_FIT, "FIT", 0,
     "How a sample is brought to a shape of its profile: native (unchanged), pad (to max), "
     "truncate (to opt), opt (pad or cut to opt)",
     0},
    {"outside", OPT_OUTSIDE, "WHAT", 0,
     "Samples outside all profiles: error (default), or nearest (cut or pad to the nearest)", 0},
    {"pad-value", OPT_PAD_VALUE, "INPUT=V", 0, "Pad this input with V instead of 0", 0},
    {"length-input", OPT_LENGTH_INPUT, "INPUT=AXIS", 0,
     "INPUT holds the length of AXIS, and is adjusted when samples are cut. AXIS is a symbol "
     "(sequence), an input (its last axis) or input:axis; repeat for more. Inputs that equal the "
     "length of another in all samples are detected",
     0},
    {0}};

static void take_outside(opt_fit *const o, const char *const arg,
                         const struct argp_state *const state) {
  static const char *const NAMES[] = {
      [TARE_OUTSIDE_ERROR] = "error", [TARE_OUTSIDE_NEAREST] = "nearest"};
  o->outside = (tare_outside)cli_pick_text(state, "value of --outside", arg, NAMES, 2);
}

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
  tare_error err = {0};
  switch (key) {
    case OPT_FIT:
      if (tare_fit_parse(arg, &o->fit, &err) != TARE_OK) {
        argp_error(state, "%s", err.message);
      }
      return 0;
    case OPT_OUTSIDE:
      take_outside(o, arg, state);
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

const struct argp opt_fit_argp = {.options = OPTIONS, .parser = fit_parse};

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
    fputs("use wider profiles, or --outside nearest to cut or pad such samples\n", stderr);
  }
}
