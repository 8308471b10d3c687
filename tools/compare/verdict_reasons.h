/* The reasons of a verdict: facts about one pair of strategies as sentences. */
#ifndef TAREI_TOOLS_COMPARE_VERDICT_REASONS_H
#define TAREI_TOOLS_COMPARE_VERDICT_REASONS_H

#include "tools/compare/verdict.h"

/* "12.3 dB (10.1..14.5)", of a loss or a gain: whoever prints it says which. The caller frees it.
 */
char *verdict_loss_text(const verdict_pair *p, int metric);

/* Of what ran in a calibration. */
double verdict_padding_share(const grid_pass *pass);

/* Add one sentence each, where there is something to say and still room. */
void verdict_reason_loss(verdict *v, const grid *g, const verdict_pair *p, int metric);
void verdict_reason_scales(verdict *v, const grid *g, const verdict_pair *p);
void verdict_reason_padding(verdict *v, const grid *g, const verdict_pair *p);
void verdict_reason_drift(verdict *v, const grid *g);
void verdict_reason_clipping(verdict *v, const grid *g, int strategy);
void verdict_reason_equal(verdict *v, const grid *g, const verdict_pair *p); /* all in one line */
void verdict_reason_interval(verdict *v, const grid *g, const verdict_pair *p);

#endif
