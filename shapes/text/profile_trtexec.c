/* trtexec's syntax for profiles: three lists of "input:1x1600", for min, opt and max. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shapes/profile_set.h"
#include "shapes/text/profile_text.h"

enum { MIN, OPT, MAX, N_SPECS };

/* What one list says: a value per symbol, and which input set it. */
typedef struct shape_list {
  const tare_profiles *set;
  const char *text;
  int64_t values[TARE_MAX_SYMBOLS];
  int setter[TARE_MAX_SYMBOLS]; /* input number, -1: not set */
  bool *exact;                  /* per input: named in full */
  bool *named;                  /* per input: named in full or by a wildcard */
} shape_list;

static bool profile_trtexec_matches(const char *const pattern, const char *const name) {
  const char *const star = strchr(pattern, '*');
  if (!star) {
    return strcmp(pattern, name) == 0;
  }
  const size_t before = (size_t)(star - pattern), after = strlen(star + 1), n = strlen(name);
  return n >= before + after && memcmp(pattern, name, before) == 0 &&
         strcmp(star + 1, name + n - after) == 0;
}

static tare_status set_symbol(shape_list *const list, const int input, const int symbol,
                              const int64_t value, tare_error *const err) {
  const tare_profiles *const set = list->set;
  if (list->setter[symbol] >= 0 && list->values[symbol] != value) {
    return tarei_fail(err, TARE_E_USAGE,
                      "%s is %" PRId64 " by input '%s' but %" PRId64 " by input '%s'",
                      set->symbols[symbol], list->values[symbol],
                      set->inputs[list->setter[symbol]].name, value, set->inputs[input].name);
  }
  list->values[symbol] = value;
  list->setter[symbol] = input;
  return TARE_OK;
}

static tare_status set_dims(shape_list *const list, const int input, const int64_t *const dims,
                            const int rank, tare_error *const err) {
  const tare_port *const port = &list->set->inputs[input];
  if (rank != port->rank) {
    return tarei_fail(err, TARE_E_USAGE, "input '%s' has rank %d in the model, got %d", port->name,
                      port->rank, rank);
  }
  for (int axis = 0; axis < rank; axis++) {
    const int symbol = list->set->dim_symbols[input][axis];
    if (symbol >= 0) {
      TAREI_TRY(set_symbol(list, input, symbol, dims[axis], err));
    } else if (dims[axis] != port->dims[axis].value) {
      return tarei_fail(err, TARE_E_USAGE,
                        "axis %d of input '%s' is fixed at %" PRId64 ", got %" PRId64, axis,
                        port->name, port->dims[axis].value, dims[axis]);
    }
  }
  return TARE_OK;
}

/* "1x1600"; "scalar" or nothing is 0-D. */
static tare_status profile_trtexec_parse_dims(const char *at, const char *end, int64_t *const dims,
                                              int *const rank, tare_error *const err) {
  tarei_trim(&at, &end);
  *rank = 0;
  if (at == end || (end - at == 6 && memcmp(at, "scalar", 6) == 0)) {
    return TARE_OK;
  }
  for (const char *from = at;;) {
    const char *const cross = memchr(from, 'x', (size_t)(end - from));
    const char *const to = cross ? cross : end;
    if (*rank == TARE_MAX_RANK || !tarei_parse_count(from, to, &dims[*rank])) {
      return tarei_fail(err, TARE_E_USAGE,
                        "'%.*s' is not a shape: expected up to %d sizes like 1x1600, or scalar",
                        (int)(end - at), at, TARE_MAX_RANK);
    }
    ++*rank;
    if (!cross) {
      return TARE_OK;
    }
    from = cross + 1;
  }
}

/* Sets the inputs that a name stands for. A wildcard leaves out those that are named in full. */
static tare_status set_inputs(shape_list *const list, const char *const name,
                              const int64_t *const dims, const int rank, tare_error *const err) {
  const char *const star = strchr(name, '*');
  bool known = false;
  for (int i = 0; i < list->set->n_inputs; i++) {
    const char *const input = list->set->inputs[i].name;
    const bool full = strcmp(name, input) == 0;
    if (!full && !profile_trtexec_matches(name, input)) {
      continue;
    }
    known = true;
    if (!full && list->exact[i]) {
      continue;
    }
    if (list->named[i]) {
      return tarei_fail(err, TARE_E_USAGE, "duplicate input '%s'", input);
    }
    list->named[i] = true;
    TAREI_TRY(set_dims(list, i, dims, rank, err));
  }
  if (!known && star && strchr(star + 1, '*')) {
    return tarei_fail(err, TARE_E_USAGE, "'%s' has more than one '*'", name);
  }
  return known ? TARE_OK
               : tarei_fail_unknown_input(list->set->inputs, list->set->n_inputs, name, err);
}

