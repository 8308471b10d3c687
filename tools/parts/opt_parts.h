/* Options of a calibration that counts a part of the data, or is continued later. */
#ifndef TAREI_TOOLS_PARTS_OPT_PARTS_H
#define TAREI_TOOLS_PARTS_OPT_PARTS_H

#include <argp.h>

#include "tools/options/options.h"

typedef struct opt_parts {
  const char *shard;    /* as given, or NULL */
  int64_t index, count; /* of shards; 0: all data */
  const char *checkpoint;
  double seconds; /* between checkpoints */
  bool resume;
  double silence;   /* seconds after which a rank of mpirun is given up */
  cli_list counted; /* files of statistics whose samples are left out */
} opt_parts;

extern const struct argp opt_parts_argp;

void opt_parts_fini(opt_parts *options);

/* Says which shard this process has, where a launcher has decided it, and gives it to `data`. */
tare_status opt_parts_place(opt_parts *options, const opt_common *common, opt_data *data,
                            tare_error *err);

/* Statistics that the options name. */
typedef struct opened_parts {
  tare_stats *resumed;
  const tare_stats **counted;
  int n_counted;
} opened_parts;

/* Reads them, and sets what `o` says about them. */
tare_status parts_open(const opt_parts *options, const opt_common *common,
                       tare_calibrate_options *o, opened_parts *out, tare_error *err);
void parts_close(opened_parts *p);

/* After a calibration: removes the checkpoint, or says how to go on from it. */
void parts_end(const opt_parts *options, const opt_common *common, tare_status status);

#endif
