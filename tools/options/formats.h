/* Formats of tables, as options, help and messages speak of them. */
#ifndef TAREI_TOOLS_OPTIONS_FORMATS_H
#define TAREI_TOOLS_OPTIONS_FORMATS_H

#include <argp.h>
#include <tare/table.h>

typedef bool format_filter(const tare_table_format *format);

format_filter format_is_any, format_is_own /* for this engine */;
format_filter format_holds_one /* column of a table */;

/* "NAME.json or NAME.cache": extensions of the formats that pass, each behind `before`; the caller
 * frees it. */
char *format_extensions(format_filter *filter, const char *before);

/* ".json for a native table, .cache for a TensorRT cache"; the caller frees it. */
char *format_list(void);

/* Ends the parse if no format has the extension of a table that is to be written; NULL: none is. */
void format_check_name(const struct argp_state *state, const char *path);

/* The k-th option of all formats, and whose it is; NULL behind the last. */
const tare_table_option *format_option(int k, int *format);

#endif
