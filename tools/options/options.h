/*
 * Groups of options that several commands take. Each group is an argp child: a command lists the
 * group's argp in its children and hands the group's struct over as that child's input. Zero is the
 * default of every struct; texts belong to argv.
 */
#ifndef TAREI_TOOLS_OPTIONS_OPTIONS_H
#define TAREI_TOOLS_OPTIONS_OPTIONS_H

#include <tare/tare.h>

#include "tools/cli.h"

/* Keys of long options; one range for all groups, so that no two clash. */
enum option_key {
  OPT_FIRST = 256,
  OPT_THREADS,
  OPT_ISA,
  OPT_JSON,
  OPT_PROGRESS,
  OPT_PROFILE,
  OPT_PROFILE_FILE,
  OPT_MIN_SHAPES,
  OPT_OPT_SHAPES,
  OPT_MAX_SHAPES,
  OPT_RATE,
  OPT_FEATURES,
  OPT_LABELS,
  OPT_MAP,
  OPT_ROWS,
  OPT_SKIP_BAD,
  OPT_LIMIT,
  OPT_ALLOW_EXTERNAL,
  OPT_LIMITS, /* one key for each limit */
  OPT_LIMITS_END = OPT_LIMITS + 64,
  OPT_FIT,
  OPT_OUTSIDE,
  OPT_PAD_VALUE,
  OPT_LENGTH_INPUT,
  OPT_METHOD,
  OPT_PERCENTILE,
  OPT_PER_PROFILE,
  OPT_PROFILE_INDEX,
  OPT_SETTINGS, /* one key for each option of a format of tables */
  OPT_SETTINGS_END = OPT_SETTINGS + 32,
  OPT_METRIC,
  OPT_ALPHABET,
  OPT_OUTPUT_INDEX,
  OPT_BUILD, /* keys of opt_build.c */
  OPT_BUILD_END = OPT_BUILD + 32,
  OPT_STATE,
  OPT_CHUNK,
  OPT_HOP,
  OPT_SET,
  OPT_COMMAND /* a command's own keys begin here */
};

typedef struct opt_common {
  int threads; /* 0: all cores */
  const char *isa;
  bool json, quiet, verbose, progress;
  struct opt_limits {
    tare_limits limits;
    const char *external_folder;
  } files;
} opt_common;

/* One profile as the user wrote it. */
typedef struct opt_profile {
  const char *spec, *file;     /* one of them, or else shapes */
  const char *min, *opt, *max; /* trtexec's shapes */
} opt_profile;

typedef struct opt_profiles {
  opt_profile *items;
  int n;
  int *shapes, n_shapes; /* items that are trtexec's profiles 0, 1, ... */
  int current;           /* trtexec profile that the next *Shapes option belongs to */
  bool from_data;        /* --profile auto */
} opt_profiles;

typedef struct opt_data {
  int rate;
  const char *features, *labels;
  tare_mapping *maps;
  int n_maps;
  bool skip_bad, rows;
  int64_t limit;
} opt_data;

typedef struct opt_fit {
  tare_fit fit;
  tare_outside outside;
  tare_pad_value *pads;
  int n_pads;
  cli_list lengths; /* declarations, INPUT=AXIS */
} opt_fit;

typedef struct opt_table {
  const char *method; /* NULL: minmax */
  double percentile;  /* 0: the method's default */
  bool per_profile;
  int profile_index;  /* of the one that a format holds; -1: none was given */
  const char *settings[OPT_SETTINGS_END - OPT_SETTINGS]; /* options of formats; NULL: not given */
} opt_table;
#define OPT_TABLE_NONE ((opt_table){.profile_index = -1})

typedef struct opt_metric {
  int metric; /* its number; -1: none */
  const char *alphabet;
  int output;
} opt_metric;
#define OPT_METRIC_NONE ((opt_metric){.metric = -1})

/* A value that an input takes for good. */
typedef struct opt_set {
  const char *input;
  double value;
} opt_set;

typedef struct opt_streaming {
  cli_list states; /* "output:input" */
  bool no_states;  /* not even those that names tell */
  const char *chunk;
  int64_t hop;
} opt_streaming;

typedef struct opt_model {
  opt_set *sets;
  int n_sets;
} opt_model;

/* Makes the groups whose options are rows of the library; before any of them is used. */
void opt_prepare(void);
void opt_limits_prepare(void);
void opt_table_prepare(void);

/* As cli_end, and with --json also an object on stdout that says what went wrong. `command` is
 * "tare <command>". */
int opt_end(const char *command, const opt_common *options, tare_status status,
            const tare_error *err);

/* The input of opt_build_argp is a tare_build_options. */
extern const struct argp opt_common_argp, opt_limits_argp, opt_profiles_argp, opt_data_argp, opt_fit_argp,
    opt_table_argp, opt_metric_argp, opt_build_argp, opt_streaming_argp, opt_model_argp;

/* Free what the parsing gathered. */
void opt_profiles_fini(opt_profiles *options);
void opt_data_fini(opt_data *options);
void opt_fit_fini(opt_fit *options);
void opt_streaming_fini(opt_streaming *options);
void opt_model_fini(opt_model *options);

/* Loads a model and applies the options. A file of another kind is named for what it is. */
tare_status opt_model_load(const opt_model *options, const opt_common *common, const char *path,
                           tare_model **out, tare_error *err);

/* Gives inputs of a model their values for good. */
tare_status opt_model_apply(const opt_model *options, tare_model *model, tare_error *err);

/* Profiles were given in some form. */
bool opt_profiles_given(const opt_profiles *options);

/* Adds the files that hold profiles to a list. */
void opt_profiles_files(const opt_profiles *options, cli_list *files);

/* Adds what the user gave to a set. */
tare_status opt_profiles_apply(const opt_profiles *options, tare_profiles *profiles,
                               tare_error *err);

/* How models and plans are read under the limits of the options, which are kept. */
tare_load_options opt_load(const opt_common *options);

/* Opens data for a model's or plan's inputs. */
tare_status opt_data_open(const opt_data *options, const opt_common *common, const cli_list *paths,
                          const tare_port *inputs, int n_inputs, tare_dataset **out,
                          tare_error *err);

/* After a failure: samples that no profile held may still be fitted, and this says how. */
void opt_fit_hint(const opt_fit *options, const tare_error *err);

/* Ends the parse where options are for other formats than the one that is written (-1: none), or
 * have values that it does not take. */
void opt_table_check(const struct argp_state *state, const opt_table *table, int format);

/* Ends the parse where labels have no metric to read them, or a metric has no labels. */
void opt_metric_check(const struct argp_state *state, const opt_metric *metric,
                      const opt_data *data);

/* The number of a method; ends the parse with a sentence that lists them when this is none. */
int opt_method(const struct argp_state *state, const char *method);

/* "minmax, entropy, ..."; the caller frees it. */
char *opt_methods(void);

#endif
