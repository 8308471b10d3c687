/* Profiles by the lengths of data. */
#include <inttypes.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/data_scan.h"
#include "tools/profiles/latency_measure.h"
#include "tools/profiles/length_plan.h"
#include "tools/report.h"
#include "tools/show/show.h"

enum { BINS = 10, BAR_CELLS = 30 };

typedef struct data_profiles {
  const profiles_options *options;
  data_scan scan;
  int symbol;
  length_plan plan;
  latency_curve curve; /* with a plan */
  cli_list specs;      /* of the chosen profiles; the texts are its own */
} data_profiles;

/* --- the symbol ------------------------------------------------------------------------------- */

static int64_t *values_of(const lengths *const l, const int symbol) {
  const int n_symbols = tare_profiles_n_symbols(l->symbols);
  int64_t *const values = cli_realloc(NULL, (size_t)l->n, sizeof *values);
  for (int64_t i = 0; i < l->n; i++) {
    values[i] = l->values[i * n_symbols + symbol];
  }
  return values;
}

/* How far the lengths of a symbol range. One along which samples may be empty, as the caches of
 * decoders at first, is not what makes them long. */
static double width_of(const lengths *const l, const int symbol) {
  const tare_range r = lengths_range(l, symbol);
  return tare_profiles_is_sum(l->symbols, symbol) ? 0
         : r.min > 0                              ? (double)r.max / (double)r.min
                                                  : 1;
}

/* The symbol whose lengths range the farthest; of those that range as far, the longest. */
static int widest_symbol(const lengths *const l) {
  int widest = 0;
  int64_t longest = -1;
  double most = -1;
  for (int s = 0; s < tare_profiles_n_symbols(l->symbols); s++) {
    const tare_range r = lengths_range(l, s);
    const double width = width_of(l, s);
    if (width > most || (width == most && r.max > longest)) {
      widest = s;
      longest = r.max;
      most = width;
    }
  }
  return widest;
}

static tare_status pick_symbol(data_profiles *const d, tare_error *const err) {
  const tare_profiles *const symbols = d->scan.lengths.symbols;
  const int n = tare_profiles_n_symbols(symbols);
  if (!d->options->symbol) {
    d->symbol = widest_symbol(&d->scan.lengths);
    return TARE_OK;
  }
  if (tare_profiles_pick(symbols, d->options->symbol, &d->symbol, NULL) == TARE_OK) {
    return TARE_OK;
  }
  cli_list names = {0};
  for (int s = 0; s < n; s++) {
    cli_list_add(&names, tare_profiles_symbol(symbols, s));
  }
  char *const all = cli_join(names.items, names.n, " or ");
  (void)cli_fail(err, TARE_E_USAGE, "--symbol %s: no input has it, expected %s", d->options->symbol,
                 all);
  free(all);
  cli_list_fini(&names);
  return TARE_E_USAGE;
}

/* --- the profiles ----------------------------------------------------------------------------- */

/* With the lengths that the user wants covered beside those of the data. */
static tare_range covered_range(const data_profiles *const d, const int group) {
  const profiles_options *const o = d->options;
  tare_range r = length_plan_range(&d->plan, group);
  r.min = group == 0 && o->min >= 0 ? o->min : r.min;
  r.max = group + 1 == d->plan.cuts[d->plan.chosen].groups && o->max >= 0 ? o->max : r.max;
  return r;
}

static tare_status check_covered(const data_profiles *const d, tare_error *const err) {
  const profiles_options *const o = d->options;
  const tare_range all = lengths_range(&d->scan.lengths, d->symbol);
  if (o->min > all.min) {
    return cli_fail(err, TARE_E_USAGE,
                    "--min %" PRId64 " leaves out the shortest sample, of length %" PRId64, o->min,
                    all.min);
  }
  if (o->max >= 0 && o->max < all.max) {
    return cli_fail(err, TARE_E_USAGE,
                    "--max %" PRId64 " leaves out the longest sample, of length %" PRId64, o->max,
                    all.max);
  }
  return TARE_OK;
}

static char *spec_of(const data_profiles *const d, const int group) {
  const lengths *const l = &d->scan.lengths;
  const int n = tare_profiles_n_symbols(l->symbols);
  char *spec = NULL;
  for (int s = 0; s < n; s++) {
    const tare_range r = s == d->symbol ? covered_range(d, group) : lengths_range(l, s);
    if (s == d->symbol || (!tare_profiles_is_sum(l->symbols, s) && (r.min != 1 || r.max != 1))) {
      spec = lengths_append_range(spec, tare_profiles_symbol(l->symbols, s), r);
    }
  }
  return spec;
}

