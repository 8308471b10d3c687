/*
 * The files of a data set, in order. There may be millions: each takes as many bytes as its name
 * differs from the one before, and a few more (datasets/packed.h).
 */
#ifndef TAREI_DATASETS_ITEMS_H
#define TAREI_DATASETS_ITEMS_H

#include "datasets/packed.h"
#include "datasets/reader.h"

typedef struct tarei_item {
  const char *path;
  const char *label_text;      /* from a list, or NULL */
  const char *origin;          /* manifest or list that names the file, or NULL */
  int64_t line;                /* in origin */
  const tarei_reader_ops *ops; /* NULL to tarei_items_add: tarei_items_reader */
  tarei_segment segment;       /* the sample is this part of the file */
  int64_t count;               /* samples; 1 before tarei_items_set_count */
  bool audio;                  /* samples are audio */
} tarei_item;

/* What was found in files that are not one sample each. */
typedef struct tarei_item_count {
  size_t item;
  int64_t count;
  bool audio;
} tarei_item_count;

typedef struct tarei_items {
  size_t n;
  tarei_packed_list packed;
  tarei_bytes scratch;
  tarei_item_count *counts; /* by item */
  size_t n_counts, counts_capacity;
  const tarei_reader_ops **ops; /* that occur */
  size_t n_ops, ops_capacity;
  char **origins;
  size_t n_origins, origins_capacity;
  bool texts; /* files with the extensions of texts are texts */
} tarei_items;

void tarei_items_fini(tarei_items *items);

/* The reader of a file, by its name or contents. */
const tarei_reader_ops *tarei_items_reader(const tarei_items *items, const char *path);

/* Adds a file. Strings are copied, except `origin`, which tarei_items_keep_origin returned. */
tare_status tarei_items_add(tarei_items *items, const tarei_item *item, tare_error *err);

/* Stores a copy of the name of a manifest or list; NULL if memory runs out. */
const char *tarei_items_keep_origin(tarei_items *items, const char *name);

/* Sets the number of samples in file i, and what they are. Called for one file after the other. */
tare_status tarei_items_set_count(tarei_items *items, size_t i, int64_t count, bool audio,
                                  tare_error *err);

/* A file that was looked up, with memory for its strings. Zeroed: none. */
typedef struct tarei_item_view {
  tarei_item item;
  tarei_unpacked packed;
} tarei_item_view;

void tarei_item_view_fini(tarei_item_view *view);

/* Makes room for any file, after which tarei_items_get cannot fail. */
tare_status tarei_items_reserve(const tarei_items *items, tarei_item_view *view, tare_error *err);

/* Looks up file i < n; the strings are valid until the view is used again. Going on to the next is
 * fast. Several threads may, each with its own view. TARE_E_MEMORY */
tare_status tarei_items_get(const tarei_items *items, size_t i, tarei_item_view *view,
                            tare_error *err);

/* Path relative to the folder of `base`, unless it is absolute; free() the result. NULL if memory
 * runs out. */
char *tarei_path_beside(const char *base, const char *path);

#endif
