#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "datasets/hdf5/hdf5_guard.h"
#include "datasets/hdf5/hdf5_layout.h"
#include "datasets/hdf5/hdf5_lock.h"

static const tarei_layout *const LAYOUTS[] = {
#define TAREI_LAYOUT(name) &tarei_layout_##name,
#include "datasets/hdf5/layouts.inc"
#undef TAREI_LAYOUT
};
enum { N_LAYOUTS = sizeof LAYOUTS / sizeof *LAYOUTS, LISTED_NAMES = 20 };

char *tarei_h5_join(const char *const name, const char *const suffix) {
  const size_t a = strlen(name), b = strlen(suffix);
  char *const joined = tarei_realloc(NULL, a + b + 1);
  if (joined) {
    memcpy(joined, name, a);
    memcpy(joined + a, suffix, b + 1);
  }
  return joined;
}

void tarei_column_fini(tarei_column *const column) {
  if (column->state) {
    column->layout->close(column->state);
  }
  free(column->group);
  free(column->buffer);
  *column = (tarei_column){0};
}

tare_status tarei_column_reserve(tarei_column *const column, tarei_h5_sample *const out,
                                 tare_error *const err) {
  out->count = 1;
  for (int d = 0; d < out->rank; d++) {
    if (!tarei_mul_i64(out->count, out->dims[d], &out->count) ||
        out->count > column->max_elements) {
      return tarei_fail(err, TARE_E_INPUT,
                        "has more elements than the %lld that max-elements allows",
                        (long long)column->max_elements);
    }
  }
  const size_t size = tarei_number_size(out->number), bytes = (size_t)out->count * size;
  if (bytes > column->capacity || !column->buffer) {
    free(column->buffer);
    column->buffer = tarei_alloc_aligned((size_t)out->count, size);
    column->capacity = column->buffer ? bytes : 0;
    if (!column->buffer) {
      return tarei_fail_memory(err, "sample", bytes);
    }
  }
  out->values = column->buffer;
  return TARE_OK;
}

void *tarei_column_give(tarei_column *const column, const tarei_h5_sample *const sample) {
  void *const buffer = column->buffer;
  if (sample->values != buffer ||
      column->capacity != (size_t)sample->count * tarei_number_size(sample->number)) {
    return NULL;
  }
  column->buffer = NULL;
  column->capacity = 0;
  return buffer;
}

tare_status tarei_column_bind(const tarei_h5_want *const want, tarei_column *const column,
                              tare_error *const err) {
  for (int i = 0; i < N_LAYOUTS; i++) {
    *column = (tarei_column){.max_elements = want->max_elements};
    TAREI_TRY(LAYOUTS[i]->bind(want, column, err));
    if (column->state) {
      column->layout = LAYOUTS[i];
      return TARE_OK;
    }
    if (tarei_hdf5_in_trouble()) { /* it may be of this layout, and not of the next */
      return tarei_fail(err, TARE_E_INPUT, "cannot be read");
    }
  }
  return TARE_OK;
}

typedef struct listing {
  tarei_str text;
  int n;
} listing;

static tare_status list_name(const hid_t group, const char *const name, void *const user,
                             tare_error *const err) {
  (void)err;
  listing *const list = user;
  if (list->n++ < LISTED_NAMES) {
    tarei_str_add(&list->text, "%s'%s'%s", list->n > 1 ? ", " : "", name,
                  tarei_h5_leads_away(group, name) ? " (a link to another file, not followed)"
                  : tarei_h5_is_group(group, name) ? " (group)"
                                                   : "");
  }
  return TARE_OK;
}

tare_status tarei_column_fail_missing(const tarei_h5_want *const want, tare_error *const err) {
  tarei_str looked = {0};
  for (int i = 0; i < N_LAYOUTS; i++) {
    tarei_str_add(&looked, "%s%s", i ? "; " : "", LAYOUTS[i]->looks_for);
  }
  listing has = {0};
  (void)tarei_h5_each(want->file, list_name, &has, NULL); /* an unreadable root lists nothing */
  const char *const name = want->mapping ? want->mapping->path : want->name;
  tarei_str hint = {0};
  if (has.n) {
    tarei_data_spec_add_map_hint(want->spec, want->name, &hint);
  }
  const tare_status status = tarei_fail(
      err, TARE_E_INPUT, "no data for '%s': looked for %s, <name> being '%s'; the file has %s%s%s",
      want->name, tarei_str_get(&looked), name, has.n ? tarei_str_get(&has.text) : "nothing",
      has.n > LISTED_NAMES ? ", ..." : "", tarei_str_get(&hint));
  tarei_str_free(&hint);
  tarei_str_free(&looked);
  tarei_str_free(&has.text);
  return status;
}
