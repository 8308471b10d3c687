/* Takes lengths at which a model cannot run out of those of its data. */
#ifndef TAREI_TOOLS_OPTIONS_JUDGE_LENGTHS_H
#define TAREI_TOOLS_OPTIONS_JUDGE_LENGTHS_H

#include "tools/options/judge.h"
#include "tools/options/lengths.h"

typedef struct judged {
  int64_t dropped; /* samples that prevent the profile of all */
  int64_t outside; /* of all samples: outside of the profile of the others */
} judged;

/* The profile of the lengths is what the model would run at; rows of samples that prevent that are
 * dropped. Nothing happens where the model can run, or it is not
 * lengths that it fails for. TARE_E_MEMORY */
tare_status judge_lengths(judge *j, const tare_model *model, lengths *l, judged *out,
                          tare_error *err);

#endif
