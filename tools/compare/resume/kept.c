#include "tools/compare/resume/kept.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/compare/resume/kept_difference.h"
#include "tools/compare/resume/kept_names.h"
#include "tools/json_out.h"
#include "tools/say.h"

#define FORMAT "tare.comparison"
enum { FORMAT_VERSION = 1, MOST_BYTES = 1 << 26 };

static char *kept_path(const char *const folder, const char *const name, const char *const ending) {
  return cli_format("%s/%s%s", folder, name, ending);
}

static char *manifest_path(const char *const folder) {
  return kept_path(folder, "comparison", ".json");
}

/* --- comparison.json -------------------------------------------------------------------------- */

tare_status kept_prepare(const char *const folder, const bool resume, tare_error *const err) {
  struct stat s;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    return cli_fail(err, TARE_E_IO, "%s: cannot make the folder: %s", folder, strerror(errno));
  }
  if (stat(folder, &s) != 0 || !S_ISDIR(s.st_mode)) {
    return cli_fail(err, TARE_E_IO, "%s: expected a folder for --work, but it is another file",
                    folder);
  }
  char *const path = manifest_path(folder);
  const bool begun = access(path, F_OK) == 0;
  free(path);
  return begun && !resume
             ? cli_fail(err, TARE_E_USAGE,
                        "%s has a comparison: go on with it by --resume, or give another folder",
                        folder)
             : TARE_OK;
}

static tare_status read_text(const char *const path, char **const out, tare_error *const err) {
  FILE *const file = fopen(path, "rb");
  if (!file) {
    return cli_fail(err, TARE_E_INPUT, "%s: %s", path, strerror(errno));
  }
  struct stat s;
  const bool sized = fstat(fileno(file), &s) == 0 && s.st_size <= MOST_BYTES;
  const size_t bytes = sized ? (size_t)s.st_size : 0;
  char *const text = cli_realloc(NULL, bytes + 1, 1);
  const bool whole = sized && fread(text, 1, bytes, file) == bytes;
  (void)fclose(file); /* was only read */
  text[whole ? bytes : 0] = '\0';
  *out = text;
  return whole ? TARE_OK : cli_fail(err, TARE_E_INPUT, "%s: cannot be read", path);
}

static bool manifest_is_sound(const cJSON *const root) {
  const char *const format = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "format"));
  const double version = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(root, "version"));
  return format && strcmp(format, FORMAT) == 0 && version == FORMAT_VERSION &&
         cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(root, "settings")) &&
         cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(root, "calibrations"));
}

static tare_status manifest_take(const cJSON *const root, const char *const path, kept *const out,
                                 tare_error *const err) {
  if (!manifest_is_sound(root)) {
    return cli_fail(err, TARE_E_INPUT, "%s: expected '" FORMAT "' version %d with its settings",
                    path, FORMAT_VERSION);
  }
  char *const difference =
      kept_settings_difference(cJSON_GetObjectItemCaseSensitive(root, "settings"), out->settings);
  const tare_status status =
      difference ? cli_fail(err, TARE_E_USAGE,
                            "%s is of another comparison: %s (give the same again, or another "
                            "--work folder)",
                            out->folder, difference)
                 : TARE_OK;
  free(difference);
  CLI_TRY(status);
  cJSON_Delete(out->passes);
  out->passes = cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(root, "calibrations"), true);
  return out->passes ? TARE_OK : cli_fail(err, TARE_E_MEMORY, "%s: out of memory", path);
}

static tare_status manifest_write(const kept *const k, tare_error *const err) {
  cJSON *const root = json_object();
  json_text(root, "format", FORMAT);
  json_int(root, "version", FORMAT_VERSION);
  json_add(root, "settings", cJSON_Duplicate(k->settings, true));
  json_add(root, "calibrations", cJSON_Duplicate(k->passes, true));
  char *const text = json_to_text(root), *const path = manifest_path(k->folder);
  const tare_status status = tare_write_file(path, text, strlen(text), err);
  free(text);
  free(path);
  cJSON_Delete(root);
  return status;
}

static tare_status manifest_read(const char *const path, kept *const out, tare_error *const err) {
  char *text = NULL;
  cJSON *root = NULL;
  tare_status status = read_text(path, &text, err);
  if (status == TARE_OK) {
    root = json_parse(text);
    status = root ? manifest_take(root, path, out, err)
                  : cli_fail(err, TARE_E_INPUT, "%s: malformed JSON", path);
  }
  cJSON_Delete(root);
  free(text);
  return status;
}

tare_status kept_open(const char *const folder, const opt_common *const common,
                      cJSON *const settings, kept *const out, tare_error *const err) {
  *out = (kept){.folder = folder, .common = common, .settings = settings, .passes = json_object()};
  char *const path = manifest_path(folder);
  const bool begun = access(path, F_OK) == 0;
  const tare_status status = begun ? manifest_read(path, out, err) : manifest_write(out, err);
  free(path);
  return status;
}

void kept_fini(kept *const k) {
  cJSON_Delete(k->settings);
  cJSON_Delete(k->passes);
  *k = (kept){0};
}

