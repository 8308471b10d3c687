#include "tools/compare/compare_commands.h"

#include <stdlib.h>
#include <string.h>

#include "tools/compare/options/compare_precisions.h"
#include "tools/options/families.h"
#include "tools/options/lengths.h"

static const char PLAN[] = ".plan";

/* A word of the shell that no command takes for an option. */
static char *append_path(char *const text, const char *const path) {
  char *const safe = cli_format("%s%s", *path == '-' ? "./" : "", path);
  char *const word = cli_quoted(safe);
  char *const all = cli_append(text, " %s", word);
  free(safe);
  free(word);
  return all;
}

static char *append_word(char *const text, const char *const option, const char *const value) {
  char *const word = cli_quoted(value);
  char *const all = cli_append(text, " %s %s", option, word);
  free(word);
  return all;
}

/* The output that is a plan, or that is none. */
static const char *output_named(const compare_commands *const c, const bool plan) {
  for (int i = 0; i < c->outputs->n; i++) {
    if (cli_ends_with(c->outputs->items[i], PLAN) == plan) {
      return c->outputs->items[i];
    }
  }
  return NULL;
}

/* Beside whoever pastes the command: the name of the model with another ending. */
static char *output_made(const compare_commands *const c, const char *const ending) {
  static const char ONNX[] = ".onnx";
  const char *const name = cli_file_name(c->in->path);
  const size_t cut = cli_ends_with(name, ONNX) ? sizeof ONNX - 1 : 0;
  return cli_format("%.*s%s", (int)(strlen(name) - cut), name, ending);
}

static char *append_output(char *const text, const compare_commands *const c, const bool plan,
                           const char *const option) {
  const char *const given = output_named(c, plan);
  char *const path = given ? cli_format("%s", given) : output_made(c, plan ? PLAN : ".calib.json");
  char *const all = append_path(cli_append(text, " %s", option), path);
  free(path);
  return all;
}

/* Those of both data sets: the calibration data alone might give others. */
static char *append_profiles(char *text, const compare_commands *const c) {
  if (opt_profiles_given(&c->in->profiles) && !c->in->profiles.from_data) {
    return recorded_append(text, c->options, &opt_profiles_argp, NULL);
  }
  for (int p = 0; p < tare_profiles_count(c->profiles); p++) {
    char *const spec = profile_spec(c->profiles, p);
    text = append_word(text, "--profile", spec);
    free(spec);
  }
  return text;
}

static char *append_fit(char *text, const compare_commands *const c, const grid_pass *const pass) {
  text = recorded_append(text, c->options, &opt_fit_argp, "fit");
  for (int i = 0; c->in->fit.lengths.n == 0 && i < c->lengths->n; i++) {
    char *const length =
        cli_format("%s=%s", c->lengths->items[i].input, c->lengths->items[i].symbol);
    text = append_word(text, "--length-input", length);
    free(length);
  }
  const cli_family paddings = family_paddings();
  text = append_word(text, "--fit", tare_fit_name(pass->fit));
  return pass->count_padding ? append_word(text, "--pad-stats", paddings.name(1)) : text;
}

static char *append_method(char *text, const grid_strategy *const s) {
  text = append_word(text, "--method", tare_method_name(s->method_number));
  if (s->percentile > 0 && s->percentile != TARE_DEFAULT_PERCENTILE) {
    text = cli_append(text, " --percentile %.15g", s->percentile);
  }
  return s->per_profile ? cli_append(text, " --per-profile") : text;
}

/* What both commands take of the model. */
static char *append_model(char *text, const compare_commands *const c) {
  text = recorded_append(text, c->options, &opt_model_argp, NULL);
  text = recorded_append(text, c->options, &opt_limits_argp, NULL);
  return c->in->common.isa ? append_word(text, "--isa", c->in->common.isa) : text;
}

/* Whether a calibration must be told to raise none: they are raised in another row. */
static bool compare_leaves_layers(const compare_commands *const c, const grid *const g) {
  bool leaves = c->keep_layers;
  for (int i = 0; i < g->n; i++) {
    leaves |= g->items[i].n_raised > 0;
  }
  return leaves;
}

char *compare_calibrate_command(const compare_commands *const c, const grid *const g,
                                const int strategy) {
  const grid_strategy *const s = &g->items[strategy];
  char *text = append_path(cli_format("tare calibrate"), c->in->path);
  for (int i = 0; i < c->in->paths.n; i++) {
    text = append_path(text, c->in->paths.items[i]);
  }
  text = append_model(text, c);
  text = recorded_append(text, c->options, &opt_data_argp, "labels");
  text = recorded_append(text, c->options, &opt_seed_argp, NULL);
  text = recorded_append(text, c->options, &opt_streaming_argp, NULL);
  text = append_profiles(text, c);
  text = append_fit(text, c, &g->passes[s->pass]);
  text = append_method(text, s);
  text = recorded_append(text, c->options, &opt_weight_methods_argp, NULL);
  if (s->n_raised == 0 && compare_leaves_layers(c, g)) {
    text = append_word(text, "--raise-layers", family_raisings().name(1));
  }
  return append_output(text, c, false /* plan */, "-o");
}

char *compare_build_command(const compare_commands *const c, const grid_strategy *const s) {
  char *text = append_path(cli_format("tare build"), c->in->path);
  text = append_output(text, c, false /* plan */, "--calib");
  text = append_model(text, c);
  char *const requests = compare_precision_requests(s->precision, NULL); /* before those given */
  text = requests ? append_word(text, "--layer-precisions", requests) : text;
  free(requests);
  text = recorded_append(text, c->options, &opt_build_argp, NULL);
  return append_output(text, c, true /* plan */, "-o");
}
