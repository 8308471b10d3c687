/*
 * Tuning: searches a precision for each layer, so that a plan keeps a bound on its accuracy and is
 * as fast as that allows.
 *
 * Calls: tare_calibrate and tare_table_from_stats (or tare_table_read) for the scales, tare_tune,
 * then tare_tuned_plan and tare_tuned_requests. tare_plan_build with these requests gives the same
 * plan again.
 */
#ifndef TARE_TUNE_H
#define TARE_TUNE_H

#include <tare/eval.h>
#include <tare/export.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tare_tuned tare_tuned;

/** Times of layers that were measured on one machine or several: a timing cache. Of two times of
 *  the same thing, the shorter one is kept. Not for use by several threads at once. */
typedef struct tare_timings tare_timings;

/** How good and how fast a plan is, over the samples that it was checked with. */
typedef struct tare_tune_score {
  double sqnr_db;       /* of the outputs, compared with float (tare_eval_lowest_sqnr), of the worst
                           output; INFINITY if equal */
  bool has_metric;      /* the metric was computed: with a metric, on samples with labels */
  tare_difference drop; /* how much worse the metric is than that of the float plan, > 0: worse;
                           NAN if it was not computed or has no value */
  double seconds;       /* over a few samples: the sum over the layers, of each the shortest of
                           many runs */
  double float_seconds; /* of the float plan */
  int64_t samples;
  double integer_share; /* of the multiply-adds at the opt lengths of the first profile, 0..1 */
  bool holds;           /* the bounds */
  tare_interval sqnr;   /* the 95 % interval of sqnr_db, by a bootstrap over the samples; of fewer
                           than four samples sqnr_db itself */
  int64_t other_shapes; /* samples in which an output has another shape than in float */
  tare_agreement agreement_kind; /* as in tare_eval_score */
  int agreement_output;
  double agreement, agreement_tenth;
  bool agreement_is_low; /* of one of the outputs (tare_agreement_is_low) */
  void *reserved[1];     /* for later versions */
} tare_tune_score;

/** What a search does at a time. */
typedef enum tare_tune_phase {
  TARE_TUNE_FORMS = 0,  /* measures plans with one precision for all layers */
  TARE_TUNE_LAYERS = 1, /* measures what each layer costs in accuracy */
  TARE_TUNE_MIXES = 2,  /* builds and measures mixes of precisions */
} tare_tune_phase;

/** State of a search, as its progress function gets it. */
typedef struct tare_tune_state {
  tare_tune_phase phase;
  int done, total;       /* steps of the phase */
  tare_tune_score best;  /* the fastest plan so far that holds the bounds */
  tare_tune_score tried; /* the last mix; samples 0: none yet */
} tare_tune_state;

/** Reports progress. If it returns false, the search ends with the best plan so far. */
typedef bool (*tare_tune_progress_fn)(void *user, const tare_tune_state *state);

/** Options of tare_tune; set the defaults with tare_tune_options_init. */
typedef struct tare_tune_options {
  double sqnr_db;  /* lowest SQNR of the outputs compared with float: the lower end of the 95 %
                      interval. -INFINITY: no bound */
  double max_drop; /* how much worse the metric may be than that of the float plan: the
                      upper end of the 95 % interval, in the unit of the metric's value.
                      INFINITY: no bound */
  double min_integer_share; /* of the multiply-adds that must run on integers, 0..1; 0: no bound */
  bool all_precisions;      /* also bf16, beside int8, int8-rows, int16, int16-rows and fp32 */
  double seconds;           /* no new measurement begins after this time; 0: no limit */
  tare_timings *timings;    /* times that are known, to which those that are measured are added.
                               NULL: none are known */
  tare_build_options build; /* with a table or for a float model. Layers that its layer_precisions
                               name keep the precision that they ask for */
  tare_eval_options eval;   /* how samples run, and the metric; against, tensors, save_outputs and
                               progress are not used */
  tare_tune_progress_fn progress; /* NULL: none */
  void *progress_user;
  tare_dataset *calibrated; /* samples of the calibration, on which too a plan must reach sqnr_db:
                               on others it has no more. NULL: none */
  void *reserved[7];        /* for later versions; NULL */
} tare_tune_options;

