#include "tools/compare/resume/kept_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/compare/options/compare_precisions.h"

char *kept_pass_name(const grid_pass *const pass) {
  return cli_format("%s%s", tare_fit_name(pass->fit), pass->count_padding ? "-counted" : "");
}

/* A path as a part of a name: the end of it, where it is too long; the note has all of it. */
static char *name_of_path(const char *const path) {
  enum { MOST = 160 };
  const size_t length = strlen(path);
  char *name = cli_format("own-");
  for (const char *c = length > MOST ? path + length - MOST : path; *c; c++) {
    name = *c == '/' || *c == '%' ? cli_append(name, "%%%02X", (unsigned)(unsigned char)*c)
                                  : cli_append(name, "%c", *c);
  }
  return name;
}

char *kept_result_name(const grid *const g, const int strategy) {
  if (strategy < 0) {
    return cli_format("float");
  }
  const grid_strategy *const s = &g->items[strategy];
  if (s->own) {
    return name_of_path(s->own);
  }
  char *const pass = kept_pass_name(&g->passes[s->pass]);
  char *name = cli_format("%s%s-%s", pass, s->per_profile ? "-per-profile" : "",
                          tare_method_name(s->method_number));
  free(pass);
  if (s->percentile > 0) {
    name = cli_append(name, "-%.15g", s->percentile);
  }
  return s->precision ? cli_append(name, "-%s", compare_precisions().name(s->precision)) : name;
}

char *kept_file_state(const char *const path) {
  struct stat s;
  return stat(path, &s) == 0
             ? cli_format("%s, %" PRId64 " bytes, modified %" PRId64 ".%09ld", path,
                          (int64_t)s.st_size, (int64_t)s.st_mtim.tv_sec, s.st_mtim.tv_nsec)
             : cli_format("%s, missing", path);
}

cJSON *kept_strategy(const grid *const g, const int strategy) {
  cJSON *const object = json_object();
  const grid_strategy *const s = strategy < 0 ? NULL : &g->items[strategy];
  if (!s) {
    json_text(object, "plan", "float");
  } else if (s->own) {
    char *const state = kept_file_state(s->own);
    json_text(object, "own", state);
    free(state);
  } else {
    json_text(object, "fit", tare_fit_name(g->passes[s->pass].fit));
    json_bool(object, "padding_counted", g->passes[s->pass].count_padding);
    json_bool(object, "per_profile", s->per_profile);
    json_text(object, "method", tare_method_name(s->method_number));
    json_real(object, "percentile", s->percentile);
    json_text(object, "precision", compare_precisions().name(s->precision));
  }
  return object;
}

cJSON *kept_plan_facts(const grid_strategy *const s) {
  cJSON *const facts = json_object();
  json_int(facts, "weight_bytes", s->weight_bytes);
  json_int(facts, "context_bytes", s->context_bytes);
  json_real(facts, "int8_share", s->int8_share);
  return facts;
}

static double fact_of(const cJSON *const facts, const char *const name) {
  return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(facts, name)); /* NAN: none */
}

int64_t kept_count(const cJSON *const object, const char *const name) {
  const double value = fact_of(object, name);
  return value >= 0 && value < 0x1p53 ? (int64_t)value : 0;
}

void kept_take_plan_facts(const cJSON *const facts, grid_strategy *const s) {
  s->weight_bytes = kept_count(facts, "weight_bytes");
  s->context_bytes = kept_count(facts, "context_bytes");
  s->int8_share = fact_of(facts, "int8_share");
}
