/* One matrix of a Kaldi archive, at the byte that a script file names. */
#include "base/mem.h"
#include "datasets/kaldi/matrix.h"
#include "datasets/reader.h"

typedef struct ark_matrix {
  const tarei_data_spec *spec;
  char *path;
} ark_matrix;

static void ark_matrix_close(void *const state) {
  ark_matrix *const m = state;
  if (m) {
    free(m->path);
    free(m);
  }
}

static tare_status ark_matrix_open(const char *const path, const tarei_data_spec *const spec,
                                   const bool labels, void **const state, tare_error *const err) {
  (void)labels; /* those of the script file */
  *state = NULL;
  TAREI_TRY(tarei_matrix_check_inputs(path, spec, err));
  ark_matrix *const m = tarei_calloc(1, sizeof *m);
  if (!m || !(m->path = tarei_strdup(path))) {
    free(m);
    return tarei_fail_memory(err, path, sizeof *m);
  }
  m->spec = spec;
  *state = m;
  return TARE_OK;
}

static int64_t ark_matrix_count(const void *const state) {
  (void)state;
  return 1;
}

static const char *ark_matrix_describe(const void *const state) {
  (void)state;
  return "Kaldi matrices";
}

static tare_status ark_matrix_read(void *const state, const int64_t i, tarei_slot *const out,
                                   tare_error *const err) {
  (void)i; /* always 0 */
  const ark_matrix *const m = state;
  tarei_source source;
  tarei_matrix matrix;
  TAREI_TRY(tarei_source_open(m->path, &source, err));
  const size_t at = (size_t)out->segment.byte;
  tare_status status = tarei_matrix_open(&source, at, &matrix, err);
  if (status == TARE_OK) {
    status = tarei_matrix_read(&source, &matrix, m->spec, out, err);
  }
  tarei_source_close(&source);
  return status;
}

static bool ark_matrix_recognises(const char *const path) {
  (void)path; /* only named by script files */
  return false;
}

static const char *const NO_EXTENSIONS[] = {NULL};

const tarei_reader_ops tarei_reader_ark_matrix = {
    .name = "Kaldi matrix",
    .kind = {"a Kaldi matrix", true},
    .extensions = NO_EXTENSIONS,
    .recognises = ark_matrix_recognises,
    .open = ark_matrix_open,
    .count = ark_matrix_count,
    .describe = ark_matrix_describe,
    .read = ark_matrix_read,
    .close = ark_matrix_close,
};
