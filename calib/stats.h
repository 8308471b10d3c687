/*
 * Statistics: an accumulator per tensor and bucket, and a description of model and data. None of it
 * depends on the order of the data, on threads, folders or times.
 */
#ifndef TAREI_CALIB_STATS_H
#define TAREI_CALIB_STATS_H

#include <tare/calib.h>

#include "calib/accumulator.h"
#include "calib/parts/ledger.h"
#include "calib/parts/settings.h"
#include "calib/parts/sums.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/rounding.h"
#include "graph/table/smoothing.h"

typedef struct tarei_stats_profile {
  char *spec;
  int64_t n_samples;
} tarei_stats_profile;

typedef struct tarei_stats_tensor {
  char *name;
  tarei_accumulator *buckets; /* [n_profiles] */
  bool is_read;               /* by an int8 layer, once the model is quantized */
} tarei_stats_tensor;

/* A tensor of the model with the values of an observed one in another order or shape. */
typedef struct tarei_stats_alias {
  char *name, *source;
} tarei_stats_alias;

/* Which parts of the data of a run are counted. */
typedef struct tarei_shards {
  int64_t count;  /* parts of the data; 0: it was not divided */
  uint64_t data;  /* hash of the names of its files (tare_dataset_hash) */
  int64_t *items; /* those that are counted, ascending */
  size_t n, cap;
} tarei_shards;

struct tare_stats {
  uint64_t model_hash;
  char *model_name; /* of the file, without its folder */
  tare_fit fit;
  bool counts_padding;
  bool all_tensors; /* every float tensor of the model was observed */
  char *gain_range; /* of the data; NULL without one */
  int n_profiles;
  tarei_stats_profile *profiles;
  int n_inputs;
  char **inputs; /* in model order */
  int n_tensors;
  tarei_stats_tensor *tensors; /* sorted by name */
  int n_aliases;
  tarei_stats_alias *aliases; /* sorted by name */
  tarei_roundings roundings;  /* of the weights of layers */
  tarei_smoothings
      smoothings; /* with a column for each profile; without data INFINITY, -INFINITY */
  tarei_numbers numbers[TAREI_NUMBERS_COUNT]; /* of the channels of layers */
  tarei_settings settings;
  tarei_ledger ledger; /* sorted */
  bool has_ledger;     /* files of older versions have none */
  bool has_origins;    /* likewise; a sum with such a file has none */
  bool partial;        /* a pass over data that did not end */
  tarei_shards shards;
  tarei_sums *sums; /* for what is still to be decided; NULL: nothing is */
};

/* Allocates statistics of these sizes; all names are NULL, and all accumulators empty. */
tare_status tarei_stats_new(int n_profiles, int n_inputs, int n_tensors, int n_aliases,
                            tare_stats **out, tare_error *err);

/* Sorts tensors, aliases and roundings by name. */
void tarei_stats_sort(tare_stats *stats);

/* The tensor of a name, of sorted statistics; or NULL. */
const tarei_stats_tensor *tarei_stats_find_tensor(const tare_stats *stats, const char *name);

/* Adds the counts of sorted statistics, tensor by name, to others of the same tensors in any order.
 * TARE_E_INPUT, with the name of a tensor that only one of them has. */
tare_status tarei_stats_add(tare_stats *sum, const tare_stats *sorted, tare_error *err);

/* Adds the buckets of a tensor to an empty accumulator. */
tare_status tarei_stats_merged(const tarei_stats_tensor *tensor, int n_profiles,
                               tarei_accumulator *out, tare_error *err);

/* Rows of a sample, on average, in an accumulator of a profile, or of all (-1); NAN where weights
 * made shares of their numbers. */
double tarei_stats_rows(const tare_stats *stats, const tarei_accumulator *a, int profile);

#endif
