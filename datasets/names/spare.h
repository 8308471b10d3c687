/* Arrays of data that feed no input. */
#ifndef TAREI_DATASETS_NAMES_SPARE_H
#define TAREI_DATASETS_NAMES_SPARE_H

#include "datasets/data_spec.h"

typedef struct tarei_spare {
  char *name;
  bool taken; /* feeds the only input, which has another name */
  bool real;  /* floats */
  int rank;   /* of a sample; -1: not known */
  int64_t dims[TARE_MAX_RANK];
} tarei_spare;

/* Zero-initialize it; free it with _fini. */
typedef struct tarei_spares {
  tarei_spare *items;
  size_t n, capacity;
} tarei_spares;

/* Adds an array whose shape is not known yet, unless an input or the labels have its name, or a
 * mapping. *out is NULL then; it is valid until the next call. TARE_E_MEMORY */
tare_status tarei_spares_add(tarei_spares *spares, const tarei_data_spec *spec, const char *name,
                             tarei_spare **out, tare_error *err);
void tarei_spares_fini(tarei_spares *spares);

/* By name: folders list their files in any order. */
void tarei_spares_sort(tarei_spares *spares);

/* Notes the shape of a sample. One of more dims than a tensor has is not noted. */
void tarei_spare_shape(tarei_spare *spare, bool real, int rank, const int64_t *dims);

/* Whether an array is there, but taken for nothing. */
bool tarei_spares_any(const tarei_spares *spares);

/* Whether an array fits the only input that is fed, or its shape is not known. */
bool tarei_spare_fits(const tarei_spare *spare, const tare_port *port);

#endif
