#include <stdlib.h>
#include <string.h>

#include "tools/options/options.h"

enum {
  OPT_PROFILE = KEYS_PROFILES,
  OPT_PROFILE_FILE,
  OPT_MIN_SHAPES,
  OPT_OPT_SHAPES,
  OPT_MAX_SHAPES
};

static const struct argp_option OPTIONS[] = {
    {"profile", OPT_PROFILE, "SPEC", 0,
     "Lengths to run at, as SYMBOL=MIN:OPT:MAX,..., e.g. samples=1600:16000:80000, where "
     "INPUT:AXIS means the symbol of that axis; repeat for more profiles. \"auto\" derives one profile from the data. A bare number N starts profile N for "
     "the *Shapes options after it, as in trtexec",
     0},
    {"profile-file", OPT_PROFILE_FILE, "FILE", 0, "Profiles from a text file, one SPEC per line",
     0},
    {"minShapes", OPT_MIN_SHAPES, "SHAPES", 0, "Minimum shapes, as in trtexec: audio:1x1600", 0},
    {"optShapes", OPT_OPT_SHAPES, "SHAPES", 0,
     "Optimal shapes; without the others, also minimum and maximum", 0},
    {"maxShapes", OPT_MAX_SHAPES, "SHAPES", 0, "Maximum shapes", 0},
    {0}};

static bool is_number(const char *const text) {
  const size_t digits = strspn(text, "0123456789");
  return digits > 0 && !text[digits];
}

static opt_profile *profiles_add(opt_profiles *const o) {
  o->items = cli_realloc(o->items, (size_t)o->n + 1, sizeof *o->items);
  o->items[o->n] = (opt_profile){0};
  return &o->items[o->n++];
}

/* trtexec's profile `index`; a new one must carry the next number. */
static opt_profile *shapes_profile(opt_profiles *const o, const int index,
                                   const struct argp_state *const state) {
  if (index > o->n_shapes) {
    argp_error(state, "--profile=%d before --profile=%d: number profiles from 0, in order", index,
               o->n_shapes);
  }
  if (index == o->n_shapes) {
    profiles_add(o);
    o->shapes = cli_realloc(o->shapes, (size_t)o->n_shapes + 1, sizeof *o->shapes);
    o->shapes[o->n_shapes++] = o->n - 1;
  }
  return &o->items[o->shapes[index]];
}

static void set_shapes(const char **const place, const char *const name, const char *const text,
                       const struct argp_state *const state) {
  if (*place) {
    argp_error(state, "duplicate %s in one profile: start the next with --profile=N", name);
  }
  *place = text;
}

static void take_profile(opt_profiles *const o, const char *const arg,
                         const struct argp_state *const state) {
  if (is_number(arg)) {
    o->current = (int)cli_int(state, "--profile", arg, 0, TARE_MAX_PROFILES - 1);
    (void)shapes_profile(o, o->current, state); /* made here, filled by the options that follow */
  } else if (strcmp(arg, "auto") == 0) {
    o->from_data = true;
  } else {
    profiles_add(o)->spec = arg;
  }
}

static void profiles_check(const opt_profiles *const o, const struct argp_state *const state) {
  if (o->from_data && o->n > 0) {
    argp_error(state, "--profile auto and other profiles are mutually exclusive");
  }
  for (int i = 0; i < o->n_shapes; i++) {
    const opt_profile *const p = &o->items[o->shapes[i]];
    if (!p->opt) {
      argp_error(state, "profile %d has no --optShapes", i);
    }
    if (!p->min != !p->max) {
      argp_error(state, "profile %d: --minShapes and --maxShapes must be given together", i);
    }
  }
}

static error_t profiles_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_profiles *const o = state->input;
  switch (key) {
    case OPT_PROFILE:
      take_profile(o, arg, state);
      return 0;
    case OPT_PROFILE_FILE:
      profiles_add(o)->file = arg;
      return 0;
    case OPT_MIN_SHAPES:
      set_shapes(&shapes_profile(o, o->current, state)->min, "--minShapes", arg, state);
      return 0;
    case OPT_OPT_SHAPES:
      set_shapes(&shapes_profile(o, o->current, state)->opt, "--optShapes", arg, state);
      return 0;
    case OPT_MAX_SHAPES:
      set_shapes(&shapes_profile(o, o->current, state)->max, "--maxShapes", arg, state);
      return 0;
    case ARGP_KEY_END:
      profiles_check(o, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_profiles_argp = {.options = OPTIONS, .parser = profiles_parse};

void opt_profiles_fini(opt_profiles *const options) {
  free(options->items);
  free(options->shapes);
  *options = (opt_profiles){0};
}

bool opt_profiles_given(const opt_profiles *const options) {
  return options->n > 0;
}

void opt_profiles_files(const opt_profiles *const options, cli_list *const files) {
  for (int i = 0; i < options->n; i++) {
    cli_list_add(files, options->items[i].file);
  }
}

tare_status opt_profiles_apply(const opt_profiles *const options, tare_profiles *const profiles,
                               tare_error *const err) {
  for (int i = 0; i < options->n; i++) {
    const opt_profile *const p = &options->items[i];
    if (p->spec) {
      CLI_TRY(tare_profiles_add(profiles, p->spec, err));
    } else if (p->file) {
      CLI_TRY(tare_profiles_add_file(profiles, p->file, err));
    } else {
      CLI_TRY(tare_profiles_add_shapes(profiles, p->min, p->opt, p->max, err));
    }
  }
  return TARE_OK;
}
