/* The names of samples that statistics list by their contents. */
#ifndef TAREI_TOOLS_SHOW_SAMPLE_NAMES_H
#define TAREI_TOOLS_SHOW_SAMPLE_NAMES_H

#include <tare/evidence.h>

#include "tools/show/show.h"

typedef struct sample_name {
  tare_sample_id id;
  char *name;
} sample_name;

typedef struct sample_names {
  sample_name *items;
  int n;
} sample_names;

/* Those samples of the data in the options that set the range of a tensor; none without data. */
tare_status sample_names_find(const tare_stats *stats, const show_options *options,
                              sample_names *out, tare_error *err);
void sample_names_fini(sample_names *names);

/* The name of a sample, or NULL. */
const char *sample_names_get(const sample_names *names, tare_sample_id id);

/* Its hash as text, which the caller frees. */
char *sample_id_text(tare_sample_id id);

#endif
