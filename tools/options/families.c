#include "tools/options/families.h"

#include <stdlib.h>
#include <tare/dataset.h>
#include <tare/eval.h>
#include <tare/export.h>
#include <tare/plan.h>

/* A member of a family that is the command's own. */
typedef struct choice {
  const char *name, *text;
} choice;

/* Defines the function of a family whose members are the choices of an array. */
#define FAMILY_OF_CHOICES(function, kind, choices)                                                 \
  static const char *function##_name(const int i) {                                                \
    return choices[i].name;                                                                        \
  }                                                                                                \
  static const char *function##_text(const int i) {                                                \
    return choices[i].text;                                                                        \
  }                                                                                                \
  cli_family function(void) {                                                                      \
    return (cli_family){kind, sizeof choices / sizeof *choices, function##_name, function##_text}; \
  }

cli_family family_methods(void) {
  return (cli_family){"method", tare_n_methods(), tare_method_name, NULL};
}

cli_family family_isas(void) {
  return (cli_family){"instruction set", tare_n_isas(), tare_isa_name, NULL};
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
    [TARE_OUTSIDE_NEAREST] = {"nearest", "cut or padded to the nearest profile"},
    [TARE_OUTSIDE_SKIP] = {"skip", "left out"}};
FAMILY_OF_CHOICES(family_outsides, "value of --outside", OUTSIDES)

static const choice PADDINGS[] = {{"exclude", "default"},
                                  {"count", "as a fixed-shape calibrator does"}};
FAMILY_OF_CHOICES(family_paddings, "value of --pad-stats", PADDINGS)

static const choice ROUNDINGS[] = {
    {"least-squares", "so that errors of weights cancel out on the data; default"},
    {"nearest", "each weight alone"}};
FAMILY_OF_CHOICES(family_roundings, "value of --weight-rounding", ROUNDINGS)

static const choice WEIGHTS[] = {
    [TARE_WEIGHT_ELEMENT] = {"element", "each element of a tensor once; default"},
    [TARE_WEIGHT_SAMPLE] = {"sample", "as much as any other"},
    [TARE_WEIGHT_LENGTH] = {"length", "each second or token alike, in each tensor"}};
FAMILY_OF_CHOICES(family_weights, "value of --weight", WEIGHTS)

static const choice STRATA[] = {{"length", "by length"}};
FAMILY_OF_CHOICES(family_strata, "value of --stratify", STRATA)

static const choice CLIPPINGS[] = {
    [TARE_CLIPPING_OFF] = {"off", "default"},
    [TARE_CLIPPING_AUTO] = {"auto", "in layers whose noise it lowers by a tenth"},
    [TARE_CLIPPING_ON] = {"on", "where it lowers the noise"}};
FAMILY_OF_CHOICES(family_clippings, "value of --weight-clipping", CLIPPINGS)

static const choice CORRECTIONS[] = {
    {"off", "default"}, {"on", "where the input does not follow the level of the model's"}};
FAMILY_OF_CHOICES(family_corrections, "value of --bias-correction", CORRECTIONS)

static const choice SMOOTHINGS[] = {
    [TARE_SMOOTHING_OFF] = {"off", "default"},
    [TARE_SMOOTHING_AUTO] = {"auto", "where it halves a noise that matters"},
    [TARE_SMOOTHING_ON] = {"on", "where it lowers the noise"}};
FAMILY_OF_CHOICES(family_smoothings, "value of --smoothing", SMOOTHINGS)

static const choice TABLE_ROUNDINGS[] = {{"table", "default: as the table says, where it does"},
                                         {"nearest", NULL}};
FAMILY_OF_CHOICES(family_table_roundings, "value of --weight-rounding", TABLE_ROUNDINGS)

static const choice TABLE_SMOOTHINGS[] = {{"table", "default: those that the table names"},
                                          {"none", NULL}};
FAMILY_OF_CHOICES(family_table_smoothings, "value of --smoothing", TABLE_SMOOTHINGS)

static const choice SMALL_LAYERS[] = {{"float", "default"}, {"int8", NULL}};
FAMILY_OF_CHOICES(family_small_layers, "value of --small-layers", SMALL_LAYERS)

static const choice RAISINGS[] = {{"auto", "where an output has less than 28 dB; default"},
                                  {"off", NULL}};
FAMILY_OF_CHOICES(family_raisings, "value of --raise-layers", RAISINGS)

static const choice WRITTEN_RAISINGS[] = {{"auto", "where an output has less than 27 dB; default"},
                                          {"off", NULL}};
FAMILY_OF_CHOICES(family_written_raisings, "value of --raise-layers", WRITTEN_RAISINGS)

static const choice CONSTRAINTS[] = {
    [TARE_CONSTRAINTS_PREFER] = {"prefer", "default: use float and warn"},
    [TARE_CONSTRAINTS_OBEY] = {"obey", "fail"},
    [TARE_CONSTRAINTS_NONE] = {"none", "ignore the requests"}};
FAMILY_OF_CHOICES(family_constraints, "value of --precision-constraints", CONSTRAINTS)

char *family_percentile_methods(const char *const last) {
  cli_list names = {0};
  for (int i = 0; i < tare_n_methods(); i++) {
    if (tare_method_takes_percentile(i)) {
      cli_list_add(&names, tare_method_name(i));
    }
  }
  char *const text = cli_join(names.items, names.n, last);
  cli_list_fini(&names);
  return text;
}

static bool families_takes(const int metric, const int option) {
  return tare_metric_takes(metric, option);
}

static bool families_reads_labels(const int metric, const int any) {
  (void)any;
  return tare_metric_get_truth(metric) != TARE_TRUTH_REFERENCE;
}

/* Names of the metrics that have a trait. */
static char *families_metrics(bool (*const trait)(int, int), const int of, const char *const last) {
  cli_list names = {0};
  for (int i = 0; i < tare_n_metrics(); i++) {
    if (trait(i, of)) {
      cli_list_add(&names, tare_metric_name(i));
    }
  }
  char *const text = cli_join(names.items, names.n, last);
  cli_list_fini(&names);
  return text;
}

char *family_metrics_with(const int option, const char *const last) {
  return families_metrics(families_takes, option, last);
}

char *family_label_metrics(const char *const last) {
  return families_metrics(families_reads_labels, 0, last);
}

char *family_help(const char *const text, const cli_family *const family) {
  char *const names = cli_names(family, true, " or ");
  char *const all = cli_format("%s%s", text, names);
  free(names);
  return all;
}
