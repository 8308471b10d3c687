/*
 * TensorRT's calibration cache: a header line, then "name: %08x" of each scale's bits. Names may
 * hold colons and spaces, so that a line is split at its last colon.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/str.h"
#include "graph/table/format.h"

static const char *const ALGORITHMS[] = {"EntropyCalibration2", "MinMaxCalibration",
                                         "EntropyCalibration", "LegacyCalibration"};
enum { N_ALGORITHMS = sizeof ALGORITHMS / sizeof *ALGORITHMS };

typedef struct format_trt_text {
  const char *at;
  size_t n;
} format_trt_text;

typedef struct cursor {
  const char *at, *end;
  int line; /* number of the line taken last */
} cursor;

/* Takes a line without its end (LF or CR LF); false at the end of the file. */
static bool next_line(cursor *const c, format_trt_text *const line) {
  if (c->at == c->end) {
    return false;
  }
  const char *const feed = memchr(c->at, '\n', (size_t)(c->end - c->at));
  const char *const end = feed ? feed : c->end;
  *line = (format_trt_text){c->at, (size_t)(end - c->at)};
  while (line->n && line->at[line->n - 1] == '\r') {
    line->n--;
  }
  c->at = feed ? feed + 1 : c->end;
  c->line++;
  return true;
}

static format_trt_text format_trt_trim(format_trt_text t) {
  while (t.n && isspace((unsigned char)t.at[0])) {
    t = (format_trt_text){t.at + 1, t.n - 1};
  }
  while (t.n && isspace((unsigned char)t.at[t.n - 1])) {
    t.n--;
  }
  return t;
}

static bool format_trt_split(const format_trt_text line, format_trt_text *const name,
                             format_trt_text *const value) {
  const char *const colon = memrchr(line.at, ':', line.n);
  if (!colon || colon == line.at) {
    return false;
  }
  *name = (format_trt_text){line.at, (size_t)(colon - line.at)};
  *value = format_trt_trim((format_trt_text){colon + 1, line.n - name->n - 1});
  return true;
}

static bool parse_hex(const format_trt_text value, uint32_t *const bits) {
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
  format_trt_text line, name, value;
  while (next_line(&c, &line)) {
    uint32_t bits;
    if (format_trt_split(line, &name, &value) && parse_hex(value, &bits)) {
      n++;
      swapped += !is_plausible(bits) && is_plausible(__builtin_bswap32(bits));
    }
  }
  return swapped * 2 > n;
}

static tare_status fail_line(const tarei_source *const source, const int line,
                             const format_trt_text t, const char *const rule,
                             tare_error *const err) {
  const int shown = t.n < 80 ? (int)t.n : 80;
  return tarei_fail(err, TARE_E_INPUT, "%s line %d: '%.*s' %s", source->name, line, shown, t.at,
                    rule);
}

static bool looks_decimal(const format_trt_text value) {
  return value.n > 0 && memchr(value.at, '.', value.n) != NULL;
}

