#include "bench/engine_plans.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/samples.h"
#include "tools/cli.h"
#include "tools/feed.h"
#include "tools/peak.h"

const tare_plan *plans_any(const plans *const p) {
  return p->int8 ? p->int8 : p->fp32;
}

/* --- points ----------------------------------------------------------------------------------- */

static int symbol_index(const tare_profiles *const symbols, const char *const name,
                        const size_t length) {
  for (int s = 0; s < tare_profiles_n_symbols(symbols); s++) {
    const char *const symbol = tare_profiles_symbol(symbols, s);
    if (strlen(symbol) == length && strncmp(symbol, name, length) == 0) {
      return s;
    }
  }
  return -1;
}

/* Shorter lists go on with their last value. */
static tare_status take_lengths(const tare_profiles *const symbols, const char *const text,
                                points *const out, tare_error *const err) {
  const char *const equals = strchr(text, '=');
  const int s = equals ? symbol_index(symbols, text, (size_t)(equals - text)) : -1;
  if (s < 0) {
    return cli_fail(err, TARE_E_USAGE, "--lengths takes SYMBOL=N,N,... of the model, not '%s'",
                    text);
  }
  int n = 0;
  int64_t value = 0;
  for (const char *at = equals; *at && n < MOST_POINTS; n++) {
    char *end;
    value = strtoll(at + 1, &end, 10);
    if (value < 1 || end == at + 1 || (*end && *end != ',')) {
      return cli_fail(err, TARE_E_USAGE, "--lengths: '%s' is no list of lengths", equals + 1);
    }
    out->values[n][s] = value;
    at = end;
  }
  for (int i = n; i < MOST_POINTS; i++) {
    out->values[i][s] = value;
  }
  out->n = n > out->n ? n : out->n;
  return TARE_OK;
}

static tare_status make_points(const plan_wishes *const w, const tare_profiles *const symbols,
                               points *const out, tare_error *const err) {
  out->n = 1;
  for (int i = 0; i < MOST_POINTS; i++) {
    for (int s = 0; s < TARE_MAX_SYMBOLS; s++) {
      out->values[i][s] = 1;
    }
  }
  for (int i = 0; i < w->n_lengths; i++) {
    CLI_TRY(take_lengths(symbols, w->lengths[i], out, err));
  }
  return TARE_OK;
}

