/* Where a command writes; looked at before long work, not after it. */
#ifndef TARE_TOOLS_OUTPUT_H
#define TARE_TOOLS_OUTPUT_H

#include "tools/cli.h"

/* TARE_E_USAGE when path is one of the inputs, under whatever name; TARE_E_IO when no file can be
 * made there. Inputs may be NULL or missing. */
tare_status output_check(const char *path, const cli_list *inputs, tare_error *err);

#endif
