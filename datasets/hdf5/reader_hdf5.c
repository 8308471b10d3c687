/* HDF5 files: each input is bound to its data by a layout (hdf5_layout.h), then sample i is read
 * from all of them. */
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "datasets/hdf5/hdf5_layout.h"
#include "datasets/hdf5/hdf5_lock.h"
#include "datasets/names/spare_check.h"
#include "datasets/port_shape.h"
#include "datasets/reader.h"

enum { MAX_SAMPLES = 1 << 30 }; /* a larger count in a file is a fault of the file */

typedef struct hdf5 {
  hid_t file;
  const tarei_data_spec *spec;
  bool labels;
  int n_columns;
  tarei_column *columns; /* one per input, then the labels */
  tarei_str describe;
  struct hdf5 *next; /* of those that wait to be closed */
} hdf5;

/* Closed by a caller while there was no memory for HDF5 to do so: the next close takes them along.
 */
static hdf5 *_Atomic waiting;

static const char *reader_hdf5_column_name(const hdf5 *const h, const int i) {
  return i < h->spec->n_inputs ? h->spec->inputs[i].name : h->spec->labels;
}

/* An input that the file does not have is only noted: others may be missing, too. */
static tare_status reader_hdf5_bind_column(hdf5 *const h, const int i, char **const taken,
                                           bool *const missing, tare_error *const err) {
  const char *const name = reader_hdf5_column_name(h, i);
  const tarei_h5_want want = {.file = h->file,
                              .name = name,
                              .mapping = tarei_data_spec_mapping(h->spec, name),
                              .max_elements = h->spec->limits.elements,
                              .spec = h->spec};
  tarei_column *const column = &h->columns[i];
  const bool is_input = i < h->spec->n_inputs;
  tare_status status = tarei_column_bind(&want, column, err);
  if (status == TARE_OK && !column->layout && h->spec->n_inputs == 1 && is_input && !want.mapping) {
    status = tarei_column_bind_only(&want, h->labels ? h->spec->labels : NULL, column, taken, err);
  }
  if (status == TARE_OK && !column->layout) {
    *missing = is_input && !want.mapping;
    status = *missing ? TARE_OK : tarei_column_fail_missing(&want, err);
  }
  if (status == TARE_E_INPUT && !is_input && !tarei_hdf5_in_trouble()) {
    status = TARE_E_USAGE; /* it was the caller who said that there are labels */
  }
  return status == TARE_OK
             ? TARE_OK
             : tarei_fail_in(err, status, "%s '%s'", is_input ? "input" : "labels", name);
}

/* What the file has for the inputs that it lacks, and for those that were taken for states. */
static tare_status reader_hdf5_check_spares(const hdf5 *const h, const char *const taken,
                                            const bool *const missing, tare_error *const err) {
  int first = 0;
  while (first < h->spec->n_inputs && !missing[first]) {
    first++;
  }
  const bool lacks = first < h->spec->n_inputs;
  tarei_spares spares = {0};
  tare_status status =
      lacks || h->spec->states.n_inputs ? tarei_h5_spares(h->file, h->spec, &spares, err) : TARE_OK;
  for (size_t i = 0; taken && i < spares.n; i++) {
    spares.items[i].taken = strcmp(spares.items[i].name, taken) == 0;
  }
  if (status == TARE_OK && lacks && !tarei_spares_any(&spares)) {
    const tarei_h5_want want = {
        .file = h->file, .name = reader_hdf5_column_name(h, first), .spec = h->spec};
    status = tarei_fail_in(err, tarei_column_fail_missing(&want, err), "input '%s'", want.name);
  } else if (status == TARE_OK) {
    status = lacks ? tarei_spares_fail(&spares, h->spec, missing, err)
                   : tarei_spares_check(&spares, h->spec, err);
  }
  tarei_spares_fini(&spares);
  return status;
}

static bool same_samples(const tarei_column *const a, const tarei_column *const b) {
  const bool groups = a->group && b->group;
  return a->count == b->count && (groups ? strcmp(a->group, b->group) == 0 : a->group == b->group);
}

static tare_status reader_hdf5_check_counts(const hdf5 *const h, tare_error *const err) {
  for (int i = 1; i < h->n_columns; i++) {
    const tarei_column *const a = &h->columns[0], *const b = &h->columns[i];
    if (!same_samples(a, b)) {
      return tarei_fail(err, TARE_E_INPUT, "'%s' has %lld samples (%s), but '%s' has %lld (%s)",
                        reader_hdf5_column_name(h, 0), (long long)a->count, a->kind,
                        reader_hdf5_column_name(h, i), (long long)b->count, b->kind);
    }
  }
  if (h->columns[0].count > MAX_SAMPLES) {
    return tarei_fail(err, TARE_E_INPUT, "declares %lld samples", (long long)h->columns[0].count);
  }
  return TARE_OK;
}

static void reader_hdf5_describe(hdf5 *const h, const char *const taken) {
  tarei_str_add(&h->describe, "HDF5 ");
  for (int i = 0; i < h->n_columns; i++) {
    const char *const kind = h->columns[i].kind;
    if (!h->describe.text || !strstr(h->describe.text, kind)) {
      tarei_str_add(&h->describe, "%s%s", i ? " and " : "", kind);
    }
  }
  if (taken) {
    tarei_str_add(&h->describe, " ('%s' taken for input '%s')", taken, h->spec->inputs[0].name);
  }
}

static void hdf5_free(hdf5 *const h) {
  for (int i = 0; h->columns && i < h->n_columns; i++) {
    tarei_column_fini(&h->columns[i]);
  }
  if (h->file >= 0) {
    (void)H5Fclose(h->file); /* only read */
  }
  tarei_str_free(&h->describe);
  free(h->columns);
  free(h);
}