/* One profile around all points, with room below for a length that was not asked for. */
static tare_status profile_around(const points *const p, tare_profiles *const symbols,
                                  tare_error *const err) {
  char *spec = cli_format("%s", "");
  for (int s = 0; s < tare_profiles_n_symbols(symbols); s++) {
    int64_t low = p->values[0][s], high = low;
    for (int i = 1; i < p->n; i++) {
      const int64_t v = p->values[i][s];
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
    char *const longer =
        cli_format("%s%s%s=%" PRId64 ":%" PRId64 ":%" PRId64, spec, s ? "," : "",
                   tare_profiles_symbol(symbols, s), low > 1 ? low - 1 : low, high, high);
    free(spec);
    spec = longer;
  }
  const tare_status status = tare_profiles_add(symbols, spec, err);
  free(spec);
  return status;
}

/* --- tables ----------------------------------------------------------------------------------- */

static tare_status calibrate_on(const plans *const p, const tare_profiles *const profiles,
                                const char *const samples, tare_table **const out,
                                tare_error *const err) {
  tare_dataset_options data;
  tare_dataset_options_init(&data);
  data.n_inputs = tare_model_inputs(p->model, &data.inputs);
  tare_dataset *dataset = NULL;
  CLI_TRY(tare_dataset_open(&samples, 1, &data, &dataset, err));
  tare_stats *stats = NULL;
  tare_status status = tare_calibrate(p->model, dataset, profiles, NULL, &stats, err);
  if (status == TARE_OK) {
    status = tare_table_from_stats(stats, NULL, out, err);
  }
  tare_stats_free(&stats);
  tare_dataset_close(&dataset);
  return status;
}

static tare_status temporary(char path[static 64], tare_error *const err) {
  snprintf(path, 64, "/tmp/tare-bench-XXXXXX");
  const int fd = mkstemp(path);
  if (fd < 0 || close(fd) != 0) {
    return cli_fail(err, TARE_E_IO, "%s: cannot be made", path);
  }
  return TARE_OK;
}

static tare_status engine_plans_make_table(const plans *const p,
                                           const tare_profiles *const profiles,
                                           tare_table **const out, tare_error *const err) {
  const tare_port *ports;
  const int n_ports = tare_model_inputs(p->model, &ports);
  char path[64];
  CLI_TRY(temporary(path, err));
  tare_status status =
      samples_write(path, ports, n_ports, profiles,
                    (const int64_t(*)[TARE_MAX_SYMBOLS])p->points.values, p->points.n, err);
  if (status == TARE_OK) {
    status = calibrate_on(p, profiles, path, out, err);
  }
  unlink(path);
  return status;
}

/* --- plans ------------------------------------------------------------------------------------ */

static tare_status run_longest(const plans *const p, tare_error *const err) {
  const tare_port *ports, *outputs;
  const int n = tare_plan_inputs(p->int8, &ports);
  tare_tensor *const out =
      cli_realloc(NULL, (size_t)tare_plan_outputs(p->int8, &outputs), sizeof *out);
  feed f = {0};
  tare_context *context = NULL;
  tare_status status =
      feed_new(ports, n, tare_plan_profiles(p->int8), p->points.values[p->points.n - 1], &f, err);
  if (status == TARE_OK) {
    status = tare_context_new(p->int8, NULL, &context, err);
  }
  if (status == TARE_OK) {
    status = tare_context_run(context, f.tensors, out, err);
  }
  tare_context_free(&context);
  feed_fini(&f);
  free(out);
  return status;
}

/* Takes the plan from its file again, and measures what that costs. */
static tare_status engine_plans_load(plans *const p, const char *const path,
                                     tare_error *const err) {
  struct stat facts;
  p->file_bytes = stat(path, &facts) == 0 ? (int64_t)facts.st_size : 0;
  tare_plan_free(&p->int8);
  (void)peak_restart(); /* where it cannot be, less is seen to be added */
  const int64_t before = peak_bytes();
  const double start = cli_now();
  CLI_TRY(tare_plan_load(path, &p->int8, err));
  p->load_ms = (cli_now() - start) * 1e3;
  CLI_TRY(run_longest(p, err));
  p->peak_bytes = peak_bytes() - before;
  return TARE_OK;
}

static tare_status engine_plans_build(const plans *const p, const tare_profiles *const profiles,
                                      const tare_table *const table, const char *const isa,
                                      tare_plan **const out, tare_error *const err) {
  tare_build_options options;
  tare_build_options_init(&options);
  options.table = table;
  options.isa = isa;
  return tare_plan_build(p->model, profiles, &options, out, err);
}

static tare_status build_int8(plans *const p, const plan_wishes *const w,
                              const tare_profiles *const profiles, tare_error *const err) {
  tare_table *table = NULL;
  CLI_TRY(w->table ? tare_table_read(w->table, &table, err)
                   : engine_plans_make_table(p, profiles, &table, err));
  tare_status status = engine_plans_build(p, profiles, table, w->isa, &p->int8, err);
  tare_table_free(&table);
  char path[64] = "";
  if (status == TARE_OK && !w->save) {
    status = temporary(path, err);
  }
  const char *const file = w->save ? w->save : path;
  if (status == TARE_OK) {
    status = tare_plan_save(p->int8, file, err);
  }
  status = status == TARE_OK ? engine_plans_load(p, file, err) : status;
  if (*path) {
    unlink(path);
  }
  return status;
}

static tare_status build_all(plans *const p, const plan_wishes *const w, tare_error *const err) {
  const tare_port *ports;
  tare_profiles *profiles = NULL;
  CLI_TRY(tare_model_load(w->path, &p->model, err));
  const int n = tare_model_inputs(p->model, &ports);
  CLI_TRY(tare_profiles_new(ports, n, &profiles, err));
  tare_status status = make_points(w, profiles, &p->points, err);
  status = status == TARE_OK ? profile_around(&p->points, profiles, err) : status;
  if (status == TARE_OK && w->int8) {
    status = build_int8(p, w, profiles, err);
  }
  if (status == TARE_OK && w->fp32) {
    status = engine_plans_build(p, profiles, NULL, w->isa, &p->fp32, err);
  }
  tare_profiles_free(&profiles);
  return status;
}

tare_status plans_new(const plan_wishes *const w, plans *const out, tare_error *const err) {
  *out = (plans){0};
  if (!tare_plan_is_plan_file(w->path)) {
    return build_all(out, w, err);
  }
  CLI_TRY(tare_plan_load(w->path, &out->int8, err));
  CLI_TRY(make_points(w, tare_plan_profiles(out->int8), &out->points, err));
  return engine_plans_load(out, w->path, err);
}

void plans_fini(plans *const p) {
  tare_plan_free(&p->int8);
  tare_plan_free(&p->fp32);
  tare_model_free(&p->model);
}
