/* Warnings about a table: collected while it is made, then added to it as sentences. */
#ifndef TAREI_CALIB_TABLE_WARNINGS_H
#define TAREI_CALIB_TABLE_WARNINGS_H

#include "base/str.h"
#include "calib/stats.h"
#include "graph/table/table.h"

/* Some tensors: how many, and the names of the first ones. */
typedef struct tarei_name_list {
  int n;
  tarei_str names;
} tarei_name_list;

/* Counts a name, and shows it if it is one of the first; a failure is kept in `names`. */
void tarei_name_list_add(tarei_name_list *list, const char *name);

typedef struct tarei_clipped {
  const char *name; /* of the statistics */
  double energy_lost;
} tarei_clipped;

typedef struct tarei_findings {
  tarei_name_list dead, undefined, degenerate, quiet, unsettled, not_finite;
  tarei_clipped *clipped;
  int n_clipped;
  tarei_clipped
      in_profile; /* the one that loses most of its energy in a profile, though not in all */
  int profile, n_in_profile;
  size_t cap_clipped;
  bool failed; /* memory ran out; the report returns that error */
} tarei_findings;

void tarei_findings_fini(tarei_findings *f);
void tarei_findings_clipping(tarei_findings *f, const char *name, double energy_lost);
/* A threshold of all data loses so much in a profile, and so much in all. */
void tarei_findings_profile(tarei_findings *f, const char *name, int profile, double lost,
                            double lost_in_all);
void tarei_findings_degenerate(tarei_findings *f, const char *name, bool degenerate);
/* Checks the merged statistics of a tensor and its line of the table. */
void tarei_findings_tensor(tarei_findings *f, const char *name, const tarei_accumulator *all,
                           const tarei_cell *cell);
/* Whether its rows are few. A recording, which is one row, is not asked about. */
void tarei_findings_rows(tarei_findings *f, const char *name, const tarei_accumulator *all,
                         const tarei_cell *cell);

/* Adds the warnings to the table; sorts `clipped`. */
tare_status tarei_findings_report(tarei_findings *f, const tare_stats *stats, const char *method,
                                  tare_table *table, tare_error *err);

#endif
