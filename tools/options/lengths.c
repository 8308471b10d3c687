#include "tools/options/lengths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/missing_ranges.h"
#include "tools/say.h"

tare_status lengths_new(const tare_port *const inputs, const int n_inputs, lengths *const out,
                        tare_error *const err) {
  *out = (lengths){0};
  return tare_profiles_new(inputs, n_inputs, &out->symbols, err);
}

void lengths_fini(lengths *const l) {
  tare_profiles_free(&l->symbols);
  free(l->values);
  free(l->bad);
  *l = (lengths){0};
}

static tare_status lengths_take(lengths *const l, tare_dataset *const dataset,
                                const tare_sample *const sample, tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  const tare_status status = tare_profiles_bind(l->symbols, sample->tensors, values, err);
  if (status != TARE_OK) {
    (void)cli_fail_in(err, status, sample->name); /* whether it is one is for the data to say */
    return tare_dataset_refuse(dataset, sample->index, err, err);
  }
  const size_t n = (size_t)tare_profiles_n_symbols(l->symbols);
  l->values = cli_realloc(l->values, ((size_t)l->n + 1) * n, sizeof *l->values);
  memcpy(l->values + (size_t)l->n * n, values, n * sizeof *values);
  l->n++;
  return TARE_OK;
}

tare_status lengths_read(lengths *const l, tare_dataset *const dataset, progress *const p,
                         tare_error *const err) {
  const tare_sample *sample = NULL;
  CLI_TRY(tare_dataset_rewind_for_dims(dataset, err));
  for (int64_t done = 0;; done++) {
    (void)progress_tick(p, done, tare_dataset_count(dataset)); /* nothing stops it */
    CLI_TRY(tare_dataset_next(dataset, &sample, err));
    if (!sample) {
      return TARE_OK;
    }
    CLI_TRY(lengths_take(l, dataset, sample, err));
  }
}

tare_status lengths_scan(lengths *const l, tare_dataset *const dataset, progress *const p,
                         tare_error *const err) {
  CLI_TRY(lengths_read(l, dataset, p, err));
  const char *const bad = tare_dataset_bad(dataset, 0);
  if (bad && !l->bad) {
    l->bad = cli_format("%s", bad);
  }
  return tare_dataset_rewind(dataset, err);
}

static int lengths_ascending(const void *const a, const void *const b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

tare_range lengths_range(const lengths *const l, const int symbol) {
  const int n_symbols = tare_profiles_n_symbols(l->symbols);
  int64_t *const sorted = cli_realloc(NULL, (size_t)l->n, sizeof *sorted);
  for (int64_t i = 0; i < l->n; i++) {
    sorted[i] = l->values[i * n_symbols + symbol];
  }
  qsort(sorted, (size_t)l->n, sizeof *sorted, lengths_ascending);
  const tare_range range = {.min = sorted[0], .opt = sorted[l->n / 2], .max = sorted[l->n - 1]};
  free(sorted);
  return range;
}

/* A name as a specification takes it: in single quotes, those inside doubled, where it must be. */
static char *quote(const char *const name) {
  if (!name[strcspn(name, ",=:'# \t")]) {
    return cli_format("%s", name);
  }
  char *const quoted = cli_realloc(NULL, 2 * strlen(name) + 3, 1);
  char *to = quoted;
  *to++ = '\'';
  for (const char *c = name; *c; c++) {
    *to++ = *c;
    if (*c == '\'') {
      *to++ = '\'';
    }
  }
  *to++ = '\'';
  *to = '\0';
  return quoted;
}

char *lengths_append_range(char *const spec, const char *const name, const tare_range r) {
  char *const quoted = quote(name);
  char *const longer = cli_format("%s%s%s=%" PRId64 ":%" PRId64 ":%" PRId64, spec ? spec : "",
                                  spec ? "," : "", quoted, r.min, r.opt, r.max);
  free(quoted);
  free(spec);
  return longer;
}

static bool lengths_is_one(const tare_range r) {
  return r.min == 1 && r.max == 1;
}

char *lengths_spec(const lengths *const l) {
  const int n = tare_profiles_n_symbols(l->symbols);
  char *spec = NULL;
  for (int s = 0; s < n; s++) {
    const tare_range range = lengths_range(l, s);
    if (!tare_profiles_is_sum(l->symbols, s) && !lengths_is_one(range)) {
      spec = lengths_append_range(spec, tare_profiles_symbol(l->symbols, s), range);
    }
  }
  if (!spec && n > 0) {
    return lengths_append_range(NULL, tare_profiles_symbol(l->symbols, 0), (tare_range){1, 1, 1});
  }
  return spec ? spec : cli_format("%s", "");
}

/* NULL where all symbols are 1. */
static char *profile_ranges(const tare_profiles *const profiles, const int profile) {
  char *spec = NULL;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const tare_range range = tare_profiles_range(profiles, profile, s);
    if (!tare_profiles_is_sum(profiles, s) && !lengths_is_one(range)) {
      spec = lengths_append_range(spec, tare_profiles_symbol(profiles, s), range);
    }
  }
  return spec;
}