/* Splits "name:shape" at the last colon; *name is the caller's to free. */
static tare_status split_item(const char *const at, const char *const end, char **const name,
                              const char **const shape, tare_error *const err) {
  const char *colon = NULL;
  for (const char *c = tarei_find_unquoted(at, ':'); c < end; c = tarei_find_unquoted(c + 1, ':')) {
    colon = c;
  }
  if (!colon) {
    return tarei_fail(err, TARE_E_USAGE, "expected INPUT:SHAPE such as audio:1x1600, got '%.*s'",
                      (int)(end - at), at);
  }
  *name = tarei_unquote(at, colon);
  *shape = colon + 1;
  return *name ? TARE_OK : tarei_fail_memory(err, "input name", (size_t)(end - at) + 1);
}

static tare_status take_item(shape_list *const list, const char *const at, const char *const end,
                             const bool marking, tare_error *const err) {
  int64_t dims[TARE_MAX_RANK] = {0};
  int rank = 0;
  char *name = NULL;
  const char *shape = NULL;
  TAREI_TRY(split_item(at, end, &name, &shape, err));
  tare_status status = TARE_OK;
  if (marking) {
    for (int i = 0; i < list->set->n_inputs; i++) {
      list->exact[i] |= strcmp(name, list->set->inputs[i].name) == 0;
    }
  } else {
    status = profile_trtexec_parse_dims(shape, end, dims, &rank, err);
    if (status == TARE_OK) {
      status = set_inputs(list, name, dims, rank, err);
    }
  }
  free(name);
  return status;
}

/* Two rounds over the items: the first marks the inputs that are named in full. */
static tare_status take_items(shape_list *const list, const bool marking, tare_error *const err) {
  for (const char *at = list->text;; at++) {
    const char *const end = tarei_find_unquoted(at, ',');
    const char *from = at, *to = end;
    tarei_trim(&from, &to);
    TAREI_TRY(take_item(list, from, to, marking, err));
    at = end;
    if (!*at) {
      return TARE_OK;
    }
  }
}

static tare_status profile_trtexec_read_list(const tare_profiles *const set, const char *const text,
                                             shape_list *const list, tare_error *const err) {
  *list = (shape_list){.set = set, .text = text};
  memset(list->setter, -1, sizeof list->setter);
  if (!tarei_find_unquoted(text, 0)) {
    return tarei_fail(err, TARE_E_USAGE, "unterminated single quote");
  }
  if (text[strspn(text, " \t\r\n")] == 0) {
    return TARE_OK;
  }
  bool *const flags = tarei_calloc((size_t)set->n_inputs * 2, sizeof *flags);
  if (!flags) {
    return tarei_fail_memory(err, "shapes", (size_t)set->n_inputs * 2);
  }
  list->exact = flags;
  list->named = flags + set->n_inputs;
  tare_status status = take_items(list, true, err);
  if (status == TARE_OK) {
    status = take_items(list, false, err);
  }
  list->exact = list->named = NULL;
  free(flags);
  return status;
}

/* A symbol that some of the lists set must be set by all of them. */
static tare_status profile_trtexec_combine(const shape_list *const lists, tare_range *const profile,
                                           bool *const given, tare_error *const err) {
  static const char *const labels[N_SPECS] = {"min", "opt", "max"};
  const tare_profiles *const set = lists[OPT].set;
  for (int i = 0; i < set->n_symbols; i++) {
    int with = -1, without = -1;
    for (int k = 0; k < N_SPECS; k++) {
      *(lists[k].setter[i] >= 0 ? &with : &without) = k;
    }
    if (with >= 0 && without >= 0) {
      return tarei_fail(err, TARE_E_USAGE, "%s is in the %s shapes but not in %s", set->symbols[i],
                        labels[with], labels[without]);
    }
    given[i] = with >= 0;
    if (with >= 0) {
      profile[i] = (tare_range){lists[MIN].values[i], lists[OPT].values[i], lists[MAX].values[i]};
    }
  }
  return TARE_OK;
}

tare_status tare_profiles_add_shapes(tare_profiles *const profiles, const char *const min,
                                     const char *const opt, const char *const max,
                                     tare_error *const err) {
  if (!opt) {
    return tarei_fail(err, TARE_E_USAGE, "min or max shapes without opt shapes");
  }
  const char *const texts[N_SPECS] = {min ? min : opt, opt, max ? max : opt};
  shape_list lists[N_SPECS];
  for (int k = 0; k < N_SPECS; k++) {
    const tare_status status = profile_trtexec_read_list(profiles, texts[k], &lists[k], err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "shapes \"%s\"", texts[k]);
    }
  }
  tare_range *const profile = tarei_profiles_ones(profiles, err);
  bool given[TARE_MAX_SYMBOLS] = {false};
  tare_status status =
      profile ? profile_trtexec_combine(lists, profile, given, err) : TARE_E_MEMORY;
  if (status == TARE_OK) {
    status = tarei_profiles_derive(profiles, given, profile, err);
  }
  if (status == TARE_OK) {
    status = tarei_profiles_append(profiles, profile, err);
  }
  free(profile);
  return status;
}