/* --- calibrations ----------------------------------------------------------------------------- */

int kept_n_passes(const kept *const k, const grid *const g) {
  int n = 0;
  for (int i = 0; i < g->n_passes; i++) {
    char *const name = kept_pass_name(&g->passes[i]);
    n += cJSON_HasObjectItem(k->passes, name) != 0;
    free(name);
  }
  return n;
}

static void fill_pass(const cJSON *const facts, grid_pass *const pass) {
  const double seconds = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(facts, "seconds"));
  const cJSON *const fitted = cJSON_GetObjectItemCaseSensitive(facts, "fitted");
  pass->samples = kept_count(facts, "samples");
  pass->peak = kept_count(facts, "peak_bytes");
  pass->seconds = isfinite(seconds) ? seconds : 0;
  pass->fitted = (tare_fit_counts){.samples = kept_count(fitted, "samples"),
                                   .cut = kept_count(fitted, "cut"),
                                   .padded = kept_count(fitted, "padded"),
                                   .elements = kept_count(fitted, "elements"),
                                   .lost = kept_count(fitted, "lost"),
                                   .run = kept_count(fitted, "run"),
                                   .padding = kept_count(fitted, "padding")};
}

static cJSON *facts_of_pass(const grid_pass *const pass) {
  cJSON *const facts = json_object();
  json_int(facts, "samples", pass->samples);
  json_int(facts, "peak_bytes", pass->peak);
  json_real(facts, "seconds", pass->seconds);
  cJSON *const fitted = json_add(facts, "fitted", json_object());
  json_int(fitted, "samples", pass->fitted.samples);
  json_int(fitted, "cut", pass->fitted.cut);
  json_int(fitted, "padded", pass->fitted.padded);
  json_int(fitted, "elements", pass->fitted.elements);
  json_int(fitted, "lost", pass->fitted.lost);
  json_int(fitted, "run", pass->fitted.run);
  json_int(fitted, "padding", pass->fitted.padding);
  return facts;
}

/* The file may have been replaced. */
static tare_status check_stats(const kept *const k, const grid_pass *const pass,
                               const tare_stats *const stats, const char *const path,
                               tare_error *const err) {
  char *const hash = cli_format("%016llx", (unsigned long long)tare_stats_model_hash(stats));
  const char *const model =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(k->settings, "model"));
  int64_t samples = 0;
  for (int p = 0; p < tare_stats_n_profiles(stats); p++) {
    samples += tare_stats_profile_samples(stats, p);
  }
  const bool own = model && strcmp(hash, model) == 0 &&
                   strcmp(tare_stats_fit(stats), tare_fit_name(pass->fit)) == 0 &&
                   tare_stats_counts_padding(stats) == pass->count_padding &&
                   samples == pass->samples && !tare_stats_is_partial(stats);
  free(hash);
  return own ? TARE_OK
             : cli_fail(err, TARE_E_INPUT,
                        "%s: not the statistics of this comparison: remove the file, and they are "
                        "collected again",
                        path);
}

tare_status kept_take_pass(const kept *const k, grid_pass *const pass, tare_stats **const stats,
                           tare_error *const err) {
  *stats = NULL;
  if (!k->folder) {
    return TARE_OK;
  }
  char *const name = kept_pass_name(pass), *const path = kept_path(k->folder, name, ".stats");
  const cJSON *const facts = cJSON_GetObjectItemCaseSensitive(k->passes, name);
  tare_status status = TARE_OK;
  if (facts && access(path, F_OK) == 0) {
    fill_pass(facts, pass);
    status = tare_stats_load(path, stats, err);
    if (status == TARE_OK) {
      status = check_stats(k, pass, *stats, path, err);
    }
  }
  if (status != TARE_OK) {
    tare_stats_free(stats);
  }
  free(name);
  free(path);
  return status;
}

tare_status kept_checkpoint(const kept *const k, const grid_pass *const pass, char **const path,
                            tare_stats **const stats, tare_error *const err) {
  *path = NULL;
  *stats = NULL;
  if (!k->folder) {
    return TARE_OK;
  }
  char *const name = kept_pass_name(pass);
  *path = kept_path(k->folder, name, ".part.stats");
  free(name);
  if (access(*path, F_OK) != 0) {
    return TARE_OK;
  }
  CLI_TRY(tare_stats_load(*path, stats, err));
  say(k->common, "from %s, with %lld samples", *path, (long long)tare_stats_n_counted(*stats));
  return TARE_OK;
}

tare_status kept_keep_pass(kept *const k, const grid_pass *const pass,
                           const tare_stats *const stats, tare_error *const err) {
  if (!k->folder) {
    return TARE_OK;
  }
  char *const name = kept_pass_name(pass), *const path = kept_path(k->folder, name, ".stats");
  char *const part = kept_path(k->folder, name, ".part.stats");
  tare_status status = tare_stats_save(stats, path, err);
  if (status == TARE_OK) {
    cJSON_DeleteItemFromObjectCaseSensitive(k->passes, name);
    json_add(k->passes, name, facts_of_pass(pass));
    status = manifest_write(k, err);
  }
  if (status == TARE_OK) {
    (void)unlink(part); /* there is none if none was due */
  }
  free(name);
  free(path);
  free(part);
  return status;
}