static tare_status data_profiles_make(data_profiles *const d, tare_error *const err) {
  const profiles_options *const o = d->options;
  const bool builds = o->plan && !o->model && show_kind_of(o->plan) == &show_model;
  CLI_TRY(
      data_scan_read(&o->paths, builds ? o->plan : o->model, &o->data, &o->common, &d->scan, err));
  if (d->scan.lengths.n == 0) {
    return cli_fail(err, TARE_E_INPUT, "no usable sample to derive profiles from");
  }
  if (tare_profiles_n_symbols(d->scan.lengths.symbols) == 0) {
    return cli_fail(err, TARE_E_USAGE,
                    "all dims of the model's inputs are fixed: it needs no profiles");
  }
  CLI_TRY(pick_symbol(d, err));
  CLI_TRY(check_covered(d, err));
  const tare_range all = lengths_range(&d->scan.lengths, d->symbol);
  if (o->plan) {
    char *const spec = lengths_spec(&d->scan.lengths);
    const latency_case c = {.path = o->plan,
                            .spec = spec,
                            .symbol = tare_profiles_symbol(d->scan.lengths.symbols, d->symbol),
                            .min = all.min,
                            .max = all.max,
                            .common = &o->common};
    const tare_status measured = latency_measure(&c, &d->curve, err);
    free(spec);
    CLI_TRY(measured);
  }
  int64_t *const values = values_of(&d->scan.lengths, d->symbol);
  const tare_status status =
      length_plan_make(values, d->scan.lengths.n, o, o->plan ? &d->curve : NULL, &d->plan, err);
  free(values);
  CLI_TRY(status);
  for (int g = 0; g < d->plan.cuts[d->plan.chosen].groups; g++) {
    cli_list_add(&d->specs, spec_of(d, g));
  }
  return TARE_OK;
}

static void data_profiles_fini(data_profiles *const d) {
  for (int i = 0; i < d->specs.n; i++) {
    free((char *)d->specs.items[i]);
  }
  cli_list_fini(&d->specs);
  length_plan_fini(&d->plan);
  data_scan_fini(&d->scan);
}

/* --- text ------------------------------------------------------------------------------------- */

/* Eighths of a cell where the terminal has them. */
static char *bar_of(const double share) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const bool fine = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  int left = (int)(share * BAR_CELLS * 8 + 0.5);
  char *bar = cli_format("%s", "");
  for (; left > 0; left -= 8) {
    bar = cli_append(bar, "%s", fine ? eighths[left < 8 ? left : 8] : left >= 4 ? "#" : "");
  }
  return bar;
}

static int64_t samples_between(const length_plan *const p, const int64_t above,
                               const int64_t most) {
  int64_t samples = 0;
  for (int i = 0; i < p->n; i++) {
    const bool inside = p->lengths[i].length > above && p->lengths[i].length <= most;
    samples += inside ? p->lengths[i].samples : 0;
  }
  return samples;
}

/* Upper bound of a bin. */
static int64_t bin_end(const length_plan *const p, const int bins, const int bin) {
  const int64_t least = p->lengths[0].length, span = p->lengths[p->n - 1].length - least;
  return least + span * (bin + 1) / bins;
}

static int length_bins(const length_plan *const p) {
  const int64_t span = p->lengths[p->n - 1].length - p->lengths[0].length;
  return span + 1 < BINS ? (int)span + 1 : BINS;
}

static int cells_of(const int64_t n) {
  return snprintf(NULL, 0, "%" PRId64, n);
}

static void print_lengths(const length_plan *const p) {
  const int bins = length_bins(p);
  const int wide = cells_of(p->lengths[p->n - 1].length), high = cells_of(p->samples);
  const int64_t below = p->lengths[0].length - 1;
  int64_t counts[BINS], most = 1, above = below;
  for (int b = 0; b < bins; b++) {
    counts[b] = samples_between(p, above, bin_end(p, bins, b));
    above = bin_end(p, bins, b);
    most = counts[b] > most ? counts[b] : most;
  }
  above = below;
  for (int b = 0; b < bins; b++) {
    char *const bar = bar_of((double)counts[b] / (double)most);
    printf("%*" PRId64 " to %*" PRId64 "  %*" PRId64 "%s%s\n", wide, above + 1, wide,
           bin_end(p, bins, b), high, counts[b], *bar ? "  " : "", bar);
    above = bin_end(p, bins, b);
    free(bar);
  }
}

static void print_curve(const latency_curve *const c, const char *const plan) {
  report *const r = report_new("length>,ms>");
  printf("\nlatency of %s with %d thread%s: medians of runs with made-up inputs\n", plan,
         c->threads, cli_s(c->threads));
  for (int i = 0; i < c->n; i++) {
    report_cell(r, "%" PRId64, c->lengths[i]);
    report_number(r, 3, c->ms[i]);
  }
  report_print(r, stdout);
}

/* What a sample takes on average, padded so. */
static double mean_ms(const length_plan *const p, const int64_t padding) {
  return 1e-6 * (double)(p->least + padding) / (double)p->samples;
}

