/* What `tare debug reduce` found, and the commands that show it again. */
#ifndef TAREI_TOOLS_DEBUG_REDUCE_SHOW_H
#define TAREI_TOOLS_DEBUG_REDUCE_SHOW_H

#include "tools/debug/reduce.h"
#include "tools/json_out.h"

/* What was written for a part. */
typedef struct reduced_files {
  char *model, *data, *table; /* NULL: not written; owned */
} reduced_files;

typedef struct reduce_results {
  const reduction *r;
  const reduced_files *files;
  const tare_build_options *requests; /* of the part */
  const trial *last;                  /* of the part as it was written; its model is NULL where it
                                         cannot be loaded */
} reduce_results;

void reduce_print(const reduce_results *results);
void reduce_json(cJSON *object, const reduce_results *results);

#endif
