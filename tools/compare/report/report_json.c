#include "tools/cli.h"
#include "tools/compare/report/report_file.h"
#include "tools/json_out.h"

char *report_as_json(const cJSON *const document) {
  return cli_append(json_to_text(document), "\n");
}
