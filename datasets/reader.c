#include "datasets/reader.h"

#include "base/infile.h"
#include "datasets/extension.h"

static const tarei_reader_ops *const READERS[] = {
#define TAREI_READER(name) &tarei_reader_##name,
#include "datasets/readers.inc"
#undef TAREI_READER
};
enum { N_READERS = sizeof READERS / sizeof *READERS };

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
