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
#include "base/str.h"
#include "graph/table/formats/format.h"
#include "graph/table/formats/trt_template.h"
#include "graph/table/formats/trt_text.h"

static bool looks_decimal(const tarei_span value) {
  return value.n > 0 && memchr(value.at, '.', value.n) != NULL;
}

static tare_status parse_scale(const tarei_source *const source, const int line,
                               const tarei_span value, float *const scale, tare_error *const err) {
  uint32_t bits;
  if (!tarei_trt_hex(value, &bits)) {
    return tarei_line_fail(
        source, line, value,
        looks_decimal(value)
            ? "is a decimal number: expected 8 hexadecimal digits, the bits of a float32"
            : "must be 8 hexadecimal digits, the bits of a float32",
        err);
  }
  *scale = tarei_bits_to_float(bits);
  const char *const rule = isnan(*scale)       ? "is not a number; a scale must be positive"
                           : *scale == 0       ? "is zero; a scale must be positive"
                           : *scale < 0        ? "is negative; a scale must be positive"
                           : isinf(*scale)     ? "is infinite; a scale must be finite"
                           : !isnormal(*scale) ? "is denormal; a scale must be a normal float"
                           : isinf((float)tarei_table_in_float((double)*scale * 127))
                               ? "times 127 exceeds float32"
                               : NULL;
  return rule ? tarei_line_fail(source, line, value, rule, err) : TARE_OK;
}

static tare_status format_trt_entry(const tarei_source *const source, const int number,
                                    const tarei_span line, tare_table *const table,
                                    tare_error *const err) {
  tarei_span name, value;
  if (!tarei_trt_split(line, &name, &value)) {
    return tarei_line_fail(source, number, line, "must be '<tensor>: <8 hexadecimal digits>'", err);
  }
  if (memchr(name.at, '\0', name.n)) {
    return tarei_line_fail(source, number, line, "holds a NUL byte", err);
  }
  float scale = 0;
  TAREI_TRY(parse_scale(source, number, value, &scale, err));
  char *const copy = tarei_strndup(name.at, name.n);
  if (!copy) {
    return tarei_fail_memory(err, "a tensor name", name.n + 1);
  }
  const tarei_cell cell = tarei_cell_unknown(tarei_table_in_float((double)scale * 127));
  const tare_status status = tarei_table_add_tensor(table, copy, NULL, &cell, err);
  free(copy);
  return status;
}

static tare_status read_entries(const tarei_source *const source, tarei_lines c,
                                tare_table *const table, tare_error *const err) {
  TAREI_TRY(tarei_trt_check_order(source, err));
  tarei_span line;
  while (tarei_lines_next(&c, &line)) {
    if (tarei_span_trim(line).n) {
      TAREI_TRY(format_trt_entry(source, c.line, line, table, err));
    }
  }
  if (table->n_tensors == 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s: no scales in this file", source->name);
  }
  return tarei_table_finish(table, source->name, err);
}

/* Whether n characters can be a version, as in "8205" or "8XXX". */
static bool format_trt_is_version(const char *const text, const size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!isalnum((unsigned char)text[i]) && text[i] != '.') {
      return false;
    }
  }
  return n > 0 && n < 32;
}

static tare_status keep_version(const tarei_span header, tare_table *const table,
                                tare_error *const err) {
  const char *const at = header.at + strlen("TRT-");
  const int n = (int)strcspn(at, "-");
  char json[40];
  if (!format_trt_is_version(at, (size_t)n)) {
    return TARE_OK;
  }
  (void)snprintf(json, sizeof json, "\"%.*s\"", n, at);
  return tarei_extras_add(&table->extras, TAREI_KEPT_VERSION, json, err);
}

/* The version that was kept, which is between quotes; n is 0 without one. */
static tarei_span kept_version(const tare_table *const table) {
  const char *const json = tarei_extras_find(&table->extras, TAREI_KEPT_VERSION);
  const size_t n = json ? strlen(json) : 0;
  const bool ok = n > 2 && json[0] == '"' && format_trt_is_version(json + 1, n - 2);
  return ok ? (tarei_span){json + 1, n - 2} : (tarei_span){"", 0};
}

static tare_status format_trt_read(const tarei_source *const source, tare_table **const out,
                                   tare_error *const err) {
  tarei_lines c = tarei_lines_of(source->data, source->size);
  tarei_span line = {0};
  int algorithm = 0;
  (void)tarei_lines_next(&c, &line); /* there is one: the file was recognized by it */
  TAREI_TRY(tarei_trt_header(source, tarei_span_trim(line), &algorithm, err));
  TAREI_TRY(tarei_table_new(tarei_trt_algorithms[algorithm], 1, out, err));
  TAREI_TRY(keep_version(tarei_span_trim(line), *out, err));
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

enum { OPTION_VERSION, OPTION_ALGORITHM, OPTION_TEMPLATE, N_OPTIONS };

static const tare_table_option OPTIONS[N_OPTIONS] = {
    [OPTION_VERSION] = {.name = "trt-version",
                        .value = "V",
                        .summary = "TensorRT version, e.g. 10.3.0",
                        .normal = "10.16.2" /* nothing newer reads caches */},
    [OPTION_ALGORITHM] =
        {.name = "algo-header",
         .value = "A",
         .summary = "algorithm in the header, for any method",
         .normal = "EntropyCalibration2",
         .remark = "the header says EntropyCalibration2, which trtexec accepts for any method"},
    [OPTION_TEMPLATE] = {.name = "template",
                         .value = "CACHE",
                         .summary = "cache whose header, order and other lines are taken over",
                         .merges = true}};

static tare_status format_trt_check(const int option, const char *const value,
                                    tare_error *const err) {
  int64_t number = 0;
  int algorithm = 0;
  if (option == OPTION_TEMPLATE) {
    return tarei_trt_algorithm_of(value)
               ? TARE_OK
               : tarei_fail(err, TARE_E_USAGE, "expected a TensorRT cache, got '%s'", value);
  }
  if (option == OPTION_ALGORITHM) {
    return tarei_pick("algorithm", value, tarei_trt_algorithms, tarei_trt_n_algorithms(),
                      &algorithm, err);
  }
  return read_version(value, &number)
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "expected a TensorRT version, e.g. 10.3.0 or 100300, got '%s'", value);
}

