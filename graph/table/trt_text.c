#include "graph/table/trt_text.h"

#include <ctype.h>
#include <string.h>

#include "base/half.h"

const char *const tarei_trt_algorithms[] = {"EntropyCalibration2", "MinMaxCalibration",
                                            "EntropyCalibration", "LegacyCalibration"};

int tarei_trt_n_algorithms(void) {
  return sizeof tarei_trt_algorithms / sizeof *tarei_trt_algorithms;
}

tarei_trt_cursor tarei_trt_lines(const tarei_source *const source) {
  const char *const begin = (const char *)source->data;
  return (tarei_trt_cursor){begin, begin + source->size, 0};
}

bool tarei_trt_next(tarei_trt_cursor *const c, tarei_trt_text *const line) {
  if (c->at == c->end) {
    return false;
  }
  const char *const feed = memchr(c->at, '\n', (size_t)(c->end - c->at));
  const char *const end = feed ? feed : c->end;
  *line = (tarei_trt_text){c->at, (size_t)(end - c->at)};
  while (line->n && line->at[line->n - 1] == '\r') {
    line->n--;
  }
  c->at = feed ? feed + 1 : c->end;
  c->line++;
  return true;
}

tarei_trt_text tarei_trt_trim(tarei_trt_text t) {
  while (t.n && isspace((unsigned char)t.at[0])) {
    t = (tarei_trt_text){t.at + 1, t.n - 1};
  }
  while (t.n && isspace((unsigned char)t.at[t.n - 1])) {
    t.n--;
  }
  return t;
}

bool tarei_trt_split(const tarei_trt_text line, tarei_trt_text *const name,
                     tarei_trt_text *const value) {
  const char *const colon = line.n ? memrchr(line.at, ':', line.n) : NULL;
  if (!colon || colon == line.at) {
    return false;
  }
  *name = (tarei_trt_text){line.at, (size_t)(colon - line.at)};
  *value = tarei_trt_trim((tarei_trt_text){colon + 1, line.n - name->n - 1});
  return true;
}

bool tarei_trt_hex(const tarei_trt_text value, uint32_t *const bits) {
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
  tarei_trt_cursor c = tarei_trt_lines(source);
  int n = 0, swapped = 0;
  tarei_trt_text line, name, value;
  while (tarei_trt_next(&c, &line)) {
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

tare_status tarei_trt_fail(const tarei_source *const source, const int line,
                           const tarei_trt_text text, const char *const rule,
                           tare_error *const err) {
  const int shown = text.n < 80 ? (int)text.n : 80;
  return tarei_fail(err, TARE_E_INPUT, "%s line %d: '%.*s' %s", source->name, line, shown, text.at,
                    rule);
}

/* Versions like "8XXX" stand in real files. */
tare_status tarei_trt_header(const tarei_source *const source, const tarei_trt_text line,
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
  return tarei_trt_fail(source, 1, line,
                        "must be TRT-<version>-<algorithm>, the algorithm one of "
                        "EntropyCalibration2, MinMaxCalibration, EntropyCalibration, "
                        "LegacyCalibration",
                        err);
}
