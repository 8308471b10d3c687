/* Which names of inputs and outputs mean the same state: names are cut into words, and words that
 * mark an old or a new state are left out. Whether names tell of a state at all is another matter:
 * "in" and "out" only say which way data go. */
#include <ctype.h>
#include <string.h>

#include "shapes/streaming.h"

enum { LONGEST = 128 };

/* Words of a name, each followed by a space. */
typedef struct words {
  char text[3 * LONGEST];
  size_t n;
  bool new_at_end; /* the last word was an "n": "stateN", "hn" */
  bool tells;      /* one of them is of states alone */
} words;

static bool is_among(const char *const *const list, const size_t n_list, const char *const word,
                     const size_t n) {
  for (size_t i = 0; i < n_list; i++) {
    if (strlen(list[i]) == n && strncmp(list[i], word, n) == 0) {
      return true;
    }
  }
  return false;
}

/* Of one way or the other. */
static bool is_way(const char *const word, const size_t n) {
  static const char *const ways[] = {"in", "input", "inputs", "out", "output", "outputs"};
  return is_among(ways, sizeof ways / sizeof *ways, word, n);
}

/* Of before or after a run. */
static bool is_time_word(const char *const word, const size_t n) {
  static const char *const times[] = {"past", "prev",    "previous", "old", "init",
                                      "last", "initial", "present",  "cur", "next",
                                      "new",  "updated", "current"};
  return is_among(times, sizeof times / sizeof *times, word, n);
}

/* For what a model keeps. */
static bool is_state_word(const char *const word, const size_t n) {
  static const char *const kept[] = {"state",  "states",  "cache",     "caches", "cached",
                                     "hidden", "cell",    "mem",       "buf",    "buffer",
                                     "hist",   "history", "lstm",      "gru",    "rnn",
                                     "kv",     "carry",   "recurrent", "h",      "c"};
  return is_among(kept, sizeof kept / sizeof *kept, word, n);
}

/* A word ends where letters and digits meet, or a capital follows a small letter. */
static size_t word_length(const char *const name) {
  size_t n = 1;
  while (isalnum((unsigned char)name[n]) &&
         !isdigit((unsigned char)name[n - 1]) == !isdigit((unsigned char)name[n]) &&
         !(islower((unsigned char)name[n - 1]) && isupper((unsigned char)name[n]))) {
    n++;
  }
  /* "hn" and "cn" stand beside "h0" and "c0"; "in" beside "out" */
  return n == 2 && tolower((unsigned char)name[0]) != 'i' &&
                 tolower((unsigned char)name[1]) == 'n' && !name[2]
             ? 1
             : n;
}

static void add_word(words *const w, const char *const from, const size_t n) {
  char word[LONGEST];
  for (size_t i = 0; i < n; i++) {
    word[i] = (char)tolower((unsigned char)from[i]);
  }
  w->new_at_end = n == 1 && word[0] == 'n';
  const bool of_time = is_time_word(word, n) || w->new_at_end;
  w->tells = w->tells || of_time || is_state_word(word, n);
  if (of_time || is_way(word, n)) {
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
  if (strncmp(name, past, sizeof past - 1) == 0) {
    name += sizeof past - 1;
    w->tells = true;
  }
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

bool tarei_state_name_tells(const char *const name) {
  words w;
  return state_names_split(name, &w) && w.tells;
}

bool tarei_state_names_tell(const char *const input, const char *const output) {
  return tarei_state_name_tells(input) || tarei_state_name_tells(output);
}
