#include "tools/parts/launcher.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Variables of a launcher; NULL where it has none. */
typedef struct launcher {
  const char *index, *count;
  const char *first, *step; /* of the index */
} launcher;

/* Those that start many jobs are before those that start the processes of one. */
static const launcher LAUNCHERS[] = {
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP"},
    {"JOB_COMPLETION_INDEX", NULL, NULL, NULL},
    {"SLURM_PROCID", "SLURM_NTASKS", NULL, NULL},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL},
    {"PMI_RANK", "PMI_SIZE", NULL, NULL},
    {"RANK", "WORLD_SIZE", NULL, NULL},
};
enum { N_LAUNCHERS = sizeof LAUNCHERS / sizeof *LAUNCHERS };

static tare_status launcher_read(const char *const name, int64_t *const out,
                                 tare_error *const err) {
  const char *const text = getenv(name);
  char *end = NULL;
  errno = 0;
  *out = text ? strtoll(text, &end, 10) : 0;
  return text && (errno || end == text || *end || *out < 0)
             ? cli_fail(err, TARE_E_USAGE, "%s is '%s': expected a number from 0", name, text)
             : TARE_OK;
}

/* The number of processes: that of the user, which that of the launcher has to be, too. */
static tare_status launcher_count(const launcher *const l, const int64_t wanted, int64_t *const out,
                                  tare_error *const err) {
  const bool says = l->count && getenv(l->count);
  *out = wanted;
  if (says) {
    CLI_TRY(launcher_read(l->count, out, err));
  }
  if (*out < 1) {
    return cli_fail(err, TARE_E_USAGE, "%s is set, but %s: give the number with --shard auto/N",
                    l->index, says ? "the number of processes is 0" : "not how many there are");
  }
  return !wanted || *out == wanted
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE, "--shard auto/%" PRId64 ", but %s is %" PRId64, wanted,
                        l->count, *out);
}

static tare_status launcher_place_of(const launcher *const l, const int64_t wanted,
                                     launcher_place *const out, tare_error *const err) {
  int64_t index, first = 0, step = 1;
  out->from = l->index;
  CLI_TRY(launcher_read(l->index, &index, err));
  CLI_TRY(l->first ? launcher_read(l->first, &first, err) : TARE_OK);
  CLI_TRY(l->step && getenv(l->step) ? launcher_read(l->step, &step, err) : TARE_OK);
  CLI_TRY(launcher_count(l, wanted, &out->count, err));
  out->index = step > 0 ? (index - first) / step : -1;
  if (step < 1 || index < first || (index - first) % step || out->index >= out->count) {
    return cli_fail(err, TARE_E_USAGE,
                    "%s is %" PRId64 ", which is none of %" PRId64 " from %" PRId64
                    " in steps of %" PRId64,
                    l->index, index, out->count, first, step);
  }
  return TARE_OK;
}

/* A launcher of one process says nothing where another has several. */
static tare_status launcher_choose(launcher_place *const chosen, const launcher_place *const found,
                                   tare_error *const err) {
  if (!chosen->from || (chosen->count == 1 && found->count > 1)) {
    *chosen = *found;
    return TARE_OK;
  }
  return found->count == 1 || (found->index == chosen->index && found->count == chosen->count)
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE,
                        "%s says %" PRId64 " of %" PRId64 ", but %s says %" PRId64 " of %" PRId64
                        ": use --shard I/N",
                        chosen->from, chosen->index, chosen->count, found->from, found->index,
                        found->count);
}

/* Of all variables; the caller frees it. */
static char *launcher_names(void) {
  const char *names[N_LAUNCHERS];
  for (int i = 0; i < N_LAUNCHERS; i++) {
    names[i] = LAUNCHERS[i].index;
  }
  return cli_join(names, N_LAUNCHERS, " or ");
}

tare_status launcher_find(const int64_t count, launcher_place *const out, tare_error *const err) {
  const launcher *without_count = NULL; /* another one may say it */
  *out = (launcher_place){0};
  for (int i = 0; i < N_LAUNCHERS; i++) {
    const launcher *const l = &LAUNCHERS[i];
    launcher_place found;
    if (getenv(l->index) && !l->count && !count) {
      without_count = l;
    } else if (getenv(l->index)) {
      CLI_TRY(launcher_place_of(l, count, &found, err));
      CLI_TRY(launcher_choose(out, &found, err));
    }
  }
  if (out->from) {
    return TARE_OK;
  }
  if (without_count) {
    return launcher_place_of(without_count, count, out, err);
  }
  char *const names = launcher_names();
  (void)cli_fail(err, TARE_E_USAGE, "--shard auto: no launcher has set %s: use --shard I/N", names);
  free(names);
  return TARE_E_USAGE;
}
