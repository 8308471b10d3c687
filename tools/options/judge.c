#include "tools/options/judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a user can do about a sample that is too short or too long. */
static char *judge_advice(const judge *const j, const int symbol, const int64_t least,
                          const int64_t most) {
  const char *const name = symbol < 0 ? NULL : tare_profiles_symbol(j->symbols, symbol);
  char *text = cli_format(" (--skip-bad skips such samples");
  if (name && (least > 0) != (most > 0)) {
    text = cli_append(text, ", --%s-length %s=%" PRId64 " leaves them out",
                      least > 0 ? "min" : "max", name, least > 0 ? least : most);
  }
  if (!j->fits && !j->no_outside) {
    text = cli_append(text, ", --outside nearest %s them",
                      (least > 0) == (most > 0) ? "pads or cuts"
                      : least > 0               ? "pads"
                                                : "cuts");
  }
  return cli_append(text, ")");
}

/* Samples that the model takes alone, but not together with others in one profile. */
static tare_status judge_joint(const judge *const j, const int64_t *const values,
                               tare_error *const err) {
  for (int s = 0; s < tare_profiles_n_symbols(j->symbols); s++) {
    const bool is_short = values[s] < j->least[s];
    if (is_short || (j->most[s] && values[s] > j->most[s])) {
      char *const advice =
          j->skips ? cli_format("%s", "")
                   : judge_advice(j, s, is_short ? j->least[s] : 0, is_short ? 0 : j->most[s]);
      const tare_status status =
          cli_fail(err, is_short ? TARE_E_SHAPE : TARE_E_LIMIT,
                   "%s=%" PRId64
                   " is too %s for a profile of all samples: with the other lengths of the "
                   "data, the model can run from %s=%" PRId64 "%s%s",
                   tare_profiles_symbol(j->symbols, s), values[s], is_short ? "short" : "long",
                   tare_profiles_symbol(j->symbols, s), is_short ? j->least[s] : j->most[s],
                   is_short ? " on" : " down", advice);
      free(advice);
      return status;
    }
  }
  return TARE_OK;
}

tare_status judge_at(judge *const j, const int64_t *const values, tare_error *const err) {
  tare_length_near near = {.symbol = -1};
  const tare_status status = tare_length_check_explain(j->check, values, &near, err);
  if (status == TARE_OK) {
    return judge_joint(j, values, err);
  }
  if (!j->skips && status != TARE_E_MEMORY) {
    char *const said = cli_format("%s", err->message);
    char *const advice = judge_advice(j, near.symbol, near.above, near.below);
    (void)cli_fail(err, status, "%s%s", said, advice);
    free(said);
    free(advice);
  }
  return status;
}

bool judge_is_outside(const judge *const j, const int64_t *const values) {
  bool outside = false;
  for (int s = 0; s < tare_profiles_n_symbols(j->symbols); s++) {
    outside = outside || values[s] < j->ranges[s].min || values[s] > j->ranges[s].max;
  }
  return outside;
}

static tare_status judge_sample(void *const user, const tare_tensor *const tensors,
                                tare_error *const err) {
  judge *const j = user;
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  if (tare_profiles_bind(j->symbols, tensors, values, NULL) != TARE_OK) {
    return TARE_OK; /* whether it is bad is for others to say */
  }
  return j->fits && judge_is_outside(j, values) ? TARE_OK : judge_at(j, values, err);
}

tare_status judge_apply(judge *const j, tare_dataset *const dataset, tare_error *const err) {
  if (j->applies) {
    tare_dataset_set_check(dataset, judge_sample, j);
  }
  return j->covered ? tare_dataset_set_profiles(dataset, j->covered, err) : TARE_OK;
}

void judge_free(judge **const handle) {
  judge *const j = *handle;
  if (j) {
    tare_length_check_free(&j->check);
    tare_profiles_free(&j->symbols);
    tare_profiles_free(&j->covered);
    free(j);
    *handle = NULL;
  }
}
