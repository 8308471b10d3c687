#include "tools/show/show.h"

#include <stdio.h>
#include <sys/stat.h>

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

tare_status show_want(const char *const path, const show_kind *const wanted, const char *const what,
                      tare_error *const err) {
  struct stat file;
  if (stat(path, &file) != 0 || !(S_ISREG(file.st_mode) || S_ISDIR(file.st_mode))) {
    return TARE_OK;
  }
  if (S_ISDIR(file.st_mode)) {
    return cli_fail(err, TARE_E_INPUT, "%s is a folder, expected %s", path, what);
  }
  const show_kind *const kind = show_kind_of(path);
  return kind == wanted || kind == &show_model
             ? TARE_OK
             : cli_fail(err, TARE_E_INPUT, "%s is a %s file, expected %s", path, kind->name, what);
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
