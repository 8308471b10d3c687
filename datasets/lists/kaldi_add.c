#include "datasets/lists/kaldi_add.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"

/* The colon before the offset of a matrix in an archive, or NULL. */
static const char *offset_of(const char *const address) {
  const char *const colon = strrchr(address, ':');
  return colon && isdigit((unsigned char)colon[1]) &&
                 colon[1 + strspn(colon + 1, "0123456789")] == '\0'
             ? colon
             : NULL;
}

static tare_status add_matrix(tarei_items *const items, const tarei_item *const item,
                              const char *const colon, tare_error *const err) {
  errno = 0;
  const long long byte = strtoll(colon + 1, NULL, 10);
  if (errno) {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: offset %s is out of range", item->origin,
                      (long long)item->line, colon + 1);
  }
  char *const path = tarei_strndup(item->path, (size_t)(colon - item->path));
  if (!path) {
    return tarei_fail_memory(err, item->origin, strlen(item->path));
  }
  tarei_item matrix = *item;
  matrix.path = path;
  matrix.ops = &tarei_reader_ark_matrix;
  matrix.segment.byte = byte;
  const tare_status status = tarei_list_add(items, &matrix, err);
  free(path);
  return status;
}

tare_status tarei_kaldi_add(tarei_items *const items, const tarei_item *const item,
                            tare_error *const err) {
  const char *const address = item->path;
  const size_t n = strlen(address);
  if (n > 0 && address[n - 1] == '|') {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s line %lld: '%s' is a command, and commands are never run (write its "
                      "output to a file, and list that)",
                      item->origin, (long long)item->line, address);
  }
  if (n > 0 && address[n - 1] == ']') {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s line %lld: '%s' selects a range, which is not supported", item->origin,
                      (long long)item->line, address);
  }
  const char *const colon = offset_of(address);
  return colon ? add_matrix(items, item, colon, err) : tarei_list_add(items, item, err);
}

tare_status tarei_kaldi_labels(const char *const path, const tarei_data_spec *const spec,
                               tarei_utterances *const out, tare_error *const err) {
  *out = (tarei_utterances){0};
  return spec->labels ? tarei_utterances_read(path, spec->labels, out, err) : TARE_OK;
}

tare_status tarei_kaldi_label(const tarei_utterances *const labels, const char *const key,
                              const char **const out, tare_error *const err) {
  const tarei_kaldi_line *const found = labels->n ? tarei_utterances_find(labels, key) : NULL;
  *out = found ? found->value : NULL;
  return found || !labels->n
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "%s: no label for '%s'", labels->path, key);
}
