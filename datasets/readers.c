#include <string.h>
#include <strings.h>

#include "base/infile.h"
#include "datasets/reader.h"

static const tarei_reader_ops *const READERS[] = {
#define TAREI_READER(name) &tarei_reader_##name,
#include "datasets/readers.inc"
#undef TAREI_READER
};
enum { N_READERS = sizeof READERS / sizeof *READERS };

bool tarei_has_extension(const char *const path, const char *const *const extensions) {
  const char *const slash = strrchr(path, '/');
  const char *const dot = strrchr(slash ? slash : path, '.');
  for (int i = 0; dot && extensions[i]; i++) {
    if (strcasecmp(dot + 1, extensions[i]) == 0) {
      return true;
    }
  }
  return false;
}

static const tarei_reader_ops *by_extension(const char *const path) {
  for (int i = 0; i < N_READERS; i++) {
    if (tarei_has_extension(path, READERS[i]->extensions)) {
      return READERS[i];
    }
  }
  return NULL;
}

bool tarei_reader_knows_extension(const char *const path) {
  return by_extension(path) != NULL;
}

const tarei_reader_ops *tarei_reader_for(const char *const path) {
  const tarei_reader_ops *const known = by_extension(path);
  if (known) {
    return known;
  }
  int i = 0;
  while (i < N_READERS - 1 && !READERS[i]->recognises(path)) {
    i++;
  }
  return READERS[i];
}
