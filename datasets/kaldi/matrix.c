#include "datasets/kaldi/matrix.h"

#include <string.h>

#include "base/mem.h"
#include "datasets/audio/audio_ports.h"
#include "datasets/port_shape.h"

/* A kind of matrix: its mark, type and rank. */
typedef struct matrix_kind {
  const char *mark;
  tarei_number number;
  int rank;
} matrix_kind;

static const matrix_kind KINDS[] = {{"FM ", TAREI_NUMBER_F32, 2},
                                    {"DM ", TAREI_NUMBER_F64, 2},
                                    {"FV ", TAREI_NUMBER_F32, 1},
                                    {"DV ", TAREI_NUMBER_F64, 1}};

enum { MARK_BYTES = 3, SIZE_BYTES = 5 };

static bool matrix_has(const tarei_source *const source, const size_t at, const char *const bytes,
                       const size_t n) {
  return at <= source->size && source->size - at >= n && memcmp(source->data + at, bytes, n) == 0;
}

static tare_status find_kind(const tarei_source *const source, const size_t at,
                             const matrix_kind **const out, tare_error *const err) {
  if (at >= source->size) {
    return tarei_fail(err, TARE_E_INPUT, "offset %zu is beyond the %zu bytes of the archive", at,
                      source->size);
  }
  if (!matrix_has(source, at, "\0B", 2)) {
    return tarei_fail(err, TARE_E_INPUT, "no binary matrix at byte %zu (text is not supported)",
                      at);
  }
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    if (matrix_has(source, at + 2, KINDS[i].mark, MARK_BYTES)) {
      *out = &KINDS[i];
      return TARE_OK;
    }
  }
  return matrix_has(source, at + 2, "CM", 2)
             ? tarei_fail(err, TARE_E_INPUT,
                          "the matrix at byte %zu is compressed: expected floats (copy-feats "
                          "--compress=false writes them)",
                          at)
             : tarei_fail(err, TARE_E_INPUT, "no matrix of floats at byte %zu", at);
}

/* A size: a byte that says 4, and four bytes, the lowest first. */
static bool matrix_take_size(const tarei_source *const source, const size_t at,
                             int64_t *const out) {
  if (!matrix_has(source, at, "\4", 1) || source->size - at < SIZE_BYTES) {
    return false;
  }
  const uint8_t *const p = source->data + at + 1;
  *out = (int64_t)p[0] | (int64_t)p[1] << 8 | (int64_t)p[2] << 16 | (int64_t)p[3] << 24;
  return *out <= INT32_MAX;
}

tare_status tarei_matrix_open(const tarei_source *const source, const size_t at,
                              tarei_matrix *const out, tare_error *const err) {
  const matrix_kind *kind = NULL;
  TAREI_TRY(find_kind(source, at, &kind, err));
  *out = (tarei_matrix){.number = kind->number, .rank = kind->rank, .at = at + 2 + MARK_BYTES};
  int64_t count = 1;
  for (int d = 0; d < kind->rank; d++, out->at += SIZE_BYTES) {
    if (!matrix_take_size(source, out->at, &out->dims[d])) {
      return tarei_fail(err, TARE_E_INPUT, "malformed header of the matrix at byte %zu", at);
    }
    count *= out->dims[d]; /* two sizes of 31 bits */
  }
  const int64_t left = (int64_t)(source->size - out->at),
                size = (int64_t)tarei_number_size(kind->number);
  if (count > left / size) {
    return tarei_fail(err, TARE_E_INPUT,
                      "truncated: the matrix at byte %zu declares %lld elements, the archive has "
                      "%lld bytes more",
                      at, (long long)count, (long long)left);
  }
  out->bytes = (size_t)(count * size);
  return TARE_OK;
}

tare_status tarei_matrix_check_inputs(const char *const path, const tarei_data_spec *const spec,
                                      tare_error *const err) {
  tarei_audio_ports ports;
  if (spec->features) {
    return tarei_fail(err, TARE_E_USAGE, "%s: features are computed from audio, not from matrices",
                      path);
  }
  return tarei_signal_ports_find(path, "a matrix", spec, &ports, err);
}

/* The elements lie at any address in the archive. */
static tare_status matrix_copy_elements(const tarei_source *const source,
                                        const tarei_matrix *const matrix, tare_tensor *const to,
                                        tare_error *const err) {
  const int64_t count = tare_tensor_count(to);
  const bool straight = tarei_number_is(matrix->number, to->dtype);
  void *const values = straight ? to->data : tarei_alloc_aligned(matrix->bytes, 1);
  if (!values) {
    return tarei_fail_memory(err, "a matrix", matrix->bytes);
  }
  memcpy(values, source->data + matrix->at, matrix->bytes);
  const tare_status status = tarei_convert(matrix->number, values, count, to->dtype, to->data, err);
  if (!straight) {
    free(values);
  }
  return status;
}

tare_status tarei_matrix_read(const tarei_source *const source, const tarei_matrix *const matrix,
                              const tarei_data_spec *const spec, tarei_slot *const out,
                              tare_error *const err) {
  tarei_audio_ports ports;
  TAREI_TRY(tarei_signal_ports_find(source->name, "a matrix", spec, &ports, err));
  tare_tensor *const tensor = &out->tensors[ports.signal];
  TAREI_TRY(tarei_port_shape(&spec->inputs[ports.signal], matrix->rank, matrix->dims, tensor, err));
  TAREI_TRY(tarei_slot_allocate(out, tensor, spec->limits.elements, err));
  TAREI_TRY(matrix_copy_elements(source, matrix, tensor, err));
  return tarei_signal_length(&ports, spec, matrix->dims[0], out, err);
}
