#include "graph/table/table.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "base/str.h"
#include "graph/quantize/layer_requests.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/named.h"
#include "graph/table/rounding.h"
#include "graph/table/smoothing.h"

double tarei_table_least_amax(void) {
  return (double)FLT_MIN * 127;
}

double tarei_table_in_float(const double value) {
  const double most = (double)FLT_MAX * (1 + 4 * (double)FLT_EPSILON);
  return fabs(value) <= most ? fmin(fmax(value, -(double)FLT_MAX), FLT_MAX) : value;
}

tarei_cell tarei_cell_unknown(const double amax) {
  return (tarei_cell){.amax = amax,
                      .min = NAN,
                      .max = NAN,
                      .energy_lost = NAN,
                      .static_loss = NAN,
                      .row_loss = NAN,
                      .rms = NAN,
                      .rows = NAN};
}

tare_status tarei_table_set_text(char **const slot, const char *const text, tare_error *const err) {
  char *const copy = tarei_strdup(text);
  if (!copy) {
    return tarei_fail_memory(err, "a text of a calibration table", strlen(text) + 1);
  }
  free(*slot);
  *slot = copy;
  return TARE_OK;
}

tare_status tarei_table_new(const char *const method, const int n_columns, tare_table **const out,
                            tare_error *const err) {
  assert(n_columns >= 1);
  tare_table *table = tarei_calloc(1, sizeof *table);
  if (!table) {
    return tarei_fail_memory(err, "a calibration table", sizeof *table);
  }
  table->n_columns = n_columns;
  const struct {
    char **slot;
    const char *text;
  } texts[] = {{&table->method, method}, {&table->model_name, ""}, {&table->fit, ""},
               {&table->pad_stats, ""},  {&table->gain_range, ""}, {&table->layer_precisions, ""}};
  tare_status status = TARE_OK;
  for (size_t i = 0; i < sizeof texts / sizeof *texts && status == TARE_OK; i++) {
    status = tarei_table_set_text(texts[i].slot, texts[i].text, err);
  }
  if (status != TARE_OK) {
    tare_table_free(&table);
  }
  *out = table;
  return status;
}

static void free_extras(tarei_extras *const extras) {
  for (int i = 0; i < extras->n; i++) {
    free(extras->items[i].key);
    free(extras->items[i].json);
  }
  free(extras->items);
}

void tare_table_free(tare_table **const handle) {
  tare_table *const table = *handle;
  if (!table) {
    return;
  }
  for (int i = 0; i < table->n_profiles; i++) {
    free(table->profiles[i].spec);
    free_extras(&table->profiles[i].extras);
  }
  for (int i = 0; i < table->n_tensors; i++) {
    free(table->tensors[i].name);
    free(table->tensors[i].same_as);
    free(table->tensors[i].cells);
    free_extras(&table->tensors[i].extras);
  }
  for (int i = 0; i < table->roundings.n; i++) {
    free_extras(&table->roundings.items[i].extras);
  }
  tarei_roundings_fini(&table->roundings);
  for (int i = 0; i < table->smoothings.n; i++) {
    free_extras(&table->smoothings.items[i].extras);
  }
  tarei_smoothings_fini(&table->smoothings);
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    for (int i = 0; i < table->numbers[k].n; i++) {
      free_extras(&table->numbers[k].items[i].extras);
    }
  }
  tarei_numbers_fini_all(table->numbers);
  for (int i = 0; i < table->n_warnings; i++) {
    free(table->warnings[i]);
  }
  tarei_extras *const extras[] = {&table->parameters, &table->extras, &table->model_extras,
                                  &table->version_extras};
  for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
    free_extras(extras[i]);
  }
  void *const owned[] = {table->profiles,  table->tensors,    table->warnings,
                         table->method,    table->fit,        table->model_name,
                         table->pad_stats, table->gain_range, table->layer_precisions};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
    free(owned[i]);
  }
  free(table);
  *handle = NULL;
}

tare_status tarei_table_add_profile(tare_table *const table, const char *const spec,
                                    const int64_t samples, tare_error *const err) {
  if (!TAREI_GROW(table->profiles, table->n_profiles, table->cap_profiles)) {
    return tarei_fail_memory(err, "profiles of a calibration table", sizeof *table->profiles);
  }
  tarei_table_profile *const profile = &table->profiles[table->n_profiles++];
  *profile = (tarei_table_profile){.samples = samples};
  return tarei_table_set_text(&profile->spec, spec, err);
}

