/* The text that ONNX Runtime's tools write beside their other tables, calibration.cache: "tensor
 * threshold" in each line. Names may hold spaces, so that a line is split at its last one. */
#include <stdlib.h>
#include <string.h>

#include "graph/table/formats/format.h"
#include "graph/table/formats/json_source.h"
#include "graph/table/formats/number_lines.h"
#include "graph/table/formats/threshold_text.h"

static bool format_ort_text_recognizes(const uint8_t *const data, const size_t n) {
  return tarei_number_lines_of(data, n) == TAREI_LINES_THRESHOLDS;
}

static tare_status ort_text_add(const tarei_source *const source, const char *const name,
                                const char *const value, tare_table *const table,
                                tare_error *const err) {
  double amax = 0;
  TAREI_TRY(tarei_threshold_read(source, name, value, &amax, err));
  const tarei_cell cell = tarei_cell_unknown(amax);
  return tarei_table_add_tensor(table, name, NULL, &cell, err);
}

static tare_status ort_text_line(const tarei_source *const source, const int number,
                                 const tarei_span line, tare_table *const table,
                                 tare_error *const err) {
  tarei_span name, value;
  if (!tarei_line_split_last(line, &name, &value)) {
    return tarei_line_fail(source, number, line, "must be '<tensor> <threshold>'", err);
  }
  if (memchr(line.at, '\0', line.n)) {
    return tarei_line_fail(source, number, line, "holds a NUL byte", err);
  }
  char *tensor = NULL, *text = NULL;
  tare_status status = tarei_span_copy(name, &tensor, err);
  if (status == TARE_OK) {
    status = tarei_span_copy(value, &text, err);
  }
  if (status == TARE_OK) {
    status = ort_text_add(source, tensor, text, table, err);
  }
  free(tensor);
  free(text);
  return status;
}

static tare_status format_ort_text_read(const tarei_source *const source, tare_table **const out,
                                        tare_error *const err) {
  tarei_lines lines = tarei_lines_of(source->data, source->size);
  tarei_span line;
  TAREI_TRY(tarei_table_new("", 1, out, err));
  while (tarei_lines_next(&lines, &line)) {
    if (tarei_span_trim(line).n) {
      TAREI_TRY(ort_text_line(source, lines.line, line, *out, err));
    }
  }
  return tarei_table_finish(*out, source->name, err);
}

static tare_status ort_text_put(tarei_str *const lines, const tarei_table_tensor *const tensor,
                                const int column, tare_error *const err) {
  if (strpbrk(tensor->name, "\r\n")) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "the name of tensor %d contains a line break, which a text table cannot "
                      "represent",
                      tensor->place);
  }
  const double amax = tensor->cells[column].amax;
  tarei_str_add(lines, "%s ", tensor->name);
  tarei_python_number(lines, amax < tarei_table_least_amax() ? 0 : amax);
  tarei_str_add(lines, "\n");
  return TARE_OK;
}

static tare_status format_ort_text_write(const tare_table *const table,
                                         const tarei_table_job *const job, tare_error *const err) {
  tarei_str lines = {0};
  const tare_status status = tarei_table_put_all(table, job->column, "", ort_text_put, &lines, err);
  return tarei_table_save_text(status, &lines, job->path, err);
}

static bool format_ort_text_holds(const tare_table *const table, const tarei_table_part part,
                                  const char *const *const values) {
  (void)table;
  (void)values;
  return part == TAREI_TABLE_DEAD; /* as 0.0 */
}

const tarei_table_format tarei_table_format_ort_text = {
    .about = {.name = "ort-text",
              .noun = "an ONNX Runtime text table",
              .extension = ".ort.cache",
              .engine = "ONNX Runtime"},
    .mark = "lines '<tensor> <threshold>'",
    .recognizes = format_ort_text_recognizes,
    .read = format_ort_text_read,
    .holds = format_ort_text_holds,
    .write = format_ort_text_write};
