#include "tools/tune/raising.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/layer_times.h"
#include "tools/show/layer_facts.h"
#include "tools/say.h"
#include "tools/source.h"

/* There are fewer samples if a half of the search would take more operations, which a slow core
 * does in half a minute; when the time is over, it takes what it has. */
enum { PROBED_SAMPLES = 4, JUDGED_SAMPLES = 32, JUDGED_MIXES = 9 };
#define MOST_OPERATIONS 6e11
#define FEW_OPERATIONS 1e11 /* that more samples may take than layers must be measured with */
#define MOST_SECONDS 60.0

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

/* Of a sample at all levels, if a run has that of `values`: samples differ most by one symbol. */
static double runs_of_sample(const raising_case *const r, const int64_t *const values) {
  const tare_eval_result *const result = r->result;
  const tare_profiles *const profiles = tare_plan_profiles(r->plan);
  double runs = result->n_levels ? result->n_levels : 1;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    if (values[s] > 0 && strcmp(tare_profiles_symbol(profiles, s), result->length_symbol) == 0) {
      double lengths = 0;
      for (int64_t i = 0; i < result->n_samples; i++) {
        lengths += (double)result->samples[i].length;
      }
      runs *= lengths / (double)values[s] / (double)result->n_samples;
    }
  }
  return runs;
}

/* By the opt lengths of the first profile. Times would make tables depend on the machine. */
static tare_status sample_operations(const raising_case *const r, double *const operations,
                                     tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS];
  double *layers = NULL;
  profile_values(tare_plan_profiles(r->plan), 0, POINT_OPT, values);
  const tare_status status = plan_operations(r->plan, values, &layers, operations, err);
  free(layers);
  *operations *= runs_of_sample(r, values);
  return status;
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

/* Those that single layers are measured with, and those that judge mixes. */
static tare_status open_both(const raising_case *const r, tare_dataset **const search,
                             tare_dataset **const check, tare_error *const err) {
  double operations;
  CLI_TRY(sample_operations(r, &operations, err));
  CLI_TRY(raising_samples(r, probed_samples(r->n_probes * operations), search, err));
  return raising_samples(r, affordable(JUDGED_MIXES * operations, JUDGED_SAMPLES, MOST_OPERATIONS),
                         check, err);
}

static void say_raised(const raising_case *const r, const tare_raised *const raised,
                       const int64_t samples) {
  if (isinf(raised->sqnr_db)) {
    say(&r->in->common,
        "raised all layers to float: 8 bits leave %.1f dB on %" PRId64
        " sample%s, and what could keep them would save little time",
        raised->standard_sqnr_db, samples, cli_s(samples));
    return;
  }
  say(&r->in->common,
      "raised %d layer%s with %.1f %% of the multiply-adds to %s: %.1f dB instead of %.1f on "
      "%" PRId64 " sample%s",
      raised->n_layers, cli_s(raised->n_layers), 100 * raised->share, r->forms, raised->sqnr_db,
      raised->standard_sqnr_db, samples, cli_s(samples));
}

static void say_late(const raising_case *const r, const tare_raise_options *const options,
                     const bool any) {
  const double limit =
      r->seconds > 0 ? fmin(r->seconds, options->processor_seconds) : options->processor_seconds;
  char *const more = r->time_option ? cli_format(" (%s allows more)", r->time_option) : NULL;
  say(&r->in->common,
      any ? "the search for layers to raise takes more than %g s%s: fewer may do"
          : "no layers are raised: to find them takes more than %g s%s",
      limit, more ? more : "");
  free(more);
}

tare_status raising_search(const raising_case *const r, tare_raise_options *const options,
                           tare_raised *const out, tare_error *const err) {
  tare_dataset *search = NULL, *check = NULL;
  options->seconds = r->seconds;
  options->processor_seconds = r->processor_seconds > 0 ? r->processor_seconds : MOST_SECONDS;
  *out = (tare_raised){0};
  tare_status status = open_both(r, &search, &check, err);
  if (status == TARE_OK) {
    status = tare_raise_layers(r->model, r->profiles, search, check, options, out, err);
  }
  const int64_t samples = check ? tare_dataset_count(check) : 0;
  tare_dataset_close(&search);
  tare_dataset_close(&check);
  if (status == TARE_OK && out->n_layers > 0) {
    say_raised(r, out, samples);
  }
  if (status == TARE_OK && !out->complete) {
    say_late(r, options, out->n_layers > 0);
  }
  return status;
}

bool raising_may_pass(const tare_status status) {
  return status == TARE_E_MEMORY || status == TARE_E_IO || status == TARE_E_INPUT;
}
