#include "tools/ranks/assignment.h"

#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

void assignment_init(assignment *const a, const int64_t total) {
  *a = (assignment){.n_free = total};
  a->items = cli_realloc(NULL, 1, sizeof *a->items);
  if (total > 0) {
    a->items[a->n++] = (sample_range){.end = total, .rank = -1};
  }
}

void assignment_fini(assignment *const a) {
  free(a->items);
  *a = (assignment){0};
}

/* The first range that ends behind a sample. */
static int assignment_at(const assignment *const a, const int64_t sample) {
  int low = 0, high = a->n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (a->items[middle].end > sample) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/* Divides a range; the part behind `at` becomes the next one. */
static void assignment_split(assignment *const a, const int i, const int64_t at) {
  a->items = cli_realloc(a->items, (size_t)a->n + 1, sizeof *a->items);
  memmove(a->items + i + 1, a->items + i, (size_t)(a->n++ - i) * sizeof *a->items);
  a->items[i].end = a->items[i + 1].first = at;
}

/* Ranges of one rank that touch become one. */
static void assignment_join(assignment *const a, const int i) {
  if (i > 0 && a->items[i - 1].rank == a->items[i].rank) {
    a->items[i - 1].end = a->items[i].end;
    memmove(a->items + i, a->items + i + 1, (size_t)(--a->n - i) * sizeof *a->items);
  }
}

bool assignment_take(assignment *const a, const int rank, const int64_t from, const int64_t most,
                     sample_range *const out) {
  int i = assignment_at(a, from);
  while (i < a->n && a->items[i].rank >= 0) {
    i++;
  }
  if (i == a->n || most < 1) {
    return false;
  }
  if (a->items[i].first < from) {
    assignment_split(a, i++, from);
  }
  if (a->items[i].end - a->items[i].first > most) {
    assignment_split(a, i, a->items[i].first + most);
  }
  a->items[i].rank = rank;
  *out = a->items[i];
  a->n_free -= out->end - out->first;
  assignment_join(a, i);
  return true;
}

int64_t assignment_return(assignment *const a, const int rank) {
  int64_t n = 0;
  for (int i = 0; i < a->n; i++) {
    if (a->items[i].rank == rank) {
      a->items[i].rank = -1;
      n += a->items[i].end - a->items[i].first;
    }
  }
  a->n_free += n;
  return n;
}
