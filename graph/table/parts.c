#include "graph/table/parts.h"

#include <math.h>

static bool parts_method(const tare_table *const table, const int column) {
  (void)column;
  return *table->method || table->parameters.n > 0;
}

static bool parts_model(const tare_table *const table, const int column) {
  (void)column;
  return table->model_hash != 0 || *table->model_name;
}

static bool parts_fit(const tare_table *const table, const int column) {
  (void)column;
  return *table->fit || *table->pad_stats;
}

static bool parts_gain(const tare_table *const table, const int column) {
  (void)column;
  return *table->gain_range;
}

static bool parts_profiles(const tare_table *const table, const int column) {
  (void)column;
  return table->n_profiles > 0;
}

static bool parts_columns(const tare_table *const table, const int column) {
  (void)column;
  return table->n_columns > 1;
}

/* Whether it holds for any tensor. */
typedef bool tensor_test(const tarei_table_tensor *tensor, int column);

static bool any_tensor(const tare_table *const table, const int column, tensor_test *const holds) {
  for (int i = 0; i < table->n_tensors; i++) {
    if (holds(&table->tensors[i], column)) {
      return true;
    }
  }
  return false;
}

static bool knows_range(const tarei_table_tensor *const tensor, const int column) {
  const tarei_cell *const cell = &tensor->cells[column];
  return !isnan(cell->min) || !isnan(cell->max);
}

static bool parts_ranges(const tare_table *const table, const int column) {
  return any_tensor(table, column, knows_range);
}

static bool knows_counts(const tarei_table_tensor *const tensor, const int column) {
  const tarei_cell *const cell = &tensor->cells[column];
  return cell->count > 0 || !isnan(cell->energy_lost);
}

static bool parts_counts(const tare_table *const table, const int column) {
  return any_tensor(table, column, knows_counts);
}

static bool knows_loss(const tarei_table_tensor *const tensor, const int column) {
  return !isnan(tensor->cells[column].static_loss) || !isnan(tensor->cells[column].rms);
}

static bool parts_losses(const tare_table *const table, const int column) {
  return any_tensor(table, column, knows_loss);
}

static bool is_dead(const tarei_table_tensor *const tensor, const int column) {
  return tensor->cells[column].amax < tarei_table_least_amax();
}

static bool parts_dead(const tare_table *const table, const int column) {
  return any_tensor(table, column, is_dead);
}

static bool has_same(const tarei_table_tensor *const tensor, const int column) {
  (void)column;
  return tensor->same_as != NULL;
}

static bool parts_same(const tare_table *const table, const int column) {
  return any_tensor(table, column, has_same);
}

static bool parts_warnings(const tare_table *const table, const int column) {
  (void)column;
  return table->n_warnings > 0;
}

static bool parts_weights(const tare_table *const table, const int column) {
  (void)column;
  return tarei_extras_find(&table->extras, TAREI_KEPT_NCNN) != NULL;
}

static bool parts_rounding(const tare_table *const table, const int column) {
  (void)column;
  return table->roundings.n > 0;
}

static bool parts_smoothing(const tare_table *const table, const int column) {
  (void)column;
  return table->smoothings.n > 0;
}

static bool parts_clipping(const tare_table *const table, const int column) {
  (void)column;
  return table->numbers[TAREI_NUMBERS_CLIPPING].n > 0;
}

static bool parts_precisions(const tare_table *const table, const int column) {
  (void)column;
  return *table->layer_precisions;
}

static bool parts_means(const tare_table *const table, const int column) {
  (void)column;
  return table->numbers[TAREI_NUMBERS_MEANS].n > 0;
}

int tarei_table_n_newer(const tare_table *const table) {
  int n = table->extras.n + table->model_extras.n + table->version_extras.n;
  n -= tarei_extras_find(&table->extras, TAREI_KEPT_VERSION) != NULL;
  n -= tarei_extras_find(&table->extras, TAREI_KEPT_NCNN) != NULL;
  for (int i = 0; i < table->n_profiles; i++) {
    n += table->profiles[i].extras.n;
  }
  for (int i = 0; i < table->n_tensors; i++) {
    n += table->tensors[i].extras.n;
  }
  for (int i = 0; i < table->roundings.n; i++) {
    n += table->roundings.items[i].extras.n;
  }
  for (int i = 0; i < table->smoothings.n; i++) {
    n += table->smoothings.items[i].extras.n;
  }
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    for (int i = 0; i < table->numbers[k].n; i++) {
      n += table->numbers[k].items[i].extras.n;
    }
  }
  return n;
}

static bool parts_extras(const tare_table *const table, const int column) {
  (void)column;
  return tarei_table_n_newer(table) > 0;
}

static const struct {
  const char *noun;
  bool (*has)(const tare_table *table, int column);
} PARTS[] = {
#define TAREI_TABLE_PART(ID, name, noun) [TAREI_TABLE_##ID] = {noun, parts_##name},
#include "graph/table/parts.inc"
#undef TAREI_TABLE_PART
};

const char *tarei_table_part_noun(const tarei_table_part part) {
  return PARTS[part].noun;
}

bool tarei_table_has(const tare_table *const table, const tarei_table_part part, const int column) {
  return PARTS[part].has(table, column);
}
