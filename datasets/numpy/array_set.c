#include "datasets/numpy/array_set.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/numpy/array_rows.h"
#include "datasets/numpy/array_spares.h"
#include "datasets/port_shape.h"

tare_status tarei_array_set_new(const tarei_data_spec *const spec, const bool labels,
                                const char *const kind, tarei_array_set **const out,
                                tare_error *const err) {
  tarei_array_set *const set = tarei_calloc(1, sizeof *set);
  const int n = spec->n_inputs + labels;
  if (!set || !(set->columns = tarei_calloc((size_t)n, sizeof *set->columns))) {
    free(set);
    return tarei_fail_memory(err, kind, sizeof *set);
  }
  set->spec = spec;
  set->labels = labels;
  set->kind = kind;
  set->n_columns = n;
  set->count = 1;
  *out = set;
  return TARE_OK;
}

void tarei_array_set_free(tarei_array_set *const set) {
  if (!set) {
    return;
  }
  for (size_t i = 0; i < set->n; i++) {
    tarei_array *const array = &set->arrays[i];
    tarei_unpack_free(&array->unpack);
    tarei_source_close(&array->source);
    free(array->loaded);
    free(array->name);
  }
  tarei_names_fini(&set->names);
  tarei_spares_fini(&set->others);
  for (int c = 0; c < set->n_columns; c++) {
    free(set->columns[c].lengths);
  }
  tarei_str_free(&set->describe);
  free(set->arrays);
  free(set->columns);
  free(set);
}

tare_status tarei_array_set_add(tarei_array_set *const set, const char *const name,
                                const tarei_packed *const packed, tare_error *const err) {
  if (tarei_names_find(&set->names, name) >= 0) {
    return tarei_fail(err, TARE_E_INPUT, "contains array '%s' twice", name);
  }
  char *const copy = set->n < INT32_MAX ? tarei_strdup(name) : NULL;
  if (!copy || !TAREI_GROW(set->arrays, set->n, set->capacity) || !tarei_names_grow(&set->names)) {
    free(copy);
    return tarei_fail_memory(err, "an array", strlen(name));
  }
  tarei_names_add(&set->names, copy, (int)set->n);
  set->arrays[set->n++] = (tarei_array){.name = copy, .packed = *packed};
  return TARE_OK;
}

tare_status tarei_array_set_add_file(tarei_array_set *const set, const char *const name,
                                     const char *const path, tare_error *const err) {
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  const tarei_packed packed = {
      .data = source.data, .packed_size = source.size, .size = source.size};
  const tare_status status = tarei_array_set_add(set, name, &packed, err);
  if (status != TARE_OK) {
    tarei_source_close(&source);
    return status;
  }
  set->arrays[set->n - 1].source = source;
  return TARE_OK;
}

tare_status tarei_array_set_note_other(tarei_array_set *const set, const char *const name,
                                       tare_error *const err) {
  tarei_spare *other = NULL;
  return tarei_spares_add(&set->others, set->spec, name, &other, err);
}

static tarei_array *array_set_find(const tarei_array_set *const set, const char *const name) {
  tarei_array *alike = NULL;
  for (size_t i = 0; i < set->n; i++) {
    if (strcmp(set->arrays[i].name, name) == 0) {
      return &set->arrays[i];
    }
    if (tarei_array_is_named(set->arrays[i].name, name)) {
      alike = &set->arrays[i];
    }
  }
  return alike;
}

static const char *array_set_column_name(const tarei_array_set *const set, const int c) {
  return c < set->spec->n_inputs ? set->spec->inputs[c].name : set->spec->labels;
}

static tare_status open_array(tarei_array *const array, tare_error *const err) {
  return array->opened ? TARE_OK : tarei_array_rewind(array, err);
}

static bool array_set_fits(const tarei_array_set *const set, const int c,
                           const tarei_array *const array, const bool rows) {
  const tarei_npy *const npy = &array->npy;
  tare_tensor shape;
  if (rows && npy->rank < 1) {
    return false;
  }
  return tarei_port_shape(&set->spec->inputs[c], npy->rank - rows, npy->dims + rows, &shape,
                          NULL) == TARE_OK;
}

/* Lengths describe other arrays; labels are not inputs. */
static bool is_side_array(const tarei_array_set *const set, const char *const name) {
  static const char *const ENDS[] = {"length", "lengths", "offsets"};
  for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
    const size_t a = strlen(name), b = strlen(ENDS[i]);
    if (a >= b && strcmp(name + a - b, ENDS[i]) == 0) {
      return true;
    }
  }
  return set->spec->labels && strcmp(name, set->spec->labels) == 0;
}