/** A layer that has a choice. What it points to belongs to the result. */
typedef struct tare_tuned_layer {
  const char *name;        /* in the plan that is built without requests */
  const char *request;     /* glob that names it in a request */
  tare_precision standard; /* what it gets without requests */
  tare_precision chosen;
  /** Inputs louder than those of the data would exceed static scales. It has none, unless without
   *  requests or for a share of integers. With a gain range, which judges them at each level, it is
   *  false. */
  bool keeps_level;
  /** By tare_precision; NAN: not measured, or the layer does not have the precision. */
  double sqnr_db[TARE_MAX_PRECISIONS]; /* of the outputs with this layer alone quantized */
  double seconds[TARE_MAX_PRECISIONS]; /* of the layer, over the samples of the search */
  void *reserved[4];                   /* for later versions */
} tare_tuned_layer;

/** Sets the options to the defaults: no bounds, no limit. */
TARE_API void tare_tune_options_init(tare_tune_options *options);

/**
 * Searches the fastest mix of precisions that holds the bounds. The float plan always does, unless
 * requests in `build` or a share of integers say otherwise, so there is a plan from the beginning;
 * each better one takes its place. Times are measured, so two searches may end with different
 * plans.
 * @param model the model, which may be freed afterwards
 * @param profiles copied
 * @param search samples with which single layers are measured; read from the beginning many times
 * @param check samples with which plans are accepted; the same data set as `search`, or another.
 *        Those of the calibration have more accurate plans than others will
 * @param options at least one bound on the accuracy
 * @param out receives the result; free it with tare_tuned_free
 * @return TARE_OK, TARE_E_USAGE (no layer has a choice, or there is no
 * bound, or one of a metric without it), TARE_E_UNSUPPORTED (no plan holds the
 * bounds), TARE_E_CHECK (the search was ended before a plan held them), or an error of
 * tare_plan_build or tare_eval
 */
TARE_API tare_status tare_tune(const tare_model *model, const tare_profiles *profiles,
                               tare_dataset *search, tare_dataset *check,
                               const tare_tune_options *options, tare_tuned **out, tare_error *err);

/** The plan that was chosen, which belongs to the result. */
TARE_API const tare_plan *tare_tuned_plan(const tare_tuned *tuned);

/** Requests by name (tare_build_options.layer_precisions) that give the chosen plan, including
 *  those of the options; "" if none are needed. Belongs to the result. */
TARE_API const char *tare_tuned_requests(const tare_tuned *tuned);

/** Score of the chosen plan. */
TARE_API tare_tune_score tare_tuned_score(const tare_tuned *tuned);

/** Score of the plan that is built without the requests that were found. */
TARE_API tare_tune_score tare_tuned_standard(const tare_tuned *tuned);

/** How good the plans are at one level of the gain range of `check`. */
typedef struct tare_tuned_level {
  double gain_db;
  double sqnr_db, standard_sqnr_db; /* of the chosen plan, and of that without requests */
  void *reserved[4];                /* for later versions */
} tare_tuned_level;

/** Number of levels; 0 without a gain range. */
TARE_API int tare_tuned_n_levels(const tare_tuned *tuned);

/** A level by number, 0 .. tare_tuned_n_levels - 1, quietest first. */
TARE_API tare_tuned_level tare_tuned_get_level(const tare_tuned *tuned, int i);

/** Number of layers that are float because they decide lengths of outputs: a plan that missed the
 * bounds had other lengths than float with some samples. */
TARE_API int tare_tuned_n_lengths(const tare_tuned *tuned);

