/* Finds the name closest to a misspelt one by edit distance; swapping two neighbours counts as one
 * edit. */
#include <limits.h>
#include <string.h>
#include <tare/status.h>

enum { LONGEST = 255 }; /* of names that are looked at */

static int nearest_least(const int a, const int b) {
  return a < b ? a : b;
}

/* Rows i - 2, i - 1 and i of the table in turn. */
static int nearest_distance(const char *const a, const size_t m, const char *const b,
                            const size_t n) {
  int rows[3][LONGEST + 1];
  for (size_t j = 0; j <= n; j++) {
    rows[0][j] = (int)j;
  }
  for (size_t i = 1; i <= m; i++) {
    const int *const before = rows[(i + 1) % 3], *const above = rows[(i + 2) % 3];
    int *const row = rows[i % 3];
    row[0] = (int)i;
    for (size_t j = 1; j <= n; j++) {
      const int replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = nearest_least(replaced, nearest_least(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = nearest_least(row[j], before[j - 2] + 1);
      }
    }
  }
  return rows[m % 3][n];
}

int tare_nearest_name(const char *const name, const char *const *const names, const int n) {
  const size_t length = strlen(name);
  int nearest = -1, shortest = INT_MAX;
  for (int i = 0; i < n && length <= LONGEST; i++) {
    const size_t other = strlen(names[i]);
    if (other > LONGEST) {
      continue;
    }
    const int steps = nearest_distance(name, length, names[i], other);
    const size_t longer = length > other ? length : other;
    if (steps < shortest && 3 * (size_t)steps <= longer + 1) {
      shortest = steps;
      nearest = i;
    }
  }
  return nearest;
}
