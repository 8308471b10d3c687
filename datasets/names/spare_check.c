#include "datasets/names/spare_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "shapes/streaming.h"

enum { LISTED = 8 };

/* Labels are often there, and fit much. */
static bool is_answer(const char *const name) {
  static const char *const NAMES[] = {"label", "target", "class"};
  bool is = false;
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
    is = is || strncmp(name, NAMES[i], strlen(NAMES[i])) == 0;
  }
  return is;
}

static bool spare_is_output(const tarei_data_spec *const spec, const char *const name) {
  bool is = false;
  for (int i = 0; i < spec->states.n_outputs; i++) {
    is = is || strcmp(spec->states.outputs[i], name) == 0;
  }
  return is;
}

/* --- states ----------------------------------------------------------------------------------- */

/* How an array is like an input that was taken for a state, for messages; NULL: it is not. */
static const char *state_likeness(const tarei_spare *const spare,
                                  const tarei_unfed_input *const unfed,
                                  const tarei_data_spec *const spec) {
  const bool taken = spare->taken && tarei_names_alike(spare->name, spec->inputs[0].name);
  if (tarei_names_alike(spare->name, unfed->port.name)) {
    return taken ? NULL : "is near";
  }
  const bool of_kind = !spare->taken && !is_answer(spare->name) &&
                       (unfed->weak || (spare->rank >= 0 && tarei_state_name_tells(spare->name)));
  return of_kind && !spec->states.in_chunks && tarei_spare_fits(spare, &unfed->port) ? "fits"
                                                                                     : NULL;
}

static bool is_unfed(const tarei_data_spec *const spec, const char *const name) {
  bool is = false;
  for (int i = 0; i < spec->states.n_inputs; i++) {
    is = is || strcmp(spec->states.inputs[i].port.name, name) == 0;
  }
  return is;
}

static const tarei_unfed_input *find_state_of(const tarei_spare *const spare,
                                              const tarei_data_spec *const spec,
                                              const char **const how) {
  if (is_unfed(spec, spare->name) || spare_is_output(spec, spare->name)) {
    return NULL;
  }
  for (int i = 0; i < spec->states.n_inputs; i++) {
    *how = state_likeness(spare, &spec->states.inputs[i], spec);
    if (*how) {
      return &spec->states.inputs[i];
    }
  }
  return NULL;
}

/* Data that have the state itself: chunks begin with zeros all the same, but a whole sample is
 * meant to have it. */
static tare_status check_has_no_state(const tarei_spare *const spare,
                                      const tarei_data_spec *const spec, tare_error *const err) {
  return spec->states.in_chunks || !is_unfed(spec, spare->name)
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "input '%s' was taken for a state, but the data have an array of this "
                          "name: declare the state, or feed the input",
                          spare->name);
}

tare_status tarei_spares_check(const tarei_spares *const spares, const tarei_data_spec *const spec,
                               tare_error *const err) {
  for (size_t i = 0; i < spares->n; i++) {
    const char *how = NULL;
    const tarei_spare *const spare = &spares->items[i];
    TAREI_TRY(check_has_no_state(spare, spec, err));
    const tarei_unfed_input *const unfed = find_state_of(spare, spec, &how);
    if (unfed) {
      const char *const name = unfed->port.name;
      return tarei_fail(err, TARE_E_INPUT,
                        "no data for input '%s', and array '%s', which %s, %s '%s' (--map %s=%s "
                        "reads it, --state %s:%s takes the input for a state)",
                        name, spare->name,
                        spare->taken ? "another input would take" : "no input takes", how, name,
                        name, spare->name, unfed->output, name);
    }
  }
  return TARE_OK;
}

/* --- inputs without data ---------------------------------------------------------------------- */

/* Adds a name to a list of which LISTED are shown. */
static void add_listed(tarei_str *const list, const int n, const char *const name) {
  if (n < LISTED) {
    tarei_str_add(list, "%s'%s'", n ? ", " : "", name);
  }
}

