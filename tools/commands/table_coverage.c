#include "tools/commands/table_coverage.h"

#include <stdio.h>

#include "tools/say.h"

tare_status table_coverage_take(const opt_common *const common, const char *const model_path,
                                const char *const table_path, const tare_table *const table,
                                tare_coverage **const out, tare_error *const err) {
  const opt_model as_it_is = {0};
  tare_model *model = NULL;
  CLI_TRY(opt_model_load(&as_it_is, common, model_path, &model, err));
  const uint64_t made = tare_table_model_hash(table), given = tare_model_get_info(model).hash;
  if (made != 0 && made != given) {
    say(common, "warning: %s was made for another model than %s", table_path, model_path);
  }
  const tare_status status = tare_coverage_new(table, model, out, err);
  tare_model_free(&model);
  return status;
}

enum { MOST_NAMES = 10 }; /* of a kind, in text */

static const struct {
  const char *noun, *rest;
} MEANINGS[TARE_COVER_COUNT] = {
    [TARE_COVER_NAMED] = {"tensor", "with a threshold"},
    [TARE_COVER_MISSING] = {"tensor",
                            "without one, read by a convolution or product, which stays float"},
    [TARE_COVER_UNNAMED] = {"other tensor", "without one"},
    [TARE_COVER_STALE] = {"threshold", "for names that the model does not have"},
    [TARE_COVER_OTHER] = {"threshold", "of constants, integers, or tensors that TensorRT makes"}};

void table_coverage_print(const tare_coverage *const coverage, const char *const model_path) {
  printf("coverage   %s\n", model_path);
  for (int kind = 0; kind < TARE_COVER_COUNT; kind++) {
    const int n = tare_coverage_n(coverage, kind);
    printf("%-10s %d %s%s %s\n", tare_cover_name(kind), n, MEANINGS[kind].noun, n == 1 ? "" : "s",
           MEANINGS[kind].rest);
    for (int i = 0; kind != TARE_COVER_NAMED && i < n && i < MOST_NAMES; i++) {
      printf("  %s\n", tare_coverage_tensor(coverage, kind, i));
    }
    if (kind != TARE_COVER_NAMED && n > MOST_NAMES) {
      printf("  ... and %d more (--json lists all)\n", n - MOST_NAMES);
    }
  }
}

bool table_coverage_has_gaps(const tare_coverage *const coverage) {
  return tare_coverage_n(coverage, TARE_COVER_MISSING) > 0 ||
         tare_coverage_n(coverage, TARE_COVER_STALE) > 0;
}

void table_coverage_json(cJSON *const object, const tare_coverage *const coverage,
                         const char *const model_path) {
  cJSON *const about = json_add(object, "coverage", json_object());
  json_text(about, "model", model_path);
  for (int kind = 0; kind < TARE_COVER_COUNT; kind++) {
    cJSON *const list = json_add(about, tare_cover_name(kind), json_array());
    for (int i = 0; i < tare_coverage_n(coverage, kind); i++) {
      json_text(list, NULL, tare_coverage_tensor(coverage, kind, i));
    }
  }
}
