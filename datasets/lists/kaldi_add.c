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

static tare_status add_matrix(tarei_items *const items, const char *const origin,
                              const int64_t line, const char *const address,
                              const char *const colon, const char *const label_text,
                              tare_error *const err) {
  errno = 0;
  const long long byte = strtoll(colon + 1, NULL, 10);
  if (errno) {
    return tarei_fail(err, TARE_E_INPUT, "%s line %lld: offset %s is out of range", origin,
                      (long long)line, colon + 1);
  }
  char *const path = tarei_strndup(address, (size_t)(colon - address));
  if (!path) {
    return tarei_fail_memory(err, origin, strlen(address));
  }
  const tare_status status = tarei_list_add(items, origin, line, path, label_text, err);
  free(path);
  TAREI_TRY(status);
  tarei_item *const item = tarei_items_last(items);
  item->ops = &tarei_reader_ark_matrix;
  item->audio = false;
  return tarei_items_cut(items, &(tarei_segment){.byte = byte}, err);
}

tare_status tarei_kaldi_add(tarei_items *const items, const char *const origin, const int64_t line,
                            const char *const address, const char *const label_text,
                            tare_error *const err) {
  const size_t n = strlen(address);
  if (n > 0 && address[n - 1] == '|') {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s line %lld: '%s' is a command, and commands are never run (write its "
                      "output to a file, and list that)",
                      origin, (long long)line, address);
  }
  if (n > 0 && address[n - 1] == ']') {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s line %lld: '%s' selects a range, which is not supported", origin,
                      (long long)line, address);
  }
  const char *const colon = offset_of(address);
  return colon ? add_matrix(items, origin, line, address, colon, label_text, err)
               : tarei_list_add(items, origin, line, address, label_text, err);
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