static void queue_to_close(hdf5 *const h) {
  h->next = waiting;
  while (!atomic_compare_exchange_weak(&waiting, &h->next, h)) {
  }
}

static void hdf5_close(void *const state) {
  if (!state) {
    return;
  }
  queue_to_close(state);
  if (tarei_hdf5_lock(NULL) == TARE_OK) {
    for (hdf5 *h = atomic_exchange(&waiting, NULL), *next; h; h = next) {
      next = h->next;
      hdf5_free(h);
    }
    (void)tarei_hdf5_unlock(TARE_OK, NULL); /* was only read */
  }
}

static tare_status open_locked(hdf5 *const h, const char *const path, tare_error *const err) {
  TAREI_TRY(tarei_h5_open_file(path, &h->file, err));
  char *taken = NULL;
  bool *const missing = tarei_calloc((size_t)h->n_columns, sizeof *missing);
  tare_status status =
      missing ? TARE_OK : tarei_fail_memory(err, path, (size_t)h->n_columns * sizeof *missing);
  for (int i = 0; i < h->n_columns && status == TARE_OK; i++) {
    status = reader_hdf5_bind_column(h, i, &taken, &missing[i], err);
  }
  if (status == TARE_OK) {
    status = reader_hdf5_check_spares(h, taken, missing, err);
  }
  if (status == TARE_OK) {
    status = reader_hdf5_check_counts(h, err);
  }
  if (status == TARE_OK) {
    reader_hdf5_describe(h, taken);
    status = h->describe.failed ? tarei_fail_memory(err, path, 0) : TARE_OK;
  }
  free(taken);
  free(missing);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "%s", path);
}

static tare_status hdf5_open(const char *const path, const tarei_data_spec *const spec,
                             const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  hdf5 *const h = tarei_calloc(1, sizeof *h);
  tarei_column *const columns =
      tarei_calloc((size_t)spec->n_inputs + (size_t)labels, sizeof *columns);
  tare_status status = h && columns ? tarei_hdf5_lock(err)
                                    : tarei_fail_memory(err, path, sizeof *h + sizeof *columns);
  if (status != TARE_OK) {
    free(columns);
    free(h);
    return status;
  }
  h->file = H5I_INVALID_HID;
  h->spec = spec;
  h->labels = labels;
  h->n_columns = spec->n_inputs + labels;
  h->columns = columns;
  status = tarei_hdf5_unlock(open_locked(h, path, err), err);
  if (status == TARE_OK) {
    *state = h;
  } else {
    hdf5_close(h);
  }
  return status;
}

static int64_t hdf5_count(const void *const state) {
  return ((const hdf5 *)state)->columns[0].count;
}

static const char *hdf5_describe(const void *const state) {
  return tarei_str_get(&((const hdf5 *)state)->describe);
}

/* Labels keep the shape they are stored in. */
static tare_status label_shape(const tarei_h5_sample *const stored, tare_tensor *const out,
                               tare_error *const err) {
  if (stored->rank > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_INPUT, "has rank %d, the limit is %d", stored->rank,
                      TARE_MAX_RANK);
  }
  out->dtype = tarei_number_label(stored->number);
  out->rank = stored->rank;
  memcpy(out->dims, stored->dims, sizeof out->dims);
  return TARE_OK;
}

static tare_status reader_hdf5_read_column(hdf5 *const h, const int c, const int64_t i,
                                           tarei_slot *const out, tare_error *const err) {
  const bool is_input = c < h->spec->n_inputs;
  tare_tensor *const tensor = is_input ? &out->tensors[c] : &out->label;
  tarei_h5_sample stored;
  TAREI_TRY(h->columns[c].layout->read(&h->columns[c], i, &stored, err));
  TAREI_TRY(is_input ? tarei_port_shape(&h->spec->inputs[c], stored.rank, stored.dims, tensor, err)
                     : label_shape(&stored, tensor, err));
  tensor->data = tarei_number_is(stored.number, tensor->dtype)
                     ? tarei_column_give(&h->columns[c], &stored)
                     : NULL;
  TAREI_TRY(tarei_slot_allocate(out, tensor, h->spec->limits.elements, err));
  return tarei_convert(stored.number, stored.values, stored.count, tensor->dtype, tensor->data,
                       err);
}

static tare_status hdf5_read(void *const state, const int64_t i, tarei_slot *const out,
                             tare_error *const err) {
  hdf5 *const h = state;
  TAREI_TRY(tarei_hdf5_lock(err));
  tare_status status = TARE_OK;
  for (int c = 0; c < h->n_columns && status == TARE_OK; c++) {
    status = reader_hdf5_read_column(h, c, i, out, err);
    if (status != TARE_OK) {
      status = tarei_fail_in(err, status, "%s '%s'", c < h->spec->n_inputs ? "input" : "labels",
                             reader_hdf5_column_name(h, c));
    }
  }
  return tarei_hdf5_unlock(status, err);
}

static const char *const EXTENSIONS[] = {"h5", "hdf5", NULL};

const tarei_reader_ops tarei_reader_hdf5 = {
    .name = "HDF5",
    .kind = {"an HDF5 file", true},
    .extensions = EXTENSIONS,
    .many = true,
    .labels = true,
    .heeds = TAREI_HEEDS_MAPPINGS,
    .recognises = tarei_h5_has_signature,
    .open = hdf5_open,
    .count = hdf5_count,
    .describe = hdf5_describe,
    .read = hdf5_read,
    .close = hdf5_close,
};
