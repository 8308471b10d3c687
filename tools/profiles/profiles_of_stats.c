/* Profiles that statistics by profile say can share scales. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/lengths.h"
#include "tools/profiles/profiles.h"
#include "tools/report.h"

#define SHARE_WITHIN 0.95 /* of the tensors, whose ranges decide */
enum { FEW_SAMPLES = 10 };

typedef struct stats_group {
  int first, end; /* profiles of the statistics */
} stats_group;

/* How far the range that a group shares lies beyond that of one of its profiles. */
typedef struct stats_excess {
  double most;        /* of SHARE_WITHIN of the tensors */
  double worst;       /* of all */
  const char *tensor; /* that has it; NULL: none was observed */
} stats_excess;

typedef struct stats_profiles {
  const profiles_options *options;
  tare_stats *stats;
  tare_profiles *ranges; /* of the statistics, in their order */
  stats_group groups[TARE_MAX_PROFILES];
  int n_groups;
  double *excess; /* of each tensor, on loan to stats_excess_of */
  cli_list specs; /* of the groups; the texts are its own */
} stats_profiles;

/* --- ranges of tensors ------------------------------------------------------------------------ */

/* NAN where nothing was observed. */
static double amax_in(const tare_stats *const stats, const int tensor, const int profile) {
  const tare_stats_entry e = tare_stats_get(stats, tensor, profile);
  return fmax(fabs(e.min), fabs(e.max));
}

static double amax_of_group(const tare_stats *const stats, const int tensor,
                            const stats_group *const group) {
  double amax = NAN;
  for (int p = group->first; p < group->end; p++) {
    amax = fmax(amax, amax_in(stats, tensor, p));
  }
  return amax;
}

