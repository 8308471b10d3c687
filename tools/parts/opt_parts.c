#include "tools/parts/opt_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/parts/launcher.h"
#include "tools/say.h"
#include "tools/signals.h"

enum {
  OPT_SHARD = KEYS_PARTS,
  OPT_CHECKPOINT,
  OPT_CHECKPOINT_EVERY,
  OPT_RESUME,
  OPT_SKIP_COUNTED,
  OPT_RANK_TIMEOUT
};
enum { DEFAULT_SECONDS = 60, DEFAULT_SILENCE = 10 };

static const struct argp_option OPTIONS[] = {
    {"shard", OPT_SHARD, "I/N", 0,
     "Count only the samples whose number is I modulo N, for tare merge; \"auto\" or \"auto/N\": "
     "as "
     "the launcher of the process says",
     0},
    {"skip-counted", OPT_SKIP_COUNTED, "STATS", 0,
     "Leave out the samples that STATS has counted, by their contents; repeat for more", 0},
    {"checkpoint", OPT_CHECKPOINT, "FILE", 0,
     "Write the statistics so far to FILE, every 60 seconds and after SIGINT or SIGTERM; it is "
     "removed at the end",
     0},
    {"checkpoint-every", OPT_CHECKPOINT_EVERY, "S", 0, "Seconds between checkpoints", 0},
    {"resume", OPT_RESUME, NULL, 0, "Continue from the checkpoint if there is one", 0},
    {"rank-timeout", OPT_RANK_TIMEOUT, "S", 0,
     "Under mpirun: give up a rank that does not answer for S seconds (default 10)", 0},
    {0}};

static void parts_check(const opt_parts *const o, const struct argp_state *const state) {
  if (!o->checkpoint && (o->resume || o->seconds >= 0)) {
    argp_error(state, "%s needs --checkpoint FILE", o->resume ? "--resume" : "--checkpoint-every");
  }
}

/* "I/N", "auto" or "auto/N". */
static void take_shard(opt_parts *const o, const char *const arg,
                       const struct argp_state *const state) {
  const char *const slash = strchr(arg, '/');
  const size_t length = slash ? (size_t)(slash - arg) : strlen(arg);
  const bool by_launcher = length == strlen("auto") && memcmp(arg, "auto", length) == 0;
  o->shard = arg;
  if (!by_launcher && (!slash || length == 0)) {
    argp_error(state, "--shard: expected I/N, auto or auto/N, got '%s'", arg);
    return;
  }
  o->count = slash ? cli_int(state, "--shard I/N: N", slash + 1, 1, INT32_MAX) : 0;
  if (by_launcher) {
    o->index = -1;
    return;
  }
  char *const index = cli_format("%.*s", (int)length, arg);
  o->index = cli_int(state, "--shard I/N: I", index, 0, o->count - 1);
  free(index);
}

static error_t parts_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_parts *const o = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      o->seconds = -1;
      o->silence = DEFAULT_SILENCE;
      return 0;
    case OPT_SHARD:
      take_shard(o, arg, state);
      return 0;
    case OPT_CHECKPOINT:
      o->checkpoint = arg;
      return 0;
    case OPT_CHECKPOINT_EVERY:
      o->seconds = cli_real(state, "--checkpoint-every", arg, 0, 1e9);
      return 0;
    case OPT_RESUME:
      o->resume = true;
      return 0;
    case OPT_SKIP_COUNTED:
      cli_list_add(&o->counted, arg);
      return 0;
    case OPT_RANK_TIMEOUT:
      o->silence = cli_real(state, "--rank-timeout", arg, 1, 86400);
      return 0;
    case ARGP_KEY_END:
      parts_check(o, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_parts_argp = {.options = OPTIONS, .parser = parts_parse};

void opt_parts_fini(opt_parts *const options) {
  cli_list_fini(&options->counted);
  *options = (opt_parts){0};
}

tare_status opt_parts_place(opt_parts *const options, const opt_common *const common,
                            opt_data *const data, tare_error *const err) {
  if (!options->shard) {
    return TARE_OK;
  }
  if (options->index < 0) {
    launcher_place place;
    CLI_TRY(launcher_find(options->count, &place, err));
    options->index = place.index;
    options->count = place.count;
    say(common, "shard %" PRId64 "/%" PRId64 " by %s", place.index, place.count, place.from);
  }
  data->shard = options->index;
  data->n_shards = options->count;
  return TARE_OK;
}

static tare_status open_resumed(const opt_parts *const options, const opt_common *const common,
                                opened_parts *const out, tare_error *const err) {
  if (!options->resume) {
    return TARE_OK;
  }
  if (access(options->checkpoint, F_OK) != 0) {
    say(common, "no checkpoint %s: from the start", options->checkpoint);
    return TARE_OK;
  }
  CLI_TRY(tare_stats_load(options->checkpoint, &out->resumed, err));
  say(common, "from %s, with %" PRId64 " samples", options->checkpoint,
      tare_stats_n_counted(out->resumed));
  return TARE_OK;
}

tare_status parts_open(const opt_parts *const options, const opt_common *const common,
                       tare_calibrate_options *const o, opened_parts *const out,
                       tare_error *const err) {
  out->counted = cli_realloc(NULL, (size_t)options->counted.n, sizeof *out->counted);
  CLI_TRY(open_resumed(options, common, out, err));
  for (int i = 0; i < options->counted.n; i++) {
    tare_stats *stats = NULL;
    CLI_TRY(tare_stats_load(options->counted.items[i], &stats, err));
    out->counted[out->n_counted++] = stats;
    if (tare_stats_n_counted(stats) < 0) {
      return cli_fail(err, TARE_E_INPUT,
                      "%s does not say which samples it has counted: calibrate again",
                      options->counted.items[i]);
    }
  }
  o->undecided = options->count > 0;
  o->checkpoint = options->checkpoint;
  o->checkpoint_seconds = options->seconds < 0 ? DEFAULT_SECONDS : options->seconds;
  o->resume = out->resumed;
  o->counted = out->counted;
  o->n_counted = out->n_counted;
  if (options->checkpoint) {
    signals_hold_interrupt();
  }
  return TARE_OK;
}

void parts_close(opened_parts *const p) {
  tare_stats_free(&p->resumed);
  for (int i = 0; i < p->n_counted; i++) {
    tare_stats *stats = (tare_stats *)p->counted[i];
    tare_stats_free(&stats);
  }
  free(p->counted);
  *p = (opened_parts){0};
}

void parts_end(const opt_parts *const options, const opt_common *const common,
               const tare_status status) {
  if (!options->checkpoint) {
    return;
  }
  if (status == TARE_OK) {
    (void)unlink(options->checkpoint); /* there is none if none was due */
  } else if (status == TARE_E_CHECK && access(options->checkpoint, R_OK) == 0) {
    say(common, "%s has the samples so far: give the same command with --resume to continue",
        options->checkpoint);
  }
}
