/*
 * Files that list others: one file (list_<name>.c) and one row in lists.inc per kind.
 */
#ifndef TAREI_DATASETS_LISTS_LIST_H
#define TAREI_DATASETS_LISTS_LIST_H

#include "datasets/items.h"

typedef struct tarei_sample_list {
  tare_data_kind kind;
  const char *const *extensions; /* lower case without dot, NULL-terminated */
  const char *const *names;      /* whole names of files, or NULL */
  /* Whether it is such a file by its contents, although other files may have the name. NULL: no. */
  bool (*recognises)(const char *path);
  /* Adds the files that it lists. TARE_E_INPUT names the line; TARE_E_USAGE if it has no labels. */
  tare_status (*expand)(tarei_items *items, const char *path, const tarei_data_spec *spec,
                        tare_error *err);
} tarei_sample_list;

#define TAREI_LIST(name) extern const tarei_sample_list tarei_list_##name;
#include "datasets/lists/lists.inc"
#undef TAREI_LIST

/* The kind of list with the extension or name of a path, or NULL. */
const tarei_sample_list *tarei_list_named(const char *path);

/* The kind of list that recognises the contents of a file, or NULL. */
const tarei_sample_list *tarei_list_recognizing(const char *path);

/* Adds a file that line `item->line` of `item->origin` names, relative to it. TARE_E_INPUT: its
 * path is empty, or it has a segment and is not audio. */
tare_status tarei_list_add(tarei_items *items, const tarei_item *item, tare_error *err);

#endif