/* --- results ---------------------------------------------------------------------------------- */

static const char RESULT[] = ".result";

/* What says which row it is, and of which comparison. */
static char *result_note(const kept *const k, const grid *const g, const int strategy) {
  cJSON *const note = json_object();
  json_add(note, "settings", cJSON_Duplicate(k->settings, true));
  json_add(note, "strategy", kept_strategy(g, strategy));
  if (strategy >= 0) {
    json_add(note, "plan", kept_plan_facts(&g->items[strategy]));
  }
  char *const text = json_to_text(note);
  cJSON_Delete(note);
  return text;
}

/* False: it is of another file of the user, or of this one before it changed. */
static tare_status check_note(const kept *const k, const grid *const g, const int strategy,
                              const cJSON *const note, const char *const path, bool *const same,
                              tare_error *const err) {
  cJSON *const own = kept_strategy(g, strategy);
  *same = cJSON_Compare(cJSON_GetObjectItemCaseSensitive(note, "strategy"), own, true);
  cJSON_Delete(own);
  const bool settings =
      cJSON_Compare(cJSON_GetObjectItemCaseSensitive(note, "settings"), k->settings, true);
  if (settings && !*same && strategy >= 0 && g->items[strategy].own) {
    say(k->common, "%s has changed since it was evaluated: it is evaluated again",
        g->items[strategy].own);
    return TARE_OK;
  }
  return settings && *same
             ? TARE_OK
             : cli_fail(err, TARE_E_INPUT,
                        "%s: not a result of this comparison: remove the file, and the row is "
                        "evaluated again",
                        path);
}

/* Rows are compared sample by sample. */
static bool result_matches(const grid *const g, const tare_eval_result *const r) {
  bool matches = tare_eval_results_match(&g->fp32, r);
  for (int i = 0; matches && i < g->n; i++) {
    const tare_eval_result *const other = &g->items[i].result;
    matches = other->n_samples == 0 || other->n_errors == r->n_errors;
  }
  return matches;
}

static void take_loaded(grid *const g, const int strategy, const cJSON *const note,
                        tare_eval_result *const loaded) {
  if (strategy < 0) {
    g->fp32 = *loaded;
  } else {
    g->items[strategy].result = *loaded;
    g->items[strategy].done = true;
    kept_take_plan_facts(cJSON_GetObjectItemCaseSensitive(note, "plan"), &g->items[strategy]);
  }
  *loaded = (tare_eval_result){0};
}

static tare_status load_result(const kept *const k, grid *const g, const int strategy,
                               const char *const path, bool *const taken, tare_error *const err) {
  tare_eval_result loaded = {0};
  char *text = NULL;
  cJSON *note = NULL;
  tare_status status = TARE_OK;
  CLI_TRY_GOTO(tare_eval_result_load(path, &loaded, &text, err), done);
  note = json_parse(text);
  CLI_TRY_GOTO(check_note(k, g, strategy, note, path, taken, err), done);
  if (*taken && !(strategy < 0 ? loaded.samples != NULL : result_matches(g, &loaded))) {
    status = cli_fail(err, TARE_E_INPUT,
                      "%s: its samples or its metric are not those of the float plan: remove the "
                      "file, and the row is evaluated again",
                      path);
    goto done;
  }
  if (*taken) {
    take_loaded(g, strategy, note, &loaded);
  }
done:
  tare_eval_result_fini(&loaded);
  cJSON_Delete(note);
  tare_free(text);
  return status;
}

static tare_status take_kept_result(const kept *const k, grid *const g, const int strategy,
                                    bool *const taken, tare_error *const err) {
  char *const name = kept_result_name(g, strategy), *const path =
                                                        kept_path(k->folder, name, RESULT);
  *taken = false;
  const tare_status status =
      access(path, F_OK) == 0 ? load_result(k, g, strategy, path, taken, err) : TARE_OK;
  free(name);
  free(path);
  return status;
}

tare_status kept_take_results(const kept *const k, grid *const g, int *const n,
                              tare_error *const err) {
  bool taken = false;
  *n = 0;
  if (!k->folder) {
    return TARE_OK;
  }
  CLI_TRY(take_kept_result(k, g, -1 /* float */, &taken, err));
  for (int i = 0; taken && i < g->n; i++) {
    bool row = false;
    CLI_TRY(take_kept_result(k, g, i, &row, err));
    *n += row;
  }
  return TARE_OK;
}

tare_status kept_keep_result(const kept *const k, const grid *const g, const int strategy,
                             tare_error *const err) {
  if (!k->folder) {
    return TARE_OK;
  }
  char *const name = kept_result_name(g, strategy), *const path =
                                                        kept_path(k->folder, name, RESULT);
  char *const note = result_note(k, g, strategy);
  const tare_status status =
      tare_eval_result_save(strategy < 0 ? &g->fp32 : &g->items[strategy].result, note, path, err);
  free(name);
  free(path);
  free(note);
  return status;
}