static bool knows_algorithm(const char *const name) {
  for (int i = 0; i < tarei_trt_n_algorithms(); i++) {
    if (strcmp(tarei_trt_algorithms[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* A table that was read from a cache is written with its header. */
static bool format_trt_keeps(const tare_table *const table, const int option) {
  return option != OPTION_TEMPLATE && kept_version(table).n > 0 && knows_algorithm(table->method);
}

static const char *format_trt_algorithm(const tare_table *const table,
                                        const char *const *const values) {
  return values[OPTION_ALGORITHM]                    ? values[OPTION_ALGORITHM]
         : format_trt_keeps(table, OPTION_ALGORITHM) ? table->method
                                                     : OPTIONS[OPTION_ALGORITHM].normal;
}

static void format_trt_put_header(tarei_str *const lines, const tare_table *const table,
                                  const char *const *const values) {
  const tarei_span kept = kept_version(table);
  const bool keeps = !values[OPTION_VERSION] && format_trt_keeps(table, OPTION_VERSION);
  int64_t version = 0;
  (void)read_version(
      values[OPTION_VERSION] ? values[OPTION_VERSION] : OPTIONS[OPTION_VERSION].normal,
      &version); /* checked before */
  if (keeps) {
    tarei_str_add(lines, "TRT-%.*s", (int)kept.n, kept.at);
  } else {
    tarei_str_add(lines, "TRT-%" PRId64, version);
  }
  tarei_str_add(lines, "-%s\n", format_trt_algorithm(table, values));
}

static tare_status format_trt_put(tarei_str *const lines, const tarei_table_tensor *const tensor,
                                  const int column, tare_error *const err) {
  (void)err;
  if (tarei_trt_is_live(tensor, column)) {
    tarei_trt_put_line(lines, tensor, column, "\n");
  }
  return TARE_OK;
}

static tare_status format_trt_put_all(tarei_str *const lines, const tare_table *const table,
                                      const tarei_table_job *const job, tare_error *const err) {
  format_trt_put_header(lines, table, job->values);
  return tarei_table_put_all(table, job->column, "", format_trt_put, lines, err);
}

/* A template keeps its header, but for the parts that are given. */
static tare_status format_trt_put_merged(tarei_str *const lines, const tare_table *const table,
                                         const tarei_table_job *const job, tare_error *const err) {
  tarei_trt_template template = {.file = job->values[OPTION_TEMPLATE],
                                 .algorithm = job->values[OPTION_ALGORITHM]};
  if (job->values[OPTION_VERSION]) {
    (void)read_version(job->values[OPTION_VERSION], &template.version); /* checked before */
  }
  TAREI_TRY(tarei_trt_merge(&template, table, job->column, lines, err));
  if (job->merged) {
    *job->merged = template.merged;
  }
  return TARE_OK;
}

static tare_status write_lines(const tare_table *const table, const tarei_table_job *const job,
                               tarei_str *const lines, tare_error *const err) {
  for (int i = 0; i < table->n_tensors; i++) {
    if (strpbrk(table->tensors[i].name, "\r\n")) {
      return tarei_fail(
          err, TARE_E_UNSUPPORTED,
          "the name of tensor %d contains a line break, which TensorRT's cache cannot represent",
          i);
    }
  }
  if (job->values[OPTION_TEMPLATE]) {
    return format_trt_put_merged(lines, table, job, err);
  }
  return format_trt_put_all(lines, table, job, err);
}

static tare_status format_trt_write(const tare_table *const table, const tarei_table_job *const job,
                                    tare_error *const err) {
  tarei_str lines = {0};
  const tare_status status = write_lines(table, job, &lines, err);
  return tarei_table_save_text(status, &lines, job->path, err);
}

/* Names and scales apart, a file has the algorithm that its header says. */
static bool format_trt_holds(const tare_table *const table, const tarei_table_part part,
                             const char *const *const values) {
  const char *algorithm = format_trt_algorithm(table, values);
  if (values[OPTION_TEMPLATE] && !values[OPTION_ALGORITHM]) {
    algorithm = tarei_trt_algorithm_of(values[OPTION_TEMPLATE]);
  }
  return part == TAREI_TABLE_METHOD && table->parameters.n == 0 && algorithm &&
         strcmp(table->method, algorithm) == 0;
}

tare_status tare_table_write_trt(const tare_table *const table,
                                 const tare_trt_options *const options, const char *const path,
                                 tare_error *const err) {
  const tare_trt_options o = options ? *options : (tare_trt_options){0};
  const char *const given[N_OPTIONS] = {
      [OPTION_VERSION] = o.version, [OPTION_ALGORITHM] = o.algorithm};
  tare_table_setting settings[N_OPTIONS];
  int n = 0;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_trt_options, options, err));
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
                                                   .keeps = format_trt_keeps,
                                                   .holds = format_trt_holds,
                                                   .write = format_trt_write};
