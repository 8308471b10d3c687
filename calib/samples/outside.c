#include "calib/samples/outside.h"

#include "engine/check/length_check.h"

tare_status tarei_outside_cover(tare_dataset *const dataset, const tare_profiles *const profiles,
                                const tare_outside outside, tare_error *const err) {
  return outside == TARE_OUTSIDE_SKIP ? tare_dataset_set_profiles(dataset, profiles, err) : TARE_OK;
}

static tare_status outside_check(void *const user, const tare_tensor *const tensors,
                                 tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  tare_length_check *const check = user;
  const tare_profiles *const symbols = tarei_length_check_profiles(check);
  return tare_profiles_bind(symbols, tensors, values, NULL) == TARE_OK
             ? tare_length_check_explain(check, values, NULL, err)
             : TARE_OK; /* whether it is bad is for others to say */
}

void tare_dataset_check_lengths(tare_dataset *const dataset, tare_length_check *const check) {
  tare_dataset_set_check(dataset, check ? outside_check : NULL, check);
}
