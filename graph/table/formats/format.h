/*
 * Formats of table files: one file each (format_<id>.c), one row each in formats.inc.
 */
#ifndef TAREI_GRAPH_TABLE_FORMATS_FORMAT_H
#define TAREI_GRAPH_TABLE_FORMATS_FORMAT_H

#include <tare/model.h>

#include "graph/table/parts.h"

/* What to write. */
typedef struct tarei_table_job {
  int column;                /* the column; where about.per_profile, all of them are written */
  const char *const *values; /* one for each option, checked, or NULL for its default */
  const char *path;
  tare_table_merged *merged; /* receives what became of a template; may be NULL */
  const tare_model *model;   /* whose layers a file is to name; may be NULL */
  tare_table_layers *layers; /* receives what became of them; may be NULL */
} tarei_table_job;

typedef struct tarei_table_format {
  tare_table_format about; /* what callers see of it */
  const char *mark;        /* how its files begin, in words: "a JSON object" */
  /* Whether a file that begins with these bytes, or consists of them, is of this format. */
  bool (*recognizes)(const uint8_t *data, size_t n);
  /* Makes a table, finished, of a file that is recognized. On failure *out may hold a part,
   * which the caller frees. */
  tare_status (*read)(const tarei_source *source, tare_table **out, tare_error *err);
  /* TARE_E_USAGE "expected ..., got '<value>'"; NULL for a format without options. */
  tare_status (*check)(int option, const char *value, tare_error *err);
  /* Whether a table that was read from such a file has its own value for an option, in place of the
   * default; NULL: never. */
  bool (*keeps)(const tare_table *table, int option);
  /* Whether its files have a place for a part of this table, written with these values; NULL: for
   * every part. */
  bool (*holds)(const tare_table *table, tarei_table_part part, const char *const *values);
  tare_status (*write)(const tare_table *table, const tarei_table_job *job, tare_error *err);
} tarei_table_format;

/* Writes a table in a format; as tare_table_write. */
tare_status tarei_table_write_as(const tare_table *table, const tarei_table_format *format,
                                 const tare_table_write_options *options, const char *path,
                                 tare_error *err);

#define TAREI_TABLE_FORMAT(id) extern const tarei_table_format tarei_table_format_##id;
#include "graph/table/formats/formats.inc"
#undef TAREI_TABLE_FORMAT

#endif
