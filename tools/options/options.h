/*
 * Groups of options that several commands take. Each group is an argp child: a command lists the
 * group's argp in its children and hands the group's struct over as that child's input. Structs
 * begin as zeros; where a default is another, the group sets it before it parses. Texts belong to
 * argv.
 */
#ifndef TAREI_TOOLS_OPTIONS_OPTIONS_H
#define TAREI_TOOLS_OPTIONS_OPTIONS_H

#include <tare/tare.h>

#include "tools/cli.h"

/* Where the keys of each group's long options begin, so that no two clash. */
enum option_keys {
  KEYS_COMMON = 0x100,
  KEYS_LIMITS = 0x200,
  KEYS_PROFILES = 0x300,
  KEYS_DATA = 0x400,
  KEYS_FIT = 0x500,
  KEYS_TABLE = 0x600,
  KEYS_PERCENTILE = 0x700,
  KEYS_METRIC = 0x800,
  KEYS_BUILD = 0x900,
  KEYS_STREAMING = 0xa00,
  KEYS_MODEL = 0xb00,
  KEYS_EXPORT = 0xc00,
  KEYS_BUILD_TABLE = 0xd00,
  KEYS_WEIGHT_METHODS = 0xe00,
  KEYS_PARTS = 0xf00,
  KEYS_CHOICE = 0x1000,
  KEYS_SEARCH_LIMIT = 0x1100,
  KEYS_AGREEMENT = 0x1200,
  KEYS_SEED = 0x1300,
  OPT_COMMAND = 0x1400 /* a command's own keys begin here */
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

typedef struct judge judge; /* tools/options/judge.h */

typedef struct opt_data {
  const char *given; /* name of the first of these options that was given, or NULL */
  int rate, channel;
  const char *features, *labels;
  tare_mapping *maps;
  int n_maps;
  const char *gain_range;
  cli_list waveforms;
  const char *tokenizer, *text, *text_pair, *special_tokens;
  bool text_files;
  int64_t max_tokens;
  bool skip_bad, rows;
  int64_t limit;
  int64_t shard, n_shards;                  /* of a calibration of parts; 0: all data */
  bool (*wants)(void *user, int64_t index); /* which samples this process is to have; NULL: all */
  void *wants_user;
  tare_length_bounds *lengths; /* samples of others are left out */
  int n_lengths;
  int64_t most;   /* samples that are given; 0: all. Not an option */
  uint64_t seed;  /* of the numbers that nodes draw, and of a choice of samples; its option is a
                     group of its own */
  bool seeded;    /* it was given */
  bool chooses;   /* samples are chosen by it; not an option */
  judge *judge;   /* of all copies of these options; NULL where they were not parsed */
  bool several;   /* the options are for several data sets, of different kinds maybe */
  cli_list empty; /* symbols along which tensors may be empty; not an option */
  const tare_streaming *streaming; /* whose states the data do not feed, or NULL; not an option */
} opt_data;

typedef struct opt_fit {
  tare_fit fit;
  tare_outside outside;
  tare_pad_value *pads;
  int n_pads;
  cli_list lengths; /* declarations, INPUT=AXIS */
} opt_fit;

enum { OPT_MOST_SETTINGS = 32 }; /* options of all formats of tables */

typedef struct opt_table {
  const char *method; /* NULL: minmax */
  double percentile;  /* 0: the method's default */
  bool per_profile;
  int profile_index;                       /* of the one that a format holds; -1: none was given */
  const char *settings[OPT_MOST_SETTINGS]; /* options of formats; NULL: not given */
} opt_table;

enum { OPT_MOST_METRIC_SETTINGS = 16 }; /* options of all metrics */

typedef struct opt_metric {
  int metric;                                             /* its number; -1: none */
  tare_metric_setting settings[OPT_MOST_METRIC_SETTINGS]; /* that were given */
  int n_settings;
  int output;
  int worst; /* how many samples to list; 0: none */
} opt_metric;

/* What statistics decide about weights and channels, beside ranges. */
typedef struct opt_weight_methods {
  bool rounding_given, round_to_nearest;
  tare_clipping clipping;
  bool bias_correction;
  tare_smoothing smoothing;
} opt_weight_methods;

/* Values that an input takes for good, also as they were given. */
typedef struct opt_set {
  const char *input, *text;
  double *values;
  int n_values;
} opt_set;

typedef struct opt_streaming {
  cli_list states; /* "output:input" */
  bool no_states;  /* not even those that names tell */
  const char *chunk;
  int64_t hop;
} opt_streaming;

typedef struct opt_export {
  tare_export_options options; /* without a table */
  int64_t most; /* bytes of a model; above, constants go beside it. 0: the limit of ONNX */
} opt_export;

typedef struct opt_model {
  opt_set *sets;
  int n_sets;
} opt_model;

/* Kinds of agreement that were given. */
typedef struct opt_agreement {
  tare_output_agreement *items;
  int n;
} opt_agreement;

/* MODEL DATA..., and the groups of every command that runs a model over data. */
typedef struct opt_inputs {
  opt_common common;
  opt_profiles profiles;
  opt_data data;
  opt_fit fit;
  opt_streaming streaming;
  opt_model model;
  const char *path;         /* MODEL or PLAN */
  cli_list paths;           /* DATA..., at least one unless no_data */
  bool no_data;             /* DATA may be missing */
  opt_agreement *agreement; /* NULL: none were given */
} opt_inputs;

/* Makes the groups whose options are rows of the library; before any of them is used. */
void opt_prepare(void);
void opt_limits_prepare(void);
void opt_table_prepare(void);
void opt_metric_prepare(void);

/* As cli_end, and with --json also an object on stdout that says what went wrong. `command` is
 * "tare <command>". */
int opt_end(const char *command, const opt_common *options, tare_status status,
            const tare_error *err);

extern const struct argp opt_common_argp, opt_limits_argp, opt_profiles_argp, opt_data_argp,
    opt_fit_argp, opt_table_argp, opt_metric_argp, opt_streaming_argp, opt_model_argp,
    opt_inputs_argp;
/* How long a search for layers may take, as a double; 0: the default. */
extern const struct argp opt_search_limit_argp;
extern const struct argp opt_seed_argp;       /* the opt_data */
extern const struct argp opt_agreement_argp;  /* the `agreement` of opt_inputs */
extern const struct argp opt_percentile_argp; /* its input is a double; 0: the default */
/* Text as a percentile that methods take; ends the parse otherwise, naming `option`. */
double opt_percentile_of(const struct argp_state *state, const char *option, const char *text);
extern const struct argp opt_build_argp;       /* a tare_build_options */
extern const struct argp opt_build_table_argp; /* that, and which decisions of a table it applies */
extern const struct argp opt_weight_methods_argp; /* an opt_weight_methods */
extern const struct argp opt_export_argp;         /* an opt_export */

/* Adds to a list of requests by layer name, "A,B", where an option is repeated. The list is for the
 * whole run of the command: nobody frees it. */
const char *opt_requests_add(char **list, const char *more);

/* What was given, with the table (NULL: none) and the features that kernels may use. `given` is
 * NULL where nothing could be, and its features count where none were given to the command. */
tare_build_options opt_build_options(const tare_build_options *given, const opt_common *common,
                                     const tare_table *table);
/* The same for plans that are judged: without --isa, on every machine those of machines that
 * multiply bytes, so that what is said of them does not depend on the machine. */
tare_build_options opt_trial_options(const tare_build_options *given, const opt_common *common,
                                     const tare_table *table);

/* Free what the parsing gathered. */
void opt_profiles_fini(opt_profiles *options);
void opt_data_fini(opt_data *options);
void opt_fit_fini(opt_fit *options);
void opt_streaming_fini(opt_streaming *options);
void opt_model_fini(opt_model *options);

/* Adds the files that a command reads to a list, NULL for those that were not given. */
void opt_inputs_files(const opt_inputs *options, cli_list *files);

/* As opt_end; also frees what the parsing gathered. */
int opt_inputs_end(const char *command, opt_inputs *options, tare_status status,
                   const tare_error *err);

/* Loads a model and applies the options. A file of another kind is named for what it is. */
tare_status opt_model_load(const opt_model *options, const opt_common *common, const char *path,
                           tare_model **out, tare_error *err);

/* Gives inputs of a model their values for good. */
/* What an export is told of these inputs: an array of n_sets, which the caller frees. */
tare_export_set *opt_model_sets(const opt_model *options);
tare_status opt_set_apply(const opt_set *set, tare_model *model, tare_error *err);
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

/* That what was given names outputs. */
tare_status opt_agreement_check(const opt_agreement *given, const tare_port *outputs, int n,
                                tare_error *err);

/* Opens data for a model's or plan's inputs. */
tare_status opt_data_open(const opt_data *options, const opt_common *common, const cli_list *paths,
                          const tare_port *inputs, int n_inputs, tare_dataset **out,
                          tare_error *err);

/* After a failure: samples that no profile held may still be fitted, and this says how. */
void opt_fit_hint(const opt_fit *options, const tare_error *err);

/* The same for a sample that a run refused: it may be skipped. */
void opt_data_hint(const opt_data *options, const tare_error *err);

/* Ends the parse where options are for other formats than the one that is written (-1: none), or
 * have values that it does not take. */
void opt_table_check(const struct argp_state *state, const opt_table *table, int format);

void opt_weight_methods_apply(const opt_weight_methods *given, tare_calibrate_options *options);

/* Ends the parse where something was asked for that a table of this name (NULL: none) cannot hold;
 * `places` names the files that can. */
void opt_weight_methods_check(const struct argp_state *state, const opt_weight_methods *given,
                              const char *table, const char *places);

/* Ends the parse where labels have no metric to read them, a metric lacks labels or a setting, or
 * has one that it does not take. */
void opt_metric_check(const struct argp_state *state, const opt_metric *metric,
                      const opt_data *data);
/* The same where metric and labels are for the data of an evaluation, of which there are `n_eval`.
 */
void opt_metric_check_eval(const struct argp_state *state, const opt_metric *metric,
                           const opt_data *data, int n_eval);

#endif