static int excess_ascending(const void *const a, const void *const b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static stats_excess stats_excess_of(const stats_profiles *const s, const stats_group *const group,
                                    const int profile) {
  stats_excess e = {.worst = -1};
  int n = 0;
  for (int t = 0; t < tare_stats_n_tensors(s->stats); t++) {
    const double own = amax_in(s->stats, t, profile), all = amax_of_group(s->stats, t, group);
    if (own > 0) {
      s->excess[n] = all / own - 1;
      if (s->excess[n] > e.worst) {
        e.worst = s->excess[n];
        e.tensor = tare_stats_get(s->stats, t, profile).tensor;
      }
      n++;
    }
  }
  if (n > 0) {
    qsort(s->excess, (size_t)n, sizeof *s->excess, excess_ascending);
    e.most = s->excess[(int)ceil(SHARE_WITHIN * n) - 1];
  }
  return e;
}

static bool share_scales(const stats_profiles *const s, const stats_group *const group) {
  bool share = true;
  for (int p = group->first; share && p < group->end; p++) {
    share = stats_excess_of(s, group, p).most <= s->options->within;
  }
  return share;
}

/* As few groups of neighbours as can be: a group that cannot take one more could not if it began
 * earlier either. */
static void group_profiles(stats_profiles *const s) {
  const int n = tare_stats_n_profiles(s->stats);
  for (int p = 0; p < n; p++) {
    stats_group *const last = s->n_groups ? &s->groups[s->n_groups - 1] : NULL;
    const stats_group longer = {last ? last->first : 0, p + 1};
    if (last && share_scales(s, &longer)) {
      last->end = p + 1;
    } else {
      s->groups[s->n_groups++] = (stats_group){p, p + 1};
    }
  }
}

/* --- ranges of lengths ------------------------------------------------------------------------ */

/* The name at the beginning of a specification, without its quotes, and what follows its range; the
 * caller frees the name. */
static char *symbol_at(const char **const at) {
  const char *c = *at;
  char *const name = cli_realloc(NULL, strlen(c) + 1, 1), *to = name;
  const bool quoted = *c == '\'';
  for (c += quoted; *c && (quoted ? *c != '\'' || c[1] == '\'' : *c != '='); c++) {
    c += quoted && *c == '\'';
    *to++ = *c;
  }
  *to = '\0';
  const size_t rest = strcspn(c, ",");
  *at = c + rest + (c[rest] == ',');
  return name;
}

static tare_status parse_ranges(stats_profiles *const s, tare_error *const err) {
  tare_port *const ports = calloc(TARE_MAX_SYMBOLS, sizeof *ports);
  if (!ports) {
    return cli_fail(err, TARE_E_MEMORY, "no memory for %d symbols", TARE_MAX_SYMBOLS);
  }
  char *names[TARE_MAX_SYMBOLS];
  int n = 0;
  const char *at = tare_stats_profile(s->stats, 0);
  for (; *at && n < TARE_MAX_SYMBOLS; n++) {
    names[n] = symbol_at(&at);
    ports[n] = (tare_port){.name = names[n], .dtype = TARE_F32, .rank = 1};
    ports[n].dims[0].value = -1;
    ports[n].dims[0].symbol = names[n];
  }
  tare_status status = tare_profiles_new(ports, n, &s->ranges, err);
  for (int p = 0; status == TARE_OK && p < tare_stats_n_profiles(s->stats); p++) {
    status = tare_profiles_add(s->ranges, tare_stats_profile(s->stats, p), err);
  }
  for (int i = 0; i < n; i++) {
    free(names[i]);
  }
  free(ports);
  return status;
}

/* From the shortest to the longest of the group; the opt is that of its profile with most samples.
 */
static tare_range stats_range(const stats_profiles *const s, const stats_group *const group,
                              const int symbol) {
  tare_range all = tare_profiles_range(s->ranges, group->first, symbol);
  int64_t most = tare_stats_profile_samples(s->stats, group->first);
  for (int p = group->first + 1; p < group->end; p++) {
    const tare_range r = tare_profiles_range(s->ranges, p, symbol);
    const int64_t samples = tare_stats_profile_samples(s->stats, p);
    all.min = r.min < all.min ? r.min : all.min;
    all.max = r.max > all.max ? r.max : all.max;
    all.opt = samples > most ? r.opt : all.opt;
    most = samples > most ? samples : most;
  }
  return all;
}

static char *stats_spec(const stats_profiles *const s, const stats_group *const group) {
  char *spec = NULL;
  for (int i = 0; i < tare_profiles_n_symbols(s->ranges); i++) {
    const tare_range r = stats_range(s, group, i);
    const bool follows = tare_profiles_is_sum(s->ranges, i);
    if (!follows && (r.min != 1 || r.max != 1 || tare_profiles_n_symbols(s->ranges) == 1)) {
      spec = lengths_append_range(spec, tare_profiles_symbol(s->ranges, i), r);
    }
  }
  return spec ? spec : cli_format("%s", "");
}

static tare_status stats_profiles_make(stats_profiles *const s, tare_error *const err) {
  CLI_TRY(tare_stats_load(s->options->paths.items[0], &s->stats, err));
  const size_t tensors = (size_t)tare_stats_n_tensors(s->stats);
  s->excess = cli_realloc(NULL, tensors + 1, sizeof *s->excess);
  CLI_TRY(parse_ranges(s, err));
  group_profiles(s);
  for (int g = 0; g < s->n_groups; g++) {
    cli_list_add(&s->specs, stats_spec(s, &s->groups[g]));
  }
  return TARE_OK;
}

static void stats_profiles_fini(stats_profiles *const s) {
  for (int i = 0; i < s->specs.n; i++) {
    free((char *)s->specs.items[i]);
  }
  cli_list_fini(&s->specs);
  free(s->excess);
  tare_profiles_free(&s->ranges);
  tare_stats_free(&s->stats);
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_excess(const stats_profiles *const s) {
  report *const r = report_new("profile<,samples>,group>,95 % within %>,most %>,in~");
  for (int g = 0; g < s->n_groups; g++) {
    for (int p = s->groups[g].first; p < s->groups[g].end; p++) {
      const stats_excess e = stats_excess_of(s, &s->groups[g], p);
      report_cell(r, "%s", tare_stats_profile(s->stats, p));
      report_cell(r, "%" PRId64, tare_stats_profile_samples(s->stats, p));
      report_cell(r, "%d", g);
      report_number(r, 1, e.tensor ? 100 * e.most : NAN);
      report_number(r, 1, e.tensor ? 100 * e.worst : NAN);
      report_cell(r, "%s", e.tensor && e.worst > 0 ? e.tensor : "-");
    }
  }
  report_print(r, stdout);
}

static void print_few(const stats_profiles *const s) {
  for (int p = 0; p < tare_stats_n_profiles(s->stats); p++) {
    const int64_t samples = tare_stats_profile_samples(s->stats, p);
    if (samples < FEW_SAMPLES) {
      printf("profile %d has %" PRId64 " sample%s: its ranges may differ by chance\n", p, samples,
             cli_s(samples));
    }
  }
}

static void stats_profiles_print(const stats_profiles *const s) {
  const int n = tare_stats_n_profiles(s->stats);
  printf("statistics %s\n", s->options->paths.items[0]);
  printf("tensors    %d\n\n", tare_stats_n_tensors(s->stats));
  print_excess(s);
  print_few(s);
  printf(
      "\nscales     %d profile%s can do with the scales of %d: those of a group lie within %.3g "
      "%% for\n           95 %% of the tensors\n",
      n, cli_s(n), s->n_groups, 100 * s->options->within);
  profiles_print_flags(&s->specs);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void stats_profiles_json(const stats_profiles *const s, cJSON *const object) {
  json_text(object, "source", "statistics");
  json_int(object, "tensors", tare_stats_n_tensors(s->stats));
  cJSON *const list = json_add(object, "profiles", json_array());
  for (int g = 0; g < s->n_groups; g++) {
    for (int p = s->groups[g].first; p < s->groups[g].end; p++) {
      const stats_excess e = stats_excess_of(s, &s->groups[g], p);
      cJSON *const item = json_add(list, NULL, json_object());
      json_text(item, "profile", tare_stats_profile(s->stats, p));
      json_int(item, "samples", tare_stats_profile_samples(s->stats, p));
      json_int(item, "group", g);
      json_real(item, "within", e.tensor ? e.most : NAN);
      json_real(item, "most", e.tensor ? e.worst : NAN);
      json_text(item, "tensor", e.tensor ? e.tensor : "");
    }
  }
  profiles_json_flags(object, &s->specs);
}

tare_status profiles_of_stats(const profiles_options *const options, cJSON *const object,
                              tare_error *const err) {
  stats_profiles s = {.options = options};
  const tare_status status = stats_profiles_make(&s, err);
  if (status == TARE_OK && object) {
    stats_profiles_json(&s, object);
  } else if (status == TARE_OK) {
    stats_profiles_print(&s);
  }
  stats_profiles_fini(&s);
  return status;
}
