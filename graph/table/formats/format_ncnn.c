/*
 * ncnn's calibration table: "<layer>_param_<n> <scale> ..." are scales of weights, "<layer>
 * <scale>" is the scale of the layer's input, 127 / threshold; lines with '#' are comments. What is
 * read stays as the member "ncnn" of the table, so that it can be written again to the byte.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/table/formats/format.h"
#include "graph/table/formats/json_source.h"
#include "graph/table/formats/ncnn_layers.h"
#include "graph/table/formats/number_lines.h"
#include "graph/table/formats/threshold_text.h"

static bool format_ncnn_recognizes(const uint8_t *const data, const size_t n) {
  return tarei_number_lines_of(data, n) == TAREI_LINES_SCALES;
}

typedef enum ncnn_kind { NCNN_COMMENT, NCNN_WEIGHTS, NCNN_SCALE } ncnn_kind;

typedef struct ncnn_line {
  ncnn_kind kind;
  tarei_span name, value; /* value: of a scale, as text */
  double amax;            /* of a scale; 0 for a dead tensor */
} ncnn_line;

typedef struct ncnn_reader {
  const tarei_source *source;
  tarei_lines lines;
  bool ended; /* by an empty line */
} ncnn_reader;

static tare_status ncnn_fail(const ncnn_reader *const r, const tarei_span line,
                             const char *const rule, tare_error *const err) {
  return tarei_line_fail(r->source, r->lines.line, line, rule, err);
}

/* A number that is not negative; infinite for weights or inputs that are zero. */
static bool ncnn_number(const tarei_span text, double *const value) {
  char copy[64];
  if (text.n == 0 || text.n >= sizeof copy) {
    return false;
  }
  memcpy(copy, text.at, text.n);
  copy[text.n] = '\0';
  *value = tarei_is_decimal(copy) ? strtod(copy, NULL) : NAN;
  return *value >= 0;
}

static tare_status ncnn_check_weights(const ncnn_reader *const r, tarei_span rest,
                                      tare_error *const err) {
  while (rest.n) {
    tarei_span number, behind;
    double value = 0;
    (void)tarei_line_split_first(rest, &number, &behind);
    if (!ncnn_number(number, &value)) {
      return ncnn_fail(r, number, "must be a scale of weights: a number that is not negative", err);
    }
    rest = behind;
  }
  return TARE_OK;
}

static tare_status ncnn_take_scale(const ncnn_reader *const r, const tarei_span rest,
                                   ncnn_line *const out, tare_error *const err) {
  tarei_span behind;
  double scale = 0;
  const bool many = tarei_line_split_first(rest, &out->value, &behind);
  if (many) {
    return ncnn_fail(r, rest, "must be one number, the scale of the layer's input", err);
  }
  if (!ncnn_number(out->value, &scale) || scale == 0) {
    return ncnn_fail(r, out->value, "must be a scale: a positive number", err);
  }
  out->amax = tarei_table_in_float(TAREI_NCNN_LEVELS / scale);
  if (!isfinite((float)out->amax)) {
    return ncnn_fail(r, out->value, "is too small: 127 / scale exceeds float32", err);
  }
  out->amax = out->amax < tarei_table_least_amax() ? 0 : out->amax;
  return TARE_OK;
}

/* Takes the next line that is not empty; *more is false at the end. */
static tare_status ncnn_next(ncnn_reader *const r, ncnn_line *const out, bool *const more,
                             tare_error *const err) {
  tarei_span line = {0}, rest = {0};
  while ((*more = tarei_lines_next(&r->lines, &line)) && tarei_span_trim(line).n == 0) {
    r->ended = true;
  }
  if (!*more) {
    return TARE_OK;
  }
  if (r->ended) {
    return ncnn_fail(r, line, "follows an empty line, where ncnn stops reading (remove it)", err);
  }
  *out = (ncnn_line){.kind = NCNN_COMMENT};
  if (tarei_span_trim(line).at[0] == '#') {
    return TARE_OK;
  }
  if (!tarei_line_split_first(line, &out->name, &rest)) {
    return ncnn_fail(r, line, "must be '<layer> <scale>' or '<layer>_param_<n> <scale> ...'", err);
  }
  if (out->name.n > 255) {
    return ncnn_fail(r, out->name, "is too long: ncnn reads 255 characters of a name", err);
  }
  out->kind = tarei_names_weights(out->name) ? NCNN_WEIGHTS : NCNN_SCALE;
  return out->kind == NCNN_WEIGHTS ? ncnn_check_weights(r, rest, err)
                                   : ncnn_take_scale(r, rest, out, err);
}

static tare_status ncnn_add(const ncnn_line *const line, tare_table *const table,
                            tare_error *const err) {
  char *name = NULL;
  const tarei_cell cell = tarei_cell_unknown(line->amax);
  TAREI_TRY(tarei_span_copy(line->name, &name, err));
  const tare_status status = tarei_table_add_tensor(table, name, NULL, &cell, err);
  free(name);
  return status;
}

static tare_status ncnn_read_lines(const tarei_source *const source, tare_table *const table,
                                   tare_error *const err) {
  ncnn_reader r = {source, tarei_lines_of(source->data, source->size), false};
  ncnn_line line;
  bool more = true;
  TAREI_TRY(ncnn_next(&r, &line, &more, err));
  while (more) {
    if (line.kind == NCNN_SCALE) {
      TAREI_TRY(ncnn_add(&line, table, err));
    }
    TAREI_TRY(ncnn_next(&r, &line, &more, err));
  }
  return table->n_tensors > 0
             ? tarei_table_finish(table, source->name, err)
             : tarei_fail(err, TARE_E_INPUT, "%s: no scales of inputs in this file", source->name);
}

