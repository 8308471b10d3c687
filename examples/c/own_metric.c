/*
 * A metric of the program: how often the right class is among the K best, for a plan and for the
 * float model, and whether the two differ.
 *
 *   own_metric MODEL PLAN DATA LABELS K
 *   own_metric intents-mini.onnx intents.plan eval.h5 labels 3
 *
 * LABELS is the name of the labels in DATA, one for each row of the output; negative ones do not
 * count.
 *
 *   cc own_metric.c $(pkg-config --cflags --libs tare) -o own_metric
 */
#include <stdio.h>
#include <stdlib.h>
#include <tare/tare.h>

/* Two sums: labels among the K best, and labels. */
static tare_status add_sample(void *const user, const tare_metric_case *const c, double *const sums,
                              bool *const counts, tare_error *const err) {
  const tare_tensor *const label = c->sample->label;
  const int64_t classes = c->got->dims[c->got->rank - 1], best = *(const int64_t *)user;
  *counts = label != NULL;
  if (!label) {
    return TARE_OK;
  }
  const int64_t n = tare_tensor_count(label);
  if (label->dtype != TARE_I64 || n * classes > tare_tensor_count(c->got)) {
    snprintf(err->message, sizeof err->message, "%s: expected an integer label for each row",
             c->sample->name);
    return err->status = TARE_E_INPUT;
  }
  const int64_t *const right = label->data;
  const float *row = c->got->data;
  for (int64_t i = 0; i < n; i++, row += classes) {
    int64_t better = 0;
    for (int64_t k = 0; right[i] >= 0 && right[i] < classes && k < classes; k++) {
      better += row[k] > row[right[i]];
    }
    sums[0] += right[i] >= 0 && right[i] < classes && better < best;
    sums[1] += right[i] >= 0;
  }
  return TARE_OK;
}

static double share(void *const user, const double *const sums) {
  (void)user;
  return sums[0] / sums[1];
}

typedef struct job {
  tare_model *model;
  tare_plan *plan, *fp32;
  tare_dataset *data;
} job;

static tare_status open_all(job *const j, char **const argv, tare_error *const err) {
  const char *const path = argv[3];
  tare_status status = tare_model_load(argv[1], &j->model, err);
  if (status == TARE_OK) {
    status = tare_plan_load(argv[2], &j->plan, err);
  }
  if (status == TARE_OK) { /* without a table: float */
    status = tare_plan_build(j->model, tare_plan_profiles(j->plan), NULL, &j->fp32, err);
  }
  if (status == TARE_OK) {
    tare_dataset_options options;
    tare_dataset_options_init(&options);
    options.n_inputs = tare_plan_inputs(j->plan, &options.inputs);
    options.labels = argv[4];
    status = tare_dataset_open(&path, 1, &options, &j->data, err);
  }
  return status;
}

static tare_status compare(const job *const j, int64_t best, tare_error *const err) {
  const tare_custom_metric metric = {
      .name = "among the best", .n_sums = 2, .add = add_sample, .value = share, .user = &best};
  const tare_plan *const plans[] = {j->fp32, j->plan};
  tare_eval_result results[2];
  tare_difference differences[2];
  tare_eval_options options;
  tare_eval_options_init(&options);
  options.custom_metric = &metric;
  tare_status status = tare_eval_many(plans, 2, j->data, &options, results, err);
  if (status != TARE_OK) {
    return status;
  }
  const tare_metric_states *const states[] = {results[0].states, results[1].states};
  status = tare_metric_differences(states, 2, 0, NULL, 0, differences, err);
  if (status == TARE_OK) {
    printf("fp32 %.4f, plan %.4f, difference %.4f to %.4f%s\n", results[0].total.metric,
           results[1].total.metric, differences[1].low, differences[1].high,
           differences[1].distinct ? "" : ": no difference that these samples show");
  }
  tare_eval_result_fini(&results[0]);
  tare_eval_result_fini(&results[1]);
  return status;
}

int main(const int argc, char **const argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: %s MODEL PLAN DATA LABELS K\n", argv[0]);
    return 2;
  }
  job j = {0};
  tare_error err = {0};
  tare_status status = open_all(&j, argv, &err);
  if (status == TARE_OK) {
    status = compare(&j, atoll(argv[5]), &err);
  }
  if (status != TARE_OK) {
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
  }
  tare_dataset_close(&j.data);
  tare_plan_free(&j.fp32);
  tare_plan_free(&j.plan);
  tare_model_free(&j.model);
  return tare_status_exit_code(status);
}