tare_status tarei_table_add_tensor(tare_table *const table, const char *const name,
                                   const char *const same_as, const tarei_cell *const cells,
                                   tare_error *const err) {
  if (!TAREI_GROW(table->tensors, table->n_tensors, table->cap_tensors)) {
    return tarei_fail_memory(err, "tensors of a calibration table", sizeof *table->tensors);
  }
  tarei_table_tensor *const tensor = &table->tensors[table->n_tensors++];
  const size_t bytes = (size_t)table->n_columns * sizeof *cells;
  *tensor =
      (tarei_table_tensor){.cells = tarei_memdup(cells, bytes), .place = table->n_tensors - 1};
  if (!tensor->cells) {
    return tarei_fail_memory(err, "a line of a calibration table", bytes);
  }
  TAREI_TRY(tarei_table_set_text(&tensor->name, name, err));
  return same_as ? tarei_table_set_text(&tensor->same_as, same_as, err) : TARE_OK;
}

tare_status tarei_table_warn(tare_table *const table, tare_error *const err, const char *const fmt,
                             ...) {
  if (!TAREI_GROW(table->warnings, table->n_warnings, table->cap_warnings)) {
    return tarei_fail_memory(err, "warnings of a calibration table", sizeof *table->warnings);
  }
  va_list args;
  va_start(args, fmt);
  char *text = NULL;
  const int n = vasprintf(&text, fmt, args);
  va_end(args);
  if (n < 0) {
    return tarei_fail_memory(err, "a warning of a calibration table", strlen(fmt));
  }
  table->warnings[table->n_warnings++] = text;
  return TARE_OK;
}

tare_status tarei_extras_add(tarei_extras *const extras, const char *const key,
                             const char *const json, tare_error *const err) {
  if (!TAREI_GROW(extras->items, extras->n, extras->cap)) {
    return tarei_fail_memory(err, "members of a calibration table", sizeof *extras->items);
  }
  tarei_extra *const extra = &extras->items[extras->n++];
  *extra = (tarei_extra){0};
  TAREI_TRY(tarei_table_set_text(&extra->key, key, err));
  return tarei_table_set_text(&extra->json, json, err);
}

/* Nine digits tell floats apart, 17 doubles. A threshold read from a cache can lie between floats.
 */
void tarei_table_print_number(const double value, char *const text, const size_t size) {
  const double as_float = (double)(float)value;
  if (value == as_float) {
    (void)snprintf(text, size, "%.9g", value);
    return;
  }
  (void)snprintf(text, size, "%.15g", value);
  if (strtod(text, NULL) != value) {
    (void)snprintf(text, size, "%.17g", value);
  }
}

double tarei_table_widen(const double value) {
  char text[40];
  (void)snprintf(text, sizeof text, "%.9g", (double)(float)value);
  return strtod(text, NULL) == value ? (double)(float)value : value;
}

tare_status tarei_extras_add_number(tarei_extras *const extras, const char *const key,
                                    const double value, tare_error *const err) {
  char text[40];
  tarei_table_print_number(value, text, sizeof text);
  return tarei_extras_add(extras, key, text, err);
}

const char *tarei_extras_find(const tarei_extras *const extras, const char *const key) {
  for (int i = 0; i < extras->n; i++) {
    if (strcmp(extras->items[i].key, key) == 0) {
      return extras->items[i].json;
    }
  }
  return NULL;
}

/* The tensors in the order in which they were added, which is that of a file they were read from;
 * the caller frees the list. NULL: no memory. */
static const tarei_table_tensor **tensors_in_order(const tare_table *const table) {
  const tarei_table_tensor **const list = tarei_calloc((size_t)table->n_tensors + 1, sizeof *list);
  for (int i = 0; list && i < table->n_tensors; i++) {
    list[table->tensors[i].place] = &table->tensors[i];
  }
  return list;
}

tare_status tarei_table_put_all(const tare_table *const table, const int column,
                                const char *const separator, tarei_table_put_fn *const put,
                                tarei_str *const to, tare_error *const err) {
  const tarei_table_tensor **const tensors = tensors_in_order(table);
  if (!tensors) {
    return tarei_fail_memory(err, "tensors of a calibration table", sizeof *tensors);
  }
  tare_status status = TARE_OK;
  for (int i = 0; i < table->n_tensors && status == TARE_OK; i++) {
    tarei_str_add(to, "%s", i ? separator : "");
    status = put(to, tensors[i], column, err);
  }
  free(tensors);
  return status;
}

tare_status tarei_table_save_text(const tare_status status, tarei_str *const text,
                                  const char *const path, tare_error *const err) {
  tare_status saved = status;
  if (status == TARE_OK) {
    saved = text->failed ? tarei_fail_memory(err, path, text->length)
                         : tarei_outfile_save(path, text->text, text->length, err);
  }
  tarei_str_free(text);
  return saved;
}

static int table_by_name(const void *const a, const void *const b) {
  return strcmp(((const tarei_table_tensor *)a)->name, ((const tarei_table_tensor *)b)->name);
}

static tare_status table_sort_list(const tarei_named list, const char *const what,
                                   const char *const noun, tare_error *const err) {
  tarei_named_sort(list);
  const char *const twice = tarei_named_duplicate(list);
  return twice ? tarei_fail(err, TARE_E_INPUT, "%s: duplicate %s '%s'", what, noun, twice)
               : TARE_OK;
}

