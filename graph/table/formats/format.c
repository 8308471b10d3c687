/* The rows of formats.inc, and what is common to all of them. */
#include "graph/table/formats/format.h"

#include <assert.h>
#include <string.h>

#include "base/infile.h"
#include "base/refusals.h"
#include "base/str.h"

static const tarei_table_format *const FORMATS[] = {
#define TAREI_TABLE_FORMAT(id) &tarei_table_format_##id,
#include "graph/table/formats/formats.inc"
#undef TAREI_TABLE_FORMAT
};
enum { N_FORMATS = sizeof FORMATS / sizeof *FORMATS };

int tare_n_table_formats(void) {
  return N_FORMATS;
}

const tare_table_format *tare_table_format_at(const int format) {
  return format >= 0 && format < N_FORMATS ? &FORMATS[format]->about : NULL;
}

int tare_table_format_of(const char *const path) {
  const size_t n = strlen(path);
  size_t longest = 0;
  int found = -1;
  for (int i = 0; i < N_FORMATS; i++) {
    const char *const extension = FORMATS[i]->about.extension;
    const size_t m = strlen(extension);
    if (n > m && m > longest && strcmp(path + n - m, extension) == 0) {
      longest = m;
      found = i;
    }
  }
  return found;
}

static const tarei_table_format *formats_recognize(const uint8_t *const data, const size_t n) {
  for (int i = 0; i < N_FORMATS; i++) {
    if (FORMATS[i]->recognizes(data, n)) {
      return FORMATS[i];
    }
  }
  return NULL;
}

bool tare_table_is_table_file(const char *const path) {
  uint8_t head[4096];
  return formats_recognize(head, tarei_infile_head(path, head, sizeof head)) != NULL;
}

static tare_status formats_fail_unknown(const char *const name, tare_error *const err) {
  tarei_str known = {0};
  for (int i = 0; i < N_FORMATS; i++) {
    tarei_str_add(&known, "%s%s (%s)", i ? " or " : "", FORMATS[i]->about.noun, FORMATS[i]->mark);
  }
  const tare_status status = tarei_fail(
      err, TARE_E_INPUT, "%s: not a calibration table: expected %s", name, tarei_str_get(&known));
  tarei_str_free(&known);
  return status;
}

tare_status tarei_table_read_source(const tarei_source *const source, tare_table **const out,
                                    tare_error *const err) {
  *out = NULL;
  const tarei_table_format *const format = formats_recognize(source->data, source->size);
  if (!format) {
    return formats_fail_unknown(source->name, err);
  }
  const tare_status status = format->read(source, out, err);
  if (status != TARE_OK) {
    tare_table_free(out);
  }
  return status;
}

tare_status tare_table_read(const char *const path, tare_table **const out, tare_error *const err) {
  *out = NULL;
  tarei_source source = {0};
  TAREI_TRY(tarei_source_open(path, &source, err));
  const unsigned refusals = tarei_refusals();
  const tare_status status =
      tarei_settle(refusals, tarei_table_read_source(&source, out, err), path, err);
  if (status != TARE_OK) {
    tare_table_free(out);
  }
  tarei_source_close(&source);
  return status;
}

static tare_status formats_check(const tarei_table_format *const format,
                                 const tare_table_setting *const setting, int *const option,
                                 tare_error *const err) {
  const tare_table_format *const about = &format->about;
  for (int i = 0; i < about->n_options; i++) {
    if (strcmp(about->options[i].name, setting->name) == 0) {
      *option = i;
      const tare_status status = format->check(i, setting->value, err);
      return status == TARE_OK ? status : tarei_fail_in(err, status, "%s", setting->name);
    }
  }
  return tarei_fail(err, TARE_E_USAGE, "%s: not an option of %s", setting->name, about->noun);
}

tare_status tare_table_check_setting(const int format, const tare_table_setting *const setting,
                                     tare_error *const err) {
  TAREI_TRY(tarei_check_number("table format", format, N_FORMATS, err));
  int option = 0;
  return formats_check(FORMATS[format], setting, &option, err);
}

/* Values of the options by number, NULL for a default. */
static tare_status formats_values(const tarei_table_format *const format,
                                  const tare_table_write_options *const options,
                                  const char **const values, tare_error *const err) {
  assert(format->about.n_options <= TARE_MAX_TABLE_OPTIONS);
  for (int i = 0; i < options->n_settings; i++) {
    int option = 0;
    TAREI_TRY(formats_check(format, &options->settings[i], &option, err));
    values[option] = options->settings[i].value;
  }
  return TARE_OK;
}

/* A merged table has one column, whichever was asked for. */
static int formats_column(const tare_table *const table,
                          const tare_table_write_options *const options) {
  return table->n_columns == 1 ? 0 : options->profile;
}

void tare_table_write_options_init(tare_table_write_options *const options) {
  *options = (tare_table_write_options){0};
}

tare_status tarei_table_write_as(const tare_table *const table,
                                 const tarei_table_format *const format,
                                 const tare_table_write_options *const options,
                                 const char *const path, tare_error *const err) {
  const tare_table_write_options o = options ? *options : (tare_table_write_options){0};
  const char *values[TARE_MAX_TABLE_OPTIONS] = {NULL};
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_table_write_options, options, err));
  TAREI_TRY(formats_values(format, &o, values, err));
  const int column = formats_column(table, &o);
  if (o.merged) {
    *o.merged = (tare_table_merged){0};
  }
  if (!format->about.per_profile && (column < 0 || column >= table->n_columns)) {
    return tarei_fail(err, TARE_E_USAGE, "profile %d: the table has profiles 0..%d", o.profile,
                      table->n_columns - 1);
  }
  if (o.layers) {
    *o.layers = (tare_table_layers){0};
  }
  const tarei_table_job job = {column, values, path, o.merged, o.model, o.layers};
  return format->write(table, &job, err);
}

tare_status tare_table_write(const tare_table *const table, const int format,
                             const tare_table_write_options *const options, const char *const path,
                             tare_error *const err) {
  TAREI_TRY(tarei_check_number("table format", format, N_FORMATS, err));
  return tarei_table_write_as(table, FORMATS[format], options, path, err);
}

bool tare_table_keeps(const tare_table *const table, const int format, const int option) {
  if (!tarei_has_number(format, N_FORMATS)) {
    return false;
  }
  if (!tarei_has_number(option, FORMATS[format]->about.n_options)) {
    return false;
  }
  return FORMATS[format]->keeps && FORMATS[format]->keeps(table, option);
}

int tare_table_lost(const tare_table *const table, const int format,
                    const tare_table_write_options *const options,
                    const char *lost[const TARE_MAX_TABLE_PARTS]) {
  if (!tarei_has_number(format, N_FORMATS)) {
    return 0;
  }
  const tarei_table_format *const f = FORMATS[format];
  const tare_table_write_options o = options ? *options : (tare_table_write_options){0};
  const char *values[TARE_MAX_TABLE_OPTIONS] = {NULL};
  if (formats_values(f, &o, values, NULL) != TARE_OK) {
    return 0;
  }
  int n = 0;
  for (tarei_table_part part = 0; f->holds && part < TAREI_TABLE_N_PARTS; part++) {
    if (tarei_table_has(table, part, formats_column(table, &o)) && !f->holds(table, part, values)) {
      lost[n++] = tarei_table_part_noun(part);
    }
  }
  return n;
}
