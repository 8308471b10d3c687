/*
 * Readers: one member per kind of file, one row in readers.inc.
 *
 * A reader turns sample i of one file into tensors. It runs on one thread at a time, but not
 * always on the same: open, read and close of one state may come from different threads.
 */
#ifndef TAREI_DATASETS_READER_H
#define TAREI_DATASETS_READER_H

#include "datasets/data_spec.h"
#include "datasets/slot.h"

typedef struct tarei_reader_ops {
  const char *name;              /* for messages, e.g. "HDF5" */
  tare_data_kind kind;           /* what callers see of it */
  const char *const *extensions; /* lower case without dot, NULL-terminated; folders list these */
  bool many;   /* files hold many samples; they are named "<file>[<index>]" even where it is one */
  bool labels; /* a file can hold the labels of its samples */
  bool has_rate; /* samples have a rate, and are resampled to that of the spec */

  /* True when the file's first bytes say so. Asked only for files whose extension no reader knows;
   * rows are asked in order. May not fail. */
  bool (*recognises)(const char *path);

  /* Called for every file when the data set is opened, to check and count, and again when the
   * stream reaches the file. `spec` outlives the state. `labels`: read the labels that the spec
   * names from this file. Cheap where a file is one sample: its faults belong to read.
   * TARE_E_INPUT, TARE_E_USAGE or TARE_E_MEMORY leave *state NULL. */
  tare_status (*open)(const char *path, const tarei_data_spec *spec, bool labels, void **state,
                      tare_error *err);

  /* Number of samples, >= 0; never fails. */
  int64_t (*count)(const void *state);

  /* What was recognised, e.g. "HDF5 vlen data sets"; the text lives as long as the state. */
  const char *(*describe)(const void *state);

  /* Fills tensors and label of `out`, on which tarei_slot_init was called. Samples are mostly
   * asked for in order. May block on the disk. TARE_E_INPUT (a bad sample; the message need not
   * name file and index), TARE_E_MEMORY; `out` may then be half-filled. */
  tare_status (*read)(void *state, int64_t i, tarei_slot *out, tare_error *err);

  void (*close)(void *state); /* NULL is fine */
} tarei_reader_ops;

#define TAREI_READER(name) extern const tarei_reader_ops tarei_reader_##name;
#include "datasets/readers.inc"
#undef TAREI_READER

/* The reader for a file: by extension, then by content, else the last. Never NULL. */
const tarei_reader_ops *tarei_reader_for(const char *path);

/* The reader that lists the path's extension (any case), or NULL. */
const tarei_reader_ops *tarei_reader_named(const char *path);

/* The first that recognises the file, or NULL. */
const tarei_reader_ops *tarei_reader_recognizing(const char *path);

/* True when the path ends in "." and one of the extensions (any case). */
bool tarei_has_extension(const char *path, const char *const *extensions);

#endif
