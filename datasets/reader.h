/*
 * Readers: one file and one row in readers.inc per kind of data file.
 *
 * A reader converts sample i of a file to tensors. It is called by one thread at a time, but not
 * always by the same one: open, read and close of one state may be called by different threads.
 * Only finish is called by several at the same time.
 */
#ifndef TAREI_DATASETS_READER_H
#define TAREI_DATASETS_READER_H

#include "datasets/data_spec.h"
#include "datasets/slot.h"

/* Options of data sets that some readers heed, and others have no use for. */
enum {
  TAREI_HEEDS_ROWS = 1,
  TAREI_HEEDS_MAPPINGS = 2,
  TAREI_HEEDS_TEXTS = 4, /* the tokenizer */
  TAREI_HEEDS_ALL = 7
};

typedef struct tarei_reader_ops {
  const char *name;              /* for messages, e.g. "HDF5" */
  tare_data_kind kind;           /* its public description */
  const char *const *extensions; /* lower case without dot, NULL-terminated; folders list these */
  bool many;     /* files contain many samples, named "<file>[<index>]" even if there is one */
  bool labels;   /* a file can contain the labels of its samples */
  bool has_rate; /* files are recordings: one sample each, resampled to the rate of the spec */
  unsigned heeds;

  /* Whether the reader recognises a file by its first bytes. Called in the order of the rows, and
   * only for files with an extension that no reader has. Must not fail. */
  bool (*recognises)(const char *path);

  /* Opens a file. Called for every file when the data set is opened, to check it and to count its
   * samples, and again when the stream reaches the file. `spec` outlives the state. `labels`: read
   * the labels named by the spec from this file. If a file is one sample, this should be cheap, and
   * read reports errors. TARE_E_INPUT, TARE_E_USAGE or TARE_E_MEMORY, with *state NULL. */
  tare_status (*open)(const char *path, const tarei_data_spec *spec, bool labels, void **state,
                      tare_error *err);

  /* Number of samples, >= 0; never fails. */
  int64_t (*count)(const void *state);

  /* Describes what was detected, e.g. "HDF5 vlen data sets"; the text lives as long as the state.
   */
  const char *(*describe)(const void *state);

  /* Fills tensors and label of `out`, which tarei_slot_init has initialized. Samples are usually
   * read in order. May block on the disk. TARE_E_INPUT (a bad sample; the caller adds file and
   * index to the message), TARE_E_MEMORY; `out` may then be partly filled. */
  tare_status (*read)(void *state, int64_t i, tarei_slot *out, tare_error *err);

  void (*close)(void *state); /* NULL is allowed */

  /* Completes a sample that read left in out->raw: what takes long and needs no state. Called
   * without the state, by several threads for several samples at the same time. Errors as for read.
   * NULL: read completes samples. */
  tare_status (*finish)(const tarei_data_spec *spec, tarei_slot *out, tare_error *err);

  /* Whether the samples of an open file are audio. NULL: has_rate. */
  bool (*holds_audio)(const void *state);
} tarei_reader_ops;

#define TAREI_READER(name) extern const tarei_reader_ops tarei_reader_##name;
#include "datasets/readers.inc"
#undef TAREI_READER

/* Texts, by the extensions of their files: only with a tokenizer, without which lists and manifests
 * have these extensions. */
extern const tarei_reader_ops tarei_reader_text;

/* The reader of a file: by extension, then by content, otherwise the last one. Never NULL. */
const tarei_reader_ops *tarei_reader_for(const char *path);

/* The reader with the extension of a path (in any case), or NULL. */
const tarei_reader_ops *tarei_reader_named(const char *path);

/* The first reader that recognises the contents of a file, or NULL. */
const tarei_reader_ops *tarei_reader_recognizing(const char *path);

#endif
