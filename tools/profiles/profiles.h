/* What `tare profiles` suggests: from the lengths of data, or from statistics by profile. */
#ifndef TAREI_TOOLS_PROFILES_PROFILES_H
#define TAREI_TOOLS_PROFILES_PROFILES_H

#include "tools/json_out.h"
#include "tools/options/options.h"

typedef struct profiles_options {
  opt_common common;
  opt_data data;
  cli_list paths;
  const char *model;  /* that the data feed, or NULL */
  const char *plan;   /* whose latency is to be the least; NULL: the least padding */
  const char *symbol; /* whose lengths are cut; NULL: the one with the most different ones */
  int count;          /* of profiles; 0: as few as `padding` allows */
  int most;           /* of these */
  double padding;     /* share of what runs, 0..1 */
  double within;      /* statistics: ranges that differ by no more than this share are one */
  int64_t min, max;   /* lengths to cover beyond those of the data; -1: none */
} profiles_options;

/* Print text, or fill `object` where it is not NULL. */
tare_status profiles_of_data(const profiles_options *options, cJSON *object, tare_error *err);
tare_status profiles_of_stats(const profiles_options *options, cJSON *object, tare_error *err);

/* The last lines: options to paste. */
void profiles_print_flags(const cli_list *specs);
void profiles_json_flags(cJSON *object, const cli_list *specs);

#endif
