/* Families of the library, and small ones of the command, as options and help name them. */
#ifndef TAREI_TOOLS_OPTIONS_FAMILIES_H
#define TAREI_TOOLS_OPTIONS_FAMILIES_H

#include <tare/calib.h>

#include "tools/cli.h"

cli_family family_methods(void), family_metrics(void), family_presets(void) /* of features */;
cli_family family_isas(void);             /* CPU features */
cli_family family_targets(void);          /* of quantized models */
cli_family family_fits(void);             /* numbers are those of tare_fit */
cli_family family_outsides(void);         /* and of tare_outside */
cli_family family_paddings(void);         /* in statistics; 1: counted */
cli_family family_roundings(void);        /* of weights in statistics; 1: to nearest */
cli_family family_corrections(void);      /* of biases; 1: on */
cli_family family_weights(void);          /* numbers are those of tare_weight */
cli_family family_strata(void);           /* 0: by length */
cli_family family_clippings(void);        /* numbers are those of tare_clipping */
cli_family family_smoothings(void);       /* numbers are those of tare_smoothing */
cli_family family_constraints(void);      /* and of tare_constraints */
cli_family family_table_roundings(void);  /* that a build applies; 1: to nearest */
cli_family family_table_smoothings(void); /* that a build applies; 1: none */
cli_family family_raisings(void);         /* of layers in tables; 1: off */
cli_family family_written_raisings(void); /* the same in models that are written */
cli_family family_small_layers(void);     /* 1: int8 */

/* Methods that take a percentile, metrics that take an option of metrics (by its number), and
 * metrics that read labels: joined as by cli_join. The caller frees them. */
char *family_percentile_methods(const char *last);
char *family_metrics_with(int option, const char *last);
char *family_label_metrics(const char *last);

/* A help text with the members of a family behind it, and what each means. Takes the text as it is
 * in the options; argp frees the other. */
char *family_help(const char *text, const cli_family *family);

#endif
