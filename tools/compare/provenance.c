#include "tools/compare/provenance.h"

#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <time.h>

char *provenance_command(const int argc, char *const *const argv) {
  char *text = cli_format("%s", argv[0]); /* "tare compare" */
  for (int i = 1; i < argc; i++) {
    char *const word = cli_quoted(argv[i]);
    text = cli_append(text, " %s", word);
    free(word);
  }
  return text;
}

static void provenance_texts(cJSON *const object, const char *const name,
                             const cli_list *const texts) {
  cJSON *const list = json_add(object, name, json_array());
  for (int i = 0; i < texts->n; i++) {
    json_text(list, NULL, texts->items[i]);
  }
}

/* The first line of the report on the CPU, "features ...". */
static void cpu_json(cJSON *const object, const char *const isa) {
  char *report = NULL;
  if (tare_cpu_report(isa, &report, NULL) == TARE_OK) {
    report[strcspn(report, "\n")] = '\0';
    const char *const space = strpbrk(report, " ");
    json_text(object, "cpu_features", space ? space + strspn(space, " ") : report);
  }
  tare_free(report);
}

void provenance_json(cJSON *const object, const provenance *const p) {
  const time_t now = time(NULL);
  struct tm utc;
  char date[sizeof "2000-01-01T00:00:00Z"] = "";
  if (gmtime_r(&now, &utc)) {
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  }
  json_text(object, "tare_version", tare_version());
  json_text(object, "date", date);
  json_text(object, "command_line", p->command);
  provenance_texts(object, "data", p->data);
  provenance_texts(object, "evaluation", p->evaluation);
  json_int(object, "cores", tare_cores());
  cpu_json(object, p->isa);
}
