#include "datasets/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "datasets/extension.h"
#include "datasets/lists/csv_manifest.h"
#include "datasets/lists/list.h"
#include "datasets/numpy/npy_folder.h"
#include "datasets/text/text_source.h"

static int paths_by_name(const void *const a, const void *const b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef struct names {
  char **names;
  size_t n, capacity;
} names;

static void paths_names_fini(names *const list) {
  for (size_t i = 0; i < list->n; i++) {
    free(list->names[i]);
  }
  free(list->names);
}

static bool paths_is_folder(const char *const path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A sub-folder of its own: a link might lead back to where it stands. */
static bool is_own_folder(const char *const path) {
  struct stat st;
  return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_text(const char *const path, const tarei_data_spec *const spec) {
  return spec->tokenizer && tarei_text_source_named(path);
}

/* A file that some reader knows, a sub-folder that is a sample, or one to look into. */
static tare_status is_data(const char *const path, const tarei_data_spec *const spec,
                           bool *const out, tare_error *const err) {
  const bool folder = paths_is_folder(path);
  *out = folder ? is_own_folder(path) : tarei_reader_named(path) || is_text(path, spec);
  return folder && !*out ? tarei_npy_folder_is_sample(path, spec, out, err) : TARE_OK;
}

/* Takes one entry of a folder unless it is hidden; *others counts what is no data. */
static tare_status list_entry(const char *const folder, const char *const name,
                              const tarei_data_spec *const spec, names *const list,
                              int64_t *const others, tare_error *const err) {
  char *path = NULL;
  if (name[0] == '.') {
    return TARE_OK;
  }
  if (asprintf(&path, "%s/%s", folder, name) < 0) {
    return tarei_fail_memory(err, folder, strlen(name));
  }
  bool data = false;
  const tare_status status = is_data(path, spec, &data, err);
  if (status != TARE_OK || !data) {
    *others += status == TARE_OK;
    free(path);
    return status;
  }
  if (!TAREI_GROW(list->names, list->n, list->capacity)) {
    free(path);
    return tarei_fail_memory(err, folder, list->capacity);
  }
  list->names[list->n++] = path;
  return TARE_OK;
}

/* Paths of the data in a folder, sorted. */
static tare_status list_folder(const char *const folder, const tarei_data_spec *const spec,
                               names *const list, int64_t *const others, tare_error *const err) {
  DIR *const dir = opendir(folder);
  if (!dir) {
    return tarei_fail(err, tarei_input_status(errno), "%s: cannot list: %s", folder,
                      strerror(errno));
  }
  tare_status status = TARE_OK;
  for (const struct dirent *e = readdir(dir); e && status == TARE_OK; e = readdir(dir)) {
    status = list_entry(folder, e->d_name, spec, list, others, err);
  }
  (void)closedir(dir); /* only read */
  if (list->n) {
    qsort(list->names, list->n, sizeof *list->names, paths_by_name);
  }
  return status;
}

static tare_status expand_folder(tarei_items *items, const char *path, int depth,
                                 const tarei_data_spec *spec, tarei_str *notes, tare_error *err);

enum { DEEPEST = 32 }; /* sub-folders below one another */

/* Where sub-folders are samples, others beside them are not looked into. */
static tare_status drop_other_folders(names *const list, const tarei_data_spec *const spec,
                                      int64_t *const others, tare_error *const err) {
  bool samples = false;
  for (size_t i = 0; i < list->n && !samples; i++) {
    TAREI_TRY(paths_is_folder(list->names[i])
                  ? tarei_npy_folder_is_sample(list->names[i], spec, &samples, err)
                  : TARE_OK);
  }
  size_t n = 0;
  tare_status status = TARE_OK;
  for (size_t i = 0; i < list->n; i++) {
    bool keep = true;
    if (status == TARE_OK && samples && paths_is_folder(list->names[i])) {
      status = tarei_npy_folder_is_sample(list->names[i], spec, &keep, err);
    }
    if (keep) {
      list->names[n++] = list->names[i];
    } else {
      free(list->names[i]);
      ++*others;
    }
  }
  list->n = n;
  return status;
}

/* Files, and what sub-folders hold. */
static tare_status paths_add_files(tarei_items *const items, const char *const folder,
                                   const int depth, const tarei_data_spec *const spec,
                                   tarei_str *const notes, tare_error *const err) {
  names list = {0};
  const size_t before = items->n;
  int64_t others = 0;
  tare_status status =
      depth > DEEPEST
          ? tarei_fail(err, TARE_E_LIMIT, "%s: more than %d folders deep", folder, DEEPEST)
          : list_folder(folder, spec, &list, &others, err);
  if (status == TARE_OK) {
    status = drop_other_folders(&list, spec, &others, err);
  }
  for (size_t i = 0; status == TARE_OK && i < list.n; i++) {
    status = paths_is_folder(list.names[i])
                 ? expand_folder(items, list.names[i], depth + 1, spec, notes, err)
                 : tarei_items_add(items, &(tarei_item){.path = list.names[i]}, err);
  }
  if (status == TARE_OK && depth == 0 && items->n == before) {
    status = tarei_fail(
        err, TARE_E_INPUT,
        "%s: no audio, tar shards, HDF5, NumPy or Kaldi data in this folder or below (%lld %s)%s",
        folder, (long long)others, others == 1 ? "entry of another kind" : "entries of other kinds",
        tarei_data_spec_hint(spec));
  }
  paths_names_fini(&list);
  return status;
}

/* Other CSV files lie in folders, too; the files of Kaldi have their names. */
static tare_status has_paths(const char *const path, bool *const out, tare_error *const err) {
  *out = tarei_list_named(path) != &tarei_list_csv;
  return *out ? TARE_OK : tarei_manifest_has_column(path, "path", out, err);
}

/* A table that names files with texts, and holds none. */
static tare_status lists_texts(const char *const path, const tarei_data_spec *const spec,
                               bool *const out, tare_error *const err) {
  bool holds = false;
  *out = false;
  if (tarei_list_named(path) != &tarei_list_csv) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_manifest_has_column(path, tarei_text_column(spec), &holds, err));
  return holds ? TARE_OK : tarei_manifest_has_column(path, "path", out, err);
}

/* The folder's own manifest; else *found is false. Segments need recordings beside. */
static tare_status add_manifest_of(tarei_items *const items, const char *const folder,
                                   const tarei_data_spec *const spec, tarei_str *const notes,
                                   bool *const found, tare_error *const err) {
  static const char *const NAMES[] = {"labels.csv",   "manifest.csv", "labels.tsv",
                                      "manifest.tsv", "segments",     "wav.scp"};
  *found = false;
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && !*found; i++) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, NAMES[i]) < 0) {
      return tarei_fail_memory(err, folder, strlen(folder));
    }
    struct stat st;
    tare_status status = TARE_OK;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
      status = has_paths(path, found, err);
      if (status == TARE_OK && *found) {
        if (!strstr(tarei_str_get(notes), NAMES[i])) {
          tarei_str_add(notes, "folder read by its %s", NAMES[i]);
        }
        status = tarei_list_named(path)->expand(items, path, spec, err);
      }
    }
    free(path);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

