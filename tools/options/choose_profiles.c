#include "tools/options/choose_profiles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/judge_lengths.h"
#include "tools/options/missing_ranges.h"
#include "tools/say.h"

static tare_status copy_profiles(const tare_profiles *const from, tare_profiles *const to,
                                 tare_error *const err) {
  for (int p = 0; p < tare_profiles_count(from); p++) {
    char *spec = NULL;
    for (int s = 0; s < tare_profiles_n_symbols(from); s++) {
      if (!tare_profiles_is_sum(from, s)) {
        spec = lengths_append_range(spec, tare_profiles_symbol(from, s),
                                    tare_profiles_range(from, p, s));
      }
    }
    const tare_status status = tare_profiles_add(to, spec ? spec : "", err);
    free(spec);
    CLI_TRY(status);
  }
  return TARE_OK;
}

/* How long a state gets over the samples, which it begins empty. */
static tare_range state_range(const lengths *const l, const tare_streaming *const streaming,
                              const int64_t growth) {
  int64_t size = 0;
  const char *const chunk = tare_streaming_chunk_symbol(streaming, &size);
  const int symbol = chunk ? lengths_find_symbol(l->symbols, chunk) : -1;
  const int64_t longest =
      symbol < 0 ? 0 : lengths_range(l, symbol).max + tare_streaming_generated(streaming);
  const int64_t runs = size && longest > size ? (longest - size + size - 1) / size : 0;
  return (tare_range){0, runs / 2 * growth, runs * growth};
}

/* The lengths of a state of a model with two branches: how it grows depends on the branch. It
 * begins empty, and gets no longer than what the samples have. */
static tare_range switched_range(const lengths *const l, const tare_streaming *const streaming) {
  int64_t longest = 0;
  for (int s = 0; s < tare_profiles_n_symbols(l->symbols); s++) {
    const int64_t max = lengths_range(l, s).max + tare_streaming_generated(streaming);
    longest = max > longest ? max : longest;
  }
  return (tare_range){0, longest / 2, longest};
}

/* Chunks are as long as they are, whatever the samples; what else is cut is no length of the model.
 */
static tare_range streaming_range(const lengths *const l, const tare_streaming *const streaming,
                                  const char *const name) {
  int64_t size = 0;
  const char *const chunk = tare_streaming_chunk_symbol(streaming, &size);
  const int64_t growth = tare_streaming_growth(streaming, name);
  const int symbol = lengths_find_symbol(l->symbols, name);
  return chunk && strcmp(name, chunk) == 0  ? (tare_range){size, size, size}
         : symbol >= 0                      ? lengths_range(l, symbol)
         : growth >= 0                      ? state_range(l, streaming, growth)
         : tare_streaming_switch(streaming) ? switched_range(l, streaming)
                                            : (tare_range){1, 1, 1};
}

static char *streaming_spec(const lengths *const l, const tare_profiles *const to,
                            const tare_streaming *const streaming) {
  char *spec = NULL;
  for (int s = 0; s < tare_profiles_n_symbols(to); s++) {
    const char *const name = tare_profiles_symbol(to, s);
    const tare_range range = streaming_range(l, streaming, name);
    if (!tare_profiles_is_sum(to, s) && (range.min != 1 || range.max != 1)) {
      spec = lengths_append_range(spec, name, range);
    }
  }
  return spec ? spec : cli_format("%s", "");
}

/* What profiles are chosen for. */
typedef struct profiles_case {
  const opt_profiles *options;
  const opt_common *common;
  const tare_port *inputs;
  int n_inputs;
  const tare_profiles *other;
  tare_dataset *const *datasets;
  int n_datasets;
  tare_streaming *streaming;
  const opt_inputs *in;    /* NULL: lengths are not judged */
  const tare_model *model; /* NULL: that of a plan is not known */
} profiles_case;

static tare_status fail_without_samples(const char *const why, tare_error *const err) {
  return cli_fail(err, TARE_E_INPUT, "no usable sample to derive a profile from%s%s",
                  why ? ": " : "", why ? why : "");
}

/* What the data are where samples of them are left out; or NULL. */
static const char *describe_left_out(const profiles_case *const c) {
  for (int i = 0; i < c->n_datasets; i++) {
    const tare_left_out out = tare_dataset_left_out(c->datasets[i]);
    if (out.shorter > 0 || out.longer > 0) {
      return tare_dataset_describe(c->datasets[i]);
    }
  }
  return NULL;
}

/* Why the first sample was skipped; NULL: none was. */
static const char *describe_bad(const profiles_case *const c) {
  for (int i = 0; i < c->n_datasets; i++) {
    if (tare_dataset_bad(c->datasets[i], 0)) {
      return tare_dataset_bad(c->datasets[i], 0);
    }
  }
  return NULL;
}