/* For a model with one input: the only array that fits it, or the only one at all. Where other
 * inputs are taken for states, it must fit. */
static tarei_array *find_only(const tarei_array_set *const set) {
  tarei_array *only = NULL, *fitting = NULL;
  int n = 0, n_fitting = 0;
  for (size_t i = 0; i < set->n; i++) {
    tarei_array *const array = &set->arrays[i];
    if (is_side_array(set, array->name)) {
      continue;
    }
    n++;
    only = array;
    if (open_array(array, NULL) == TARE_OK &&
        (array_set_fits(set, 0, array, false) || array_set_fits(set, 0, array, true))) {
      n_fitting++;
      fitting = array;
    }
  }
  return n_fitting == 1 ? fitting : n == 1 && !set->spec->states.n_inputs ? only : NULL;
}

static tare_status fail_missing(const tarei_array_set *const set, const char *const name,
                                tare_error *const err) {
  enum { LISTED = 20 };
  tarei_str has = {0};
  for (size_t i = 0; i < set->n && i < LISTED; i++) {
    tarei_str_add(&has, "%s'%s'", i ? ", " : "", set->arrays[i].name);
  }
  tarei_str hint = {0};
  if (set->n) {
    tarei_data_spec_add_map_hint(set->spec, name, &hint);
  }
  const tare_status status = tarei_fail(err, TARE_E_INPUT, "no array '%s' (found: %s%s)%s", name,
                                        set->n ? tarei_str_get(&has) : "none",
                                        set->n > LISTED ? ", ..." : "", tarei_str_get(&hint));
  tarei_str_free(&has);
  tarei_str_free(&hint);
  return status;
}

/* An input without array is only noted: others may be missing, too. */
static tare_status array_set_bind_column(tarei_array_set *const set, const int c,
                                         bool *const missing, tare_error *const err) {
  const char *const name = array_set_column_name(set, c);
  const tare_mapping *const mapping = tarei_data_spec_mapping(set->spec, name);
  if (mapping && mapping->offsets) {
    return tarei_fail(err, TARE_E_USAGE,
                      "mapping of '%s': offsets are for HDF5 files; use lengths with arrays", name);
  }
  tarei_array *array = array_set_find(set, mapping ? mapping->path : name);
  if (!array && !mapping && set->spec->n_inputs == 1 && c == 0) {
    array = find_only(set);
    if (array && (set->n > 1 || set->spec->states.n_inputs)) {
      tarei_str_add(&set->describe, " ('%s' taken for input '%s')", array->name, name);
    }
  }
  if (!array) {
    *missing = c < set->spec->n_inputs && !mapping;
    return *missing ? TARE_OK : fail_missing(set, mapping ? mapping->path : name, err);
  }
  set->columns[c].array = array;
  const tare_status status = open_array(array, err);
  return status == TARE_OK ? TARE_OK
                           : tarei_fail_in(err, status, "%s '%s'",
                                           c < set->spec->n_inputs ? "input" : "labels", name);
}

/* The usual names of an input's lengths, as in HDF5 files; a mapping means what it says. */
static tarei_array *array_set_find_lengths(const tarei_array_set *const set,
                                           const char *const name) {
  static const struct {
    const char *text;
    bool suffix;
  } PLACES[] = {{"_length", true}, {"_lengths", true}, {"length", false}, {"lengths", false}};
  const tare_mapping *const mapping = tarei_data_spec_mapping(set->spec, name);
  if (mapping) {
    return mapping->lengths ? array_set_find(set, mapping->lengths) : NULL;
  }
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
    char place[256];
    const int n =
        snprintf(place, sizeof place, "%s%s", PLACES[i].suffix ? name : "", PLACES[i].text);
    bool is_input = false;
    for (int c = 0; c < set->spec->n_inputs; c++) {
      is_input = is_input || strcmp(set->spec->inputs[c].name, place) == 0;
    }
    tarei_array *const array =
        n < (int)sizeof place && !is_input ? array_set_find(set, place) : NULL;
    if (array) {
      return array;
    }
  }
  return NULL;
}

static bool counts_rows(const tarei_array *const array, const int64_t n) {
  return array->npy.rank >= 1 && array->npy.dims[0] == n;
}

