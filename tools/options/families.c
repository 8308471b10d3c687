#include "tools/options/families.h"

#include <stdlib.h>
#include <tare/dataset.h>
#include <tare/eval.h>
#include <tare/export.h>

/* A member of a family that is the command's own. */
typedef struct choice {
  const char *name, *text;
} choice;

cli_family family_methods(void) {
  return (cli_family){"method", tare_n_methods(), tare_method_name, NULL};
}

cli_family family_metrics(void) {
  return (cli_family){"metric", tare_n_metrics(), tare_metric_name, tare_metric_summary};
}

cli_family family_presets(void) {
  return (cli_family){"preset", tare_n_feature_presets(), tare_feature_preset_name, NULL};
}

static const char *target_name(const int target) {
  return tare_export_target_at(target)->name;
}

static const char *target_text(const int target) {
  return tare_export_target_at(target)->summary;
}

cli_family family_targets(void) {
  return (cli_family){"target", tare_n_export_targets(), target_name, target_text};
}

static const char *fit_name(const int fit) {
  return tare_fit_name((tare_fit)fit);
}

static const char *fit_summary(const int fit) {
  return tare_fit_summary((tare_fit)fit);
}

cli_family family_fits(void) {
  return (cli_family){"fit", TARE_FIT_COUNT, fit_name, fit_summary};
}

static const choice OUTSIDES[] = {
    [TARE_OUTSIDE_ERROR] = {"error", "default: the command fails"},
    [TARE_OUTSIDE_NEAREST] = {"nearest", "cut or padded to the nearest profile"}};

static const char *outside_name(const int outside) {
  return OUTSIDES[outside].name;
}

static const char *outside_text(const int outside) {
  return OUTSIDES[outside].text;
}

cli_family family_outsides(void) {
  return (cli_family){"value of --outside", sizeof OUTSIDES / sizeof *OUTSIDES, outside_name,
                      outside_text};
}

static const choice PADDINGS[] = {{"exclude", "default"},
                                  {"count", "as a fixed-shape calibrator does"}};

static const char *padding_name(const int padding) {
  return PADDINGS[padding].name;
}

static const char *padding_text(const int padding) {
  return PADDINGS[padding].text;
}

cli_family family_paddings(void) {
  return (cli_family){"value of --pad-stats", sizeof PADDINGS / sizeof *PADDINGS, padding_name,
                      padding_text};
}

static const choice ROUNDINGS[] = {
    {"least-squares", "so that errors of weights cancel out on the data; default"},
    {"nearest", "each weight alone"}};

static const char *rounding_name(const int rounding) {
  return ROUNDINGS[rounding].name;
}

static const char *rounding_text(const int rounding) {
  return ROUNDINGS[rounding].text;
}

cli_family family_roundings(void) {
  return (cli_family){"value of --weight-rounding", sizeof ROUNDINGS / sizeof *ROUNDINGS,
                      rounding_name, rounding_text};
}

static const choice CLIPPINGS[] = {
    [TARE_CLIPPING_OFF] = {"off", "default"},
    [TARE_CLIPPING_AUTO] = {"auto", "in layers whose noise it lowers by a tenth"},
    [TARE_CLIPPING_ON] = {"on", "where it lowers the noise"}};

static const char *clipping_name(const int clipping) {
  return CLIPPINGS[clipping].name;
}

static const char *clipping_text(const int clipping) {
  return CLIPPINGS[clipping].text;
}

cli_family family_clippings(void) {
  return (cli_family){"value of --weight-clipping", sizeof CLIPPINGS / sizeof *CLIPPINGS,
                      clipping_name, clipping_text};
}

static const choice CORRECTIONS[] = {
    {"off", "default"}, {"on", "where the input does not follow the level of the model's"}};

static const char *correction_name(const int correction) {
  return CORRECTIONS[correction].name;
}

static const char *correction_text(const int correction) {
  return CORRECTIONS[correction].text;
}

cli_family family_corrections(void) {
  return (cli_family){"value of --bias-correction", sizeof CORRECTIONS / sizeof *CORRECTIONS,
                      correction_name, correction_text};
}

static const choice SMOOTHINGS[] = {
    [TARE_SMOOTHING_OFF] = {"off", "default"},
    [TARE_SMOOTHING_AUTO] = {"auto", "where it halves a noise that matters"},
    [TARE_SMOOTHING_ON] = {"on", "where it lowers the noise"}};

static const char *smoothing_name(const int smoothing) {
  return SMOOTHINGS[smoothing].name;
}

static const char *smoothing_text(const int smoothing) {
  return SMOOTHINGS[smoothing].text;
}

cli_family family_smoothings(void) {
  return (cli_family){"value of --smoothing", sizeof SMOOTHINGS / sizeof *SMOOTHINGS,
                      smoothing_name, smoothing_text};
}

/* Names of the members that have a trait. */
static char *names_with(const cli_family *const family, bool (*const trait)(int),
                        const char *const last) {
  cli_list names = {0};
  for (int i = 0; i < family->n; i++) {
    if (trait(i)) {
      cli_list_add(&names, family->name(i));
    }
  }
  char *const text = cli_join(names.items, names.n, last);
  cli_list_fini(&names);
  return text;
}

char *family_percentile_methods(const char *const last) {
  const cli_family methods = family_methods();
  return names_with(&methods, tare_method_takes_percentile, last);
}

char *family_alphabet_metrics(const char *const last) {
  const cli_family metrics = family_metrics();
  return names_with(&metrics, tare_metric_needs_alphabet, last);
}

char *family_help(const char *const text, const cli_family *const family) {
  char *const names = cli_names(family, true, " or ");
  char *const all = cli_format("%s%s", text, names);
  free(names);
  return all;
}