static tare_status expand_folder(tarei_items *const items, const char *const path, const int depth,
                                 const tarei_data_spec *const spec, tarei_str *const notes,
                                 tare_error *const err) {
  char *const folder = tarei_strdup(path);
  if (!folder) {
    return tarei_fail_memory(err, path, strlen(path));
  }
  for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--) {
    folder[n - 1] = '\0';
  }
  bool found = false;
  tare_status status = add_manifest_of(items, folder, spec, notes, &found, err);
  bool sample = false;
  if (status == TARE_OK && !found) {
    status = tarei_npy_folder_is_sample(folder, spec, &sample, err);
  }
  if (status == TARE_OK && !found) {
    status = sample ? tarei_items_add(items, &(tarei_item){.path = folder}, err)
                    : paths_add_files(items, folder, depth, spec, notes, err);
  }
  free(folder);
  return status;
}

tare_status tarei_paths_check(const char *const path, tare_error *const err) {
  struct stat st;
  return stat(path, &st) == 0 ? TARE_OK
                              : tarei_fail(err, tarei_input_status(errno), "%s: cannot open: %s",
                                           path, strerror(errno));
}

tare_status tarei_paths_expand(tarei_items *const items, const char *const path,
                               const tarei_data_spec *const spec, tarei_str *const notes,
                               tare_error *const err) {
  static const char *const JSON[] = {"json", NULL};
  struct stat st;
  if (stat(path, &st) != 0) {
    return tarei_fail(err, tarei_input_status(errno), "%s: cannot open: %s", path, strerror(errno));
  }
  if (S_ISDIR(st.st_mode)) {
    return expand_folder(items, path, 0 /* depth */, spec, notes, err);
  }
  if (!S_ISREG(st.st_mode)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: neither a regular file nor a folder", path);
  }
  if (is_text(path, spec)) {
    bool lists = false;
    TAREI_TRY(lists_texts(path, spec, &lists, err));
    return lists ? tarei_list_csv.expand(items, path, spec, err)
                 : tarei_items_add(items, &(tarei_item){.path = path}, err);
  }
  const tarei_sample_list *const named = tarei_list_named(path);
  const tarei_sample_list *const list = named ? named : tarei_list_recognizing(path);
  if (!list && tarei_has_extension(path, JSON)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: not a manifest: expected an object with 'audio_filepath' on each line",
                      path);
  }
  return list ? list->expand(items, path, spec, err)
              : tarei_items_add(items, &(tarei_item){.path = path}, err);
}
