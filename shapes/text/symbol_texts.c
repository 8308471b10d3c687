/* What messages say of symbols: which axes have them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "shapes/profile_set.h"

enum { SHOWN_AXES = 3 };

/* "s72" and "u0", as PyTorch counts them. */
static bool is_counted_name(const char *const name) {
  const size_t digits = strspn(name + (*name != 0), "0123456789");
  return (*name == 's' || *name == 'u') && digits && !name[digits + 1];
}

static void add_axis(tarei_str *const text, const int before, const tare_port *const port,
                     const int axis) {
  if (before < SHOWN_AXES) {
    tarei_str_add(text, "%s%s axis %d", before ? ", " : "", port->name, axis);
  }
}

/* The texts of all symbols, each of which has `counts` axes in the end. */
static void gather_axes(const tare_profiles *const set, tarei_str *const texts, int *const counts) {
  for (int i = 0; i < set->n_inputs; i++) {
    for (int axis = 0; axis < set->inputs[i].rank; axis++) {
      const int s = set->dim_symbols[i][axis];
      if (s >= 0) {
        add_axis(&texts[s], counts[s]++, &set->inputs[i], axis);
      }
    }
  }
}

static bool describe_symbol(tare_profiles *const set, const int symbol, tarei_str *const axes,
                            const int count) {
  const char *const name = set->symbols[symbol];
  tarei_str label = {0};
  tarei_str_add(&label, "%s", name);
  if (is_counted_name(name)) {
    const char *const comma = strchr(tarei_str_get(axes), ',');
    const int n = comma ? (int)(comma - tarei_str_get(axes)) : (int)axes->length;
    tarei_str_add(&label, " (%.*s)", n, tarei_str_get(axes));
  }
  if (count > SHOWN_AXES) {
    tarei_str_add(axes, " and %d more", count - SHOWN_AXES);
  }
  set->axes[symbol] = axes->text;
  set->labels[symbol] = label.text;
  const bool good = !axes->failed && !label.failed;
  *axes = (tarei_str){0};
  return good;
}

tare_status tarei_profiles_describe(tare_profiles *const set, tare_error *const err) {
  const size_t n = (size_t)set->n_symbols;
  tarei_str *const texts = tarei_calloc(n, sizeof *texts);
  int *const counts = tarei_calloc(n, sizeof *counts);
  set->axes = tarei_calloc(n, sizeof *set->axes);
  set->labels = tarei_calloc(n, sizeof *set->labels);
  bool good = texts && counts && set->axes && set->labels;
  if (good) {
    gather_axes(set, texts, counts);
    for (int s = 0; s < set->n_symbols; s++) {
      good = describe_symbol(set, s, &texts[s], counts[s]) && good;
    }
  }
  free(texts);
  free(counts);
  return good ? TARE_OK : tarei_fail_memory(err, "profiles", n * sizeof *texts);
}

const char *tare_profiles_axes(const tare_profiles *const profiles, const int symbol) {
  return tarei_has_number(symbol, profiles->n_symbols) ? profiles->axes[symbol] : NULL;
}

const char *tare_profiles_label(const tare_profiles *const profiles, const int symbol) {
  return tarei_has_number(symbol, profiles->n_symbols) ? profiles->labels[symbol] : NULL;
}