static void end_list(tarei_str *const list, const int n) {
  if (n > LISTED) {
    tarei_str_add(list, " and %d more", n - LISTED);
  }
}

static int list_missing(const tarei_data_spec *const spec, const bool *const missing,
                        tarei_str *const list) {
  int n = 0;
  for (int i = 0; i < spec->n_inputs; i++) {
    if (missing[i]) {
      add_listed(list, n++, spec->inputs[i].name);
    }
  }
  end_list(list, n);
  return n;
}

static int list_spares(const tarei_spares *const spares, const tarei_data_spec *const spec,
                       tarei_str *const list) {
  int n = 0;
  for (size_t i = 0; i < spares->n; i++) {
    const tarei_spare *const spare = &spares->items[i];
    if (!spare->taken && !is_unfed(spec, spare->name)) {
      add_listed(list, n++, spare->name);
    }
  }
  end_list(list, n);
  return n;
}

/* The input that an array is nearest to, of n names; -1: it is near none. */
static int nearest_input(const tarei_spare *const spare, const char *const *const names,
                         const int n) {
  for (int i = 0; i < n; i++) {
    if (tarei_names_alike(spare->name, names[i])) {
      return i;
    }
  }
  return tare_nearest_name(spare->name, names, n);
}

/* "'embed' is near 'embeds'" for each array, and how they are mapped. An input is named once. */
static void add_near(const tarei_spares *const spares, const char **const names, int n,
                     tarei_str *const near, tarei_str *const map) {
  int said = 0;
  for (size_t i = 0; i < spares->n && said < LISTED; i++) {
    const tarei_spare *const spare = &spares->items[i];
    const int input = spare->taken ? -1 : nearest_input(spare, names, n);
    if (input >= 0) {
      tarei_str_add(near, "%s'%s' is near '%s'", said ? ", " : "; ", spare->name, names[input]);
      tarei_str_add(map, "%s--map %s=%s", said ? " " : "", names[input], spare->name);
      names[input] = names[--n];
      said++;
    }
  }
}

/* Says which arrays may be meant, or which option names them. */
static void add_advice(const tarei_spares *const spares, const tarei_data_spec *const spec,
                       const bool *const missing, tarei_str *const near, tarei_str *const hint) {
  const char **const names = tarei_calloc((size_t)spec->n_inputs, sizeof *names);
  tarei_str map = {0};
  int n = 0;
  for (int i = 0; names && i < spec->n_inputs; i++) {
    if (missing[i]) {
      names[n++] = spec->inputs[i].name;
    }
  }
  const char *const first = n ? names[0] : "";
  if (n) {
    add_near(spares, names, n, near, &map);
  }
  if (map.length) {
    tarei_str_add(hint, " (%s)", tarei_str_get(&map));
  } else {
    tarei_data_spec_add_map_hint(spec, first, hint);
  }
  tarei_str_free(&map);
  free(names);
}

tare_status tarei_spares_fail(const tarei_spares *const spares, const tarei_data_spec *const spec,
                              const bool *const missing, tare_error *const err) {
  tarei_str inputs = {0}, arrays = {0}, near = {0}, hint = {0};
  const int n_inputs = list_missing(spec, missing, &inputs);
  const int n_arrays = list_spares(spares, spec, &arrays);
  add_advice(spares, spec, missing, &near, &hint);
  const tare_status status = tarei_fail(
      err, TARE_E_INPUT, "no data for input%s %s; arrays that no input takes: %s%s%s",
      n_inputs > 1 ? "s" : "", tarei_str_get(&inputs), n_arrays ? tarei_str_get(&arrays) : "none",
      tarei_str_get(&near), tarei_str_get(&hint));
  tarei_str_free(&inputs);
  tarei_str_free(&arrays);
  tarei_str_free(&near);
  tarei_str_free(&hint);
  return status;
}
