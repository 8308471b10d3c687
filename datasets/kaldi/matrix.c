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
  const tarei_compression *compression; /* or NULL */
} matrix_kind;

static const matrix_kind KINDS[] = {
    {"FM ", TAREI_NUMBER_F32, 2, NULL},
    {"DM ", TAREI_NUMBER_F64, 2, NULL},
    {"FV ", TAREI_NUMBER_F32, 1, NULL},
    {"DV ", TAREI_NUMBER_F64, 1, NULL},
    {"CM ", TAREI_NUMBER_F32, 2, &tarei_compression_columns},
    {"CM2 ", TAREI_NUMBER_F32, 2, &tarei_compression_words},
    {"CM3 ", TAREI_NUMBER_F32, 2, &tarei_compression_bytes},
};

enum { SIZE_BYTES = 5, COMPRESSED_BYTES = 16 };

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
    if (matrix_has(source, at + 2, KINDS[i].mark, strlen(KINDS[i].mark))) {
      *out = &KINDS[i];
      return TARE_OK;
    }
  }
  return tarei_fail(err, TARE_E_INPUT, "no matrix of floats at byte %zu", at);
}

/* Four bytes, the lowest first. */
static uint32_t matrix_take_word(const uint8_t *const p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Sizes, each behind a byte that says 4. */
static bool take_sizes(const tarei_source *const source, tarei_matrix *const out) {
  for (int d = 0; d < out->rank; d++, out->at += SIZE_BYTES) {
    if (!matrix_has(source, out->at, "\4", 1) || source->size - out->at < SIZE_BYTES) {
      return false;
    }
    out->dims[d] = matrix_take_word(source->data + out->at + 1);
  }
  return true;
}

static float take_float(const uint8_t *const p) {
  const uint32_t bits = matrix_take_word(p);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static bool take_compressed(const tarei_source *const source, tarei_matrix *const out) {
  const uint8_t *const p = source->data + out->at;
  if (source->size - out->at < COMPRESSED_BYTES) {
    return false;
  }
  out->least = take_float(p);
  out->range = take_float(p + 4);
  out->dims[0] = matrix_take_word(p + 8);
  out->dims[1] = matrix_take_word(p + 12);
  out->at += COMPRESSED_BYTES;
  return true;
}

tare_status tarei_matrix_open(const tarei_source *const source, const size_t at,
                              tarei_matrix *const out, tare_error *const err) {
  const matrix_kind *kind = NULL;
  TAREI_TRY(find_kind(source, at, &kind, err));
  const tarei_compression *const packed = kind->compression;
  *out = (tarei_matrix){.number = kind->number,
                        .rank = kind->rank,
                        .dims = {1, 1},
                        .compression = packed,
                        .at = at + 2 + strlen(kind->mark)};
  if (!(packed ? take_compressed(source, out) : take_sizes(source, out)) ||
      out->dims[0] > INT32_MAX || out->dims[1] > INT32_MAX) {
    return tarei_fail(err, TARE_E_INPUT, "malformed header of the matrix at byte %zu", at);
  }
  const int64_t count = out->dims[0] * out->dims[1]; /* of 31 bits each */
  const int64_t left = (int64_t)(source->size - out->at);
  const int64_t own = packed ? packed->per_column * out->dims[1] : 0;
  const int64_t size = packed ? packed->per_element : (int64_t)tarei_number_size(kind->number);
  if (own > left || count > (left - own) / size) {
    return tarei_fail(err, TARE_E_INPUT,
                      "truncated: the matrix at byte %zu declares %lld elements, the archive has "
                      "%lld bytes more",
                      at, (long long)count, (long long)left);
  }
  out->bytes = (size_t)(own + count * size);
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
static void matrix_unpack(const tarei_source *const source, const tarei_matrix *const m,
                          void *const to) {
  const uint8_t *const bytes = source->data + m->at;
  if (m->compression) {
    const tarei_compressed packed = {m->least, m->range, m->dims[0], m->dims[1]};
    m->compression->unpack(&packed, bytes, to);
  } else {
    memcpy(to, bytes, m->bytes);
  }
}

static tare_status matrix_copy_elements(const tarei_source *const source,
                                        const tarei_matrix *const matrix, tare_tensor *const to,
                                        tare_error *const err) {
  const int64_t count = tare_tensor_count(to);
  const size_t size = tarei_number_size(matrix->number);
  const bool straight = tarei_number_is(matrix->number, to->dtype);
  void *const values = straight ? to->data : tarei_alloc_aligned((size_t)count, size);
  if (!values) {
    return tarei_fail_memory(err, "a matrix", (size_t)count * size);
  }
  matrix_unpack(source, matrix, values);
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
  if (matrix->dims[0] == 0 || matrix->dims[1] == 0) {
    return tarei_fail(err, TARE_E_INPUT, "is empty (dim %d has size 0)", matrix->dims[0] != 0);
  }
  tare_tensor *const tensor = &out->tensors[ports.signal];
  TAREI_TRY(tarei_port_shape(&spec->inputs[ports.signal], matrix->rank, matrix->dims, tensor, err));
  TAREI_TRY(tarei_slot_allocate(out, tensor, spec->limits.elements, err));
  TAREI_TRY(matrix_copy_elements(source, matrix, tensor, err));
  return tarei_signal_length(&ports, spec, matrix->dims[0], out, err);
}