/* Every array, the labels too, has as many rows as the first. */
static bool rows_agree(const tarei_array_set *const set) {
  const tarei_npy *const first = &set->columns[0].array->npy;
  for (int c = 0; c < set->n_columns; c++) {
    if (!counts_rows(set->columns[c].array, first->rank ? first->dims[0] : 0)) {
      return false;
    }
  }
  return true;
}

static bool all_fit(const tarei_array_set *const set, const bool rows) {
  for (int c = 0; c < set->spec->n_inputs; c++) {
    if (!array_set_fits(set, c, set->columns[c].array, rows)) {
      return false;
    }
  }
  return true;
}

/* Labels or lengths for each row say that rows are samples, even where the whole would fit. */
static bool is_told(const tarei_array_set *const set, const int64_t n) {
  if (set->labels) {
    return true; /* rows_agree looked at them */
  }
  for (int c = 0; c < set->spec->n_inputs; c++) {
    tarei_array *const lengths = array_set_find_lengths(set, set->spec->inputs[c].name);
    if (lengths && open_array(lengths, NULL) == TARE_OK && lengths->npy.rank == 1 &&
        counts_rows(lengths, n)) {
      return true;
    }
  }
  return false;
}

static tare_status choose_rows(tarei_array_set *const set, tare_error *const err) {
  const bool agree = rows_agree(set);
  if (set->spec->rows && !agree) {
    return tarei_fail(err, TARE_E_INPUT, "arrays have different numbers of rows, or none");
  }
  const int64_t n = agree ? set->columns[0].array->npy.dims[0] : 0;
  set->rows =
      set->spec->rows || (agree && all_fit(set, true) && (!all_fit(set, false) || is_told(set, n)));
  set->count = set->rows ? n : 1;
  return TARE_OK;
}

void tarei_array_set_note_rows(tarei_array_set *const set) {
  if (!set->rows && rows_agree(set) && all_fit(set, true) &&
      set->columns[0].array->npy.dims[0] > 1) {
    tarei_str_add(&set->describe, ", one sample of %lld rows (--rows makes a sample of each)",
                  (long long)set->columns[0].array->npy.dims[0]);
  }
}

static tare_status bind_lengths(tarei_array_set *const set, const int c, tare_error *const err) {
  tarei_array_column *const column = &set->columns[c];
  const char *const name = array_set_column_name(set, c);
  tarei_array *const lengths = array_set_find_lengths(set, name);
  const tare_mapping *const mapping = tarei_data_spec_mapping(set->spec, name);
  if (!lengths && mapping && mapping->lengths) {
    return fail_missing(set, mapping->lengths, err);
  }
  if (!lengths || column->array->npy.rank < 2 || lengths == column->array) {
    return TARE_OK;
  }
  const tare_status status = tarei_array_read_lengths(lengths, set->count, &column->lengths, err);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "lengths '%s'", lengths->name);
}

static tare_status array_set_bind_columns(tarei_array_set *const set, bool *const missing,
                                          tare_error *const err) {
  bool lacks = false;
  for (int c = 0; c < set->n_columns; c++) {
    TAREI_TRY(array_set_bind_column(set, c, &missing[c], err));
    lacks = lacks || missing[c];
  }
  TAREI_TRY(lacks ? TARE_OK : choose_rows(set, err));
  TAREI_TRY(tarei_array_spares_check(set, missing, err));
  int first = 0;
  while (lacks && !missing[first]) {
    first++;
  }
  return lacks ? fail_missing(set, array_set_column_name(set, first), err) : TARE_OK;
}

tare_status tarei_array_set_bind(tarei_array_set *const set, tare_error *const err) {
  bool *const missing = tarei_calloc((size_t)set->n_columns, sizeof *missing);
  const tare_status bound =
      missing ? array_set_bind_columns(set, missing, err)
              : tarei_fail_memory(err, "arrays", (size_t)set->n_columns * sizeof *missing);
  free(missing);
  TAREI_TRY(bound);
  for (int c = 0; set->rows && c < set->spec->n_inputs; c++) {
    TAREI_TRY(bind_lengths(set, c, err));
  }
  return TARE_OK;
}

static void array_set_describe(tarei_array_set *const set) {
  char *const notes = tarei_strdup(tarei_str_get(&set->describe));
  tarei_str_free(&set->describe);
  tarei_str_add(&set->describe, "%s%s%s", set->kind, set->rows ? ", a sample per row" : "",
                notes ? notes : "");
  free(notes);
}

