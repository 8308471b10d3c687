/* A page that needs no network: page/page.html with the document inside. The build embeds it
 * (cmake/TarePage.cmake). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/compare/report/report_file.h"
#include "tools/json_out.h"

extern const unsigned char report_page_head[], report_page_tail[];

/* Characters by which a text could end its element are written as JSON's escapes. */
static char *html_escape_json(const char *const json) {
  enum { ESCAPE = sizeof "\\u003c" - 1 };
  size_t n = 0;
  for (const char *c = json; *c; c++) {
    n += strchr("<>&", *c) ? ESCAPE : 1;
  }
  char *const text = cli_realloc(NULL, n + 1, 1);
  char *to = text;
  for (const char *c = json; *c; c++) {
    if (strchr("<>&", *c)) {
      to += sprintf(to, "\\u%04x", (unsigned char)*c);
    } else {
      *to++ = *c;
    }
  }
  *to = '\0';
  return text;
}

char *report_as_html(const cJSON *const document) {
  char *const json = json_to_text(document);
  char *const escaped = html_escape_json(json);
  char *const page =
      cli_format("%s%s%s", (const char *)report_page_head, escaped, (const char *)report_page_tail);
  free(json);
  free(escaped);
  return page;
}
