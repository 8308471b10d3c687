/* Kaldi archives of matrices, each behind its key: one sample per matrix, in their order. */
#include <string.h>

#include "base/mem.h"
#include "datasets/kaldi/matrix.h"
#include "datasets/reader.h"

typedef struct ark {
  const tarei_data_spec *spec;
  tarei_source source;
  size_t *matrices; /* where each begins */
  size_t n, capacity;
} ark;

enum { KEY_BYTES = 4096 }; /* of the longest */

static void ark_close(void *const state) {
  ark *const a = state;
  if (a) {
    tarei_source_close(&a->source);
    free(a->matrices);
    free(a);
  }
}

/* The byte behind the key at `at`, or 0. */
static size_t skip_key(const tarei_source *const source, const size_t at) {
  const size_t left = source->size - at;
  const uint8_t *const space = memchr(source->data + at, ' ', left < KEY_BYTES ? left : KEY_BYTES);
  return space && space > source->data + at ? (size_t)(space - source->data) + 1 : 0;
}

static tare_status ark_index(ark *const a, tare_error *const err) {
  for (size_t at = 0; at < a->source.size;) {
    const size_t value = skip_key(&a->source, at);
    if (!value) {
      return tarei_fail(err, TARE_E_INPUT, "not a Kaldi archive: no key at byte %zu", at);
    }
    if (!TAREI_GROW(a->matrices, a->n, a->capacity)) {
      return tarei_fail_memory(err, "an archive", a->capacity * sizeof *a->matrices);
    }
    tarei_matrix matrix;
    TAREI_TRY(tarei_matrix_open(&a->source, value, &matrix, err));
    a->matrices[a->n++] = value;
    at = matrix.at + matrix.bytes;
  }
  return a->n ? TARE_OK : tarei_fail(err, TARE_E_INPUT, "holds no matrices");
}

static tare_status ark_open(const char *const path, const tarei_data_spec *const spec,
                            const bool labels, void **const state, tare_error *const err) {
  *state = NULL;
  TAREI_TRY(tarei_matrix_check_inputs(path, spec, err));
  if (labels) {
    return tarei_fail(err, TARE_E_USAGE, "%s: no labels '%s': archives have labels beside an .scp",
                      path, spec->labels);
  }
  ark *const a = tarei_calloc(1, sizeof *a);
  if (!a) {
    return tarei_fail_memory(err, path, sizeof *a);
  }
  a->spec = spec;
  tare_status status = tarei_source_open(path, &a->source, err);
  if (status == TARE_OK) {
    status = ark_index(a, err);
    status = status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "%s", path);
  }
  if (status != TARE_OK) {
    ark_close(a);
    return status;
  }
  *state = a;
  return TARE_OK;
}

static int64_t ark_count(const void *const state) {
  return (int64_t)((const ark *)state)->n;
}

static const char *ark_describe(const void *const state) {
  (void)state;
  return "Kaldi matrices";
}

static tare_status ark_read(void *const state, const int64_t i, tarei_slot *const out,
                            tare_error *const err) {
  const ark *const a = state;
  tarei_matrix matrix;
  TAREI_TRY(tarei_matrix_open(&a->source, a->matrices[i], &matrix, err));
  return tarei_matrix_read(&a->source, &matrix, a->spec, out, err);
}

static bool ark_recognises(const char *const path) {
  (void)path; /* keys are any text */
  return false;
}

static const char *const EXTENSIONS[] = {"ark", NULL};

const tarei_reader_ops tarei_reader_ark = {
    .name = "Kaldi archive",
    .kind = {"a Kaldi archive", true},
    .extensions = EXTENSIONS,
    .many = true,
    .recognises = ark_recognises,
    .open = ark_open,
    .count = ark_count,
    .describe = ark_describe,
    .read = ark_read,
    .close = ark_close,
};
