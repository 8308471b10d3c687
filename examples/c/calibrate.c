/*
 * From a float model and data of any length to an INT8 plan, in one program.
 *
 *   calibrate MODEL PROFILE DATA PLAN
 *   calibrate intents-mini.onnx sequence=4:64:512 calib.h5 intents.plan
 *
 *   cc calibrate.c $(pkg-config --cflags --libs tare) -o calibrate
 */
#include <stdio.h>
#include <tare/tare.h>

/* Everything that is made on the way. */
typedef struct job {
  tare_model *model;
  tare_profiles *profiles;
  tare_dataset *data;
  tare_stats *stats;
  tare_table *table;
  tare_plan *plan;
} job;

static tare_status open_all(job *const j, char **const argv, tare_error *const err) {
  const tare_port *inputs;
  tare_dataset_options options;
  const char *const paths[] = {argv[3]};
  tare_status status = tare_model_load(argv[1], &j->model, err);
  if (status != TARE_OK) {
    return status;
  }
  const int n = tare_model_inputs(j->model, &inputs);
  tare_dataset_options_init(&options);
  options.inputs = inputs;
  options.n_inputs = n;
  status = tare_profiles_new(inputs, n, &j->profiles, err);
  if (status == TARE_OK) {
    status = tare_profiles_add(j->profiles, argv[2], err);
  }
  return status == TARE_OK ? tare_dataset_open(paths, 1, &options, &j->data, err) : status;
}

static tare_status make_plan(job *const j, tare_error *const err) {
  tare_calibrate_options calibrate;
  tare_table_options table;
  tare_build_options build;
  tare_calibrate_options_init(&calibrate);
  tare_status status = tare_calibrate(j->model, j->data, j->profiles, &calibrate, &j->stats, err);
  if (status != TARE_OK) {
    return status;
  }
  tare_table_options_init(&table);
  status = tare_table_from_stats(j->stats, &table, &j->table, err);
  if (status != TARE_OK) {
    return status;
  }
  tare_build_options_init(&build);
  build.table = j->table;
  return tare_plan_build(j->model, j->profiles, &build, &j->plan, err);
}

int main(const int argc, char **const argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s MODEL PROFILE DATA PLAN\n", argv[0]);
    return 2;
  }
  job j = {0};
  tare_error err;
  tare_status status = open_all(&j, argv, &err);
  if (status == TARE_OK) {
    status = make_plan(&j, &err);
  }
  if (status == TARE_OK) {
    status = tare_plan_save(j.plan, argv[4], &err);
  }
  if (status == TARE_OK) {
    printf("%s: %d layers, from %lld samples\n", argv[4], tare_plan_n_layers(j.plan),
           (long long)tare_stats_profile_samples(j.stats, 0));
  } else {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  tare_plan_free(&j.plan);
  tare_table_free(&j.table);
  tare_stats_free(&j.stats);
  tare_dataset_close(&j.data);
  tare_profiles_free(&j.profiles);
  tare_model_free(&j.model);
  return tare_status_exit_code(status);
}
