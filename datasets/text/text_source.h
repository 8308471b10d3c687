/* Files that hold texts: one file text_<name>.c and one row in text_sources.inc per kind. */
#ifndef TAREI_DATASETS_TEXT_TEXT_SOURCE_H
#define TAREI_DATASETS_TEXT_TEXT_SOURCE_H

#include "datasets/data_spec.h"

/* A sample of a file, in memory of the source until the next one. */
typedef struct tarei_text_entry {
  const char *text, *pair; /* pair: or NULL */
  size_t length, pair_length;
  char *label;  /* owned; or NULL */
  int64_t line; /* 0: the whole file */
} tarei_text_entry;

typedef struct tarei_text_source {
  const char *noun; /* "text lines" */
  const char *const *extensions;
  /* Opens a file. TARE_E_INPUT, TARE_E_USAGE (there is no such column), TARE_E_MEMORY; *state is
   * closed either way. `labels`: the entries have labels. */
  tare_status (*open)(const char *path, const tarei_data_spec *spec, bool labels, void **state,
                      tare_error *err);
  /* Reads the next sample; *more is false at the end. `out` NULL: passes over it. TARE_E_INPUT,
   * after which the next one can be read only if *more is set; TARE_E_MEMORY. */
  tare_status (*next)(void *state, tarei_text_entry *out, bool *more, tare_error *err);
  void (*close)(void *state);
} tarei_text_source;

/* The kind of a path by its extension, or NULL. */
const tarei_text_source *tarei_text_source_named(const char *path);

/* TARE_E_USAGE: files are to be whole samples, but not of this kind. */
tare_status tarei_text_check_parts(const char *path, const tarei_data_spec *spec, tare_error *err);

/* Name of the column or key with the text. */
const char *tarei_text_column(const tarei_data_spec *spec);

#endif
