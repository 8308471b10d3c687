/* Where external data may lie. A model comes from outside, and so do links that come with it: what
 * counts is the folder in which the file itself is found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/onnx/importer.h"

enum { N_FOLDERS = 3 };

/* The path of a file cut to that of its folder; NULL when out of memory. */
static char *folder_of(const char *const path) {
  const char *const slash = strrchr(path, '/');
  char *const folder = tarei_strdup(slash ? path : ".");
  if (folder && slash) {
    folder[slash == path ? 1 : slash - path] = 0;
  }
  return folder;
}

/* Adds a folder, links resolved. */
static tare_status add_folder(tarei_externals *const externals, const char *const folder,
                              tare_error *const err) {
  char *const real = folder ? realpath(folder, NULL) : NULL;
  if (!real) {
    return !folder ? tarei_fail_memory(err, "a folder of external data", N_FOLDERS)
                   : tarei_fail(err, tarei_input_status(errno), "%s: cannot open: %s", folder,
                                strerror(errno));
  }
  externals->folders[externals->n_folders++] = real;
  return TARE_OK;
}

/* That of the model, where a user sees it; that of the file itself, as caches of models keep files
 * apart from the names that lead to them; and that which the user allows. */
static tare_status make_folders(tarei_externals *const externals, tare_error *const err) {
  if (externals->folders) {
    return TARE_OK;
  }
  externals->folders = tarei_calloc(N_FOLDERS, sizeof *externals->folders);
  if (!externals->folders) {
    return tarei_fail_memory(err, "external data", N_FOLDERS * sizeof *externals->folders);
  }
  char *const real = realpath(externals->path, NULL);
  char *const shown = folder_of(externals->path), *const own = real ? folder_of(real) : NULL;
  tare_status status = add_folder(externals, shown, err);
  if (status == TARE_OK) {
    status = add_folder(externals, own, err);
  }
  if (status == TARE_OK && externals->allowed) {
    status = add_folder(externals, externals->allowed, err);
  }
  free(real);
  free(shown);
  free(own);
  return status;
}

static bool lies_in(const char *const path, const char *const folder) {
  const size_t n = strlen(folder);
  return strncmp(path, folder, n) == 0 && (path[n] == '/' || folder[n - 1] == '/');
}

static bool is_allowed(const tarei_externals *const externals, const char *const path) {
  for (int i = 0; i < externals->n_folders; i++) {
    if (lies_in(path, externals->folders[i])) {
      return true;
    }
  }
  return false;
}

tare_status tarei_external_path(tarei_externals *const externals, const char *const location,
                                char **const out, tare_error *const err) {
  TAREI_TRY(make_folders(externals, err));
  tarei_str path = {0};
  tarei_str_add(&path, "%s/%s", externals->folders[0], location);
  if (path.failed) {
    tarei_str_free(&path);
    return tarei_fail_memory(err, location, strlen(location));
  }
  char *const real = realpath(tarei_str_get(&path), NULL);
  tare_status status = TARE_OK;
  if (!real) {
    status =
        tarei_fail(err, tarei_input_status(errno), "external data '%.256s': cannot open %s: %s",
                   location, tarei_str_get(&path), strerror(errno));
  } else if (!is_allowed(externals, real)) {
    status = tarei_fail(err, TARE_E_INPUT,
                        "external data '%.256s' is a link to %s, outside the model's folder %s "
                        "(--allow-external allows another folder)",
                        location, real, externals->folders[0]);
  }
  tarei_str_free(&path);
  if (status != TARE_OK) {
    free(real);
    return status;
  }
  *out = real;
  return TARE_OK;
}
