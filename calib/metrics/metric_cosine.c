/* Mean cosine between the embedding of a sample and that of the reference. */
#include <math.h>
#include <stdlib.h>

#include "calib/metrics/embedding.h"
#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"

static tare_status metric_cosine_add(const tarei_metric_case *const c,
                                     tare_metric_states *const states, tare_error *const err) {
  double *got = NULL, *want = NULL;
  int64_t n = 0;
  tare_status status = tarei_embedding_make(c->got, c->extents, &got, &n, err);
  if (status == TARE_OK) {
    status = tarei_embedding_make(c->want, c->extents, &want, &n, err);
  }
  const double sums[] = {status == TARE_OK && n ? tarei_embedding_cosine(got, want, n) : NAN, 1};
  if (status == TARE_OK && n) {
    status = tarei_metric_states_add(states, sums, 2, err);
  }
  free(got);
  free(want);
  return status;
}

const tarei_metric tarei_metric_cosine = {.name = "cosine",
                                          .summary = "mean cosine of embeddings and those of float",
                                          .unit = TAREI_PLAIN,
                                          .truth = TARE_TRUTH_REFERENCE,
                                          .least_rank = 1,
                                          .add = metric_cosine_add,
                                          .n_sums = 2,
                                          .of_sums = tarei_metric_ratio};
