/* Agreement with float, of the kind that outputs have, as text, JSON and warnings. */
#ifndef TAREI_TOOLS_SHOW_AGREEMENT_H
#define TAREI_TOOLS_SHOW_AGREEMENT_H

#include "tools/json_out.h"
#include "tools/options/options.h"

/* "top-1 98.2 %", "edits 1.2 %", "cosine 0.9981", "equal 99.0 %"; "" where there is none. */
char *agreement_text(tare_agreement kind, double value, int decimals); /* free() it */

struct report;

/* The same in a table, and "-" where there is none. Below a head that names the kind there is only
 * the figure. */
void agreement_cell(struct report *r, tare_agreement head, const tare_eval_score *score);

/* The head of a column of figures of a kind: "top-1 %"; of several: "agreement". */
const char *agreement_head(tare_agreement kind);

/* Prints a line of figures, of what output where there are several, or nothing. */
void agreement_print(const tare_eval_result *result, bool several);

/* Adds "agreement": null where there is none. */
void agreement_json(cJSON *object, const tare_eval_score *score);

/* Warns of outputs whose SQNR is `good_db` or more although their answers are not those of float.
 */
void agreement_warn(const opt_common *common, const tare_eval_result *result,
                    const tare_port *outputs, double good_db);

#endif
