#include "tools/compare/requirement.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"

/* --- reading ---------------------------------------------------------------------------------- */

static const char *figure_name(const requirement_figure figure, const int metric) {
  return figure == REQUIREMENT_SQNR   ? "sqnr"
         : figure == REQUIREMENT_TOP1 ? "top-1"
                                      : tare_metric_name(metric);
}

static const char *figure_unit(const requirement_figure figure, const int metric) {
  return figure == REQUIREMENT_SQNR   ? "dB"
         : figure == REQUIREMENT_TOP1 ? "%"
                                      : tare_metric_get_unit(metric).symbol;
}

/* False where no figure has the name, which is `n` characters long. */
static bool requirement_figure_of(const char *const text, const size_t n, const int metric,
                                  requirement_figure *const out) {
  for (int f = metric < 0 ? REQUIREMENT_SQNR : REQUIREMENT_METRIC; f <= REQUIREMENT_TOP1; f++) {
    const char *const name = figure_name((requirement_figure)f, metric);
    if (strlen(name) == n && strncmp(text, name, n) == 0) {
      *out = (requirement_figure)f;
      return true;
    }
  }
  return false;
}

/* The number at the end, with or without its unit; false where there is none. */
static bool requirement_number(const char *const text, const char *const unit, double *const out) {
  char *end;
  errno = 0;
  *out = strtod(text, &end);
  if (end == text) {
    return false;
  }
  end += strspn(end, " ");
  return errno == 0 && isfinite(*out) && (!*end || strcmp(end, unit) == 0);
}

requirement requirement_parse(const struct argp_state *const state, const char *const text,
                              const int metric) {
  requirement r = {.text = text};
  const size_t n = strcspn(text, "<>=");
  if (!requirement_figure_of(text, n, metric, &r.figure)) {
    argp_error(state, "--require %s: expected sqnr, top-1 or the name of --metric before the bound",
               text);
  }
  const char *at = text + n;
  if ((at[0] != '>' && at[0] != '<') || at[1] != '=') {
    argp_error(state, "--require %s: expected >= or <= behind %.*s", text, (int)n, text);
  }
  r.at_least = at[0] == '>';
  at += 2;
  const char *const unit = figure_unit(r.figure, metric);
  if (strncmp(at, "fp32", 4) == 0) {
    r.to_fp32 = true;
    at += 4;
    if (r.figure != REQUIREMENT_METRIC) {
      argp_error(state, "--require %s: the float plan has a metric, but no %s", text,
                 figure_name(r.figure, metric));
    }
  }
  const bool number = r.to_fp32 && !*at ? true : requirement_number(at, unit, &r.bound);
  if (!number || (r.to_fp32 && *at && *at != '+' && *at != '-')) {
    argp_error(state, "--require %s: expected a number%s as the bound, such as %.*s>=%s", text,
               r.figure == REQUIREMENT_METRIC ? ", fp32, fp32+number or fp32-number" : "", (int)n,
               text, r.figure == REQUIREMENT_METRIC ? "fp32-0.5%" : "30");
  }
  return r;
}

/* --- judging ---------------------------------------------------------------------------------- */

static bool is_beyond(const requirement *const r, const double value, const double bound) {
  return r->at_least ? value >= bound : value <= bound;
}

/* The interval of what is compared with the bound; NAN where there is none. */
static tare_interval requirement_interval(const requirement *const r, const grid_strategy *const s,
                                          const double factor) {
  if (r->figure == REQUIREMENT_SQNR) {
    return s->sqnr;
  }
  return r->to_fp32 ? (tare_interval){factor * s->to_fp32.low, factor * s->to_fp32.high}
                    : (tare_interval){NAN, NAN};
}

/* At least one strategy must be ranked. */
static requirement_outcome requirement_judge(const requirement *const r, const grid *const g,
                                             const int metric) {
  const grid_strategy *const s = &g->items[grid_first(g)];
  const double factor = r->figure == REQUIREMENT_METRIC ? tare_metric_get_unit(metric).factor : 100;
  const double fp32 = r->to_fp32 ? factor * g->fp32.total.metric : 0;
  const double value = r->figure == REQUIREMENT_SQNR   ? s->result.total.sqnr_db
                       : r->figure == REQUIREMENT_TOP1 ? factor * s->result.total.top1_agreement
                                                       : factor * s->result.total.metric;
  const tare_interval interval = requirement_interval(r, s, factor);
  requirement_outcome o = {.value = value, .bound = r->bound + fp32};
  o.fulfilled = is_beyond(r, value - fp32, r->bound);
  o.has_interval = !isnan(interval.low);
  o.sure = o.has_interval && is_beyond(r, interval.low, r->bound) == o.fulfilled &&
           is_beyond(r, interval.high, r->bound) == o.fulfilled;
  return o;
}

/* --- telling ---------------------------------------------------------------------------------- */

void requirements_print(const requirement *const list, const int n, const grid *const g,
                        const int metric) {
  if (n == 0 || grid_first(g) < 0) {
    return;
  }
  putchar('\n');
  report *const r = report_new("requirement<,value>,bound>,<,as far as the samples tell<");
  for (int i = 0; i < n; i++) {
    const requirement_outcome o = requirement_judge(&list[i], g, metric);
    report_cell(r, "%s", list[i].text);
    report_number(r, 3, o.value);
    report_number(r, 3, o.bound);
    report_cell(r, "%s", o.fulfilled ? "holds" : "fails");
    report_cell(r, "%s",
                !o.has_interval ? "no interval"
                : o.sure        ? "for sure"
                                : "perhaps by chance");
  }
  report_print(r, stdout);
}

void requirements_json(cJSON *const object, const requirement *const list, const int n,
                       const grid *const g, const int metric) {
  if (n == 0) {
    return;
  }
  cJSON *const items = json_add(object, "requirements", json_array());
  for (int i = 0; i < n && grid_first(g) >= 0; i++) {
    const requirement_outcome o = requirement_judge(&list[i], g, metric);
    cJSON *const item = json_add(items, NULL, json_object());
    json_text(item, "requirement", list[i].text);
    json_real(item, "value", o.value);
    json_real(item, "bound", o.bound);
    json_bool(item, "fulfilled", o.fulfilled);
    json_bool(item, "sure", o.sure);
  }
}

int requirements_complain(const requirement *const list, const int n, const grid *const g,
                          const int metric) {
  int failed = 0;
  for (int i = 0; i < n && grid_first(g) >= 0; i++) {
    const requirement_outcome o = requirement_judge(&list[i], g, metric);
    const grid_strategy *const s = &g->items[grid_first(g)];
    failed += !o.fulfilled;
    if (isnan(o.value)) {
      fprintf(stderr, "tare compare: requirement %s fails: %s has no value\n", list[i].text,
              figure_name(list[i].figure, metric));
    } else if (!o.fulfilled) {
      fprintf(stderr, "tare compare: requirement %s fails: %s, %s has %.3f %s, %.3f too %s\n",
              list[i].text, s->fit, s->method, o.value, figure_unit(list[i].figure, metric),
              fabs(o.value - o.bound), list[i].at_least ? "little" : "much");
    }
  }
  return failed;
}
