#include "tools/output.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tare/table.h>
#include <unistd.h>

/* Ends of names, and the kind of file that has them. */
static const struct {
  const char *end, *kind;
} ENDS[] = {{".onnx", "an ONNX model"},  {".plan", "a plan"},       {".stats", "statistics"},
            {".h5", "an HDF5 file"},     {".hdf5", "an HDF5 file"}, {".npy", "a NumPy array"},
            {".npz", "a NumPy archive"}, {".csv", "a manifest"},    {".tsv", "a manifest"},
            {".txt", "a text file"},     {".wav", "a recording"},   {".flac", "a recording"},
            {".ogg", "a recording"},     {".mp3", "a recording"}};

/* The kind of file that a name is that of; NULL for names of none. */
static const char *output_kind(const char *const path) {
  const tare_table_format *const table = tare_table_format_at(tare_table_format_of(path));
  if (table) {
    return table->noun;
  }
  for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
    if (cli_ends_with(path, ENDS[i].end)) {
      return ENDS[i].kind;
    }
  }
  return NULL;
}

tare_status output_check_name(const char *const path, const char *const what, const char *const end,
                              tare_error *const err) {
  const char *const kind = output_kind(path);
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

tare_status output_check(const char *const path, const cli_list *const inputs,
                         tare_error *const err) {
  struct stat out, in;
  if (stat(path, &out) != 0) {
    return check_folder(path, err);
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
