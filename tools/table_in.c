#include "tools/table_in.h"

#include <inttypes.h>

#include "tools/say.h"

static tare_status table_in_refuse(const char *const path, const uint64_t made,
                                   const char *const model_path, const uint64_t given,
                                   tare_error *const err) {
  return cli_fail(err, TARE_E_USAGE,
                  "%s was made for another model: it has hash %016" PRIx64
                  ", but %s has %016" PRIx64
                  " (calibrate this model, or accept the table with --force)",
                  path, made, model_path, given);
}

tare_status table_load(const opt_common *const common, const char *const path,
                       const char *const model_path, const tare_model *const model,
                       const bool force, tare_table **const out, tare_error *const err) {
  if (tare_stats_is_stats_file(path)) {
    return cli_fail(err, TARE_E_USAGE,
                    "%s is a statistics file, expected a table: tare table %s -o model.calib.json",
                    path, path);
  }
  CLI_TRY(tare_table_read(path, out, err));
  const uint64_t made = tare_table_model_hash(*out), given = tare_model_get_info(model).hash;
  if (made == 0 || made == given) {
    return TARE_OK;
  }
  if (!force) {
    return table_in_refuse(path, made, model_path, given, err);
  }
  say(common, "warning: %s was made for another model (%016" PRIx64 ") than %s (%016" PRIx64 ")",
      path, made, model_path, given);
  return TARE_OK;
}

void table_say_warnings(const opt_common *const common, const char *const path,
                        const tare_table *const table) {
  for (int i = 0; table && i < tare_table_n_warnings(table); i++) {
    say(common, "warning: %s: %s", path, tare_table_warning(table, i));
  }
}
