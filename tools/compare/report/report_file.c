#include "tools/compare/report/report_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

#include "tools/cli.h"

typedef struct report_format {
  const char *extension, *noun;
  char *(*make)(const cJSON *document);
} report_format;

static const report_format REPORT_FORMATS[] = {
#define TAREI_REPORT(id, extension, noun) {extension, noun, report_as_##id},
#include "tools/compare/report/reports.inc"
#undef TAREI_REPORT
};
enum { N_REPORT_FORMATS = sizeof REPORT_FORMATS / sizeof *REPORT_FORMATS };

int report_format_of(const char *const path) {
  for (int i = 0; i < N_REPORT_FORMATS; i++) {
    if (cli_ends_with(path, REPORT_FORMATS[i].extension)) {
      return i;
    }
  }
  return -1;
}

char *report_format_list(void) {
  char *text = NULL;
  for (int i = 0; i < N_REPORT_FORMATS; i++) {
    text = cli_append(text, "%sNAME%s for %s", i ? ", " : "", REPORT_FORMATS[i].extension,
                      REPORT_FORMATS[i].noun);
  }
  return text;
}

char *report_extensions(void) {
  const char *extensions[N_REPORT_FORMATS];
  for (int i = 0; i < N_REPORT_FORMATS; i++) {
    extensions[i] = REPORT_FORMATS[i].extension;
  }
  return cli_join(extensions, N_REPORT_FORMATS, " or ");
}

static tare_status report_file_write(const cJSON *const document, const char *const path,
                                     tare_error *const err) {
  const int format = report_format_of(path);
  assert(format >= 0);
  char *const text = REPORT_FORMATS[format].make(document);
  const tare_status status = tare_write_file(path, text, strlen(text), err);
  free(text);
  return status;
}

tare_status report_files_write(const cJSON *const document, const cli_list *const paths,
                               tare_error *const err) {
  for (int i = 0; i < paths->n; i++) {
    CLI_TRY(report_file_write(document, paths->items[i], err));
  }
  return TARE_OK;
}
