#include "tools/compare/compare_grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/options/compare_methods.h"
#include "tools/compare/options/compare_precisions.h"
#include "tools/options/families.h"

enum { PER_PROFILE = TARE_FIT_COUNT }; /* behind the library's fits: one way to use native */

static const char *grid_fit_name(const int fit) {
  return fit == PER_PROFILE ? "per-profile" : tare_fit_name((tare_fit)fit);
}

static const char *grid_fit_meaning(const int fit) {
  return fit == PER_PROFILE ? "native, with thresholds per profile" : NULL;
}

cli_family grid_fits(void) {
  return (cli_family){"fit", PER_PROFILE + 1, grid_fit_name, grid_fit_meaning};
}

void grid_add_default_fits(cli_list *const fits) {
  static const int FITS[] = {TARE_FIT_NATIVE, TARE_FIT_OPT, PER_PROFILE};
  for (size_t i = 0; i < sizeof FITS / sizeof *FITS; i++) {
    cli_list_add(fits, grid_fit_name(FITS[i]));
  }
}

void grid_add_keeping_fits(cli_list *const fits) {
  cli_list_add(fits, grid_fit_name(TARE_FIT_NATIVE));
  cli_list_add(fits, grid_fit_name(PER_PROFILE));
}

/* The pass that calibrates this way; made when it is new. */
static int find_pass(grid *const g, const tare_fit fit, const bool count_padding) {
  for (int i = 0; i < g->n_passes; i++) {
    if (g->passes[i].fit == fit && g->passes[i].count_padding == count_padding) {
      return i;
    }
  }
  g->passes = cli_realloc(g->passes, (size_t)g->n_passes + 1, sizeof *g->passes);
  g->passes[g->n_passes] = (grid_pass){.fit = fit, .count_padding = count_padding};
  return g->n_passes++;
}

bool grid_same_method(const grid_strategy *const a, const grid_strategy *const b) {
  return a->method_number == b->method_number && a->percentile == b->percentile;
}

static void compare_grid_add(grid *const g, const grid_strategy *const c) {
  for (int i = 0; i < g->n; i++) {
    if (g->items[i].pass == c->pass && g->items[i].per_profile == c->per_profile &&
        g->items[i].precision == c->precision && grid_same_method(&g->items[i], c)) {
      return;
    }
  }
  g->items = cli_realloc(g->items, (size_t)g->n + 1, sizeof *g->items);
  g->items[g->n] = *c;
  g->items[g->n].label = compare_precision_label(c->method, c->precision);
  g->items[g->n].method = g->items[g->n].label;
  g->n++;
}

static int precision_number(const char *const name) {
  const cli_family precisions = compare_precisions();
  return cli_pick(NULL, &precisions, name);
}

/* A strategy for each method and precision. */
static void add_methods(grid *const g, const grid_strategy *const fit,
                        const grid_axes *const axes) {
  for (int m = 0; m < axes->methods->n; m++) {
    const compare_method method = compare_method_of(NULL, axes->methods->items[m]);
    for (int p = 0; p < axes->precisions->n; p++) {
      grid_strategy c = *fit;
      c.method = axes->methods->items[m];
      c.method_number = method.number;
      c.percentile = compare_method_percentile(&method, axes->percentile);
      c.precision = precision_number(axes->precisions->items[p]);
      compare_grid_add(g, &c);
    }
  }
}

static void add_fit(grid *const g, const char *const name, const bool count_padding,
                    const grid_axes *const axes) {
  const bool per_profile = strcmp(name, grid_fit_name(PER_PROFILE)) == 0;
  tare_fit fit = TARE_FIT_NATIVE;
  const tare_status status = per_profile ? TARE_OK : tare_fit_parse(name, &fit, NULL);
  assert(status == TARE_OK);
  (void)status; /* only asserted: names are those of the family */
  const grid_strategy s = {.fit = grid_fit_name(per_profile ? PER_PROFILE : (int)fit),
                           .pass = find_pass(g, fit, tare_fit_pads(fit) && count_padding),
                           .per_profile = per_profile};
  add_methods(g, &s, axes);
}

void grid_make(const grid_axes *const axes, grid *const out) {
  const cli_family family = family_paddings();
  *out = (grid){0};
  for (int f = 0; f < axes->fits->n; f++) {
    for (int p = 0; p < axes->paddings->n; p++) {
      const bool count = strcmp(axes->paddings->items[p], family.name(1)) == 0;
      add_fit(out, axes->fits->items[f], count, axes);
    }
  }
}

void grid_fini(grid *const g) {
  for (int i = 0; i < g->n + g->n_left; i++) {
    tare_eval_result_fini(&g->items[i].result);
    if (g->items[i].n_raised == 0) {
      tare_table_free(&g->items[i].table);
    }
    free(g->items[i].lengths);
    free(g->items[i].label);
  }
  length_buckets_fini(&g->lengths);
  tare_eval_result_fini(&g->fp32);
  free(g->fp32_lengths);
  free(g->items);
  free(g->passes);
  free(g->order);
  *g = (grid){0};
}

bool grid_counts_padding(const grid *const g, const grid_strategy *const s) {
  return s->pass >= 0 && g->passes[s->pass].count_padding;
}

char *grid_fit_text(const grid *const g, const int strategy) {
  const grid_strategy *const s = &g->items[strategy];
  return cli_format("%s%s", s->fit, grid_counts_padding(g, s) ? " counted" : "");
}
