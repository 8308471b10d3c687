#include "graph/table/formats/trt_template.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "graph/table/formats/trt_text.h"

static uint32_t trt_template_bits(const tarei_table_tensor *const tensor, const int column) {
  return tarei_float_to_bits((float)(tensor->cells[column].amax / 127));
}

bool tarei_trt_is_live(const tarei_table_tensor *const tensor, const int column) {
  return tensor->cells[column].amax >= tarei_table_least_amax();
}

void tarei_trt_put_line(tarei_str *const lines, const tarei_table_tensor *const tensor,
                        const int column, const char *const end) {
  tarei_str_add(lines, "%s: %08x%s", tensor->name, trt_template_bits(tensor, column), end);
}

typedef struct trt_merge {
  tarei_trt_template *template;
  const tare_table *table;
  int column;
  bool *seen; /* [n_tensors]: the file has its line */
  tarei_str *lines;
} trt_merge;

static void trt_template_put(tarei_str *const lines, const char *const from, const char *const to) {
  tarei_str_add(lines, "%.*s", (int)(to - from), from);
}

/* The tensor whose scale a line states, or -1. */
static tare_status trt_template_find(const trt_merge *const m, const tarei_span name, int *tensor,
                                     tare_error *const err) {
  char *const copy = tarei_strndup(name.at, name.n);
  if (!copy) {
    return tarei_fail_memory(err, "a tensor name", name.n + 1);
  }
  *tensor = tare_table_find(m->table, copy);
  free(copy);
  return TARE_OK;
}

static tare_status merge_line(trt_merge *const m, const tarei_span line, const char *const next,
                              tare_error *const err) {
  tare_table_merged *const merged = &m->template->merged;
  tarei_span name, value;
  uint32_t bits = 0;
  int tensor = -1;
  if (tarei_trt_split(line, &name, &value) && tarei_trt_hex(value, &bits)) {
    TAREI_TRY(trt_template_find(m, name, &tensor, err));
  }
  if (tensor >= 0) {
    m->seen[tensor] = true;
  }
  const bool live = tensor >= 0 && tarei_trt_is_live(&m->table->tensors[tensor], m->column);
  merged->replaced += live;
  merged->kept += !live && tarei_span_trim(line).n > 0;
  const uint32_t new_bits = live ? trt_template_bits(&m->table->tensors[tensor], m->column) : bits;
  if (new_bits == bits) {
    trt_template_put(m->lines, line.at, next);
    return TARE_OK;
  }
  trt_template_put(m->lines, line.at, value.at);
  tarei_str_add(m->lines, "%08x", new_bits);
  trt_template_put(m->lines, value.at + value.n, next);
  return TARE_OK;
}

/* The header, with the parts that are given. */
static void merge_header(const trt_merge *const m, const tarei_span line, const char *const next) {
  const tarei_trt_template *const t = m->template;
  const char *const version = line.at + strlen("TRT-");
  const char *const dash = memchr(version, '-', (size_t)(line.at + line.n - version));
  trt_template_put(m->lines, line.at, version);
  if (t->version) {
    tarei_str_add(m->lines, "%" PRId64, t->version);
  } else {
    trt_template_put(m->lines, version, dash);
  }
  tarei_str_add(m->lines, "-");
  if (t->algorithm) {
    tarei_str_add(m->lines, "%s", t->algorithm);
  } else {
    trt_template_put(m->lines, dash + 1, line.at + line.n);
  }
  trt_template_put(m->lines, line.at + line.n, next);
}

static void add_missing(trt_merge *const m, const char *const end) {
  for (int i = 0; i < m->table->n_tensors; i++) {
    const tarei_table_tensor *const tensor = &m->table->tensors[i];
    if (m->seen[i] || !tarei_trt_is_live(tensor, m->column)) {
      continue;
    }
    if (m->template->merged.added++ == 0 && m->lines->length &&
        m->lines->text[m->lines->length - 1] != '\n') {
      tarei_str_add(m->lines, "%s", end);
    }
    tarei_trt_put_line(m->lines, tensor, m->column, end);
  }
}

static tare_status check_template(const tarei_source *const source, tare_error *const err) {
  if (source->size < 4 || memcmp(source->data, "TRT-", 4) != 0) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: not a TensorRT cache: a template must begin with 'TRT-'", source->name);
  }
  if (source->size > INT_MAX) {
    return tarei_fail(err, TARE_E_INPUT, "%s: a template must be smaller than 2 GB", source->name);
  }
  if (memchr(source->data, '\0', source->size)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: a template must not contain a NUL byte",
                      source->name);
  }
  return tarei_trt_check_order(source, err);
}

static tare_status merge_lines(trt_merge *const m, const tarei_source *const source,
                               tare_error *const err) {
  tarei_lines c = tarei_lines_of(source->data, source->size);
  tarei_span line = {0};
  int algorithm = 0;
  TAREI_TRY(check_template(source, err));
  (void)tarei_lines_next(&c, &line); /* there is one */
  TAREI_TRY(tarei_trt_header(source, tarei_span_trim(line), &algorithm, err));
  const bool returns = c.at > line.at + line.n && line.at[line.n] == '\r'; /* CR LF */
  merge_header(m, tarei_span_trim(line), c.at);
  while (tarei_lines_next(&c, &line)) {
    TAREI_TRY(merge_line(m, line, c.at, err));
  }
  add_missing(m, returns ? "\r\n" : "\n");
  return TARE_OK;
}

tare_status tarei_trt_merge(tarei_trt_template *const template, const tare_table *const table,
                            const int column, tarei_str *const lines, tare_error *const err) {
  tarei_source source = {0};
  TAREI_TRY(tarei_source_open(template->file, &source, err));
  const size_t n = (size_t)table->n_tensors + 1;
  trt_merge m = {template, table, column, tarei_calloc(n, sizeof *m.seen), lines};
  const tare_status status =
      m.seen ? merge_lines(&m, &source, err) : tarei_fail_memory(err, "tensors of a cache", n);
  free(m.seen);
  tarei_source_close(&source);
  return status;
}

const char *tarei_trt_algorithm_of(const char *const file) {
  tarei_source source = {0};
  int algorithm = -1;
  if (tarei_source_open(file, &source, NULL) == TARE_OK) {
    tarei_lines c = tarei_lines_of(source.data, source.size);
    tarei_span line = {0};
    const bool found =
        tarei_lines_next(&c, &line) &&
        tarei_trt_header(&source, tarei_span_trim(line), &algorithm, NULL) == TARE_OK;
    algorithm = found ? algorithm : -1;
    tarei_source_close(&source);
  }
  return algorithm < 0 ? NULL : tarei_trt_algorithms[algorithm];
}
