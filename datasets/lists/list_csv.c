/* Manifests. Paths are relative to the manifest. The column named by spec->labels contains the
 * label text; it may only be missing if every file can contain the labels itself. TARE_E_INPUT:
 * malformed, no "path" column, a duplicate column, a row with another number of fields, an empty
 * path, no rows. */
#include "datasets/lists/csv_manifest.h"

#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/str.h"
#include "datasets/csv.h"
#include "datasets/extension.h"
#include "datasets/lists/list.h"

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

tare_status tarei_manifest_has_column(const char *const path, const char *const column,
                                      bool *const out, tare_error *const err) {
  tarei_source source;
  TAREI_TRY(tarei_source_open(path, &source, err));
  tarei_csv csv;
  tarei_csv_init(&csv, &source, separator_of(path));
  header head;
  const tare_status status = manifest_read_header(&csv, column, &head, err);
  *out = head.label >= 0;
  tarei_csv_fini(&csv);
  tarei_source_close(&source);
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
    const tarei_item item = {
        .path = tarei_csv_field(csv, (size_t)head->path),
        .label_text = head->label >= 0 ? tarei_csv_field(csv, (size_t)head->label) : NULL,
        .origin = origin,
        .line = csv->line};
    TAREI_TRY(tarei_list_add(items, &item, err));
  }
}

static tare_status all_hold_labels(const tarei_items *const items, const size_t from,
                                   bool *const out, tare_error *const err) {
  tarei_item_view view = {0};
  tare_status status = TARE_OK;
  *out = true;
  for (size_t i = from; i < items->n && *out && status == TARE_OK; i++) {
    status = tarei_items_get(items, i, &view, err);
    *out = status == TARE_OK && view.item.ops->labels;
  }
  tarei_item_view_fini(&view);
  return status;
}

/* Names the columns that there are; the header is the record last read. */
static tare_status fail_column(const tarei_csv *const csv, const char *const kind,
                               const char *const wanted, const char *const hint,
                               const tare_status status, const char *const origin,
                               tare_error *const err) {
  tarei_str columns = {0};
  for (size_t i = 0; i < csv->n_fields; i++) {
    tarei_str_add(&columns, "%s'%s'", i ? ", " : "", tarei_csv_field(csv, i));
  }
  (void)tarei_fail(err, status, "%s: no %s '%s' in the header, only %s%s", origin, kind, wanted,
                   tarei_str_get(&columns), hint);
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
    return fail_column(csv, "column", "path", tarei_data_spec_hint(spec), TARE_E_INPUT, origin,
                       err);
  }
  const bool unlabelled = spec->labels && head.label < 0;
  tare_error no_label = {0}; /* said now, while the header is at hand, and needed later or never */
  if (unlabelled) {
    (void)fail_column(csv, "label column", spec->labels, "", TARE_E_USAGE, origin, &no_label);
  }
  TAREI_TRY(add_rows(items, csv, &head, origin, err));
  if (items->n == before) {
    return tarei_fail(err, TARE_E_INPUT, "%s: has a header but no rows", origin);
  }
  bool hold = true;
  TAREI_TRY(unlabelled ? all_hold_labels(items, before, &hold, err) : TARE_OK);
  return hold ? TARE_OK : tarei_fail(err, TARE_E_USAGE, "%s", no_label.message);
}

static tare_status csv_expand(tarei_items *const items, const char *const path,
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

static const char *const EXTENSIONS[] = {"csv", "tsv", NULL};

const tarei_sample_list tarei_list_csv = {
    .kind = {"a manifest", false}, .extensions = EXTENSIONS, .expand = csv_expand};
