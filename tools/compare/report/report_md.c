/* What a reader of a pull request needs: the ranking, what failed, and how to repeat it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/agreement.h"
#include "tools/cli.h"
#include "tools/compare/report/members.h"
#include "tools/compare/report/report_file.h"

/* Characters that Markdown would take for its own are escaped, and lines joined. */
static char *md_append_text(char *text, const char *const words) {
  for (const char *c = words; *c; c++) {
    if (strchr("\\`*_[]<>|&#~", *c)) {
      text = cli_append(text, "\\%c", *c);
    } else {
      text = cli_append(text, "%c", *c == '\n' || *c == '\r' ? ' ' : *c);
    }
  }
  return text;
}

static char *md_append_member(char *text, const cJSON *const object, const char *const path) {
  char *const words = member_text(object, path);
  text = md_append_text(text, words);
  free(words);
  return text;
}

static char *md_append_number(char *text, const int decimals, const double value) {
  return isnan(value) ? cli_append(text, " - |") : cli_append(text, " %.*f |", decimals, value);
}

static char *md_append_interval(char *text, const cJSON *const object, const char *const path,
                                const char *const format, const double factor) {
  const cJSON *const interval = member_at(object, path);
  const double low = factor * member_number(interval, "low");
  const double high = factor * member_number(interval, "high");
  if (isnan(low) || isnan(high)) {
    return cli_append(text, " - |");
  }
  return *format == '+' ? cli_append(text, " %+.2f..%+.2f |", low, high)
                        : cli_append(text, " %.2f..%.2f |", low, high);
}

static char *md_append_heads(char *text, const cJSON *const metric) {
  text = cli_append(text, "| rank | fit | method |");
  if (metric) {
    text = md_append_member(cli_append(text, " "), metric, "name");
    text = md_append_member(cli_append(text, " "), metric, "unit");
    text = cli_append(text, " | to fp32 (95 %%) |");
  }
  text = cli_append(text, " SQNR dB | 95 %% | agreement | run s |\n|---:|---|---|");
  return cli_append(text, "%s---:|---:|---:|---:|\n", metric ? "---:|---:|" : "");
}

static char *md_append_agreement(char *text, const cJSON *const item) {
  char *const kind = member_text(item, "agreement.kind");
  int k = 0;
  while (k < TARE_AGREEMENT_COUNT && strcmp(tare_agreement_name(k), kind) != 0) {
    k++;
  }
  free(kind);
  char *const figure = k < TARE_AGREEMENT_COUNT
                           ? agreement_text(k, member_number(item, "agreement.value"), 2)
                           : cli_format("%s", "");
  text = cli_append(text, " %s |", *figure ? figure : "-");
  free(figure);
  return text;
}

static char *md_append_row(char *text, const cJSON *const document, const cJSON *const item,
                           const char *const fit) {
  const cJSON *const metric = member_at(document, "metric");
  const double factor = member_number(metric, "factor");
  text = md_append_member(cli_append(text, "| "), item, "rank");
  text = cli_append(text, "%s | ", cJSON_IsTrue(member_at(item, "equal_within_noise")) ? " =" : "");
  text = fit ? cli_append(text, "%s", fit) : md_append_member(text, item, "fit");
  text =
      cli_append(text, "%s | ", cJSON_IsTrue(member_at(item, "padding_counted")) ? " counted" : "");
  text = cli_append(md_append_member(text, item, "method"), " |");
  if (metric) {
    text = md_append_number(text, 3, factor * member_number(item, "metric.value"));
    text = md_append_interval(text, item, "to_fp32", "+", factor);
  }
  text = cJSON_IsTrue(member_at(item, "equal"))
             ? cli_append(text, " equal |")
             : md_append_number(text, 2, member_number(item, "sqnr_db"));
  text = md_append_interval(text, item, "sqnr_interval", "", 1);
  text = md_append_agreement(text, item);
  return cli_append(md_append_number(text, 2, member_number(item, "run_seconds")), "\n");
}

static char *md_append_ranking(char *text, const cJSON *const document) {
  const cJSON *item = NULL;
  text = md_append_heads(text, member_at(document, "metric"));
  text = md_append_row(text, document, member_at(document, "fp32"), "fp32");
  for (int rank = 1; (item = member_ranked(document, rank)) != NULL; rank++) {
    text = md_append_row(text, document, item, NULL);
  }
  return cli_append(text, "\n`=`: equal within noise to the best\n");
}

static char *md_append_failures(char *text, const cJSON *const document) {
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, member_at(document, "strategies")) {
    if (member_at(item, "error")) {
      text = md_append_member(cli_append(text, "\n- "), item, "fit");
      text = md_append_member(cli_append(text, ", "), item, "method");
      text = md_append_member(cli_append(text, " failed: "), item, "error");
    }
  }
  cJSON_ArrayForEach(item, member_at(document, "requirements")) {
    text = md_append_member(cli_append(text, "\n- requirement "), item, "requirement");
    text = cli_append(text, cJSON_IsTrue(member_at(item, "fulfilled")) ? " holds" : " fails");
  }
  return text;
}

/* A block of code, whose fence is longer than any in it. */
static char *md_append_code(char *text, const char *const code) {
  int longest = 2, run = 0;
  for (const char *c = code; *c; c++) {
    run = *c == '`' ? run + 1 : 0;
    longest = run > longest ? run : longest;
  }
  char *fence = NULL;
  for (int i = 0; i <= longest; i++) {
    fence = cli_append(fence, "`");
  }
  text = cli_append(text, "\n\n%s\n%s\n%s\n", fence, code, fence);
  free(fence);
  return text;
}

char *report_as_md(const cJSON *const document) {
  char *text = md_append_member(cli_format("# Calibration strategies of "), document, "model");
  text = cli_append(text, "\n\n");
  if (member_at(document, "verdict.sentence")) {
    text = cli_append(md_append_member(text, document, "verdict.sentence"), "\n\n");
  }
  text = md_append_ranking(text, document);
  text = md_append_failures(text, document);
  text = md_append_member(cli_append(text, "\ntare "), document, "tare_version");
  text = md_append_member(cli_append(text, ", "), document, "date");
  char *const command = member_text(document, "command_line");
  text = md_append_code(text, command);
  free(command);
  return text;
}