static tare_status parse_scale(const tarei_source *const source, const int line,
                               const format_trt_text value, float *const scale,
                               tare_error *const err) {
  uint32_t bits;
  if (!parse_hex(value, &bits)) {
    return fail_line(
        source, line, value,
        looks_decimal(value)
            ? "is a decimal number: expected 8 hexadecimal digits, the bits of a float32"
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

static tare_status format_trt_entry(const tarei_source *const source, const int number,
                                    const format_trt_text line, tare_table *const table,
                                    tare_error *const err) {
  format_trt_text name, value;
  if (!format_trt_split(line, &name, &value)) {
    return fail_line(source, number, line, "must be '<tensor>: <8 hexadecimal digits>'", err);
  }
  if (memchr(name.at, '\0', name.n)) {
    return fail_line(source, number, line, "holds a NUL byte", err);
  }
  float scale = 0;
  TAREI_TRY(parse_scale(source, number, value, &scale, err));
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
static tare_status format_trt_header(const tarei_source *const source, const format_trt_text line,
                                     tare_table **const out, tare_error *const err) {
  const char *const dash = line.n > 4 ? memchr(line.at + 4, '-', line.n - 4) : NULL;
  for (int i = 0; dash && dash > line.at + 4 && i < N_ALGORITHMS; i++) {
    const size_t length = (size_t)(line.at + line.n - dash - 1);
    if (strlen(ALGORITHMS[i]) == length && memcmp(ALGORITHMS[i], dash + 1, length) == 0) {
      return tarei_table_new(ALGORITHMS[i], 1, out, err);
    }
  }
  return fail_line(source, 1, line,
                   "must be TRT-<version>-<algorithm>, the algorithm one of EntropyCalibration2, "
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
  format_trt_text line;
  while (next_line(&c, &line)) {
    if (format_trt_trim(line).n) {
      TAREI_TRY(format_trt_entry(source, c.line, line, table, err));
    }
  }
  if (table->n_tensors == 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s: no scales in this file", source->name);
  }
  return tarei_table_finish(table, source->name, err);
}

static tare_status format_trt_read(const tarei_source *const source, tare_table **const out,
                                   tare_error *const err) {
  cursor c = {(const char *)source->data, (const char *)source->data + source->size, 0};
  format_trt_text line = {0};
  (void)next_line(&c, &line); /* there is one: the file was recognized by it */
  TAREI_TRY(format_trt_header(source, format_trt_trim(line), out, err));
  return read_entries(source, c, *out, err);
}

/* "10.3.0" and "10.3" as TensorRT's number 100300, "8.6.1" as 8601; a number of four digits or more
 * is one already. False for what is neither. */
static bool read_version(const char *const text, int64_t *const number) {
  int64_t parts[3] = {0};
  int n = 0;
  const char *at = text;
  for (bool more = true; more && n < 3; n++) {
    const size_t length = strspn(at, "0123456789");
    if (length == 0 || length > 9) {
      return false;
    }
    parts[n] = strtoll(at, NULL, 10);
    more = at[length] == '.';
    at += length + more;
  }
  const int64_t step = parts[0] >= 10 ? 10000 : 1000;
  const bool whole = n == 1 && parts[0] >= 1000;
  *number = whole ? parts[0] : parts[0] * step + parts[1] * 100 + parts[2];
  return !*at && at[-1] != '.' &&
         (whole || (parts[0] >= 1 && parts[0] < 100 && parts[1] < 100 && parts[2] < 100));
}

enum { OPTION_VERSION, OPTION_ALGORITHM, N_OPTIONS };

static const tare_table_option OPTIONS[N_OPTIONS] = {
    [OPTION_VERSION] = {.name = "trt-version",
                        .value = "V",
                        .summary = "TensorRT version, e.g. 10.3.0",
                        .normal = "10.16.2" /* nothing newer reads caches */},
    [OPTION_ALGORITHM] = {
        .name = "algo-header",
        .value = "A",
        .summary = "algorithm in the header, for any method",
        .normal = "EntropyCalibration2",
        .remark = "the header says EntropyCalibration2, which trtexec accepts for any method"}};

static tare_status format_trt_check(const int option, const char *const value,
                                    tare_error *const err) {
  int64_t number = 0;
  int algorithm = 0;
  if (option == OPTION_ALGORITHM) {
    return tarei_pick("algorithm", value, ALGORITHMS, N_ALGORITHMS, &algorithm, err);
  }
  return read_version(value, &number)
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "expected a TensorRT version, e.g. 10.3.0 or 100300, got '%s'", value);
}

static tare_status write_lines(const tare_table *const table, const int column,
                               tarei_str *const lines, tare_error *const err) {
  for (int i = 0; i < table->n_tensors; i++) {
    const tarei_table_tensor *const tensor = &table->tensors[i];
    if (tensor->cells[column].amax < tarei_table_least_amax()) {
      continue; /* a scale of zero stops TensorRT's builder */
    }
    if (strpbrk(tensor->name, "\r\n")) {
      return tarei_fail(
          err, TARE_E_UNSUPPORTED,
          "the name of tensor %d contains a line break, which TensorRT's cache cannot represent",
          i);
    }
    const float scale = (float)(tensor->cells[column].amax / 127);
    tarei_str_add(lines, "%s: %08x\n", tensor->name, tarei_float_to_bits(scale));
  }
  return TARE_OK;
}

static const char *format_trt_value(const char *const *const values, const int option) {
  return values[option] ? values[option] : OPTIONS[option].normal;
}

static tare_status format_trt_write(const tare_table *const table, const int column,
                                    const char *const *const values, const char *const path,
                                    tare_error *const err) {
  int64_t version = 0;
  (void)read_version(format_trt_value(values, OPTION_VERSION), &version); /* checked before */
  tarei_str lines = {0};
  tarei_str_add(&lines, "TRT-%" PRId64 "-%s\n", version,
                format_trt_value(values, OPTION_ALGORITHM));
  tare_status status = write_lines(table, column, &lines, err);
  if (status == TARE_OK) {
    status = lines.failed ? tarei_fail_memory(err, path, lines.length)
                          : tarei_outfile_save(path, lines.text, lines.length, err);
  }
  tarei_str_free(&lines);
  return status;
}

/* Names and scales apart, a file has the algorithm that its header says. */
static bool format_trt_holds(const tare_table *const table, const tarei_table_part part,
                             const char *const *const values) {
  return part == TAREI_TABLE_METHOD && table->parameters.n == 0 &&
         strcmp(table->method, format_trt_value(values, OPTION_ALGORITHM)) == 0;
}

tare_status tare_table_write_trt(const tare_table *const table,
                                 const tare_trt_options *const options, const char *const path,
                                 tare_error *const err) {
  const tare_trt_options o = options ? *options : (tare_trt_options){0};
  const char *const given[N_OPTIONS] = {
      [OPTION_VERSION] = o.version, [OPTION_ALGORITHM] = o.algorithm};
  tare_table_setting settings[N_OPTIONS];
  int n = 0;
  for (int i = 0; i < N_OPTIONS; i++) {
    if (given[i]) {
      settings[n++] = (tare_table_setting){OPTIONS[i].name, given[i]};
    }
  }
  const tare_table_write_options write = {
      .profile = o.profile, .settings = settings, .n_settings = n};
  return tarei_table_write_as(table, &tarei_table_format_trt, &write, path, err);
}

static bool format_trt_recognizes(const uint8_t *const data, const size_t n) {
  return n >= 4 && memcmp(data, "TRT-", 4) == 0;
}

const tarei_table_format tarei_table_format_trt = {.about = {.name = "trt",
                                                             .noun = "a TensorRT cache",
                                                             .extension = ".cache",
                                                             .engine = "TensorRT",
                                                             .options = OPTIONS,
                                                             .n_options = N_OPTIONS},
                                                   .mark = "first line 'TRT-...'",
                                                   .recognizes = format_trt_recognizes,
                                                   .read = format_trt_read,
                                                   .check = format_trt_check,
                                                   .holds = format_trt_holds,
                                                   .write = format_trt_write};
