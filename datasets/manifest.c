#include "datasets/manifest.h"

#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/str.h"
#include "datasets/csv.h"

static char separator_of(const char *const path) {
  static const char *const TABS[] = {"tsv", NULL};
  return tarei_has_extension(path, TABS) ? '\t' : ',';
}

typedef struct header {
  int path, label; /* columns, -1 when missing */
  size_t n;
} header;

/* Every column has a name of its own. */
static tare_status manifest_check_names(const tarei_csv *const csv, tare_error *const err) {
  tarei_names names;
  if (csv->n_fields > INT32_MAX || !tarei_names_init(&names, csv->n_fields)) {
    return tarei_fail_memory(err, csv->source->name, csv->n_fields * sizeof *names.slots);
  }
  tare_status status = TARE_OK;
  for (size_t i = 0; i < csv->n_fields && status == TARE_OK; i++) {
    const char *const name = tarei_csv_field(csv, i);
    if (tarei_names_find(&names, name) >= 0) {
      status = tarei_fail(err, TARE_E_INPUT, "%s: duplicate column '%s' in the header",
                          csv->source->name, name);
    } else {
      tarei_names_add(&names, name, (int)i);
    }
  }
  tarei_names_fini(&names);
  return status;
}

static tare_status manifest_read_header(tarei_csv *const csv, const char *const labels,
                                        header *const out, tare_error *const err) {
  *out = (header){-1, -1, 0};
  bool more;
  TAREI_TRY(tarei_csv_next(csv, &more, err));
  TAREI_TRY(manifest_check_names(csv, err));
  out->n = csv->n_fields;
  for (size_t i = 0; i < csv->n_fields; i++) {
    const char *const name = tarei_csv_field(csv, i);
    out->path = strcmp(name, "path") == 0 ? (int)i : out->path;
    out->label = labels && strcmp(name, labels) == 0 ? (int)i : out->label;
  }
  return TARE_OK;
}

tare_status tarei_manifest_has_path(const char *const path, bool *const out,
                                    tare_error *const err) {
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  tarei_csv csv;
  tarei_csv_init(&csv, &source, separator_of(path));
  header head;
  const tare_status status = manifest_read_header(&csv, NULL, &head, err);
  *out = head.path >= 0;
  tarei_csv_fini(&csv);
  tarei_source_close(&source);
  return status;
}

static tare_status add_path(tarei_items *const items, const char *const origin, const int64_t line,
                            const char *const path, const char *const label_text,
                            tare_error *const err) {
  if (path[0] == '\0') {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: the path is empty", origin,
                      (long long)line);
  }
  char *const full = tarei_path_beside(origin, path);
  if (!full) {
    return tarei_fail_memory(err, origin, strlen(path));
  }
  const tare_status status = tarei_items_add(items, full, label_text, origin, line, err);
  free(full);
  return status;
}

static tare_status add_rows(tarei_items *const items, tarei_csv *const csv,
                            const header *const head, const char *const origin,
                            tare_error *const err) {
  bool more;
  for (;;) {
    TAREI_TRY(tarei_csv_next(csv, &more, err));
    if (!more) {
      return TARE_OK;
    }
    if (csv->n_fields != head->n) {
      return tarei_fail(err, TARE_E_INPUT, "%s line %lld: has %zu fields, the header has %zu",
                        origin, (long long)csv->line, csv->n_fields, head->n);
    }
    const char *const label = head->label >= 0 ? tarei_csv_field(csv, (size_t)head->label) : NULL;
    TAREI_TRY(
        add_path(items, origin, csv->line, tarei_csv_field(csv, (size_t)head->path), label, err));
  }
}

static bool all_hold_labels(const tarei_items *const items, const size_t from) {
  for (size_t i = from; i < items->n; i++) {
    if (!items->items[i].ops->labels) {
      return false;
    }
  }
  return true;
}

/* Names the columns that there are; the header is the record last read. */
static tare_status fail_column(const tarei_csv *const csv, const char *const kind,
                               const char *const wanted, const tare_status status,
                               const char *const origin, tare_error *const err) {
  tarei_str columns = {0};
  for (size_t i = 0; i < csv->n_fields; i++) {
    tarei_str_add(&columns, "%s'%s'", i ? ", " : "", tarei_csv_field(csv, i));
  }
  (void)tarei_fail(err, status, "%s: no %s '%s' in the header, only %s", origin, kind, wanted,
                   tarei_str_get(&columns));
  tarei_str_free(&columns);
  return status;
}