static tare_status scan_all(const profiles_case *const c, lengths *const l, tare_error *const err) {
  for (int i = 0; i < c->n_datasets; i++) {
    progress p = progress_start("read lengths", c->common);
    const tare_status status = lengths_read(l, c->datasets[i], &p, err);
    progress_end(&p);
    CLI_TRY(status);
  }
  if (l->n == 0) {
    const char *const left_out = describe_left_out(c);
    return fail_without_samples(left_out ? left_out : describe_bad(c), err);
  }
  for (int i = 0; i < c->n_datasets; i++) {
    CLI_TRY(tare_dataset_rewind(c->datasets[i], err));
  }
  return TARE_OK;
}

/* Reads samples up to the first one that the model cannot run at, which fails with its name. */
static tare_status name_first(tare_dataset *const dataset, tare_error *const err) {
  const tare_sample *sample = NULL;
  CLI_TRY(tare_dataset_rewind_for_dims(dataset, err));
  do {
    CLI_TRY(tare_dataset_next(dataset, &sample, err));
  } while (sample);
  return TARE_OK;
}

tare_status lengths_judge(lengths *const l, const opt_data *const data,
                          const tare_model *const model, tare_dataset *const dataset,
                          tare_error *const err) {
  judged found;
  judge *const j = data->judge;
  CLI_TRY(judge_lengths(j, model, l, &found, err));
  if (found.dropped == 0) {
    return TARE_OK;
  }
  j->skips = data->skip_bad;
  j->no_outside = j->applies = true;
  CLI_TRY(judge_apply(j, dataset, err));
  return name_first(dataset, err);
}

/* Samples that the model cannot run at are bad, unless they are outside of the profile of the
 * others, and brought to it or left out. */
static tare_status refuse_dropped(const profiles_case *const c, const lengths *const l,
                                  const judged *const found, tare_error *const err) {
  judge *const j = c->in->data.judge;
  j->fits = c->in->fit.outside != TARE_OUTSIDE_ERROR && l->n > 0;
  j->skips = c->in->data.skip_bad;
  j->applies = !j->fits || found->dropped > found->outside;
  for (int i = 0; j->applies && i < c->n_datasets; i++) {
    CLI_TRY(judge_apply(j, c->datasets[i], err));
    CLI_TRY(name_first(c->datasets[i], err));
  }
  if (l->n == 0) {
    return fail_without_samples(tare_dataset_bad(c->datasets[0], 0), err);
  }
  for (int i = 0; i < c->n_datasets; i++) {
    CLI_TRY(tare_dataset_rewind(c->datasets[i], err));
  }
  if (c->in->fit.outside == TARE_OUTSIDE_NEAREST && found->outside > 0) {
    say(c->common,
        "warning: %" PRId64
        " sample%s too short or too long for the model: padded or cut to the profile of the others",
        found->outside, found->outside == 1 ? " is" : "s are");
  }
  return TARE_OK;
}

static tare_status judge_data(const profiles_case *const c, lengths *const l,
                              tare_error *const err) {
  judged found = {0};
  if (!c->in || !c->in->data.judge || !c->model || c->streaming) {
    return TARE_OK;
  }
  CLI_TRY(judge_lengths(c->in->data.judge, c->model, l, &found, err));
  return found.dropped > 0 ? refuse_dropped(c, l, &found, err) : TARE_OK;
}

static tare_status from_lengths(const profiles_case *const c, lengths *const l,
                                tare_profiles *const to, tare_error *const err) {
  const double start = cli_now();
  CLI_TRY(scan_all(c, l, err));
  CLI_TRY(judge_data(c, l, err));
  char *const spec = c->streaming ? streaming_spec(l, to, c->streaming) : lengths_spec(l);
  const tare_status status = tare_profiles_add(to, spec, err);
  if (status == TARE_OK && *spec) {
    say(c->common, "profile taken from the data: %s", spec);
    say_more(c->common, "lengths read in %.1f s", cli_now() - start);
  }
  free(spec);
  return status;
}

static tare_status from_data(const profiles_case *const c, tare_profiles *const to,
                             tare_error *const err) {
  lengths l = {0};
  const tare_port *inputs = c->inputs;
  const int n_inputs = c->streaming ? tare_streaming_ports(c->streaming, &inputs) : c->n_inputs;
  tare_status status = lengths_new(inputs, n_inputs, &l, err);
  if (status == TARE_OK) {
    status = from_lengths(c, &l, to, err);
  }
  lengths_fini(&l);
  return status;
}