tare_status tarei_table_finish(tare_table *const table, const char *const what,
                               tare_error *const err) {
  if (table->n_tensors) {
    qsort(table->tensors, (size_t)table->n_tensors, sizeof *table->tensors, table_by_name);
  }
  for (int i = 1; i < table->n_tensors; i++) {
    if (table_by_name(&table->tensors[i - 1], &table->tensors[i]) == 0) {
      return tarei_fail(err, TARE_E_INPUT, "%s: duplicate tensor '%s'", what,
                        table->tensors[i].name);
    }
  }
  TAREI_TRY(table_sort_list(TAREI_NAMED(&table->roundings), what, "rounding of layer", err));
  TAREI_TRY(table_sort_list(TAREI_NAMED(&table->smoothings), what, "smoothing of tensor", err));
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    TAREI_TRY(table_sort_list(TAREI_NAMED(&table->numbers[k]), what,
                              tarei_numbers_about_of((tarei_numbers_kind)k)->noun, err));
  }
  return TARE_OK;
}

int tare_table_n_smoothed(const tare_table *const table) {
  return table->smoothings.n;
}

int tare_table_n_clipped(const tare_table *const table) {
  return table->numbers[TAREI_NUMBERS_CLIPPING].n;
}

int tare_table_n_corrected(const tare_table *const table) {
  return table->numbers[TAREI_NUMBERS_MEANS].n;
}

const char *tare_table_gain_range(const tare_table *const table) {
  return table->gain_range;
}

const char *tare_table_layer_precisions(const tare_table *const table) {
  return table->layer_precisions;
}

tare_table tarei_table_asking(const tare_table *const table, char *const layer_precisions) {
  tare_table out = *table;
  out.layer_precisions = layer_precisions;
  return out;
}

int tare_table_n_raised(const tare_table *const table) {
  return table->n_raised;
}

tare_status tare_table_set_layer_precisions(tare_table *const table, const char *const requests,
                                            tare_error *const err) {
  tarei_requests parsed = {0};
  const tare_status status =
      tarei_requests_parse(&tarei_requested_precision, requests, &parsed, err);
  const int n = parsed.n;
  tarei_requests_fini(&parsed);
  table->n_raised = status == TARE_OK ? n : table->n_raised;
  return status == TARE_OK
             ? tarei_table_set_text(&table->layer_precisions, requests ? requests : "", err)
             : status;
}

const char *tare_table_method(const tare_table *const table) {
  return table->method;
}

uint64_t tare_table_model_hash(const tare_table *const table) {
  return table->model_hash;
}

int tare_table_n_profiles(const tare_table *const table) {
  return table->n_columns;
}

const char *tare_table_profile(const tare_table *const table, const int i) {
  if (!tarei_has_number(i, table->n_columns)) {
    return NULL;
  }
  return table->n_profiles == table->n_columns ? table->profiles[i].spec : "";
}

int tare_table_n_specs(const tare_table *const table) {
  return table->n_profiles;
}

const char *tare_table_spec(const tare_table *const table, const int i) {
  return i >= 0 && i < table->n_profiles ? table->profiles[i].spec : NULL;
}

int tare_table_n_tensors(const tare_table *const table) {
  return table->n_tensors;
}

tare_table_entry tare_table_get(const tare_table *const table, const int tensor,
                                const int profile) {
  if (!tarei_has_number(tensor, table->n_tensors)) {
    return (tare_table_entry){0};
  }
  if (!tarei_has_number(profile, table->n_columns)) {
    return (tare_table_entry){0};
  }
  const tarei_table_tensor *const t = &table->tensors[tensor];
  const tarei_cell *const cell = &t->cells[profile];
  return (tare_table_entry){.tensor = t->name,
                            .amax = cell->amax,
                            .min = cell->min,
                            .max = cell->max,
                            .count = cell->count,
                            .energy_lost = cell->energy_lost,
                            .static_loss = cell->static_loss,
                            .row_loss = cell->row_loss,
                            .rms = cell->rms};
}

int tare_table_find(const tare_table *const table, const char *const tensor) {
  int low = 0, high = table->n_tensors - 1;
  while (low <= high) {
    const int middle = low + (high - low) / 2;
    const int order = strcmp(tensor, table->tensors[middle].name);
    if (order == 0) {
      return middle;
    }
    low = order > 0 ? middle + 1 : low;
    high = order < 0 ? middle - 1 : high;
  }
  return -1;
}

int tare_table_n_warnings(const tare_table *const table) {
  return table->n_warnings;
}

tare_status tare_table_add_warning(tare_table *const table, const char *const text,
                                   tare_error *const err) {
  return tarei_table_warn(table, err, "%s", text);
}

const char *tare_table_warning(const tare_table *const table, const int i) {
  return i >= 0 && i < table->n_warnings ? table->warnings[i] : NULL;
}