static void print_cuts(const length_plan *const p, const bool timed) {
  report *const r =
      report_new(timed ? "profiles>,time of padding %>,of equal widths %>,ms a sample>,chosen<"
                       : "profiles>,padding %>,of equal widths %>,chosen<");
  for (int c = 0; c < p->n_cuts; c++) {
    const length_cut *const cut = &p->cuts[c];
    report_cell(r, "%d", cut->groups);
    report_number(r, 1, 100 * length_plan_share(p, cut->padding));
    report_number(r, 1, 100 * length_plan_share(p, cut->equal_padding));
    if (timed) {
      report_number(r, 3, mean_ms(p, cut->padding));
    }
    report_cell(r, "%s", c == p->chosen ? "yes" : "-");
  }
  report_print(r, stdout);
}

static void print_chosen(const data_profiles *const d) {
  const length_plan *const p = &d->plan;
  report *const r = report_new("profile<,samples>,min>,opt>,max>");
  for (int g = 0; g < d->specs.n; g++) {
    const tare_range range = covered_range(d, g);
    report_cell(r, "%d", g);
    report_cell(r, "%" PRId64, length_plan_samples(p, g));
    report_cell(r, "%" PRId64, range.min);
    report_cell(r, "%" PRId64, range.opt);
    report_cell(r, "%" PRId64, range.max);
  }
  report_print(r, stdout);
}

static void data_profiles_print(const data_profiles *const d) {
  const lengths *const l = &d->scan.lengths;
  const tare_range all = lengths_range(l, d->symbol);
  printf("data       %s\n", tare_dataset_describe(d->scan.dataset));
  printf("samples    %" PRId64 ", %" PRId64 " bad\n", l->n, tare_dataset_n_bad(d->scan.dataset));
  printf("symbol     %s, %" PRId64 " to %" PRId64 ", median %" PRId64 "\n\nsamples by length\n",
         tare_profiles_symbol(l->symbols, d->symbol), all.min, all.max, all.opt);
  print_lengths(&d->plan);
  if (d->options->plan) {
    print_curve(&d->curve, d->options->plan);
  }
  puts("");
  print_cuts(&d->plan, d->options->plan != NULL);
  if (!d->plan.fulfills) {
    printf("no number of profiles up to %d leaves at most %.3g %% %spadding (--padding, --most)\n",
           d->plan.n_cuts, 100 * d->options->padding, d->options->plan ? "of the time to " : "");
  }
  if (d->options->count > d->plan.n_cuts) {
    printf("%d profiles are not possible: there are %d different lengths\n", d->options->count,
           d->plan.n);
  }
  puts("");
  print_chosen(d);
  profiles_print_flags(&d->specs);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void latency_json(cJSON *const object, const latency_curve *const c,
                         const char *const plan) {
  cJSON *const latency = json_add(object, "latency", json_object());
  json_text(latency, "plan", plan);
  json_int(latency, "threads", c->threads);
  cJSON *const points = json_add(latency, "points", json_array());
  for (int i = 0; i < c->n; i++) {
    cJSON *const point = json_add(points, NULL, json_object());
    json_int(point, "length", c->lengths[i]);
    json_real(point, "ms", c->ms[i]);
  }
}

static void data_profiles_json(const data_profiles *const d, cJSON *const object) {
  const length_plan *const p = &d->plan;
  const tare_range all = lengths_range(&d->scan.lengths, d->symbol);
  json_text(object, "source", "data");
  json_text(object, "symbol", tare_profiles_symbol(d->scan.lengths.symbols, d->symbol));
  json_int(object, "samples", p->samples);
  json_int(object, "bad", tare_dataset_n_bad(d->scan.dataset));
  const tare_left_out left_out = tare_dataset_left_out(d->scan.dataset);
  json_left_out(object, &left_out);
  json_int(object, "min", all.min);
  json_int(object, "median", all.opt);
  json_int(object, "max", all.max);
  cJSON *const list = json_add(object, "counts", json_array());
  for (int c = 0; c < p->n_cuts; c++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_int(item, "profiles", p->cuts[c].groups);
    json_real(item, "padding", length_plan_share(p, p->cuts[c].padding));
    json_real(item, "equal_width_padding", length_plan_share(p, p->cuts[c].equal_padding));
    if (d->options->plan) {
      json_real(item, "ms", mean_ms(p, p->cuts[c].padding));
    }
  }
  if (d->options->plan) {
    latency_json(object, &d->curve, d->options->plan);
  }
  json_bool(object, "fulfilled", p->fulfills);
  profiles_json_flags(object, &d->specs);
}

tare_status profiles_of_data(const profiles_options *const options, cJSON *const object,
                             tare_error *const err) {
  data_profiles d = {.options = options};
  const tare_status status = data_profiles_make(&d, err);
  if (status == TARE_OK && object) {
    data_profiles_json(&d, object);
  } else if (status == TARE_OK) {
    data_profiles_print(&d);
  }
  data_profiles_fini(&d);
  return status;
}
