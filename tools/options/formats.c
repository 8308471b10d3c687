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

/* Puts a text before what was gathered; takes that over. */
static char *formats_before(char *const text, const char *const more, const char *const between) {
  char *const all = cli_format("%s%s%s", more, text ? between : "", text ? text : "");
  free(text);
  return all;
}

char *format_extensions(format_filter *const filter, const char *const before) {
  char *text = NULL;
  int n = 0;
  for (int i = tare_n_table_formats() - 1; i >= 0; i--) {
    const tare_table_format *const format = tare_table_format_at(i);
    if (filter(format)) {
      char *const one = cli_format("%s%s", before, format->extension);
      text = formats_before(text, one, n == 1 ? " or " : ", ");
      free(one);
      n++;
    }
  }
  return text;
}

char *format_list(void) {
  char *text = NULL;
  for (int i = 0; i < tare_n_table_formats(); i++) {
    const tare_table_format *const format = tare_table_format_at(i);
    text = cli_append(text, "%s%s for %s", i ? ", " : "", format->extension, format->noun);
  }
  return text;
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
