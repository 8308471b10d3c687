/* A row for each strategy by rank, behind that of the float plan; then those that failed. */
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"
#include "tools/compare/report/members.h"
#include "tools/compare/report/report_file.h"

static const struct csv_column {
  const char *name, *path;
} CSV_COLUMNS[] = {
    {"rank", "rank"},
    {"fit", "fit"},
    {"method", "method"},
    {"padding_counted", "padding_counted"},
    {"equal_within_noise", "equal_within_noise"},
    {"samples", "samples"},
    {"sqnr_db", "sqnr_db"},
    {"sqnr_low_db", "sqnr_interval.low"},
    {"sqnr_high_db", "sqnr_interval.high"},
    {"sqnr_to_first_db", "sqnr_to_first.value"},
    {"top1_agreement", "top1_agreement"},
    {"agreement_kind", "agreement.kind"},
    {"agreement", "agreement.value"},
    {"metric", "metric.name"},
    {"metric_value", "metric.value"},
    {"metric_to_fp32", "to_fp32.value"},
    {"metric_to_fp32_low", "to_fp32.low"},
    {"metric_to_fp32_high", "to_fp32.high"},
    {"metric_to_best", "to_best.value"},
    {"metric_to_best_low", "to_best.low"},
    {"metric_to_best_high", "to_best.high"},
    {"run_seconds", "run_seconds"},
    {"error", "error"},
};
enum { N_CSV_COLUMNS = sizeof CSV_COLUMNS / sizeof *CSV_COLUMNS };

/* As in RFC 4180: in quotes where it has a comma, a quote or a line break, quotes doubled. */
static char *csv_append_field(char *text, const char *const field) {
  if (!field[strcspn(field, ",\"\r\n")]) {
    return cli_append(text, "%s", field);
  }
  text = cli_append(text, "\"");
  for (const char *c = field; *c; c++) {
    text = cli_append(text, *c == '"' ? "\"\"" : "%c", *c);
  }
  return cli_append(text, "\"");
}

static char *csv_append_row(char *text, const cJSON *const item, const char *const fit) {
  for (int c = 0; c < N_CSV_COLUMNS; c++) {
    const char *const path = CSV_COLUMNS[c].path;
    char *const field =
        fit && strcmp(path, "fit") == 0 ? cli_format("%s", fit) : member_text(item, path);
    text = csv_append_field(cli_append(text, c ? "," : ""), field);
    free(field);
  }
  return cli_append(text, "\n");
}

char *report_as_csv(const cJSON *const document) {
  char *text = NULL;
  for (int c = 0; c < N_CSV_COLUMNS; c++) {
    text = cli_append(text, "%s%s", c ? "," : "", CSV_COLUMNS[c].name);
  }
  text = csv_append_row(cli_append(text, "\n"), member_at(document, "fp32"), "fp32");
  const cJSON *item = NULL;
  for (int rank = 1; (item = member_ranked(document, rank)) != NULL; rank++) {
    text = csv_append_row(text, item, NULL);
  }
  cJSON_ArrayForEach(item, member_at(document, "strategies")) {
    text = member_at(item, "error") ? csv_append_row(text, item, NULL) : text;
  }
  return text;
}
