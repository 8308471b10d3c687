#include "tools/report.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/cli.h"
#include "tools/streams.h"
#include "tools/text/columns.h"
#include "tools/text/cut.h"

enum {
  GAP = 2,
  LEAST_CUT = 16,
  LEAST_WRAP = 44,
  TERMINAL_WIDTH = 80, /* where it does not say */
  HIDDEN = -1          /* width of a column that is left out */
};

/* Columns of the terminal, or as COLUMNS says; what goes elsewhere is not cut. */
static int page_width(FILE *const to) {
  const char *const columns = getenv("COLUMNS");
  const int wanted = columns ? atoi(columns) : 0;
  struct winsize size;
  if (wanted > 0) {
    return wanted;
  }
  if (!isatty(streams_number(to))) {
    return INT_MAX;
  }
  return ioctl(streams_number(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                              : TERMINAL_WIDTH;
}

struct report {
  char *header; /* taken apart in place */
  cli_list names;
  char *kinds; /* one of "<>~?!^" per column */
  char **cells;
  int n_cells;
};

report *report_new(const char *const columns) {
  report *const r = cli_realloc(NULL, 1, sizeof *r);
  *r = (report){.header = cli_format("%s", columns)};
  cli_list_split(&r->names, r->header);
  r->kinds = cli_realloc(NULL, (size_t)r->names.n, 1);
  for (int c = 0; c < r->names.n; c++) {
    char *const last = (char *)r->names.items[c] + strlen(r->names.items[c]) - 1;
    r->kinds[c] = *last;
    *last = '\0';
  }
  return r;
}

void report_cell(report *const r, const char *const fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char text[4096];
  (void)vsnprintf(text, sizeof text, fmt, args); /* longer cells are cut */
  va_end(args);
  tare_make_printable(text);
  r->cells = cli_realloc(r->cells, (size_t)r->n_cells + 1, sizeof *r->cells);
  r->cells[r->n_cells++] = cli_format("%s", text);
}

void report_number(report *const r, const int decimals, const double value) {
  if (isnan(value)) {
    report_cell(r, "-");
  } else if (isinf(value)) {
    report_cell(r, value > 0 ? "inf" : "-inf");
  } else {
    report_cell(r, "%.*f", decimals, value);
  }
}

void report_sqnr(report *const r, const double db) {
  if (isinf(db) && db > 0) {
    report_cell(r, "equal");
  } else {
    report_number(r, 2, db);
  }
}

void report_decibels(report *const r, const bool differences, const double low, const double high) {
  if (isnan(low) || isinf(low) || isinf(high)) {
    report_cell(r, "-");
  } else if (differences) {
    report_cell(r, "%+.2f..%+.2f", low, high);
  } else {
    report_cell(r, "%.2f..%.2f", low, high);
  }
}

void report_loss(report *const r, const double share) {
  report_number(r, 1, share > 0 ? -10 * log10(share) : NAN);
}

static int column_width(const report *const r, const int column) {
  int width = columns_of(r->names.items[column]);
  for (int i = column; i < r->n_cells; i += r->names.n) {
    const int n = columns_of(r->cells[i]);
    width = n > width ? n : width;
  }
  return width;
}

static cut cut_column(const report *const r, const int column, const int wanted) {
  cli_list cells = {0};
  for (int i = column; i < r->n_cells; i += r->names.n) {
    cli_list_add(&cells, r->cells[i]);
  }
  const cut chosen = cut_choose(cells.items, cells.n, wanted > LEAST_CUT ? wanted : LEAST_CUT);
  cli_list_fini(&cells);
  return chosen;
}

/* The width of a row; `least`: where all that may be cut or wrapped is as narrow as can be. */
static int row_width(const report *const r, const cut *const cuts, const bool least) {
  int total = -GAP;
  for (int c = 0; c < r->names.n; c++) {
    const int most = r->kinds[c] == '^'            ? LEAST_WRAP
                     : least && r->kinds[c] == '~' ? LEAST_CUT
                                                   : INT_MAX;
    const int width = cuts[c].width < most ? cuts[c].width : most;
    total += cuts[c].width == HIDDEN ? 0 : GAP + width;
  }
  return total;
}

static bool is_right(const char kind) {
  return kind == '>' || kind == '!';
}

/* Leaves out the last column that may be; false if there is none. */
static bool hide_column(const report *const r, cut *const cuts) {
  for (int c = r->names.n - 1; c >= 0; c--) {
    if ((r->kinds[c] == '?' || r->kinds[c] == '!') && cuts[c].width != HIDDEN) {
      cuts[c].width = HIDDEN;
      return true;
    }
  }
  return false;
}

/* Shortens the columns that may be cut until the row fits, if it can; says whether it does. */
static bool cut_columns(const report *const r, const int page, cut *const cuts) {
  for (int c = 0; c < r->names.n; c++) {
    if (r->kinds[c] == '~') {
      cuts[c] = (cut){.width = column_width(r, c)};
    }
  }
  for (int c = 0; c < r->names.n; c++) {
    const int over = row_width(r, cuts, false) - page;
    if (r->kinds[c] == '~' && cuts[c].width > LEAST_CUT && over > 0) {
      cuts[c] = cut_column(r, c, cuts[c].width - over);
    }
  }
  return row_width(r, cuts, false) <= page;
}

/* Widths of all columns for a page. Names that must stay different may not become narrow enough, so
 * columns are left out until the row fits. */
static void choose_cuts(const report *const r, const int page, cut *const cuts) {
  for (int c = 0; c < r->names.n; c++) {
    cuts[c] = (cut){.width = column_width(r, c)};
  }
  while (row_width(r, cuts, true) > page && hide_column(r, cuts)) {
  }
  while (!cut_columns(r, page, cuts) && hide_column(r, cuts)) {
  }
  const int last = r->names.n - 1;
  if (r->kinds[last] == '^') {
    const int before =
        row_width(r, cuts, false) - (cuts[last].width < LEAST_WRAP ? cuts[last].width : LEAST_WRAP);
    cuts[last].width = page - before > LEAST_WRAP ? page - before : LEAST_WRAP;
  }
}

static void print_cell(const char kind, const char *const text, const cut c, const bool last,
                       FILE *const to) {
  char *const shown = cut_text(text, c);
  const int blanks = c.width - columns_of(shown);
  fprintf(to, "%*s%s%*s%s", is_right(kind) ? blanks : 0, "", shown,
          is_right(kind) || last ? 0 : blanks, "", last ? "\n" : "  ");
  free(shown);
}

/* Words up to a width, the lines after the first one behind `indent` blanks. */
static void print_wrapped(const char *text, const int width, const int indent, FILE *const to) {
  while (columns_of(text) > width) {
    int n = (int)columns_begin(text, width);
    while (n > 0 && text[n] != ' ') {
      n--;
    }
    n = n ? n : (int)strcspn(text, " "); /* a word that is too long has a line of its own */
    if (!text[n]) {
      break;
    }
    fprintf(to, "%.*s\n%*s", n, text, indent, "");
    text += n + 1;
  }
  fprintf(to, "%s\n", text);
}

static void report_print_row(const report *const r, const char *const *const cells,
                             const cut *const cuts, FILE *const to) {
  int last = r->names.n - 1, indent = 0;
  while (last > 0 && cuts[last].width == HIDDEN) {
    last--;
  }
  for (int c = 0; c <= last; c++) {
    if (r->kinds[c] == '^') {
      print_wrapped(cells[c], cuts[c].width, indent, to);
    } else if (cuts[c].width != HIDDEN) {
      print_cell(r->kinds[c], cells[c], cuts[c], c == last, to);
      indent += cuts[c].width + GAP;
    }
  }
}

static void print_left_out(const report *const r, const cut *const cuts, FILE *const to) {
  int n = 0;
  for (int c = 0; c < r->names.n; c++) {
    if (cuts[c].width == HIDDEN) {
      fprintf(to, "%s%s", n++ ? ", " : "(a wider terminal shows ", r->names.items[c]);
    }
  }
  if (n) {
    fputs(" too)\n", to);
  }
}

static bool report_has_names(const report *const r) {
  for (int c = 0; c < r->names.n; c++) {
    if (*r->names.items[c]) {
      return true;
    }
  }
  return false;
}

static void report_free(report *const r) {
  for (int i = 0; i < r->n_cells; i++) {
    free(r->cells[i]);
  }
  free(r->cells);
  free(r->names.items);
  free(r->header);
  free(r->kinds);
  free(r);
}

void report_print(report *const r, FILE *const to) {
  const int n = r->names.n;
  if (r->n_cells > 0) {
    cut *const cuts = cli_realloc(NULL, (size_t)n, sizeof *cuts);
    choose_cuts(r, page_width(to), cuts);
    if (report_has_names(r)) {
      report_print_row(r, r->names.items, cuts, to);
    }
    for (int i = 0; i + n <= r->n_cells; i += n) {
      report_print_row(r, (const char *const *)r->cells + i, cuts, to);
    }
    print_left_out(r, cuts, to);
    free(cuts);
  }
  report_free(r);
}

char *report_bytes(const int64_t bytes) {
  static const char *const UNITS[] = {"B", "kB", "MB", "GB", "TB"};
  double value = (double)bytes;
  int unit = 0;
  while (value >= 1000 && unit < 4) {
    value /= 1000;
    unit++;
  }
  return cli_format("%.*f %s", unit ? 1 : 0, value, UNITS[unit]);
}