char *profile_text(const tare_profiles *const profiles, const int profile) {
  char *const spec = profile_ranges(profiles, profile);
  return spec ? spec : cli_format("fixed");
}

char *profile_spec(const tare_profiles *const profiles, const int profile) {
  char *const spec = profile_ranges(profiles, profile);
  const char *const first = tare_profiles_symbol(profiles, 0);
  return spec    ? spec
         : first ? lengths_append_range(NULL, first, (tare_range){1, 1, 1})
                 : cli_format("%s", "");
}

/* Whether a sum is as long as one symbol alone: then the others are empty. */
static bool lengths_is_alone(const tare_profiles *const profiles, const int profile,
                             const int sum) {
  const tare_range r = tare_profiles_range(profiles, profile, sum);
  bool alone = false;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const tare_range other = tare_profiles_range(profiles, profile, s);
    alone |= !tare_profiles_is_sum(profiles, s) && other.min == r.min && other.opt == r.opt &&
             other.max == r.max;
  }
  return alone;
}

const char *profiles_joint(const tare_profiles *const profiles) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    for (int p = 0; tare_profiles_is_sum(profiles, s) && p < tare_profiles_count(profiles); p++) {
      if (!lengths_is_alone(profiles, p, s)) {
        return tare_profiles_symbol(profiles, s);
      }
    }
  }
  return NULL;
}

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

static int find_symbol(const tare_profiles *const profiles, const char *const name) {
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    if (strcmp(tare_profiles_symbol(profiles, s), name) == 0) {
      return s;
    }
  }
  return -1;
}

