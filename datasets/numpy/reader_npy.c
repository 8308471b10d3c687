/* One array in a file of its own feeds the only input of a model. */
#include <string.h>

#include "datasets/numpy/array_set.h"

static bool begins_as_npy(const char *const path) {
  return tarei_file_begins(path, "\x93NUMPY", 6);
}

static tare_status reader_npy_check_options(const char *const path,
                                            const tarei_data_spec *const spec, const bool labels,
                                            tare_error *const err) {
  if (spec->n_inputs != 1) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: an .npy file feeds one input, but the model has %d ('%s', '%s', ...): "
                      "put <input>.npy for each into a folder per sample, or into an .npz",
                      path, spec->n_inputs, spec->inputs[0].name, spec->inputs[1].name);
  }
  if (labels) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: no labels '%s': .npy files have labels in a manifest, or as "
                      "<labels>.npy in a folder per sample",
                      path, spec->labels);
  }
  return TARE_OK;
}

static tare_status npy_open(const char *const path, const tarei_data_spec *const spec,
                            const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  TAREI_TRY(reader_npy_check_options(path, spec, labels, err));
  tarei_array_set *set;
  TAREI_TRY(tarei_array_set_new(spec, labels, "NumPy arrays", &set, err));
  tare_error fault = {0};
  if (tarei_array_set_add_file(set, spec->inputs[0].name, path, &fault) == TARE_OK) {
    if (tarei_array_set_bind(set, &fault) == TARE_OK) { /* else settled below */
      tarei_array_set_note_rows(set);
    }
  }
  return tarei_array_set_settle(set, path, &fault, state, err);
}

static const char *const EXTENSIONS[] = {"npy", NULL};

const tarei_reader_ops tarei_reader_npy = {
    .name = "NumPy array",
    .kind = {"a NumPy array", true},
    .extensions = EXTENSIONS,
    .heeds = TAREI_HEEDS_ROWS | TAREI_HEEDS_MAPPINGS,
    .recognises = begins_as_npy,
    .open = npy_open,
    .count = tarei_array_set_count,
    .describe = tarei_array_set_describe,
    .read = tarei_array_set_read,
    .close = tarei_array_set_close,
};
