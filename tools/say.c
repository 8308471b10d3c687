#include "tools/say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say_line(const char *const fmt, va_list args) {
  char *const text = cli_vformat(fmt, args);
  tare_make_printable(text);
  fprintf(stderr, "tare: %s\n", text);
  free(text);
}

void say(const opt_common *const options, const char *const fmt, ...) {
  va_list args;
  va_start(args, fmt);
  if (!options->quiet) {
    say_line(fmt, args);
  }
  va_end(args);
}

void say_more(const opt_common *const options, const char *const fmt, ...) {
  va_list args;
  va_start(args, fmt);
  if (options->verbose) {
    say_line(fmt, args);
  }
  va_end(args);
}

void say_data(const opt_common *const options, const tare_dataset *const dataset) {
  const int64_t n = tare_dataset_n_bad(dataset);
  const char *message = NULL;
  int64_t i = 0;
  for (; (message = tare_dataset_bad(dataset, i)) != NULL; i++) {
    say(options, "skipped: %s", message);
  }
  if (i < n) {
    say(options, "skipped: %" PRId64 " more sample%s, whose messages are not kept", n - i,
        cli_s(n - i));
  }
  const tare_left_out left_out = tare_dataset_left_out(dataset);
  say_samples_left_out(options, &left_out, tare_dataset_count(dataset),
                       tare_dataset_length_bounds(dataset, false),
                       tare_dataset_length_bounds(dataset, true));
  const int64_t n_empty = tare_dataset_n_empty_labels(dataset);
  if (n_empty > 0) {
    say(options,
        "warning: %" PRId64
        " label%s empty: silence to a metric of texts, so leave samples out whose "
        "label is not known",
        n_empty, n_empty == 1 ? " is" : "s are");
  }
  int least = 0, most = 0;
  tare_dataset_rates(dataset, &least, &most);
  say_rates(options, least, most);
}

static void say_samples_left_out_for(const opt_common *const options, const int64_t n,
                                     const int64_t all, const char *const why,
                                     const char *const bounds) {
  char *const of = all >= 0 ? cli_format(" of %" PRId64, all) : cli_format("%s", "");
  if (n > 0) {
    say(options, "left out: %" PRId64 "%s sample%s %s%s", n, of, cli_s(all >= 0 ? all : n), why,
        bounds);
  }
  free(of);
}

void say_samples_left_out(const opt_common *const options, const tare_left_out *const n,
                          const int64_t all, const char *const least, const char *const most) {
  say_samples_left_out_for(options, n->shorter, all, "shorter than ", least);
  say_samples_left_out_for(options, n->longer, all, "longer than ", most);
  say_samples_left_out_for(options, n->outside, all, "outside all profiles", "");
}

void say_rates(const opt_common *const options, const int least, const int most) {
  if (least < most) {
    say(options, "warning: the audio has sample rates from %d to %d Hz: resample it with --rate HZ",
        least, most);
  }
}

void say_data_kind(const opt_common *const common, const tare_dataset *const dataset) {
  const char *const found = tare_dataset_describe(dataset);
  if (strstr(found, "taken for input")) { /* a guess */
    say(common, "data: %s", found);
  } else {
    say_more(common, "data: %s", found);
  }
}

void say_states(const opt_common *const common, const tare_streaming *const s,
                const bool changeable) {
  for (int i = 0; i < tare_streaming_n_states(s); i++) {
    const char *const reason = tare_streaming_state_reason(s, i);
    say(common, "state: output '%s' feeds input '%s' of the next run%s%s%s",
        tare_streaming_state_output(s, i), tare_streaming_state_input(s, i), *reason ? ", as " : "",
        reason, *reason && changeable ? " (--state changes that)" : "");
  }
  if (tare_streaming_switch(s)) {
    say(common,
        "state: input '%s' is false in the first run of each sample, and true in the others",
        tare_streaming_switch(s));
  }
}

void say_audio_options(const opt_common *const options, const opt_data *const data,
                       const tare_dataset *const dataset) {
  const struct {
    const char *name;
    bool given;
  } of_audio[] = {{"--features", data->features != NULL},
                  {"--rate", data->rate != 0},
                  {"--channel", data->channel != 0}};
  for (size_t i = 0; i < sizeof of_audio / sizeof *of_audio; i++) {
    if (of_audio[i].given && !tare_dataset_has_audio(dataset)) {
      say(options, "warning: %s has no effect: the data are %s", of_audio[i].name,
          tare_dataset_describe(dataset));
    }
  }
}

void say_fitted(const opt_common *const options, const char *const what,
                const tare_fit_counts *const c) {
  if (c->cut > 0) {
    say(options,
        "warning: %s: %" PRId64 " of %" PRId64
        " samples cut to fit a profile, losing %.1f %% of their elements",
        what, c->cut, c->samples, 100.0 * (double)c->lost / (double)c->elements);
  }
  if (c->padded > 0) {
    say(options,
        "%s: %" PRId64 " of %" PRId64
        " samples padded to fit a profile: %.1f %% of what ran is padding",
        what, c->padded, c->samples, 100.0 * (double)c->padding / (double)c->run);
  }
}

void say_nans(const opt_common *const options, tare_nan_samples *const nans) {
  char *names = cli_format("%s", "");
  for (int i = 0; i < TARE_NAN_SAMPLES_NAMED && nans->names[i]; i++) {
    names =
        cli_append(names, "%s%s (first in '%s')", i ? ", " : "", nans->names[i], nans->tensors[i]);
  }
  if (nans->n > TARE_NAN_SAMPLES_NAMED) {
    names = cli_append(names, " and %" PRId64 " more", nans->n - TARE_NAN_SAMPLES_NAMED);
  }
  if (nans->n > 0) {
    say(options,
        "warning: the float model makes NaN, which is not counted, of %" PRId64 " sample%s: %s",
        nans->n, cli_s(nans->n), names);
  }
  free(names);
  tare_nan_samples_fini(nans);
}

void say_ignored_requests(const opt_common *const options, const tare_build_options *const build) {
  const char *const names[] = {build->layer_precisions ? "--layer-precisions" : NULL,
                               build->layer_weight_types ? "--layer-weight-types" : NULL,
                               build->layer_output_types ? "--layer-output-types" : NULL};
  const bool table_requests = build->table && *tare_table_layer_precisions(build->table);
  cli_list given = {0};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (names[i]) {
      cli_list_add(&given, names[i]);
    }
  }
  if (given.n > 0 && build->constraints == TARE_CONSTRAINTS_NONE) {
    char *const text = cli_join(given.items, given.n, " and ");
    say(options, "warning: --precision-constraints none ignores %s", text);
    free(text);
  } else if (given.n == 0 && build->constraints != TARE_CONSTRAINTS_PREFER && !table_requests) {
    say(options,
        "warning: --precision-constraints has no effect: nothing is requested by name (add "
        "--layer-precisions, --layer-weight-types or --layer-output-types)");
  }
  cli_list_fini(&given);
}
