#include "datasets/names/spare.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/port_shape.h"
#include "shapes/number.h"

static bool spare_is_path_of(const tare_mapping *const mapping, const char *const name) {
  const char *const paths[] = {mapping->path, mapping->offsets, mapping->lengths};
  bool is = false;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    const char *const slash = paths[i] ? strrchr(paths[i], '/') : NULL;
    is = is ||
         (paths[i] && (strcmp(paths[i], name) == 0 || (slash && strcmp(slash + 1, name) == 0)));
  }
  return is;
}

/* An input that is mapped is not fed by the array of its own name. */
static bool spare_is_used(const tarei_data_spec *const spec, const char *const name) {
  bool used = spec->labels && strcmp(spec->labels, name) == 0;
  for (int i = 0; i < spec->n_inputs; i++) {
    const char *const input = spec->inputs[i].name;
    used = used ||
           (strcmp(input + strspn(input, "/"), name) == 0 && !tarei_data_spec_mapping(spec, input));
  }
  for (int i = 0; i < spec->n_mappings; i++) {
    used = used || spare_is_path_of(&spec->mappings[i], name);
  }
  return used;
}

static bool spares_have(const tarei_spares *const spares, const char *const name) {
  for (size_t i = 0; i < spares->n; i++) {
    if (strcmp(spares->items[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

tare_status tarei_spares_add(tarei_spares *const spares, const tarei_data_spec *const spec,
                             const char *const name, tarei_spare **const out,
                             tare_error *const err) {
  *out = NULL;
  if (spare_is_used(spec, name) || spares_have(spares, name)) {
    return TARE_OK;
  }
  char *const copy = tarei_strdup(name);
  if (!copy || !TAREI_GROW(spares->items, spares->n, spares->capacity)) {
    free(copy);
    return tarei_fail_memory(err, "an array", strlen(name));
  }
  *out = &spares->items[spares->n++];
  **out = (tarei_spare){.name = copy, .rank = -1};
  return TARE_OK;
}

void tarei_spares_fini(tarei_spares *const spares) {
  for (size_t i = 0; i < spares->n; i++) {
    free(spares->items[i].name);
  }
  free(spares->items);
  *spares = (tarei_spares){0};
}

void tarei_spare_shape(tarei_spare *const spare, const bool real, const int rank,
                       const int64_t *const dims) {
  if (rank <= TARE_MAX_RANK) {
    spare->real = real;
    spare->rank = rank;
    memcpy(spare->dims, dims, (size_t)rank * sizeof *dims);
  }
}

bool tarei_spares_any(const tarei_spares *const spares) {
  bool any = false;
  for (size_t i = 0; i < spares->n; i++) {
    any = any || !spares->items[i].taken;
  }
  return any;
}

bool tarei_spare_fits(const tarei_spare *const spare, const tare_port *const port) {
  tare_tensor shape;
  return spare->rank < 0 ||
         (spare->real == tarei_is_float(port->dtype) &&
          tarei_port_shape(port, spare->rank, spare->dims, &shape, NULL) == TARE_OK);
}

static int spares_by_name(const void *const a, const void *const b) {
  return strcmp(((const tarei_spare *)a)->name, ((const tarei_spare *)b)->name);
}

void tarei_spares_sort(tarei_spares *const spares) {
  if (spares->n) {
    qsort(spares->items, spares->n, sizeof *spares->items, spares_by_name);
  }
}