static tare_status lengths_fill(const profiles_case *const c, tare_profiles *const to,
                                tare_error *const err) {
  if (opt_profiles_given(c->options)) {
    CLI_TRY(opt_profiles_apply(c->options, to, err));
    missing_ranges_say(c->options, c->common, to, c->inputs, c->n_inputs);
    return TARE_OK;
  }
  if (c->other && !c->options->from_data) {
    return copy_profiles(c->other, to, err);
  }
  if (tare_profiles_n_symbols(to) == 0) {
    return tare_profiles_add(to, "", err);
  }
  if (c->n_datasets > 0) {
    return from_data(c, to, err);
  }
  int last = tare_profiles_n_symbols(to) - 1;
  while (last > 0 && tare_profiles_is_sum(to, last)) {
    last--;
  }
  const char *const symbol = tare_profiles_symbol(to, last);
  return cli_fail(err, TARE_E_USAGE,
                  "symbol '%s' needs a range: give the lengths to run at, e.g. --profile "
                  "%s=1:100:1000 (minimum:optimum:maximum)",
                  tare_profiles_label(to, last), symbol);
}

static bool lengths_holds(const tare_profiles *const profiles, const int outer, const int inner) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const tare_range o = tare_profiles_range(profiles, outer, s);
    const tare_range i = tare_profiles_range(profiles, inner, s);
    if (i.min < o.min || i.max > o.max) {
      return false;
    }
  }
  return true;
}

/* The first profile that holds a shape is taken, so that one inside an earlier one never is. */
static void warn_hidden(const opt_common *const common, const tare_profiles *const profiles) {
  for (int p = 1; p < tare_profiles_count(profiles); p++) {
    for (int before = 0; before < p; before++) {
      if (lengths_holds(profiles, before, p)) {
        char *const hidden = profile_text(profiles, p), *const first =
                                                            profile_text(profiles, before);
        say(common,
            "warning: profile %d (%s) is never chosen: profile %d (%s) covers it and comes first "
            "(put the narrower one first)",
            p, hidden, before, first);
        free(hidden);
        free(first);
        break;
      }
    }
  }
}

static void say_profiles(const opt_common *const common, const tare_profiles *const profiles) {
  for (int p = 0; common->verbose && p < tare_profiles_count(profiles); p++) {
    char *const text = profile_text(profiles, p);
    say_more(common, "profile %d: %s", p, text);
    free(text);
  }
}

/* Samples outside all profiles are none to any use of the data. */
static tare_status cover_data(const profiles_case *const c, const tare_profiles *const profiles,
                              tare_error *const err) {
  if (!c->in || c->in->fit.outside != TARE_OUTSIDE_SKIP || !c->in->data.judge) {
    return TARE_OK;
  }
  judge *const j = c->in->data.judge;
  if (c->streaming) {
    return cli_fail(
        err, TARE_E_USAGE,
        "--outside skip: the profiles of a model with states or --chunk are for chunks: "
        "use --min-length and --max-length");
  }
  tare_profiles_free(&j->covered);
  CLI_TRY(tare_profiles_new(c->inputs, c->n_inputs, &j->covered, err));
  CLI_TRY(copy_profiles(profiles, j->covered, err));
  for (int i = 0; i < c->n_datasets; i++) {
    CLI_TRY(judge_apply(j, c->datasets[i], err));
  }
  return TARE_OK;
}

static tare_status profiles_make(const profiles_case *const c, tare_profiles **const out,
                                 tare_error *const err) {
  if (c->options->from_data && c->n_datasets == 0) {
    return cli_fail(err, TARE_E_USAGE,
                    "--profile auto needs data, which this command does not take");
  }
  tare_profiles *profiles = NULL;
  CLI_TRY(tare_profiles_new(c->inputs, c->n_inputs, &profiles, err));
  tare_status status = lengths_fill(c, profiles, err);
  if (status == TARE_OK) {
    status = cover_data(c, profiles, err);
  }
  if (status != TARE_OK) {
    tare_profiles_free(&profiles);
    return status;
  }
  warn_hidden(c->common, profiles);
  say_profiles(c->common, profiles);
  *out = profiles;
  return TARE_OK;
}

tare_status profiles_choose(const opt_profiles *const options, const opt_common *const common,
                            const tare_port *const inputs, const int n_inputs,
                            const tare_profiles *const other, tare_dataset *const *const datasets,
                            const int n_datasets, tare_profiles **const out,
                            tare_error *const err) {
  const profiles_case c = {.options = options,
                           .common = common,
                           .inputs = inputs,
                           .n_inputs = n_inputs,
                           .other = other,
                           .datasets = datasets,
                           .n_datasets = n_datasets};
  return profiles_make(&c, out, err);
}

tare_status profiles_choose_for(const opt_inputs *const in, const tare_model *const model,
                                const tare_port *const inputs, const int n_inputs,
                                const tare_profiles *const other,
                                tare_dataset *const *const datasets, const int n_datasets,
                                tare_streaming *const streaming, tare_profiles **const out,
                                tare_error *const err) {
  const profiles_case c = {.options = &in->profiles,
                           .common = &in->common,
                           .inputs = inputs,
                           .n_inputs = n_inputs,
                           .other = other,
                           .datasets = datasets,
                           .n_datasets = n_datasets,
                           .streaming = streaming,
                           .in = in,
                           .model = model};
  return profiles_make(&c, out, err);
}