/** Number of plans that were built and measured as a whole. */
TARE_API int tare_tuned_n_plans(const tare_tuned *tuned);

/** Layers whose times were known and those that were measured, counted in each plan whose time was
 *  needed. */
typedef struct tare_tuned_times {
  int64_t known, measured;
  void *reserved[4]; /* for later versions */
} tare_tuned_times;

/** What the search needed of times. */
TARE_API tare_tuned_times tare_tuned_get_times(const tare_tuned *tuned);

/** Whether the search came to its end: false if its time was over, or its progress function ended
 *  it. */
TARE_API bool tare_tuned_is_complete(const tare_tuned *tuned);

/** Number of layers that have a choice. */
TARE_API int tare_tuned_n_layers(const tare_tuned *tuned);

/** A layer by number, 0 .. tare_tuned_n_layers - 1, most sensitive first. */
TARE_API tare_tuned_layer tare_tuned_get_layer(const tare_tuned *tuned, int i);

/**
 * Frees a result.
 * @param tuned the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_tuned_free(tare_tuned **tuned);

/** Models that are written for another engine, in place of plans with a table. */
typedef struct tare_raise_written {
  /**
   * Writes the model with requests in front of those of the user, as layer_precisions of
   * tare_export_options.
   * @param out NULL, or receives the export, whose end belongs to the caller
   * @param plan NULL, or receives a plan of what was written, likewise
   */
  tare_status (*make)(void *user, const char *requests, tare_export **out, tare_plan **plan,
                      tare_error *err);
  void *user;
  int profile;       /* whose samples judge, by all outputs together; -1: all samples */
  void *reserved[4]; /* for later versions; NULL */
} tare_raise_written;

/** Options of tare_raise_layers; set the defaults with tare_raise_options_init. */
typedef struct tare_raise_options {
  double below_db; /* an SQNR from which on nothing is done; 28. For models that are written
                      27, as they have little but float to raise layers to */
  double sqnr_db;  /* what a plan below it shall reach: 1 dB more */
  double seconds;  /* after this time what has been measured decides, and two plans at most
                      are judged; 0: no limit */
  double processor_seconds; /* the same of what the calling thread has had on a processor, which
                               other work on the machine does not change; 0: no limit */
  tare_build_options build; /* with a table, whose own requests do not count. Layers that its
                               layer_precisions name keep the precision that they ask for */
  tare_eval_options eval;   /* how samples run; the metric, against, tensors, save_outputs and
                               progress are not used */
  const tare_raise_written *written; /* what is judged, with the `isa` of `build`; NULL: plans of
                                        `build` */
  int64_t most_probes; /* measurements of single layers, after which what has been measured decides:
                          the same on every machine, unlike times; 0: no limit */
  void *reserved[5];   /* for later versions; NULL */
} tare_raise_options;

/** What tare_raise_layers found. Free its text with tare_raised_fini. */
typedef struct tare_raised {
  char *requests;          /* by name, for tare_table_set_layer_precisions; "": none */
  int n_layers;            /* that they raise */
  double share;            /* of the multiply-adds at the opt lengths of the first profile, 0..1 */
  double standard_sqnr_db; /* without them; INFINITY if equal */
  double sqnr_db;          /* with them */
  bool complete;           /* false: the time was over before the search was, and the requests are
                              the best that it had judged */
  int64_t other_shapes;    /* samples in which an output of the plan without them has another shape
                              than in float */
  int n_lengths;           /* layers that decide lengths of outputs and are float for that reason */
  double alone_db;         /* with no more than the layer in 8 bits that costs least; NAN: single
                              layers were not measured */
  void *reserved[1];       /* for later versions */
} tare_raised;

/** Sets the options to the defaults. */
TARE_API void tare_raise_options_init(tare_raise_options *options);

/** As tare_raise_options_init, with the bounds for models that are written. `written` stays NULL.
 */
