#include "tools/commands/compare_grid.h"

#include <stdlib.h>
#include <string.h>

static const char PER_PROFILE[] = "per-profile";

static bool compare_grid_pads(const tare_fit fit) {
  return fit == TARE_FIT_PAD || fit == TARE_FIT_OPT;
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

static void compare_grid_add(grid *const g, const grid_strategy *const c) {
  for (int i = 0; i < g->n; i++) {
    if (g->items[i].pass == c->pass && g->items[i].per_profile == c->per_profile &&
        strcmp(g->items[i].method, c->method) == 0) {
      return;
    }
  }
  g->items = cli_realloc(g->items, (size_t)g->n + 1, sizeof *g->items);
  g->items[g->n++] = *c;
}

static tare_status add_fit(grid *const g, const char *const name, const bool count_padding,
                           const cli_list *const methods, tare_error *const err) {
  const bool per_profile = strcmp(name, PER_PROFILE) == 0;
  tare_fit fit = TARE_FIT_NATIVE;
  if (!per_profile && tare_fit_parse(name, &fit, err) != TARE_OK) {
    return cli_fail(err, TARE_E_USAGE,
                    "unknown fit '%s', expected one of native, pad, truncate, opt, %s", name,
                    PER_PROFILE);
  }
  const int pass = find_pass(g, fit, compare_grid_pads(fit) && count_padding);
  for (int m = 0; m < methods->n; m++) {
    const grid_strategy c = {
        .fit = name, .method = methods->items[m], .pass = pass, .per_profile = per_profile};
    compare_grid_add(g, &c);
  }
  return TARE_OK;
}

void grid_add_fits(cli_list *const fits) {
  for (int i = 0; i < TARE_FIT_COUNT; i++) {
    cli_list_add(fits, tare_fit_name((tare_fit)i));
  }
  cli_list_add(fits, PER_PROFILE);
}

void grid_add_paddings(cli_list *const paddings) {
  cli_list_add(paddings, "exclude");
  cli_list_add(paddings, "count");
}

tare_status grid_make(const cli_list *const fits, const cli_list *const paddings,
                      const cli_list *const methods, grid *const out, tare_error *const err) {
  *out = (grid){0};
  for (int f = 0; f < fits->n; f++) {
    for (int p = 0; p < paddings->n; p++) {
      const bool count = strcmp(paddings->items[p], "count") == 0;
      if (!count && strcmp(paddings->items[p], "exclude") != 0) {
        return cli_fail(err, TARE_E_USAGE, "--pad-stats: expected exclude or count, got '%s'",
                        paddings->items[p]);
      }
      CLI_TRY(add_fit(out, fits->items[f], count, methods, err));
    }
  }
  return TARE_OK;
}

void grid_fini(grid *const g) {
  for (int i = 0; i < g->n; i++) {
    tare_eval_result_fini(&g->items[i].result);
    tare_table_free(&g->items[i].table);
  }
  tare_eval_result_fini(&g->fp32);
  free(g->items);
  free(g->passes);
  free(g->order);
  *g = (grid){0};
}

char *grid_fit_text(const grid *const g, const int strategy) {
  const grid_strategy *const s = &g->items[strategy];
  return cli_format("%s%s", s->fit, g->passes[s->pass].count_padding ? " counted" : "");
}
