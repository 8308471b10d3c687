#include "tools/output.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/show/show.h"

const output_kind OUTPUT_ONNX = {"an ONNX model", ".onnx"}, OUTPUT_PLAN = {"a plan", ".plan"},
                  OUTPUT_HDF5 = {"an HDF5 file", ".h5"}, OUTPUT_JSON = {"JSON", ".json"};

tare_status output_check_name(const char *const path, const output_kind *const kind,
                              tare_error *const err) {
  const char *const noun = show_noun_of(path);
  return !noun || strcmp(noun, kind->noun) == 0
             ? TARE_OK
             : cli_fail(err, TARE_E_USAGE,
                        "%s: the output is %s, but the name is that of %s: use a name ending in %s",
                        path, kind->noun, noun, kind->end);
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

static bool same_inode(const struct stat *const a, const struct stat *const b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool stat_folder(const char *const path, struct stat *const out) {
  char *const copy = cli_format("%s", path);
  const bool there = stat(dirname(copy), out) == 0;
  free(copy);
  return there;
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
    if (input && stat(input, &in) == 0 && same_inode(&in, &out)) {
      return cli_fail(err, TARE_E_USAGE,
                      "%s is an input and would be overwritten: choose another output", path);
    }
  }
  return S_ISREG(out.st_mode) ? check_folder(path, err)
                              : cli_fail(err, TARE_E_IO, "%s: cannot write to a %s", path,
                                         S_ISDIR(out.st_mode) ? "folder" : "device or pipe");
}

/* Whether both names lead to one file, or will once it is made. */
static bool is_one_file(const char *const a, const char *const b) {
  struct stat x, y;
  const bool there = stat(a, &x) == 0, other_there = stat(b, &y) == 0;
  if (there || other_there) {
    return there && other_there && same_inode(&x, &y);
  }
  return strcmp(cli_file_name(a), cli_file_name(b)) == 0 && stat_folder(a, &x) &&
         stat_folder(b, &y) && same_inode(&x, &y);
}

tare_status output_check_all(const char *const *const paths, const int n,
                             const cli_list *const inputs, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    for (int before = 0; paths[i] && before < i; before++) {
      if (paths[before] && is_one_file(paths[before], paths[i])) {
        return cli_fail(err, TARE_E_USAGE, "duplicate output '%s': choose another name", paths[i]);
      }
    }
    CLI_TRY(paths[i] ? output_check(paths[i], inputs, err) : TARE_OK);
  }
  return TARE_OK;
}

tare_status output_check_kind(const output_kind *const kind, const char *const *const paths,
                              const int n, const cli_list *const inputs, tare_error *const err) {
  CLI_TRY(output_check_name(paths[0], kind, err));
  return output_check_all(paths, n, inputs, err);
}
