/* Writes TensorRT's calibration cache: a header line, then "name: %08x" of each scale's bits. */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "base/outfile.h"
#include "base/str.h"
#include "graph/table/table.h"

#define TRT_VERSION "101602" /* 10.16.2: nothing newer reads caches */

static const char *const algorithms[] = {"EntropyCalibration2", "MinMaxCalibration",
                                         "EntropyCalibration", "LegacyCalibration"};

int tarei_trt_algorithms(const char *const **const names) {
  *names = algorithms;
  return (int)(sizeof algorithms / sizeof *algorithms);
}

static tare_status table_trt_write_check_options(const tare_table *const table,
                                                 const tare_trt_options *const options,
                                                 tare_error *const err) {
  const char *const version = options->version;
  if (!*version || strspn(version, "0123456789") != strlen(version)) {
    return tarei_fail(err, TARE_E_USAGE,
                      "TensorRT version '%s' must be digits as they stand behind 'TRT-', e.g. %s",
                      version, TRT_VERSION);
  }
  int algorithm = 0;
  TARE_TRY(tarei_pick("TensorRT calibration algorithm", options->algorithm, algorithms,
                      (int)(sizeof algorithms / sizeof *algorithms), &algorithm, err));
  if (table->n_columns > 1 && (options->profile < 0 || options->profile >= table->n_columns)) {
    return tarei_fail(err, TARE_E_USAGE, "profile %d is not in the table, which has profiles 0..%d",
                      options->profile, table->n_columns - 1);
  }
  return TARE_OK;
}

static tare_status write_lines(const tare_table *const table, const int column,
                               tarei_str *const lines, tare_error *const err) {
  for (int i = 0; i < table->n_tensors; i++) {
    const tarei_table_tensor *const tensor = &table->tensors[i];
    if (tensor->cells[column].amax < tarei_table_least_amax()) {
      continue; /* a scale of zero stops TensorRT's builder */
    }
    if (strpbrk(tensor->name, "\r\n")) {
      return tarei_fail(err, TARE_E_UNSUPPORTED,
                        "the name of tensor %d holds a line break, which TensorRT's cache cannot "
                        "hold",
                        i);
    }
    const float scale = (float)(tensor->cells[column].amax / 127);
    tarei_str_add(lines, "%s: %08x\n", tensor->name, tarei_float_to_bits(scale));
  }
  return TARE_OK;
}

tare_status tare_table_write_trt(const tare_table *const table,
                                 const tare_trt_options *const options, const char *const path,
                                 tare_error *const err) {
  tare_trt_options o = options ? *options : (tare_trt_options){0};
  o.version = o.version ? o.version : TRT_VERSION;
  o.algorithm = o.algorithm ? o.algorithm : algorithms[0];
  TARE_TRY(table_trt_write_check_options(table, &o, err));
  tarei_str lines = {0};
  tarei_str_add(&lines, "TRT-%s-%s\n", o.version, o.algorithm);
  tare_status status = write_lines(table, table->n_columns > 1 ? o.profile : 0, &lines, err);
  if (status == TARE_OK) {
    status = lines.failed ? tarei_fail_memory(err, path, lines.length)
                          : tarei_outfile_save(path, lines.text, lines.length, err);
  }
  tarei_str_free(&lines);
  return status;
}
