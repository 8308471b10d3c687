#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "datasets/numpy/array_set.h"
#include "datasets/numpy/npy_folder.h"

static bool reader_npy_folder_is_folder(const char *const path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

enum { STEM_SIZE = sizeof((struct dirent *)0)->d_name };

/* The file's name without ".npy"; whether it has this end. */
static bool take_stem(const char *const file, char stem[STEM_SIZE]) {
  const size_t n = strlen(file);
  const bool named = n > 4 && n < STEM_SIZE && strcmp(file + n - 4, ".npy") == 0;
  (void)snprintf(stem, STEM_SIZE, "%.*s", named ? (int)n - 4 : 0, file);
  return named;
}

static bool reader_npy_folder_is_wanted(const tarei_data_spec *const spec, const char *const stem) {
  for (int i = 0; i < spec->n_inputs; i++) {
    const tare_mapping *const mapping = tarei_data_spec_mapping(spec, spec->inputs[i].name);
    const char *const lengths = mapping ? mapping->lengths : NULL;
    if (tarei_array_is_named(stem, mapping ? mapping->path : spec->inputs[i].name) ||
        (lengths && tarei_array_is_named(stem, lengths))) {
      return true;
    }
  }
  return false;
}

static int reader_npy_folder_digits(const char *name) {
  int n = 0;
  for (; *name; name++) {
    n += isdigit((unsigned char)*name) != 0;
  }
  return n;
}

/* A misspelt name. "audio1" is none of "audio": numbered files are samples. */
static bool reader_npy_folder_is_misspelt(const char *const stem, const char *const input) {
  return tarei_names_alike(stem, input) &&
         reader_npy_folder_digits(stem) == reader_npy_folder_digits(input);
}

/* Whether a file seems to be meant for one of several inputs. For the only one, it may have any
 * name. */
static bool reader_npy_folder_is_meant(const tarei_data_spec *const spec, const char *const stem) {
  bool meant = false;
  for (int i = 0; i < spec->n_inputs; i++) {
    meant = meant || reader_npy_folder_is_misspelt(stem, spec->inputs[i].name);
  }
  for (int i = 0; i < spec->states.n_inputs; i++) {
    meant = meant || reader_npy_folder_is_misspelt(stem, spec->states.inputs[i].port.name);
  }
  return meant && spec->n_inputs + spec->states.n_inputs > 1;
}

tare_status tarei_npy_folder_is_sample(const char *const folder, const tarei_data_spec *const spec,
                                       bool *const out, tare_error *const err) {
  DIR *const dir = opendir(folder);
  *out = false;
  if (!dir) {
    return errno == ENOMEM ? tarei_fail_memory(err, folder, sizeof(struct dirent)) : TARE_OK;
  }
  for (const struct dirent *e = readdir(dir); e && !*out; e = readdir(dir)) {
    char stem[STEM_SIZE];
    *out = take_stem(e->d_name, stem) &&
           (reader_npy_folder_is_wanted(spec, stem) || reader_npy_folder_is_meant(spec, stem));
  }
  (void)closedir(dir); /* only read */
  return TARE_OK;
}

/* Only what the model or the labels may want: a folder may hold expected outputs as well. */
static bool may_matter(const tarei_array_set *const set, const char *const stem) {
  const char *const labels = set->labels ? set->spec->labels : NULL;
  return reader_npy_folder_is_wanted(set->spec, stem) ||
         (labels && tarei_array_is_named(stem, labels)) || strstr(stem, "length") != NULL;
}

static tare_status add_file(tarei_array_set *const set, const char *const folder,
                            const char *const file, tare_error *const err) {
  char stem[STEM_SIZE], *path = NULL;
  if (!take_stem(file, stem)) {
    return TARE_OK;
  }
  if (!may_matter(set, stem) && !set->spec->states.n_inputs) {
    return tarei_array_set_note_other(set, stem, err);
  }
  if (asprintf(&path, "%s/%s", folder, file) < 0) {
    return tarei_fail_memory(err, folder, strlen(folder));
  }
  const tare_status status = tarei_array_set_add_file(set, stem, path, err);
  free(path);
  return status;
}

static tare_status reader_npy_folder_add_files(tarei_array_set *const set, const char *const folder,
                                               tare_error *const err) {
  DIR *const dir = opendir(folder);
  if (!dir) {
    return tarei_fail(err, tarei_input_status(errno), "cannot list: %s", strerror(errno));
  }
  tare_status status = TARE_OK;
  for (const struct dirent *e = readdir(dir); e && status == TARE_OK; e = readdir(dir)) {
    status = add_file(set, folder, e->d_name, err);
  }
  (void)closedir(dir); /* only read */
  return status;
}

static tare_status folder_open(const char *const path, const tarei_data_spec *const spec,
                               const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  tarei_array_set *set;
  TAREI_TRY(tarei_array_set_new(spec, labels, "folders of NumPy arrays", &set, err));
  tare_error fault = {0};
  if (reader_npy_folder_add_files(set, path, &fault) == TARE_OK) {
    (void)tarei_array_set_bind(set, &fault); /* settled in the next line */
  }
  return tarei_array_set_settle(set, path, &fault, state, err);
}

static const char *const NO_EXTENSIONS[] = {NULL};

const tarei_reader_ops tarei_reader_npy_folder = {
    .name = "folder of NumPy arrays",
    .kind = {"a folder", false},
    .extensions = NO_EXTENSIONS,
    .labels = true,
    .heeds = TAREI_HEEDS_ROWS | TAREI_HEEDS_MAPPINGS,
    .recognises = reader_npy_folder_is_folder,
    .open = folder_open,
    .count = tarei_array_set_count,
    .describe = tarei_array_set_describe,
    .read = tarei_array_set_read,
    .close = tarei_array_set_close,
};
