#include "tools/debug/tensor_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* dB. Above the second, which int8 reaches with good scales, no drop is a fault. */
static const double DEFAULT_SQNR = 20, GOOD_SQNR = 25;

void limit_list_add(limit_list *const list, const struct argp_state *const state,
                    const char *const option, const char *const arg, const double min,
                    const double max) {
  const char *const colon = strrchr(arg, ':');
  if (colon == arg) {
    argp_error(state, "%s %s: expected VALUE or TENSOR:VALUE", option, arg);
  }
  const double value = cli_real(state, option, colon ? colon + 1 : arg, min, max);
  list->items = cli_realloc(list->items, (size_t)list->n + 1, sizeof *list->items);
  list->items[list->n++] = (struct limit_item){
      .tensor = colon ? cli_format("%.*s", (int)(colon - arg), arg) : NULL, .value = value};
}

static void limit_list_fini(const limit_list *const list) {
  for (int i = 0; i < list->n; i++) {
    free(list->items[i].tensor);
  }
  free(list->items);
}

void tensor_limits_fini(tensor_limits *const limits) {
  limit_list_fini(&limits->atol);
  limit_list_fini(&limits->rtol);
  limit_list_fini(&limits->min_sqnr);
}

/* The limit of a tensor, or `other`. */
static double limit_of(const limit_list *const list, const tare_tensor_error *const e,
                       const double other) {
  double value = other;
  for (int i = 0; i < list->n; i++) {
    const char *const tensor = list->items[i].tensor;
    if (tensor ? strcmp(tensor, e->name) == 0 : e->is_output) {
      value = list->items[i].value;
    }
  }
  return value;
}

tare_status tensor_unknown(const tare_comparison *const comparison, const char *const option,
                           const char *const name, tare_error *const err) {
  cli_list names = {0};
  for (int i = 0; i < tare_comparison_count(comparison); i++) {
    cli_list_add(&names, tare_comparison_tensor(comparison, i).name);
  }
  char *const meant = cli_meant(name, &names);
  const tare_status status =
      cli_fail(err, TARE_E_USAGE, "%s: the plan and its reference have no tensor '%s' in common%s",
               option, name, meant);
  free(meant);
  cli_list_fini(&names);
  return status;
}

static bool has_tensor(const tare_comparison *const comparison, const char *const name) {
  for (int i = 0; i < tare_comparison_count(comparison); i++) {
    if (strcmp(tare_comparison_tensor(comparison, i).name, name) == 0) {
      return true;
    }
  }
  return false;
}

static tare_status check_list(const limit_list *const list, const char *const option,
                              const tare_comparison *const comparison, tare_error *const err) {
  for (int i = 0; i < list->n; i++) {
    if (list->items[i].tensor && !has_tensor(comparison, list->items[i].tensor)) {
      return tensor_unknown(comparison, option, list->items[i].tensor, err);
    }
  }
  return TARE_OK;
}

tare_status tensor_limits_apply(const tensor_limits *const limits,
                                tare_comparison *const comparison, tare_error *const err) {
  CLI_TRY(check_list(&limits->atol, "--atol", comparison, err));
  CLI_TRY(check_list(&limits->rtol, "--rtol", comparison, err));
  CLI_TRY(check_list(&limits->min_sqnr, "--min-sqnr", comparison, err));
  for (int i = 0; i < tare_comparison_count(comparison); i++) {
    const tare_tensor_error e = tare_comparison_tensor(comparison, i);
    const double atol = limit_of(&limits->atol, &e, NAN), rtol = limit_of(&limits->rtol, &e, NAN);
    if (!isnan(atol) || !isnan(rtol)) {
      tare_comparison_set_bounds(comparison, i, isnan(atol) ? 0 : atol, isnan(rtol) ? 0 : rtol);
    }
  }
  return TARE_OK;
}

const char *tensor_failure(const tensor_limits *const limits, const tare_tensor_error *const e) {
  const double least = limit_of(&limits->min_sqnr, e, e->is_output ? DEFAULT_SQNR : NAN);
  if (e->is_output && !e->comparable) {
    return "shape";
  }
  return e->exceeding > 0 ? "tolerance" : e->lowest_sqnr_db < least ? "sqnr" : NULL;
}

/* Inputs without error have no level to drop from. */
static bool has_dropped(const tensor_limits *const limits, const tare_tensor_error *const e) {
  return isfinite(e->input_sqnr_db) && e->lowest_sqnr_db < GOOD_SQNR &&
         e->input_sqnr_db - e->lowest_sqnr_db > limits->max_drop;
}

const char *tensor_doubt(const tensor_limits *const limits, const tare_tensor_error *const e) {
  tare_tensor_error as_output = *e;
  as_output.is_output = true;
  const double least = limit_of(&limits->min_sqnr, &as_output, DEFAULT_SQNR);
  if (e->nans) {
    return "nan";
  }
  if (e->lowest_sqnr_db < least && e->input_sqnr_db >= least) {
    return "sqnr";
  }
  return has_dropped(limits, e) ? "drop" : NULL;
}
