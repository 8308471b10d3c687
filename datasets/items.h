/* The files of a data set, in order. */
#ifndef TAREI_DATASETS_ITEMS_H
#define TAREI_DATASETS_ITEMS_H

#include "datasets/reader.h"

typedef struct tarei_item {
  char *path;
  char *label_text;   /* from a list, or NULL */
  const char *origin; /* manifest or list that names the file, or NULL; owned by the items */
  int64_t line;       /* in origin */
  const tarei_reader_ops *ops;
  tarei_segment *segment; /* the sample is this part of the file; NULL: all of it */
  int64_t count;          /* samples */
  bool audio;             /* samples are audio */
} tarei_item;

typedef struct tarei_items {
  tarei_item *items;
  size_t n, capacity;
  char **origins;
  size_t n_origins, origins_capacity;
  bool texts; /* files with the extensions of texts are texts */
} tarei_items;

void tarei_items_fini(tarei_items *items);

/* Adds one file; label_text and origin may be NULL. Strings are copied, but origin is kept. */
tare_status tarei_items_add(tarei_items *items, const char *path, const char *label_text,
                            const char *origin, int64_t line, tare_error *err);

/* Adds what a reader of another kind than those of files reads. TARE_E_MEMORY */
tare_status tarei_items_add_read(tarei_items *items, const char *name, const tarei_reader_ops *ops,
                                 tare_error *err);

/* The sample added last is a part of its file. TARE_E_MEMORY */
tare_status tarei_items_cut(tarei_items *items, const tarei_segment *segment, tare_error *err);

/* The item added last, for what a manifest says beside the path. */
tarei_item *tarei_items_last(tarei_items *items);

/* Stores a copy of the name of a manifest or list for tarei_items_add; NULL if memory runs out. */
const char *tarei_items_keep_origin(tarei_items *items, const char *name);

/* Path relative to the folder of `base`, unless it is absolute; free() the result. NULL if memory
 * runs out. */
char *tarei_path_beside(const char *base, const char *path);

#endif
