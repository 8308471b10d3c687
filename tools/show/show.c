#include "tools/show/show.h"

#include <stdio.h>

static const show_kind *const KINDS[] = {
#define TAREI_SHOW(id) &show_##id,
#include "tools/show/shows.inc"
#undef TAREI_SHOW
};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

const show_kind *show_kind_of(const char *const path) {
  for (int i = 0; i < N_KINDS - 1; i++) {
    if (KINDS[i]->probe(path)) {
      return KINDS[i];
    }
  }
  return KINDS[N_KINDS - 1];
}

const char *show_noun_of(const char *const path) {
  const char *noun = NULL;
  for (int i = 0; i < N_KINDS && !noun; i++) {
    noun = KINDS[i]->noun(path);
  }
  return noun;
}

void show_title(const show_kind *const kind, const char *const path) {
  printf("%-10s %s\n", kind->name, path);
}
