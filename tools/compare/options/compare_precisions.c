#include "tools/compare/options/compare_precisions.h"

#include <tare/plan.h>

/* What layers compute in. */
static const struct {
  tare_precision precision; /* ANY: no request */
  const char *text;
} FORMS[] = {{TARE_PRECISION_ANY, "as the build chooses, default"},
             {TARE_PRECISION_INT8, "static scales"},
             {TARE_PRECISION_INT8_ROWS, "row scales"},
             {TARE_PRECISION_INT16, "16-bit activations, static scales"},
             {TARE_PRECISION_INT16_ROWS, "the same with row scales"},
             {TARE_PRECISION_BF16, "bfloat16 products"}};

static const char *form_name(const int i) {
  return FORMS[i].precision == TARE_PRECISION_ANY ? "default"
                                                  : tare_precision_name(FORMS[i].precision);
}

static const char *form_text(const int i) {
  return FORMS[i].text;
}

cli_family compare_precisions(void) {
  return (cli_family){"precision", sizeof FORMS / sizeof *FORMS, form_name, form_text};
}

char *compare_precision_requests(const int precision, const char *const given) {
  if (FORMS[precision].precision == TARE_PRECISION_ANY) {
    return given ? cli_format("%s", given) : NULL;
  }
  return cli_format("*:%s%s%s", form_name(precision), given ? "," : "", given ? given : "");
}

char *compare_precision_label(const char *const method, const int precision) {
  const bool any = FORMS[precision].precision == TARE_PRECISION_ANY;
  return cli_format("%s%s%s", method, any ? "" : ", ", any ? "" : form_name(precision));
}
