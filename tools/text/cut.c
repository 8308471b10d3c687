#include "tools/text/cut.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/text/columns.h"

static const char DOTS[] = "..";
enum { N_DOTS = sizeof DOTS - 1 };

char *cut_text(const char *const text, const cut c) {
  const int kept = c.width - N_DOTS;
  if (columns_of(text) <= c.width) {
    return cli_format("%s", text);
  }
  const int head = c.front ? 0 : kept / 2;
  return cli_format("%.*s%s%s", (int)columns_begin(text, head), text, DOTS,
                    columns_end(text, kept - head));
}

typedef struct shown {
  const char *text;
  char *cut;
} shown;

static int by_cut(const void *const a, const void *const b) {
  return strcmp(((const shown *)a)->cut, ((const shown *)b)->cut);
}

/* Different names that look alike would stand side by side, or with equal ones between them. */
static bool keeps_apart(const char *const *const names, const int n, const cut c,
                        shown *const room) {
  for (int i = 0; i < n; i++) {
    room[i] = (shown){names[i], cut_text(names[i], c)};
  }
  qsort(room, (size_t)n, sizeof *room, by_cut);
  bool apart = true;
  for (int i = 1; i < n; i++) {
    apart = apart && (strcmp(room[i].cut, room[i - 1].cut) != 0 ||
                      strcmp(room[i].text, room[i - 1].text) == 0);
  }
  for (int i = 0; i < n; i++) {
    free(room[i].cut);
  }
  return apart;
}

cut cut_choose(const char *const *const names, const int n, const int wanted) {
  int widest = 0;
  for (int i = 0; i < n; i++) {
    const int width = columns_of(names[i]);
    widest = width > widest ? width : widest;
  }
  shown *const room = cli_realloc(NULL, (size_t)n, sizeof *room);
  cut c = {.width = wanted};
  while (c.width < widest && !keeps_apart(names, n, c, room)) {
    c.width += c.front;
    c.front = !c.front;
  }
  free(room);
  return c;
}
