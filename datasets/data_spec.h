/* The options of a data set: a copy of tare_dataset_options that lives as long as the data set. */
#ifndef TAREI_DATASETS_DATA_SPEC_H
#define TAREI_DATASETS_DATA_SPEC_H

#include <tare/dataset.h>

#include "base/error.h"
#include "base/str.h"
#include "datasets/features/features.h"
#include "datasets/gain.h"
#include "datasets/lengths/length_filter.h"
#include "datasets/names/unfed.h"
#include "datasets/tokenizer/tokenizer.h"

typedef struct tarei_data_spec {
  tare_port *inputs; /* the value of a dim is 0 where it may be empty: as the model
                        fixes it, or with a symbol, which otherwise has -1 */
  int n_inputs;
  tarei_unfed states; /* inputs of the model that the data do not feed */
  int rate;
  int channel;                /* of audio, from 1; 0: the mean of all */
  int threads;                /* 0: one per core */
  tarei_features *features;   /* of audio, or NULL */
  char *features_text;        /* of the option, or NULL */
  char *labels;               /* or NULL */
  tarei_tokenizer *tokenizer; /* of texts, or NULL */
  struct tarei_feed *feed;    /* instead of files, or NULL */
  char *text, *pair;          /* columns of texts, or NULL */
  bool whole_files;           /* a text file is one sample */
  tare_mapping *mappings;
  int n_mappings;
  bool skip_bad, rows;
  bool dims_only; /* set and cleared between passes: the contents of audio are not needed */
  int64_t limit;  /* 0 for all */
  int64_t shard, n_shards;                  /* 0 shards: all samples */
  bool (*wants)(void *user, int64_t index); /* NULL: all samples */
  void *wants_user;
  int64_t *kept; /* indices of the samples that were chosen, ascending; NULL: all */
  size_t n_kept;
  tare_choice choice; /* how */
  tarei_gain gain;    /* levels of each sample */
  bool *waveforms;    /* [n_inputs]: the gain applies to this input of data that hold tensors */
  tarei_length_filter lengths;
  tare_profiles *covered;  /* samples that none of them covers are left out; NULL: all stay */
  tare_sample_check check; /* NULL: none */
  void *check_user;
  int64_t most;  /* samples that are given; 0 for all */
  uint64_t seed; /* of what a model draws for them */
  tare_limits limits;
} tarei_data_spec;

/* Checks and copies options. TARE_E_USAGE for options that are wrong for any data. `out` must be
 * zeroed, and may be partly filled after a failure; free it with _fini either way. */
tare_status tarei_data_spec_copy(const tare_dataset_options *options, tarei_data_spec *out,
                                 tare_error *err);
void tarei_data_spec_fini(tarei_data_spec *spec);

/* For messages about data that do not fit: " (texts need --tokenizer)" where texts could feed the
 * model, whose inputs are all integers, and there is none; else "". */
const char *tarei_data_spec_hint(const tarei_data_spec *spec);

/* The same where a file lacks an input by its name: " (--map INPUT=NAME reads it from another
 * name)", for inputs without a mapping; else "". */
void tarei_data_spec_add_map_hint(const tarei_data_spec *spec, const char *name, tarei_str *text);

/* The mapping of an input or label, or NULL. */
const tare_mapping *tarei_data_spec_mapping(const tarei_data_spec *spec, const char *name);

#endif
