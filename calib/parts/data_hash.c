/* A hash of all that a run over data depends on. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tare/merge.h>

#include "calib/parts/ledger.h"
#include "datasets/dataset.h"

static tarei_sample_hash data_hash_text(const tarei_sample_hash sum, const char *const text) {
  return tarei_sample_hash_join(sum, text ? text : "", text ? strlen(text) + 1 : 0);
}

static tarei_sample_hash data_hash_add(tarei_sample_hash sum, const tare_sample *const sample,
                                       const int n_tensors) {
  const tarei_sample_hash tensors = tarei_sample_hash_of(sample->tensors, n_tensors);
  const tarei_sample_hash label = tarei_sample_hash_of(sample->label, sample->label ? 1 : 0);
  sum = data_hash_text(sum, sample->name);
  sum = data_hash_text(sum, sample->label_text);
  sum = tarei_sample_hash_join(sum, &sample->gain_db, sizeof sample->gain_db);
  sum = tarei_sample_hash_join(sum, &tensors, sizeof tensors);
  return tarei_sample_hash_join(sum, &label, sizeof label);
}

tare_status tare_data_hash(tare_dataset *const dataset, const tare_progress_fn progress,
                           void *const user, char out[TARE_DATA_HASH_BYTES],
                           tare_error *const err) {
  const int n_tensors = tarei_dataset_spec(dataset)->n_inputs;
  const int64_t total = tare_dataset_count(dataset);
  const tare_sample *sample = NULL;
  tarei_sample_hash sum = {0};
  TAREI_TRY(tare_dataset_rewind(dataset, err));
  for (int64_t done = 0;; done += sample->gain_db == 0) {
    if (progress && !progress(user, done, total)) {
      return tarei_dataset_stopped(dataset, done, err);
    }
    TAREI_TRY(tare_dataset_next(dataset, &sample, err));
    if (!sample) {
      break;
    }
    sum = data_hash_add(sum, sample, n_tensors);
  }
  (void)snprintf(out, TARE_DATA_HASH_BYTES, "%016" PRIx64 "%016" PRIx64, sum.high, sum.low);
  return TARE_OK;
}
