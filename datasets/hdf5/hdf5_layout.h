/*
 * Layouts: the ways in which the samples of one input are stored in an HDF5 file. Each layout has
 * one file and one row in layouts.inc. tarei_hdf5_lock is held during all calls.
 */
#ifndef TAREI_DATASETS_HDF5_HDF5_LAYOUT_H
#define TAREI_DATASETS_HDF5_HDF5_LAYOUT_H

#include "datasets/data_spec.h"
#include "datasets/hdf5/hdf5_file.h"
#include "datasets/names/spare.h"

typedef struct tarei_layout tarei_layout;

/* What to find. */
typedef struct tarei_h5_want {
  hid_t file;
  const char *name;            /* of the input or label, or what stands for it in the file */
  const tare_mapping *mapping; /* explicit place, or NULL for the rules of the layout */
  int64_t max_elements;
  const tarei_data_spec *spec; /* what is read in all */
} tarei_h5_want;

/* The samples of one input, as found by the bind function of a layout. */
typedef struct tarei_column {
  const tarei_layout *layout; /* NULL: not bound */
  const char *kind;           /* static text for describe, e.g. "vlen data sets" */
  int64_t count;              /* samples */
  int64_t max_elements;       /* of one sample */
  char *group;                /* group whose members are the samples, or NULL; owned */
  void *buffer;               /* last sample; owned */
  size_t capacity;            /* of buffer in bytes */
  void *state;                /* of the layout */
} tarei_column;

/* One sample as stored; the values belong to the column and are valid until its next read. */
typedef struct tarei_h5_sample {
  tarei_number number;
  int rank;
  int64_t dims[TAREI_H5_MAX_RANK];
  int64_t count; /* elements */
  const void *values;
} tarei_h5_sample;

struct tarei_layout {
  const char *looks_for; /* for messages, e.g. "a vlen data set <name>" */

  /* Sets kind, count, state and possibly group if the file contains the name in this layout;
   * otherwise leaves state NULL. TARE_E_INPUT if it exists but is malformed, TARE_E_MEMORY. */
  tare_status (*bind)(const tarei_h5_want *want, tarei_column *column, tare_error *err);

  /* Reads sample i; usually called in order. TARE_E_INPUT for a bad sample, TARE_E_MEMORY. */
  tare_status (*read)(tarei_column *column, int64_t i, tarei_h5_sample *out, tare_error *err);

  void (*close)(void *state);
};

#define TAREI_LAYOUT(name) extern const tarei_layout tarei_layout_##name;
#include "datasets/hdf5/layouts.inc"
#undef TAREI_LAYOUT

/* Finds the layout of one input; column->layout stays NULL if no layout finds the name.
 * TARE_E_INPUT if it exists but is malformed. Free the column with tarei_column_fini. */
tare_status tarei_column_bind(const tarei_h5_want *want, tarei_column *column, tare_error *err);

/* The error for a name that no layout finds: the message says what was expected and what the file
 * contains. */
tare_status tarei_column_fail_missing(const tarei_h5_want *want, tare_error *err);

/* For a model with a single input whose name is not in the file: binds the only name in the file
 * that a layout accepts, and returns it in *taken (free() it). If there is none or more than one,
 * the column has no layout. `labels`, which may be NULL, is not considered. Where other inputs are
 * taken for states, the array must also fit the input. */
tare_status tarei_column_bind_only(const tarei_h5_want *want, const char *labels,
                                   tarei_column *column, char **taken, tare_error *err);
void tarei_column_fini(tarei_column *column);

/* Adds the names that a layout accepts and that feed nothing, with the shapes of their samples.
 * Those that describe other data are left out, unless they are like a name of `spec`. TARE_E_MEMORY
 */
tare_status tarei_h5_spares(hid_t file, const tarei_data_spec *spec, tarei_spares *spares,
                            tare_error *err);

/* Checks the size of a sample against the limit and allocates column->buffer for it; sets
 * out->count and out->values. */
tare_status tarei_column_reserve(tarei_column *column, tarei_h5_sample *out, tare_error *err);

/* Passes column->buffer to the caller, who frees it, if it contains this sample and has exactly its
 * size; otherwise NULL. */
void *tarei_column_give(tarei_column *column, const tarei_h5_sample *sample);

/* "<name><suffix>"; free() it. NULL if memory runs out. */
char *tarei_h5_join(const char *name, const char *suffix);

/* A long 1-D data set of integers (offsets, lengths), read through a window. */
enum { TAREI_INDEX_WINDOW = 1024 };
typedef struct tarei_h5_index {
  tarei_h5_data data;
  int64_t first, n; /* position and size of the window */
  int64_t window[TAREI_INDEX_WINDOW];
} tarei_h5_index;

/* TARE_E_INPUT if it is missing, not 1-D, or does not contain integers. */
tare_status tarei_h5_index_open(hid_t file, const char *path, tarei_h5_index *out, tare_error *err);
tare_status tarei_h5_index_get(tarei_h5_index *index, int64_t i, int64_t *out, tare_error *err);
void tarei_h5_index_close(tarei_h5_index *index);

#endif
