/* Which names of inputs and outputs mean the same state: names are cut into words, and words that
 * mark an old or a new state are left out. */
#include <ctype.h>
#include <string.h>

#include "shapes/streaming.h"

enum { LONGEST = 128 };

/* Words of a name, each followed by a space. */
typedef struct words {
  char text[3 * LONGEST];
  size_t n;
  bool new_at_end; /* the last word was an "n": "stateN", "hn" */
} words;

static bool is_mark(const char *const word, const size_t n) {
  static const char *const marks[] = {"past",    "prev",    "previous", "old",     "init",
                                      "initial", "in",      "input",    "inputs",  "last",
                                      "present", "next",    "new",      "updated", "out",
                                      "output",  "outputs", "cur",      "current"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (strlen(marks[i]) == n && strncmp(marks[i], word, n) == 0) {
      return true;
    }
  }
  return false;
}

/* A word ends where letters and digits meet, or a capital follows a small letter. */
static size_t word_length(const char *const name) {
  size_t n = 1;
  while (isalnum((unsigned char)name[n]) &&
         !isdigit((unsigned char)name[n - 1]) == !isdigit((unsigned char)name[n]) &&
         !(islower((unsigned char)name[n - 1]) && isupper((unsigned char)name[n]))) {
    n++;
  }
  /* "hn" and "cn" stand beside "h0" and "c0" */
  return n == 2 && tolower((unsigned char)name[1]) == 'n' && !name[2] ? 1 : n;
}

static void add_word(words *const w, const char *const from, const size_t n) {
  char word[LONGEST];
  for (size_t i = 0; i < n; i++) {
    word[i] = (char)tolower((unsigned char)from[i]);
  }
  w->new_at_end = n == 1 && word[0] == 'n';
  if (is_mark(word, n) || w->new_at_end) {
    return;
  }
  memcpy(w->text + w->n, word, n);
  w->text[w->n + n] = ' ';
  w->n += n + 1;
}

/* False when the name is too long to be looked at. */
static bool state_names_split(const char *name, words *const w) {
  static const char past[] = "past_key_values"; /* stands beside "present" */
  *w = (words){.n = 0};
  if (strlen(name) >= LONGEST) {
    return false;
  }
  name += strncmp(name, past, sizeof past - 1) == 0 ? sizeof past - 1 : 0;
  while (*name) {
    if (!isalnum((unsigned char)*name)) {
      name++;
      continue;
    }
    const size_t n = word_length(name);
    add_word(w, name, n);
    name += n;
  }
  w->text[w->n] = 0;
  return w->n > 0;
}

bool tarei_state_names_pair(const char *const input, const char *const output) {
  words in, out;
  if (!state_names_split(input, &in) || !state_names_split(output, &out)) {
    return false;
  }
  static const char first[] = "0 "; /* the 0 of "h0", where the output is an "hn" */
  const size_t n = sizeof first - 1;
  if (out.new_at_end && in.n == out.n + n && strcmp(in.text + out.n, first) == 0) {
    in.text[out.n] = 0;
  }
  return strcmp(in.text, out.text) == 0;
}