static tare_status ncnn_keep(const tarei_source *const source, tare_table *const table,
                             tare_error *const err) {
  tarei_str json = {0};
  char *const text = tarei_strndup((const char *)source->data, source->size);
  tare_status status = TARE_OK;
  if (!text) {
    status = tarei_fail_memory(err, source->name, source->size);
  } else if (memchr(source->data, '\0', source->size)) {
    status = tarei_fail(err, TARE_E_INPUT, "%s: contains a NUL byte", source->name);
  } else if (!tarei_python_string(&json, text)) {
    status = tarei_fail(err, TARE_E_INPUT, "%s: text that is not UTF-8", source->name);
  } else {
    status = json.failed ? tarei_fail_memory(err, source->name, json.length)
                         : tarei_extras_add(&table->extras, TAREI_KEPT_NCNN, json.text, err);
  }
  free(text);
  tarei_str_free(&json);
  return status;
}

static tare_status format_ncnn_read(const tarei_source *const source, tare_table **const out,
                                    tare_error *const err) {
  TAREI_TRY(tarei_table_new("", 1, out, err));
  TAREI_TRY(ncnn_read_lines(source, *out, err));
  return ncnn_keep(source, *out, err);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void ncnn_put_part(tarei_str *const lines, const char *const from, const char *const to) {
  tarei_str_add(lines, "%.*s", (int)(to - from), from);
}

/* A line of a layer whose threshold is the one that was read stays; that of a layer that is dead
 * now is left out, so that ncnn runs it in float. */
static void ncnn_put_line(const tare_table *const table, const int column,
                          const ncnn_line *const line, const char *const from, const char *const to,
                          tarei_str *const lines) {
  char name[256];
  int tensor = -1;
  if (line->kind == NCNN_SCALE) {
    memcpy(name, line->name.at, line->name.n);
    name[line->name.n] = '\0';
    tensor = tare_table_find(table, name);
  }
  const double amax = tensor < 0 ? line->amax : table->tensors[tensor].cells[column].amax;
  if (amax == line->amax) {
    ncnn_put_part(lines, from, to);
  } else if (amax >= tarei_table_least_amax()) {
    ncnn_put_part(lines, from, line->value.at);
    tarei_ncnn_put_scale(lines, TAREI_NCNN_LEVELS / amax);
    ncnn_put_part(lines, line->value.at + line->value.n, to);
  }
}

static tare_status ncnn_put_text(const tare_table *const table, const int column,
                                 const char *const text, tarei_str *const lines,
                                 tare_error *const err) {
  tarei_source source = {0};
  TAREI_TRY(tarei_source_memory("member 'ncnn'", text, strlen(text), &source, err));
  ncnn_reader r = {&source, tarei_lines_of(source.data, source.size), false};
  ncnn_line line;
  bool more = true;
  const char *from = text;
  tare_status status = ncnn_next(&r, &line, &more, err);
  while (status == TARE_OK && more) {
    ncnn_put_line(table, column, &line, from, r.lines.at, lines);
    from = r.lines.at;
    status = ncnn_next(&r, &line, &more, err);
  }
  ncnn_put_part(lines, from, r.lines.end); /* empty lines */
  tarei_source_close(&source);
  return status;
}

static tare_status ncnn_put_kept(const tare_table *const table, const int column,
                                 tarei_str *const lines, tare_error *const err) {
  const char *const json = tarei_extras_find(&table->extras, TAREI_KEPT_NCNN);
  cJSON *const item = cJSON_Parse(json);
  const char *const text = cJSON_GetStringValue(item);
  const tare_status status =
      !item   ? tarei_fail_memory(err, "lines of a calibration table", strlen(json))
      : !text ? tarei_fail(err, TARE_E_INPUT, "member 'ncnn' of the table must be a text")
              : ncnn_put_text(table, column, text, lines, err);
  cJSON_Delete(item);
  return status;
}

static tare_status ncnn_put_all(const tare_table *const table, const tarei_table_job *const job,
                                tarei_str *const lines, tare_error *const err) {
  tare_table_layers counts = {0};
  if (tare_table_names_layers(table)) {
    return ncnn_put_kept(table, job->column, lines, err);
  }
  if (!job->model) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s: ncnn's table has scales of layers and their weights: it needs the model",
                      job->path);
  }
  TAREI_TRY(tarei_ncnn_put(table, job->column, job->model, lines, &counts, err));
  if (job->layers) {
    *job->layers = counts;
  }
  return TARE_OK;
}

static tare_status format_ncnn_write(const tare_table *const table,
                                     const tarei_table_job *const job, tare_error *const err) {
  tarei_str lines = {0};
  const tare_status status = ncnn_put_all(table, job, &lines, err);
  return tarei_table_save_text(status, &lines, job->path, err);
}

static bool format_ncnn_holds(const tare_table *const table, const tarei_table_part part,
                              const char *const *const values) {
  (void)values;
  return tare_table_names_layers(table) &&
         (part == TAREI_TABLE_DEAD || part == TAREI_TABLE_WEIGHTS);
}

const tarei_table_format tarei_table_format_ncnn = {.about = {.name = "ncnn",
                                                              .noun = "an ncnn table",
                                                              .extension = ".table",
                                                              .engine = "ncnn",
                                                              .names_layers = true},
                                                    .mark = "lines '<layer> <scale>'",
                                                    .recognizes = format_ncnn_recognizes,
                                                    .read = format_ncnn_read,
                                                    .holds = format_ncnn_holds,
                                                    .write = format_ncnn_write};