TARE_API void tare_raise_options_init_written(tare_raise_options *options);

/**
 * Where the plan of a table is bad, finds the layers that 8 bits cost most, and gives them row
 * scales, 16-bit rows or float. Single layers are measured, and their noise is taken to add up: of
 * the choices that keep a bound, the cheapest is taken, or float for all layers where that saves
 * less than a tenth of its price. A layer costs its multiply-adds times the price of its form.
 * Models that are written have layers in their form of row scales, or in float.
 * Unlike tare_tune, this measures no times: what it finds depends on the samples alone, unless
 * `seconds` or `processor_seconds` end it.
 * @param search samples with which single layers are measured; read from the beginning many times
 * @param check samples with which plans are judged, by the worst output; the same data set as
 *        `search`, or another
 * @param out is filled on success
 * @return TARE_OK, or an error of tare_plan_build, tare_eval or `written`
 */
TARE_API tare_status tare_raise_layers(const tare_model *model, const tare_profiles *profiles,
                                       tare_dataset *search, tare_dataset *check,
                                       const tare_raise_options *options, tare_raised *out,
                                       tare_error *err);

/** Frees the text of a result. */
TARE_API void tare_raised_fini(tare_raised *raised);

/** Plans that tare_try_requests builds at most. */
enum { TARE_MOST_TRIALS = 8 };

/**
 * Builds plans that differ in their requests by name, and compares each with a reference in one
 * pass over a data set: what layers cost in accuracy, for example, with requests for one layer at a
 * time.
 * @param build layer_precisions are those of `requests` instead
 * @param requests n texts, 1 .. TARE_MOST_TRIALS
 * @param data is read from its beginning
 * @param eval `against` is the reference
 * @param results n results, filled on success; free each with tare_eval_result_fini
 * @return TARE_OK, TARE_E_USAGE (n is out of range), or an error of tare_plan_build,
 * tare_dataset_rewind or tare_eval_many
 */
TARE_API tare_status tare_try_requests(const tare_model *model, const tare_profiles *profiles,
                                       const tare_build_options *build, const char *const *requests,
                                       int n, tare_dataset *data, const tare_eval_options *eval,
                                       tare_eval_result *results, tare_error *err);

/**
 * Creates an empty timing cache.
 * @param out receives it; free it with tare_timings_free
 * @return TARE_OK, TARE_E_MEMORY
 */
TARE_API tare_status tare_timings_new(tare_timings **out, tare_error *err);

/**
 * Adds the times of a file. Those of other machines, numbers of threads, ISAs and versions of the
 * library are kept and not used.
 * @param path a file that tare_timings_save wrote
 * @return TARE_OK, TARE_E_INPUT (missing or malformed), TARE_E_MEMORY; after an error, free the
 *         cache
 */
TARE_API tare_status tare_timings_read(tare_timings *timings, const char *path, tare_error *err);

/**
 * Writes the times to a file. If it exists, its times are added first, under a lock, so that
 * processes that write the same file do not lose those of each other.
 * @return TARE_OK, TARE_E_IO, TARE_E_MEMORY, or TARE_E_INPUT (the file is no timing cache, and
 * stays as it is)
 */
TARE_API tare_status tare_timings_save(tare_timings *timings, const char *path, tare_error *err);

/**
 * Whether a cache that is not empty has times for this machine.
 * @param isa as in tare_build_options
 * @param threads 0: tare_cores()
 * @return TARE_OK, TARE_E_CHECK (the message says what is different), TARE_E_USAGE (unknown isa),
 *         TARE_E_MEMORY
 */
TARE_API tare_status tare_timings_check(const tare_timings *timings, const char *isa, int threads,
                                        tare_error *err);

/**
 * Frees a timing cache.
 * @param timings the handle, which is set to NULL; it may hold NULL
 */
TARE_API void tare_timings_free(tare_timings **timings);

#ifdef __cplusplus
}
#endif
#endif
