/* Finds the name closest to a misspelt one by edit distance; swapping two neighbours counts as one
 * edit. */
#include "base/nearest.h"

#include <ctype.h>
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

/* --- names that are alike --------------------------------------------------------------------- */

/* The letters of a name, small, and its digits, without what is between them. */
typedef struct bare_name {
  char letters[LONGEST + 1], digits[LONGEST + 1];
  size_t n_letters, n_digits;
} bare_name;

static bool nearest_bare(const char *name, bare_name *const out) {
  *out = (bare_name){.n_letters = 0};
  if (strlen(name) > LONGEST) {
    return false;
  }
  for (; *name; name++) {
    if (isdigit((unsigned char)*name)) {
      out->digits[out->n_digits++] = *name;
    } else if (*name & 0x80 || isalpha((unsigned char)*name)) {
      out->letters[out->n_letters++] = (char)tolower((unsigned char)*name);
    }
  }
  return out->n_letters > 0;
}

static bool nearest_is_plural(const bare_name *const one, const bare_name *const several) {
  return several->n_letters == one->n_letters + 1 && several->letters[one->n_letters] == 's' &&
         memcmp(one->letters, several->letters, one->n_letters) == 0;
}

bool tarei_names_alike(const char *const a, const char *const b) {
  enum { SHORT = 4, LONG = 7 }; /* letters in which one may be wrong, and two */
  bare_name x, y;
  if (!nearest_bare(a, &x) || !nearest_bare(b, &y) ||
      (x.n_digits && y.n_digits && strcmp(x.digits, y.digits) != 0)) {
    return false;
  }
  if (nearest_is_plural(&x, &y) || nearest_is_plural(&y, &x)) {
    return true;
  }
  const size_t longer = x.n_letters > y.n_letters ? x.n_letters : y.n_letters;
  const int steps = nearest_distance(x.letters, x.n_letters, y.letters, y.n_letters);
  return steps <= (longer >= LONG) + (longer >= SHORT);
}
