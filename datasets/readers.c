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
  const char *const name = slash ? slash + 1 : path;
  const size_t length = strlen(name);
  for (int i = 0; extensions[i]; i++) {
    const size_t n = strlen(extensions[i]);
    if (length > n && name[length - n - 1] == '.' &&
        strcasecmp(name + length - n, extensions[i]) == 0) {
      return true;
    }
  }
  return false;
}

const tarei_reader_ops *tarei_reader_named(const char *const path) {
  for (int i = 0; i < N_READERS; i++) {
    if (tarei_has_extension(path, READERS[i]->extensions)) {
      return READERS[i];
    }
  }
  return NULL;
}

const tarei_reader_ops *tarei_reader_recognizing(const char *const path) {
  for (int i = 0; i < N_READERS; i++) {
    if (READERS[i]->recognises(path)) {
      return READERS[i];
    }
  }
  return NULL;
}

const tarei_reader_ops *tarei_reader_for(const char *const path) {
  const tarei_reader_ops *const named = tarei_reader_named(path);
  const tarei_reader_ops *const known = named ? named : tarei_reader_recognizing(path);
  return known ? known : READERS[N_READERS - 1];
}
