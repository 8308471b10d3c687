#include "datasets/numpy/array_spares.h"

#include <string.h>

#include "base/nearest.h"
#include "datasets/names/spare_check.h"
#include "datasets/numpy/array_name.h"

enum { MOST_SPARES = 64 };

/* Whether an array is bound to a column; *taken: though it has another name. */
static bool array_spares_is_bound(const tarei_array_set *const set, const tarei_array *const array,
                                  bool *const taken) {
  bool bound = false;
  *taken = false;
  for (int c = 0; c < set->n_columns; c++) {
    if (set->columns[c].array == array) {
      const char *const name =
          c < set->spec->n_inputs ? set->spec->inputs[c].name : set->spec->labels;
      bound = true;
      *taken =
          !tarei_data_spec_mapping(set->spec, name) && !tarei_array_is_named(array->name, name);
    }
  }
  return bound;
}

/* Lengths describe other arrays, unless they are like an input. */
static bool is_passed_over(const tarei_data_spec *const spec, const char *const name) {
  bool like = strstr(name, "length") == NULL && strstr(name, "offsets") == NULL;
  for (int i = 0; i < spec->n_inputs; i++) {
    like = like || tarei_names_alike(spec->inputs[i].name, name);
  }
  for (int i = 0; i < spec->states.n_inputs; i++) {
    like = like || tarei_names_alike(spec->states.inputs[i].port.name, name);
  }
  return !like;
}

/* A sample has one axis less where rows are samples. Before that is decided, the shape is that of
 * the array. */
static void array_spares_shape(const tarei_array_set *const set, tarei_array *const array,
                               tarei_spare *const spare) {
  if (!array->opened && tarei_array_rewind(array, NULL) != TARE_OK) {
    return;
  }
  const tarei_npy *const npy = &array->npy;
  const bool real = npy->number == TAREI_NUMBER_F32 || npy->number == TAREI_NUMBER_F64;
  const int less = set->rows && npy->rank > 0;
  tarei_spare_shape(spare, real, npy->rank - less, npy->dims + less);
}

static tare_status array_spares_gather(const tarei_array_set *const set, tarei_spares *const out,
                                       tare_error *const err) {
  for (size_t i = 0; i < set->n && out->n < MOST_SPARES; i++) {
    tarei_array *const array = &set->arrays[i];
    tarei_spare *spare = NULL;
    bool taken;
    const bool bound = array_spares_is_bound(set, array, &taken);
    if ((bound && !taken) || is_passed_over(set->spec, array->name)) {
      continue;
    }
    TAREI_TRY(tarei_spares_add(out, set->spec, array->name, &spare, err));
    if (spare) {
      spare->taken = taken;
      array_spares_shape(set, array, spare);
    }
  }
  for (size_t i = 0; i < set->others.n && out->n < MOST_SPARES; i++) {
    tarei_spare *spare = NULL;
    TAREI_TRY(tarei_spares_add(out, set->spec, set->others.items[i].name, &spare, err));
  }
  tarei_spares_sort(out);
  return TARE_OK;
}

tare_status tarei_array_spares_check(const tarei_array_set *const set, const bool *const missing,
                                     tare_error *const err) {
  bool lacks = false;
  for (int i = 0; i < set->spec->n_inputs; i++) {
    lacks = lacks || missing[i];
  }
  if (!lacks && !set->spec->states.n_inputs) {
    return TARE_OK;
  }
  tarei_spares spares = {0};
  tare_status status = array_spares_gather(set, &spares, err);
  if (status == TARE_OK && !lacks) {
    status = tarei_spares_check(&spares, set->spec, err);
  } else if (status == TARE_OK && tarei_spares_any(&spares)) {
    status = tarei_spares_fail(&spares, set->spec, missing, err);
  }
  tarei_spares_fini(&spares);
  return status;
}
