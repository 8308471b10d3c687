#include "graph/table/formats/trt_text.h"

#include <ctype.h>
#include <string.h>

#include "base/half.h"

const char *const tarei_trt_algorithms[] = {"EntropyCalibration2", "MinMaxCalibration",
                                            "EntropyCalibration", "LegacyCalibration"};

int tarei_trt_n_algorithms(void) {
  return sizeof tarei_trt_algorithms / sizeof *tarei_trt_algorithms;
}

bool tarei_trt_split(const tarei_span line, tarei_span *const name, tarei_span *const value) {
  const char *const colon = line.n ? memrchr(line.at, ':', line.n) : NULL;
  if (!colon || colon == line.at) {
    return false;
  }
  *name = (tarei_span){line.at, (size_t)(colon - line.at)};
  *value = tarei_span_trim((tarei_span){colon + 1, line.n - name->n - 1});
  return true;
}

bool tarei_trt_hex(const tarei_span value, uint32_t *const bits) {
  *bits = 0;
  for (size_t i = 0; i < value.n; i++) {
    const int c = tolower((unsigned char)value.at[i]);
    if (!isxdigit(c)) {
      return false;
    }
    *bits = *bits << 4 | (uint32_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
  }
  return value.n == 8;
}

static bool trt_text_is_plausible(const uint32_t bits) {
  const float scale = tarei_bits_to_float(bits);
  return scale > 1e-9f && scale < 1e9f;
}

tare_status tarei_trt_check_order(const tarei_source *const source, tare_error *const err) {
  tarei_lines c = tarei_lines_of(source->data, source->size);
  int n = 0, swapped = 0;
  tarei_span line, name, value;
  while (tarei_lines_next(&c, &line)) {
    uint32_t bits;
    if (tarei_trt_split(line, &name, &value) && tarei_trt_hex(value, &bits)) {
      n++;
      swapped += !trt_text_is_plausible(bits) && trt_text_is_plausible(__builtin_bswap32(bits));
    }
  }
  return swapped * 2 <= n
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT,
                          "%s: the scales look byte-swapped; TensorRT writes the most significant "
                          "byte first",
                          source->name);
}

/* Versions like "8XXX" stand in real files. */
tare_status tarei_trt_header(const tarei_source *const source, const tarei_span line,
                             int *const algorithm, tare_error *const err) {
  const char *const dash = line.n > 4 ? memchr(line.at + 4, '-', line.n - 4) : NULL;
  for (int i = 0; dash && dash > line.at + 4 && i < tarei_trt_n_algorithms(); i++) {
    const size_t length = (size_t)(line.at + line.n - dash - 1);
    const char *const name = tarei_trt_algorithms[i];
    if (strlen(name) == length && memcmp(name, dash + 1, length) == 0) {
      *algorithm = i;
      return TARE_OK;
    }
  }
  return tarei_line_fail(source, 1, line,
                         "must be TRT-<version>-<algorithm>, the algorithm one of "
                         "EntropyCalibration2, MinMaxCalibration, EntropyCalibration, "
                         "LegacyCalibration",
                         err);
}
