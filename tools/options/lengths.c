#include "tools/options/lengths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

tare_status lengths_new(const tare_port *const inputs, const int n_inputs, lengths *const out,
                        tare_error *const err) {
  *out = (lengths){0};
  return tare_profiles_new(inputs, n_inputs, &out->symbols, err);
}

void lengths_fini(lengths *const l) {
  tare_profiles_free(&l->symbols);
  free(l->values);
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

int lengths_find_symbol(const tare_profiles *const profiles, const char *const name) {
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
      const int known = lengths_find_symbol(from, name), other = lengths_find_symbol(others, name);
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
