/* Reports of `tare compare`: its JSON document (docs/json.md), written to a file in a format that
 * the name says. */
#ifndef TAREI_TOOLS_COMPARE_REPORT_REPORT_FILE_H
#define TAREI_TOOLS_COMPARE_REPORT_REPORT_FILE_H

#include <cjson/cJSON.h>
#include <tare/status.h>

#include "tools/cli.h"

/* A format makes the contents of a file of the document; the caller frees them. */
#define TAREI_REPORT(id, extension, noun) char *report_as_##id(const cJSON *document);
#include "tools/compare/report/reports.inc"
#undef TAREI_REPORT

/* The number of the format that a name ends in, or -1. */
int report_format_of(const char *path);

/* "NAME.html for a page with charts, NAME.md for ..."; the caller frees it. */
char *report_format_list(void);
/* ".html, .md, .csv or .json"; the caller frees it. */
char *report_extensions(void);

/* Writes reports; each file appears whole or not at all. The names must be those of formats
 * (asserted). */
tare_status report_files_write(const cJSON *document, const cli_list *paths, tare_error *err);

#endif
