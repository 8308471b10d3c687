#include "tools/profiles/length_plan.h"

#include <stdlib.h>

static int length_plan_ascending(const void *const a, const void *const b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void count_lengths(int64_t *const values, const int64_t n, length_plan *const p) {
  qsort(values, (size_t)n, sizeof *values, length_plan_ascending);
  p->lengths = cli_realloc(NULL, (size_t)n, sizeof *p->lengths);
  for (int64_t i = 0; i < n; i++) {
    if (p->n == 0 || p->lengths[p->n - 1].length != values[i]) {
      p->lengths[p->n++] = (tare_length_count){.length = values[i]};
    }
    p->lengths[p->n - 1].samples++;
  }
  p->samples = n;
}

/* What a run costs at a length that may be that of no sample. */
static int64_t cost_at(const latency_curve *const curve, const int64_t length) {
  return curve ? latency_curve_ns(curve, length) : length;
}

/* A longer run costs more, if by a nanosecond. */
static void count_costs(const latency_curve *const curve, length_plan *const p) {
  p->costs = cli_realloc(NULL, (size_t)p->n, sizeof *p->costs);
  for (int i = 0; i < p->n; i++) {
    const tare_length_count *const l = &p->lengths[i];
    const int64_t cost = cost_at(curve, l->length);
    const int64_t above = i ? p->costs[i - 1].length + 1 : 0;
    p->costs[i] = (tare_length_count){cost > above ? cost : above, l->samples};
    p->least += p->costs[i].length * l->samples;
  }
}

/* Profiles of one width between the shortest and the longest length: each sample is padded to the
 * end of its profile, as with the cuts, whose profiles end at the longest sample. */
static int64_t equal_padding(const length_plan *const p, const int groups,
                             const latency_curve *const curve) {
  const int64_t least = p->lengths[0].length, span = p->lengths[p->n - 1].length - least;
  int64_t padding = 0;
  int group = 0;
  for (int i = 0; i < p->n; i++) {
    const tare_length_count *const l = &p->lengths[i];
    while (group + 1 < groups && l->length - least > span * (group + 1) / groups) {
      group++;
    }
    const int64_t cost = cost_at(curve, least + span * (group + 1) / groups);
    padding += cost > p->costs[i].length ? l->samples * (cost - p->costs[i].length) : 0;
  }
  return padding;
}

double length_plan_share(const length_plan *const p, const int64_t padding) {
  return padding ? (double)padding / (double)(padding + p->least) : 0;
}

tare_status length_plan_make(int64_t *const values, const int64_t n,
                             const profiles_options *const o, const latency_curve *const curve,
                             length_plan *const out, tare_error *const err) {
  *out = (length_plan){0};
  count_lengths(values, n, out);
  count_costs(curve, out);
  const int asked = o->count ? o->count : o->most, most = asked < out->n ? asked : out->n;
  out->cuts = cli_realloc(NULL, (size_t)most, sizeof *out->cuts);
  for (int g = 1; g <= most; g++) {
    length_cut *const cut = &out->cuts[out->n_cuts];
    *cut = (length_cut){.groups = g, .equal_padding = equal_padding(out, g, curve)};
    CLI_TRY(tare_lengths_cut(out->costs, out->n, g, cut->last, &cut->padding, err));
    out->chosen = out->n_cuts++;
    out->fulfills = o->count ? g == most : length_plan_share(out, cut->padding) <= o->padding;
    if (out->fulfills && !o->count) {
      break;
    }
  }
  return TARE_OK;
}

void length_plan_fini(length_plan *const plan) {
  free(plan->lengths);
  free(plan->costs);
  free(plan->cuts);
  *plan = (length_plan){0};
}

static int length_plan_first(const length_plan *const p, const int group) {
  return group ? p->cuts[p->chosen].last[group - 1] + 1 : 0;
}

int64_t length_plan_samples(const length_plan *const p, const int group) {
  int64_t samples = 0;
  for (int i = length_plan_first(p, group); i <= p->cuts[p->chosen].last[group]; i++) {
    samples += p->lengths[i].samples;
  }
  return samples;
}

tare_range length_plan_range(const length_plan *const p, const int group) {
  const int first = length_plan_first(p, group), last = p->cuts[p->chosen].last[group];
  const int64_t half = length_plan_samples(p, group) / 2;
  int at = first;
  for (int64_t before = p->lengths[at].samples; before <= half && at < last;) {
    before += p->lengths[++at].samples;
  }
  return (tare_range){.min = first ? p->lengths[first - 1].length + 1 : p->lengths[0].length,
                      .opt = p->lengths[at].length,
                      .max = p->lengths[last].length};
}