/* The name of the file comes before the message anyway. */
static void keep_fault(tarei_array_set *const set, const char *const path, const char *message) {
  const size_t n = strlen(path);
  if (strncmp(message, path, n) == 0 && strncmp(message + n, ": ", 2) == 0) {
    message += n + 2;
  }
  (void)tarei_fail(&set->fault, TARE_E_INPUT, "%s", message);
  set->count = 1;
}

tare_status tarei_array_set_settle(tarei_array_set *const set, const char *const path,
                                   const tare_error *const fault, void **const out,
                                   tare_error *const err) {
  *out = NULL;
  array_set_describe(set);
  if (fault->status != TARE_OK && fault->status != TARE_E_INPUT) {
    tarei_array_set_free(set);
    return tarei_fail(err, fault->status, "%s: %s", path, fault->message);
  }
  if (set->describe.failed) {
    tarei_array_set_free(set);
    return tarei_fail_memory(err, path, 0);
  }
  if (fault->status != TARE_OK) {
    keep_fault(set, path, fault->message);
  }
  *out = set;
  return TARE_OK;
}

int64_t tarei_array_set_count(const void *const set) {
  return ((const tarei_array_set *)set)->count;
}

const char *tarei_array_set_describe(const void *const set) {
  return tarei_str_get(&((const tarei_array_set *)set)->describe);
}

/* Labels keep the shape they are stored in. */
static tare_status shape_tensor(const tarei_array_set *const set, const int c, const int rank,
                                const int64_t *const dims, tare_tensor *const out,
                                tare_error *const err) {
  if (c < set->spec->n_inputs) {
    return tarei_port_shape(&set->spec->inputs[c], rank, dims, out, err);
  }
  if (rank > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_INPUT, "has rank %d, the limit is %d", rank, TARE_MAX_RANK);
  }
  const tarei_number number = set->columns[c].array->npy.number;
  *out = (tare_tensor){.dtype = tarei_number_label(number), .rank = rank};
  memcpy(out->dims, dims, (size_t)rank * sizeof *dims);
  return TARE_OK;
}

static tare_status array_set_read_column(tarei_array_set *const set, const int c, const int64_t i,
                                         tarei_slot *const out, tare_error *const err) {
  const tarei_array_column *const column = &set->columns[c];
  const tarei_npy *const npy = &column->array->npy;
  tare_tensor *const tensor = c < set->spec->n_inputs ? &out->tensors[c] : &out->label;
  int64_t dims[TAREI_NPY_MAX_RANK] = {0};
  const int rank = npy->rank - set->rows;
  memcpy(dims, npy->dims + set->rows, (size_t)rank * sizeof *dims);
  if (column->lengths) {
    const int64_t length = column->lengths[i];
    if (length < 0 || length > dims[0]) {
      return tarei_fail(err, TARE_E_INPUT,
                        "length %lld is out of range: expected 0..%lld, the width of the matrix",
                        (long long)length, (long long)dims[0]);
    }
    dims[0] = length;
  }
  TAREI_TRY(shape_tensor(set, c, rank, dims, tensor, err));
  TAREI_TRY(tarei_slot_allocate(out, tensor, set->spec->limits.elements, err));
  const int64_t count = tare_tensor_count(tensor);
  const bool straight = tarei_number_is(npy->number, tensor->dtype);
  const size_t size = tarei_number_size(npy->number);
  void *const values = straight ? tensor->data : tarei_alloc_aligned((size_t)count, size);
  if (!values) {
    return tarei_fail_memory(err, "an array", (size_t)count * size);
  }
  tare_status status = tarei_array_read_row(column->array, set->rows, i, count,
                                            set->spec->limits.elements, values, err);
  if (status == TARE_OK) {
    status = tarei_convert(npy->number, values, count, tensor->dtype, tensor->data, err);
  }
  if (!straight) {
    free(values);
  }
  return status;
}

tare_status tarei_array_set_read(void *const user, const int64_t i, tarei_slot *const out,
                                 tare_error *const err) {
  tarei_array_set *const set = user;
  if (set->fault.status != TARE_OK) {
    return tarei_fail(err, set->fault.status, "%s", set->fault.message);
  }
  for (int c = 0; c < set->n_columns; c++) {
    const tare_status status = array_set_read_column(set, c, i, out, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "%s '%s'", c < set->spec->n_inputs ? "input" : "labels",
                           array_set_column_name(set, c));
    }
  }
  return TARE_OK;
}

void tarei_array_set_close(void *const set) {
  tarei_array_set_free(set);
}
