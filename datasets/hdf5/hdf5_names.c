/* The names in a file that a layout accepts: what a model with one input could be fed with, and
 * what feeds nothing. */
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "datasets/hdf5/hdf5_guard.h"
#include "datasets/hdf5/hdf5_layout.h"
#include "datasets/hdf5/hdf5_lock.h"

enum { DEEPEST = 2, MOST_SPARES = 64 };

typedef struct hunt hunt;

/* The walk over the names of a file. */
struct hunt {
  hid_t file;
  int64_t max_elements;
  bool (*skips)(const hunt *h, const char *name); /* before a layout looks at it */
  /* For each name that a layout accepts; takes the column over. */
  tare_status (*accept)(hunt *h, const char *name, tarei_column *column, tare_error *err);
  void *user;
  bool in_group; /* a group of one sample was found: it tells the names of all */
  bool ended;
  int depth;
};

static bool ends_with(const char *const name, const char *const end) {
  const size_t a = strlen(name), b = strlen(end);
  return a >= b && strcmp(name + a - b, end) == 0;
}

/* Lengths and offsets describe other data. */
static bool is_side_data(const char *const name) {
  return ends_with(name, "length") || ends_with(name, "lengths") || ends_with(name, "offsets");
}

static tare_status consider(hunt *const h, const char *const name, tare_error *const err) {
  if (h->skips(h, name)) {
    return TARE_OK;
  }
  const tarei_h5_want want = {.file = h->file, .name = name, .max_elements = h->max_elements};
  tarei_column column;
  if (tarei_column_bind(&want, &column, NULL) != TARE_OK || !column.layout) {
    return TARE_OK; /* not suitable */
  }
  h->in_group = h->in_group || column.group;
  return h->accept(h, name, &column, err);
}

static tare_status hdf5_names_visit(const hid_t group, const char *const name, void *const user,
                                    tare_error *const err);

/* Names inside one sample's group are candidates; one group tells them all. */
static tare_status look_inside(hunt *const h, const hid_t group, const char *const name,
                               tare_error *const err) {
  const hid_t child = tarei_h5_open_group(group, name);
  if (child < 0 || h->depth > DEEPEST) {
    if (child >= 0) {
      (void)H5Gclose(child);
    }
    return TARE_OK;
  }
  h->depth++;
  const tare_status status = tarei_h5_each(child, hdf5_names_visit, h, err);
  h->depth--;
  (void)H5Gclose(child);
  return status;
}

static tare_status hdf5_names_visit(const hid_t group, const char *const name, void *const user,
                                    tare_error *const err) {
  hunt *const h = user;
  if (h->ended) {
    return TARE_OK;
  }
  if (!tarei_h5_is_group(group, name)) {
    char *const stem =
        ends_with(name, "_values") ? tarei_strndup(name, strlen(name) - 7) : tarei_strdup(name);
    const tare_status status =
        stem ? consider(h, stem, err) : tarei_fail_memory(err, name, strlen(name));
    free(stem);
    return status;
  }
  char *const values = tarei_h5_join(name, "/values");
  const bool ragged = values && tarei_h5_is_data_set(group, values);
  free(values);
  if (ragged) {
    return consider(h, name, err);
  }
  return strcmp(name, "outputs") == 0 || h->in_group ? TARE_OK : look_inside(h, group, name, err);
}

/* Of the first sample. Without it, the shape is not known. */
static void note_shape(tarei_column *const column, tarei_spare *const spare) {
  tarei_h5_sample sample;
  if (column->count > 0 && column->layout->read(column, 0, &sample, NULL) == TARE_OK) {
    const bool real = sample.number == TAREI_NUMBER_F32 || sample.number == TAREI_NUMBER_F64;
    tarei_spare_shape(spare, real, sample.rank, sample.dims);
  }
}

/* --- the only name ---------------------------------------------------------------------------- */

typedef struct only_name {
  const tarei_h5_want *want;
  const char *labels;
  tarei_column found;
  char *taken;
} only_name;

static bool only_skips(const hunt *const h, const char *const name) {
  const only_name *const only = h->user;
  return is_side_data(name) || (only->labels && strcmp(name, only->labels) == 0) ||
         (only->taken && strcmp(only->taken, name) == 0);
}

/* Two guesses at once, that an array is for the input and that another input is a state, must not
 * contradict the shape. */
static bool only_fits(const only_name *const only, tarei_column *const column) {
  const tarei_data_spec *const spec = only->want->spec;
  tarei_spare spare = {.rank = -1};
  if (!spec->states.n_inputs) {
    return true;
  }
  note_shape(column, &spare);
  return tarei_spare_fits(&spare, &spec->inputs[0]);
}

static tare_status only_accept(hunt *const h, const char *const name, tarei_column *const column,
                               tare_error *const err) {
  only_name *const only = h->user;
  if (only->taken || !only_fits(only, column)) {
    h->ended = only->taken != NULL;
    tarei_column_fini(column);
    return TARE_OK;
  }
  only->found = *column;
  only->taken = tarei_strdup(name);
  return only->taken ? TARE_OK : tarei_fail_memory(err, name, strlen(name));
}

tare_status tarei_column_bind_only(const tarei_h5_want *const want, const char *const labels,
                                   tarei_column *const column, char **const taken,
                                   tare_error *const err) {
  only_name only = {.want = want, .labels = labels};
  hunt h = {.file = want->file,
            .max_elements = want->max_elements,
            .skips = only_skips,
            .accept = only_accept,
            .user = &only};
  const tare_status status = tarei_h5_each(want->file, hdf5_names_visit, &h, err);
  if (status == TARE_OK && !h.ended) {
    *column = only.found;
    *taken = only.taken;
    return TARE_OK;
  }
  tarei_column_fini(&only.found);
  free(only.taken);
  return status;
}

/* --- names that feed nothing ------------------------------------------------------------------ */

typedef struct spare_names {
  const tarei_data_spec *spec;
  tarei_spares *spares;
} spare_names;

static bool is_like_input(const tarei_data_spec *const spec, const char *const name) {
  bool like = false;
  for (int i = 0; i < spec->n_inputs; i++) {
    like = like || tarei_names_alike(spec->inputs[i].name, name);
  }
  for (int i = 0; i < spec->states.n_inputs; i++) {
    like = like || tarei_names_alike(spec->states.inputs[i].port.name, name);
  }
  return like;
}

static bool spare_skips(const hunt *const h, const char *const name) {
  const spare_names *const names = h->user;
  return is_side_data(name) && !is_like_input(names->spec, name);
}

static tare_status spare_accept(hunt *const h, const char *const name, tarei_column *const column,
                                tare_error *const err) {
  const spare_names *const names = h->user;
  tarei_spare *spare = NULL;
  const tare_status status = tarei_spares_add(names->spares, names->spec, name, &spare, err);
  if (spare) {
    note_shape(column, spare);
  }
  h->ended = names->spares->n >= MOST_SPARES;
  tarei_column_fini(column);
  return status;
}

tare_status tarei_h5_spares(const hid_t file, const tarei_data_spec *const spec,
                            tarei_spares *const spares, tare_error *const err) {
  spare_names names = {spec, spares};
  hunt h = {.file = file,
            .max_elements = spec->limits.elements,
            .skips = spare_skips,
            .accept = spare_accept,
            .user = &names};
  return tarei_h5_each(file, hdf5_names_visit, &h, err);
}
