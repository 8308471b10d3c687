#include "tools/options/formats.h"

#include <stdlib.h>

#include "tools/cli.h"

bool format_is_any(const tare_table_format *const format) {
  return format != NULL;
}

bool format_is_own(const tare_table_format *const format) {
  return !format->engine;
}

bool format_holds_one(const tare_table_format *const format) {
  return !format->per_profile;
}

/* A text of each format that passes, made by `one`; `last` is before the last. */
static char *formats_join(format_filter *const filter, const char *const before,
                          char *(*const one)(const tare_table_format *, const char *),
                          const char *const last) {
  const int most = tare_n_table_formats();
  char **const items = cli_realloc(NULL, (size_t)most, sizeof *items);
  int n = 0;
  for (int i = 0; i < most; i++) {
    if (filter(tare_table_format_at(i))) {
      items[n++] = one(tare_table_format_at(i), before);
    }
  }
  char *const text = cli_join((const char *const *)items, n, last);
  for (int i = 0; i < n; i++) {
    free(items[i]);
  }
  free(items);
  return text;
}

static char *with_extension(const tare_table_format *const format, const char *const before) {
  return cli_format("%s%s", before, format->extension);
}

char *format_extensions(format_filter *const filter, const char *const before) {
  return formats_join(filter, before, with_extension, " or ");
}

static char *with_noun(const tare_table_format *const format, const char *const before) {
  return cli_format("%s%s for %s", before, format->extension, format->noun);
}

char *format_list(void) {
  return formats_join(format_is_any, "", with_noun, ", ");
}

void format_check_name(const struct argp_state *const state, const char *const path) {
  if (path && tare_table_format_of(path) < 0) {
    char *const tables = format_extensions(format_is_any, "");
    argp_error(state, "cannot tell the format from the name '%s': use %s", path, tables);
    free(tables);
  }
}

const tare_table_option *format_option(const int k, int *const format) {
  int left = k;
  for (*format = 0; *format < tare_n_table_formats(); ++*format) {
    const tare_table_format *const f = tare_table_format_at(*format);
    if (left < f->n_options) {
      return &f->options[left];
    }
    left -= f->n_options;
  }
  return NULL;
}