static tare_status manifest_expand(tarei_items *const items, tarei_csv *const csv,
                                   const char *const origin, const tarei_data_spec *const spec,
                                   tare_error *const err) {
  const size_t before = items->n;
  header head;
  TAREI_TRY(manifest_read_header(csv, spec->labels, &head, err));
  if (head.path < 0) {
    return fail_column(csv, "column", "path", TARE_E_INPUT, origin, err);
  }
  const bool unlabelled = spec->labels && head.label < 0;
  tare_error no_label = {0}; /* said now, while the header is at hand, and needed later or never */
  if (unlabelled) {
    (void)fail_column(csv, "label column", spec->labels, TARE_E_USAGE, origin, &no_label);
  }
  TAREI_TRY(add_rows(items, csv, &head, origin, err));
  if (items->n == before) {
    return tarei_fail(err, TARE_E_INPUT, "%s: has a header but no rows", origin);
  }
  return unlabelled && !all_hold_labels(items, before)
             ? tarei_fail(err, TARE_E_USAGE, "%s", no_label.message)
             : TARE_OK;
}

tare_status tarei_manifest_expand(tarei_items *const items, const char *const path,
                                  const tarei_data_spec *const spec, tare_error *const err) {
  const char *const origin = tarei_items_keep_origin(items, path);
  if (!origin) {
    return tarei_fail_memory(err, path, strlen(path));
  }
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  tarei_csv csv;
  tarei_csv_init(&csv, &source, separator_of(path));
  const tare_status status = manifest_expand(items, &csv, origin, spec, err);
  tarei_csv_fini(&csv);
  tarei_source_close(&source);
  return status;
}

static tare_status manifest_add_lines(tarei_items *const items, const tarei_source *const source,
                                      const char *const origin, tare_error *const err) {
  const char *at = (const char *)source->data;
  const char *const end = at + source->size;
  for (int64_t line = 1; at < end; line++) {
    const char *const newline = memchr(at, '\n', (size_t)(end - at));
    const char *stop = newline ? newline : end;
    const char *const next = newline ? newline + 1 : end;
    stop -= stop > at && stop[-1] == '\r';
    if (memchr(at, '\0', (size_t)(stop - at))) {
      return tarei_fail(err, TARE_E_INPUT, "%s line %lld: holds a NUL byte", origin,
                        (long long)line);
    }
    char *const path = tarei_strndup(at, (size_t)(stop - at));
    if (!path) {
      return tarei_fail_memory(err, origin, (size_t)(stop - at));
    }
    const tare_status status = path[0] ? add_path(items, origin, line, path, NULL, err) : TARE_OK;
    free(path);
    TAREI_TRY(status);
    at = next;
  }
  return TARE_OK;
}

tare_status tarei_list_expand(tarei_items *const items, const char *const path,
                              const tarei_data_spec *const spec, tare_error *const err) {
  (void)spec; /* a list has no labels */
  const size_t before = items->n;
  const char *const origin = tarei_items_keep_origin(items, path);
  if (!origin) {
    return tarei_fail_memory(err, path, strlen(path));
  }
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  tare_status status = manifest_add_lines(items, &source, origin, err);
  tarei_source_close(&source);
  if (status == TARE_OK && items->n == before) {
    status = tarei_fail(err, TARE_E_INPUT, "%s: lists no files", path);
  }
  return status;
}

static const char *const MANIFESTS[] = {"csv", "tsv", NULL}, *const LISTS[] = {"txt", "lst", NULL};

static const tarei_sample_list KINDS[] = {
    {{"a manifest", false}, MANIFESTS, tarei_manifest_expand},
    {{"a text file", false}, LISTS, tarei_list_expand},
};

const tarei_sample_list *tarei_list_named(const char *const path) {
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    if (tarei_has_extension(path, KINDS[i].extensions)) {
      return &KINDS[i];
    }
  }
  return NULL;
}
