/* library MODEL TABLE DATA OUT: calls what the command does not of the library, and ends as it
 * does. OUT gets TensorRT's cache. */
#include <stdio.h>
#include <string.h>

#include <tare/tare.h>

typedef struct library {
  tare_model *model;
  tare_profiles *profiles;
  tare_plan *plan, *loaded;
  tare_table *table, *made;
  tare_dataset *data, *fed;
  tare_length_check *check;
  bool given; /* the sample of the feed */
  tare_eval_result result;
} library;

#define TRY(call)                      \
  do {                                 \
    const tare_status status = (call); \
    if (status != TARE_OK) {           \
      return status;                   \
    }                                  \
  } while (0)

static bool library_names(void) {
  tare_limits limits;
  tare_limits_init(&limits);
  bool all = tare_limit_get(&limits, tare_n_limits() - 1) > 0;
  for (int i = 0; i < tare_n_methods(); i++) {
    all = all && strlen(tare_method_summary(i)) > 0;
  }
  for (int i = 0; i < TARE_WEIGHT_COUNT; i++) {
    all = all && strlen(tare_weight_name((tare_weight)i)) > 0;
  }
  return all;
}

static tare_status library_plan(library *const l, const char *const model, const char *const out,
                                tare_error *const err) {
  const tare_port *ports;
  TRY(tare_model_load(model, &l->model, err));
  const int n = tare_model_inputs(l->model, &ports);
  TRY(tare_profiles_new(ports, n, &l->profiles, err));
  TRY(tare_profiles_add(l->profiles, "sequence=1:16:512", err));
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  if (tare_profiles_nearest(l->profiles, values) != 0) {
    return TARE_E_CHECK;
  }
  TRY(tare_plan_build(l->model, l->profiles, NULL, &l->plan, err));
  TRY(tare_length_check_new(l->model, l->profiles, &l->check, err));
  TRY(tare_plan_save(l->plan, out, err));
  return tare_plan_load(out, &l->loaded, err);
}

static tare_status library_metric(library *const l, const char *const data, tare_error *const err) {
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.n_inputs = tare_plan_inputs(l->loaded, &options.inputs);
  options.labels = "labels";
  options.threads = 1;
  options.limit = 1;
  TRY(tare_dataset_open(&data, 1, &options, &l->data, err));
  tare_dataset_check_lengths(l->data, l->check);
  tare_eval_options eval;
  tare_eval_options_init(&eval);
  eval.metric = "f1";
  eval.threads = 1;
  TRY(tare_eval(l->loaded, l->data, &eval, &l->result, err));
  const int32_t times[] = {2};
  double once, twice;
  TRY(tare_metric_states_value(l->result.states, NULL, &once, err));
  TRY(tare_metric_states_value(l->result.states, times, &twice, err));
  return tare_metric_states_count(l->result.states) == 1 && once == twice ? TARE_OK : TARE_E_CHECK;
}

/* Supplies one sample: ids and their mask, with a label. */
static tare_status library_next(void *const user, tare_fed_sample *const out,
                                tare_error *const err) {
  (void)err;
  static int64_t ids[] = {2, 17, 23, 3}, mask[] = {1, 1, 1, 1};
  static const tare_tensor tensors[] = {{TARE_I64, 1, {4}, ids}, {TARE_I64, 1, {4}, mask}};
  bool *const given = user;
  out->tensors = *given ? NULL : tensors;
  out->label_text = *given ? NULL : "7 8";
  *given = true;
  return TARE_OK;
}

static tare_status library_feed(library *const l, tare_error *const err) {
  const tare_feed feed = {.name = "own", .count = -1, .next = library_next, .user = &l->given};
  tare_dataset_options options;
  tare_dataset_options_init(&options);
  options.n_inputs = tare_plan_inputs(l->loaded, &options.inputs);
  options.threads = 1;
  TRY(tare_dataset_open_feed(&feed, &options, &l->fed, err));
  const tare_sample *sample;
  TRY(tare_dataset_next(l->fed, &sample, err));
  const bool right = sample && ((const int64_t *)sample->label->data)[1] == 8;
  TRY(tare_dataset_next(l->fed, &sample, err));
  return right && !sample ? TARE_OK : TARE_E_CHECK;
}

static tare_status library_table(library *const l, const char *const out, tare_error *const err) {
  const tare_table_entry entries[] = {tare_table_unknown("x", 1), tare_table_unknown("y", 2)};
  const tare_table_draft draft = {.method = "own", .entries = entries, .n_tensors = 2};
  TRY(tare_table_make(&draft, &l->made, err));
  tare_table_write_options options;
  tare_table_write_options_init(&options);
  return tare_table_write(l->made, tare_table_format_of("own.json"), &options, out, err);
}

static tare_status library_context(const library *const l, tare_error *const err) {
  tare_context *context;
  TRY(tare_context_new(l->loaded, NULL, &context, err));
  tare_context_set_seed(context, 7);
  tare_context_free(&context);
  const tare_status status = tare_model_set(l->model, "an input that it does not have", 0, err);
  return status == TARE_E_USAGE ? TARE_OK : status;
}

static tare_status library_run(library *const l, char **const argv, tare_error *const err) {
  TRY(library_plan(l, argv[1], argv[4], err));
  TRY(library_context(l, err));
  TRY(library_metric(l, argv[3], err));
  TRY(library_feed(l, err));
  TRY(library_table(l, argv[4], err));
  TRY(tare_table_read(argv[2], &l->table, err));
  (void)strlen(tare_table_profile(l->table, 0));
  return tare_table_write_trt(l->table, NULL, argv[4], err);
}

int main(const int argc, char **const argv) {
  library l = {0};
  tare_error err = {0};
  if (argc != 5 || !library_names()) {
    return tare_status_exit_code(TARE_E_USAGE);
  }
  const tare_status status = library_run(&l, argv, &err);
  if (status != TARE_OK) {
    fprintf(stderr, "tare: %s\n", err.message);
  }
  tare_eval_result_fini(&l.result);
  tare_dataset_close(&l.fed);
  tare_dataset_close(&l.data);
  tare_table_free(&l.made);
  tare_table_free(&l.table);
  tare_plan_free(&l.loaded);
  tare_plan_free(&l.plan);
  tare_profiles_free(&l.profiles);
  tare_length_check_free(&l.check);
  tare_model_free(&l.model);
  return tare_status_exit_code(status);
}
