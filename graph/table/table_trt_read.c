/* Reads TensorRT's calibration cache. Names may hold colons and spaces, so that a line is split at
 * its last colon. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "base/str.h"
#include "graph/table/table.h"

typedef struct table_trt_read_text {
  const char *at;
  size_t n;
} table_trt_read_text;

typedef struct cursor {
  const char *at, *end;
  int line; /* number of the line taken last */
} cursor;

/* Takes a line without its end (LF or CR LF); false at the end of the file. */
static bool next_line(cursor *const c, table_trt_read_text *const line) {
  if (c->at == c->end) {
    return false;
  }
  const char *const feed = memchr(c->at, '\n', (size_t)(c->end - c->at));
  const char *const end = feed ? feed : c->end;
  *line = (table_trt_read_text){c->at, (size_t)(end - c->at)};
  while (line->n && line->at[line->n - 1] == '\r') {
    line->n--;
  }
  c->at = feed ? feed + 1 : c->end;
  c->line++;
  return true;
}

static table_trt_read_text table_trt_read_trim(table_trt_read_text t) {
  while (t.n && isspace((unsigned char)t.at[0])) {
    t = (table_trt_read_text){t.at + 1, t.n - 1};
  }
  while (t.n && isspace((unsigned char)t.at[t.n - 1])) {
    t.n--;
  }
  return t;
}

static bool table_trt_read_split(const table_trt_read_text line, table_trt_read_text *const name,
                                 table_trt_read_text *const value) {
  const char *const colon = memrchr(line.at, ':', line.n);
  if (!colon || colon == line.at) {
    return false;
  }
  *name = (table_trt_read_text){line.at, (size_t)(colon - line.at)};
  *value = table_trt_read_trim((table_trt_read_text){colon + 1, line.n - name->n - 1});
  return true;
}

static bool parse_hex(const table_trt_read_text value, uint32_t *const bits) {
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

static bool is_plausible(const uint32_t bits) {
  const float scale = tarei_bits_to_float(bits);
  return scale > 1e-9f && scale < 1e9f;
}

/* Some writers store the bytes in the machine's order: most scales are absurd as they stand and
 * sensible when turned round. */
static bool looks_swapped(cursor c) {
  int n = 0, swapped = 0;
  table_trt_read_text line, name, value;
  while (next_line(&c, &line)) {
    uint32_t bits;
    if (table_trt_read_split(line, &name, &value) && parse_hex(value, &bits)) {
      n++;
      swapped += !is_plausible(bits) && is_plausible(__builtin_bswap32(bits));
    }
  }
  return swapped * 2 > n;
}

static tare_status fail_line(const tarei_source *const source, const int line,
                             const table_trt_read_text t, const char *const rule,
                             tare_error *const err) {
  const int shown = t.n < 80 ? (int)t.n : 80;
  return tarei_fail(err, TARE_E_INPUT, "%s line %d: '%.*s' %s", source->name, line, shown, t.at,
                    rule);
}

static bool looks_decimal(const table_trt_read_text value) {
  return value.n > 0 && memchr(value.at, '.', value.n) != NULL;
}

static tare_status parse_scale(const tarei_source *const source, const int line,
                               const table_trt_read_text value, float *const scale,
                               tare_error *const err) {
  uint32_t bits;
  if (!parse_hex(value, &bits)) {
    return fail_line(source, line, value,
                     looks_decimal(value)
                         ? "is a decimal number; TensorRT's cache holds 8 hexadecimal digits, the "
                           "bits of a float32"
                         : "must be 8 hexadecimal digits, the bits of a float32",
                     err);
  }
  *scale = tarei_bits_to_float(bits);
  const char *const rule = isnan(*scale)         ? "is not a number; a scale must be positive"
                           : *scale == 0         ? "is zero; a scale must be positive"
                           : *scale < 0          ? "is negative; a scale must be positive"
                           : isinf(*scale)       ? "is infinite; a scale must be finite"
                           : !isnormal(*scale)   ? "is denormal; a scale must be a normal float"
                           : isinf(*scale * 127) ? "times 127 exceeds float32"
                                                 : NULL;
  return rule ? fail_line(source, line, value, rule, err) : TARE_OK;
}

static tare_status table_trt_read_entry(const tarei_source *const source, const int number,
                                        const table_trt_read_text line, tare_table *const table,
                                        tare_error *const err) {
  table_trt_read_text name, value;
  if (!table_trt_read_split(line, &name, &value)) {
    return fail_line(source, number, line, "must be '<tensor>: <8 hexadecimal digits>'", err);
  }
  if (memchr(name.at, '\0', name.n)) {
    return fail_line(source, number, line, "holds a zero byte", err);
  }
  float scale = 0;
  TARE_TRY(parse_scale(source, number, value, &scale, err));
  char *const copy = tarei_strndup(name.at, name.n);
  if (!copy) {
    return tarei_fail_memory(err, "a tensor name", name.n + 1);
  }
  const tarei_cell cell = tarei_cell_unknown((double)scale * 127);
  const tare_status status = tarei_table_add_tensor(table, copy, NULL, &cell, err);
  free(copy);
  return status;
}

/* "TRT-<version>-<algorithm>"; versions like "8XXX" stand in real files. */
static tare_status table_trt_read_header(const tarei_source *const source,
                                         const table_trt_read_text line, tare_table **const out,
                                         tare_error *const err) {
  const char *const *names = NULL;
  const int n = tarei_trt_algorithms(&names);
  const char *const dash = line.n > 4 ? memchr(line.at + 4, '-', line.n - 4) : NULL;
  for (int i = 0; dash && dash > line.at + 4 && i < n; i++) {
    const size_t length = (size_t)(line.at + line.n - dash - 1);
    if (strlen(names[i]) == length && memcmp(names[i], dash + 1, length) == 0) {
      return tarei_table_new(names[i], 1, out, err);
    }
  }
  return fail_line(source, 1, line,
                   "must be TRT-<version>-<algorithm> with one of EntropyCalibration2, "
                   "MinMaxCalibration, EntropyCalibration, LegacyCalibration",
                   err);
}

static tare_status read_entries(const tarei_source *const source, cursor c, tare_table *const table,
                                tare_error *const err) {
  if (looks_swapped(c)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: the scales look byte-swapped; TensorRT writes the most significant byte "
                      "first",
                      source->name);
  }
  table_trt_read_text line;
  while (next_line(&c, &line)) {
    if (table_trt_read_trim(line).n) {
      TARE_TRY(table_trt_read_entry(source, c.line, line, table, err));
    }
  }
  if (table->n_tensors == 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s holds no scales", source->name);
  }
  return tarei_table_finish(table, source->name, err);
}

tare_status tarei_table_read_trt(const tarei_source *const source, tare_table **const out,
                                 tare_error *const err) {
  cursor c = {(const char *)source->data, (const char *)source->data + source->size, 0};
  table_trt_read_text line = {0};
  if (!next_line(&c, &line)) {
    return tarei_fail(err, TARE_E_INPUT, "%s is empty", source->name);
  }
  TARE_TRY(table_trt_read_header(source, table_trt_read_trim(line), out, err));
  const tare_status status = read_entries(source, c, *out, err);
  if (status != TARE_OK) {
    tare_table_free(out);
  }
  return status;
}
