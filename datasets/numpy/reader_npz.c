/* Archives of named arrays, as numpy.savez and numpy.savez_compressed write them. */
#include <string.h>

#include "base/mem.h"
#include "datasets/numpy/npz.h"
#include "datasets/numpy/zip.h"

typedef struct npz {
  tarei_source source;
  void *set; /* tarei_array_set */
} npz;

static bool begins_as_zip(const char *const path) {
  return tarei_file_begins(path, "PK\x03\x04", 4);
}

/* Members that are no arrays are passed over. */
static tare_status add_members(tarei_array_set *const set, const tarei_zip *const zip,
                               tare_error *const err) {
  for (size_t i = 0; i < zip->n; i++) {
    const tarei_zip_member *const member = &zip->members[i];
    const size_t length = strlen(member->name);
    if (length <= 4 || strcmp(member->name + length - 4, ".npy") != 0) {
      continue;
    }
    member->name[length - 4] = '\0';
    TAREI_TRY(tarei_array_set_add(set, member->name, &member->packed, err));
  }
  return TARE_OK;
}

tare_status tarei_npz_add(tarei_array_set *const set, const tarei_source *const source,
                          tare_error *const err) {
  tarei_zip zip;
  tare_status status = tarei_zip_open(source, &set->spec->limits, &zip, err);
  if (status == TARE_OK) {
    status = add_members(set, &zip, err);
  }
  tarei_zip_fini(&zip);
  return status;
}

static tare_status fill_set(tarei_array_set *const set, const tarei_source *const source,
                            tare_error *const err) {
  TAREI_TRY(tarei_npz_add(set, source, err));
  TAREI_TRY(tarei_array_set_bind(set, err));
  tarei_array_set_note_rows(set);
  return TARE_OK;
}

static void npz_close(void *const state) {
  npz *const n = state;
  if (n) {
    tarei_array_set_close(n->set);
    tarei_source_close(&n->source);
    free(n);
  }
}

static tare_status npz_open(const char *const path, const tarei_data_spec *const spec,
                            const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  npz *const n = tarei_calloc(1, sizeof *n);
  tarei_array_set *set = NULL;
  if (!n) {
    return tarei_fail_memory(err, path, sizeof *n);
  }
  tare_status status = tarei_array_set_new(spec, labels, "NumPy archives", &set, err);
  if (status == TARE_OK) {
    tare_error fault = {0};
    if (tarei_source_open(path, &n->source, &fault) == TARE_OK) {
      (void)fill_set(set, &n->source, &fault); /* settled in the next line */
    }
    status = tarei_array_set_settle(set, path, &fault, &n->set, err);
  }
  if (status != TARE_OK) {
    npz_close(n);
    return status;
  }
  *state = n;
  return TARE_OK;
}

static int64_t npz_count(const void *const state) {
  return tarei_array_set_count(((const npz *)state)->set);
}

static const char *npz_describe(const void *const state) {
  return tarei_array_set_describe(((const npz *)state)->set);
}

static tare_status npz_read(void *const state, const int64_t i, tarei_slot *const out,
                            tare_error *const err) {
  return tarei_array_set_read(((npz *)state)->set, i, out, err);
}

static const char *const EXTENSIONS[] = {"npz", NULL};

const tarei_reader_ops tarei_reader_npz = {
    .name = "NumPy archive",
    .kind = {"a NumPy archive", true},
    .extensions = EXTENSIONS,
    .labels = true,
    .heeds = TAREI_HEEDS_ROWS | TAREI_HEEDS_MAPPINGS,
    .recognises = begins_as_zip,
    .open = npz_open,
    .count = npz_count,
    .describe = npz_describe,
    .read = npz_read,
    .close = npz_close,
};
