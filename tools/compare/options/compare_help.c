/* Texts of the help that name members of families. */
#include <stdlib.h>

#include "tools/compare/options/compare_arguments.h"
#include "tools/compare/compare_grid.h"
#include "tools/compare/options/compare_precisions.h"
#include "tools/compare/report/report_file.h"
#include "tools/options/families.h"
#include "tools/options/formats.h"

cli_family compare_list_family(const int key) {
  return key == OPT_FITS         ? grid_fits()
         : key == OPT_METHODS    ? family_methods()
         : key == OPT_PAD_STATS  ? family_paddings()
         : key == OPT_PRECISIONS ? compare_precisions()
                                 : (cli_family){0};
}

static char *compare_help_report(const char *const text) {
  char *const formats = report_format_list();
  char *const all = cli_format("%s%s; repeat for more", text, formats);
  free(formats);
  return all;
}

static char *compare_help_output(const char *const text) {
  char *const tables = format_extensions(format_is_own, "NAME");
  char *const all =
      cli_format("%s%s for its table, NAME.plan for its plan; repeat for both", text, tables);
  free(tables);
  return all;
}

/* What stands in a list unless one is given; NULL where a member says so itself. The caller frees
 * it. */
static char *list_default(const int key) {
  cli_list fits = {0};
  if (key != OPT_FITS) {
    return key == OPT_METHODS ? cli_format("all") : NULL;
  }
  grid_add_default_fits(&fits);
  char *const text = cli_join(fits.items, fits.n, " and ");
  cli_list_fini(&fits);
  return text;
}

char *compare_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family family = compare_list_family(key), raisings = family_raisings();
  if (key == 'o') {
    return compare_help_output(text);
  }
  if (key == OPT_REPORT) {
    return compare_help_report(text);
  }
  if (key == OPT_RAISE_FIRST) {
    return family_help(text, &raisings);
  }
  if (!family.kind) {
    return (char *)text; /* as it is */
  }
  char *const names = cli_names(&family, true, ", ");
  char *const takers = family_percentile_methods(" or ");
  char *const more = key == OPT_METHODS
                         ? cli_format("; %s:P to keep P percent, P as often as wanted", takers)
                         : NULL;
  char *const normal = list_default(key);
  char *const all =
      cli_format("%s%s, or all%s%s%s%s", text, names, more ? more : "", normal ? " (default: " : "",
                 normal ? normal : "", normal ? ")" : "");
  free(names);
  free(takers);
  free(more);
  free(normal);
  return all;
}
