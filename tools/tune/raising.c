#include "tools/tune/raising.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/say.h"
#include "tools/source.h"
#include "tools/tune/effort.h"

/* There are fewer samples if a half of the search would take more operations, which a slow core
 * does in half a minute; when it has to end, it takes what it has. */
enum { PROBED_SAMPLES = 4, JUDGED_SAMPLES = 32, JUDGED_MIXES = 9 };
#define MOST_OPERATIONS 6e11
#define FEW_OPERATIONS 1e11 /* that more samples may take than layers must be measured with */
#define MOST_SECONDS 60.0   /* of a slow core, for layers alone */

double raising_below(const bool written) {
  tare_raise_options o;
  (written ? tare_raise_options_init_written : tare_raise_options_init)(&o);
  return o.below_db;
}

tare_status raising_samples(const raising_case *const r, const int64_t limit,
                            tare_dataset **const out, tare_error *const err) {
  const ports p = ports_of_model(r->model);
  const tare_choice choice = {.quota = limit};
  if (!r->per_profile) {
    return source_open_first(r->in, &p, r->streaming, limit, out, err);
  }
  CLI_TRY(source_open_first(r->in, &p, r->streaming, INT64_MAX, out, err));
  return tare_dataset_choose(*out, r->profiles, r->in->fit.outside, &choice, err);
}

/* How many samples, at most `most`, plans can run over within a limit, if they take so many
 * operations for each. */
static int64_t affordable(const double operations, const int64_t most, const double limit) {
  int64_t samples = most;
  while (samples > 1 && operations * (double)samples > limit) {
    samples /= 2;
  }
  return samples;
}

/* What a layer that sees a row of each sample costs the outputs is known from as many samples. */
static int64_t probed_samples(const double operations) {
  const int64_t many = affordable(operations, JUDGED_SAMPLES, FEW_OPERATIONS);
  return many > PROBED_SAMPLES ? many : affordable(operations, PROBED_SAMPLES, MOST_OPERATIONS);
}

/* Those that single layers are measured with, and those that judge mixes; and how many layers are
 * measured, if the user gives no time: a time would make tables depend on the machine. */
static tare_status open_both(const raising_case *const r, tare_dataset **const search,
                             tare_dataset **const check, int64_t *const most_probes,
                             tare_error *const err) {
  effort e;
  CLI_TRY(effort_of_model(r->model, r->plan, r->result, &e, err));
  const int64_t probed = probed_samples(r->n_probes * e.operations);
  const int64_t judged = affordable(JUDGED_MIXES * e.operations, JUDGED_SAMPLES, MOST_OPERATIONS);
  *most_probes = 1 + (int64_t)(MOST_SECONDS / effort_of_trial(&e, probed));
  CLI_TRY(raising_samples(r, probed, search, err));
  return raising_samples(r, judged, check, err);
}

/* Lengths that follow from values. */
static void say_lengths(const raising_case *const r, const tare_raised *const raised,
                        const int64_t samples) {
  if (raised->n_lengths > 0) {
    say(&r->in->common,
        "lengths of outputs follow from values: with 8 bits %" PRId64 " of %" PRId64
        " samples have others than in float, so that the %d layer%s %s them %s float",
        raised->other_shapes, samples, raised->n_lengths, cli_s(raised->n_lengths),
        raised->n_lengths == 1 ? "that decides" : "that decide",
        raised->n_lengths == 1 ? "is" : "are");
  }
}

/* A model that magnifies any error has no layer that 8 bits suit. */
static void say_all_raised(const raising_case *const r, const tare_raised *const raised,
                           const int64_t samples) {
  char *const why =
      raised->alone_db < raising_below(false /* written */)
          ? cli_format("any layer in 8 bits alone leaves %.1f dB or less", raised->alone_db)
          : cli_format("%s", "what could keep them would save little time");
  say(&r->in->common,
      "raised all layers to float: 8 bits leave %.1f dB on %" PRId64 " sample%s, and %s",
      raised->standard_sqnr_db, samples, cli_s(samples), why);
  free(why);
}

static void say_raised(const raising_case *const r, const tare_raised *const raised,
                       const int64_t samples) {
  say_lengths(r, raised, samples);
  if (isinf(raised->sqnr_db)) {
    say_all_raised(r, raised, samples);
    return;
  }
  say(&r->in->common,
      "raised %d layer%s with %.1f %% of the multiply-adds to %s: %.1f dB instead of %.1f on "
      "%" PRId64 " sample%s",
      raised->n_layers, cli_s(raised->n_layers), 100 * raised->share, r->forms, raised->sqnr_db,
      raised->standard_sqnr_db, samples, cli_s(samples));
}

/* What ended the search, which took `took` seconds by the clock. */
static char *search_limit(const raising_case *const r, const tare_raise_options *const options,
                          const double took) {
  const bool by_clock = options->seconds > 0 && took >= options->seconds;
  const double seconds = by_clock ? options->seconds : options->processor_seconds;
  char *const text = seconds > 0
                         ? cli_format("%g s", seconds)
                         : cli_format("%" PRId64 " measurements of layers", options->most_probes);
  return r->time_option ? cli_append(text, " (%s allows more)", r->time_option) : text;
}

static void say_late(const raising_case *const r, const tare_raise_options *const options,
                     const double took, const bool any) {
  char *const limit = search_limit(r, options, took);
  say(&r->in->common,
      any ? "the search for layers to raise takes more than %s: fewer may do"
          : "no layers are raised: to find them takes more than %s",
      limit);
  free(limit);
}

tare_status raising_search(const raising_case *const r, tare_raise_options *const options,
                           tare_raised *const out, tare_error *const err) {
  tare_dataset *search = NULL, *check = NULL;
  int64_t most_probes = 0;
  *out = (tare_raised){0};
  tare_status status = open_both(r, &search, &check, &most_probes, err);
  options->seconds = r->seconds;
  options->processor_seconds = r->processor_seconds;
  options->most_probes = r->processor_seconds > 0 ? 0 : most_probes;
  const double start = cli_now();
  if (status == TARE_OK) {
    status = tare_raise_layers(r->model, r->profiles, search, check, options, out, err);
  }
  const double took = cli_now() - start;
  const int64_t samples = check ? tare_dataset_count(check) : 0;
  tare_dataset_close(&search);
  tare_dataset_close(&check);
  if (status == TARE_OK && out->n_layers > 0) {
    say_raised(r, out, samples);
  }
  if (status == TARE_OK && !out->complete) {
    say_late(r, options, took, out->n_layers > 0);
  }
  return status;
}

bool raising_may_pass(const tare_status status) {
  return status == TARE_E_MEMORY || status == TARE_E_IO || status == TARE_E_INPUT;
}
