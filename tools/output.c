#include "tools/output.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/show/show.h"

tare_status output_check_name(const char *const path, const char *const what, const char *const end,
                              tare_error *const err) {
  const char *const kind = show_noun_of(path);
  return !kind || strcmp(kind, what) == 0
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE,
                        "%s: the output is %s, but the name is that of %s: use a name ending in %s",
                        path, what, kind, end);
}

tare_status input_check(const char *const path, tare_error *const err) {
  return access(path, R_OK) == 0
             ? TARE_OK
             : cli_fail(err, TARE_E_INPUT, "%s: cannot open: %s", path, strerror(errno));
}

static tare_status check_folder(const char *const path, tare_error *const err) {
  char *const copy = cli_format("%s", path);
  const int failed = access(dirname(copy), W_OK | X_OK);
  free(copy);
  return failed ? cli_fail(err, TARE_E_IO, "%s: cannot create: %s", path, strerror(errno))
                : TARE_OK;
}

/* A new file: nothing is there, or a link to nothing. */
static tare_status check_new(const char *const path, const int reason, tare_error *const err) {
  if (output_is_there(path)) {
    return cli_fail(err, TARE_E_IO, "%s: cannot follow the link: %s", path, strerror(reason));
  }
  if (reason != ENOENT) {
    return cli_fail(err, TARE_E_IO, "%s: cannot create: %s", path, strerror(reason));
  }
  return path[strlen(path) - 1] == '/'
             ? cli_fail(err, TARE_E_IO, "%s: cannot write to a folder", path)
             : check_folder(path, err);
}

bool output_is_there(const char *const path) {
  struct stat file;
  return lstat(path, &file) == 0;
}

tare_status output_check(const char *const path, const cli_list *const inputs,
                         tare_error *const err) {
  struct stat out, in;
  if (strcmp(path, "-") == 0) {
    return cli_fail(err, TARE_E_USAGE,
                    "-: an output is a file, never the standard output: give its name");
  }
  if (stat(path, &out) != 0) {
    return check_new(path, errno, err);
  }
  for (int i = 0; i < inputs->n; i++) {
    const char *const input = inputs->items[i];
    if (input && stat(input, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
      return cli_fail(err, TARE_E_USAGE,
                      "%s is an input and would be overwritten: choose another output", path);
    }
  }
  return S_ISREG(out.st_mode) ? check_folder(path, err)
                              : cli_fail(err, TARE_E_IO, "%s: cannot write to a %s", path,
                                         S_ISDIR(out.st_mode) ? "folder" : "device or pipe");
}

tare_status output_check_two(const char *const path, const char *const other,
                             cli_list *const inputs, tare_error *const err) {
  CLI_TRY(output_check(path, inputs, err));
  cli_list_add(inputs, path);
  return other ? output_check(other, inputs, err) : TARE_OK;
}
