/* What a path is to a data set, without opening it as one. */
#include <sys/stat.h>

#include "datasets/lists/list.h"

const tare_data_kind *tare_data_kind_named(const char *const path) {
  const tarei_sample_list *const list = tarei_list_named(path);
  const tarei_reader_ops *const reader = tarei_reader_named(path);
  return list ? &list->kind : reader ? &reader->kind : NULL;
}

const tare_data_kind *tare_data_kind_of(const char *const path) {
  struct stat st;
  const bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
  const tare_data_kind *const named = folder ? NULL : tare_data_kind_named(path);
  const tarei_sample_list *const list = named || folder ? NULL : tarei_list_recognizing(path);
  const tarei_reader_ops *const reader = named || list ? NULL : tarei_reader_recognizing(path);
  return named ? named : list ? &list->kind : reader ? &reader->kind : NULL;
}
