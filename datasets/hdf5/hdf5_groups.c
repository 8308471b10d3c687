/* One group per sample, with a data set for each input in it or in a group "inputs" inside it.
 * Samples come in the order of the groups' names. */
#include <string.h>

#include "base/mem.h"
#include "datasets/hdf5/hdf5_guard.h"
#include "datasets/hdf5/hdf5_layout.h"

enum { MAX_DEPTH = 4, MAX_VISITED = 100000 };

typedef struct hdf5_groups_names {
  char **names;
  size_t n, capacity;
} hdf5_groups_names;

typedef struct groups {
  hid_t parent;
  hdf5_groups_names children;
  char *leaf; /* data set inside each child */
} groups;

static void hdf5_groups_names_fini(hdf5_groups_names *const list) {
  for (size_t i = 0; i < list->n; i++) {
    free(list->names[i]);
  }
  free(list->names);
  *list = (hdf5_groups_names){0};
}

static void groups_close(void *const state) {
  groups *const g = state;
  hdf5_groups_names_fini(&g->children);
  if (g->parent >= 0) {
    (void)H5Gclose(g->parent);
  }
  free(g->leaf);
  free(g);
}

static tare_status keep_group(const hid_t group, const char *const name, void *const user,
                              tare_error *const err) {
  hdf5_groups_names *const list = user;
  if (!tarei_h5_is_group(group, name)) {
    return TARE_OK;
  }
  char *const copy = tarei_strdup(name);
  if (!copy || !TAREI_GROW(list->names, list->n, list->capacity)) {
    free(copy);
    return tarei_fail_memory(err, "names of groups", list->capacity * sizeof *list->names);
  }
  list->names[list->n++] = copy;
  return TARE_OK;
}

/* Whether some child holds "<leaf>" or "inputs/<leaf>"; *out is then that path (free it). */
static tare_status find_leaf(const hid_t parent, const hdf5_groups_names *const children,
                             const char *const leaf, char **const out, tare_error *const err) {
  static const char *const FOLDERS[] = {"", "inputs/"};
  for (size_t f = 0; f < sizeof FOLDERS / sizeof *FOLDERS; f++) {
    char *const inside = tarei_h5_join(FOLDERS[f], leaf);
    if (!inside) {
      return tarei_fail_memory(err, leaf, strlen(leaf));
    }
    for (size_t i = 0; i < children->n; i++) {
      const hid_t child = tarei_h5_open_group(parent, children->names[i]);
      const bool there = child >= 0 && tarei_h5_is_data_set(child, inside);
      if (child >= 0) {
        (void)H5Gclose(child);
      }
      if (there) {
        *out = inside;
        return TARE_OK;
      }
    }
    free(inside);
  }
  return TARE_OK;
}

/* Descends, nearest groups first; `found` gets the children and takes over `parent`. */
static tare_status hdf5_groups_search(const hid_t parent, const char *const leaf, const int depth,
                                      int64_t *const budget, groups *const found,
                                      tare_error *const err) {
  hdf5_groups_names children = {0};
  tare_status status = tarei_h5_each(parent, keep_group, &children, err);
  *budget -= (int64_t)children.n;
  if (status == TARE_OK) {
    status = find_leaf(parent, &children, leaf, &found->leaf, err);
  }
  if (status == TARE_OK && found->leaf) {
    found->parent = parent;
    found->children = children;
    return TARE_OK;
  }
  for (size_t i = 0; status == TARE_OK && i < children.n; i++) {
    if (found->leaf || depth == MAX_DEPTH || *budget < 0) {
      break;
    }
    const hid_t child = tarei_h5_open_group(parent, children.names[i]);
    if (child >= 0) {
      status = hdf5_groups_search(child, leaf, depth + 1, budget, found, err);
    }
    if (child >= 0 && found->parent != child) {
      (void)H5Gclose(child);
    }
  }
  hdf5_groups_names_fini(&children);
  return status;
}

static char *group_name(const hid_t group) {
  const ssize_t length = H5Iget_name(group, NULL, 0);
  char *const name = length >= 0 ? tarei_realloc(NULL, (size_t)length + 1) : NULL;
  if (name) {
    name[0] = '\0';
    (void)H5Iget_name(group, name, (size_t)length + 1); /* for describe only */
  }
  return name;
}

/* Names of inputs may begin with slashes, which lead out of a group in HDF5; a path that was given
 * means what it says. NULL: it is not inside a group. */
static const char *leaf_of(const tarei_h5_want *const want) {
  const tare_mapping *const mapping = want->mapping;
  if (mapping) {
    return mapping->path[0] == '/' || mapping->offsets || mapping->lengths ? NULL : mapping->path;
  }
  const char *const leaf = want->name + strspn(want->name, "/");
  return *leaf ? leaf : NULL;
}

static tare_status groups_bind(const tarei_h5_want *const want, tarei_column *const column,
                               tare_error *const err) {
  const char *const leaf = leaf_of(want);
  if (!leaf) {
    return TARE_OK;
  }
  groups *const g = tarei_calloc(1, sizeof *g);
  if (!g) {
    return tarei_fail_memory(err, "groups", sizeof *g);
  }
  g->parent = H5I_INVALID_HID;
  int64_t budget = MAX_VISITED;
  const hid_t root = tarei_h5_open_group(want->file, "/");
  tare_status status = root >= 0 ? hdf5_groups_search(root, leaf, 0, &budget, g, err)
                                 : tarei_fail(err, TARE_E_INPUT, "cannot open the root group");
  if (root >= 0 && g->parent != root) {
    (void)H5Gclose(root);
  }
  if (status == TARE_OK && g->leaf && !(column->group = group_name(g->parent))) {
    status = tarei_fail_memory(err, "groups", sizeof *g);
  }
  if (status != TARE_OK || !g->leaf) {
    groups_close(g);
    return status;
  }
  column->count = (int64_t)g->children.n;
  column->kind = "one group per sample";
  column->state = g;
  return TARE_OK;
}

static tare_status hdf5_groups_read_data(tarei_column *const column,
                                         const tarei_h5_data *const data,
                                         tarei_h5_sample *const out, tare_error *const err) {
  if (data->vlen) {
    return tarei_fail(err, TARE_E_INPUT, "is a vlen data set inside the group of a single sample");
  }
  *out = (tarei_h5_sample){.number = data->number, .rank = data->rank};
  memcpy(out->dims, data->dims, sizeof out->dims);
  TAREI_TRY(tarei_column_reserve(column, out, err));
  const int64_t start[TAREI_H5_MAX_RANK] = {0};
  return tarei_h5_read_box(data, start, data->dims, column->buffer, err);
}

static tare_status groups_read(tarei_column *const column, const int64_t i,
                               tarei_h5_sample *const out, tare_error *const err) {
  const groups *const g = column->state;
  const char *const name = g->children.names[i];
  const hid_t child = tarei_h5_open_group(g->parent, name);
  if (child < 0) {
    return tarei_fail(err, TARE_E_INPUT, "cannot open group '%s'", name);
  }
  tarei_h5_data data;
  tare_status status = tarei_h5_open_data(child, g->leaf, &data, err);
  if (status == TARE_OK) {
    status = hdf5_groups_read_data(column, &data, out, err);
    tarei_h5_close_data(&data);
  }
  (void)H5Gclose(child);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "group '%s'", name);
}

const tarei_layout tarei_layout_groups = {
    .looks_for = "groups with a data set '<name>' or 'inputs/<name>'",
    .bind = groups_bind,
    .read = groups_read,
    .close = groups_close,
};
