#include "tools/show/show.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

void show_head(const char *const path, unsigned char *const head, const size_t n) {
  memset(head, 0, n);
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK /* a pipe is asked nothing */);
  if (fd >= 0) {
    (void)!read(fd, head, n); /* what cannot be read stays zero */
    (void)close(fd);          /* read only */
  }
}

void show_title(const show_kind *const kind, const char *const path) {
  printf("%-10s %s\n", kind->name, path);
}