tare_status profiles_restrict(const tare_profiles *const from, const tare_profiles *const others,
                              tare_profiles *const to, tare_error *const err) {
  for (int p = 0; p < tare_profiles_count(from); p++) {
    char *spec = NULL;
    for (int s = 0; s < tare_profiles_n_symbols(to); s++) {
      const char *const name = tare_profiles_symbol(to, s);
      if (tare_profiles_is_sum(to, s)) {
        continue;
      }
      const int known = find_symbol(from, name), other = find_symbol(others, name);
      spec = lengths_append_range(
          spec, name,
          known >= 0 ? tare_profiles_range(from, p, known) : tare_profiles_range(others, 0, other));
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
  const int symbol = chunk ? find_symbol(l->symbols, chunk) : -1;
  const int64_t longest =
      symbol < 0 ? 0 : lengths_range(l, symbol).max + tare_streaming_generated(streaming);
  const int64_t runs = size && longest > size ? (longest - size + size - 1) / size : 0;
  return (tare_range){0, runs / 2 * growth, runs * growth};
}

/* Chunks are as long as they are, whatever the samples; what else is cut is no length of the model.
 */
static tare_range streaming_range(const lengths *const l, const tare_streaming *const streaming,
                                  const char *const name) {
  int64_t size = 0;
  const char *const chunk = tare_streaming_chunk_symbol(streaming, &size);
  const int64_t growth = tare_streaming_growth(streaming, name);
  const int symbol = find_symbol(l->symbols, name);
  return chunk && strcmp(name, chunk) == 0 ? (tare_range){size, size, size}
         : symbol >= 0                     ? lengths_range(l, symbol)
         : growth >= 0                     ? state_range(l, streaming, growth)
                                           : (tare_range){1, 1, 1};
}

static char *streaming_spec(const lengths *const l, const tare_profiles *const to,
                            const tare_streaming *const streaming) {
  char *spec = NULL;
  for (int s = 0; s < tare_profiles_n_symbols(to); s++) {
    const char *const name = tare_profiles_symbol(to, s);
    const tare_range range = streaming_range(l, streaming, name);
    if (!tare_profiles_is_sum(to, s) && !lengths_is_one(range)) {
      spec = lengths_append_range(spec, name, range);
    }
  }
  return spec ? spec : cli_format("%s", "");
}

static tare_status from_data(const opt_common *const common, const tare_port *inputs, int n_inputs,
                             tare_dataset *const *const datasets, const int n_datasets,
                             tare_streaming *const streaming, tare_profiles *const to,
                             tare_error *const err) {
  lengths l = {0};
  tare_status status = TARE_OK;
  n_inputs = streaming ? tare_streaming_ports(streaming, &inputs) : n_inputs;
  CLI_TRY_GOTO(lengths_new(inputs, n_inputs, &l, err), done);
  const double start = cli_now();
  for (int i = 0; i < n_datasets; i++) {
    progress p = progress_start("read lengths", common);
    status = lengths_scan(&l, datasets[i], &p, err);
    progress_end(&p);
    CLI_TRY_GOTO(status, done);
  }
  if (l.n == 0) {
    status = cli_fail(err, TARE_E_INPUT, "no usable sample to derive a profile from%s%s",
                      l.bad ? "; skipped: " : "", l.bad ? l.bad : "");
    goto done;
  }
  char *const spec = streaming ? streaming_spec(&l, to, streaming) : lengths_spec(&l);
  status = tare_profiles_add(to, spec, err);
  if (status == TARE_OK && *spec) {
    say(common, "profile taken from the data: %s", spec);
    say_more(common, "lengths read in %.1f s", cli_now() - start);
  }
  free(spec);
done:
  lengths_fini(&l);
  return status;
}

static tare_status lengths_fill(const opt_profiles *const options, const opt_common *const common,
                                const tare_port *const inputs, const int n_inputs,
                                const tare_profiles *const other,
                                tare_dataset *const *const datasets, const int n_datasets,
                                tare_streaming *const streaming, tare_profiles *const to,
                                tare_error *const err) {
  if (opt_profiles_given(options)) {
    CLI_TRY(opt_profiles_apply(options, to, err));
    missing_ranges_say(options, common, to, inputs, n_inputs);
    return TARE_OK;
  }
  if (other && !options->from_data) {
    return copy_profiles(other, to, err);
  }
  if (tare_profiles_n_symbols(to) == 0) {
    return tare_profiles_add(to, "", err);
  }
  if (n_datasets > 0) {
    return from_data(common, inputs, n_inputs, datasets, n_datasets, streaming, to, err);
  }
  const char *const symbol = tare_profiles_symbol(to, tare_profiles_n_symbols(to) - 1);
  return cli_fail(err, TARE_E_USAGE,
                  "symbol '%s' needs a range: give the lengths to run at, e.g. --profile "
                  "%s=1:100:1000 (minimum:optimum:maximum)",
                  symbol, symbol);
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

tare_status profiles_choose(const opt_profiles *const options, const opt_common *const common,
                            const tare_port *const inputs, const int n_inputs,
                            const tare_profiles *const other, tare_dataset *const *const datasets,
                            const int n_datasets, tare_streaming *const streaming,
                            tare_profiles **const out, tare_error *const err) {
  if (options->from_data && n_datasets == 0) {
    return cli_fail(err, TARE_E_USAGE,
                    "--profile auto needs data, which this command does not take");
  }
  tare_profiles *profiles = NULL;
  CLI_TRY(tare_profiles_new(inputs, n_inputs, &profiles, err));
  const tare_status status = lengths_fill(options, common, inputs, n_inputs, other, datasets,
                                          n_datasets, streaming, profiles, err);
  if (status != TARE_OK) {
    tare_profiles_free(&profiles);
    return status;
  }
  warn_hidden(common, profiles);
  say_profiles(common, profiles);
  *out = profiles;
  return TARE_OK;
}
